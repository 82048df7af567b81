"""What all figures share: a canvas, words around it, a message when there is nothing to draw."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import update_wrapper
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ticker import FuncFormatter
from matplotlib.transforms import offset_copy

from ctxlab.errors import ParameterError
from ctxlab.plots.labels import shortened, visible

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "INK",
    "LINES",
    "ORANGE",
    "PLOTS",
    "PURPLE",
    "VERMILLION",
    "Plot",
    "below",
    "dress",
    "dress_axes",
    "is_value",
    "label",
    "legend_below",
    "numbers",
    "percent_ticks",
    "plot",
    "ribbon",
    "roominess",
    "same_setting",
    "say",
    "setting",
    "stacked",
]

# Okabe and Ito's palette: told apart with every common kind of colour vision, and in grey.
BLUE, VERMILLION, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#E69F00", "#009E73", "#AA4499"
INK, GREY = "#222222", "#767676"
LINES = ((BLUE, "-", "o"), (VERMILLION, "--", "s"), (GREEN, "-.", "^"), (INK, ":", "D"))
"""Colour, dash and marker of lines that stand in one figure."""

_TITLE, _NOTE, _NOTE_LINE, _LABEL_LINE = 11.0, 8.0, 9.3, 11.0
_WRAP, _TITLE_WRAP, _LABEL_WRAP = 86, 56, 80
_FULL_IN, _MARGIN_IN = 4.9, 0.5

Draw = Callable[[pd.DataFrame, Axes], None]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class _Spec:
    """How a figure is made: its columns, size in inches and what an empty frame says."""

    columns: tuple[str, ...]
    size: tuple[float, float]
    empty: str


class Plot:
    """A figure: called with a finished frame and, if wanted, the axes to draw on.

    `columns` are those the frame must have.
    """

    def __init__(self, draw: Draw, spec: _Spec) -> None:
        self._draw, self._spec = draw, spec
        self.columns = spec.columns
        update_wrapper(self, draw)

    def __call__(self, frame: pd.DataFrame, ax: Axes | None = None) -> Axes:
        """Draw the frame; a new figure is made where no axes are given."""
        missing = [name for name in self.columns if name not in frame.columns]
        if missing:
            raise ParameterError(
                f"`frame` needs the columns {', '.join(self.columns)}; "
                f"missing: {', '.join(missing)}"
            )
        if ax is None:
            figure = Figure(figsize=self._spec.size, dpi=100, layout="constrained")
            ax = figure.add_subplot()
        if frame.empty:
            say(ax, self._spec.empty)
        else:
            self._draw(frame, ax)
        return ax


_PLOTS: dict[str, Plot] = {}
PLOTS: Mapping[str, Plot] = MappingProxyType(_PLOTS)
"""All figures by name."""


def plot(*columns: str, size: tuple[float, float], empty: str) -> Callable[[Draw], Plot]:
    """Make a figure of a function that draws a frame, which is not empty, on axes."""

    def made(draw: Draw) -> Plot:
        _PLOTS[draw.__name__] = Plot(draw, _Spec(columns, size, empty))
        return _PLOTS[draw.__name__]

    return made


def say(ax: Axes, message: str) -> None:
    """Write a message where a drawing would be."""
    ax.set_axis_off()
    ax.text(
        0.5,
        0.5,
        textwrap.fill(message, 60),
        ha="center",
        va="center",
        color=INK,
        fontsize=10,
        transform=ax.transAxes,
    )


def below(ax: Axes, share: float) -> Axes:
    """Give the lower `share` of the axes' place to new axes with the same x axis."""
    return stacked(ax, (1 - share, share))[1]


def stacked(ax: Axes, heights: Sequence[float]) -> list[Axes]:
    """Share the axes' place with new axes under them, all with the same x axis."""
    figure, place = ax.figure, ax.get_subplotspec()
    n = len(heights)
    if place is not None:
        grid = place.subgridspec(n, 1, height_ratios=heights, hspace=0.03)
        ax.set_subplotspec(grid[0])
        panels = [ax, *(figure.add_subplot(grid[i], sharex=ax) for i in range(1, n))]
    else:
        box, shares = ax.get_position(), np.array(heights) / sum(heights)
        gaps = np.array([*[0.03] * (n - 1), 0.0])
        parts = np.stack([1 - np.cumsum(shares) + gaps, shares - gaps], axis=1) * box.height
        boxes = [(box.x0, box.y0 + low, box.width, height) for low, height in parts.tolist()]
        ax.set_position(boxes[0])
        panels = [ax, *(figure.add_axes(part, sharex=ax) for part in boxes[1:])]
    for panel in panels[:-1]:
        panel.tick_params(labelbottom=False)
    figure.align_ylabels(panels)
    return panels


