"""A grid of parameters over facts. A sweep never replays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.dedup.decide import HARM_CAUSES, ages, decide
from ctxlab.dedup.facts import Facts
from ctxlab.dedup.params import Dedup, Proof, RecordScope
from ctxlab.errors import ParameterError
from ctxlab.log import Ints
from ctxlab.replay.scores import FIXED, METRICS, harm_metric, score

__all__ = ["PROOFS", "Cell", "SweepTable", "cells", "sweep"]

PROOFS: tuple[Proof, ...] = ("line_text", "hunks", "whole_file")

MAX_CELLS = 100_000
"""More would take hours and gigabytes."""

Table = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cell:
    """One point of a sweep: the tool's parameters and the proof that the replay accepts."""

    params: Dedup
    proof: Proof = "line_text"

    def as_dict(self) -> dict[str, Any]:
        """Parameters and proof by name."""
        return {**self.params.as_dict(), "proof": self.proof}


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
    values = {name: tuple(dict.fromkeys(map(_plain, given))) for name, given in grid.items()}
    proofs = tuple(proofs)
    for name, given in [*values.items(), ("proof", proofs)]:
        if not given:
            raise ParameterError(f"`{name}` needs at least one value to sweep over, got none")
    for proof in proofs:
        if proof not in PROOFS:
            raise ParameterError(f"`proof` must be one of {', '.join(PROOFS)}, got {proof!r}")
    n_cells = len(proofs) * prod(map(len, values.values()))
    if n_cells > MAX_CELLS:
        raise ParameterError(
            f"the grid has {n_cells:,} cells, at most {MAX_CELLS:,} are swept at once: name fewer "
            "values"
        )
    return tuple(
        Cell(Dedup.of(**{**base.as_dict(), **dict(zip(values, point, strict=True))}), proof)
        for proof in proofs
        for point in product(*values.values())
    )


def _plain(value: Any) -> Any:
    """Whole numbers of NumPy, as `np.arange` gives them, become Python's own."""
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True, slots=True, eq=False)
class SweepTable:
    """Scores of all cells: one number a cell, transcript and metric.

    `family_of` gives each transcript's index in `families`. `fixed` holds the metrics that no
    parameter changes, of shape (n_transcripts,); `values` the others, (n_cells, n_transcripts).
    """

    cells: tuple[Cell, ...]
    transcripts: tuple[str, ...]
    families: tuple[str, ...]
    family_of: Ints
    fixed: Mapping[str, Table]
    values: Mapping[str, Table]

    def metric(self, name: str) -> Table:
        """Scores of shape (n_cells, n_transcripts).

        Raises
        ------
        ParameterError
            If there is no such metric.
        """
        if name in self.fixed:
            return np.tile(self.fixed[name], (len(self.cells), 1))
        if name in self.values:
            return self.values[name]
        if name == "net_bytes":
            v = self.values
            net: Table = v["withheld_bytes"] + v["folded_bytes"] - v["pointer_bytes"]
            return net
        if name == "harmful_pointers":
            harmful: Table = np.sum([self.values[harm_metric(c)] for c in HARM_CAUSES[1:]], axis=0)
            return harmful
        raise ParameterError(f"no metric `{name}`; known: {', '.join(METRICS)}")

    def by_family(self, name: str) -> Table:
        """Scores summed over the transcripts of each family: (n_cells, n_families)."""
        # Transcripts stand family by family, and no family is without one.
        begins = np.searchsorted(self.family_of, np.arange(len(self.families)))
        summed: Table = np.add.reduceat(self.metric(name), begins, axis=1)
        return summed

    def totals(self) -> dict[str, npt.NDArray[Any]]:
        """Columns of a frame with one row a cell: its parameters, then each metric's sum."""
        columns: dict[str, npt.NDArray[Any]] = {}
        rows = [cell.as_dict() for cell in self.cells]
        for name in rows[0] if rows else ():
            given = [row[name] for row in rows]
            columns[name] = np.array(given, dtype=object if None in given else None)
        return {**columns, **{name: self.metric(name).sum(axis=1) for name in METRICS}}

    def select(self, keep: Sequence[int]) -> SweepTable:
        """Only some of the cells."""
        at = np.array(keep, dtype=np.int64)
        return SweepTable(
            tuple(self.cells[i] for i in at),
            self.transcripts,
            self.families,
            self.family_of,
            self.fixed,
            {name: table[at] for name, table in self.values.items()},
        )


def sweep(
    facts_of: Callable[[Proof, RecordScope], Facts],
    grid: Sequence[Cell],
    advance: Callable[[int], None] = lambda cells: None,
) -> SweepTable:
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
            if name not in (*FIXED, "net_bytes", "harmful_pointers")
        },
    )
