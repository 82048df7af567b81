"""A node to the line that points at it, and what one question found."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ctxlab.recall._characters import SPACE, whole
from ctxlab.recall.graph import Node

__all__ = ["Found", "PointerLine", "one_line", "pointer_line"]

_LINE_NUMBERS = range(-(2**63), 2**64)
_ASCII_CONTROL = re.compile("[\x00-\x1f\x7f]")
_SPACE_AT_END = re.compile(rf"[{SPACE}]+\Z")


@dataclass(frozen=True, slots=True)
class PointerLine:
    """One line that points at a node: two spaces, the text, no newline."""

    node: Node
    text: str

    @property
    def n_bytes(self) -> int:
        """Its UTF-8 length with the newline it is printed with."""
        return len(self.text.encode()) + 1


@dataclass(frozen=True, slots=True)
class Found:
    """What a question found in a graph, before any floor, number of lines or budget.

    `best_score` is the best score of a single phrase in any field (None: nothing matched),
    `second_score` the best of any node other than the one that holds it, `ceiling` is
    ln((N + 1) / 1.5) in the field of the best: what a word in one of N documents weighs.
    `n_hits` counts the nodes found; `lines` are the first `MAX_HITS` of them, ranked.
    `field_scores` are the best scores of a single phrase by field, of fields that hold one.
    """

    terms: tuple[str, ...]
    best_score: float | None
    second_score: float | None
    ceiling: float | None
    n_hits: int
    lines: tuple[PointerLine, ...]
    field_scores: tuple[tuple[str, float], ...] = ()


def pointer_line(node: Node, max_excerpt_bytes: int) -> PointerLine:
    """Write the line that points at a node: `  path[:line][ symbol][ — doc]`.

    Every ASCII control character becomes one space and every lone surrogate U+FFFD. Names and
    documentation are otherwise as they stand in the repository: whoever shows the line anywhere
    but in a model's context must escape what else a terminal or a page would obey, such as C1
    controls, direction overrides and HTML.
    """
    path = _text(node, "path")
    place = whole(node.key) if path is None else path
    if node.label == "File":
        role = _first_line(_text(node, "role"))
        return PointerLine(node, one_line(f"  {place} — {role}" if role else f"  {place}"))
    line = _line_number(node)
    symbol = _first_line(_text(node, "name", "title"))
    doc = _first_line(_text(node, "doc", "summary", "text"))
    text = f"  {place}" if line is None else f"  {place}:{line}"
    if symbol and symbol != place:
        text += f" {symbol}"
    if doc and doc != symbol:
        text += f" — {_excerpt(doc, max_excerpt_bytes)}"
    return PointerLine(node, one_line(text))


def one_line(text: str) -> str:
    """Replace every ASCII control character by one space."""
    return _ASCII_CONTROL.sub(" ", text)


def _text(node: Node, *names: str) -> str | None:
    """Give the first of these properties that is there, even if it is empty."""
    for name in names:
        value = node.props.get(name)
        if isinstance(value, str):
            return whole(value)
    return None


def _line_number(node: Node) -> int | None:
    value = node.props.get("line", node.props.get("line_start"))
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and value in _LINE_NUMBERS else None


def _first_line(text: str | None) -> str:
    line, newline, _ = (text or "").partition("\n")
    return line.removesuffix("\r") if newline else line


def _excerpt(text: str, max_bytes: int) -> str:
    encoded = text.encode()
    if len(encoded) <= max_bytes:
        return text
    # Only the character that the cut goes through is incomplete: it alone is ignored.
    return _SPACE_AT_END.sub("", encoded[:max_bytes].decode("utf-8", "ignore")) + "…"
