"""Whether a parameter set is that of the policy that a tool has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from ctxlab.errors import ParameterError
from ctxlab.params import ParamSet

__all__ = ["of_policy"]

P = TypeVar("P", bound=ParamSet)


def of_policy(
    params: ParamSet | None, policy: type[P], target: str, certificate: Mapping[str, Any]
) -> P | None:
    """Give the parameters back as those of the policy.

    Raises
    ------
    ParameterError
        If they are another policy's, or the certificate is: it says so where there are none.
    """
    named = str(certificate.get("policy", policy.__name__.lower()))
    if named == policy.__name__.lower() and (params is None or isinstance(params, policy)):
        return params
    got = named.capitalize() if params is None else type(params).__name__
    raise ParameterError(
        f"`target` {target} takes parameters of {policy.__name__}, got {got}; "
        f"`json` takes those of every policy"
    )
