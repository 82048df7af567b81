"""From a sweep of recall to a setting to ship, the shipped default, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ctxlab.errors import ParameterError
from ctxlab.lab._recall_sweep import RecallSweep
from ctxlab.recall.params import Recall
from ctxlab.tune import FloorChoice, FloorTable, recommend_floor

__all__ = ["choose_floor"]


def choose_floor(sweep: RecallSweep, started_ms: Sequence[int | None], keep: float) -> FloorChoice:
    """Choose among the cells of a sweep on earlier families, judge on later ones.

    Raises
    ------
    ParameterError
        The sweep is of the coverage gate, which has no floor, or does not hold the default.
    """
    table = sweep.table
    cells = tuple(cell.params for cell in table.cells)
    if cells[0].gate != "identifier":
        raise ParameterError(
            "`sweep` must be of gate 'identifier': the coverage gate has no score to set a floor on"
        )
    default = Recall.of(
        **{
            **Recall().as_dict(),
            "max_query_terms": cells[0].max_query_terms,
            "max_excerpt_bytes": cells[0].max_excerpt_bytes,
        }
    )
    if default not in cells:
        raise ParameterError(
            "`sweep` must hold the shipped default, to compare with: add min_hit_score "
            f"{default.min_hit_score}, max_hits {default.max_hits}, max_output_bytes "
            f"{default.max_output_bytes} to its values"
        )
    floors = FloorTable(
        cells=cells,
        output_bytes=table.by_family("output_bytes"),
        fires=table.by_family("fires"),
        printed=table.by_family("pointers"),
        used=table.by_family("used_pointers"),
        shipped=cells.index(default),
    )
    choice = recommend_floor(floors, started_ms, sweep.signal(), keep=keep)
    answered = float(np.sum(table.fixed["prompts"]))
    if not answered:
        why = "no prompt of these transcripts has a graph to be looked up in"
        return replace(choice, status="none", reasons=(why,))
    return choice
