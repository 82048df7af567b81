"""The cells of a sweep by the values of their parameters: what can be moved, and where to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctxlab.dedup.params import Dedup
from ctxlab.errors import ParameterError
from ctxlab.lab import DedupSweep
from ctxlab.params import Param
from ctxlab.replay import PROOFS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PARAMS", "Grid"]

PARAMS: Mapping[str, Param] = {
    **Dedup.params(),
    "proof": Param(
        PROOFS[-1], "What proves that a line is unchanged.", choices=PROOFS, name="proof"
    ),
}
"""Declarations of all that a cell holds, by name."""

_AXES = ("min_covered_lines", "view_calls")


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A sweep with the values of each cell.

    `swept` holds the values of each parameter that has more than one: ascending, None last.
    `fixed` holds the others, where they differ from the shipped setting. `frame` is
    `Sweep.frame()`.
    """

    sweep: DedupSweep
    values: tuple[Mapping[str, Any], ...]
    swept: Mapping[str, tuple[Any, ...]]
    fixed: Mapping[str, Any]
    frame: pd.DataFrame

    @classmethod
    def of(cls, sweep: DedupSweep) -> Grid:
        """Read the cells of a sweep.

        Raises
        ------
        ParameterError
            If it has none.
        """
        if not sweep.table.cells:
            raise ParameterError("`sweep` needs at least one cell to explore, got none")
        values = tuple(cell.as_dict() for cell in sweep.table.cells)
        tried = {
            name: tuple(sorted({own[name] for own in values}, key=_order(declared)))
            for name, declared in PARAMS.items()
        }
        swept = {name: found for name, found in tried.items() if len(found) > 1}
        fixed = {
            name: found[0]
            for name, found in tried.items()
            if len(found) == 1 and found[0] != PARAMS[name].default
        }
        return cls(sweep, values, swept, fixed, sweep.frame())

    def nearest(self, wanted: Mapping[str, Any], among: Iterable[int] | None = None) -> int:
        """Cell that has most of the wanted values; of equals the one with the nearest numbers."""
        cells = range(len(self.values)) if among is None else among
        return max(cells, key=lambda cell: _agreement(self.values[cell], wanted))

    def having(self, name: str, value: Any) -> list[int]:
        """Cells with one value of a parameter.

        Raises
        ------
        ParameterError
            If the parameter or the value was not swept.
        """
        if name not in self.swept:
            known = ", ".join(self.swept) or "none"
            raise ParameterError(f"`{name}` was not swept; swept are: {known}")
        if value not in self.swept[name]:
            tried = ", ".join(map(repr, self.swept[name]))
            raise ParameterError(f"`{name}` must be one of the swept {tried}, got {value!r}")
        return [i for i, own in enumerate(self.values) if own[name] == value]

    def beside(self, cell: int) -> list[int]:
        """Cells that agree with one in all but `min_covered_lines` and `view_calls`, each once."""
        own = _off_axes(self.values[cell])
        at = {
            tuple(other[name] for name in _AXES): i
            for i, other in reversed([*enumerate(self.values)])
            if _off_axes(other) == own
        }
        return sorted(at.values())


def _order(declared: Param) -> Callable[[Any], Any]:
    if declared.choices:
        return declared.choices.index
    return _number


def _number(value: int | None) -> float:
    """A threshold, None as unlimited."""
    return float("inf") if value is None else float(value)


def _agreement(own: Mapping[str, Any], wanted: Mapping[str, Any]) -> tuple[int, float]:
    other = {name: value for name, value in wanted.items() if own[name] != value}
    far = [
        abs(_number(own[name]) - _number(value))
        for name, value in other.items()
        if not PARAMS[name].choices
    ]
    return len(wanted) - len(other), -sum(far)


def _off_axes(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in _AXES}
