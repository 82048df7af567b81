"""Source text → the definitions that can be seen in it, by tree-sitter grammars.

Whole files and stretches of lines from the middle of one: what stands in the text counts, so a
method whose class is outside has its bare name. No text raises: what cannot be parsed has no
definitions. Nothing here reads a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from posixpath import splitext
from typing import NamedTuple

from ctxlab.recall._symbol_fragments import NO_NAMES, rows_that_define, texts_around
from ctxlab.recall._symbol_marks import ALIAS, BODY, DEF, SCOPE, SKIP, WRAP, Mark, read
from ctxlab.recall._symbol_queries import GRAMMAR_OF_EXTENSION

__all__ = ["MAX_SOURCE_BYTES", "Definition", "definitions", "is_source", "is_too_long"]

MAX_SOURCE_BYTES = 500_000
"""Longer texts have no definitions: they are generated, and a parse would take long."""

_CPLUSPLUS = re.compile(
    rb"^\s*(class|namespace|template|using)\b|\b(public|private|protected)\s*:|\w::\w"
    rb"|\b(constexpr|override|nullptr|virtual|operator|noexcept|explicit|typename)\b",
    re.MULTILINE,
)
_QUOTES = re.compile(r"^[A-Za-z]{0,2}(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")
_MARKERS = re.compile(r"^(/\*+!?|//+!?|#+|\*+(?!/))|\*+/$")
_WORD = re.compile(r"[^\W_]")
_MAX_INDENT = 500
_MAX_COMMENT = 20_000
_MAX_QUALIFIERS = 8
_MAX_WRAPS = 8

_Seen = tuple[str, int, str]  # name, row, doc


@dataclass(frozen=True, slots=True)
class Definition:
    """One function, method, type or the like that a text defines.

    `name` is qualified by the definitions it stands in (`Class.method`, with a dot in every
    language). `line` is where the name stands. `doc` is the first line of the docstring or of the
    comment directly above, "" without.
    """

    name: str
    line: int
    doc: str


def is_source(path: str) -> bool:
    """Tell whether a path is, by its ending, in a language whose definitions are known."""
    return _extension(path) in GRAMMAR_OF_EXTENSION


def is_too_long(text: str) -> bool:
    """Tell whether a text is longer than `MAX_SOURCE_BYTES`, so that it has no definitions."""
    if len(text) > MAX_SOURCE_BYTES or text.isascii():
        return len(text) > MAX_SOURCE_BYTES
    return len(text.encode("utf-8", "replace")) > MAX_SOURCE_BYTES


def definitions(path: str, text: str, first_line: int = 1) -> tuple[Definition, ...]:
    r"""Give the definitions in a text, in the order of their places.

    Functions, methods, classes, structs, unions, enums, interfaces, traits, type aliases and
    constants bound to functions; in Go the receiver's type qualifies a method, in Rust the type of
    the `impl`. Equal names in one text (overloads, a declaration and its body) are all given.

    Parameters
    ----------
    path
        Names the language by its ending; others than those of `is_source` have no definitions.
    text
        A file or a stretch of its lines; longer than `MAX_SOURCE_BYTES`, it has no definitions.
    first_line
        The number of the text's first line.

    Examples
    --------
    >>> definitions("a.py", 'class A:\n    def b(self):\n        "Give b."\n')
    (Definition(name='A', line=1, doc=''), Definition(name='A.b', line=2, doc='Give b.'))
    """
    grammar = GRAMMAR_OF_EXTENSION.get(_extension(path))
    if grammar is None or is_too_long(text):
        return ()
    clean = text.replace("\r\n", "\n").replace("\r", " ").replace("\0", " ")
    source = clean.encode("utf-8", "replace")
    if grammar == "c" and path.endswith(".h") and _CPLUSPLUS.search(source):
        grammar = "cpp"
    return tuple(
        Definition(name, first_line + row, doc) for name, row, doc in _seen(grammar, source)
    )


def _extension(path: str) -> str:
    return splitext(path)[1].lower()


def _seen(grammar: str, source: bytes) -> list[_Seen]:
    """The definitions of the text that can be read best, of those that it may be a part of."""
    fewest, found = inf, list[_Seen]()
    if next(rows_that_define(source), None) is None:
        return found
    for text in texts_around(grammar, source):
        marks, n_unread = read(grammar, text)
        other = list(_walk(marks, text, b"#" if grammar == "python" else b"//"))
        # Python's own repair of indentation leaves errors in any case: names tell more there.
        if len(other) > len(found) if grammar == "python" else 2 * n_unread < fewest:
            fewest, found = n_unread, other
        rows = {row for _, row, _ in found}
        if not n_unread or rows.issuperset(rows_that_define(source)):
            break
    return found


class _Scope(NamedTuple):
    """What stands open, and the names that qualify what is in it."""

    end: int
    is_body: bool
    names: tuple[str, ...]


def _walk(marks: list[Mark], source: bytes, sign: bytes) -> Iterator[_Seen]:
    """Qualify each definition by those around it, and find its comment."""
    skipped = {mark.end: mark.start for mark in marks if mark.kind == SKIP}
    scopes = [_Scope(len(source) + 1, False, ())]
    wraps: list[Mark] = []
    for mark in marks:
        while scopes[-1].end <= mark.start:
            scopes.pop()
        while wraps and wraps[-1].end <= mark.start:
            wraps.pop()
        names = scopes[-1].names
        if mark.kind == WRAP:
            wraps.append(mark)
        elif mark.kind == BODY:
            scopes.append(_Scope(mark.end, True, names))
        elif mark.kind in (SCOPE, DEF, ALIAS) and mark.name not in NO_NAMES:
            inner = (*names[-_MAX_QUALIFIERS:], mark.name)
            around = [wrap for wrap in wraps[-_MAX_WRAPS:] if wrap.end >= mark.end]
            if mark.kind != SCOPE and not _is_variable(mark, around, scopes[-1]):
                docs = (
                    _doc_above(source, m.start, sign, skipped) for m in (mark, *reversed(around))
                )
                doc = _first_line(mark.docstring) or next(filter(None, docs), "")
                row = mark.name_row if mark.kind == DEF else mark.row
                yield ".".join(inner), row, doc
            if mark.kind != ALIAS:
                wraps.clear()
                scopes.append(_Scope(mark.end, False, inner))


def _is_variable(mark: Mark, around: list[Mark], scope: _Scope) -> bool:
    """Whether it only looks like a prototype: among statements, `T x(y);` declares a variable."""
    return scope.is_body and mark.is_function and not any(wrap.is_function for wrap in around)


def _doc_above(source: bytes, start: int, sign: bytes, skipped: dict[int, int]) -> str:
    """The first line of the block of comments that ends in the row above a place."""
    block: list[bytes] = []
    while (row_start := _row_start(source, start)) > 0:
        above = source.rfind(b"\n", 0, row_start - 1) + 1
        line = source[above : row_start - 1].rstrip()
        end, bare = above + len(line), line.lstrip()
        if bare.startswith(sign):
            start = end - len(bare)
        elif line.endswith(b"*/"):
            start = _comment_start(source, end)
        else:
            start = skipped.get(end, -1)
        if start < 0:
            break
        if end not in skipped:
            block.append(source[start:end])
    return _first_line(b"\n".join(reversed(block)).decode("utf-8", "replace"))


def _comment_start(source: bytes, end: int) -> int:
    """Where the comment begins that ends here, -1 if not at the beginning of a row."""
    start, earliest = end, max(0, end - _MAX_COMMENT)
    while (start := source.rfind(b"/*", earliest, start)) >= 0 > _row_start(source, start):
        pass
    return start if source.find(b"*/", start + 2, end) == end - 2 else -1


def _row_start(source: bytes, start: int) -> int:
    """Where the row begins in which only white space is before a place, -1 if other things are."""
    earliest = max(0, start - _MAX_INDENT)
    row_start = source.rfind(b"\n", earliest, start) + 1
    is_first = (row_start > 0 or earliest == 0) and not source[row_start:start].strip()
    return row_start if is_first else -1


def _first_line(block: str) -> str:
    for line in block.splitlines():
        bare = _QUOTES.sub("", _MARKERS.sub("", line.strip())).strip()
        if _WORD.search(bare):
            return bare
    return ""
