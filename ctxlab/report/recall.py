"""The results of the main job for recall as the values that its report shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ctxlab.estimate import AucInterval
from ctxlab.lab import Lab, RecallSweep, RecallTuned
from ctxlab.report._read import data_of, figure, problems_of
from ctxlab.report._recall_figures import recall_pictures
from ctxlab.report._recall_said import in_short, judged_words, verdict
from ctxlab.report.content import Advice, DataDescription, Number, Picture, Problems

if TYPE_CHECKING:
    from ctxlab.lab import Recommendation
    from ctxlab.tune import FloorChoice

__all__ = ["RecallContent", "RecallOutcome", "SignalRow", "compose_recall"]

_FLOORS = (2.0, 4.0, 6.0, 8.0, 10.0)
_MOST_LEAKS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOutcome:
    """What one setting would have printed: figures by column head, in order.

    `use` says what became of the pointers, `found` what share of what was used they reach,
    `controls` how often it fires and where it should not, `amount` how much is printed.
    """

    label: str
    use: Mapping[str, Number]
    found: Mapping[str, Number]
    controls: Mapping[str, Number]
    amount: Mapping[str, Number]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalRow:
    """One test of the score: which prompts are compared, the AUC, what it means and rests on.

    `used` counts prompts with a used pointer, `unused` those without.
    """

    compared: str
    auc: Number
    verdict: str
    used: int
    unused: int
    families: int
    effective_families: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallContent:
    """All that a report on recall says.

    `short` are the sentences that a reader must not miss. `funnel` leads from all prompts to those
    of which a pointer was used: number, and share of the prompts; `left_out` counts those without a
    graph. `graphs` and `leaks` are rows as in the frames.
    """

    title: str
    generated: str
    versions: Mapping[str, str]
    data: DataDescription
    problems: tuple[Problems, ...]
    short: tuple[str, ...]
    recommendations: tuple[Advice, ...]
    caveats: tuple[str, ...]
    signal: tuple[SignalRow, ...]
    outcomes: tuple[RecallOutcome, ...]
    funnel: Mapping[str, tuple[Number, Number]]
    left_out: int
    graph: str
    graphs: tuple[tuple[str, int, int, int, str], ...]
    leaks: tuple[tuple[str, str, str, int, int], ...]
    leaks_in_all: int
    pictures: Mapping[str, Picture]


def compose_recall(lab: Lab, tuned: RecallTuned, generated: str) -> RecallContent:
    """Give what the report says, with its figures.

    Parameters
    ----------
    generated
        Date to print.
    """
    certificate = tuned.recommended.certificate
    leaks, graphs = tuned.leaks, tuned.floors.graphs()
    any_prompt = bool(tuned.floors.frame().prompts.iloc[0])
    return RecallContent(
        title="What a prompt hook would have told the agent on these transcripts",
        generated=generated,
        versions=certificate["versions"],
        data=data_of(lab, tuned.survey, certificate["data"]["hash"]),
        problems=problems_of(lab),
        short=in_short(_shipped(tuned)),
        recommendations=_recommendations(tuned),
        caveats=tuple(certificate["caveats"]),
        signal=_signal(tuned),
        outcomes=tuple(_outcomes(tuned)) if any_prompt else (),
        funnel=_funnel(tuned.floors),
        left_out=int(tuned.floors.frame().unanswerable.iloc[0]),
        graph=tuned.graph.replace("\n", ", "),
        graphs=tuple(graphs.itertuples(index=False, name=None)),
        leaks=tuple(leaks.head(_MOST_LEAKS).itertuples(index=False, name=None)),
        leaks_in_all=len(leaks),
        pictures=recall_pictures(tuned) if any_prompt else {},
    )


def _shipped(tuned: RecallTuned) -> Any:
    repeats = tuned.repeats.frame()
    return repeats[~repeats.suppress_repeats.astype(bool)].iloc[0]


def _recommendations(tuned: RecallTuned) -> tuple[Advice, ...]:
    """For the tool as shipped and for one with more; said once if both come to the same."""
    shipped = _advice("For mushroomdb as shipped", tuned.recommended)
    own = _advice("For a hook with relative floors, or that repeats nothing", tuned.recommended_own)
    if own == replace(shipped, title=own.title):
        return (replace(shipped, title=f"{shipped.title}. {own.title}"),)
    return shipped, own


def _advice(title: str, found: Recommendation[FloorChoice]) -> Advice:
    choice = found.choice
    return Advice(
        title=title,
        status=choice.status,
        ship=choice.params.changed() if choice.params else {},
        judged=judged_words(choice.judged_on),
        reasons=found.reasons,
        warnings=tuple(found.certificate["warnings"]) if found.params else (),
    )


def _signal(tuned: RecallTuned) -> tuple[SignalRow, ...]:
    named = {
        "all prompts at which it prints": tuned.signal.pooled,
        "the same, within one project": tuned.signal.within,
        "within one project; use counts only of what the prompt had not named": tuned.signal.told,
    }
    return tuple(_signal_row(compared, found) for compared, found in named.items())


def _signal_row(compared: str, found: AucInterval) -> SignalRow:
    return SignalRow(
        compared=compared,
        auc=Number(found.value, "ratio", "measured", "", found.low, found.high),
        verdict=verdict(found),
        used=found.n_positive,
        unused=found.n_negative,
        families=found.n_families,
        effective_families=found.effective_families,
    )


def _outcomes(tuned: RecallTuned) -> list[RecallOutcome]:
    floors, repeats = tuned.floors.frame(), tuned.repeats.frame()
    rows = [
        ("as shipped", _shipped(tuned)),
        ("repeats suppressed", repeats[repeats.suppress_repeats.astype(bool)].iloc[0]),
        *(
            (f"min_hit_score {floor:g}", floors[floors.min_hit_score == floor].iloc[0])
            for floor in _FLOORS
        ),
        ("coverage gate of 0.7", tuned.later.frame().iloc[0]),
    ]
    for label, found, sweep in (
        ("recommended with more than is shipped", tuned.recommended_own, tuned.own),
        ("recommended", tuned.recommended, tuned.choices),
    ):
        if found.params is not None:
            at = sweep.find(**found.params.as_dict())
            rows.insert(1, (label, sweep.frame().iloc[at]))
    return [_outcome(label, row) for label, row in rows]


def _outcome(label: str, row: Any) -> RecallOutcome:
    def fires(name: str, questions: str, of: str) -> Number:
        return figure(row, name, "rate", f"{row[questions]:,.0f} {of}")

    printed = "pointers printed"
    return RecallOutcome(
        label=label,
        use={
            "Used": figure(row, "precision", "rate", printed, ends=("low", "high")),
            "… by chance": figure(row, "chance_share", "rate", "pointers at unrelated prompts"),
            "… and named by the prompt": figure(row, "named_used_share", "rate", printed),
            "… and not named": figure(row, "told_share", "rate", printed),
            "File opened with no search before": figure(row, "averted_share", "rate", printed),
        },
        found={
            "Used files pointed at": figure(
                row, "reached_share", "rate", "used files of the graph"
            ),
            "Digests": figure(row, "fires", "count"),
            "… with a used pointer": figure(row, "used_fire_share", "rate", "digests"),
            "Pointers": figure(row, "pointers", "count"),
            "Repeated pointers": figure(row, "repeat_share", "rate", printed),
        },
        controls={
            "Fires at recorded prompts": fires("fire_share", "prompts", "prompts"),
            "… at unrelated prompts": fires(
                "false_fire_unrelated", "unrelated_questions", "controls"
            ),
            "… at joined topics": fires("false_fire_joined", "joined_questions", "controls"),
            "… at absent subjects": fires("false_fire_absent", "absent_questions", "controls"),
        },
        amount={
            "Mean bytes of a digest": figure(row, "bytes_per_fire", "count"),
            "… in tokens": figure(row, "tokens_per_fire", "count", known="modelled"),
            "… in tokens of uncached input, carried along": figure(
                row, "carried_tokens_per_fire", "count", known="modelled"
            ),
        },
    )


def _funnel(sweep: RecallSweep) -> dict[str, tuple[Number, Number]]:
    row = sweep.frame().iloc[0]

    def of_prompts(n: float) -> tuple[Number, Number]:
        share = n / row.prompts if row.prompts else None
        return Number(float(n), "count", "measured"), Number(share, "rate", "measured")

    return {
        "Prompts with a graph to look in": of_prompts(row.prompts),
        "… that name an identifier": of_prompts(row.with_identifier),
        "… of which a phrase is in the graph": of_prompts(row.matched),
        "… after which a ranked pointer was used": of_prompts(
            row.prompts - row.nothing_right - row.missed
        ),
        "… after which a file of the graph was used, but no ranked pointer: missed": of_prompts(
            row.missed
        ),
        "… after which nothing of the graph was used: silence was right": of_prompts(
            row.nothing_right
        ),
        "… whose graph held no file yet": of_prompts(row.empty_graph),
    }
