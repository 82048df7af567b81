"""A prompt to the terms that are looked up: its identifiers, or its content words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from ctxlab.errors import InputError
from ctxlab.recall._characters import SPACE, whole, words
from ctxlab.recall.params import Recall
from ctxlab.recall.tokens import stem

__all__ = [
    "CODE_WORDS",
    "STOPWORDS",
    "content_words",
    "identifier_terms",
    "is_code_shaped",
    "or_query",
    "split_pieces",
]

_STOPWORDS = """
a about after again all also am an and any anything are as at back be because been before being
below between both but by can cannot could did do does doing done down during each either else
even ever every few for from further had has have having he her here hers him his how i if in into
is it its itself just know let like may maybe me might more most much must my need no nor not now
of off ok okay on once one only or other our out over own please same she should so some something
such sure tell than thanks that the their them then there these they think this those through to
too under until up us very want was we were what when where which while who whom why will with
would yes you your yours
"""
STOPWORDS = frozenset(_STOPWORDS.split())
"""Words that say nothing about what a prompt is about."""

CODE_WORDS = frozenset({"code", "codebase", "file", "files", "line", "lines"})
"""Words that say nothing in a prompt about code: no identifiers, but topics by coverage."""

_PIECE = re.compile(rf"[^{SPACE},;()\[\]?!]+")
_MARKS = re.compile(r"[_/#]|::")


def identifier_terms(prompt: str, max_terms: int = 24) -> tuple[str, ...]:
    """Give the identifiers that a prompt names, in order, each once.

    Returns
    -------
    At most `max_terms` terms: pieces of the prompt that look like code once quotes, trailing
    punctuation and a possessive are cut off. Lone surrogates become U+FFFD.

    Raises
    ------
    InputError
        If the prompt is no text.
    ParameterError
        If `max_terms` is outside the bounds of `max_query_terms`.

    Examples
    --------
    >>> identifier_terms("Why does `serve` call parse_args? See src/cli.py.")
    ('serve', 'parse_args', 'src/cli.py')
    """
    found = (term for raw, term in _pieces(prompt) if is_code_shaped(raw, term))
    return _first(found, max_terms)


def split_pieces(prompt: str) -> list[tuple[str, str]]:
    """Give what the identifier gate judges: each piece of a prompt, raw and as the term it gives.

    Pieces stand between white space or any of `, ; ( ) [ ] ? !`. Empty ones and stopwords are
    left out; the others are in order, repeats included.
    """
    return list(_pieces(prompt))


def is_code_shaped(raw: str, term: str) -> bool:
    """Tell whether a piece of a prompt looks like code: a name, a path or a quoted word.

    Known to pass: `GitHub`, `and/or`, `I/O`, `3.14`, `#42`, web addresses. Known to be missed:
    `HTTPServer`, `foo()`, `foo-bar`, `--flag`.
    """
    return (
        raw.startswith("`")
        or _MARKS.search(term) is not None
        or ("." in term and len(term.encode("utf-8", "surrogatepass")) > 3)
        # Most words are lower case throughout, which is known without a look at each pair.
        or (not term.islower() and any(a.islower() and b.isupper() for a, b in pairwise(term)))
    )


def or_query(prompt: str, max_terms: int = 24) -> str | None:
    """Give the prompt's words as a query that any of them answers, None where none is left.

    Stopwords, code words and repeats are left out. Errors as of `identifier_terms`.

    Examples
    --------
    >>> or_query("Where is the budget of a digest cut?")
    'budget OR digest OR cut'
    """
    found = (w for w in words(_checked(prompt)) if w not in STOPWORDS and w not in CODE_WORDS)
    return " OR ".join(_first(found, max_terms)) or None


def content_words(prompt: str, max_terms: int = 24) -> tuple[str, ...]:
    """Give the topic terms of a prompt: its words without stopwords, one of each stem.

    A prompt of stopwords alone gives none; code words count. Errors as of `identifier_terms`.

    Examples
    --------
    >>> content_words("Which files does the digest list, and which digests?")
    ('files', 'digest', 'list')
    """
    topics = (word for word in words(_checked(prompt)) if word not in STOPWORDS)
    return _first(topics, max_terms, by_stem=True)


def all_words(prompt: str, max_terms: int = 24) -> tuple[str, ...]:
    """Give the words of a prompt, stopwords too, one of each stem."""
    return _first(words(_checked(prompt)), max_terms, by_stem=True)


def _pieces(prompt: str) -> Iterator[tuple[str, str]]:
    for found in _PIECE.finditer(_checked(prompt)):
        raw = found.group()
        term = raw.lstrip("`\"'").rstrip("`\"'.,:")
        if term.endswith(("'s", "’s")):
            term = term[:-2]
        # Only ASCII letters are lowered, and every stopword is ASCII.
        if term and not (term.isascii() and term.lower() in _DROPPED):
            yield raw, term


_DROPPED = STOPWORDS | CODE_WORDS


def _checked(prompt: str) -> str:
    if not isinstance(prompt, str):
        raise InputError(f"a prompt must be a string, got {type(prompt).__name__}")
    return whole(prompt)


def _first(found: Iterable[str], max_terms: int, by_stem: bool = False) -> tuple[str, ...]:
    """Give the first terms that are no repeats, and read no further."""
    Recall.params()["max_query_terms"].check(max_terms)
    seen: dict[str, str] = {}
    for term in found:
        seen.setdefault(stem(term) if by_stem else term, term)
        if len(seen) == max_terms:
            break
    return tuple(seen.values())
