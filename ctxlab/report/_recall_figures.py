"""The figures of a report on recall, each with the words that stand beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxlab import plots
from ctxlab.lab import RecallTuned
from ctxlab.report.content import Picture

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["recall_pictures"]


def recall_pictures(tuned: RecallTuned) -> dict[str, Picture]:
    """Give the figures by file name."""
    drawn: dict[str, tuple[str, str, str, Any]] = {
        "floor_curve": (
            "What each floor lets through",
            "Above: share of printed pointers that were used, with the 95 % interval by family. "
            "Below: how often it fires at recorded prompts, and at controls, where silence is "
            "right.",
            "floors",
            plots.floor_curve(_marked(tuned, tuned.floors.frame())),
        ),
        "score_distribution": (
            "Scores of prompts with used and with unused pointers",
            "A floor sorts only where the two curves stand apart. The AUC is that of pairs within "
            "a project.",
            "prompts",
            plots.score_distribution(tuned.floors.prompts()),
        ),
        "precision_recall": (
            "Precision and recall of pointers at each floor",
            "Recall is of the used pointers that are printed without a floor. Where the curve "
            "stays at the base rate, a floor prints less and is no more precise; the average "
            "precision of all floors is then about the base rate.",
            "precision_recall",
            plots.precision_recall(tuned.floors.precision_recall()),
        ),
        "budget_curve": (
            "What pointers and bytes cost, and what they keep",
            "Used pointers are those of all ranked ones, 12 at most a prompt.",
            "budgets",
            plots.budget_curve(_marked(tuned, tuned.budgets.frame())),
        ),
        "gate_leaks": (
            "What the identifier gate lets through, and misses",
            "Words of the prompts, most frequent first. What matches may be words of a text.",
            "gate_leaks",
            plots.gate_leaks(tuned.leaks),
        ),
    }
    return {
        name: Picture(
            title=title,
            caption=caption,
            alt=f"{title}. {caption} Its figures stand in frames/{frame}.parquet.",
            known="measured",
            drawing=axes,
        )
        for name, (title, caption, frame, axes) in drawn.items()
    }


def _marked(tuned: RecallTuned, frame: pd.DataFrame) -> pd.DataFrame:
    """Mark the recommended setting, where the sweep holds it."""
    chosen = tuned.recommended.params
    if chosen is None:
        return frame
    same = [frame[name] == value for name, value in chosen.as_dict().items()]
    return frame.assign(recommended=[all(row) for row in zip(*same, strict=True)])
