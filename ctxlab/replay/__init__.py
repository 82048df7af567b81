"""Transcripts through a policy: facts, decisions, scores, sweeps."""

from ctxlab.replay.scores import METRICS, Metric, Scores, harm_metric, score
from ctxlab.replay.sweep import PROOFS, Cell, SweepTable, cells, sweep

__all__ = [
    "METRICS",
    "PROOFS",
    "Cell",
    "Metric",
    "Scores",
    "SweepTable",
    "cells",
    "harm_metric",
    "score",
    "sweep",
]
