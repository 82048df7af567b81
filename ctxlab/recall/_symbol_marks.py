"""Source text → the places its grammar's query captures, in order; the one user of tree-sitter."""

from __future__ import annotations

import importlib
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ctxlab.recall._symbol_queries import GRAMMARS

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

__all__ = ["ALIAS", "BODY", "DEF", "SCOPE", "SKIP", "WRAP", "Mark", "Reading", "read"]

WRAP, BODY, SCOPE, ALIAS, DEF, SKIP = range(6)
_KINDS = {
    "wrap": WRAP,
    "body": BODY,
    "scope": SCOPE,
    "alias": ALIAS,
    "def": DEF,
    "skip": SKIP,
}
_MAX_RUN = 5_000
_MAX_DEPTH = 50_000
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_DOTS = re.compile(r"\s*::\s*")


class Mark(NamedTuple):
    """One capture: ordered by place, the outer before the inner. Rows count from 0."""

    start: int
    minus_end: int
    kind: int
    row: int
    name: str = ""
    name_row: int = 0
    is_function: bool = False
    docstring: str = ""

    @property
    def end(self) -> int:
        """Where it ends, in bytes."""
        return -self.minus_end


class Reading(NamedTuple):
    """What was seen in a text, and how many bytes of it did not parse (0: all of it did)."""

    marks: list[Mark]
    n_unread: int


def read(grammar: str, source: bytes) -> Reading:
    """Give the marks of a text, ordered by place."""
    from tree_sitter import QueryCursor

    parser, query = _tools(grammar)
    root = parser.parse(source).root_node
    if _is_rubble(root):
        return Reading([], len(source))
    marks: list[Mark] = []
    docstrings: dict[int, str] = {}
    unread: list[tuple[int, int]] = []
    for _, captures in QueryCursor(query).matches(root):
        if documented := captures.get("documented"):
            docstrings[documented[0].start_byte] = _text(source, captures["docstring"][0])
        elif errors := captures.get("error"):
            unread.append(errors[0].byte_range)
        else:
            marks.append(_mark(source, captures))
    documented_marks = (
        mark._replace(docstring=docstrings[mark.start])
        if mark.kind == DEF and mark.start in docstrings
        else mark
        for mark in marks
    )
    return Reading(sorted(set(documented_marks)), max(_n_covered(unread), root.has_error))


@cache
def _tools(grammar: str) -> tuple[Parser, Query]:
    """Parser and query of a grammar, made once: they cost more than most texts."""
    from tree_sitter import Language, Parser, Query

    module, function, query, _ = GRAMMARS[grammar]
    language = Language(getattr(importlib.import_module(module), function)())
    return Parser(language), Query(language, query + "(ERROR) @error")


def _is_rubble(root: Node) -> bool:
    """Whether the query would hang: it counts depth in 16 bits, and is quadratic in bare tokens."""
    if root.descendant_count <= (_MAX_RUN if root.has_error else _MAX_DEPTH):
        return False
    cursor = root.walk()
    depth = run = 0
    while True:
        node = cursor.node
        run = 0 if node is None or node.is_named else run + 1
        if run > _MAX_RUN or depth > _MAX_DEPTH:
            return True
        if cursor.goto_first_child():
            depth, run = depth + 1, 0
            continue
        while not cursor.goto_next_sibling():
            depth, run = depth - 1, 0
            if not cursor.goto_parent():
                return False


def _n_covered(ranges: list[tuple[int, int]]) -> int:
    n = last = 0
    for start, end in sorted(ranges):
        n += max(end - max(start, last), 0)
        last = max(end, last)
    return n


def _mark(source: bytes, captures: dict[str, list[Node]]) -> Mark:
    kind, node = next((_KINDS[key], nodes[0]) for key, nodes in captures.items() if key in _KINDS)
    name, name_row = "", 0
    if names := captures.get("name"):
        name, name_row = _plain(_text(source, names[0])), names[0].start_point[0]
    if owners := captures.get("owner"):
        name = f"{_plain(_text(source, owners[0]))}.{name}"
    return Mark(
        start=node.start_byte,
        minus_end=-node.end_byte,
        kind=kind,
        row=node.start_point[0],
        name=name,
        name_row=name_row,
        is_function=node.type in ("function_declarator", "function_definition"),
    )


def _text(source: bytes, node: Node) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _plain(name: str) -> str:
    """Leave type arguments, pointers and white space out of a name; join its parts by dots."""
    while (shorter := _TYPE_ARGUMENTS.sub("", name)) != name:
        name = shorter
    words = _DOTS.sub(".", name.strip("*& \t\n")).split() or [""]
    return words[-1] if "operator" not in name else "".join(words)
