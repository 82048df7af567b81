"""A sweep and a policy as the Python that makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from ctxlab.params import ParamSet

__all__ = ["code_of"]

_WIDTH = 99


def code_of(cells: Sequence[Any], selected: int, arguments: Mapping[str, Any]) -> str:
    """Give statements that need a `lab` and make `sweep`, `policy` and `replay`.

    A sweep that is no full grid is written as the smallest full grid around it. `arguments` are
    those of sweep and replay that no cell holds.
    """
    policy = cells[selected].params
    own = cells[selected].as_dict()
    given = [cell.as_dict() for cell in cells]
    tried = {name: list(dict.fromkeys(each[name] for each in given)) for name in own}
    declared = policy.params()
    varied = {name: values for name, values in tried.items() if len(values) > 1}
    one = {name: values[0] for name, values in tried.items() if len(values) == 1}
    base = type(policy).of(**{name: value for name, value in one.items() if name in declared})
    beside = [name for name in own if name not in declared]
    lines = "".join(
        f"    {argument},\n"
        for argument in (
            *(f"{name}={_several(v)}" for name, v in varied.items() if name in declared),
            f"base={_policy(base, 4 * ' ')}",
            *_named(arguments),
            *_named({name: tried[name] for name in beside}),
        )
    )
    replayed = [*_named(arguments), *_named({name: own[name] for name in beside})]
    return (
        f"import ctxlab\n\nsweep = lab.sweep(\n    ctxlab.{type(policy).__name__},\n{lines})\n"
        f"policy = {_policy(policy)}\n"
        f"replay = lab.replay({', '.join(['policy', *replayed])})\n"
    )


def _named(values: Mapping[str, Any]) -> list[str]:
    return [
        f"{name}={_several(value) if isinstance(value, list) else repr(value)}"
        for name, value in values.items()
    ]


def _policy(params: ParamSet, indent: str = "") -> str:
    """Only what differs from the defaults; on several lines where one is too long."""
    declared = params.params()
    changed = {n: v for n, v in params.as_dict().items() if v != declared[n].default}
    name, arguments = f"ctxlab.{type(params).__name__}", _named(changed)
    in_one = f"{name}({', '.join(arguments)})"
    if len(in_one) <= _WIDTH - 16:
        return in_one
    return f"{name}(\n" + "".join(f"{indent}    {each},\n" for each in arguments) + f"{indent})"


def _several(values: list[Any]) -> str:
    """Numbers without a gap as a range, a long list on several lines."""
    if all(type(value) is int for value in values):
        without_gap = range(values[0], values[-1] + 1)
        if list(without_gap) == values:
            return repr(without_gap)
    written = repr(values)
    if len(written) < _WIDTH // 2:
        return written
    inner = wrap(written[1:-1], _WIDTH - 10, break_long_words=False, break_on_hyphens=False)
    return "[\n" + "".join(f"        {line}\n" for line in inner) + "    ]"
