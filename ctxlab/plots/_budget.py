"""What a budget of bytes costs, and how many used pointers it keeps, one line a number of hits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter

from ctxlab.plots._canvas import (
    LINES,
    below,
    dress,
    dress_axes,
    legend_below,
    numbers,
    percent_ticks,
    plot,
    roominess,
    say,
)
from ctxlab.plots._flags import flags
from ctxlab.plots._marks import Marked, marked, once, ring
from ctxlab.plots._ticks import apart
from ctxlab.recall.params import Recall

__all__ = ["budget_curve"]

_NOTHING = "No budgets were swept, so there is nothing to draw. Run a sweep first."
_LABEL_SHARE = 0.085
"""Share of a full-size axis that the label of a tick takes."""


@plot(
    "max_output_bytes",
    "max_hits",
    "bytes_per_prompt",
    "used_share",
    size=(6.4, 5.4),
    empty=_NOTHING,
)
def budget_curve(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw printed bytes a prompt against `max_output_bytes`, and below the used pointers kept.

    At most four lines are drawn: those of marked settings, the ends and others; the note says so.

    Parameters
    ----------
    frame : DataFrame
        One row a setting: `bytes_per_prompt` is the mean over all prompts that were asked,
        `used_share` (0-1) the share of used pointers that are printed. `shipped`, `recommended`
        and `selected` (bool) may mark rows; without `shipped` it is the default of `Recall`.
    ax : Axes, optional
        Where to draw.
    """
    placed = numbers(frame, "max_output_bytes") > 0
    rows = frame[placed & np.isfinite(numbers(frame, "max_hits"))]
    if rows.empty:
        say(ax, _NOTHING)
        return
    once(rows, "max_output_bytes", "max_hits")
    default = Recall()
    settings = marked(rows, max_output_bytes=default.max_output_bytes, max_hits=default.max_hits)
    hits = np.unique(numbers(rows, "max_hits"))
    shown = _few(hits.tolist(), settings)
    strip = below(ax, 0.45)
    for n, (colour, dash, marker) in zip(shown, LINES, strict=False):
        line = rows[rows["max_hits"] == n].sort_values("max_output_bytes")
        for panel, column in ((ax, "bytes_per_prompt"), (strip, "used_share")):
            panel.plot(
                numbers(line, "max_output_bytes"),
                numbers(line, column),
                color=colour,
                linestyle=dash,
                marker=marker,
                markersize=4.5,
                linewidth=1.6,
                label="_line",
            )
    _dress_scales(ax, strip, numbers(rows, "max_output_bytes"), settings)
    ring(ax, settings, "max_output_bytes", "bytes_per_prompt")
    ring(strip, settings, "max_output_bytes", "used_share")
    few = f" {len(shown)} of {len(hits)} numbers of lines shown." if len(shown) < len(hits) else ""
    lift = flags([ax, strip], settings, "max_output_bytes", _words)
    dress(
        ax,
        "What a byte budget costs and what it keeps",
        "Measured in a replay of the recorded prompts, silent ones included. Used: before the next "
        "prompt the agent opened, edited or quoted what a pointer names." + few,
        "",
        "Printed\n(bytes per prompt)",
        lift=lift,
    )
    dress_axes(strip, "Most bytes printed (max_output_bytes, bytes)", "Used pointers\nkept (%)")
    lines = [
        Line2D([], [], color=c, ls=dash, marker=marker, markersize=4.5, label=_lines(n))
        for n, (c, dash, marker) in zip(shown, LINES, strict=False)
    ]
    legend_below(strip, lines, len(lines), "Most lines printed (max_hits):")


def _few(hits: list[float], settings: Marked) -> list[float]:
    """At most as many as there are line styles: marked ones, the ends, then others."""
    first = [float(n) for rows in settings.values() for n in rows["max_hits"]]
    middle = hits[len(hits) // 2]
    kept = list(dict.fromkeys([*first, hits[-1], hits[0], middle, *hits]))[: len(LINES)]
    return [n for n in hits if n in kept]


def _lines(n: float) -> str:
    return f"{n:g} line" if n == 1 else f"{n:g} lines"


def _words(row: pd.Series[float]) -> str:
    return f"{row['max_output_bytes']:,g} B, {_lines(row['max_hits'])}"


def _dress_scales(
    ax: Axes, strip: Axes, budgets: npt.NDArray[np.float64], settings: Marked
) -> None:
    ax.set_xscale("log")
    ticks = np.unique(budgets)
    first = [float(x) for rows in settings.values() for x in rows["max_output_bytes"]]
    gap = np.log(ticks[-1] / ticks[0]) * _LABEL_SHARE / roominess(ax)
    named = apart([*first, ticks[0], ticks[-1], *ticks], gap, np.log)
    strip.xaxis.set_major_locator(FixedLocator(named))
    strip.xaxis.set_minor_locator(FixedLocator([x for x in ticks if x not in named]))
    strip.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,g}"))
    strip.xaxis.set_minor_formatter(FuncFormatter(lambda x, _: ""))
    top = max(1.0, ax.get_ylim()[1])
    ax.set_ylim(-0.02 * top, 1.05 * top)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,g}"))
    strip.set_ylim(-0.02, 1.04)
    percent_ticks(strip.yaxis)
