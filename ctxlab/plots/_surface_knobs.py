"""The numeric knobs of surface as an axis: swept values on a log scale, and last of all off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter

from ctxlab.errors import ParameterError
from ctxlab.plots._canvas import GREY, dress_axes, is_value, numbers, roominess
from ctxlab.plots._flags import flags
from ctxlab.plots._marks import Marked, marked, once
from ctxlab.plots._ticks import apart
from ctxlab.surface.params import NUMERIC

__all__ = [
    "NOTHING",
    "PLACE",
    "Style",
    "amount",
    "dress_knob",
    "is_set",
    "knob_entry",
    "knob_flags",
    "knob_line",
    "knob_of",
    "placed",
    "setting_words",
    "shipped_and_others",
]

NOTHING = "No settings were swept, so there is nothing to draw. Run a sweep first."
Style: TypeAlias = tuple[str, str, str]
"""Colour, dash and marker."""

PLACE = "place on the axis"
"""Column of `placed` frames."""

_AXES = {
    "max_items": "Most rows of an answer (max_items, rows)",
    "truncate_content": "Most characters of a text (truncate_content, characters)",
    "max_output_bytes": "Most bytes of an answer (max_output_bytes, bytes)",
}
_UNITS = {"max_items": ("row", "rows"), "truncate_content": ("char", "chars")}
_BESIDE = {
    "select": "keys chosen",
    "filters": "filtered",
    "sort": "sorted",
    "dedupe_by": "deduped",
    "count_only": "count only",
}
_LABEL_SHARE, _OFF_SHARE, _LEAST_GAP, _MOST_TICKS, _MOST_MARKERS = 0.095, 0.11, 0.15, 60, 24


def is_set(cell: object) -> bool:
    """Whether the cell of a knob is on: no zero, empty or missing value."""
    if isinstance(cell, (str, tuple, list, np.ndarray)):
        return len(cell) > 0
    return is_value(cell) and bool(cell)


def amount(knob: str, value: float) -> str:
    """Value of a numeric knob with its unit."""
    if value == 0:
        return "off"
    one, many = _UNITS.get(knob, ("B", "B"))
    return f"{value:,g}\N{NO-BREAK SPACE}{one if value == 1 else many}"


def setting_words(row: pd.Series[float]) -> str:
    """What a setting cuts, in short; parameters that the row does not have are off."""
    parts = [amount(name, float(row[name])) for name in NUMERIC if is_set(row.get(name))]
    parts += [words for name, words in _BESIDE.items() if is_set(row.get(name))]
    return " · ".join(parts) or "nothing cut"


def knob_of(rows: pd.DataFrame) -> str:
    """Name the numeric knob that varies; where none does, one that is on.

    Raises
    ------
    ParameterError
        If several vary.
    """
    varied = [name for name in NUMERIC if len(np.unique(numbers(rows, name))) > 1]
    if len(varied) > 1:
        raise ParameterError(
            f"`frame` must vary in one of {', '.join(NUMERIC)}, got {' and '.join(varied)}; "
            "keep the rows in which one of them varies"
        )
    acting = [name for name in reversed(NUMERIC) if (numbers(rows, name) > 0).any()]
    return [*varied, *acting, "max_output_bytes"][0]


def placed(frame: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """Give the knob that varies, and the rows in its order with their `PLACE` on the axis.

    Raises
    ------
    ParameterError
        If several knobs vary, or a value stands in several rows.
    """
    known = np.all([np.isfinite(numbers(frame, name)) for name in NUMERIC], axis=0)
    rows = frame[known]
    if rows.empty:
        return "max_output_bytes", rows
    knob = knob_of(rows)
    once(rows, knob)
    rows = rows.assign(**{PLACE: _places(numbers(rows, knob))})
    return knob, rows.sort_values(PLACE)


def _places(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Decades, and for what is off a place behind the last."""
    swept = np.log10(values[values > 0])
    if not len(swept):
        return np.zeros(len(values))
    off = swept.max() + max(_LEAST_GAP, _OFF_SHARE * (swept.max() - swept.min()))
    return np.where(values > 0, np.log10(np.where(values > 0, values, 1)), off)


def shipped_and_others(rows: pd.DataFrame) -> Marked:
    """Marked rows; without a column `shipped` it is where no numeric knob is on."""
    return marked(rows, **dict.fromkeys(NUMERIC, 0))


def knob_line(
    panel: Axes, knob: str, rows: pd.DataFrame, column: str, style: Style, label: str
) -> None:
    """Draw a column over the knob in this colour, dash and marker; what is off by itself."""
    x, y, off = numbers(rows, PLACE), numbers(rows, column), numbers(rows, knob) == 0
    colour, dash, marker = style
    for part in (~off, off):
        shown = marker if part.sum() <= _MOST_MARKERS else ""
        panel.plot(
            x[part], y[part], color=colour, ls=dash, marker=shown, ms=4, lw=1.6, label=f"_{label}"
        )


def knob_entry(words: str, style: Style) -> Line2D:
    """What the legend shows of such a line."""
    colour, dash, marker = style
    return Line2D([], [], color=colour, ls=dash, marker=marker, ms=4, lw=1.6, label=words)


def knob_flags(panels: Sequence[Axes], knob: str, settings: Marked) -> float:
    """Raise a flag with the knob's value at each marked row; height of their lanes in points."""
    return flags(panels, settings, PLACE, lambda row: amount(knob, row[knob]))


def dress_knob(
    panels: Sequence[Axes], knob: str, rows: pd.DataFrame, settings: Marked, y: str
) -> None:
    """Give panels one under the other the axis of the knob, and the last its labels."""
    last = panels[-1]
    places, values = numbers(rows, PLACE), numbers(rows, knob)
    texts = {x: "off" if v == 0 else f"{v:,g}" for x, v in zip(places, values, strict=True)}
    margin = max(0.05 * (places[-1] - places[0]), 0.1)
    last.set_xlim(places[0] - margin, places[-1] + margin)
    first = [float(x) for group in settings.values() for x in group[PLACE]]
    wanted = [places[-1], *first, places[0], *places]
    gap = (places[-1] - places[0]) * _LABEL_SHARE / roominess(last)
    named = apart(map(float, wanted), gap)
    last.xaxis.set_major_locator(FixedLocator(named))
    others = [x for x in places if x not in named] if len(places) <= _MOST_TICKS else []
    last.xaxis.set_minor_locator(FixedLocator(others))
    last.xaxis.set_major_formatter(FuncFormatter(lambda x, _: texts.get(x, "")))
    last.xaxis.set_minor_formatter(FuncFormatter(lambda x, _: ""))
    if values[-1] == 0 and len(places) > 1:
        for panel in panels:
            between = (places[-2] + places[-1]) / 2
            panel.axvline(between, color=GREY, linewidth=0.7, linestyle=(0, (1, 3)), zorder=0)
    dress_axes(last, _AXES[knob], y)
