"""Sweeps of recall over a few prompts written by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ctxlab.economics import TokenRate
from ctxlab.lab import RecallSweep
from ctxlab.recall.build import QuestionRow, build
from ctxlab.recall.params import Recall
from ctxlab.replay import LookedUp, Survey, recall_cells, sweep_recall
from tests.recall.worlds import LineUse, found, lines, row

UNUSED = LineUse()
USED = LineUse(opened=True)
NAMED = LineUse(opened=True, named=True)


def asked(i: int, score: float, *uses: LineUse) -> list[QuestionRow]:
    """Two prompts of one transcript that find the same lines; the second prints them again."""
    keys = "abcdef"[: len(uses)]
    what = found(best_score=score, ceiling=8.0, lines=lines(*keys))
    return [
        row(what, family=i, transcript=i, context=i, prompt=2 * i + n, uses=uses, requests=5)
        for n in range(2)
    ]


def control(kind: str, i: int, score: float) -> QuestionRow:
    what = found(best_score=score, ceiling=8.0, lines=lines("a"))
    return row(what, kind=kind, family=i, transcript=i, context=i, prompt=2 * i)


def prompts(n: int) -> list[QuestionRow]:
    """A transcript at each score from 1 on; a question that joins two topics scores 2 less."""
    return [
        question
        for i in range(n)
        for question in (
            *asked(i, i + 1.0, USED, NAMED, UNUSED),
            control("joined", i, i - 1.0),
        )
    ]


def recall_sweep(
    rows: list[QuestionRow] | None = None, *, base: Recall | None = None, **grid: Any
) -> RecallSweep:
    """A sweep with one family a transcript; three transcripts unless given."""
    rows = prompts(3) if rows is None else rows
    n = 1 + max((question.transcript for question in rows), default=-1)
    names = [f"t{i}" for i in range(n)]
    facts = build(rows, [f"family of {t}" for t in names], names, range(n), ["p"], [0] * n)
    table = sweep_recall(
        lambda setting: facts, "history", recall_cells(base or Recall(), grid), lambda cells: None
    )
    nothing = pd.DataFrame()
    survey = Survey(nothing, nothing, nothing, nothing, TokenRate(4.0, "modelled", 1000))
    return RecallSweep(table, survey, LookedUp(facts, nothing, nothing), "history")


def all_axes(**changes: Any) -> RecallSweep:
    """Floors, lines, bytes, and repeats."""
    grid = {
        "min_hit_score": (0.05, 2.0, 4.0),
        "max_hits": (1, 6),
        "max_output_bytes": (200, 1200),
        "suppress_repeats": (False, True),
    }
    return recall_sweep(**{**grid, **changes})
