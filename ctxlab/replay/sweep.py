"""A grid of dedup parameters over facts. A sweep never replays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ctxlab.dedup.decide import ages, decide
from ctxlab.dedup.facts import Facts
from ctxlab.dedup.params import Dedup, Proof, RecordScope
from ctxlab.errors import ParameterError
from ctxlab.log import Ints
from ctxlab.replay.scores import FIXED, METRICS, score
from ctxlab.replay.table import SweepTable, Table, grid_points

__all__ = ["PROOFS", "Cell", "DedupTable", "cells", "sweep"]

PROOFS: tuple[Proof, ...] = ("line_text", "hunks", "whole_file")


@dataclass(frozen=True, slots=True)
class Cell:
    """One point of a sweep: the tool's parameters and the proof that the replay accepts."""

    params: Dedup
    proof: Proof = "line_text"

    def as_dict(self) -> dict[str, Any]:
        """Parameters and proof by name."""
        return {**self.params.as_dict(), "proof": self.proof}


DedupTable = SweepTable[Cell]


def cells(
    base: Dedup, grid: Mapping[str, Iterable[Any]], proofs: Iterable[Proof] = ("line_text",)
) -> tuple[Cell, ...]:
    """All combinations of the grid's values, the other parameters as in `base`.

    Raises
    ------
    ParameterError
        If a name is no parameter of the policy, a value is out of bounds, a list is empty, or a
        proof is unknown.
    """
    proofs = tuple(proofs)
    for proof in proofs:
        if proof not in PROOFS:
            raise ParameterError(f"`proof` must be one of {', '.join(PROOFS)}, got {proof!r}")
    points = [Dedup.of(**{**base.as_dict(), **p}) for p in grid_points(grid, {"proof": proofs})]
    return tuple(Cell(params, proof) for proof in proofs for params in points)


def sweep(
    facts_of: Callable[[Proof, RecordScope], Facts],
    grid: Sequence[Cell],
    advance: Callable[[int], None] = lambda cells: None,
) -> DedupTable:
    """Score each cell; what does not depend on a threshold is found once.

    Parameters
    ----------
    facts_of : callable
        Gives the facts for a proof and a record scope, of the same transcripts for all.
    grid : sequence of Cell
        At least one.
    advance : callable
        Told of each cell that is done.

    Raises
    ------
    ParameterError
        If there is no cell.
    """
    if not grid:
        raise ParameterError("a sweep needs at least one cell, got none")
    held: dict[tuple[str, str, bool], Ints] = {}
    rows: dict[str, list[Table]] = {}
    for cell in grid:
        scope, reset = cell.params.record_scope, cell.params.reset_on_compaction
        facts = facts_of(cell.proof, scope)
        key = (cell.proof, scope, reset)
        if key not in held:
            held[key] = ages(facts, reset)
        scores = score(facts, decide(facts, cell.params, held[key]))
        for name, values in scores.values.items():
            rows.setdefault(name, []).append(values)
        advance(1)
    return SweepTable(
        tuple(grid),
        facts.transcripts,
        facts.families,
        facts.family_of_transcript,
        {name: rows[name][0] for name in FIXED},
        {
            name: np.stack(table)
            for name, table in rows.items()
            if name not in FIXED and METRICS[name].derive is None
        },
        METRICS,
    )
