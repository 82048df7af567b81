"""What an explorer over a sweep shows, as plain values: no widget, no drawing, no state.

A `Controller` stands on one cell of the sweep. A move gives another `Controller`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic

from ctxlab.params import Param, ParamSet
from ctxlab.plots import Drawing
from ctxlab.widgets._code import code_of
from ctxlab.widgets._grid import Grid, S

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Controller", "Figure", "Kind"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table: a number, what it is a part of, and how it is known."""

    name: str
    value: str
    of: str
    known: str


@dataclass(frozen=True, slots=True)
class Kind(Generic[S]):
    """What is shown of the sweeps of one policy.

    Attributes
    ----------
    declared
        Declarations of all that a cell holds.
    axes
        Parameters along which the drawings go.
    drawings
        Drawings of the selected cell among others, by the name on their button.
    figures
        The numbers of the selected cell.
    warnings
        What speaks against the selected cell, the worst first; empty texts are left out.
    harmless
        What is said where nothing does.
    arguments
        Arguments of `Lab.sweep` and `Lab.replay` that no cell holds.
    along
        Parameter along which a drawing goes, by its name, if it is left out where that was not
        swept.
    """

    declared: Mapping[str, Param]
    axes: tuple[str, ...]
    drawings: Mapping[str, Callable[[Controller[S]], Drawing]]
    figures: Callable[[Controller[S]], tuple[Figure, ...]]
    warnings: Callable[[Controller[S]], tuple[str, ...]]
    harmless: str
    arguments: Callable[[S], Mapping[str, Any]]
    along: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Controller(Generic[S]):
    """One cell of a sweep, and all that is shown of it."""

    kind: Kind[S]
    grid: Grid[S]
    cell: int

    @classmethod
    def of(cls, sweep: S, kind: Kind[S]) -> Controller[S]:
        """Stand on the shipped setting, or on the cell that is nearest to it.

        Raises
        ------
        ParameterError
            If the sweep has no cell.
        """
        grid = Grid.of(sweep, kind.declared)
        return cls(kind, grid, grid.nearest({n: p.default for n, p in kind.declared.items()}))

    @property
    def values(self) -> Mapping[str, Any]:
        """Current value of each swept parameter."""
        own = self.grid.values[self.cell]
        return {name: own[name] for name in self.grid.swept}

    def choose(self, name: str, value: Any) -> Controller[S]:
        """Move one parameter; the others stay, or move as little as the sweep allows.

        Raises
        ------
        ParameterError
            If the parameter or the value was not swept.
        """
        wanted = {**self.values, name: value}
        return replace(self, cell=self.grid.nearest(wanted, self.grid.having(name, value)))

    @property
    def policy(self) -> ParamSet:
        """The parameters of the selected cell."""
        params: ParamSet = self.grid.sweep.table.cells[self.cell].params
        return params

    def frame(self, *axes: str) -> pd.DataFrame:
        """Give the cells that are drawn: columns as `Sweep.frame`, and `selected`.

        They agree with the selected one in all but `axes`; those of all drawings unless given.
        """
        shown = self.grid.beside(self.cell, axes or self.kind.axes)
        frame = self.grid.frame.iloc[shown].reset_index(drop=True)
        frame["selected"] = [cell == self.cell for cell in shown]
        return frame

    @property
    def drawings(self) -> tuple[str, ...]:
        """Names of the drawings of this sweep."""
        along = self.kind.along
        return tuple(
            name
            for name in self.kind.drawings
            if name not in along or along[name] in self.grid.swept
        )

    def draw(self, name: str) -> Drawing:
        """One of the drawings of this policy."""
        return self.kind.drawings[name](self)

    def row(self) -> pd.Series[Any]:
        """The selected cell's row of `Sweep.frame`."""
        return self.grid.frame.iloc[self.cell]

    def code(self) -> str:
        """Python that makes the sweep and the selected policy again, given a `lab`."""
        sweep = self.grid.sweep
        return code_of(sweep.table.cells, self.cell, self.kind.arguments(sweep))

    def warnings(self) -> tuple[str, ...]:
        """What speaks against the selected cell, the worst first."""
        return tuple(said for said in self.kind.warnings(self) if said)

    def figures(self) -> tuple[Figure, ...]:
        """The numbers of the selected cell."""
        return self.kind.figures(self)
