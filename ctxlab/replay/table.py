"""Scores of a grid of parameter sets, whatever the policy: what frames and estimates rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from math import prod
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError
from ctxlab.log import Ints

__all__ = ["AnyCell", "Metric", "SweepTable", "Table", "grid_points"]

MAX_CELLS = 100_000
"""More would take hours and gigabytes."""

Table = npt.NDArray[np.float64]


class AnyCell(Protocol):
    """One point of a sweep."""

    def as_dict(self) -> dict[str, Any]:
        """Everything that tells it from other points, by name."""


C = TypeVar("C", bound=AnyCell)


@dataclass(frozen=True, slots=True)
class Metric:
    """What one score says, and how it is known.

    `known` is "measured" for what the log holds or follows from it, "bounded" for what a replay can
    only bound: the agent might have gone on otherwise. A metric that follows from others is not
    stored: `derive` gives it from all that are, fixed ones included.
    """

    name: str
    doc: str
    known: str
    derive: Callable[[Mapping[str, Table]], Table] | None = None


def grid_points(
    grid: Mapping[str, Iterable[Any]], others: Mapping[str, Sequence[Any]] = {}
) -> Iterator[dict[str, Any]]:
    """All combinations of the grid's values, each a mapping by name.

    Parameters
    ----------
    grid : mapping of str to iterable
        Values of each parameter.
    others : mapping of str to sequence
        Lists that multiply the grid elsewhere: they are counted and checked, not combined.

    Raises
    ------
    ParameterError
        If a list is empty, or there are too many combinations.
    """
    # One more than may be is enough to refuse a list that has no end in sight.
    values = {
        name: tuple(dict.fromkeys(map(_plain, islice(given, MAX_CELLS + 1))))
        for name, given in grid.items()
    }
    for name, given in [*values.items(), *others.items()]:
        if not given:
            raise ParameterError(f"`{name}` needs at least one value to sweep over, got none")
    n_cells = prod(map(len, [*values.values(), *others.values()]))
    if n_cells > MAX_CELLS:
        is_cut = any(len(given) > MAX_CELLS for given in values.values())
        n = f"over {MAX_CELLS:,}" if is_cut else f"{n_cells:,}"
        raise ParameterError(
            f"the grid has {n} cells, at most {MAX_CELLS:,} are swept at once: name fewer values"
        )
    return (dict(zip(values, point, strict=True)) for point in product(*values.values()))


def _plain(value: Any) -> Any:
    """Whole numbers of NumPy, as `np.arange` gives them, become Python's own."""
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True, slots=True, eq=False)
class SweepTable(Generic[C]):
    """Scores of all cells: one number a cell, transcript and metric.

    A column is a transcript, or a part of one where a policy scores its parts apart; those of a
    transcript stand together. `transcripts` and `family_of` name each column's transcript and its
    index in `families`. `fixed` holds the metrics that no parameter changes, of shape (n_columns,);
    `values` the others, (n_cells, n_columns). `metrics` declares them all.
    """

    cells: tuple[C, ...]
    transcripts: tuple[str, ...]
    families: tuple[str, ...]
    family_of: Ints
    fixed: Mapping[str, Table]
    values: Mapping[str, Table]
    metrics: Mapping[str, Metric]

    def metric(self, name: str) -> Table:
        """Scores of shape (n_cells, n_columns).

        Raises
        ------
        ParameterError
            If there is no such metric.
        """
        if name in self.fixed:
            return np.tile(self.fixed[name], (len(self.cells), 1))
        if name in self.values:
            return self.values[name]
        derive = self.metrics[name].derive if name in self.metrics else None
        if derive is None:
            raise ParameterError(f"no metric `{name}`; known: {', '.join(self.metrics)}")
        return derive({**self.fixed, **self.values})

    def by_family(self, name: str) -> Table:
        """Scores summed over the columns of each family: (n_cells, n_families)."""
        # Columns stand family by family, and no family is without one.
        begins = np.searchsorted(self.family_of, np.arange(len(self.families)))
        summed: Table = np.add.reduceat(self.metric(name), begins, axis=1)
        return summed

    def totals(self) -> dict[str, npt.NDArray[Any]]:
        """Columns of a frame with one row a cell: its parameters, then each metric's sum."""
        columns: dict[str, npt.NDArray[Any]] = {}
        rows = [cell.as_dict() for cell in self.cells]
        for name in rows[0] if rows else ():
            given = [row[name] for row in rows]
            plain = not any(value is None or isinstance(value, tuple) for value in given)
            columns[name] = np.array(given) if plain else np.fromiter(given, object, len(given))
        return {**columns, **{name: self.metric(name).sum(axis=1) for name in self.metrics}}

    def select(self, keep: Sequence[int]) -> Self:
        """Only some of the cells."""
        at = np.array(keep, dtype=np.int64)
        return replace(
            self,
            cells=tuple(self.cells[i] for i in at),
            values={name: table[at] for name, table in self.values.items()},
        )

    def of_columns(self, keep: Sequence[int] | npt.NDArray[np.integer]) -> Self:
        """Only some of the columns, in their order, and the families that have one of them."""
        at = np.unique(np.array(keep, dtype=np.int64))
        families, family_of = np.unique(self.family_of[at], return_inverse=True)
        return replace(
            self,
            transcripts=tuple(self.transcripts[i] for i in at),
            families=tuple(self.families[i] for i in families),
            family_of=family_of.astype(np.int32),
            fixed={name: values[at] for name, values in self.fixed.items()},
            values={name: table[:, at] for name, table in self.values.items()},
        )
