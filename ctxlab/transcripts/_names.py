"""A text that the model wrote → the paths and code-shaped names in it.

Nothing is looked up: what has the shape of a name counts as one, and is only ever asked whether a
given name is among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice

__all__ = ["MAX_NAMES", "MAX_NAME_CHARS", "names_in", "names_in_input"]

MAX_NAMES = 2000
MAX_NAME_CHARS = 200
_MAX_TOKEN_CHARS = MAX_NAME_CHARS + 2  # a name in backticks
_MAX_EXTENSION_CHARS = 10

# White space, ASCII punctuation that no path holds, dashes, arrows, boxes.
_BETWEEN = (
    r"\x00- \"#%&'()*,:;<=>?\[\]^{|}!\x7f-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf"
    r"\u2000-\u2bff\u3000-\u303f\ud800-\udfff\ufeff"
)
_PLAIN = r"[A-Za-z][a-z]*+[.,:;)]*+[ \n]++"
_CHAR = rf"[^{_BETWEEN}`]"
# Plain words are passed over here, as they are most of a text. The slash of a closing tag begins no
# path; a URL is one token to its end. Possessive throughout and never failing, so that no text
# takes longer than its length tells.
_TOKEN = re.compile(
    rf"(?:[{_BETWEEN}]++|{_PLAIN})*+"
    rf"((?!(?<=<)/)`?{_CHAR}++(?::(?::{_CHAR}++|//\S*+|\\{_CHAR}++))*+[`(]?|[`/]|\Z)"
)
_PIECE = re.compile(r"(?<!\w)[^\W\d]\w*(?:(?:::|\.)[^\W\d]\w*)*")
_SIGN = re.compile(r"[_\d]")
_ESCAPE = re.compile(r"\\[bBdDsSwWnrt]?")  # of a regular expression
_WINDOWS = re.compile(r"(?:[A-Za-z]:)?[\w.-]*(?:\\[\w-][\w.-]*)+")
_EXTENSIONS = frozenset({
    "bash", "bat", "bib", "c", "cc", "cfg", "cfm", "cjs", "clj", "cmake", "conf", "cpp", "cs",
    "css", "csv", "cts", "cu", "cxx", "dart", "diff", "env", "erl", "ex", "exs", "fs", "gif", "go",
    "gradle", "graphql", "groovy", "h", "hh", "hpp", "hs", "htm", "html", "ico", "ini", "ipynb",
    "java", "jpeg", "jpg", "js", "json", "json5", "jsonc", "jsonl", "jsx", "kt", "kts", "less",
    "lock", "log", "lua", "m", "mak", "md", "mdc", "mdx", "mjs", "mk", "ml", "mm", "mod", "mts",
    "nix", "out", "patch", "pdf", "php", "pl", "png", "prisma", "properties", "proto", "ps1", "py",
    "pyc", "pyi", "pyx", "r", "rb", "rs", "rst", "sass", "scala", "scss", "sh", "snap", "sol",
    "sql", "sum", "svelte", "svg", "swift", "tar", "tex", "tf", "toml", "ts", "tsv", "tsx", "ttf",
    "txt", "vb", "vue", "wasm", "webp", "woff", "xml", "yaml", "yml", "zig", "zip", "zsh",
})  # fmt: skip


def names_in(text: str) -> tuple[str, ...]:
    """Give the paths and code-shaped names in a text, once each, in order of appearance.

    A path holds a slash or ends in an extension; a line number behind it and punctuation are taken
    off, a URL is none. An identifier is code-shaped if it holds `_`, a digit or an inner capital,
    is called, stands in backticks or is joined to another by `.` or `::`; of joined ones the whole
    and the last count. Names beyond the first 2,000, and longer ones than 200 characters, are left
    out: a text that holds such is data.

    Examples
    --------
    >>> names_in("`run` of src/pump.py:12 calls Pump.start_all(), see https://pump.org/a.html")
    ('run', 'src/pump.py', 'Pump.start_all', 'start_all')
    """
    tokens = dict.fromkeys(_TOKEN.findall(text))
    short = (token for token in tokens if len(token) <= _MAX_TOKEN_CHARS)
    return tuple(islice(dict.fromkeys(chain.from_iterable(map(_names_of, short))), MAX_NAMES))


def names_in_input(value: object) -> tuple[str, ...]:
    """Give the names in all texts of a call's input, at any depth; keys are none."""
    texts = []
    todo = [value]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, dict):
            todo.extend(reversed(value.values()))
        elif isinstance(value, list):
            todo.extend(reversed(value))
    return names_in("\n".join(texts))


@lru_cache(1 << 16)
def _names_of(token: str) -> tuple[str, ...]:
    """Give the names in one token; most tokens come again."""
    if token.isascii() and token.isidentifier():
        fits = 1 < len(token) <= MAX_NAME_CHARS
        return (token,) if fits and _is_code_shaped(token) else ()
    word, is_called = token.strip("`("), token.endswith("(")
    if "://" in word or len(word) > MAX_NAME_CHARS:
        return ()
    if "\\" in word and not _is_windows_path(word):
        return _names_of_all(_ESCAPE.split(word.rstrip("\\")), is_called)
    word = word.lstrip(":+-").rstrip(":./\\+-~@$")
    if word.startswith("//"):
        word = word.lstrip("/:+-")
    head, joint, rest = word.partition("::")
    if joint and ("/" in word or _extension(head) in _EXTENSIONS):
        return _names_of_all([head, rest], is_called)
    if "/" in word or "\\" in word:
        return (word,) if _holds_letter(word) else ()
    extension = _extension(word)
    if extension in _EXTENSIONS and not is_called:
        return (word,)
    whole = (word,) if extension else ()
    is_quoted = token.startswith("`") and token.endswith("`") and _PIECE.fullmatch(word)
    return (*whole, *_identifiers(word, is_called or bool(is_quoted)))


def _names_of_all(parts: list[str], is_called: bool) -> tuple[str, ...]:
    """Judge the parts of a token; a call is one of the last."""
    *first, last = parts
    return tuple(name for part in (*first, last + "(" * is_called) for name in _names_of(part))


def _identifiers(word: str, is_named: bool) -> Iterator[str]:
    """Give the code-shaped identifiers in a word; the last one is, whatever its shape, if named."""
    pieces = _PIECE.findall(word)
    for n, piece in enumerate(pieces, 1):
        last = piece[max(piece.rfind("."), piece.rfind(":")) + 1 :]
        is_chosen = last != piece or _is_code_shaped(piece) or (is_named and n == len(pieces))
        yield from (name for name in (piece, last) if is_chosen and len(name) > 1)


def _is_code_shaped(name: str) -> bool:
    if _SIGN.search(name):
        return _holds_letter(name)
    return any(map(str.isupper, name[1:])) and not name.isupper()


def _holds_letter(name: str) -> bool:
    return any(map(str.isalpha, name))


def _extension(word: str) -> str:
    """What stands behind the last dot of a file's name, "" if that is no extension."""
    stem, _, extension = word.rpartition(".")
    fits = extension.isalnum() and len(extension) <= _MAX_EXTENSION_CHARS
    return extension if stem and fits and extension[:1].isalpha() else ""


def _is_windows_path(word: str) -> bool:
    drive = word[1:3] == ":\\"
    return bool(_WINDOWS.fullmatch(word)) and (drive or _extension(word) in _EXTENSIONS)
