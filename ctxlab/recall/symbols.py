"""Source text → the definitions that can be seen in it, by tree-sitter grammars.

Whole files and stretches of lines from the middle of one: what stands in the text counts, so a
method whose class is outside has its bare name. No text raises: what cannot be parsed has no
definitions. Nothing here reads a file.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from ctxlab.recall._symbol_queries import GRAMMAR_OF_EXTENSION, GRAMMARS

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

__all__ = ["MAX_SOURCE_BYTES", "Definition", "definitions", "is_source"]

MAX_SOURCE_BYTES = 2_000_000
"""Longer texts have no definitions: they are generated, and a parse would take long."""

_CPLUSPLUS = re.compile(rb"^\s*(class|namespace|template|using)\b|\b(public|private)\s*:", re.M)
_QUOTES = re.compile(r"^[A-Za-z]{0,2}(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$")
_MARKERS = re.compile(r"^(/\*+!?|//+!?|#+|\*+(?!/))|\*+/$")
_WORD = re.compile(r"[^\W_]")
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")


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
    """Give the definitions in a text, in the order of their places.

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
    >>> definitions("a.py", 'class A:\\n    def b(self):\\n        "Give b."\\n')
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
    return tuple(_read(grammar, source, first_line))


def _extension(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


@cache
def _tools(grammar: str) -> tuple[Parser, Query]:
    """Parser and query of a grammar: made once, they cost more than most texts."""
    from tree_sitter import Language, Parser, Query

    module, function, query, _ = GRAMMARS[grammar]
    language = Language(getattr(importlib.import_module(module), function)())
    return Parser(language), Query(language, query)


class _Mark(NamedTuple):
    """One capture: ordered by place, the outer before the inner."""

    start: int
    minus_end: int
    rank: int
    row: int
    last_row: int
    name: str = ""
    name_row: int = 0
    is_function: bool = False
    docstring: str = ""


_WRAP, _BODY, _SCOPE, _ALIAS, _DEF, _COMMENT, _SKIP = range(7)
_RANKS = {
    "wrap": _WRAP,
    "body": _BODY,
    "scope": _SCOPE,
    "alias": _ALIAS,
    "def": _DEF,
    "comment": _COMMENT,
    "skip": _SKIP,
}
_MAX_QUALIFIERS = 8


def _marks(grammar: str, source: bytes) -> list[_Mark]:
    """Everything the grammar's query sees in a text, in order."""
    from tree_sitter import QueryCursor

    parser, query = _tools(grammar)
    root = parser.parse(source).root_node
    docstrings: dict[int, str] = {}
    marks: list[_Mark] = []
    for _, captures in QueryCursor(query).matches(root):
        kind, (node, *_) = next(
            (k, n) for k, n in captures.items() if k in _RANKS or k == "documented"
        )
        if kind == "documented":
            docstrings[node.start_byte] = _text(source, captures["docstring"][0])
            continue
        name, name_row = "", 0
        if "name" in captures:
            name_node = captures["name"][0]
            name, name_row = _plain(_text(source, name_node)), name_node.start_point[0]
        if "owner" in captures:
            name = f"{_plain(_text(source, captures['owner'][0]))}.{name}"
        last_row, column = node.end_point
        marks.append(
            _Mark(
                node.start_byte,
                -node.end_byte,
                _RANKS[kind],
                node.start_point[0],
                last_row - (column == 0),
                name,
                name_row,
                node.type.startswith("function_d"),
            )
        )
    marks = [
        m._replace(docstring=docstrings.get(m.start, "")) if m.rank == _DEF else m for m in marks
    ]
    return sorted(set(marks))


def _text(source: bytes, node: Node) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _plain(name: str) -> str:
    """A name without type arguments, pointers and white space, its parts joined by dots."""
    bare = name.strip("*& \t\n")
    while (shorter := _TYPE_ARGUMENTS.sub("", bare)) != bare:
        bare = shorter
    return "".join(bare.split()).replace("::", ".")


def _read(grammar: str, source: bytes, first_line: int) -> Iterator[Definition]:
    marks = _marks(grammar, source)
    above = {m.last_row: m for m in marks if m.rank >= _COMMENT and _starts_line(source, m)}
    scopes: list[_Mark] = []
    wraps: list[_Mark] = []
    for mark in marks:
        while scopes and -scopes[-1].minus_end <= mark.start:
            scopes.pop()
        if mark.rank == _WRAP:
            wraps = [w for w in wraps if -w.minus_end > mark.start]
            wraps.append(mark)
        elif mark.rank in (_BODY, _SCOPE):
            scopes.append(mark)
        elif mark.rank in (_DEF, _ALIAS):
            around = [w for w in wraps if w.minus_end <= mark.minus_end]
            in_body = bool(scopes) and scopes[-1].rank == _BODY
            if not (in_body and mark.is_function and not any(w.is_function for w in around)):
                qualifiers = [m.name for m in scopes if m.name][-_MAX_QUALIFIERS:]
                docs = (_doc_above(source, above, m) for m in (mark, *reversed(around)))
                doc = _first_line(mark.docstring) or next(filter(None, docs), "")
                row = mark.name_row if mark.rank == _DEF else mark.row
                yield Definition(".".join([*qualifiers, mark.name]), first_line + row, doc)
            if mark.rank == _DEF:
                wraps = []
                scopes.append(mark)


def _starts_line(source: bytes, mark: _Mark) -> bool:
    return not source[source.rfind(b"\n", 0, mark.start) + 1 : mark.start].strip()


def _doc_above(source: bytes, above: dict[int, _Mark], mark: _Mark) -> str:
    """The first line of the block of comments that ends in the row above."""
    block: list[str] = []
    above_it = above.get(mark.row - 1) if _starts_line(source, mark) else None
    while above_it:
        if above_it.rank == _COMMENT:
            block.append(source[above_it.start : -above_it.minus_end].decode("utf-8", "replace"))
        above_it = above.get(above_it.row - 1)
    return _first_line("\n".join(reversed(block)))


def _first_line(block: str) -> str:
    for line in block.splitlines():
        bare = _QUOTES.sub("", _MARKERS.sub("", line.strip())).strip()
        if _WORD.search(bare):
            return bare
    return ""
