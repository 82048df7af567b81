"""What an explorer over a sweep shows, as plain values: no widget, no drawing, no state.

A `Controller` stands on one cell of the sweep. A move gives another `Controller`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ctxlab.dedup.decide import HARM_CAUSES
from ctxlab.dedup.params import Dedup
from ctxlab.estimate import FEW_FAMILIES
from ctxlab.lab import DedupSweep
from ctxlab.replay import harm_metric
from ctxlab.widgets._code import code_of
from ctxlab.widgets._grid import PARAMS, Grid

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Controller", "Figure"]

_LARGE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table: a number, what it is a part of, and how it is known."""

    name: str
    value: str
    of: str
    known: str


@dataclass(frozen=True, slots=True, eq=False)
class Controller:
    """One cell of a sweep, and all that is shown of it."""

    grid: Grid
    cell: int

    @classmethod
    def of(cls, sweep: DedupSweep) -> Controller:
        """Stand on the shipped setting, or on the cell that is nearest to it.

        Raises
        ------
        ParameterError
            If the sweep has no cell.
        """
        grid = Grid.of(sweep)
        return cls(grid, grid.nearest({name: p.default for name, p in PARAMS.items()}))

    @property
    def values(self) -> Mapping[str, Any]:
        """Current value of each swept parameter."""
        own = self.grid.values[self.cell]
        return {name: own[name] for name in self.grid.swept}

    def choose(self, name: str, value: Any) -> Controller:
        """Move one parameter; the others stay, or move as little as the sweep allows.

        Raises
        ------
        ParameterError
            If the parameter or the value was not swept.
        """
        wanted = {**self.values, name: value}
        return replace(self, cell=self.grid.nearest(wanted, self.grid.having(name, value)))

    @property
    def policy(self) -> Dedup:
        """The parameters of the selected cell."""
        return self.grid.sweep.table.cells[self.cell].params

    def frame(self) -> pd.DataFrame:
        """Give the cells of curve and heat map: columns as `Sweep.frame`, and `selected`.

        They agree with the selected one in all but `min_covered_lines` and `view_calls`.
        """
        shown = self.grid.beside(self.cell)
        frame = self.grid.frame.iloc[shown].reset_index(drop=True)
        frame["selected"] = [cell == self.cell for cell in shown]
        return frame

    def transcripts(self) -> pd.DataFrame:
        """One row a transcript under the selected cell, as `Sweep.transcripts`."""
        return self.grid.sweep.transcripts(**self.grid.values[self.cell])

    def row(self) -> pd.Series[Any]:
        """The selected cell's row of `Sweep.frame`."""
        return self.grid.frame.iloc[self.cell]

    def code(self) -> str:
        """Python that makes the sweep and the selected policy again, given a `lab`."""
        return code_of(self.grid.sweep, self.policy, self.grid.values[self.cell]["proof"])

    def warnings(self) -> tuple[str, ...]:
        """What speaks against the selected cell, harmful pointers first."""
        row, transcripts = self.row(), self.transcripts()
        return tuple(
            said
            for said in (
                _harm(row),
                _worth(row),
                _few(transcripts.family.nunique()),
                _one_carries(transcripts, row.net_bytes),
            )
            if said
        )

    def figures(self) -> tuple[Figure, ...]:
        """The numbers of the selected cell, harmful pointers first."""
        row = self.row()
        results = self.grid.sweep.survey.transcripts.tool_result_bytes.sum()
        band = (
            "no band"
            if row.low != row.low
            else f"95 % interval {_share(row.low)} to {_share(row.high)}"
        )
        withheld = row.withheld_bytes + row.folded_bytes
        return (
            Figure(
                "Harmful pointers",
                f"{row.harmful_pointers:,.0f}",
                f"of {row.pointers:,.0f} pointers",
                "bounded",
            ),
            Figure(
                "Net saving",
                f"{row.net_bytes:,.0f} bytes",
                f"{withheld:,.0f} withheld less {row.pointer_bytes:,.0f} of pointers",
                "bounded",
            ),
            Figure(
                "Net saving",
                _share(row.net_share),
                f"of {row.touched_bytes:,.0f} bytes of source served ({band})",
                "bounded",
            ),
            Figure(
                "Net saving",
                _share(row.net_share_of_results),
                f"of {results:,.0f} bytes of all tool results",
                "bounded",
            ),
            Figure(
                "Net saving", _share(row.net_share_of_new_input), "of new input tokens", "modelled"
            ),
        )


def _harm(row: pd.Series[Any]) -> str:
    if not row.harmful_pointers > 0:
        return ""
    counts = {cause: int(row[harm_metric(cause)]) for cause in HARM_CAUSES[1:]}
    causes = ", ".join(
        f"{cause.replace('_', ' ')} {n:,}"
        for cause, n in sorted(counts.items(), key=lambda pair: -pair[1])
        if n
    )
    return (
        f"Harmful: {row.harmful_pointers:,.0f} of {row.pointers:,.0f} pointers lead to lines that "
        f"are not in the context (worst cause: {causes})."
    )


def _worth(row: pd.Series[Any]) -> str:
    if row.net_bytes < 0:
        return f"A loss: {-row.net_bytes:,.0f} bytes more are sent than without any policy."
    if row.pointers == 0:
        return "Nothing is replaced in these transcripts."
    if not row.low > 0:
        return "The band reaches zero or is unknown: this saving cannot be told from nothing."
    return ""


def _few(families: int) -> str:
    if families >= FEW_FAMILIES:
        return ""
    return (
        f"Few transcripts: {families:,} families were served source; with fewer than "
        f"{FEW_FAMILIES} a band is indicative only."
    )


def _one_carries(transcripts: pd.DataFrame, net_bytes: float) -> str:
    if len(transcripts) < 2 or net_bytes <= 0:
        return ""
    largest = transcripts.nlargest(1, "net_bytes").iloc[0]
    part = largest.net_bytes / net_bytes
    if part <= _LARGE_SHARE:
        return ""
    return f"Transcript {largest.transcript} alone carries {100 * part:.0f} % of the net saving."


def _share(value: float) -> str:
    return f"{100 * value:.2f} %" if value == value else "not measured"
