"""The results of the main job as the values that a report shows, and its figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ctxlab import plots
from ctxlab.dedup.decide import HARM_CAUSES
from ctxlab.dedup.params import Dedup
from ctxlab.fallback import BUCKETS, reobtained_summary, sufficiency_summary
from ctxlab.lab import Lab, Recommendation, Tuned
from ctxlab.replay import harm_metric
from ctxlab.report.content import (
    NOT_MEASURED,
    BaseRate,
    DataDescription,
    Number,
    Outcome,
    Picture,
    Problems,
    RecommendationText,
    ReportContent,
    Sufficiency,
    UnrecordedChanges,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["compose"]

_TITLES = {
    "shipped": "The tool as shipped: one record for the whole connection",
    "switch": "The switch of the tool as shipped, at its shipped constants",
    "own": "A tool that keeps a record for each thread and forgets it at compaction",
}
_SWEEP_LINES = (1, 2, 4, 8, 16, 32, 64)


def compose(lab: Lab, tuned: Tuned, generated: str) -> tuple[ReportContent, Mapping[str, Picture]]:
    """Give what the report says, and its figures by file name.

    Parameters
    ----------
    generated
        Date to print.
    """
    pictures = _pictures(lab, tuned)
    certificate = tuned.recommended_shipped.certificate
    overview = tuned.overview.frame()
    notes = []
    if tuned.survey.sufficiency.own.all():
        notes.append(
            "No context tool answered in these transcripts; what agents did after an answer is "
            "shown for their own tools, each judged as if it were one."
        )
    if tuned.tools == ("read",):
        [guarded] = _rows(tuned.guarded.frame())
        notes.append(
            "Read answers hold one file each, so the guard that gives pointer-only answers their "
            "first file back would undo every full pointer; it is off here. With it, the shipped "
            f"constants net {guarded['net_share']:.2%} of the source bytes served, with "
            f"{guarded['harmful_pointers']:.0f} harmful of {guarded['pointers']:.0f} pointers."
        )
    content = ReportContent(
        title="What dedup of served source could bank on these transcripts",
        generated=generated,
        versions=certificate["versions"],
        data=_data(lab, tuned, certificate["data"]["hash"]),
        headline=tuple(_outcome(row) for row in _rows(overview[_headline(overview, tuned)])),
        recommendations=(
            _recommendation("shipped", tuned.recommended_shipped, tuned.shipped.frame()),
            _recommendation("switch", tuned.default, tuned.shipped.frame()),
            _recommendation("own", tuned.recommended_own, tuned.own.frame()),
        ),
        difference=tuned.difference,
        sweep=tuple(
            _outcome(row, ("min_delta_chars",))
            for frame in (overview, tuned.shipped.frame(), tuned.own.frame())
            for row in _rows(frame[frame.min_covered_lines.isin(_SWEEP_LINES)])
        ),
        base_rates=_base_rates(tuned),
        sufficiency=_sufficiency(tuned),
        unrecorded_changes=_changes(tuned),
        problems=_problems(lab),
        pictures=tuple(pictures.values()),
        notes=tuple(notes),
    )
    return content, pictures


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    import pandas as pd

    return [
        {str(name): None if pd.isna(value) else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


def _headline(overview: pd.DataFrame, tuned: Tuned) -> Any:
    """Rows of the proof in use, for the tool as shipped and for one with a record a thread."""
    scope, reset = overview.record_scope, overview.reset_on_compaction.astype(bool)
    return (overview.proof == tuned.proof) & ((scope == "thread") == reset)


def _outcome(row: Mapping[str, Any], settings: Iterable[str] = ()) -> Outcome:
    """One setting; its label names the thresholds, `settings` what else is to be named."""
    view = "all" if row["view_calls"] is None else int(row["view_calls"])
    reset = ", reset at compaction" if row["reset_on_compaction"] else ""
    return Outcome(
        label=f"≥ {row['min_covered_lines']} lines, {view} calls, {row['record_scope']}{reset}, "
        f"{row['proof']}",
        settings={name: row[name] for name in settings},
        harmful=Number(row["harmful_pointers"], "count", "bounded", "pointers"),
        harm_by_cause={c: int(row[harm_metric(c)]) for c in HARM_CAUSES[1:]},
        pointers=Number(row["pointers"], "count", "bounded", "answers of the replayed tools"),
        net_bytes=Number(row["net_bytes"], "bytes", "bounded", "source bytes served"),
        of_touched=Number(
            row["net_share"], "share", "bounded", "source bytes served", row["low"], row["high"]
        ),
        of_results=Number(row["net_share_of_results"], "share", "bounded", "all tool results"),
        of_new_input=_maybe(row["net_share_of_new_input"], "modelled", "new input tokens"),
    )


def _maybe(value: float | None, known: Any, of: str) -> Number:
    return NOT_MEASURED if value is None else Number(value, "share", known, of)


def _recommendation(which: str, found: Recommendation, frame: pd.DataFrame) -> RecommendationText:
    choice = found.choice
    outcome, interval, stated = None, "", None
    if choice.cell is not None:
        wanted = choice.cell.as_dict()
        row = next(r for r in _rows(frame) if all(r[k] == v for k, v in wanted.items()))
        outcome = _outcome(row, (*Dedup.params(), "proof"))
    if choice.judged_on is not None:
        judged = choice.judged_on
        net = judged.net_share
        if net.value is not None and net.low is not None and net.high is not None:
            few = ", indicative: few families" if net.indicative else ""
            interval = (
                f"{net.value:.2%} of the source bytes served, {net.low:.2%} to {net.high:.2%} "
                f"(95 %, {net.n_families} later families, {net.effective_families:.0f} "
                f"effective{few})"
            )
        upper = judged.harmful_families_upper
        stated = {
            "chosen on": f"{choice.chosen_on.net_share.n_families} earlier families"
            if choice.chosen_on
            else "",
            "judged on": f"{net.n_families} later families",
            "harmful pointers there": f"{judged.harmful_pointers} of {judged.pointers}",
            "families that would meet one, at 95 % at most": "not measured"
            if upper is None
            else f"{upper:.0%} of those with a pointer ({judged.families_with_pointers})",
            "data hash": found.certificate["data"]["hash"],
            "ctxlab": found.certificate["versions"]["ctxlab"],
        }
    return RecommendationText(
        title=_TITLES[which],
        status=choice.status,
        reasons=choice.reasons,
        outcome=outcome,
        interval=interval,
        certificate=stated,
    )


def _data(lab: Lab, tuned: Tuned, data_hash: str) -> DataDescription:
    t = tuned.survey.transcripts
    rows = lab.sql("select cause, count(*) from problems group by 1 order by 2 desc").fetchall()
    unknown = lab.sql("select name, sum(n) from unknown_kinds group by 1 order by 2").fetchall()
    [(threads, lines, first, last)] = lab.sql(
        "select (select count(*) from (select distinct source_id, thread from events)),"
        " sum(n_lines), min(started_ms), max(ended_ms) from transcripts"
    ).fetchall()
    return DataDescription(
        transcripts=len(t),
        families=t.family.nunique(),
        threads=int(threads),
        agents={str(agent): int(n) for agent, n in t.agent.value_counts().items()},
        lines=int(lines),
        rejected={str(cause): int(n) for cause, n in rows},
        unknown_kinds={str(name): int(n) for name, n in unknown},
        first=_day(first),
        last=_day(last),
        data_hash=data_hash,
    )


def _day(ms: int | None) -> str | None:
    if ms is None:
        return None
    try:
        return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d}"
    except (OverflowError, ValueError, OSError):
        return None  # a log may claim any number


def _base_rates(tuned: Tuned) -> tuple[BaseRate, ...] | None:
    sections = tuned.survey.reobtained
    if not len(sections):
        return None
    words = {"any": "any line", "r50": "half the lines"}
    return tuple(
        BaseRate(
            tool=str(row["kind"]),
            lines=words[row["rho"]],
            within=int(row["k"]),
            served=int(row["sections"]),
            reobtained=Number(row["rate_share"], "share", "measured", "served sections"),
        )
        for row in _rows(reobtained_summary(sections, by=["kind"]))
        if row["kind"] in tuned.tools and row["rate_share"] is not None
    )


def _sufficiency(tuned: Tuned) -> tuple[Sufficiency, ...] | None:
    frame = tuned.survey.sufficiency
    own = frame.own.astype(bool)
    # Without a context tool in the logs, the agent's own tools show what the buckets are like.
    frame = frame[own] if own.all() else frame[~own]
    if not len(frame):
        return None
    concurrent = frame.groupby("tool").concurrent.sum()
    return tuple(
        Sufficiency(
            tool=str(row["tool"]),
            answered=int(row["answered"]),
            buckets={bucket: int(row[bucket]) for bucket in BUCKETS},
            concurrent=int(concurrent[row["tool"]]),
            errored=int(row["errors"]),
            fallback=_maybe(row["fallback_rate_share"], "measured", "judged answers"),
            wider=_maybe(row["wider_rate_share"], "measured", "judged answers"),
        )
        for row in _rows(sufficiency_summary(frame))
    )


def _changes(tuned: Tuned) -> tuple[UnrecordedChanges, ...]:
    changes = tuned.survey.changes
    return tuple(
        UnrecordedChanges(
            evidence=str(evidence), changes=int(group.changes.sum()), files=int(group.files.sum())
        )
        for evidence, group in changes.groupby("evidence")
    )


def _problems(lab: Lab) -> tuple[Problems, ...]:
    frame = lab.problems()
    return tuple(
        Problems(
            cause=str(cause),
            count=len(group),
            n_bytes=int(group.n_bytes.sum()),
            example=f"{group.path.iloc[0]}, line {group.line_number.iloc[0]}, "
            f"byte {group.byte_offset.iloc[0]}",
        )
        for cause, group in frame.groupby("cause", sort=False)
    )


def _pictures(lab: Lab, tuned: Tuned) -> dict[str, Picture]:
    shipped = tuned.shipped.frame()
    own = tuned.own.frame()
    chosen = tuned.recommended_own.choice.cell
    delta = chosen.params.min_delta_chars if chosen else Dedup().min_delta_chars
    own = own[own.min_delta_chars == delta].reset_index(drop=True)
    own["recommended"] = False
    if chosen and tuned.recommended_own.params:
        own["recommended"] = (own.min_covered_lines == chosen.params.min_covered_lines) & (
            own.view_calls.isna()
            if chosen.params.view_calls is None
            else own.view_calls == chosen.params.view_calls
        )
    pictures = {}
    for name, frame, words in (
        ("shipped", shipped, "one record a connection"),
        ("own", own, "a record a thread, forgotten at compaction"),
    ):
        pictures[f"savings_curve_{name}"] = Picture(
            title=f"Savings by threshold, {words}",
            caption="Net bytes as a share of the source bytes served; the band holds for all "
            "points at once and is by family. Hollow points have harmful pointers.",
            alt=f"Line chart of net share against min_covered_lines, {words}; the figures stand "
            "in the sweep table.",
            known="bounded",
            drawing=plots.savings_curve(frame),
        )
        pictures[f"heatmap_{name}"] = Picture(
            title=f"Horizon and threshold, {words}",
            caption="Net share of the source bytes served; hatched cells have harmful pointers.",
            alt=f"Heat map of net share over view_calls and min_covered_lines, {words}; the "
            "figures stand in the sweep table.",
            known="bounded",
            drawing=plots.horizon_heatmap(frame),
        )
    where = chosen.params.as_dict() if chosen else {}
    pictures["transcripts"] = Picture(
        title="Transcript by transcript, a record a thread",
        caption="One point a transcript: how much of the total rests on few of them.",
        alt="Distribution of net share over transcripts.",
        known="bounded",
        drawing=plots.transcript_distribution(tuned.own.transcripts(**where)),
    )
    one = _timeline(lab, tuned)
    if one is not None:
        pictures["timeline"] = one
    return pictures


def _timeline(lab: Lab, tuned: Tuned) -> Picture | None:
    """The thread with most harm in the transcript with most harm, under the shipped constants."""
    [cell] = tuned.switch.table.cells
    frame = tuned.switch.transcripts()
    if not len(frame):
        return None
    worst = frame.sort_values(["harmful_pointers", "pointers"], kind="stable").transcript.iloc[-1]
    course = lab.timeline(str(worst), cell.params, tools=tuned.tools, proof=cell.proof)
    return Picture(
        title="One thread, file by file, as the tool is shipped",
        caption="The thread with the most harmful pointers: what would be sent, what a pointer "
        "would replace, and which pointers would lead nowhere.",
        alt="Timeline of one thread: served files against position, coloured by outcome.",
        known="bounded",
        drawing=plots.context_timeline(course),
    )
