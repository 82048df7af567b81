"""Which share of printed pointers is used, against how many of the used ones are printed."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ctxlab.plots._canvas import (
    BLUE,
    GREY,
    dress,
    legend_below,
    numbers,
    percent_ticks,
    plot,
    ribbon,
    say,
)
from ctxlab.plots._flags import flags
from ctxlab.plots._marks import marked, once, ring
from ctxlab.recall.params import Recall

__all__ = ["precision_recall"]

_NOTHING = "No floor printed a pointer, so there is nothing to draw."


@plot("floor", "precision", "recall", "low", "high", size=(6.4, 4.6), empty=_NOTHING)
def precision_recall(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw precision against recall of pointers, one point a floor, with the interval.

    Parameters
    ----------
    frame : DataFrame
        One row a floor (BM25); shares are 0-1; `low` and `high` bound the precision and may be
        NaN, floors without precision or recall are left out. `shipped`, `recommended` and
        `selected` (bool) may mark rows; without `shipped` it is the default of `Recall`.
        `base_rate`, as a column or in `frame.attrs`, is the precision of pointers drawn blindly;
        `average_precision`, likewise, the area under the curve of all floors.
    ax : Axes, optional
        Where to draw.
    """
    known = np.isfinite(numbers(frame, "precision")) & np.isfinite(numbers(frame, "recall"))
    rows = frame[known].sort_values("floor", kind="stable")
    if rows.empty:
        say(ax, _NOTHING)
        return
    once(rows, "floor")
    recall, precision = numbers(rows, "recall"), numbers(rows, "precision")
    low, high = numbers(rows, "low"), numbers(rows, "high")
    banded = ribbon(ax, recall, low, high, BLUE)
    ax.plot(recall, precision, color=BLUE, marker="o", markersize=4, linewidth=1.5, label="_line")
    entries: list[Artist] = [
        Line2D([], [], color=BLUE, marker="o", markersize=4, linewidth=1.5, label="one floor each")
    ]
    if banded:
        entries.append(Patch(color=BLUE, alpha=0.2, linewidth=0, label="interval"))
    base, average = _of_all(frame, "base_rate"), _of_all(frame, "average_precision")
    if np.isfinite(base):
        ax.axhline(base, color=GREY, linestyle=(0, (4, 3)), linewidth=1.4, label="_base")
        line = Line2D(
            [], [], color=GREY, linestyle=(0, (4, 3)), label=f"base rate ({100 * base:.3g} %)"
        )
        entries.append(line)
    top = np.nanmax(np.concatenate([precision, high, [base, 0.01]]))
    ax.set_ylim(-0.02 * top, 1.08 * top)
    ax.set_xlim(0, 1.03 * max(0.01, float(recall.max())))
    for axis in (ax.xaxis, ax.yaxis):
        percent_ticks(axis)
    settings = marked(rows, floor=Recall().min_hit_score)
    ring(ax, settings, "recall", "precision")
    lift = flags([ax], settings, "recall", lambda row: f"floor {row['floor']:g}")
    floors = [f"{floor:g}" for floor in numbers(rows, "floor")]
    ends = f"{floors[0]} at the right to {floors[-1]} at the left"
    dress(
        ax,
        "Precision and recall of pointers at each floor",
        "Measured. Used: before the next prompt the agent opened, edited or quoted what a pointer "
        f"names. Floors (min_hit_score, BM25): {ends if len(floors) > 1 else floors[0]}."
        + (f" Average precision {100 * average:.3g} %." if np.isfinite(average) else "")
        + ("" if banded else " No interval was given."),
        "Recall (% of used pointers that are printed)",
        "Precision\n(% of printed pointers that are used)",
        lift=lift,
    )
    ax.grid(color="#DDDDDD", linewidth=0.6)
    legend_below(ax, entries, len(entries))


def _of_all(frame: pd.DataFrame, name: str) -> float:
    """Give a number of the whole frame, from a column or its attributes; NaN without."""
    if name in frame:
        values = numbers(frame, name)
        return float(values[np.isfinite(values)][0]) if np.isfinite(values).any() else float("nan")
    return float(frame.attrs.get(name, "nan"))
