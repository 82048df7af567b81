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
from ctxlab.recall._symbol_marks import ALIAS, BODY, COMMENT, DEF, SCOPE, WRAP, Mark, read
from ctxlab.recall._symbol_queries import GRAMMAR_OF_EXTENSION

__all__ = ["MAX_SOURCE_BYTES", "Definition", "definitions", "is_source"]

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
    if grammar is None or len(text) > MAX_SOURCE_BYTES:
        return ()
    clean = text.replace("\r\n", "\n").replace("\r", " ").replace("\0", " ")
    source = clean.encode("utf-8", "replace")
    if len(source) > MAX_SOURCE_BYTES:
        return ()
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
        other = list(_walk(marks, text))
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


def _walk(marks: list[Mark], source: bytes) -> Iterator[_Seen]:
    """Qualify each definition by those around it, and find its comment."""
    above = {m.last_row: m for m in marks if m.kind >= COMMENT}
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
                docs = (_doc_above(source, above, m) for m in (mark, *reversed(around)))
                doc = _first_line(mark.docstring) or next(filter(None, docs), "")
                row = mark.name_row if mark.kind == DEF else mark.row
                yield ".".join(inner), row, doc
            if mark.kind != ALIAS:
                wraps.clear()
                scopes.append(_Scope(mark.end, False, inner))


def _is_variable(mark: Mark, around: list[Mark], scope: _Scope) -> bool:
    """Whether it only looks like a prototype: among statements, `T x(y);` declares a variable."""
    return scope.is_body and mark.is_function and not any(wrap.is_function for wrap in around)


def _starts_line(source: bytes, mark: Mark) -> bool:
    """Whether only white space is before it; far to the right something else will be."""
    earliest = max(0, mark.start - _MAX_INDENT)
    line_start = source.rfind(b"\n", earliest, mark.start) + 1
    return (line_start > 0 or earliest == 0) and not source[line_start : mark.start].strip()


def _doc_above(source: bytes, above: dict[int, Mark], mark: Mark) -> str:
    """The first line of the block of comments that ends in the row above."""
    block: list[str] = []
    above_it = above.get(mark.row - 1) if _starts_line(source, mark) else None
    while above_it and _starts_line(source, above_it):
        if above_it.kind == COMMENT:
            block.append(source[above_it.start : above_it.end].decode("utf-8", "replace"))
        above_it = above.get(above_it.row - 1)
    return _first_line("\n".join(reversed(block)))


def _first_line(block: str) -> str:
    for line in block.splitlines():
        bare = _QUOTES.sub("", _MARKERS.sub("", line.strip())).strip()
        if _WORD.search(bare):
            return bare
    return ""
