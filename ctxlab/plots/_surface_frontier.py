"""What every setting saves and harms, and which of them no other one beats."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ctxlab.plots._canvas import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    VERMILLION,
    dress,
    is_value,
    legend_below,
    numbers,
    percent_ticks,
    plot,
    roominess,
    say,
)
from ctxlab.plots._flags import flags
from ctxlab.plots._marks import Marked, ring
from ctxlab.plots._named import name_points
from ctxlab.plots._surface_knobs import NOTHING, is_set, setting_words, shipped_and_others
from ctxlab.plots._ticks import apart, percent
from ctxlab.surface.params import NUMERIC

__all__ = ["surface_frontier"]

_OTHERS = ("select", "filters", "sort", "dedupe_by", "count_only")
_ACTING = {
    "several": (ORANGE, "D"),
    "rows only": (BLUE, "o"),
    "texts only": (GREEN, "^"),
    "bytes only": (VERMILLION, "s"),
    "keys or filters only": (PURPLE, "v"),
    "nothing cut": (INK, "X"),
}
"""Colour and marker of a cell by what acts in it, the most frequent behind."""
_GROUPS = dict(zip(NUMERIC, ("rows only", "texts only", "bytes only"), strict=True))
_MANY, _MOST_NAMES, _MOST_GROWTH, _LEAST_RIGHT, _WHISKER_GAP = 400, 6, 0.5, 0.1, 0.04


@plot(
    *NUMERIC,
    "saved_share",
    "harmed_share",
    "harmed_high",
    "frontier",
    size=(6.4, 5.4),
    empty=NOTHING,
)
def surface_frontier(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw harmed against saved share, one point a setting, and the frontier through the best.

    Settings that make answers longer stand left of zero; those far to the left at the edge.

    Parameters
    ----------
    frame : DataFrame
        One row a setting: its numeric knobs, 0 where off; other parameters may stand beside.
        Shares are 0-1, a saving may be negative. `harmed_high` is the upper end of the interval of
        the harmed share and may be NaN; it is drawn on the frontier, where there is room.
        `frontier` (bool): no other setting saves as much and harms less. `shipped`, `recommended`
        and `selected` (bool) may mark rows; without `shipped` it is where no numeric knob is on.
    ax : Axes, optional
        Where to draw.
    """
    known = np.isfinite(numbers(frame, "saved_share")) & np.isfinite(numbers(frame, "harmed_share"))
    rows = frame[known].reset_index(drop=True)
    if rows.empty:
        say(ax, NOTHING)
        return
    saved, harmed = numbers(rows, "saved_share"), numbers(rows, "harmed_share")
    least = -max(_MOST_GROWTH * saved.max(), _LEAST_RIGHT)
    beyond = saved < least
    rows = rows.assign(saved_share=np.maximum(saved, least))
    best = rows[[is_value(cell) and bool(cell) for cell in rows["frontier"]]]
    best = best.sort_values(["saved_share", "harmed_share"])
    acting = np.array([_acting(row) for _, row in rows[_knobs(rows)].iterrows()])
    entries = _points(ax, rows, acting)
    entries += _frontier(ax, best)
    _scale(ax, numbers(rows, "saved_share"), np.r_[harmed, numbers(best, "harmed_high")])
    settings = shipped_and_others(rows)
    ring(ax, settings, "saved_share", "harmed_share")
    lift = flags([ax], settings, "saved_share", setting_words)
    _names(ax, rows, best, settings)
    dress(
        ax,
        "What each setting saves and harms",
        "Measured in a replay of recorded answers. Harmed: the agent later used something that "
        "this answer alone had shown and that would be gone; more may be harmed, unseen."
        + ("" if np.isfinite(numbers(best, "harmed_high")).any() else " No interval was given.")
        + (" Left of zero answers get longer." if (saved < 0).any() else "")
        + (_beyond(saved[beyond]) if beyond.any() else ""),
        "Saved (% of bytes of JSON answers, compactly printed)",
        "Harmed (% of answers)",
        lift=lift,
    )
    ax.grid(color="#DDDDDD", linewidth=0.6)
    legend_below(ax, entries, 4, "What acts:")


def _knobs(rows: pd.DataFrame) -> list[str]:
    return [name for name in (*NUMERIC, *_OTHERS) if name in rows]


def _beyond(saved: npt.NDArray[np.float64]) -> str:
    settings = "1 stands" if len(saved) == 1 else f"{len(saved):,} stand"
    return f" {settings} at the left edge, in truth down to {percent(saved.min())}."


