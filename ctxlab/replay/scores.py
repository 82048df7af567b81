"""Decisions to scores: one number a transcript, metric and parameter set.

Means, shares, intervals and differences are all derived from these; resampling never replays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctxlab.dedup.decide import HARM_CAUSES, Decisions
from ctxlab.dedup.facts import Facts
from ctxlab.replay.table import Metric, Table

__all__ = ["FIXED", "METRICS", "Scores", "harm_metric", "score"]

Values = npt.NDArray[np.float64]


def harm_metric(cause: str) -> str:
    """Name of the count of pointers harmful by `cause`."""
    return f"harmful_{cause}"


def _net(values: Mapping[str, Table]) -> Table:
    net: Table = values["withheld_bytes"] + values["folded_bytes"] - values["pointer_bytes"]
    return net


def _harmful(values: Mapping[str, Table]) -> Table:
    harmful: Table = np.sum([values[harm_metric(cause)] for cause in HARM_CAUSES[1:]], axis=0)
    return harmful


_METRICS = (
    Metric("calls", "calls of the replayed tools, errors and empty answers included", "measured"),
    Metric("sections", "files in their answers", "measured"),
    Metric(
        "touched_bytes", "bytes of the source lines they delivered, prefixes included", "measured"
    ),
    Metric("withheld_bytes", "bytes of lines that the policy replaces by a pointer", "bounded"),
    Metric("folded_bytes", "bytes of short remainders dropped with them", "bounded"),
    Metric("pointer_bytes", "bytes of the pointers sent instead", "bounded"),
    Metric("net_bytes", "withheld and folded minus pointers; may be negative", "bounded", _net),
    Metric("pointers", "pointers sent", "bounded"),
    Metric(
        "harmful_pointers", "pointers at lines that are not in the context", "bounded", _harmful
    ),
    *(
        Metric(harm_metric(cause), f"of these, worst cause: {cause.replace('_', ' ')}", "bounded")
        for cause in HARM_CAUSES[1:]
    ),
)
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _METRICS}
"""All scores by name."""

FIXED = ("calls", "sections", "touched_bytes")
"""Those that no parameter changes."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of one parameter set: `values[metric]` has one number a transcript of the facts."""

    values: Mapping[str, Values]

    def total(self, metric: str) -> float:
        """Sum over all transcripts."""
        return float(self.values[metric].sum())


def score(facts: Facts, made: Decisions) -> Scores:
    """Sum decisions up by transcript.

    Returns
    -------
    Scores
        Arrays of shape (n_transcripts,), in the order of `facts.transcripts`.
    """
    n = len(facts.transcripts)
    by_call = facts.calls.transcript
    by_section = by_call[facts.sections.call]

    def of_sections(values: npt.NDArray[np.generic]) -> Values:
        return np.bincount(by_section, weights=values, minlength=n).astype(np.float64)

    withheld, folded = of_sections(made.withheld_bytes), of_sections(made.folded_bytes)
    pointer = of_sections(made.pointer_bytes)
    values = {
        "calls": np.bincount(by_call, minlength=n).astype(np.float64),
        "sections": np.bincount(by_section, minlength=n).astype(np.float64),
        "touched_bytes": np.bincount(
            by_call, weights=facts.calls.touched_bytes, minlength=n
        ).astype(np.float64),
        "withheld_bytes": withheld,
        "folded_bytes": folded,
        "pointer_bytes": pointer,
        "net_bytes": withheld + folded - pointer,
        "pointers": of_sections(made.pointer),
        "harmful_pointers": of_sections(made.harm > 0),
    }
    for code, cause in enumerate(HARM_CAUSES[1:], 1):
        values[harm_metric(cause)] = of_sections(made.harm == code)
    return Scores(values)
