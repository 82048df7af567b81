"""The cells of a sweep by the values of their parameters: what can be moved, and where to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ctxlab.errors import ParameterError
from ctxlab.lab import Sweep
from ctxlab.params import Param

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Grid", "S"]

S = TypeVar("S", bound=Sweep)


@dataclass(frozen=True, slots=True, eq=False)
class Grid(Generic[S]):
    """A sweep with the values of each cell.

    `declared` holds the declarations of all that a cell holds. `swept` holds the values of each
    parameter that has more than one: ascending, None last. `fixed` holds the others, where they
    differ from the shipped setting. `frame` is `Sweep.frame()`.
    """

    sweep: S
    declared: Mapping[str, Param]
    values: tuple[Mapping[str, Any], ...]
    swept: Mapping[str, tuple[Any, ...]]
    fixed: Mapping[str, Any]
    frame: pd.DataFrame

    @classmethod
    def of(cls, sweep: S, declared: Mapping[str, Param]) -> Grid[S]:
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
            name: tuple(sorted({own[name] for own in values}, key=_order(param)))
            for name, param in declared.items()
        }
        swept = {name: found for name, found in tried.items() if len(found) > 1}
        fixed = {
            name: found[0]
            for name, found in tried.items()
            if len(found) == 1 and found[0] != declared[name].default
        }
        return cls(sweep, declared, values, swept, fixed, sweep.frame())

    def nearest(self, wanted: Mapping[str, Any], among: Iterable[int] | None = None) -> int:
        """Cell that has most of the wanted values; of equals the one with the nearest numbers."""
        cells = range(len(self.values)) if among is None else among
        return max(cells, key=lambda cell: self._agreement(cell, wanted))

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

    def beside(self, cell: int, axes: Collection[str]) -> list[int]:
        """Cells that agree with one in all but these parameters, each once."""
        own = _without(self.values[cell], axes)
        at = {
            tuple(other[name] for name in axes): i
            for i, other in reversed([*enumerate(self.values)])
            if _without(other, axes) == own
        }
        return sorted(at.values())

    def _agreement(self, cell: int, wanted: Mapping[str, Any]) -> tuple[int, float]:
        own = self.values[cell]
        other = {name: value for name, value in wanted.items() if own[name] != value}
        far = [
            abs(_number(own[name]) - _number(value))
            for name, value in other.items()
            if _is_number(self.declared[name])
        ]
        return len(wanted) - len(other), -sum(far)


def _order(declared: Param) -> Callable[[Any], Any]:
    if declared.choices:
        return declared.choices.index
    return _number if _is_number(declared) else _text


def _is_number(declared: Param) -> bool:
    return not (declared.choices or declared.text or declared.many)


def _text(value: str | tuple[str, ...] | None) -> tuple[bool, str | tuple[str, ...]]:
    """Texts as they sort, None last."""
    return value is None, value or ()


def _number(value: float | None) -> float:
    """A threshold, None as unlimited."""
    return float("inf") if value is None else float(value)


def _without(values: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}
