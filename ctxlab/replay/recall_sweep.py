"""A grid of recall parameters over facts. A sweep never looks anything up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ctxlab.errors import ParameterError
from ctxlab.recall.decide import decide, prepare
from ctxlab.recall.facts import RecallFacts
from ctxlab.recall.params import Recall
from ctxlab.replay.recall_cache import RecallSetting
from ctxlab.replay.recall_scores import RECALL_METRICS, fixed_scores, recall_scores
from ctxlab.replay.table import SweepTable, Table, grid_points

__all__ = ["RecallCell", "RecallTable", "recall_cells", "sweep_recall"]


@dataclass(frozen=True, slots=True)
class RecallCell:
    """One point of a sweep: the hook's parameters."""

    params: Recall

    def as_dict(self) -> dict[str, Any]:
        """Parameters by name."""
        return self.params.as_dict()


RecallTable = SweepTable[RecallCell]


def recall_cells(base: Recall, grid: Mapping[str, Iterable[Any]]) -> tuple[RecallCell, ...]:
    """All combinations of the grid's values, the other parameters as in `base`.

    Raises
    ------
    ParameterError
        If a name is no parameter of the policy, a value is out of bounds, or a list is empty.
    """
    return tuple(
        RecallCell(Recall.of(**{**base.as_dict(), **point})) for point in grid_points(grid)
    )


def sweep_recall(
    facts_of: Callable[[RecallSetting], RecallFacts],
    graph: str,
    grid: Sequence[RecallCell],
    advance: Callable[[int], None] = lambda cells: None,
) -> RecallTable:
    """Score each cell.

    Parameters
    ----------
    facts_of : callable
        Gives the facts for a setting, of the same transcripts for all.
    graph : str
        Where the graph is from, as in `RecallSetting`.
    grid : sequence of RecallCell
        At least one.
    advance : callable
        Told of each cell that is done.

    Raises
    ------
    ParameterError
        If there is no cell, or cells of both gates: their graphs answer with other lines, so that
        what no floor changes would not be one number.
    """
    if not grid:
        raise ParameterError("a sweep needs at least one cell, got none")
    settings = {RecallSetting.of(cell.params, graph) for cell in grid}
    if len(settings) > 1:
        raise ParameterError(
            "`gate`, `max_query_terms` and `max_excerpt_bytes` must have one value in a sweep: "
            "sweep each value by itself"
        )
    facts = facts_of(*settings)
    prepared = prepare(facts)
    rows: dict[str, list[Table]] = {}
    for cell in grid:
        for name, values in recall_scores(facts, decide(facts, cell.params, prepared)).items():
            rows.setdefault(name, []).append(values)
        advance(1)
    return SweepTable(
        tuple(grid),
        facts.transcripts,
        facts.families,
        facts.family_of_transcript,
        fixed_scores(facts),
        {name: np.stack(table) for name, table in rows.items()},
        RECALL_METRICS,
    )
