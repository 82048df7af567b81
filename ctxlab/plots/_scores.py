"""Whether prompts whose pointers were used score higher than the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ctxlab.plots._canvas import (
    BLUE,
    GREY,
    VERMILLION,
    below,
    dress,
    dress_axes,
    legend_below,
    numbers,
    percent_ticks,
    plot,
    say,
)
from ctxlab.plots._flags import flags
from ctxlab.recall.params import Recall
from ctxlab.words import counted

__all__ = ["score_distribution"]

_NOTHING = "No prompt found anything in its graph, so there is nothing to draw."
_BINS = 28
_STYLES = {True: ("used", BLUE, "-", ""), False: ("unused", VERMILLION, "--", "////")}


@plot("score", "used", "family", size=(6.4, 5.2), empty=_NOTHING)
def score_distribution(frame: pd.DataFrame, ax: Axes) -> None:
    """Draw how many prompts reach each score, apart for used and unused pointers.

    At a floor the upper curves tell which share of either group would still fire: a floor sorts
    where they stand apart. Below, both are histograms back to back, each in percent of its group.

    Parameters
    ----------
    frame : DataFrame
        One row a prompt that was asked: `score`, the best score of a phrase (BM25; NaN where
        nothing matched: not drawn), `used` (bool; missing: not drawn): whether one of its pointers
        was, and `family`.
        `frame.attrs["auc"]` may hold the area under the ROC curve and the ends of its interval;
        None or NaN is unknown.
    ax : Axes, optional
        Where to draw.
    """
    score, use = numbers(frame, "score"), numbers(frame, "used")
    found, known = np.isfinite(score), np.isfinite(use)
    rows, score, used = frame[found & known], score[found & known], use[found & known] > 0
    if rows.empty:
        say(ax, _NOTHING)
        return
    strip = below(ax, 0.36)
    low, high = min(0.0, score.min()), score.max()
    edges = np.linspace(low, high if high > low else low + 1.0, _BINS + 1)
    lines = []
    for group, (words, colour, dash, hatch) in _STYLES.items():
        scores = np.sort(score[used == group])
        n = f"{words} ({counted(len(scores), 'prompt')})"
        lines.append(Line2D([], [], color=colour, ls=dash, linewidth=1.8, label=n))
        if len(scores):
            _reached(ax, scores, edges[0], colour, dash)
            up = np.histogram(scores, edges)[0] / len(scores) * (1 if group else -1)
            strip.stairs(
                up, edges, fill=True, facecolor=colour, alpha=0.35, hatch=hatch, edgecolor=colour
            )
            strip.stairs(up, edges, color=colour, linestyle=dash, linewidth=1.2)
    ax.set_ylim(-0.02, 1.04)
    percent_ticks(ax.yaxis)
    strip.axhline(0, color=GREY, linewidth=0.8)
    strip.yaxis.set_major_locator(MaxNLocator(5))
    percent_ticks(strip.yaxis)
    floor = Recall().min_hit_score
    shipped = pd.DataFrame({"floor": [floor]})
    lift = flags([ax, strip], {"shipped": shipped}, "floor", lambda r: f"floor {r['floor']:g}")
    left_out = {"found nothing": (~found).sum(), "are of unknown use": (found & ~known).sum()}
    dress(
        ax,
        "Scores of prompts with used and with unused pointers",
        "Measured. Used: before the next prompt the agent opened, edited or quoted what a pointer "
        f"names. {_signal(frame.attrs.get('auc'))}{len(rows):,} prompts of "
        f"{rows['family'].nunique():,} families."
        + "".join(f" {n:,} more {why} and are not drawn." for why, n in left_out.items() if n),
        "",
        "Prompts that reach\nthe score (%)",
        lift=lift,
    )
    dress_axes(strip, "Best score of a phrase of the prompt (BM25)", "Prompts of\nthe group (%)")
    legend_below(strip, lines, 2, "Pointers of the prompt:")


def _reached(
    ax: Axes, scores: npt.NDArray[np.float64], begin: float, colour: str, dash: str
) -> None:
    """Draw which share of sorted scores is at least as high, from all of them down to none."""
    n = len(scores)
    ax.plot(
        np.concatenate([[begin], scores]),
        np.concatenate([[1.0], 1 - np.arange(1, n + 1) / n]),
        drawstyle="steps-post",
        color=colour,
        linestyle=dash,
        linewidth=1.8,
        label="_used" if dash == "-" else "_unused",
    )


def _signal(auc: Sequence[float | None] | None) -> str:
    """What the area under the ROC curve says, in words."""
    value, low, high = (np.nan if number is None else number for number in auc or [None] * 3)
    if not np.isfinite(value):
        return ""
    if not (np.isfinite(low) and np.isfinite(high)):
        return f"AUC {value:.2f}, no interval: whether the score tells them apart is not known. "
    if low <= 0.5 <= high:
        meant = "includes 0.5, so the score may not tell them apart"
    elif low > 0.5:
        meant = "above 0.5, so used ones score higher"
    else:
        meant = "below 0.5, so used ones score lower"
    return f"AUC {value:.2f}, interval {low:.2f} to {high:.2f}: {meant}. "
