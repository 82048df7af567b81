"""What a limit takes that was needed later: by kind, and names that it cuts beside texts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from ctxlab.plots._canvas import (
    BLUE,
    INK,
    ORANGE,
    VERMILLION,
    below,
    dress,
    legend_below,
    numbers,
    plot,
    say,
)
from ctxlab.plots._surface_knobs import (
    NOTHING,
    PLACE,
    dress_knob,
    knob_entry,
    knob_flags,
    knob_line,
    placed,
    shipped_and_others,
)
from ctxlab.plots._ticks import short
from ctxlab.surface.params import NUMERIC

__all__ = ["surface_losses"]

_KINDS = {
    "lost_paths": ("lost paths", BLUE, ""),
    "lost_ids": ("lost ids", VERMILLION, "////"),
    "lost_numbers": ("lost numbers", ORANGE, ""),
    "lost_names": ("lost names", "#A9C8DE", "...."),
}
_CUTS = {
    "cut_names": ("cut ids, names, paths, dates", (VERMILLION, "--", "s")),
    "cut_texts": ("cut texts", (BLUE, "-", "o")),
}
_APART = (
    "Cut ids, names and paths stand apart from texts: what is looked up by them is no longer found."
)
_WIDEST = 0.06


@plot(*NUMERIC, *_KINDS, *_CUTS, size=(6.4, 5.4), empty=NOTHING)
def surface_losses(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw lost witnesses by kind along the numeric knob that varies; below cut strings, if any.

    Strings of one word stand apart from texts: a cut id or path finds nothing any more.

    Parameters
    ----------
    frame : DataFrame
        One row a value of one of `max_items`, `truncate_content` and `max_output_bytes`; 0 is off
        and stands last. `lost_paths`, `lost_ids`, `lost_numbers` and `lost_names` count witnesses,
        `cut_names` strings of one word and `cut_texts` strings of several. `witnesses`, if there,
        is said. `shipped`, `recommended` and `selected` (bool) may mark rows; without `shipped` it
        is where no numeric knob is on.
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
    is_cut = any((numbers(rows, name) > 0).any() for name in _CUTS)
    panels = [ax, below(ax, 0.45)] if is_cut else [ax]
    top = _stack(ax, rows)
    ax.set_ylim(0, 1.08 * max(1.0, top))
    ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: short(y)))
    lines = _cuts(panels[1], knob, rows) if is_cut else []
    dress_knob(panels, knob, rows, settings, "Cut strings\n(number)")
    lift = knob_flags(panels, knob, settings)
    witnesses = numbers(rows, "witnesses")[0] if "witnesses" in rows else np.nan
    dress(
        ax,
        "What is lost that was needed later",
        "Measured in a replay. Lost: what the agent later wrote into a call, that one answer alone "
        "had shown and that would be gone"
        + (f" (of {witnesses:,.0f} in all)" if np.isfinite(witnesses) else "")
        + (f". {_APART if is_cut else 'No string is cut.'}")
        + ("" if top > 0 else " Nothing is lost."),
        ax.get_xlabel(),
        "Lost\n(number)",
        lift=lift,
    )
    handles: list[Artist] = [
        Patch(facecolor=colour, hatch=hatch, edgecolor="white", label=words)
        for words, colour, hatch in _KINDS.values()
    ]
    legend_below(panels[-1], [*handles, *lines], 3)


def _stack(ax: Axes, rows: pd.DataFrame) -> float:
    """Draw the kinds of loss on one another; the height of the highest bar."""
    x = numbers(rows, PLACE)
    width, base = _widths(x), np.zeros(len(rows))
    for name, (_, colour, hatch) in _KINDS.items():
        lost = np.nan_to_num(numbers(rows, name))
        ax.bar(
            x,
            lost,
            width,
            base,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            linewidth=0.5,
            label=f"_{name}",
        )
        base += lost
    return float(base.max())


def _widths(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """As wide as the nearest neighbour admits."""
    gaps = np.concatenate([[np.inf], np.diff(x), [np.inf]])
    widest = _WIDEST * (x[-1] - x[0] or 1.0)
    return np.asarray(np.minimum(0.8 * np.minimum(gaps[:-1], gaps[1:]), widest))


def _cuts(strip: Axes, knob: str, rows: pd.DataFrame) -> list[Line2D]:
    """Draw cut strings, what is off by itself; lines for the legend."""
    for name, (_, style) in _CUTS.items():
        knob_line(strip, knob, rows, name, style, name)
    most = max(1.0, *(np.nan_to_num(numbers(rows, name)).max() for name in _CUTS))
    # A few cut ids weigh more than many cut texts: both must be seen.
    strip.set_yscale("symlog", linthresh=1)
    strip.set_ylim(-0.1, 2 * most)
    decades = np.arange(0, np.ceil(np.log10(most)) + 1)
    strip.set_yticks([0, *10 ** decades[:: max(1, len(decades) // 4)]])
    strip.yaxis.set_major_formatter(FuncFormatter(lambda y, _: short(y)))
    strip.yaxis.minorticks_off()
    strip.axhline(0, color=INK, linewidth=0.6, zorder=0)
    return [knob_entry(*one) for one in _CUTS.values()]
