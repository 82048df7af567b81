"""Words beside a few of many points, where they have room."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from ctxlab.plots._canvas import INK

__all__ = ["name_points"]

Points = npt.NDArray[np.float64]
"""One row a point: x and y."""

_SIZE, _HEIGHT, _OFF, _PAD, _REACH = 7.5, 9.0, 6.0, 2.0, 4.0
_SHRINKS = 0.75
"""Share of the height that axes keep when title and legend take their place."""
_SIDES = ((1, -1), (1, 1), (-1, 1), (-1, -1))
_COVERED = 12
"""Most other points that words may hide."""


def name_points(
    ax: Axes, points: Points, words: Sequence[str], lines: Points, others: Points, most: int
) -> None:
    """Write words beside at most so many of the points: in the axes, off all lines, never touching.

    The scales must be final. The ends come first, then points between those that have words.
    `lines` holds both ends of each part of a line that stays free (parts x 2 x 2), `others` points
    that are hidden as little as can be.
    """
    scale = np.array([ax.bbox.width, ax.bbox.height * _SHRINKS]) / ax.figure.dpi * 72
    own, cloud = _in_points(ax, points, scale), _in_points(ax, others, scale)
    path = _along(_in_points(ax, lines.reshape(-1, 2), scale).reshape(-1, 2, 2))
    taken: list[npt.NDArray[np.float64]] = []
    for i in _spread(len(own)):
        if len(taken) == most:
            return
        font = FontProperties(size=_SIZE)
        width = text_to_path.get_text_width_height_descent(words[i], font, False)[0]
        best: tuple[float, tuple[int, int], npt.NDArray[np.float64]] | None = None
        for side in _SIDES:
            box = _box(own[i], side, width)
            outside = (box[0] < 0).any() or (box[1] > scale).any()
            if outside or _inside(path, box).any() or any(_touch(box, other) for other in taken):
                continue
            hidden = float(_inside(cloud, box).sum())
            if hidden <= _COVERED and (best is None or hidden < best[0]):
                best = hidden, side, box
        if best is not None:
            taken.append(best[2])
            _write(ax, words[i], points[i], best[1])


def _in_points(ax: Axes, group: Points, scale: Points) -> Points:
    """Places from the lower left corner of the axes, in typographic points."""
    if not len(group):
        return np.empty((0, 2))
    return np.asarray((ax.transData - ax.transAxes).transform(group)) * scale


def _along(lines: Points) -> Points:
    """Points close to each other on lines."""
    parts = [np.linspace(a, b, 2 + int(np.hypot(*(b - a)) / 3)) for a, b in lines]
    return np.concatenate([np.empty((0, 2)), *parts])


def _spread(n: int) -> list[int]:
    """Places from 0 to n - 1: the ends, then always the middle of the widest gap."""
    order = list(dict.fromkeys([n - 1, 0]))[:n]
    while len(order) < n:
        known = sorted(order)
        gap, low = max((b - a, -a) for a, b in pairwise(known))
        order.append(-low + gap // 2)
    return order


def _box(at: Points, side: tuple[int, int], width: float) -> Points:
    """Lower left and upper right corner of words at a side of a point."""
    near = at + np.array(side) * (_OFF, _REACH)
    far = near + np.array(side) * (width, _HEIGHT)
    return np.stack([np.minimum(near, far), np.maximum(near, far)])


def _inside(group: Points, box: Points) -> npt.NDArray[np.bool_]:
    return np.asarray(((group > box[0] - _PAD) & (group < box[1] + _PAD)).all(axis=1))


def _touch(box: Points, other: Points) -> bool:
    return bool(((box[0] - _PAD < other[1]) & (other[0] < box[1] + _PAD)).all())


def _write(ax: Axes, words: str, at: Points, side: tuple[int, int]) -> None:
    ax.annotate(
        words,
        (float(at[0]), float(at[1])),
        xytext=(side[0] * _OFF, side[1] * _REACH),
        textcoords="offset points",
        ha="left" if side[0] > 0 else "right",
        va="bottom" if side[1] > 0 else "top",
        fontsize=_SIZE,
        color=INK,
        bbox={"boxstyle": "square,pad=0.05", "facecolor": "white", "alpha": 0.8, "linewidth": 0},
        zorder=5,
        annotation_clip=False,
    )
