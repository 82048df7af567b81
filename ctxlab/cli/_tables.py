"""Results as compact terminal tables; what could hurt the agent stands in the first column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from ctxlab.cli._missing import unanswered_lines
from ctxlab.cli._side_by_side import titled
from ctxlab.cli._text import count, printable, share, size
from ctxlab.fallback import reobtained_summary, sufficiency_statement, sufficiency_summary
from ctxlab.words import counted

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.lab import DedupSweep, Recommendation, Tuned
    from ctxlab.store import IngestReport
    from ctxlab.tune import Choice, Judgement

__all__ = [
    "frame_table",
    "ingest_lines",
    "one_recommendation_lines",
    "overview_table",
    "recommendation_lines",
    "survey_lines",
    "tables",
]


_REPLAYED = {
    "read": "Read answers",
    "grep": "search results",
    "shell": "shell prints",
    "mcp": "answers of MCP tools",
}


def ingest_lines(report: IngestReport) -> list[str]:
    """What an ingest found; anything that was not read is named."""
    lines = [
        f"{counted(report.transcripts, 'transcript')} in {counted(report.files, 'file')}: "
        f"{count(report.read)} read ({size(report.bytes)}), "
        f"{count(report.unchanged)} unchanged; {counted(report.problems, 'record')} rejected "
        "or read with a note"
    ]
    if report.unrecognised:
        unknown = counted(report.unrecognised, "file is no transcript", "files are no transcripts")
        lines.append(f"{unknown} of a known kind")
    if report.vanished:
        gone = counted(report.vanished, "transcript is", "transcripts are")
        lines.append(f"{gone} gone from disk and kept here")
    for name, found in (("unreadable", report.unreadable), ("denied", report.denied)):
        lines += [f"{name}: {printable(path)}: {printable(why)}" for path, why in found[:5]]
        if len(found) > 5:
            lines.append(f"{name}: and {len(found) - 5} more")
    return lines + unanswered_lines(report.unanswered)


def survey_lines(tuned: Tuned) -> list[str]:
    """What the logs tell before any policy."""
    survey = tuned.survey
    t = survey.transcripts
    changes = survey.changes.groupby("evidence").changes.sum()
    named = ", ".join(f"{n} by {_words(e)}" for e, n in changes.items()) or "none"
    lines = [
        f"{counted(len(t), 'transcript')} in {counted(t.family.nunique(), 'family', 'families')} "
        f"({', '.join(sorted(t.agent.unique()))}); {size(t.tool_result_bytes.sum())} of tool "
        f"results, of these Read {size(t.read_bytes.sum())}",
        f"new input tokens {_measured(t.new_input_tokens.sum(min_count=1))}; "
        f"{survey.tokens.bytes_per_token:.2f} bytes a token ({survey.tokens.known})",
        f"file changes that left no hunk: {named}; "
        f"delivered pointers in the logs: {count(t.delivered_pointers.sum())}",
    ]
    lines.append(
        f"replayed: {' and '.join(_REPLAYED.get(kind, kind) for kind in tuned.tools)}, which "
        f"delivered {size(_touched(tuned))} of source lines (the touched bytes)"
    )
    lines += _untouched(tuned)
    sections = survey.reobtained[survey.reobtained.kind.isin(tuned.tools)]
    if len(sections):
        base = reobtained_summary(sections)
        for rho, words in (("any", "any line"), ("r50", "half the lines")):
            rows = base[base.rho == rho]
            pairs = zip(rows.rate_share, rows.k, strict=True)
            rates = ", ".join(f"{share(rate, 1)} within {k}" for rate, k in pairs)
            lines.append(
                f"{counted(len(sections), 'served section')} fetched again, {words}: {rates} "
                f"actions (measured); {_cut(rows.iloc[-1])}"
            )
    own = survey.sufficiency.own.astype(bool)
    lines += sufficiency_statement(sufficiency_summary(survey.sufficiency[~own])).splitlines()
    if own.all():
        lines += sufficiency_statement(sufficiency_summary(survey.sufficiency[own])).splitlines()
    return lines


def _measured(value: float) -> str:
    return f"{count(value)} (measured)" if value == value else count(value)


def _cut(longest: Any) -> str:
    """How many windows were cut short at most, and the rate that allows for it."""
    allowed = longest.incidence_share
    return (
        f"{share(longest.cut_share, 0)} of windows of {longest.k} cut short by edits, compaction "
        "or the end"
        + (f"; cumulative incidence {share(allowed, 1)} (modelled)" if allowed == allowed else "")
    )


def _untouched(tuned: Tuned) -> list[str]:
    """Agents none of whose calls were replayed, and what they read with instead."""
    t = tuned.survey.transcripts
    lines = []
    for agent, rows in t.groupby("agent"):
        replayed = sum(rows[f"{kind}_calls"].sum() for kind in tuned.tools)
        others = [kind for kind in ("read", "grep", "shell", "mcp") if kind not in tuned.tools]
        used = {kind: rows[f"{kind}_calls"].sum() for kind in others}
        if not replayed and any(used.values()):
            named = ", ".join(f"{kind} {counted(n, 'call')}" for kind, n in used.items() if n)
            lines.append(
                f"{printable(str(agent))}: no call of the replayed tools "
                f"({', '.join(tuned.tools)}) in {counted(len(rows), 'transcript')}, but {named}: "
                "name them with --tools"
            )
    return lines


def tables(tuned: Tuned) -> list[Table]:
    """All there is to show; nothing where the replayed tools delivered no source."""
    return [overview_table(tuned)] if _touched(tuned) else []


def _touched(tuned: Tuned) -> float:
    return float(tuned.switch.table.metric("touched_bytes").sum())


def overview_table(tuned: Tuned) -> Table:
    """Few thresholds under each record scope and reset, by the proof in use.

    Narrow enough for 80 columns: the other proofs are in the report.
    """
    frame = tuned.overview.frame()
    frame = frame[frame.proof == tuned.proof]
    lines = sorted(frame.min_covered_lines.unique())
    table = titled(
        f"Net share of touched bytes, bounded (a replay's most); proof {tuned.proof}",
        "harmful: pointers at lines not in the context, of all, at 8 lines.\n"
        "frames/overview.parquet has withheld, folded and pointer bytes, and all proofs.",
    )
    table.add_column("harmful", justify="right", no_wrap=True)
    table.add_column("record", no_wrap=True)
    table.add_column("calls", justify="right", no_wrap=True)
    for m in lines:
        table.add_column(f"≥ {m}", justify="right", no_wrap=True)
    for (scope, reset), group in frame.groupby(["record_scope", "reset_on_compaction"], sort=False):
        for view in (4, None):
            rows = group[_views(group, view)].set_index("min_covered_lines")
            table.add_row(
                f"{count(rows.harmful_pointers[8])} of {count(rows.pointers[8])}",
                f"{scope}{', reset' if reset else ''}",
                "all" if view is None else str(view),
                *(_narrow(rows.net_share[m]) for m in lines),
            )
    return table


def _narrow(value: float) -> str:
    return "–" if value != value else share(value)


def recommendation_lines(tuned: Tuned) -> list[str]:
    """Both recommendations, the switch, and the difference between the two."""
    return [
        "As shipped (one record a connection):",
        *one_recommendation_lines(tuned.recommended_shipped, tuned.shipped),
        "Its switch, at the shipped constants:",
        *one_recommendation_lines(tuned.default, tuned.switch),
        *_guarded(tuned),
        "A record a thread, forgotten at compaction:",
        *one_recommendation_lines(tuned.recommended_own, tuned.own),
        tuned.difference,
    ]


def _guarded(tuned: Tuned) -> list[str]:
    if tuned.guarded.table.cells == tuned.switch.table.cells:
        return []
    row = tuned.guarded.frame().iloc[0]
    return [
        f"  with the guard on pointer-only answers (off above, for Read answers hold one file): "
        f"net {share(row.net_share)}, harmful {count(row.harmful_pointers)} of "
        f"{count(row.pointers)} pointers, all transcripts"
    ]


def one_recommendation_lines(found: Recommendation[Choice], sweep: DedupSweep) -> list[str]:
    """One recommendation: what to ship, how it was judged, and why not."""
    choice = found.choice
    lines = []
    if choice.cell is not None:
        p = choice.cell.params
        view = "all" if p.view_calls is None else p.view_calls
        lines.append(
            f"  {'ship' if found.params else 'do not ship'}: min_covered_lines "
            f"{p.min_covered_lines}, view_calls {view}, min_delta_chars {p.min_delta_chars}"
        )
    else:
        lines.append("  none")
    judged = choice.judged_on
    if judged is not None:
        net = judged.net_share
        note = ", indicative: few families" if net.indicative else ""
        lines.append(
            f"  on the later transcripts: net {share(net.value)} of touched bytes "
            f"({share(net.low)} to {share(net.high)}{note}); harmful {judged.harmful_pointers} of "
            f"{counted(judged.pointers, 'pointer')}; {_met(judged)}"
        )
    if choice.cell is not None:
        row = sweep.frame().iloc[sweep.table.cells.index(choice.cell)]
        lines.append(
            f"  on all transcripts: net {share(row.net_share)} of touched bytes, "
            f"{share(row.net_share_of_results)} of all tool results, "
            f"{share(row.net_share_of_new_input)} of new input tokens (modelled)"
        )
    return lines + [f"  because {reason}" for reason in choice.reasons]


def _met(judged: Judgement) -> str:
    upper = judged.harmful_families_upper
    if upper is None:
        return "families that would meet one: not measured"
    most = share(upper, 0 if upper >= 0.01 else 2)
    return (
        f"at 95 % at most {most} of the "
        f"{counted(judged.families_with_pointers, 'family', 'families')} with a pointer "
        "would meet one"
    )


def frame_table(frame: pd.DataFrame, limit: int = 40) -> Table:
    """Any frame; text is made fit for the terminal, long frames are cut and say so."""
    table = Table()
    for name in frame.columns:
        table.add_column(Text(printable(str(name))))
    for row in frame.head(limit).itertuples(index=False):
        table.add_row(*(Text(printable(_cell(value))) for value in row))
    if len(frame) > limit:
        table.caption = f"{limit} of {len(frame)} rows"
    return table


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return "null"
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() else f"{value:,.4g}"
    return str(value)


def _views(frame: pd.DataFrame, view: int | None) -> Any:
    return frame.view_calls.isna() if view is None else frame.view_calls == view


def _words(name: object) -> str:
    return printable(str(name).replace("_", " "))
