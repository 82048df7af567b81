"""Words that the identifier gate let through or missed, most frequent first."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from ctxlab.errors import ParameterError
from ctxlab.plots._canvas import (
    BLUE,
    INK,
    below,
    dress,
    dress_axes,
    label,
    legend_below,
    numbers,
    plot,
    roominess,
    say,
)
from ctxlab.plots.labels import shortened
from ctxlab.words import counted

__all__ = ["gate_leaks"]

_NOTHING = "The gate let nothing through and missed nothing, so there is nothing to draw."
_KINDS = ("let through", "missed")
_ROWS, _FEWEST_ROWS = 10, 3
_TERM, _CLASS, _WRAP = 28, 24, 66
_PALE = "#CFE0EC"


@plot("term", "kind", "class", "prompts", "matched", size=(6.4, 6.0), empty=_NOTHING)
def gate_leaks(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw the most frequent words the gate let through and, below, those it missed, as bars.

    Words stand in prompts and may hold anything: they are shown as text, escaped and cut.

    Parameters
    ----------
    frame : DataFrame
        One row a word and kind: `term`; `kind`, "let through" or "missed"; `class`, in words, why;
        `prompts` that hold it; `matched`: in how many of them it matches a phrase in the graph.
    ax : Axes, optional
        Where to draw.

    Raises
    ------
    ParameterError
        If `kind` holds anything else.
    """
    unknown = [kind for kind in frame["kind"] if kind not in _KINDS]
    if unknown:
        got = shortened(repr(unknown[0]), _TERM, keep_end=False)
        raise ParameterError(f"`kind` must be one of {', '.join(_KINDS)}; got {got}")
    prompts = numbers(frame, "prompts")
    # Not by pandas: its strings hold no lone surrogates.
    order = np.argsort(-prompts, kind="stable")
    counted = frame.iloc[order[prompts[order] > 0]]
    parts = [(kind, counted[counted["kind"] == kind]) for kind in _KINDS]
    parts = [(kind, rows) for kind, rows in parts if len(rows)]
    if not parts:
        say(ax, _NOTHING)
        return
    heights = [max(_FEWEST_ROWS, min(len(rows), _ROWS)) for _, rows in parts]
    panels = [ax]
    if len(parts) == 2:
        panels.append(below(ax, float(np.clip(heights[1] / sum(heights), 0.25, 0.75))))
    last = panels[-1]
    dress(
        ax,
        "What the gate lets through and misses",
        "Measured on recorded prompts. Most frequent first. Let through: looked up, though no node "
        "of the graph bears that name; missed: not looked up, though one does. On the right: its "
        "kind. " + " ".join(_shown(kind, len(rows)) for kind, rows in parts),
        "",
        "",
        width=_WRAP,
    )
    for panel, (kind, rows), height in zip(panels, parts, heights, strict=True):
        _bars(panel, rows[:_ROWS], height)
        dress_axes(panel, "Prompts that hold the word (number)" if panel is last else "", "")
        panel.set_ylabel(kind.capitalize(), color=INK, fontsize=9, fontweight="bold")
        panel.grid(visible=False, axis="y")
        panel.tick_params(axis="y", length=0, labelsize=8)
    ax.set_xlim(0, (1 + 0.13 / roominess(ax)) * np.nanmax(prompts))
    last.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 5, 10]))
    legend_below(
        last,
        [
            Patch(facecolor=BLUE, edgecolor=BLUE, label="matches a phrase in the graph"),
            Patch(facecolor=_PALE, edgecolor=BLUE, label="matches none"),
        ],
        2,
    )


def _shown(kind: str, n: int) -> str:
    words = f"{counted(n, 'word')} {kind}"
    return f"{words}, {_ROWS} shown." if n > _ROWS else f"{words}."


def _bars(panel: Axes, rows: pd.DataFrame, height: int) -> None:
    room = roominess(panel)
    at = np.arange(len(rows))
    prompts = numbers(rows, "prompts")
    matched = np.clip(np.nan_to_num(numbers(rows, "matched")), 0, prompts)
    panel.barh(at, prompts, 0.72, facecolor=_PALE, edgecolor=BLUE, linewidth=0.8, label="_all")
    panel.barh(at, matched, 0.72, facecolor=BLUE, edgecolor=BLUE, linewidth=0.8, label="_matched")
    terms = [label(str(term), int(_TERM * room), keep_end=False) for term in rows["term"]]
    panel.set_yticks(at, [term if term.strip() else "(blank)" for term in terms])
    panel.set_ylim(height - 0.4, -0.6)
    for i, (n, why) in enumerate(zip(prompts, rows["class"], strict=True)):
        panel.annotate(
            f"{n:,.0f}",
            (n, i),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color=INK,
        )
        panel.annotate(
            label(str(why), int(_CLASS * room), keep_end=False),
            (1, i),
            xytext=(4, 0),
            xycoords=panel.get_yaxis_transform(),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color=INK,
            annotation_clip=False,
        )
