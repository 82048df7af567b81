"""Columns of short texts right of horizontal bars, under their heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from ctxlab.plots._canvas import INK

__all__ = ["HEADS", "columns_beside"]

HEADS = 14.0
"""Height of the heads in points."""

_GAP, _CHARACTER = 9.0, 5.0


def columns_beside(ax: Axes, columns: Mapping[str, Sequence[str]]) -> None:
    """Write each column's head over, and its texts at 0, 1, … of the y axis, right of the axes."""
    right = _GAP
    for head, texts in columns.items():
        width = _CHARACTER * max(map(len, [head, *texts]))
        _write(ax, head, 1, right + width / 2, is_head=True)
        for at, text in enumerate(texts):
            _write(ax, text, at, right + width / 2)
        right += width + _GAP


def _write(ax: Axes, text: str, at: float, right: float, is_head: bool = False) -> None:
    ax.annotate(
        text,
        (1, at),
        xytext=(right, 3 if is_head else 0),
        xycoords="axes fraction" if is_head else ax.get_yaxis_transform(),
        textcoords="offset points",
        ha="center",
        va="bottom" if is_head else "center",
        fontsize=8,
        color=INK,
        annotation_clip=False,
    )