def roominess(ax: Axes) -> float:
    """Share of the characters of a full line that fit over the axes: 1, less on narrow axes."""
    place = ax.get_subplotspec()  # also holds what stands beside the axes, as a colour bar
    share = (place.get_position(ax.figure) if place else ax.get_position()).width  # type: ignore[arg-type]
    inches = share * ax.figure.bbox.width / ax.figure.dpi
    return float(np.clip((inches - _MARGIN_IN) / (_FULL_IN - _MARGIN_IN), 0.2, 1.0))


def dress(
    ax: Axes, title: str, note: str, x: str, y: str, width: int = _WRAP, lift: float = 0.0
) -> None:
    """Write title, note and axis labels; drop needless lines.

    A full line of the note has `width` characters; it stands `lift` points over the axes.
    """
    room = roominess(ax)
    lines = textwrap.fill(note, int(width * room))
    ax.set_title(
        textwrap.fill(title, int(_TITLE_WRAP * room * width / _WRAP)),
        loc="left",
        fontsize=_TITLE,
        fontweight="bold",
        color=INK,
        pad=12 + lift + _NOTE_LINE * (1 + lines.count("\n")),
    )
    ax.annotate(
        lines,
        (0, 1),
        xytext=(0, 4 + lift),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="left",
        va="bottom",
        fontsize=_NOTE,
        color=INK,
        linespacing=1.15,
        annotation_clip=False,
    )
    dress_axes(ax, x, y)


def dress_axes(ax: Axes, x: str, y: str) -> None:
    """Write axis labels; drop needless lines."""
    ax.set_xlabel(textwrap.fill(x, int(_LABEL_WRAP * roominess(ax))), color=INK, fontsize=9)
    ax.set_ylabel(y, color=INK, fontsize=9)
    ax.tick_params(colors=INK, labelsize=8.5)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    ax.set_axisbelow(True)


def percent_ticks(axis: Axis, signed: bool = False) -> None:
    """Write shares as percent with as many digits as they have.

    Unless `signed`, what stands below zero is drawn downwards.
    """
    sign = float if signed else abs
    axis.set_major_formatter(
        FuncFormatter(lambda share, _: f"{sign(100 * share):g} %".replace("-", "\N{MINUS SIGN}"))
    )


def legend_below(ax: Axes, handles: Sequence[Artist], columns: int, title: str = "") -> None:
    """Put the legend under the x axis and its label, where it hides nothing.

    It has so many columns where there is room.
    """
    down = 32 + _LABEL_LINE * ax.get_xlabel().count("\n")
    ax.legend(
        handles=list(handles),
        title=title,
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=offset_copy(ax.transAxes, ax.get_figure(root=True), y=-down, units="points"),
        ncols=max(1, int(columns * roominess(ax))),
        fontsize=8,
        title_fontsize=8,
        alignment="left",
        frameon=False,
        borderpad=0,
        borderaxespad=0,
        columnspacing=1.4,
        handlelength=2.6,
        handletextpad=0.6,
    )


def ribbon(
    ax: Axes,
    x: npt.NDArray[np.float64],
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
    colour: str,
) -> bool:
    """Shade what lies between two ends, where both are known; whether there was any."""
    known = np.isfinite(low) & np.isfinite(high)
    if known.sum() == 1:
        ax.vlines(x[known], low[known], high[known], color=colour, linewidth=3, alpha=0.35)
    elif known.any():
        ax.fill_between(x, low, high, where=known, color=colour, alpha=0.13, linewidth=0)
    return bool(known.any())


def label(text: str, limit: int, keep_end: bool = True) -> str:
    """Text of a transcript as a label: visible, short, and only of glyphs the font has."""
    font = get_font(findfont(FontProperties(family=["DejaVu Sans"])))
    # A little more than fits, so that `shortened` sees that something is missing.
    part = visible(text[-limit - 1 :] if keep_end else text[: limit + 1])
    shown = "".join(c if font.get_char_index(ord(c)) else "□" for c in part)
    # A backslash before a dollar sign keeps matplotlib from reading a formula.
    return shortened(shown, limit, keep_end).replace("$", r"\$")


def is_value(number: object) -> bool:
    """Whether a cell of a frame holds a finite number."""
    return number is not None and number is not pd.NA and bool(np.isfinite(float(number)))  # type: ignore[arg-type]


def numbers(frame: pd.DataFrame, name: str) -> npt.NDArray[np.float64]:
    """Give a column as numbers, NaN where it holds no finite one."""
    cells = frame[name].to_numpy(dtype=float, na_value=np.nan)
    return np.where(np.isfinite(cells), cells, np.nan)


def setting(value: object) -> int | None:
    """Read a cell that holds a whole number or, for unlimited, None; frames turn None into NaN."""
    return int(float(value)) if is_value(value) else None  # type: ignore[arg-type]


def same_setting(frame: pd.DataFrame, name: str, value: int | None) -> pd.Series[bool]:
    """Which rows have this value in a column of `setting` cells."""
    return frame[name].map(lambda cell: setting(cell) == value).astype(bool)
