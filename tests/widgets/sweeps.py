"""Sweeps whose scores are written by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ctxlab.dedup.decide import HARM_CAUSES
from ctxlab.dedup.params import Dedup
from ctxlab.economics import TokenRate
from ctxlab.lab import DedupSweep, Sweep
from ctxlab.replay import METRICS, Cell, Survey, SweepTable, cells, harm_metric
from ctxlab.widgets._controller import Controller
from ctxlab.widgets._kinds import start

Scores = Mapping[str, float]


def by_rule(cell: Cell, transcript: int) -> Scores:
    """Less is withheld by a longer shortest run; an unlimited horizon does harm."""
    withheld = 1000.0 / cell.params.min_covered_lines
    return {
        "withheld_bytes": withheld + transcript,
        "pointer_bytes": 20.0,
        "pointers": 2.0,
        "harmful_compaction": 1.0 if cell.params.view_calls is None else 0.0,
    }


def sweep_of(
    rule: Callable[[Cell, int], Scores] = by_rule,
    *,
    transcripts: tuple[str, ...] = ("t0", "t1", "t2"),
    base: Dedup | None = None,
    proof: tuple[Any, ...] = ("whole_file",),
    new_input_tokens: float = 5000.0,
    **grid: Any,
) -> DedupSweep:
    """A sweep with one family a transcript."""
    n = len(transcripts)
    points = cells(base or Dedup(guard=False), grid, proof)
    names = ("withheld_bytes", "folded_bytes", "pointer_bytes", "pointers")
    names += tuple(harm_metric(cause) for cause in HARM_CAUSES[1:])
    scores = [[rule(cell, t) for t in range(n)] for cell in points]
    table = SweepTable(
        points,
        transcripts,
        tuple(f"family of {name}" for name in transcripts),
        np.arange(n, dtype=np.int32),
        {"calls": np.full(n, 4.0), "sections": np.full(n, 4.0), "touched_bytes": np.full(n, 1e4)},
        {name: np.array([[s.get(name, 0.0) for s in row] for row in scores]) for name in names},
        METRICS,
    )
    sizes = pd.DataFrame(
        {
            "transcript": transcripts,
            "tool_result_bytes": [20_000] * n,
            "new_input_tokens": [new_input_tokens] * n,
        }
    )
    nothing = pd.DataFrame()
    return DedupSweep(
        table, Survey(sizes, nothing, nothing, nothing, TokenRate(4.0, "modelled", 1000))
    )


def two_axes(**changes: Any) -> DedupSweep:
    """Four thresholds and three horizons."""
    return sweep_of(**{"min_covered_lines": (1, 4, 8, 16), "view_calls": (1, 4, None), **changes})


def rerun_at_the_end(sweep: Sweep, lab: object) -> tuple[Controller[Any], Any]:
    """Move all parameters to their last values and run the code; give the policy that it makes."""
    at = start(sweep)
    for name, values in at.grid.swept.items():
        at = at.choose(name, values[-1])
    names: dict[str, Any] = {"lab": lab}
    exec(at.code(), names)
    return at, names["policy"]
