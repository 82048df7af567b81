"""Text or JSON → the tokens in it that a later call may quote: ids, paths, numbers, code names.

A token is a run of the characters that such things are made of (letters, digits, `_ . / % -`; the
colons of `a::b`, `x://y` and of a clock behind a date), without punctuation at its ends and without
`./`, `../` before it. All else parts runs, so that a token is the same bare, quoted, in brackets,
in a flag (`--id=AB-12`) and in a query (`?id=AB-12`); `#1533` is the number. A line number behind a
path (`a/b.py:12`) is no part of it and no token. Flags themselves (`--dry-run`) are none either.

A run is a token only if few write it by chance: see `token_kind`. Prose is told from names by its
form alone, so that three plain words joined by hyphens are a name (a package may be called so), and
so is a word of one's own with capitals inside before a plain one. Time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ctxlab.errors import InputError
from ctxlab.surface.canonical import Json, dumps

__all__ = [
    "MAX_TOKEN_CHARS",
    "Token",
    "find_tokens",
    "keys_of",
    "known_by",
    "parts_of",
    "texts_of",
    "token_kind",
    "tokens_of",
]

MAX_TOKEN_CHARS = 256
"""Longer runs are data, such as a picture in base64: no tokens."""

_EXTENSIONS = (
    "bash|bat|cc|cfg|cjs|conf|cpp|cs|css|csv|cts|cxx|dart|db|diff|docx|ejs|env|erl|ex|exs|gif|go|"
    "gradle|graphql|h|hpp|htm|html|ico|ini|ipynb|java|jpeg|jpg|js|json|jsonl|jsx|kt|kts|less|"
    "lock|log|lua|md|mdx|mjs|ml|mod|mov|mp3|mp4|mts|parquet|patch|pdf|php|pl|plist|png|prisma|"
    "properties|proto|ps1|py|pyi|rb|rs|rst|sass|scala|scss|sh|sol|sql|sqlite|sum|svelte|svg|"
    "swift|tar|tex|tf|tgz|toml|ts|tsv|tsx|ttf|txt|vue|wasm|wav|webp|woff|woff2|xlsx|xml|yaml|yml|"
    "zip|zsh"
)

_RUN = re.compile(
    r"""(?<! [\w./%-] )
        (?! [A-Z]?+ [a-z]*+ \.*+ (?! [\w./%-] | ::\w | :// ) )    # a word in prose
        (?: [\w./%-]++ | ::(?=\w) | :(?=//) | (?<=T\d\d):(?=\d\d) | (?<=T\d\d:\d\d):(?=\d\d) )++
    """,
    re.VERBOSE,
)
_FLAG = re.compile(r"--[A-Za-z]")
_BEFORE = re.compile(
    r"(?: [%:-] | \.{1,2}/ | /(?=/) | \.(?=[^\w]|\Z) | \.(?![\w.%:-]*+/) )*+", re.VERBOSE
)
_BEFORE_FIRST = _BEHIND = "./:%-"
_LINE_NUMBER = re.compile(r"(?::\d++)++")
_WORD = re.compile(r"\w")
_JOINT = re.compile(r"::|\.")

_PLAIN = "(?:[A-Z]{2,}+s?|[A-Za-z][a-z]*+)"
"""A word as prose has it, or an abbreviation."""

_KIND = re.compile(
    rf"""(?! {_PLAIN} [/-] {_PLAIN} \Z)    # two words joined in prose
    (?: (?P<number> (?=(?:\.?\d){{3}}) \d++(?:\.\d++)*+ )
    | (?=.{{4}}) (?:
        (?P<path> (?=[\W\d_]*+[^\W\d_])
                  (?: .*?\w/.+ | \w++://.+ | .*\w\.(?i:{_EXTENSIONS}) ) )
      | (?P<id>   (?=\D*+\d)(?=[\W\d_]*+[^\W\d_]) .+ | \d(?:[./:-]?+\d){{5,}}+ )
      | (?P<name> (?=[\W\d_]*+[^\W\d_])
                  (?: .*?_.* | .*?[a-z][A-Z].* | .*?[A-Z]{{2}}[a-z]{{2}}.*
                    | \w++(?:(?:::|[.%-])\w++)++ ) )
    ) )""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """A token and the code points of the text that it takes: `text[start:end]`."""

    text: str
    start: int
    end: int


def find_tokens(text: str) -> Iterator[Token]:
    """Give the tokens of a text in order; no two overlap.

    Examples
    --------
    >>> [token.text for token in find_tokens("see `src/a.py:12`, --id=AB-12 and #1533 (again)")]
    ['src/a.py', 'AB-12', '1533']
    """
    read = 0
    for run in _RUN.finditer(text):
        start = run.start()
        token = run[0].rstrip(_BEHIND)
        if start < read:
            continue
        if token[:1] in _BEFORE_FIRST:
            if _FLAG.match(token):
                continue
            before = _BEFORE.match(token).end()  # type: ignore[union-attr]
            token, start = token[before:], start + before
        kind = _kind(token)
        if kind is None:
            continue
        end = start + len(token)
        if kind == "path" and (line := _LINE_NUMBER.match(text, end)):
            read = line.end()
        yield Token(token, start, end)


def token_kind(token: str) -> str:
    """Tell what a token is, one of `ctxlab.surface.facts.TOKEN_KINDS`.

    A "number" has three digits or more, dots between them allowed. All else has four characters or
    more and is, by the first that holds, a "path" (a slash within, a file extension at its end or a
    URL), an "id" (a letter and a digit; or six digits, joined as a date is) or a "name" (with `_`
    or an inner capital, or words joined by `::`, `.` or `-`). Two plain words or abbreviations
    joined by `-` or `/` are none: they are prose as often (`read-only`, `JSON-based`, `and/or`).

    Raises
    ------
    InputError
        `token` is no token by itself.
    """
    kind = _kind(token)
    if kind is None or [found.text for found in find_tokens(token)] != [token]:
        raise InputError(f"`token` must be a path, id, number or name in code, got {token!r}")
    return kind


@lru_cache(maxsize=1 << 16)
def _kind(kept: str) -> str | None:
    """Tell what is left of a run, None for what is no token."""
    if len(kept) > MAX_TOKEN_CHARS:
        return None
    found = _KIND.fullmatch(kept)
    return found.lastgroup if found else None


def parts_of(token: str) -> Iterator[str]:
    """Give what a token says beside itself: tokens that a path or URL is made of.

    These are its segments, as ids in the path of a request, and of an absolute path what a relative
    one would say of the same file.

    Examples
    --------
    >>> [*parts_of("/src/pump.py")], [*parts_of("repos/pumps/pulls/1533/files")]
    (['src/pump.py', 'pump.py'], ['1533'])
    """
    segments = token.split("/")
    if len(segments) == 1:
        return
    if not segments[0]:
        yield from ("/".join(segments[n:]) for n in range(1, len(segments) - 1))
    for segment in segments:
        part = segment.strip(_BEFORE_FIRST)
        if _kind(part):
            yield part


def known_by(token: str) -> str:
    """Give the part of a token that tells who knows it that he may know all of it.

    Of a path or URL it is the last part that has a word, of a name in code its last member if that
    is a token by itself.

    Examples
    --------
    >>> [known_by(token) for token in ("src/pump.py", "Pump.startSlowly", "pump.start", "AB-12")]
    ['pump.py', 'startSlowly', 'pump.start', 'AB-12']
    """
    parts = reversed(token.split("/"))
    last = next((part for part in parts if _WORD.search(part)), token)
    member = _JOINT.split(last)[-1]
    return member if _kind(last) == "name" and _kind(member) else last


def texts_of(value: Json) -> list[str]:
    """Give all texts of a JSON value, and its numbers as they are printed, at any depth."""
    texts: list[str] = []
    rest: list[Json] = [value]
    while rest:
        found = rest.pop()
        if isinstance(found, str):
            texts.append(found)
        elif isinstance(found, dict):
            rest.extend(found.values())
        elif isinstance(found, list):
            rest.extend(found)
        elif isinstance(found, int | float) and not isinstance(found, bool):
            texts.append(dumps(found))
    return texts


def keys_of(value: Json) -> frozenset[str]:
    """Give the keys of all objects in a JSON value, at any depth."""
    keys: set[str] = set()
    rest: list[Json] = [value]
    while rest:
        found = rest.pop()
        if isinstance(found, dict):
            keys |= found.keys()
            rest.extend(found.values())
        elif isinstance(found, list):
            rest.extend(found)
    return frozenset(keys)


def tokens_of(value: Json) -> frozenset[str]:
    """Give the tokens in all texts and numbers of a JSON value, at any depth; keys are exempt."""
    return frozenset(token.text for token in find_tokens("\n".join(texts_of(value))))
