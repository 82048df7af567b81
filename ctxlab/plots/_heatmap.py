"""What would be saved at each horizon and threshold, all at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import PercentFormatter

from ctxlab.plots._canvas import INK, dress, legend_below, plot, setting
from ctxlab.plots._settings import COLUMNS, MARKS, NOTHING, TICKS, X, in_order, marks, once

__all__ = ["horizon_heatmap"]

_WRITTEN = 12


@plot(*COLUMNS, size=(6.4, 4.4), empty=NOTHING)
def horizon_heatmap(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw the net share for each horizon and threshold; zero is white, losses are red.

    Settings with harmful pointers are hatched; with few thresholds, their number is written. A
    setting without a value stays grey.

    Parameters
    ----------
    frame : DataFrame
        As for `savings_curve`; one row a setting.
    ax : Axes, optional
        Where to draw.
    """
    once(frame)
    thresholds = sorted({int(v) for v in frame["min_covered_lines"]})
    horizons = in_order(frame["view_calls"])
    place = [
        (horizons.index(setting(v)), thresholds.index(int(m)))
        for v, m in zip(frame["view_calls"], frame["min_covered_lines"], strict=True)
    ]
    share = np.full((len(horizons), len(thresholds)), np.nan)
    harmful = np.zeros(share.shape)
    at = tuple(np.array(place).T)
    share[at], harmful[at] = frame["net_share"].to_numpy(float), frame["harmful_pointers"]
    most = np.nanmax(np.abs(share)) if np.isfinite(share).any() else 0.0
    scale = TwoSlopeNorm(0.0, -(most or 0.01), most or 0.01)
    ax.set_facecolor("#BBBBBB")
    # An image, not polygons: those show hairlines between cells.
    extent = (0, len(thresholds), 0, len(horizons))
    mesh = ax.imshow(
        share,
        cmap="RdBu",
        norm=scale,
        origin="lower",
        extent=extent,
        aspect="auto",
        interpolation="nearest",
    )
    _hatch(ax, harmful)
    few = len(thresholds) <= _WRITTEN
    if few:
        _write_counts(ax, harmful)
    marked = marks(frame)
    for name, rows in marked.items():
        _outline(ax, [place[i] for i in np.flatnonzero(rows)], name)
    named = [j for j, t in enumerate(thresholds) if few or (t in TICKS and t != 2)]
    ax.set_xticks([j + 0.5 for j in named], [str(thresholds[j]) for j in named])
    names = ["all" if v is None else str(v) for v in horizons]
    ax.set_yticks(np.arange(len(horizons)) + 0.5, names)
    bar = ax.figure.colorbar(mesh, ax=ax, format=PercentFormatter(1.0, symbol=" %"), pad=0.02)
    bar.set_label("Net saving (% of served source bytes)", fontsize=9, color=INK)
    bar.ax.tick_params(labelsize=8.5, colors=INK)
    if np.isfinite(share).any() and most:
        bar.ax.set_ylim(min(0.0, np.nanmin(share)), max(0.0, np.nanmax(share)))
    dress(
        ax,
        "Where a saving can be had, and where it does harm",
        "Bounded: the most that could be saved. Blue: fewer bytes; red: more bytes than without. "
        "Hatched: some pointers are harmful" + (", with their number." if few else "."),
        X,
        "Calls remembered as sent\n(view_calls)",
    )
    ax.grid(False)
    seen = [name for name, rows in marked.items() if rows.any()]
    _legend(ax, seen, bool(np.isnan(share).any()))


def _hatch(ax: Axes, harmful: npt.NDArray[np.float64]) -> None:
    """One hatched rectangle for each stretch of neighbouring cells with harmful pointers."""
    for i, row in enumerate(harmful > 0):
        steps = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(int), [0]])))
        for begin, end in steps.reshape(-1, 2):
            ax.add_patch(
                Rectangle(
                    (begin, i),
                    end - begin,
                    1,
                    fill=False,
                    hatch="////",
                    edgecolor=INK,
                    linewidth=0,
                    alpha=0.6,
                    gid="harmful",
                )
            )


def _write_counts(ax: Axes, harmful: npt.NDArray[np.float64]) -> None:
    for (i, j), n in np.ndenumerate(harmful):
        if n > 0:
            ax.text(
                j + 0.5,
                i + 0.5,
                f"{n:,.0f}",
                ha="center",
                va="center",
                fontsize=8,
                color=INK,
                bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "linewidth": 0},
            )


def _outline(ax: Axes, cells: list[tuple[int, int]], name: str) -> None:
    colour, dash = MARKS[name]
    for i, j in cells:
        for width, edge in ((4.5, "white"), (2.2, colour)):
            ax.add_patch(
                Rectangle(
                    (j, i),
                    1,
                    1,
                    fill=False,
                    edgecolor=edge,
                    linewidth=width,
                    linestyle=dash if edge == colour else "-",
                    clip_on=False,
                    zorder=4,
                )
            )


def _legend(ax: Axes, marked: list[str], unmeasured: bool) -> None:
    entries: list[Line2D | Patch] = [
        Patch(
            fill=False,
            edgecolor=MARKS[name][0],
            linewidth=2.2,
            linestyle=MARKS[name][1],
            label="shipped setting" if name == "shipped" else name,
        )
        for name in marked
    ]
    harmful = Patch(fill=False, edgecolor=INK, hatch="////", linewidth=0, label="harmful pointers")
    entries.append(harmful)
    if unmeasured:
        entries.append(Patch(facecolor="#BBBBBB", label="not measured"))
    legend_below(ax, entries, len(entries))
