"""Figures over the settings of a sweep: what would be saved at each threshold and horizon."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    MaxNLocator,
    NullLocator,
    PercentFormatter,
)

from ctxlab.dedup.params import Dedup
from ctxlab.plots._canvas import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    VERMILLION,
    below,
    dress,
    dress_axes,
    is_value,
    legend_below,
    plot,
    same_setting,
    setting,
)

__all__ = ["horizon_heatmap", "savings_curve"]

_COLUMNS = (
    "min_covered_lines",
    "view_calls",
    "net_share",
    "low",
    "high",
    "harmful_pointers",
    "pointers",
)
_STYLES = ((BLUE, "-", "o"), (VERMILLION, "--", "s"), (GREEN, "-.", "^"), (INK, ":", "D"))
_TICKS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_WRITTEN = 12
_X = "Shortest repeated run that is replaced by a pointer (min_covered_lines, lines)"
_NOTHING = "No settings were swept, so there is nothing to draw. Run a sweep first."


def _horizon(view_calls: int | None) -> str:
    if view_calls is None:
        return "all earlier calls"
    return "latest call" if view_calls == 1 else f"latest {view_calls} calls"


def _shipped(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Rows of the shipped setting: as the frame says, else the policy's defaults."""
    if "shipped" in frame:
        return frame["shipped"].to_numpy(bool)
    default = Dedup()
    rows = same_setting(frame, "min_covered_lines", default.min_covered_lines)
    return (rows & same_setting(frame, "view_calls", default.view_calls)).to_numpy(bool)


