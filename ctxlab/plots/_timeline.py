"""One transcript in time: what was served, what would have been pointed at, what was forgotten."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ctxlab.plots._canvas import (
    BLUE,
    GREY,
    INK,
    PURPLE,
    VERMILLION,
    dress,
    label,
    legend_below,
    plot,
)

__all__ = ["context_timeline"]

_FILES, _NAME = 12, 26

_OUTCOMES = {
    "sent": ("sent", "#6E8CA0", "o"),
    "pointer": ("pointer, true", BLUE, "D"),
    "folded_unseen": ("harmful: lines never sent", VERMILLION, "v"),
    "branch": ("harmful: on an abandoned branch", VERMILLION, "<"),
    "microcompaction": ("harmful: result cleared", VERMILLION, "P"),
    "clear": ("harmful: context cleared", VERMILLION, "s"),
    "compaction": ("harmful: compacted", VERMILLION, "X"),
    "other_thread": ("harmful: sent to another thread", PURPLE, "*"),
}
_MARKS = {
    "compaction": ("compaction", INK, "-"),
    "clear": ("context cleared", INK, "--"),
    "microcompaction": ("some results cleared", INK, ":"),
    "rewind": ("went back", PURPLE, "-."),
    "resume": ("resumed", GREY, "--"),
}


@plot(
    "what",
    "request",
    "path",
    "outcome",
    "lines",
    "touched_bytes",
    size=(6.4, 5.4),
    empty="Nothing was served to this thread, so there is nothing to draw.",
)
def context_timeline(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw one thread: files against model requests, each served section by what became of it.

    The files with the most served bytes have a row each, all others share the last one. The area
    of a mark grows with its lines. Vertical lines are events that take results out of the context;
    small strokes are edits of a file.

    Parameters
    ----------
    frame : DataFrame
        As `ctxlab.replay.timeline.timeline` gives it.
    ax : Axes, optional
        Where to draw.
    """
    served = frame[frame["what"] == "served"]
    # Not by pandas: its strings hold no lone surrogates.
    by_bytes: Counter[str] = Counter()
    for path, size in zip(served["path"], served["touched_bytes"], strict=True):
        by_bytes[path] += size
    ranked = [path for path, _ in by_bytes.most_common()]
    own = ranked if len(ranked) <= _FILES + 1 else ranked[:_FILES]
    row_of = {path: min(i, len(own)) for i, path in enumerate(ranked)}
    _draw_marks(frame, ax)
    edits = frame[(frame["what"] == "edit") & frame["path"].map(lambda path: path in row_of)]
    ax.plot(
        edits["request"].astype(float) + 0.5,
        [row_of[path] for path in edits["path"]],
        linestyle="",
        marker="|",
        markersize=11,
        markeredgewidth=1.4,
        color=INK,
        label="file edited" if len(edits) else "_none",
    )
    most = max(1.0, float(served["lines"].max())) if len(served) else 1.0
    for outcome, (_, colour, marker) in _OUTCOMES.items():
        rows = served[served["outcome"] == outcome]
        if rows.empty:
            continue
        ax.scatter(
            rows["request"].astype(float),
            [row_of[path] for path in rows["path"]],
            s=14 + 170 * rows["lines"].to_numpy(float) / most,
            c=colour,
            marker=marker,
            alpha=0.8,
            edgecolors="white",
            linewidths=0.6,
            zorder=3,
            gid=outcome,
        )
    names = [label(path, _NAME) for path in own]
    if len(own) < len(ranked):
        names.append(f"{len(ranked) - len(own):,} other files")
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(max(len(names), 1) - 0.4, -0.6)
    ax.set_xlim(-1, max(1.0, float(frame["request"].max())) + 2)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(axis="y", color="#E4E4E4", linewidth=0.7)
    ax.set_axisbelow(True)
    dress(
        ax,
        "What one agent was served over time",
        "Served source is measured; what the policy would have done with it is bounded. "
        f"Largest mark: {most:,.0f} lines. Files with most bytes first.",
        "Model request of this thread (number)",
        "",
        width=66,
    )
    ax.tick_params(axis="y", labelsize=8, length=0)
    _legend(ax, served, frame)


def _draw_marks(frame: pd.DataFrame, ax: Axes) -> None:
    for what, (_, colour, dash) in _MARKS.items():
        for request in frame.loc[frame["what"] == what, "request"].astype(float):
            ax.axvline(request + 0.5, color=colour, linestyle=dash, linewidth=1.2, zorder=1)


def _legend(ax: Axes, served: pd.DataFrame, frame: pd.DataFrame) -> None:
    counts = served["outcome"].value_counts()
    entries = [
        Line2D(
            [],
            [],
            linestyle="",
            marker=marker,
            color=colour,
            markersize=7,
            label=f"{words} ({counts[outcome]:,})",
        )
        for outcome, (words, colour, marker) in _OUTCOMES.items()
        if outcome in counts.index
    ]
    entries += [
        Line2D([], [], color=colour, ls=dash, linewidth=1.2, label=words)
        for what, (words, colour, dash) in _MARKS.items()
        if np.any(frame["what"] == what)
    ]
    if np.any(frame["what"] == "edit"):
        stroke = Line2D([], [], linestyle="", color=INK, marker="|", label="file edited")
        stroke.set(markersize=9, markeredgewidth=1.4)
        entries.append(stroke)
    legend_below(ax, entries, 2)
