"""From a sweep to settings to ship."""

from ctxlab.tune.recommend import Choice, Judgement, Split, recommend, split_by_time

__all__ = ["Choice", "Judgement", "Split", "recommend", "split_by_time"]
