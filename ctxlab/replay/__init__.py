"""Transcripts through a policy: facts, decisions, scores, sweeps."""

from ctxlab.dedup.facts import Facts
from ctxlab.replay.corpus import Logs, Setting, corpus_facts, family_facts
from ctxlab.replay.recall_cache import RecallSetting, cached, facts_key
from ctxlab.replay.recall_corpus import LookedUp, RecallCorpus, look_up_all, observe_corpus
from ctxlab.replay.recall_scores import CONTROLS, RECALL_METRICS
from ctxlab.replay.recall_sweep import RecallCell, RecallTable, recall_cells, sweep_recall
from ctxlab.replay.scores import METRICS, Scores, harm_metric, score
from ctxlab.replay.surface_cache import SURFACE_FACTS_VERSION
from ctxlab.replay.surface_corpus import answer_rows, surface_corpus_facts, surface_facts
from ctxlab.replay.surface_scores import SURFACE_METRICS
from ctxlab.replay.surface_sweep import (
    SurfaceCell,
    SurfaceTable,
    hazards,
    surface_cells,
    sweep_surface,
)
from ctxlab.replay.survey import Survey, survey
from ctxlab.replay.sweep import PROOFS, Cell, DedupTable, cells, sweep
from ctxlab.replay.table import Metric, SweepTable

__all__ = [
    "CONTROLS",
    "METRICS",
    "PROOFS",
    "RECALL_METRICS",
    "SURFACE_FACTS_VERSION",
    "SURFACE_METRICS",
    "Cell",
    "DedupTable",
    "Facts",
    "Logs",
    "LookedUp",
    "Metric",
    "RecallCell",
    "RecallCorpus",
    "RecallSetting",
    "RecallTable",
    "Scores",
    "Setting",
    "SurfaceCell",
    "SurfaceTable",
    "Survey",
    "SweepTable",
    "answer_rows",
    "cached",
    "cells",
    "corpus_facts",
    "facts_key",
    "family_facts",
    "harm_metric",
    "hazards",
    "look_up_all",
    "observe_corpus",
    "recall_cells",
    "score",
    "surface_cells",
    "surface_corpus_facts",
    "surface_facts",
    "survey",
    "sweep",
    "sweep_recall",
    "sweep_surface",
]
