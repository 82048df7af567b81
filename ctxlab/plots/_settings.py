"""What the figures over the settings of a sweep share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from ctxlab.dedup.params import Dedup
from ctxlab.errors import ParameterError
from ctxlab.plots._canvas import INK, ORANGE, PURPLE, same_setting, setting

__all__ = ["COLUMNS", "MARKS", "NOTHING", "TICKS", "X", "in_order", "marks", "once"]

Dash: TypeAlias = Literal["-", "--", ":"]

COLUMNS = (
    "min_covered_lines",
    "view_calls",
    "net_share",
    "low",
    "high",
    "harmful_pointers",
    "pointers",
)
MARKS: Mapping[str, tuple[str, Dash]] = {
    "shipped": (INK, "-"),
    "recommended": (ORANGE, "--"),
    "selected": (PURPLE, ":"),
}
"""Columns that may mark settings, with their colour and line."""
TICKS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
X = "Shortest repeated run that is replaced by a pointer (min_covered_lines, lines)"
NOTHING = "No settings were swept, so there is nothing to draw. Run a sweep first."


def once(frame: pd.DataFrame) -> None:
    """Refuse a frame that has several rows for one place in the figure."""
    cells = zip(frame["min_covered_lines"], map(setting, frame["view_calls"]), strict=True)
    seen: set[tuple[object, object]] = set()
    for cell in cells:
        if cell in seen:
            raise ParameterError(
                f"`frame` must have one row for each min_covered_lines and view_calls, got several "
                f"for {cell[0]} and {cell[1]}; keep the rows of one record_scope, "
                "reset_on_compaction and proof"
            )
        seen.add(cell)


def marks(frame: pd.DataFrame) -> dict[str, npt.NDArray[np.bool_]]:
    """Rows with each mark as the frame says; the shipped setting else has the policy's defaults."""
    marked = {
        name: frame[name].to_numpy(bool) if name in frame else np.zeros(len(frame), bool)
        for name in MARKS
    }
    if "shipped" not in frame:
        default = Dedup()
        rows = same_setting(frame, "min_covered_lines", default.min_covered_lines)
        rows &= same_setting(frame, "view_calls", default.view_calls)
        marked["shipped"] = rows.to_numpy(bool)
    return marked


def in_order(cells: Iterable[object]) -> list[int | None]:
    """Horizons from the shortest to the unlimited one, each once."""
    return sorted({setting(cell) for cell in cells}, key=lambda v: (v is None, v or 0))
