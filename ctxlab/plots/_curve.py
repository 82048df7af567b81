"""What would be saved at each threshold, one line a horizon."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    MaxNLocator,
    NullLocator,
    PercentFormatter,
)

from ctxlab.plots._canvas import (
    GREY,
    INK,
    LINES,
    below,
    dress,
    dress_axes,
    is_value,
    legend_below,
    plot,
    ribbon,
    same_setting,
)
from ctxlab.plots._settings import COLUMNS, MARKS, NOTHING, TICKS, X, in_order, marks, once

__all__ = ["savings_curve"]

_WORDS = {"shipped": (14, 20), "recommended": (14, -24), "selected": (-58, -24)}
"""Place of a mark's words, in points from the setting."""


def _horizon(view_calls: int | None) -> str:
    if view_calls is None:
        return "all earlier calls"
    return "latest call" if view_calls == 1 else f"latest {view_calls} calls"


def _few(horizons: list[int | None], first: list[int | None]) -> list[int | None]:
    """At most as many horizons as there are line styles: `first`, the ends, then others."""
    wanted = dict.fromkeys([*first, *horizons[-1:], *horizons[:1], *horizons[::-1]])
    kept = list(wanted)[: len(LINES)]
    return [v for v in horizons if v in kept]


@plot(*COLUMNS, size=(6.4, 5.2), empty=NOTHING)
def savings_curve(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw the net share of touched bytes against `min_covered_lines`, one line a horizon.

    Below it, on the same scale, stands the number of harmful pointers. At most four horizons are
    drawn: the shipped one, the ends and one more; the note says so. A point with harmful pointers
    is hollow. `low` and `high` may be NaN: no interval is drawn there.

    Parameters
    ----------
    frame : DataFrame
        One row a setting; shares are 0-1 and may be negative; `view_calls` None is unlimited.
        `shipped`, `recommended` and `selected` (bool) may mark rows; without `shipped` it is the
        default of `Dedup`.
    ax : Axes, optional
        Where to draw.
    """
    once(frame)
    marked = marks(frame)
    horizons = in_order(frame["view_calls"])
    shown = _few(horizons, in_order(frame["view_calls"][np.any([*marked.values()], axis=0)]))
    strip = below(ax, 0.25)
    banded = False
    for view_calls, (colour, dash, marker) in zip(shown, LINES, strict=False):
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
    for name, at in marked.items():
        _mark_setting(frame[at], ax, name)
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
        for v, (c, dash, marker) in zip(shown, LINES, strict=False)
    ]
    legend_below(strip, lines, len(lines), "Lines remembered as sent (view_calls):")


def _draw_horizon(
    rows: pd.DataFrame, ax: Axes, view_calls: int | None, style: tuple[str, str, str]
) -> bool:
    """Draw one line with its interval; whether there was one."""
    colour, dash, marker = style
    x, y = rows["min_covered_lines"].to_numpy(float), rows["net_share"].to_numpy(float)
    ends = ("band_low", "band_high") if "band_low" in rows else ("low", "high")
    low, high = (rows[end].to_numpy(float) for end in ends)
    banded = ribbon(ax, x, low, high, colour)
    ax.plot(x, y, color=colour, linestyle=dash, linewidth=1.6, label="_line")
    harmful = rows["harmful_pointers"].to_numpy(float) > 0
    every = np.isin(x, TICKS) | (len(x) <= 12)
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
    return banded


def _mark_setting(rows: pd.DataFrame, ax: Axes, name: str) -> None:
    colour, _ = MARKS[name]
    for _, row in rows.iterrows():
        if not is_value(row["net_share"]):
            continue
        ax.annotate(
            name,
            (float(row["min_covered_lines"]), float(row["net_share"])),
            xytext=_WORDS[name],
            textcoords="offset points",
            fontsize=8.5,
            color=INK,
            arrowprops={"arrowstyle": "-|>", "color": colour, "shrinkB": 5},
            bbox={"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": colour},
            zorder=5,
        )
        if name == "selected":  # other words may stand over the point
            ax.plot(
                float(row["min_covered_lines"]),
                float(row["net_share"]),
                marker="o",
                markersize=12,
                markerfacecolor="none",
                markeredgecolor=colour,
                markeredgewidth=2.2,
                zorder=6,
                label="_selected",
            )


def _dress_scales(ax: Axes, strip: Axes) -> None:
    ax.set_xscale("log", base=2)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    strip.xaxis.set_major_locator(FixedLocator(TICKS))
    strip.xaxis.set_minor_locator(NullLocator())
    strip.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    strip.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    strip.set_ylim(0, 1.08 * max(1.0, strip.get_ylim()[1]))
    dress_axes(strip, X, "Harmful\npointers")
