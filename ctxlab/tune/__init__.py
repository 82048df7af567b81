"""From a sweep to settings to ship."""

from ctxlab.tune._floor_values import FloorChoice, FloorJudgement, FloorTable
from ctxlab.tune._halves import MIN_FAMILIES, Split, split_by_time
from ctxlab.tune.floor import families_with_use_needed, recommend_floor
from ctxlab.tune.recommend import Choice, Judgement, gain_over, recommend
from ctxlab.tune.signal import PLACES, Signal, score_signal

__all__ = [
    "MIN_FAMILIES",
    "PLACES",
    "Choice",
    "FloorChoice",
    "FloorJudgement",
    "FloorTable",
    "Judgement",
    "Signal",
    "Split",
    "families_with_use_needed",
    "gain_over",
    "recommend",
    "recommend_floor",
    "score_signal",
    "split_by_time",
]
