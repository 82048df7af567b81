"""A grid of parameters over all transcripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ctxlab.errors import ParameterError
from ctxlab.events import ToolKind
from ctxlab.lab._frames import cell_frame, score_frame, transcript_frame
from ctxlab.replay import DedupTable, Survey

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Sweep"]

_KINDS = ("curve", "heatmap", "transcripts")


class Sweep:
    """Scores of all cells of a grid: one number a cell, transcript and metric.

    `tools` are the kinds of tool whose calls were replayed.
    """

    def __init__(
        self, table: DedupTable, survey: Survey, tools: tuple[ToolKind, ...] = ("read",)
    ) -> None:
        self.table, self.survey, self.tools = table, survey, tools
        self._frame: pd.DataFrame | None = None

    def frame(self) -> pd.DataFrame:
        """One row a cell: parameters, sums, net bytes as a share of three denominators.

        `net_share` is of touched bytes with `low` and `high`, a 95 % band by family for all rows
        at once; `net_share_of_results` is of all tool-result bytes; `net_share_of_new_input`
        rests on a modelled number of bytes a token.
        """
        if self._frame is None:
            self._frame = cell_frame(self.table, self.survey)
        return self._frame.copy()

    def scores(self) -> pd.DataFrame:
        """One row a cell, transcript and metric (long; large for a large grid)."""
        return score_frame(self.table)

    def transcripts(self, **params: Any) -> pd.DataFrame:
        """One row a transcript under the first cell that has these parameters.

        Raises
        ------
        ParameterError
            If no cell of the sweep has them.
        """
        for i, cell in enumerate(self.table.cells):
            own = cell.as_dict()
            if all(own.get(name, ...) == value for name, value in params.items()):
                return transcript_frame(self.table, i)
        raise ParameterError(f"the sweep has no cell with {params}")

    def plot(
        self, kind: Literal["curve", "heatmap", "transcripts"] = "curve", ax: Axes | None = None
    ) -> Axes:
        """Draw the savings curve, the heat map, or the transcripts under the first cell.

        Raises
        ------
        ParameterError
            If `kind` is unknown.
        """
        from ctxlab import plots

        if kind == "curve":
            return plots.savings_curve(self.frame(), ax)
        if kind == "heatmap":
            return plots.horizon_heatmap(self.frame(), ax)
        if kind == "transcripts":
            return plots.transcript_distribution(self.transcripts(), ax)
        raise ParameterError(f"`kind` must be one of {', '.join(_KINDS)}, got {kind!r}")

    def __repr__(self) -> str:
        cells, n = len(self.table.cells), len(self.table.transcripts)
        return f"<Sweep of {cells} cells over {n} transcripts; see .frame() and .plot()>"
