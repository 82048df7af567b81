"""What an explorer shows of a sweep of dedup: harmful pointers before all else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ctxlab.dedup.decide import HARM_CAUSES
from ctxlab.dedup.params import Dedup
from ctxlab.lab import DedupSweep
from ctxlab.params import Param
from ctxlab.plots import horizon_heatmap, savings_curve, transcript_distribution
from ctxlab.replay import PROOFS, harm_metric
from ctxlab.widgets._controller import Controller, Figure, Kind
from ctxlab.widgets._words import band, few_families, share

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DEDUP"]

_PARAMS: Mapping[str, Param] = {
    **Dedup.params(),
    "proof": Param(
        PROOFS[-1], "What proves that a line is unchanged.", choices=PROOFS, name="proof"
    ),
}
_LARGE_SHARE = 0.5


def _transcripts(at: Controller[DedupSweep]) -> pd.DataFrame:
    """One row a transcript under the selected cell."""
    return at.grid.sweep.transcripts(**at.grid.values[at.cell])


def _warnings(at: Controller[DedupSweep]) -> tuple[str, ...]:
    row, transcripts = at.row(), _transcripts(at)
    return (
        _harm(row),
        _worth(row),
        few_families(transcripts.family.nunique(), "were served source"),
        _one_carries(transcripts, row.net_bytes),
    )


def _figures(at: Controller[DedupSweep]) -> tuple[Figure, ...]:
    row = at.row()
    results = at.grid.sweep.survey.transcripts.tool_result_bytes.sum()
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
            share(row.net_share),
            f"of {row.touched_bytes:,.0f} bytes of source served ({band(row.low, row.high)})",
            "bounded",
        ),
        Figure(
            "Net saving",
            share(row.net_share_of_results),
            f"of {results:,.0f} bytes of all tool results",
            "bounded",
        ),
        Figure("Net saving", share(row.net_share_of_new_input), "of new input tokens", "modelled"),
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


def _one_carries(transcripts: pd.DataFrame, net_bytes: float) -> str:
    if len(transcripts) < 2 or net_bytes <= 0:
        return ""
    largest = transcripts.nlargest(1, "net_bytes").iloc[0]
    part = largest.net_bytes / net_bytes
    if part <= _LARGE_SHARE:
        return ""
    return f"Transcript {largest.transcript} alone carries {100 * part:.0f} % of the net saving."


DEDUP: Kind[DedupSweep] = Kind(
    declared=_PARAMS,
    axes=("min_covered_lines", "view_calls"),
    drawings={
        "savings curve": lambda at: savings_curve(at.frame()),
        "heat map": lambda at: horizon_heatmap(at.frame()),
        "transcripts": lambda at: transcript_distribution(_transcripts(at)),
    },
    figures=_figures,
    warnings=_warnings,
    harmless="No harmful pointer in these transcripts.",
    arguments=lambda sweep: {"tools": list(sweep.tools)},
)
