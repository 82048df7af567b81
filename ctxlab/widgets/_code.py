"""A sweep and a policy as the Python that makes them."""

from __future__ import annotations

from typing import Any

from ctxlab.dedup.params import Dedup, Proof
from ctxlab.lab import DedupSweep

__all__ = ["code_of"]


def code_of(sweep: DedupSweep, policy: Dedup, proof: Proof) -> str:
    """Give statements that need a `lab` and make `sweep`, `policy` and `replay`.

    A sweep that is no full grid is written as the smallest full grid around it.
    """
    given = [cell.as_dict() for cell in sweep.table.cells]
    values = {name: list(dict.fromkeys(own[name] for own in given)) for name in given[0]}
    proofs = values.pop("proof")
    one = {name: found[0] for name, found in values.items() if len(found) == 1}
    arguments = [
        *(f"{name}={_several(found)}" for name, found in values.items() if len(found) > 1),
        f"base={_policy(Dedup.of(**one))}",
        f"tools={list(sweep.tools)!r}",
        f"proof={proofs!r}",
    ]
    lines = "".join(f"    {argument},\n" for argument in arguments)
    return (
        f"import ctxlab\n\nsweep = lab.sweep(\n    ctxlab.Dedup,\n{lines})\n"
        f"policy = {_policy(policy)}\n"
        f"replay = lab.replay(policy, tools={list(sweep.tools)!r}, proof={proof!r})\n"
    )


def _policy(params: Dedup) -> str:
    """Only what differs from the defaults."""
    declared = Dedup.params()
    changed = {n: v for n, v in params.as_dict().items() if v != declared[n].default}
    return f"ctxlab.Dedup({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


def _several(values: list[Any]) -> str:
    """Numbers without a gap as a range."""
    if all(type(value) is int for value in values):
        without_gap = range(values[0], values[-1] + 1)
        if list(without_gap) == values:
            return repr(without_gap)
    return repr(values)
