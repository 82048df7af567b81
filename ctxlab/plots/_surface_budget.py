"""What a limit saves, what it harms, and which hazards it has, along one numeric knob."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ctxlab.plots._canvas import (
    BLUE,
    GREY,
    INK,
    VERMILLION,
    dress,
    dress_axes,
    numbers,
    percent_ticks,
    plot,
    ribbon,
    roominess,
    say,
    stacked,
)
from ctxlab.plots._marks import ring
from ctxlab.plots._surface_knobs import (
    NOTHING,
    PLACE,
    Style,
    dress_knob,
    knob_flags,
    knob_line,
    placed,
    shipped_and_others,
)
from ctxlab.plots._ticks import apart, short
from ctxlab.surface.params import NUMERIC

__all__ = ["surface_budget"]

_HAZARDS = {
    "stubs": "only a stub",
    "grown": "longer",
    "over_budget": "over limit",
    "non_monotonic": "out of step",
}
_COUNT_SHARE = 0.075
_WRAP = 80


@plot(
    *NUMERIC,
    "saved_share",
    "low",
    "high",
    "harmed_share",
    "harmed_low",
    "harmed_high",
    "stubs",
    "grown",
    "over_budget",
    size=(6.4, 5.8),
    empty=NOTHING,
)
def surface_budget(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw saved and harmed share along the numeric knob that varies, and below them its hazards.

    Parameters
    ----------
    frame : DataFrame
        One row a value of one of `max_items`, `truncate_content` and `max_output_bytes`; 0 is off
        and stands last. Shares are 0-1; a saving may be negative. `low` and `high` bound the
        saved, `harmed_low` and `harmed_high` the harmed share; they may be NaN. `stubs` counts
        values; `grown`, `over_budget` and, where the frame has it, `non_monotonic` count answers.
        `shipped`, `recommended` and `selected` (bool) may mark rows; without `shipped` it is where
        no numeric knob is on.
    ax : Axes, optional
        Where to draw.

    Raises
    ------
    ParameterError
        If several numeric knobs vary, or several rows have one value.
    """
    knob, rows = placed(frame)
    if rows.empty:
        say(ax, NOTHING)
        return
    settings = shipped_and_others(rows)
    found = [name for name in _HAZARDS if name in rows and (numbers(rows, name) > 0).any()]
    panels = stacked(ax, (1.0, 0.65, *([0.1 + 0.15 * len(found)] if found else [])))
    banded = _share(ax, knob, rows, ("saved_share", "low", "high"), (BLUE, "-", "o"))
    banded |= _share(
        panels[1], knob, rows, ("harmed_share", "harmed_low", "harmed_high"), (VERMILLION, "-", "s")
    )
    panels[1].set_ylim(bottom=-0.08 * max(0.01, panels[1].get_ylim()[1]))
    for panel, column in zip(panels, ("saved_share", "harmed_share"), strict=False):
        ring(panel, settings, PLACE, column)
    dress_knob(panels, knob, rows, settings, "Harmed\n(% of answers)" if not found else "")
    lift = knob_flags(panels, knob, settings)
    dress(
        ax,
        "What a limit saves and what it harms",
        "Measured in a replay of recorded answers. Harmed: the agent later used something that "
        "this answer alone had shown and that would be gone; more may be harmed, unseen. "
        + ("Shaded: 95 % interval. " if banded else "No interval was given. ")
        + _hazards(rows, found),
        "",
        "Saved\n(% of bytes)",
        width=_WRAP,
        lift=lift,
    )
    if found:
        dress_axes(panels[1], "", "Harmed\n(% of answers)")
        _rug(panels[2], rows, found)


def _hazards(rows: pd.DataFrame, found: list[str]) -> str:
    if not found:
        *most, last = (words for name, words in _HAZARDS.items() if name in rows)
        return f"No answer is {', '.join(most)} or {last}."
    step = "Out of step: a smaller limit kept more. " if "non_monotonic" in found else ""
    return step + ("" if len(found) == len(_HAZARDS) else "Hazards without any are left out.")


def _share(
    panel: Axes,
    knob: str,
    rows: pd.DataFrame,
    columns: tuple[str, str, str],
    style: Style,
) -> bool:
    """Draw a share with its interval, what is off by itself; whether there was an interval."""
    x, low, high = numbers(rows, PLACE), *(numbers(rows, name) for name in columns[1:])
    off = numbers(rows, knob) == 0
    banded = [ribbon(panel, x[part], low[part], high[part], style[0]) for part in (~off, off)]
    knob_line(panel, knob, rows, columns[0], style, "line")
    panel.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    percent_ticks(panel.yaxis, signed=True)
    return any(banded)


def _rug(panel: Axes, rows: pd.DataFrame, names: list[str]) -> None:
    """Write how many there are of each hazard, or a mark where a number has no room."""
    x = numbers(rows, PLACE)
    for at, name in enumerate(names):
        counts = np.nan_to_num(numbers(rows, name))
        hit = np.argsort(-counts, kind="stable")[: (counts > 0).sum()]
        written = apart(x[hit], (x[-1] - x[0]) * _COUNT_SHARE / roominess(panel))
        for i in hit:
            if x[i] in written:
                _write(panel, x[i], at, short(counts[i]))
        marks = [i for i in hit if x[i] not in written]
        panel.plot(
            x[marks], [at] * len(marks), ls="", marker="|", color=INK, ms=5, label=f"_{name}"
        )
    panel.set_yticks(range(len(names)), [_HAZARDS[name] for name in names])
    panel.set_ylim(len(names) - 0.4, -0.6)
    panel.tick_params(axis="y", length=0, labelsize=8)
    panel.set_ylabel("Hazards\n(number)", color=INK, fontsize=9)


def _write(panel: Axes, x: float, at: int, text: str) -> None:
    panel.text(
        x,
        at,
        text,
        ha="center",
        va="center",
        fontsize=7.5,
        color=INK,
        bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "linewidth": 0},
    )
