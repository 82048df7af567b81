"""Intervals and bounds from one score a transcript; the unit of resampling is the family."""

from ctxlab.estimate.auc import AucInterval, auc_interval
from ctxlab.estimate.bootstrap import (
    FEW_FAMILIES,
    Band,
    ShareInterval,
    part_interval,
    share_bands,
    share_interval,
)
from ctxlab.estimate.curves import PrecisionRecall, floor_grid, precision_recall
from ctxlab.estimate.rare import upper_rate, upper_shares

__all__ = [
    "FEW_FAMILIES",
    "AucInterval",
    "Band",
    "PrecisionRecall",
    "ShareInterval",
    "auc_interval",
    "floor_grid",
    "part_interval",
    "precision_recall",
    "share_bands",
    "share_interval",
    "upper_rate",
    "upper_shares",
]
