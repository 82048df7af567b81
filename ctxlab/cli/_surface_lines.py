"""Results of surface as terminal lines: what answers there are, and what to ship."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ctxlab.cli._text import count, printable, share, size
from ctxlab.words import counted

if TYPE_CHECKING:
    from ctxlab.lab import Recommendation, SurfaceSweep, SurfaceTuned
    from ctxlab.params import ParamSet
    from ctxlab.tune import KeyChoice, SurfaceChoice, SurfaceJudgement

__all__ = ["one_limit_lines", "recommendation_lines", "survey_lines"]

_MOST_TOOLS = 12


def survey_lines(tuned: SurfaceTuned) -> list[str]:
    """What answers in JSON there are, and what became of them."""
    row = tuned.choices.frame().iloc[0]
    tools = int((tuned.tools().json_answers > 0).sum())
    t = tuned.survey.transcripts
    results = t.tool_result_bytes.sum()
    lines = [
        f"{counted(len(t), 'transcript')} in {counted(t.family.nunique(), 'family', 'families')}; "
        f"{counted(row.json_answers, 'answer')} in JSON of {counted(tools, 'tool')}, "
        f"{size(row.recorded_bytes)} of {size(results)} of all tool results",
    ]
    if not row.json_answers:
        from ctxlab.report import nothing_to_cut

        return [*lines, f"{nothing_to_cut(row)}: there is nothing to cut"]
    lines += [
        f"compact printing alone would save {size(row.compact_bytes)} "
        f"({share(row.compact_share_of_recorded, 1)}); all savings below are beyond that",
        f"later calls quoted something of {counted(row.quoted_answers, 'answer')}; of "
        f"{count(row.witnessed_answers)} something that the agent knew from that answer alone: a "
        "witness",
        f"after {counted(row.json_requeries, 'answer')} in JSON "
        f"({share(row.json_requeries / row.json_answers, 0)}) much the same was asked again within "
        f"10 calls, as if they had not sufficed: {count(row.json_fallbacks)} of these with a "
        "larger limit, for the next page or with a narrower filter; after other results of these "
        f"tools {count(row.requeries - row.json_requeries)}",
    ]
    if row.cut_answers or row.text_answers or row.invalid_answers:
        from ctxlab.report import against_rules

        lines.append(
            f"left out: {counted(row.cut_answers, 'answer')} cut by the agent's harness, "
            f"{count(row.text_answers)} of the same tools that are no JSON{against_rules(row)}"
        )
    return lines


def recommendation_lines(tuned: SurfaceTuned) -> list[str]:
    """What to ship, for all tools together and which keys to select."""
    lines = [
        "To store in sqlite-graphrag, for all its commands:",
        *one_limit_lines(tuned.recommended, tuned.choices),
    ]
    own = [
        (tool, found.params, found.choice.judged_on)
        for tool, found in tuned.by_tool.items()
        if found.params and found.choice.judged_on
    ]
    lines.append("For single tools:" + ("" if own else " none is recommended"))
    for tool, params, judged in own[:_MOST_TOOLS]:
        limits = _changed(params)
        lines.append(f"  {printable(tool, 100)}: {limits}; {_judged(judged)}")
    return lines + _others(len(own)) + _key_lines(tuned.key_advice)


def _key_lines(advice: Mapping[str, KeyChoice]) -> list[str]:
    ship = {tool: found for tool, found in advice.items() if found.status == "recommended"}
    if not ship:
        return [
            "Keys to select: no list of keys is recommended; quotes by key: frames/keys.parquet"
        ]
    lines = ["Keys to select:"]
    for tool, found in list(ship.items())[:_MOST_TOOLS]:
        lines.append(
            f"  {printable(tool, 100)}: {printable(','.join(found.keys), 500)}"
            + (f" ({_saved(found.judged_on)})" if found.judged_on else "")
        )
    return lines + _others(len(ship))


def _others(n: int) -> list[str]:
    return [f"  {count(n - _MOST_TOOLS)} more: see the report"] if n > _MOST_TOOLS else []


def _saved(judged: Any) -> str:
    return f"saves {share(judged.saved_share.value, 1)} on the later transcripts"


def one_limit_lines(found: Recommendation[SurfaceChoice], sweep: SurfaceSweep) -> list[str]:
    """One recommendation: what to ship, how it was judged, and why not."""
    choice = found.choice
    lines = []
    if choice.params is None:
        lines.append("  no limit")
    else:
        verb = "ship" if found.params else "do not ship"
        lines.append(f"  {verb}: {_changed(choice.params) or 'whole answers'}")
    if choice.judged_on is not None:
        lines.append(f"  on the later transcripts: {_judged(choice.judged_on)}")
    return lines + [f"  because {printable(reason, 1000)}" for reason in choice.reasons]


def _changed(params: ParamSet) -> str:
    """The parameters that are not the default."""
    named = {
        name: ",".join(value) if isinstance(value, tuple) else value
        for name, value in params.changed().items()
    }
    return printable(", ".join(f"{name} {value}" for name, value in named.items()), 500)


def _judged(judged: SurfaceJudgement) -> str:
    saved = judged.saved_share
    few = ", indicative: few families" if saved.indicative else ""
    upper = judged.harmed_families_upper
    families = counted(judged.families_with_witnesses, "family", "families")
    bound = (
        "without bound on the families"
        if upper is None
        else f"at 95 % in at most {share(upper, 0)} of the {families} with a witness"
    )
    return (
        f"saves {share(saved.value, 1)} of compact bytes ({share(saved.low, 1)} to "
        f"{share(saved.high, 1)}{few}); harms {judged.harmed_answers} of "
        f"{counted(judged.changed_answers, 'changed answer')}, {bound}"
    )
