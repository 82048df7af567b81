"""What the figures over the settings of a sweep share."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pandas as pd

from ctxlab.dedup.params import Dedup
from ctxlab.errors import ParameterError
from ctxlab.plots._canvas import same_setting, setting

__all__ = ["COLUMNS", "NOTHING", "TICKS", "X", "in_order", "once", "recommended", "shipped"]

COLUMNS = (
    "min_covered_lines",
    "view_calls",
    "net_share",
    "low",
    "high",
    "harmful_pointers",
    "pointers",
)
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


def shipped(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Rows of the shipped setting: as the frame says, else the policy's defaults."""
    if "shipped" in frame:
        return frame["shipped"].to_numpy(bool)
    default = Dedup()
    rows = same_setting(frame, "min_covered_lines", default.min_covered_lines)
    return (rows & same_setting(frame, "view_calls", default.view_calls)).to_numpy(bool)


def recommended(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
    if "recommended" in frame:
        return frame["recommended"].to_numpy(bool)
    return np.zeros(len(frame), bool)


def in_order(cells: Iterable[object]) -> list[int | None]:
    """Horizons from the shortest to the unlimited one, each once."""
    return sorted({setting(cell) for cell in cells}, key=lambda v: (v is None, v or 0))
