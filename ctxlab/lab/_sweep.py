"""What sweeps and replays of every policy can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ctxlab.errors import ParameterError
from ctxlab.lab._frames import score_frame
from ctxlab.replay import Survey, SweepTable
from ctxlab.words import counted

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Replay", "Sweep"]


class Replay(ABC):
    """What one parameter set does to the transcripts.

    It bounds what could be saved; it cannot show whether the agent would have succeeded.
    """

    @abstractmethod
    def summary(self) -> pd.DataFrame:
        """Sums and shares, columns as in `Sweep.frame`."""

    @abstractmethod
    def scores(self) -> pd.DataFrame:
        """One number a transcript and metric, in long form."""

    @abstractmethod
    def decisions(self) -> pd.DataFrame:
        """One row a decision of the policy."""

    def __repr__(self) -> str:
        return self.summary().T.to_string()


class Sweep(ABC):
    """Scores of all cells of a grid: one number a cell, transcript and metric."""

    table: SweepTable[Any]
    survey: Survey
    drawings: ClassVar[Mapping[str, Callable[[Any, Axes | None], Axes]]]
    """How `plot` draws each kind, the usual one first."""

    _frame: pd.DataFrame | None = None

    def frame(self) -> pd.DataFrame:
        """One row a cell: parameters, sums, and shares with their intervals by family."""
        if self._frame is None:
            self._frame = self._cells()
        return self._frame.copy()

    @abstractmethod
    def _cells(self) -> pd.DataFrame:
        """Make the frame of all cells."""

    def scores(self) -> pd.DataFrame:
        """One row a cell, transcript and metric (long; large for a large grid)."""
        return score_frame(self.table)

    def find(self, **params: Any) -> int:
        """Index of the first cell that has these parameters.

        Raises
        ------
        ParameterError
            If no cell of the sweep has them.
        """
        for i, cell in enumerate(self.table.cells):
            own = cell.as_dict()
            if all(own.get(name, ...) == value for name, value in params.items()):
                return i
        raise ParameterError(f"the sweep has no cell with {params}")

    def plot(self, kind: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw one of the figures of this policy, by default the first of its `drawings`.

        Raises
        ------
        ParameterError
            If `kind` is unknown, or needs a sweep of other parameters.
        """
        kind = next(iter(self.drawings)) if kind is None else kind
        if kind not in self.drawings:
            raise ParameterError(f"`kind` must be one of {', '.join(self.drawings)}, got {kind!r}")
        return self.drawings[kind](self, ax)

    def along(self, *names: str) -> pd.DataFrame:
        """Give the frame of a sweep of these parameters alone, to be drawn along them.

        Raises
        ------
        ParameterError
            If others have several values in the sweep.
        """
        cells = [cell.as_dict() for cell in self.table.cells]
        varied = [name for name in cells[0] if len({cell[name] for cell in cells}) > 1]
        if not set(varied) <= set(names):
            values = ", ".join(f"{name}=[…]" for name in names)
            raise ParameterError(
                f"this figure needs a sweep of {' and '.join(names)} alone, got one of "
                f"{', '.join(varied)}: sweep {' and '.join(names)}, as lab.sweep(…, {values})"
            )
        return self.frame()

    def __repr__(self) -> str:
        cells, n = len(self.table.cells), len(set(self.table.transcripts))
        name = type(self).__name__
        size = f"{counted(cells, 'cell')} over {counted(n, 'transcript')}"
        return f"<{name} of {size}; see .frame() and .plot()>"
