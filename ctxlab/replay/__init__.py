"""Transcripts through a policy: facts, decisions, scores, sweeps."""

from ctxlab.replay.scores import METRICS, Scores, score
from ctxlab.replay.sweep import Cell, cells, sweep_scores

__all__ = ["METRICS", "Cell", "Scores", "cells", "score", "sweep_scores"]
