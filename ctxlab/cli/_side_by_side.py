"""Tables that a terminal of 80 columns can show, also where the output goes into a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.table import Table

__all__ = ["narrow", "side_by_side", "titled"]


def titled(title: str, caption: str) -> Table:
    """Begin a table with its words at the left."""
    return Table(title=title, title_justify="left", caption=caption, caption_justify="left")


def side_by_side(
    title: str,
    caption: str,
    settings: Sequence[tuple[str, Any]],
    measures: Mapping[str, Callable[[Any], str]],
) -> Table:
    """One column a setting, one row a measure of its row in a frame."""
    table = titled(title, caption)
    table.add_column("")
    for name, _ in settings:
        table.add_column(name, justify="right", no_wrap=True)
    for words, value in measures.items():
        table.add_row(words, *(value(row) for _, row in settings))
    return table


def narrow(value: float) -> str:
    """A share in whole percent; none, all and a loss are called so only where they are."""
    if value != value:
        return "–"
    percent = 100 * value
    if 0 < abs(percent) < 1:
        return "<1%" if percent > 0 else ">-1%"
    return ">99%" if 99 < percent < 100 else f"{percent:.0f}%"
