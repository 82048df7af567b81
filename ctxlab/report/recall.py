"""The results of the main job for recall as the values that its report shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctxlab import plots
from ctxlab.lab import Lab, RecallSweep, RecallTuned
from ctxlab.recall.params import Recall
from ctxlab.report._read import data_of, problems_of
from ctxlab.report.content import DataDescription, Known, Number, Picture, Problems

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.estimate import AucInterval
    from ctxlab.tune import FloorChoice

__all__ = ["RecallContent", "RecallOutcome", "SignalRow", "compose_recall"]

_FLOORS = (1.0, 2.0, 4.0, 6.0, 8.0, 10.0)
_MOST_LEAKS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOutcome:
    """What one setting would have printed: figures by column head, in order."""

    label: str
    figures: Mapping[str, Number]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalRow:
    """One test of the score: which prompts are compared, the AUC, and what it rests on."""

    compared: str
    auc: Number
    used: int
    unused: int
    families: int
    effective_families: float
    indicative: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallContent:
    """All that a report on recall says.

    `status` is "recommended", "default" or "none"; `ship` are the parameters to ship that differ
    from the shipped ones, `judged` says how they did on the later transcripts. `funnel` leads from
    all prompts to those of which a line was used. `graphs` and `leaks` are rows of text.
    """

    title: str
    generated: str
    versions: Mapping[str, str]
    data: DataDescription
    problems: tuple[Problems, ...]
    status: str
    ship: Mapping[str, object]
    judged: str
    reasons: tuple[str, ...]
    caveats: tuple[str, ...]
    signal: tuple[SignalRow, ...]
    outcomes: tuple[RecallOutcome, ...]
    funnel: Mapping[str, Number]
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
    certificate, choice = tuned.recommended.certificate, tuned.recommended.choice
    leaks, graphs = tuned.leaks, tuned.floors.graphs()
    return RecallContent(
        title="What a prompt hook would have told the agent on these transcripts",
        generated=generated,
        versions=certificate["versions"],
        data=data_of(lab, tuned.survey, certificate["data"]["hash"]),
        problems=problems_of(lab),
        status=tuned.recommended.status,
        ship=_changed(choice.params) if choice.params else {},
        judged=_judged(choice),
        reasons=tuned.recommended.reasons,
        caveats=tuple(certificate["caveats"]),
        signal=_signal(tuned),
        outcomes=tuple(_outcomes(tuned)),
        funnel=_funnel(tuned.floors),
        graph=tuned.graph,
        graphs=tuple(graphs.itertuples(index=False, name=None)),
        leaks=tuple(leaks.head(_MOST_LEAKS).itertuples(index=False, name=None)),
        leaks_in_all=len(leaks),
        pictures=_pictures(tuned),
    )


def _changed(params: Recall) -> dict[str, object]:
    """Parameters that are not the shipped ones."""
    shipped = Recall().as_dict()
    return {name: value for name, value in params.as_dict().items() if value != shipped[name]}


def _judged(choice: FloorChoice) -> str:
    judged = choice.judged_on
    if judged is None:
        return ""
    saved, lost = judged.saved_share, judged.lost_share
    if saved.value is None or saved.low is None or saved.high is None or lost.value is None:
        return ""
    few = ", indicative: few families" if saved.indicative else ""
    upper = judged.lost_share_upper
    bound = "without bound" if upper is None else f"at most {upper:.1%} at 95 %"
    return (
        f"On the later transcripts it prints {saved.value:.1%} less than the shipped default "
        f"({saved.low:.1%} to {saved.high:.1%}{few}) and loses {lost.value:.1%} of its used lines "
        f"({bound}; {judged.families_with_use} families used one)."
    )


def _signal(tuned: RecallTuned) -> tuple[SignalRow, ...]:
    named = {
        "all prompts that printed a line": tuned.signal.pooled,
        "prompts of the same project": tuned.signal.within,
        "the same, lines that the prompt had not named": tuned.signal.told,
    }
    return tuple(_signal_row(compared, found) for compared, found in named.items())


def _signal_row(compared: str, found: AucInterval) -> SignalRow:
    return SignalRow(
        compared=compared,
        auc=Number(found.value, "ratio", "measured", "pairs", found.low, found.high),
        used=found.n_positive,
        unused=found.n_negative,
        families=found.n_families,
        effective_families=found.effective_families,
        indicative=found.indicative,
    )


def _outcomes(tuned: RecallTuned) -> list[RecallOutcome]:
    floors, repeats = tuned.floors.frame(), tuned.repeats.frame()
    suppressed = repeats.suppress_repeats.astype(bool)
    rows = [
        ("mushroomdb 0.6.12, as shipped", repeats[~suppressed].iloc[0]),
        ("the same, repeats suppressed", repeats[suppressed].iloc[0]),
        *(
            (f"the same, min_hit_score {floor:g}", floors[floors.min_hit_score == floor].iloc[0])
            for floor in _FLOORS
        ),
        ("mushroomdb 0.7, coverage gate", tuned.later.frame().iloc[0]),
    ]
    chosen = tuned.recommended.params
    if chosen is not None:
        at = tuned.choices.find(**chosen.as_dict())
        rows.insert(1, ("recommended", tuned.choices.frame().iloc[at]))
    return [RecallOutcome(label=label, figures=_figures(row)) for label, row in rows]


def _figures(row: Any) -> dict[str, Number]:
    def number(name: str, unit: Any, known: Known, of: str = "") -> Number:
        value = row[name]
        return Number(None if value != value else float(value), unit, known, of)

    def fires(kind: str) -> Number:
        return number(f"false_fire_{kind}", "share", "bounded", "controls")

    low, high = (None if row[end] != row[end] else float(row[end]) for end in ("low", "high"))
    used = number("precision", "share", "bounded", "lines printed")
    return {
        "Used lines": Number(used.value, "share", used.known, used.of, low, high),
        "Used, and new": number("told_share", "share", "bounded", "lines printed"),
        "Named by the prompt": number("named_share", "share", "bounded", "lines printed"),
        "Opened without a search": number("averted_share", "share", "bounded", "lines printed"),
        "Repeats": number("repeat_share", "share", "bounded", "lines printed"),
        "Prompts at which it fires": number("fire_share", "share", "bounded", "prompts"),
        "Digests with a used line": number("used_fire_share", "share", "bounded", "digests"),
        "Lines": number("pointers", "count", "bounded"),
        "Used lines kept": number("used_share", "share", "bounded", "used lines ranked"),
        "Size of a digest": number("bytes_per_fire", "bytes", "bounded", "mean"),
        "Tokens": number("tokens_per_fire", "tokens", "modelled", "mean"),
        "Tokens, carried along": number("carried_tokens_per_fire", "tokens", "modelled", "mean"),
        "Fires at unrelated prompts": number(
            "false_fire_unrelated", "share", "bounded", "controls"
        ),
        "… at joined topics": fires("joined"),
        "… at absent subjects": fires("absent"),
    }


def _funnel(sweep: RecallSweep) -> dict[str, Number]:
    row = sweep.frame().iloc[0]

    def of_prompts(value: float) -> Number:
        return Number(float(value), "count", "measured")

    share = row.nothing_right_share
    return {
        "Prompts with a graph to look in": of_prompts(row.prompts),
        "Prompts asked before there was one (left out)": of_prompts(row.unanswerable),
        "Prompts that name an identifier": of_prompts(row.with_identifier),
        "Prompts of which a phrase is in the graph": of_prompts(row.matched),
        "Prompts of which a ranked line was used": of_prompts(row.prompts - row.nothing_right),
        "Prompts to which nothing was the right answer": Number(
            None if share != share else float(share), "share", "measured", "prompts"
        ),
    }


def _pictures(tuned: RecallTuned) -> dict[str, Picture]:
    drawn: dict[str, tuple[str, str, pd.DataFrame, Any]] = {
        "floor_curve": (
            "What each floor lets through",
            "Above: share of printed lines that were used, with the interval by family. Below: how "
            "often it fires at recorded prompts and at controls, where silence is right.",
            _marked(tuned, tuned.floors.frame()),
            plots.floor_curve,
        ),
        "score_distribution": (
            "Scores of prompts with used and with unused lines",
            "A floor sorts where the two curves stand apart.",
            tuned.floors.prompts(),
            plots.score_distribution,
        ),
        "precision_recall": (
            "Precision and recall of lines at each floor",
            "Recall is of the used lines that are printed without a floor.",
            tuned.floors.precision_recall(),
            plots.precision_recall,
        ),
        "budget_curve": (
            "What lines and bytes cost, and what they keep",
            "Used lines are those of all ranked lines, twelve at most a prompt.",
            _marked(tuned, tuned.budgets.frame()),
            plots.budget_curve,
        ),
        "gate_leaks": (
            "What the identifier gate let through, and what it missed",
            "Words of the prompts, most frequent first.",
            tuned.leaks,
            plots.gate_leaks,
        ),
    }
    return {
        name: Picture(
            title=title,
            caption=caption,
            alt=f"{title}. {caption} All figures stand in frames/.",
            known="bounded" if name != "gate_leaks" else "measured",
            drawing=draw(frame),
        )
        for name, (title, caption, frame, draw) in drawn.items()
    }


def _marked(tuned: RecallTuned, frame: pd.DataFrame) -> pd.DataFrame:
    """Mark the recommended setting, where the sweep holds it."""
    chosen = tuned.recommended.params
    if chosen is None:
        return frame
    same = [frame[name] == value for name, value in chosen.as_dict().items()]
    return frame.assign(recommended=[all(row) for row in zip(*same, strict=True)])
