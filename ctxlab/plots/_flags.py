"""Flags over a figure: a pole at each setting in use, and words that never touch each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from ctxlab.plots._canvas import INK, is_value
from ctxlab.plots._marks import Marked
from ctxlab.plots._settings import MARKS

__all__ = ["flags"]

_SIZE, _LANE, _GAP = 8.5, 12.5, 8.0
_OVER_LEFT, _OVER_RIGHT, _CROSSING = 40.0, 12.0, 40.0
"""Points that words may stand out, and what a pole through words counts as in such points."""


@dataclass(frozen=True, slots=True)
class _Flag:
    """A pole with its words; places are in points from the left end of the axes."""

    x: float
    text: str
    names: tuple[str, ...]
    at: float

    def span(self, to_right: bool) -> tuple[float, float]:
        font = FontProperties(size=_SIZE)
        width = text_to_path.get_text_width_height_descent(self.text, font, False)[0] + _GAP
        return (self.at, self.at + width) if to_right else (self.at - width, self.at)


def flags(
    panels: Sequence[Axes], rows: Marked, x: str, words: Callable[[pd.Series[float]], str]
) -> float:
    """Draw a pole through the panels at each marked row and its words over the first.

    The scales must be final. Words stand in as many lanes as keep them apart.

    Returns
    -------
    float
        Height of the lanes in points.
    """
    top = panels[0]
    raised = _flags(top, rows, x, words)
    halves = {flag: flag.at < _width(top) / 2 for flag in raised}
    layouts = [_lanes(raised, halves)]
    layouts += [_lanes(raised, dict.fromkeys(raised, side)) for side in (True, False)]
    best = min(layouts, key=lambda layout: _cost(layout, _width(top)))
    for flag, (lane, to_right) in best.items():
        colour, dash = MARKS[flag.names[-1]]
        for panel in panels:
            panel.axvline(flag.x, color=colour, linestyle=dash, linewidth=1.4, zorder=1.5)
        _raise(top, flag, lane, to_right, colour)
    return _LANE * max((lane + 1 for lane, _ in best.values()), default=0)


def _width(ax: Axes) -> float:
    return float(ax.bbox.width / ax.figure.dpi * 72)


def _flags(ax: Axes, rows: Marked, x: str, words: Callable[[pd.Series[float]], str]) -> list[_Flag]:
    """Flags of all marked rows; one where several marks mean the same."""
    ax.get_xlim()  # takes in what was drawn
    place = ax.transData - ax.transAxes
    poles: dict[tuple[float, str], list[str]] = {}
    for name in MARKS:
        for _, row in rows.get(name, pd.DataFrame()).iterrows():
            if is_value(row[x]):
                poles.setdefault((float(row[x]), words(row)), []).append(name)
    return [
        _Flag(
            at,
            f"{' and '.join(names)}: {what}",
            tuple(names),
            float(place.transform((at, 1.0))[0]) * _width(ax),
        )
        for (at, what), names in poles.items()
    ]


_Layout = dict[_Flag, tuple[int, bool]]
"""Lane of each flag, and whether its words stand to the right of the pole."""


def _lanes(raised: list[_Flag], to_right: dict[_Flag, bool]) -> _Layout:
    """Put each flag into the lowest lane with room for its words."""
    # From the outside inwards: so no pole runs through the words of a lower lane.
    order = sorted(raised, key=lambda f: (not to_right[f], -f.at if to_right[f] else f.at))
    lanes: list[list[tuple[float, float]]] = []
    layout = {}
    for flag in order:
        begin, end = flag.span(to_right[flag])
        free = [all(end <= a or b <= begin for a, b in lane) for lane in lanes]
        if True not in free:
            lanes.append([])
        lane = [*free, True].index(True)
        lanes[lane].append((begin, end))
        layout[flag] = (lane, to_right[flag])
    return layout


def _cost(layout: _Layout, width: float) -> float:
    """How far words stand out, how many poles run through words, and how many lanes there are."""
    spans = {flag: flag.span(to_right) for flag, (_, to_right) in layout.items()}
    outside = sum(
        max(0.0, -begin - _OVER_LEFT) + max(0.0, end - width - _OVER_RIGHT)
        for begin, end in spans.values()
    )
    crossings = sum(
        spans[low][0] < high.at < spans[low][1] and layout[low][0] < layout[high][0]
        for low in layout
        for high in layout
        if high.at != low.at
    )
    return outside + _CROSSING * crossings + max((lane for lane, _ in layout.values()), default=0)


def _raise(ax: Axes, flag: _Flag, lane: int, to_right: bool, colour: str) -> None:
    top = _LANE * (lane + 1)
    ax.annotate(
        "",
        (flag.x, 1),
        xytext=(0, top),
        xycoords=ax.get_xaxis_transform(),
        textcoords="offset points",
        arrowprops={"arrowstyle": "-", "color": colour, "shrinkA": 0, "shrinkB": 0, "lw": 1.4},
        annotation_clip=False,
    )
    ax.annotate(
        flag.text,
        (flag.x, 1),
        xytext=(4 if to_right else -4, top),
        xycoords=ax.get_xaxis_transform(),
        textcoords="offset points",
        ha="left" if to_right else "right",
        va="top",
        fontsize=_SIZE,
        color=INK,
        bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "linewidth": 0},
        zorder=5,
        annotation_clip=False,
    )
