"""Whether a parameter set is that of the policy that a tool has."""

from __future__ import annotations

from typing import TypeVar

from ctxlab.errors import ParameterError
from ctxlab.params import ParamSet

__all__ = ["of_policy"]

P = TypeVar("P", bound=ParamSet)


def of_policy(params: ParamSet | None, policy: type[P], target: str) -> P | None:
    """Give the parameters back as those of the policy.

    Raises
    ------
    ParameterError
        If they are another policy's.
    """
    if params is None or isinstance(params, policy):
        return params
    raise ParameterError(
        f"`target` {target} takes parameters of {policy.__name__}, got {type(params).__name__}; "
        f"`json` takes those of every policy"
    )
