"""Where the bytes of each tool's answers go under a setting."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import EngFormatter, MaxNLocator

from ctxlab.errors import ParameterError
from ctxlab.plots._beside import HEADS, columns_beside
from ctxlab.plots._canvas import (
    BLUE,
    GREY,
    ORANGE,
    dress,
    label,
    legend_below,
    numbers,
    plot,
    roominess,
    say,
)
from ctxlab.plots._surface_knobs import setting_words
from ctxlab.plots._ticks import percent, short
from ctxlab.plots.labels import shortened
from ctxlab.surface.params import NUMERIC
from ctxlab.words import counted

__all__ = ["surface_tools"]

_NOTHING = "No tool answered in JSON, so there is nothing to draw."
_SUMMED = (
    "recorded_bytes",
    "output_bytes",
    "saved_bytes",
    "compact_bytes",
    "json_answers",
    "harmed_answers",
)
_PARTS = {
    "output_bytes": ("what stays", "#B9CFDF", ""),
    "saved_bytes": ("what the setting removes", BLUE, ""),
    "compact_bytes": ("what compact printing saves", ORANGE, "////"),
}
_ROWS, _FEWEST_ROWS, _TOOL, _WRAP = 12, 6, 22, 68


@plot("tool", *_SUMMED, size=(6.4, 5.2), empty=_NOTHING)
def surface_tools(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw recorded bytes of each tool as a bar of what stays, is removed, and is saved by print.

    What a setting adds to answers stands left of zero. Names of tools stand in transcripts and may
    hold anything: they are shown as text, escaped and cut.

    Parameters
    ----------
    frame : DataFrame
        One row a `tool`: `recorded_bytes`, of which `output_bytes` stay, `saved_bytes` go by the
        setting and `compact_bytes` by printing compactly (the latter two may be negative);
        `json_answers`, of which `harmed_answers`. Parameters of the setting may stand beside.
    ax : Axes, optional
        Where to draw.

    Raises
    ------
    ParameterError
        If a tool stands in several rows.
    """
    # Not by pandas: its strings hold no lone surrogates.
    twice = [tool for tool, n in Counter(frame["tool"]).items() if n > 1]
    if twice:
        name = shortened(repr(twice[0]), _TOOL, keep_end=False)
        raise ParameterError(
            f"`frame` must have one row for each tool, got several for {name}; "
            "keep the rows of one setting"
        )
    names, sums, n_tools = _largest(frame)
    if not names:
        say(ax, _NOTHING)
        return
    shown = "" if n_tools <= _ROWS else f" The {_ROWS} largest of {n_tools:,} tools are named."
    dress(
        ax,
        "Where the bytes of each tool go",
        f"Measured in a replay of recorded answers. {_setting(frame)}Harmed: the agent later used "
        "something that this answer alone had shown and that would be gone. Saved: by the setting."
        + (" Left of zero: bytes that are added." if (sums[:, 2:4] < 0).any() else "")
        + shown,
        "Bytes of JSON answers as recorded (bytes)",
        "",
        width=_WRAP,
        lift=HEADS,
    )
    _bars(ax, names, sums)
    ax.grid(visible=False, axis="y")
    ax.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    ax.tick_params(axis="y", length=0, labelsize=8)
    ax.axvline(0, color=GREY, linewidth=0.8)
    ax.xaxis.set_major_locator(MaxNLocator(max(2, int(6 * roominess(ax)) - 1)))
    ax.xaxis.set_major_formatter(EngFormatter(unit="B"))
    handles = [
        Patch(facecolor=colour, edgecolor="white", hatch=hatch, linewidth=0.6, label=words)
        for words, colour, hatch in _PARTS.values()
    ]
    legend_below(ax, handles, 2)


def _largest(frame: pd.DataFrame) -> tuple[list[str], np.ndarray, int]:
    """Labels and sums of the largest tools, the others in one row; and how many tools there are."""
    sums = np.stack([np.nan_to_num(numbers(frame, name)) for name in _SUMMED], axis=1)
    order = np.argsort(-sums[:, 0], kind="stable")
    order = order[sums[order, 4] > 0]
    tools = [str(frame["tool"].iloc[i]) for i in order]
    rest = order[_ROWS:]
    if len(rest):
        return (
            [*tools[:_ROWS], counted(len(rest), "other tool")],
            np.vstack([sums[order[:_ROWS]], sums[rest].sum(0)]),
            len(order),
        )
    return tools, sums[order], len(order)


def _setting(frame: pd.DataFrame) -> str:
    if not set(NUMERIC) <= set(frame.columns):
        return ""
    settings = {setting_words(row) for _, row in frame.drop(columns="tool").iterrows()}
    return (
        f"Setting: {settings.pop()}. " if len(settings) == 1 else "Each tool has its own setting. "
    )


def _bars(ax: Axes, names: list[str], sums: np.ndarray) -> None:
    room = roominess(ax)
    at = np.arange(len(names))
    left, right = np.zeros(len(names)), np.zeros(len(names))
    for (name, (_, colour, hatch)), size in zip(_PARTS.items(), sums[:, 1:4].T, strict=True):
        ax.barh(
            at,
            size,
            0.72,
            np.where(size < 0, left, right),
            facecolor=colour,
            edgecolor="white",
            hatch=hatch,
            linewidth=0.6,
            label=f"_{name}",
        )
        right += np.maximum(size, 0)
        left += np.minimum(size, 0)
    shown = [label(name, int(_TOOL * room), keep_end=name.startswith("mcp__")) for name in names]
    ax.set_yticks(at, [name if name.strip() else "(blank)" for name in shown])
    ax.set_ylim(max(len(names), _FEWEST_ROWS) - 0.4, -0.6)
    span = max(right.max() - left.min(), 1.0)
    ax.set_xlim(left.min() - (0.02 * span if left.min() < 0 else 0), right.max() + 0.03 * span)
    _, output, saved, _, answers, harmed = sums.T
    columns_beside(
        ax,
        {
            "saved": [
                percent(part / whole) if whole else ""
                for part, whole in zip(saved, output + saved, strict=True)
            ],
            "answers": [short(n) for n in answers],
            "harmed": [percent(share) for share in harmed / answers],
        },
    )
