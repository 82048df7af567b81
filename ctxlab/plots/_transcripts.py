"""How the saving is spread over transcripts, so that a mean carried by one of them is seen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, PercentFormatter

from ctxlab.plots._canvas import (
    BLUE,
    GREY,
    VERMILLION,
    below,
    dress,
    dress_axes,
    legend_below,
    plot,
    say,
)
from ctxlab.plots.labels import visible

__all__ = ["transcript_distribution"]

_NOTHING = "No transcript served any source, so there is nothing to draw."


@plot(
    "transcript",
    "family",
    "touched_bytes",
    "net_bytes",
    "net_share",
    "harmful_pointers",
    size=(6.4, 5.2),
    empty=_NOTHING,
)
def transcript_distribution(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw each transcript's net share: cumulated over transcripts and over bytes, and one by one.

    Where the two curves part, few large transcripts carry the total. In the lower part each
    transcript is a mark at its net share and size; triangles have harmful pointers.

    Parameters
    ----------
    frame : DataFrame
        One row a transcript; `net_share` 0-1, may be negative, NaN where nothing was served.
        `setting` (text) may say under which setting; it is then named.
    ax : Axes, optional
        Where to draw.
    """
    rows = frame[np.isfinite(frame["net_share"].to_numpy(float))].sort_values("net_share")
    if rows.empty:
        say(ax, _NOTHING)
        return
    share = rows["net_share"].to_numpy(float)
    touched = rows["touched_bytes"].to_numpy(float)
    strip = below(ax, 0.45)
    _cumulated(ax, share, np.ones(len(share)), BLUE, "-", "of transcripts")
    _cumulated(ax, share, touched, VERMILLION, "--", "of served source bytes")
    harmful = rows["harmful_pointers"].to_numpy(float) > 0
    for with_harm, colour, marker, words in (
        (False, BLUE, "o", "no harmful pointer"),
        (True, VERMILLION, "^", "harmful pointers"),
    ):
        kept = harmful == with_harm
        strip.scatter(
            share[kept],
            np.maximum(touched[kept], 1),
            s=22,
            marker=marker,
            facecolors="none",
            edgecolors=colour,
            linewidths=1.1,
            label=f"{words} ({kept.sum():,})",
        )
    left_out = len(frame) - len(rows)
    settings = " or ".join(map(visible, rows["setting"].unique())) if "setting" in rows else ""
    dress(
        ax,
        "How the saving is spread over transcripts",
        (f"Setting: {settings}. " if settings else "")
        + f"Bounded: the most that could be saved, in {len(rows):,} transcripts of "
        f"{rows['family'].nunique():,} families. {_concentration(touched)}"
        + (f" {left_out:,} served no source and are not drawn." if left_out else ""),
        "",
        "Cumulated share (%)",
    )
    ax.set_ylim(-0.02, 1.02)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
    ax.legend(fontsize=8, frameon=False, loc="lower right")
    _dress_strip(strip)
    for axes in (ax, strip):
        axes.axvline(0, color=GREY, linewidth=0.8, zorder=0)
        axes.grid(color="#DDDDDD", linewidth=0.6)


def _cumulated(
    ax: Axes,
    share: npt.NDArray[np.float64],
    weight: npt.NDArray[np.float64],
    colour: str,
    dash: str,
    words: str,
) -> None:
    total = weight.sum()
    if total <= 0:
        return
    x = np.concatenate([share[:1], share])
    y = np.concatenate([[0.0], np.cumsum(weight) / total])
    ax.plot(x, y, drawstyle="steps-post", color=colour, linestyle=dash, linewidth=1.7, label=words)


def _concentration(touched: npt.NDArray[np.float64]) -> str:
    """How few transcripts hold half of the bytes."""
    if touched.sum() <= 0:
        return ""
    largest = np.cumsum(np.sort(touched)[::-1])
    n = int(np.searchsorted(largest, touched.sum() / 2) + 1)
    return (
        f"The {n:,} largest hold half of the bytes."
        if n > 1
        else "One of them holds half of the bytes."
    )


def _dress_strip(strip: Axes) -> None:
    strip.set_yscale("log")
    strip.yaxis.set_major_formatter(EngFormatter(unit="B", places=0))
    strip.xaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    dress_axes(
        strip,
        "Net saving of one transcript (% of its served source bytes)",
        "Source bytes\nserved to it",
    )
    legend_below(strip, strip.collections, 2)
