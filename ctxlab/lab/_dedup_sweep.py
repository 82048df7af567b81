"""A grid of dedup parameters over all transcripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ctxlab.events import ToolKind
from ctxlab.lab._frames import cell_frame, transcript_frame
from ctxlab.lab._sweep import Sweep
from ctxlab.replay import DedupTable, Survey

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["DedupSweep"]


def _curve(sweep: DedupSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    return plots.savings_curve(sweep.along("min_covered_lines", "view_calls"), ax)


def _heatmap(sweep: DedupSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    return plots.horizon_heatmap(sweep.along("min_covered_lines", "view_calls"), ax)


def _transcripts(sweep: DedupSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    return plots.transcript_distribution(sweep.transcripts(), ax)


class DedupSweep(Sweep):
    """Scores of all cells of a grid of dedup parameters.

    `tools` are the kinds of tool whose calls were replayed. `plot` draws the savings curve, the
    heat map, or the transcripts under the first cell.
    """

    drawings: ClassVar = {"curve": _curve, "heatmap": _heatmap, "transcripts": _transcripts}

    def __init__(
        self, table: DedupTable, survey: Survey, tools: tuple[ToolKind, ...] = ("read",)
    ) -> None:
        self.table: DedupTable = table
        self.survey, self.tools = survey, tools

    def _cells(self) -> pd.DataFrame:
        """One row a cell: parameters, sums, net bytes as a share of three denominators.

        `net_share` is of touched bytes with `low` and `high`, a 95 % band by family for all rows
        at once; `net_share_of_results` is of all tool-result bytes; `net_share_of_new_input`
        rests on a modelled number of bytes a token.
        """
        return cell_frame(self.table, self.survey)

    def transcripts(self, **params: Any) -> pd.DataFrame:
        """One row a transcript under the first cell that has these parameters.

        Raises
        ------
        ParameterError
            If no cell of the sweep has them.
        """
        return transcript_frame(self.table, self.find(**params))
