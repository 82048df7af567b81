"""The results of the main job as the values that a report shows, and its figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ctxlab.dedup.decide import HARM_CAUSES
from ctxlab.dedup.params import Dedup
from ctxlab.fallback import BUCKETS, reobtained_summary, sufficiency_summary
from ctxlab.lab import Lab, Recommendation, Tuned
from ctxlab.replay import harm_metric
from ctxlab.report._figures import pictures_of, words_of
from ctxlab.report._read import changes_of, data_of, problems_of
from ctxlab.report.content import (
    NOT_MEASURED,
    BaseRate,
    Number,
    Outcome,
    RecommendationText,
    ReportContent,
    Sufficiency,
)
from ctxlab.tune import Choice
from ctxlab.words import counted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["compose"]

_TITLES = {
    "shipped": "The tool as shipped: one record for the whole connection",
    "switch": "The switch of the tool as shipped, at its shipped constants",
    "own": "A tool that keeps a record for each thread and forgets it at compaction",
}
_SWEEP_LINES = (1, 2, 4, 8, 16, 32, 64)


def compose(lab: Lab, tuned: Tuned, generated: str) -> ReportContent:
    """Give what the report says, with its figures.

    Parameters
    ----------
    generated
        Date to print.
    """
    rows, computed = _selected(tuned)
    certificate = tuned.recommended_shipped.certificate
    overview = tuned.overview.frame()
    notes = [
        f"Replayed tools: {', '.join(tuned.tools)}. Where no Read delivered source, MCP tools or "
        "shell prints are taken unless others are named."
    ]
    if tuned.survey.sufficiency.own.all():
        notes.append(
            "No context tool answered in these transcripts; what agents did after an answer is "
            "shown for their own tools, each judged as if it were one."
        )
    if tuned.tools == ("read",):
        [guarded] = _rows(tuned.guarded.frame())
    if tuned.tools == ("read",) and guarded["net_share"] is not None:
        notes.append(
            "Read answers hold one file each, so the guard that gives pointer-only answers their "
            "first file back would undo every full pointer; it is off here. With it, the shipped "
            f"constants net {guarded['net_share']:.2%} of the source bytes served, with "
            f"{guarded['harmful_pointers']:.0f} harmful of "
            f"{counted(guarded['pointers'], 'pointer')}."
        )
    is_served = bool((overview.touched_bytes > 0).any())
    if not is_served:
        notes.append("They delivered no source in these transcripts: there is nothing to withhold.")
    return ReportContent(
        title="What dedup of served source could bank on these transcripts",
        generated=generated,
        versions=certificate["versions"],
        data=data_of(lab, tuned.survey, certificate["data"]["hash"]),
        headline=tuple(map(_outcome, _rows(overview[_headline(overview, tuned)])))
        if is_served
        else (),
        recommendations=(
            _recommendation("shipped", tuned.recommended_shipped, tuned.shipped.frame()),
            _recommendation("switch", tuned.default, tuned.shipped.frame()),
            _recommendation("own", tuned.recommended_own, tuned.own.frame()),
        ),
        difference=tuned.difference,
        sweep=rows if is_served else None,
        computed=computed,
        base_rates=_base_rates(tuned),
        sufficiency=_sufficiency(tuned),
        unrecorded_changes=changes_of(tuned.survey),
        problems=problems_of(lab),
        pictures=pictures_of(lab, tuned) if is_served else {},
        notes=tuple(notes),
    )


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


def _selected(tuned: Tuned) -> tuple[tuple[Outcome, ...], int]:
    """Few thresholds of every sweep, each setting once; and how many settings were computed."""
    frames = (tuned.overview.frame(), tuned.shipped.frame(), tuned.own.frame())
    found = {
        (*(row[name] for name in Dedup.params()), row["proof"]): row
        for frame in frames
        for row in _rows(frame)
    }
    kept = [row for row in found.values() if row["min_covered_lines"] in _SWEEP_LINES]
    return tuple(_outcome(row, ("min_delta_chars",)) for row in kept), len(found)


def _outcome(row: Mapping[str, Any], settings: Iterable[str] = ()) -> Outcome:
    """One setting; its label names the thresholds, `settings` what else is to be named."""
    touched = row["touched_bytes"]
    withheld = row["withheld_bytes"] / touched if touched else None
    return Outcome(
        label=f"{words_of(row)}, {row['proof']}",
        settings={name: row[name] for name in settings},
        harmful=Number(row["harmful_pointers"], "count", "bounded"),
        harm_by_cause={c: int(row[harm_metric(c)]) for c in HARM_CAUSES[1:]},
        pointers=Number(row["pointers"], "count", "bounded", "answers of the replayed tools"),
        withheld=_maybe(withheld, "bounded", "source bytes served"),
        net_bytes=Number(row["net_bytes"], "bytes", "bounded", "source bytes served"),
        of_touched=Number(
            row["net_share"], "share", "bounded", "source bytes served", row["low"], row["high"]
        ),
        of_results=Number(row["net_share_of_results"], "share", "bounded", "all tool results"),
        of_new_input=_maybe(row["net_share_of_new_input"], "modelled", "new input tokens"),
    )


def _maybe(value: float | None, known: Any, of: str) -> Number:
    return NOT_MEASURED if value is None else Number(value, "share", known, of)


def _recommendation(
    which: str, found: Recommendation[Choice], frame: pd.DataFrame
) -> RecommendationText:
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
            else f"{upper:.0%} of the "
            f"{counted(judged.families_with_pointers, 'family', 'families')} with a pointer",
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
            cut=_maybe(row["cut_share"], "measured", "served sections"),
            incidence=_maybe(row["incidence_share"], "modelled", "served sections"),
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
