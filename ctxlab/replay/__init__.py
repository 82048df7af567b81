"""Transcripts through a policy: facts, decisions, scores, sweeps."""

from ctxlab.dedup.facts import Facts
from ctxlab.replay.corpus import Logs, Setting, corpus_facts, family_facts
from ctxlab.replay.scores import METRICS, Scores, harm_metric, score
from ctxlab.replay.survey import Survey, survey
from ctxlab.replay.sweep import PROOFS, Cell, DedupTable, cells, sweep
from ctxlab.replay.table import Metric, SweepTable

__all__ = [
    "METRICS",
    "PROOFS",
    "Cell",
    "DedupTable",
    "Facts",
    "Logs",
    "Metric",
    "Scores",
    "Setting",
    "Survey",
    "SweepTable",
    "cells",
    "corpus_facts",
    "family_facts",
    "harm_metric",
    "score",
    "survey",
    "sweep",
]
