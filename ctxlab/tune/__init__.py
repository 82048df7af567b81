"""From a sweep to settings to ship."""

from ctxlab.tune._floor_values import FloorChoice, FloorJudgement, FloorTable
from ctxlab.tune._halves import MIN_FAMILIES, Split, split_by_time
from ctxlab.tune.floor import families_with_use_needed, recommend_floor
from ctxlab.tune.keys import KeyChoice, KeyJudgement, key_uses, recommend_keys
from ctxlab.tune.recommend import Choice, Judgement, gain_over, recommend
from ctxlab.tune.signal import PLACES, Signal, score_signal
from ctxlab.tune.surface import (
    SurfaceChoice,
    SurfaceJudgement,
    best_at_prices,
    frontier,
    recommend_by_tool,
    recommend_surface,
)

__all__ = [
    "MIN_FAMILIES",
    "PLACES",
    "Choice",
    "FloorChoice",
    "FloorJudgement",
    "FloorTable",
    "Judgement",
    "KeyChoice",
    "KeyJudgement",
    "Signal",
    "Split",
    "SurfaceChoice",
    "SurfaceJudgement",
    "best_at_prices",
    "families_with_use_needed",
    "frontier",
    "gain_over",
    "key_uses",
    "recommend",
    "recommend_by_tool",
    "recommend_floor",
    "recommend_keys",
    "recommend_surface",
    "score_signal",
    "split_by_time",
]
