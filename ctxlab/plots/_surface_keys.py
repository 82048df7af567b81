"""Which keys of a tool's rows hold its bytes, and which of them were ever used later."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from ctxlab.plots._beside import HEADS, columns_beside
from ctxlab.plots._canvas import (
    BLUE,
    dress,
    is_value,
    label,
    legend_below,
    numbers,
    percent_ticks,
    plot,
    roominess,
    say,
)
from ctxlab.plots._ticks import short

__all__ = ["surface_keys"]

_NOTHING = "No rows with keys were recorded for this tool, so there is nothing to draw."
_ROWS, _FEWEST_ROWS, _KEY, _TOOL, _WRAP = 20, 6, 24, 40, 72
_PALE = "#CFE0EC"


@plot("key", "bytes_share", "quotes", "witnesses", "kept", size=(6.4, 5.6), empty=_NOTHING)
def surface_keys(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw the share of bytes under each key of a tool's rows; used ones are dark.

    Of many keys those that are kept or were quoted come first, then the largest. Names of keys
    stand in transcripts and may hold anything: they are shown as text, escaped and cut.

    Parameters
    ----------
    frame : DataFrame
        One row a `key` of one tool's rows: `bytes_share` (0-1); `quotes`, how often a later call
        holds something shown under it; `witnesses`, of these, shown by this answer alone; `kept`
        (bool), whether the advice keeps it. `tool`, as a column or in `frame.attrs`, is named.
    ax : Axes, optional
        Where to draw.
    """
    share = numbers(frame, "bytes_share")
    known = frame[np.isfinite(share)]
    if known.empty:
        say(ax, _NOTHING)
        return
    rows = _few(known)
    share, quotes = numbers(rows, "bytes_share"), np.nan_to_num(numbers(rows, "quotes"))
    used = quotes > 0
    few = "" if len(rows) == len(known) else f" {len(rows)} of {len(known):,} keys shown."
    at = np.arange(len(rows))
    for kind, colour in ((used, BLUE), (~used, _PALE)):
        ax.barh(
            at[kind],
            share[kind],
            0.72,
            facecolor=colour,
            edgecolor=BLUE,
            linewidth=0.6,
            label="_used" if kind is used else "_unused",
        )
    ax.set_ylim(max(len(rows), _FEWEST_ROWS) - 0.4, -0.6)
    ax.set_xlim(0, 1.05 * max(0.001, float(share.max())))
    columns_beside(
        ax,
        {
            "quotes": [short(n) for n in quotes],
            "only here": [short(n) for n in np.nan_to_num(numbers(rows, "witnesses"))],
            "kept": ["✓" if _is_true(cell) else "" for cell in rows["kept"]],
        },
    )
    percent_ticks(ax.xaxis)
    ax.xaxis.set_major_locator(MaxNLocator(5))
    dress(
        ax,
        _title(frame),
        "Measured. Quotes: later calls that hold something shown under the key; only here: no "
        "other answer had shown it. Kept: the keys that the advice would choose (select)." + few,
        "Bytes of rows under the key (% of bytes)",
        "",
        width=_WRAP,
        lift=HEADS,
    )
    keys = [label(str(key), int(_KEY * roominess(ax))) for key in rows["key"]]
    ax.set_yticks(at, [key if key.strip() else "(blank)" for key in keys])
    ax.tick_params(axis="y", length=0, labelsize=8)
    ax.grid(visible=False, axis="y")
    ax.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    handles = [
        Patch(facecolor=BLUE, edgecolor=BLUE, label="quoted later"),
        Patch(facecolor=_PALE, edgecolor=BLUE, label="never quoted"),
    ]
    legend_below(ax, handles, 2)


def _few(rows: pd.DataFrame) -> pd.DataFrame:
    """The keys that matter most, the largest first."""
    share = numbers(rows, "bytes_share")
    matters = np.array([_is_true(cell) for cell in rows["kept"]])
    matters |= numbers(rows, "quotes") > 0
    chosen = np.lexsort((-share, ~matters))[:_ROWS]
    return rows.iloc[chosen[np.argsort(-share[chosen], kind="stable")]]


def _is_true(cell: object) -> bool:
    return is_value(cell) and bool(cell)


def _title(frame: pd.DataFrame) -> str:
    tool = frame["tool"].iloc[0] if "tool" in frame else frame.attrs.get("tool")
    if tool is None:
        return "Which keys of a tool are used later"
    return f"Which keys of {label(str(tool), _TOOL, keep_end=False)} are used later"