def _acting(row: pd.Series[float]) -> str:
    on = {_GROUPS.get(str(name), "keys or filters only") for name, c in row.items() if is_set(c)}
    if len(on) > 1:
        return "several"
    return on.pop() if on else "nothing cut"


def _points(ax: Axes, rows: pd.DataFrame, acting: npt.NDArray[np.str_]) -> list[Artist]:
    """Draw all settings; entries of the legend."""
    many = len(rows) > _MANY
    entries: list[Artist] = []
    for name, (colour, marker) in _ACTING.items():
        these = rows[acting == name]
        if these.empty:
            continue
        ax.plot(
            numbers(these, "saved_share"),
            numbers(these, "harmed_share"),
            linestyle="",
            marker=marker,
            markersize=3 if many else 5,
            color=colour,
            alpha=0.35 if many and name == "several" else 0.75,
            markeredgewidth=0,
            rasterized=many,
            clip_on=False,
            label=f"_{name}",
        )
        entries.append(Line2D([], [], ls="", marker=marker, color=colour, ms=5, label=name))
    return entries


def _frontier(ax: Axes, best: pd.DataFrame) -> list[Artist]:
    """Draw the best settings with the upper ends of their intervals; entries of the legend."""
    if best.empty:
        return []
    x, y = numbers(best, "saved_share"), numbers(best, "harmed_share")
    # To save more than one of them does, the harm of the next must be taken.
    ax.plot(
        x,
        y,
        drawstyle="steps-pre",
        color=INK,
        linewidth=1.3,
        marker="",
        label="_frontier",
        zorder=3,
    )
    entries: list[Artist] = [Line2D([], [], color=INK, lw=1.3, label="best for its saving")]
    x, y, high = _whiskers(best).T
    if len(x):
        ax.vlines(x, y, high, color=INK, linewidth=0.7, alpha=0.7)
        ax.plot(x, high, ls="", marker="_", ms=5, color=INK, alpha=0.7, label="_ends")
        entries.append(
            Line2D([], [], ls="", marker="|", color=INK, ms=7, label="up to the 95 % end")
        )
    return entries


def _whiskers(best: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Place, lower and upper end of whiskers that stand apart; too many would hide all else."""
    ends = np.stack([numbers(best, n) for n in ("saved_share", "harmed_share", "harmed_high")], 1)
    ends = ends[np.isfinite(ends).all(axis=1)]
    x = ends[::-1, 0]
    return ends[np.isin(ends[:, 0], apart(x, _WHISKER_GAP * np.ptp(x)))] if len(x) else ends


def _scale(ax: Axes, saved: npt.NDArray[np.float64], harm: npt.NDArray[np.float64]) -> None:
    top = max(0.01, float(np.nanmax(harm)))
    ax.set_ylim(-0.13 * top, 1.06 * top)  # room for words below what harms nothing
    low, high = min(0.0, float(saved.min())), max(0.01, float(saved.max()))
    ax.set_xlim(low - 0.03 * (high - low), high + 0.06 * (high - low))
    if low < 0:
        ax.axvspan(ax.get_xlim()[0], 0, facecolor="#E9EDF0", zorder=0, label="_longer")
    for place in (ax.axvline, ax.axhline):
        place(0, color=GREY, linewidth=0.8, zorder=0)
    percent_ticks(ax.xaxis, signed=True)
    percent_ticks(ax.yaxis)
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= 1.06 * top])


def _names(ax: Axes, rows: pd.DataFrame, best: pd.DataFrame, settings: Marked) -> None:
    flagged = {i for group in settings.values() for i in group.index}
    named = best.drop(index=[i for i in best.index if i in flagged])
    place = ["saved_share", "harmed_share"]
    x, y = (numbers(best, name) for name in place)
    corners = np.stack([np.repeat(x, 2)[:-1], np.repeat(y, 2)[1:]], axis=1)
    steps = np.concatenate([corners[:-1], corners[1:]], axis=1)
    whiskers = _whiskers(best)[:, [0, 1, 0, 2]]
    low, high = ax.get_ylim()
    marks = [at for group in settings.values() for at in numbers(group, "saved_share")]
    poles = np.array([(at, low, at, high) for at in marks]).reshape(-1, 4)
    name_points(
        ax,
        named[place].to_numpy(float),
        [setting_words(row) for _, row in named.iterrows()],
        np.concatenate([steps, whiskers, poles]).reshape(-1, 2, 2),
        rows[place].to_numpy(float),
        max(2, int(_MOST_NAMES * roominess(ax))),
    )
