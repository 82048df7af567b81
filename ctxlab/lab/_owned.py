"""Arguments that belong to one policy, and what they are unless given."""

from __future__ import annotations

from ctxlab.dedup.params import Dedup, Proof
from ctxlab.errors import ParameterError
from ctxlab.events import ToolKind
from ctxlab.params import ParamSet

__all__ = ["USUAL_PROOF", "guard_fits", "guarded", "refuse_others"]

USUAL_PROOF: Proof = "whole_file"  # nearest to the tool, which compares a hash of the whole file

_OWNERS = {
    "tools": "Dedup",
    "proof": "Dedup",
    "guard": "Dedup",
    "graph": "Recall",
    "tool": "Surface",
}


def refuse_others(policy: type[ParamSet], **given: object) -> None:
    """Refuse arguments of another policy; None was not given.

    Raises
    ------
    ParameterError
        An argument is of another policy.
    """
    for name, value in given.items():
        if value is not None and _OWNERS[name] != policy.__name__:
            raise ParameterError(f"`{name}` is an argument of {_OWNERS[name]} alone, got {value!r}")


def guard_fits(params: Dedup, tools: tuple[ToolKind, ...]) -> Dedup:
    """Take the guard off where each answer holds one file: it would undo every full pointer."""
    if tools != ("read",):
        return params
    return guarded(params, False)


def guarded(params: Dedup, guard: bool) -> Dedup:
    """Give the same parameters with the guard on or off."""
    return Dedup.of(**{**params.as_dict(), "guard": guard})
