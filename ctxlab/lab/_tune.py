"""The main job on a lab: what a dedup like codegraph's would have saved, and what to ship."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ctxlab.dedup.params import Dedup, Proof
from ctxlab.estimate import ShareInterval
from ctxlab.events import ToolKind
from ctxlab.export.codegraph import AS_SHIPPED
from ctxlab.lab._corpus import tool_kinds
from ctxlab.lab._dedup_sweep import DedupSweep
from ctxlab.lab._lab import Lab
from ctxlab.lab._recommendation import Recommendation
from ctxlab.replay import PROOFS, Survey
from ctxlab.tune import Choice, gain_over

__all__ = ["OWN", "SHIPPED", "Tuned", "tune"]

SHIPPED: Mapping[str, Any] = {"record_scope": "connection", "reset_on_compaction": False}
"""The tool as it is: users cannot change who shares its record, nor tell it of a compaction."""

OWN: Mapping[str, Any] = {"record_scope": "thread", "reset_on_compaction": True}
"""A tool that keeps a record for each thread and forgets it when the context is compacted."""

_LINES, _CALLS = (4, 8, 16, 32), (4, None)


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """All results of the main job.

    `overview` holds few thresholds under each proof, record scope and reset. `shipped` and `own`
    are the sweeps behind the two recommendations, over min_covered_lines, view_calls and
    min_delta_chars. `switch` is the one cell that is left to the user of the tool as shipped: on,
    at the shipped constants; `default` is its judgement. `guarded` is that cell with the guard on
    pointer-only answers, which is off for Read elsewhere. `difference` says in one sentence what
    keeping the shipped scope costs.
    """

    tools: tuple[ToolKind, ...]
    proof: Proof
    survey: Survey
    overview: DedupSweep
    shipped: DedupSweep
    switch: DedupSweep
    guarded: DedupSweep
    own: DedupSweep
    default: Recommendation[Choice]
    recommended_shipped: Recommendation[Choice]
    recommended_own: Recommendation[Choice]
    difference: str


def tune(
    lab: Lab,
    *,
    tools: Iterable[ToolKind] | None = None,
    proof: Proof = "whole_file",
) -> Tuned:
    """Survey, sweep and recommend.

    Parameters
    ----------
    tools : iterable of tool kinds, optional
        As for `Lab.replay`; if not given, "read", or "mcp" or "shell" where no Read delivered
        source.
    proof
        As for `Lab.replay`.

    Raises
    ------
    ParameterError
        A tool kind or proof is unknown.
    InputError
        The lab is empty.
    """
    kinds = _serving(lab.survey()) if tools is None else tool_kinds(tools)
    declared = Dedup.params()
    lines, calls = declared["min_covered_lines"].sweep, declared["view_calls"].sweep
    overview = lab.sweep(
        Dedup,
        tools=kinds,
        proof=PROOFS,
        record_scope=("connection", "thread"),
        reset_on_compaction=(False, True),
        view_calls=_CALLS,
        min_covered_lines=_LINES,
    )
    shipped, own = (
        lab.sweep(
            Dedup,
            tools=kinds,
            proof=proof,
            min_covered_lines=lines,
            view_calls=calls,
            min_delta_chars=(0, declared["min_delta_chars"].default),
            **record,
        )
        for record in (SHIPPED, OWN)
    )
    first, second = lab.recommend(shipped), lab.recommend(own)
    defaults = Dedup()
    at = next(
        i
        for i, cell in enumerate(shipped.table.cells)
        if cell.params.min_covered_lines == defaults.min_covered_lines
        and cell.params.view_calls == defaults.view_calls
        and cell.params.min_delta_chars == defaults.min_delta_chars
    )
    guarded = lab.sweep(
        Dedup,
        base=defaults,
        tools=kinds,
        proof=proof,
        min_covered_lines=defaults.min_covered_lines,
    )
    switch = DedupSweep(shipped.table.select([at]), shipped.survey, kinds)
    default = lab.recommend(switch)
    first.certificate[AS_SHIPPED] = default.choice.as_dict()
    return Tuned(
        kinds,
        proof,
        lab.survey(),
        overview,
        shipped,
        switch,
        guarded,
        own,
        default,
        first,
        second,
        _difference(
            first.choice,
            second.choice,
            gain_over(second.choice, own.table, first.choice, shipped.table, lab.starts(own)),
        ),
    )


def _serving(survey: Survey) -> tuple[ToolKind, ...]:
    """Read; or, where no Read delivered source, MCP tools or shell prints that did."""
    served = set(survey.reobtained.kind)
    order: tuple[ToolKind, ...] = ("read", "mcp", "shell")
    return (next((kind for kind in order if kind in served), "read"),)


def _difference(shipped: Choice, own: Choice, gain: ShareInterval | None) -> str:
    """Say what the record scope of the tool as shipped costs, on the judging transcripts."""
    if gain is None or gain.value is None:
        return "These logs cannot tell what keeping the shipped record costs."
    if "recommended" not in (shipped.status, own.status):
        return (
            "Nothing can be recommended with either record, so these logs cannot tell what "
            "keeping the shipped one costs."
        )
    ends = (
        "no interval"
        if gain.low is None or gain.high is None
        else f"{gain.low:.2%} to {gain.high:.2%}{', indicative' if gain.indicative else ''}"
    )
    with_own, with_shipped = (
        "settings that hold" if choice.status == "recommended" else "none that hold"
        for choice in (own, shipped)
    )
    return (
        f"A record per thread that forgets at compaction has {with_own}, the shipped record per "
        f"connection {with_shipped}: keeping the shipped record costs {gain.value:.2%} of the "
        f"source bytes served ({ends}; later transcripts, bounded)."
    )
