"""A grid of parameters over facts. A sweep never replays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from ctxlab.dedup.decide import ages, decide
from ctxlab.dedup.facts import Facts
from ctxlab.dedup.params import Dedup, Proof, RecordScope
from ctxlab.errors import ParameterError
from ctxlab.log import Ints
from ctxlab.replay.scores import Scores, score

__all__ = ["PROOFS", "Cell", "cells", "sweep_scores"]

PROOFS: tuple[Proof, ...] = ("line_text", "hunks", "whole_file")


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
    values = {name: tuple(given) for name, given in grid.items()}
    for name, given in [*values.items(), ("proof", tuple(proofs))]:
        if not given:
            raise ParameterError(f"`{name}` needs at least one value to sweep over, got none")
    for proof in proofs:
        if proof not in PROOFS:
            raise ParameterError(f"`proof` must be one of {', '.join(PROOFS)}, got {proof!r}")
    return tuple(
        Cell(Dedup.of(**{**base.as_dict(), **dict(zip(values, point, strict=True))}), proof)
        for proof in proofs
        for point in product(*values.values())
    )


def sweep_scores(
    facts_of: Callable[[Proof, RecordScope], Facts], grid: Iterable[Cell]
) -> Iterator[tuple[Cell, Scores]]:
    """Score each cell; what does not depend on a threshold is found once.

    Parameters
    ----------
    facts_of : callable
        Gives the facts for a proof and a record scope.
    """
    held: dict[tuple[str, str, bool], Ints] = {}
    for cell in grid:
        scope, reset = cell.params.record_scope, cell.params.reset_on_compaction
        facts = facts_of(cell.proof, scope)
        key = (cell.proof, scope, reset)
        if key not in held:
            held[key] = ages(facts, reset)
        yield cell, score(facts, decide(facts, cell.params, held[key]))
