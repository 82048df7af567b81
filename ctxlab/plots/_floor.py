"""How precise the pointers are at each floor, and how often it fires where it should be silent."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ctxlab.plots._canvas import (
    BLUE,
    LINES,
    below,
    dress,
    dress_axes,
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

__all__ = ["floor_curve"]

_NOTHING = "No floors were swept, so there is nothing to draw. Run a sweep first."
_FIRES = {
    "fire_share": "asked as recorded",
    "false_fire_unrelated": "asked of another project",
    "false_fire_joined": "two topics nobody joined",
    "false_fire_absent": "subject not in the graph",
}
_EVERY = 4


@plot(
    "min_hit_score",
    "fire_share",
    "precision",
    "false_fire_unrelated",
    "false_fire_joined",
    "false_fire_absent",
    "low",
    "high",
    size=(6.4, 5.6),
    empty=_NOTHING,
)
def floor_curve(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw precision against `min_hit_score`, and below the share of questions that fire.

    A floor is worth something where recorded prompts still fire and controls, to which silence
    is the right answer, no longer do.

    Parameters
    ----------
    frame : DataFrame
        One row a floor (BM25); shares are 0-1. `low` and `high` bound the precision. Shares may
        be NaN: a kind of control without any is left out. `shipped`, `recommended` and `selected`
        (bool) may mark rows; without `shipped` it is the default of `Recall`.
    ax : Axes, optional
        Where to draw.
    """
    rows = frame[np.isfinite(numbers(frame, "min_hit_score"))].sort_values("min_hit_score")
    if rows.empty:
        say(ax, _NOTHING)
        return
    once(rows, "min_hit_score")
    floors, precision = numbers(rows, "min_hit_score"), numbers(rows, "precision")
    high = numbers(rows, "high")
    strip = below(ax, 0.5)
    banded = ribbon(ax, floors, numbers(rows, "low"), high, BLUE)
    few = len(floors) <= 12
    ax.plot(floors, precision, color=BLUE, marker="o" if few else "", lw=1.6, label="_line")
    lines = []
    for i, ((column, words), style) in enumerate(zip(_FIRES.items(), LINES, strict=True)):
        share = numbers(rows, column)
        if not np.isfinite(share).any():
            continue
        colour, dash, marker = style
        line = Line2D(floors, share, color=colour, ls=dash, marker=marker, markersize=4.5, lw=1.6)
        line.set(label=words, markevery=1 if few else (i, _EVERY), gid=column)
        lines.append(strip.add_line(line))
    strip.autoscale_view()
    most = np.concatenate([precision, high])
    top = max(0.01, np.max(most, where=np.isfinite(most), initial=0.0))
    ax.set_ylim(-0.02 * top, 1.08 * top)
    strip.set_ylim(-0.02, 1.04)
    for axes in (ax, strip):
        percent_ticks(axes.yaxis)
    if len(floors) == 1:
        strip.set_xticks(floors)
    settings = marked(rows, min_hit_score=Recall().min_hit_score)
    ring(ax, settings, "min_hit_score", "precision")
    lift = flags([ax, strip], settings, "min_hit_score", lambda r: f"{r['min_hit_score']:g}")
    dress(
        ax,
        "What each floor lets through",
        "Measured in a replay. Precision: pointers that the agent opened, edited or quoted before "
        "the next prompt; below: recorded prompts, and controls to which silence is the right "
        f"answer. {'Shaded: interval.' if banded else 'No interval was given.'}"
        + ("" if len(lines) == len(_FIRES) else " Questions without any are left out."),
        "",
        "Precision (% of\nprinted pointers)",
        lift=lift,
    )
    dress_axes(
        strip,
        "Least score of a phrase that fires (min_hit_score, BM25)",
        "Questions that\nfire (%)",
    )
    legend_below(strip, lines, 2, "Questions:")
