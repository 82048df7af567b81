"""The main job on a lab: what a dedup like codegraph's would have saved, and what to ship."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ctxlab.dedup.params import Dedup, Proof
from ctxlab.events import ToolKind
from ctxlab.export.codegraph import AS_SHIPPED
from ctxlab.lab._corpus import tool_kinds
from ctxlab.lab._lab import Lab
from ctxlab.lab._recommendation import Recommendation
from ctxlab.lab._sweep import Sweep
from ctxlab.replay import PROOFS, Survey
from ctxlab.tune import Choice, Judgement

__all__ = ["OWN", "SHIPPED", "Tuned", "tune"]

SHIPPED: Mapping[str, Any] = {"record_scope": "connection", "reset_on_compaction": False}
"""The tool as it is: users cannot change who shares its record, nor tell it of a compaction."""

OWN: Mapping[str, Any] = {"record_scope": "thread", "reset_on_compaction": True}
"""A tool that keeps a record for each thread and forgets it when the context is compacted."""

_LINES, _CALLS = (4, 8, 16, 32), (4, None)


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """All results of the main job.

    `shipped` and `own` are the sweeps behind the two recommendations, over min_covered_lines and
    view_calls. `overview` holds few thresholds under each proof, record scope and reset.
    `switch` is the one cell that is left to the user of the tool as shipped: on, at the shipped
    constants; `default` is its judgement. `guarded` is that cell with the guard on pointer-only
    answers, which is off for Read elsewhere. `difference` says in one sentence what
    keeping the shipped scope costs.
    """

    tools: tuple[ToolKind, ...]
    proof: Proof
    survey: Survey
    overview: Sweep
    shipped: Sweep
    switch: Sweep
    guarded: Sweep
    own: Sweep
    default: Recommendation
    recommended_shipped: Recommendation
    recommended_own: Recommendation
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
    tools, proof
        As for `Lab.replay`.

    Raises
    ------
    ParameterError
        A tool kind or proof is unknown.
    InputError
        The lab is empty.
    """
    kinds = tool_kinds(tools)
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
    shipped = lab.sweep(
        Dedup, tools=kinds, proof=proof, min_covered_lines=lines, view_calls=calls, **SHIPPED
    )
    own = lab.sweep(
        Dedup,
        tools=kinds,
        proof=proof,
        min_covered_lines=lines,
        view_calls=calls,
        min_delta_chars=(0, declared["min_delta_chars"].default),
        **OWN,
    )
    first, second = lab.recommend(shipped), lab.recommend(own)
    defaults = Dedup()
    at = next(
        i
        for i, cell in enumerate(shipped.table.cells)
        if cell.params.min_covered_lines == defaults.min_covered_lines
        and cell.params.view_calls == defaults.view_calls
    )
    guarded = lab.sweep(
        Dedup,
        base=defaults,
        tools=kinds,
        proof=proof,
        min_covered_lines=defaults.min_covered_lines,
    )
    switch = Sweep(shipped.table.select([at]), shipped.survey, kinds)
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
        _difference(first.choice, second.choice),
    )


def _difference(shipped: Choice, own: Choice) -> str:
    """Say what the record scope of the tool as shipped costs, on the judging transcripts."""
    with_own, with_shipped = _judged_share(own), _judged_share(shipped)
    if with_own is None and with_shipped is None:
        return (
            "Neither record can be recommended here, so the record per connection costs nothing "
            "that these transcripts could show."
        )
    cost = (with_own or 0.0) - (with_shipped or 0.0)
    gain = f"{with_own:.2%}" if with_own is not None else "nothing"
    kept = f"{with_shipped:.2%}" if with_shipped is not None else "nothing"
    if cost <= 0:
        return (
            f"The record per connection may save {kept} of the touched bytes without a harmful "
            f"pointer, one per thread that forgets at compaction {gain}: keeping the shipped "
            "record costs nothing here."
        )
    return (
        f"A record per thread that forgets at compaction may save {gain} of the touched bytes "
        f"without a harmful pointer, the record per connection {kept}: keeping the shipped record "
        f"costs {cost:.2%} of the touched bytes."
    )


def _judged_share(choice: Choice) -> float | None:
    judged: Judgement | None = choice.judged_on
    if choice.status != "recommended" or judged is None:
        return None
    return judged.net_share.value