def _recommended(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
    if "recommended" in frame:
        return frame["recommended"].to_numpy(bool)
    return np.zeros(len(frame), bool)


def _in_order(cells: Iterable[object]) -> list[int | None]:
    """Horizons from the shortest to the unlimited one, each once."""
    return sorted({setting(cell) for cell in cells}, key=lambda v: (v is None, v or 0))


def _few(horizons: list[int | None], first: list[int | None]) -> list[int | None]:
    """At most as many horizons as there are line styles: `first`, the ends, then others."""
    wanted = dict.fromkeys([*first, *horizons[-1:], *horizons[:1], *horizons[::-1]])
    kept = list(wanted)[: len(_STYLES)]
    return [v for v in horizons if v in kept]


@plot(*_COLUMNS, size=(6.4, 5.2), empty=_NOTHING)
def savings_curve(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw the net share of touched bytes against `min_covered_lines`, one line a horizon.

    Below it, on the same scale, stands the number of harmful pointers. At most four horizons are
    drawn: the shipped one, the ends and one more; the note says so. A point with harmful pointers
    is hollow. `low` and `high` may be NaN: no interval is drawn there.

    Parameters
    ----------
    frame : DataFrame
        One row a setting; shares are 0-1 and may be negative; `view_calls` None is unlimited.
        `shipped` and `recommended` (bool) may mark rows; without `shipped` it is the default of
        `Dedup`.
    ax : Axes, optional
        Where to draw.
    """
    shipped, recommended = _shipped(frame), _recommended(frame)
    horizons = _in_order(frame["view_calls"])
    shown = _few(horizons, _in_order(frame["view_calls"][shipped | recommended]))
    strip = below(ax, 0.25)
    banded = False
    for view_calls, (colour, dash, marker) in zip(shown, _STYLES, strict=False):
        rows = frame[same_setting(frame, "view_calls", view_calls)].sort_values("min_covered_lines")
        banded |= _draw_horizon(rows, ax, view_calls, (colour, dash, marker))
        strip.plot(
            rows["min_covered_lines"].astype(float),
            rows["harmful_pointers"].astype(float),
            color=colour,
            linestyle=dash,
            marker=marker if len(rows) == 1 else "",
        )
    ax.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    for marked, colour, words in ((shipped, INK, "shipped"), (recommended, ORANGE, "recommended")):
        _mark_setting(frame[marked], ax, colour, words)
    few = f" {len(shown)} of {len(horizons)} horizons shown." if len(shown) < len(horizons) else ""
    dress(
        ax,
        "How much less source would be sent, by threshold",
        "Bounded: a replay gives the most that could be saved, not what an agent would have saved."
        + (" Shaded: interval." if banded else " No interval was given.")
        + " Hollow: some pointers are harmful (they point at lines no longer in the context)."
        + few,
        "",
        "Net saving\n(% of served source bytes)",
    )
    _dress_scales(ax, strip)
    lines = [
        Line2D([], [], color=c, ls=dash, marker=marker, markersize=5.5, label=_horizon(v))
        for v, (c, dash, marker) in zip(shown, _STYLES, strict=False)
    ]
    legend_below(strip, lines, len(lines), "Lines remembered as sent (view_calls):")


def _draw_horizon(
    rows: pd.DataFrame, ax: Axes, view_calls: int | None, style: tuple[str, str, str]
) -> bool:
    """Draw one line with its interval; whether there was one."""
    colour, dash, marker = style
    x, y = rows["min_covered_lines"].to_numpy(float), rows["net_share"].to_numpy(float)
    low, high = rows["low"].to_numpy(float), rows["high"].to_numpy(float)
    known = np.isfinite(low) & np.isfinite(high)
    if known.sum() == 1:
        ax.vlines(x[known], low[known], high[known], color=colour, linewidth=3, alpha=0.35)
    elif known.any():
        ax.fill_between(x, low, high, where=known, color=colour, alpha=0.13, linewidth=0)
    ax.plot(x, y, color=colour, linestyle=dash, linewidth=1.6, label="_line")
    harmful = rows["harmful_pointers"].to_numpy(float) > 0
    every = np.isin(x, _TICKS) | (len(x) <= 12)
    for hollow in (False, True):
        at = every & (harmful == hollow)
        ax.plot(
            x[at],
            y[at],
            linestyle="",
            marker=marker,
            markersize=5.5,
            color=colour,
            markerfacecolor="white" if hollow else colour,
            label="_hollow" if hollow else "_filled",
        )
    return bool(known.any())


def _mark_setting(rows: pd.DataFrame, ax: Axes, colour: str, words: str) -> None:
    for _, row in rows.iterrows():
        if not is_value(row["net_share"]):
            continue
        ax.annotate(
            words,
            (float(row["min_covered_lines"]), float(row["net_share"])),
            xytext=(14, 20 if words == "shipped" else -24),
            textcoords="offset points",
            fontsize=8.5,
            color=INK,
            arrowprops={"arrowstyle": "-|>", "color": colour, "shrinkB": 5},
            bbox={"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": colour},
            zorder=5,
        )


def _dress_scales(ax: Axes, strip: Axes) -> None:
    ax.set_xscale("log", base=2)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    strip.xaxis.set_major_locator(FixedLocator(_TICKS))
    strip.xaxis.set_minor_locator(NullLocator())
    strip.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    strip.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    strip.set_ylim(0, 1.08 * max(1.0, strip.get_ylim()[1]))
    dress_axes(strip, _X, "Harmful\npointers")


@plot(*_COLUMNS, size=(6.4, 4.4), empty=_NOTHING)
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
    thresholds = sorted({int(v) for v in frame["min_covered_lines"]})
    horizons = _in_order(frame["view_calls"])
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
    if len(thresholds) <= _WRITTEN:
        for (i, j), n in np.ndenumerate(harmful):
            if n > 0:
                ax.text(
                    j + 0.5,
                    i + 0.5,
                    f"{n:.0f}",
                    ha="center",
                    va="center",
                    fontsize=8,
                    color=INK,
                    bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "linewidth": 0},
                )
    _outline(ax, [place[i] for i in np.flatnonzero(_shipped(frame))], INK, "-")
    _outline(ax, [place[i] for i in np.flatnonzero(_recommended(frame))], ORANGE, "--")
    few = len(thresholds) <= _WRITTEN
    named = [j for j, t in enumerate(thresholds) if few or (t in _TICKS and t != 2)]
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
        _X,
        "Calls remembered as sent\n(view_calls)",
    )
    _heatmap_legend(ax, bool(_recommended(frame).any()), bool(np.isnan(share).any()))


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


def _outline(ax: Axes, cells: list[tuple[int, int]], colour: str, dash: str) -> None:
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


def _heatmap_legend(ax: Axes, recommended: bool, unmeasured: bool) -> None:
    entries: list[Line2D | Patch] = [
        Patch(fill=False, edgecolor=INK, linewidth=2.2, label="shipped setting"),
        Patch(fill=False, edgecolor=INK, hatch="////", linewidth=0, label="harmful pointers"),
    ]
    if recommended:
        entries.insert(
            1,
            Patch(fill=False, edgecolor=ORANGE, linewidth=2.2, linestyle="--", label="recommended"),
        )
    if unmeasured:
        entries.append(Patch(facecolor="#BBBBBB", label="not measured"))
    legend_below(ax, entries, len(entries))
