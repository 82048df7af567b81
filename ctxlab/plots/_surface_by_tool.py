"""What a limit saves and loses for each of the largest tools, one below the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ctxlab.plots._canvas import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    VERMILLION,
    dress,
    dress_axes,
    label,
    legend_below,
    numbers,
    percent_ticks,
    plot,
    roominess,
    say,
    stacked,
)
from ctxlab.plots._surface_knobs import (
    NOTHING,
    Style,
    dress_knob,
    knob_entry,
    knob_flags,
    knob_line,
    placed,
    shipped_and_others,
)
from ctxlab.surface.params import NUMERIC
from ctxlab.words import counted

__all__ = ["surface_by_tool"]

_SAVINGS = {
    "saved_share": ("saved", (BLUE, "-", "o")),
    "priced_share": ("carried along", (GREEN, "--", "^")),
}
_LOSSES = {
    "lossy_share": ("lossy", (ORANGE, "--", "D")),
    "harmed_share": ("harmed", (VERMILLION, "-", "s")),  # a part of those, so drawn over them
}
_TOOLS, _TOOL, _WRAP, _ROOM = 4, 52, 80, 0.34


@plot(
    "tool",
    *NUMERIC,
    "json_answers",
    "canonical_bytes",
    "saved_share",
    "priced_share",
    "harmed_share",
    "lossy_share",
    size=(6.4, 8.6),
    empty=NOTHING,
)
def surface_by_tool(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw savings and losses of the largest tools along the numeric knob that varies.

    Savings of all tools have one scale, losses their own. Names of tools stand in transcripts and
    may hold anything: they are shown as text, escaped and cut.

    Parameters
    ----------
    frame : DataFrame
        One row a `tool` and value of one of `max_items`, `truncate_content` and `max_output_bytes`;
        0 is off and stands last. `saved_share` (0-1, or below 0) is of `canonical_bytes`,
        `priced_share` of what carrying these along costs. Of `json_answers`, `harmed_share` lose a
        witness and `lossy_share` a quote. `shipped`, `recommended` and `selected` (bool) may mark
        rows; without `shipped` it is where no numeric knob is on.
    ax : Axes, optional
        Where to draw.

    Raises
    ------
    ParameterError
        If several numeric knobs vary, or several rows have one tool and value.
    """
    tools = _by_size(frame)
    several = {tool: placed(tools[tool]) for tool in list(tools)[:_TOOLS]}
    shown = {tool: (knob, rows) for tool, (knob, rows) in several.items() if len(rows)}
    if not shown:
        say(ax, NOTHING)
        return
    panels = stacked(ax, (1.0, 0.6) * len(shown))
    for (tool, (knob, rows)), upper, lower in zip(
        shown.items(), panels[::2], panels[1::2], strict=True
    ):
        _lines(upper, knob, rows, _SAVINGS)
        percent_ticks(upper.yaxis, signed=True)
        _losses(lower, knob, rows)
        _name(upper, tool, rows)
    _one_scale(panels[::2])
    knob, rows = max(shown.values(), key=lambda one: len(one[1]))
    settings = shipped_and_others(rows)
    dress_knob(panels, knob, rows, settings, "Lost (%)")
    lift = knob_flags(panels, knob, settings)
    dress(
        ax,
        "What a limit saves and loses, tool by tool",
        "Measured in a replay; the largest tools first"
        + (f", {len(shown)} of {len(tools):,}" if len(tools) > len(shown) else "")
        + ". Saved: % of the bytes of its answers printed compactly; carried along: % of what "
        "carrying all of these costs (modelled). Lost: % of its answers; harmed ones lack what the "
        "agent later used and knew from them alone, lossy ones what it quoted.",
        "",
        "Saved (%)",
        width=_WRAP,
        lift=lift,
    )
    for at, panel in enumerate(panels[1:-1], 1):
        dress_axes(panel, "", "Lost (%)" if at % 2 else "Saved (%)")
    legend_below(panels[-1], _entries(), 4)


def _by_size(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Rows of each tool that answered, the one with the most bytes first."""
    # Not by pandas: its strings hold no lone surrogates.
    names = np.array([str(tool) for tool in frame["tool"]], dtype=object)
    size = np.nan_to_num(numbers(frame, "canonical_bytes"))
    answered = np.nan_to_num(numbers(frame, "json_answers")) > 0
    of = {tool: (names == tool) & answered for tool in dict.fromkeys(names)}
    largest = sorted((t for t in of if of[t].any()), key=lambda t: -size[of[t]].max())
    return {tool: frame[of[tool]] for tool in largest}


def _losses(panel: Axes, knob: str, rows: pd.DataFrame) -> None:
    _lines(panel, knob, rows, _LOSSES)
    most = max(0.01, panel.get_ylim()[1])
    panel.set_ylim(-0.12 * most, 1.06 * most)
    percent_ticks(panel.yaxis)


def _lines(
    panel: Axes, knob: str, rows: pd.DataFrame, columns: dict[str, tuple[str, Style]]
) -> None:
    """Draw columns over the knob, in few ticks."""
    for name, (_, style) in columns.items():
        knob_line(panel, knob, rows, name, style, name)
    panel.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    panel.yaxis.set_major_locator(MaxNLocator(3, steps=[1, 5, 10]))


def _one_scale(panels: Sequence[Axes]) -> None:
    """Give all panels the same limits, with room over what is drawn for the name of the tool."""
    limits = [panel.get_ylim() for panel in panels]
    low, high = min(low for low, _ in limits), max(high for _, high in limits)
    for panel in panels:
        panel.set_ylim(low - 0.05 * (high - low), high + _ROOM * (high - low))


def _name(panel: Axes, tool: str, rows: pd.DataFrame) -> None:
    """Write the tool into its panel."""
    answers = counted(numbers(rows, "json_answers")[0], "answer")
    shown = label(tool, int(_TOOL * roominess(panel)), keep_end=tool.startswith("mcp__"))
    panel.text(
        0.01,
        0.96,
        f"{shown if shown.strip() else '(blank)'}, {answers}",
        transform=panel.transAxes,
        ha="left",
        va="top",
        fontsize=8.5,
        fontweight="bold",
        color=INK,
        bbox={"boxstyle": "square,pad=0.15", "facecolor": "white", "linewidth": 0},
    )


def _entries() -> Sequence[Artist]:
    return [knob_entry(*one) for one in (*_SAVINGS.values(), *_LOSSES.values())]
