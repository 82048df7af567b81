"""Which rows of a frame stand for a setting in use, and rings around their points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ctxlab.errors import ParameterError
from ctxlab.plots._canvas import is_value, numbers
from ctxlab.plots._settings import MARKS

__all__ = ["Marked", "marked", "once", "ring"]

Marked: TypeAlias = Mapping[str, pd.DataFrame]
"""Rows of the frame by mark."""

_SIZES = {"shipped": 11, "recommended": 14, "selected": 17}
"""Points across a ring: one within the other where marks stand together."""


def once(frame: pd.DataFrame, *names: str) -> None:
    """Refuse a frame that has several rows for one place in the figure."""
    repeated = frame[frame.duplicated(list(names))]
    if len(repeated):
        place = " and ".join(f"{repeated[name].iloc[0]:g}" for name in names)
        raise ParameterError(
            f"`frame` must have one row for each {' and '.join(names)}, got several for {place}; "
            "keep the rows of one sweep in which nothing else varies"
        )


def marked(frame: pd.DataFrame, **shipped: float) -> Marked:
    """Rows with each mark as the frame says; the shipped one else has the given values."""
    rows = {
        name: frame[[is_value(cell) and bool(cell) for cell in frame[name]]]
        for name in MARKS
        if name in frame
    }
    if "shipped" not in rows:
        close = [np.isclose(numbers(frame, name), value) for name, value in shipped.items()]
        rows["shipped"] = frame[np.all(close, axis=0)]
    return rows


def ring(ax: Axes, rows: Marked, x: str, y: str) -> None:
    """Draw a ring around the point of each marked row."""
    for name, group in rows.items():
        ax.plot(
            numbers(group, x),
            numbers(group, y),
            linestyle="",
            marker="o",
            markersize=_SIZES[name],
            markerfacecolor="none",
            markeredgecolor=MARKS[name][0],
            markeredgewidth=1.8,
            zorder=6,
            label=f"_{name}",
        )
