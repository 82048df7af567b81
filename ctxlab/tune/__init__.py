"""From a sweep to settings to ship."""

from ctxlab.tune.recommend import (
    MIN_FAMILIES,
    Choice,
    Judgement,
    Split,
    gain_over,
    recommend,
    split_by_time,
)

__all__ = [
    "MIN_FAMILIES",
    "Choice",
    "Judgement",
    "Split",
    "gain_over",
    "recommend",
    "split_by_time",
]
