"""Results of recall as compact terminal lines and one table: settings side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.table import Table

from ctxlab.cli._side_by_side import narrow, side_by_side
from ctxlab.cli._text import count, printable, share
from ctxlab.words import counted

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.estimate import AucInterval
    from ctxlab.lab import RecallSweep, RecallTuned, Recommendation
    from ctxlab.tune import FloorChoice, FloorJudgement, Signal

__all__ = ["one_floor_lines", "overview_table", "recommendation_lines", "survey_lines", "tables"]


def survey_lines(tuned: RecallTuned) -> list[str]:
    """What prompts there are, and in what they were looked up."""
    row = tuned.floors.frame().iloc[0]
    graphs = tuned.floors.graphs()
    t = tuned.survey.transcripts
    lines = [
        f"{counted(len(t), 'transcript')} in {counted(t.family.nunique(), 'family', 'families')}; "
        f"{counted(graphs.prompts.sum(), 'prompt')} in {counted(len(graphs), 'project')}",
        f"graph: {printable(', '.join(tuned.graph.splitlines()))}, "
        f"{counted(graphs.node_states.sum(), 'state')} of nodes",
    ]
    if row.unanswerable:
        lines.append(
            f"{counted(row.unanswerable, 'prompt has', 'prompts have')} no graph and are left out "
            "of all figures:"
        )
        lines += [
            f"  {printable(str(name))}: {count(without)} of {count(n)}; "
            f"{printable(str(origin), 400)}"
            for name, n, without, _, origin in _rows(graphs[graphs.prompts_without_graph > 0], 8)
        ]
    if row.prompts:
        lines += [
            f"nothing was the right answer at {share(row.nothing_right_share, 0)} of "
            f"{counted(row.prompts, 'prompt')}: nothing that the graph held was used; at "
            f"{share(row.missed_share, 0)} a file of it was, but no ranked pointer (measured)",
            f"{count(row.with_identifier)} prompts name an identifier, {count(row.matched)} match "
            "something (measured)",
        ]
    else:
        lines.append("no prompt of these transcripts can be looked up: there is no table to show")
    return lines


def _rows(frame: pd.DataFrame, at_most: int) -> list[tuple[Any, ...]]:
    return list(frame.head(at_most).itertuples(index=False, name=None))


def tables(tuned: RecallTuned) -> list[Table]:
    """All there is to show; nothing where no prompt has a graph to be looked up in."""
    return [overview_table(tuned)] if tuned.floors.frame().prompts.iloc[0] else []


def overview_table(tuned: RecallTuned) -> Table:
    """Some settings side by side, narrow enough for 80 columns."""
    return side_by_side(
        "What the hook would have printed, measured in a replay",
        "A pointer is one printed line; used: opened, edited or quoted before the next "
        "prompt. shipped: mushroomdb 0.6.12; ≥ n: min_hit_score n; 0.7: its coverage gate. "
        "unrelated, joined, absent: controls, where silence is right (by identifiers it is silent "
        "at absent subjects by construction).",
        _settings(tuned),
        _MEASURES,
    )


def _interval(row: Any) -> str:
    return f"{100 * row.low:.0f}–{share(row.high, 0)}" if row.low == row.low else "–"


_MEASURES: dict[str, Callable[[Any], str]] = {
    "pointers printed": lambda row: count(row.pointers),
    "used": lambda row: narrow(row.precision),
    "  95 % interval": _interval,
    "  by chance": lambda row: narrow(row.chance_share),
    "  prompt named it": lambda row: narrow(row.named_used_share),
    "  and had not": lambda row: narrow(row.told_share),
    "used files reached": lambda row: narrow(row.reached_share),
    "repeats": lambda row: narrow(row.repeat_share),
    "fires at prompts": lambda row: count(row.fires),
    "  bytes at each": lambda row: "–" if not row.fires else count(row.bytes_per_fire),
    "  of all prompts": lambda row: narrow(row.fire_share),
    "  of unrelated": lambda row: narrow(row.false_fire_unrelated),
    "  of joined": lambda row: narrow(row.false_fire_joined),
    "  of absent": lambda row: narrow(row.false_fire_absent),
}


_FLOORS = (4.0, 8.0)


def _settings(tuned: RecallTuned) -> list[tuple[str, Any]]:
    floors, repeats = tuned.floors.frame(), tuned.repeats.frame()
    rows = [
        ("shipped", repeats[~repeats.suppress_repeats.astype(bool)].iloc[0]),
        *((f"≥ {floor:g}", floors[floors.min_hit_score == floor].iloc[0]) for floor in _FLOORS),
        ("0.7", tuned.later.frame().iloc[0]),
    ]
    for name, found, sweep in (
        ("chosen", tuned.recommended, tuned.choices),
        ("own", tuned.recommended_own, tuned.own),
    ):
        if found.params is not None:
            rows.append((name, sweep.frame().iloc[sweep.find(**found.params.as_dict())]))
    return rows


def recommendation_lines(tuned: RecallTuned) -> list[str]:
    """Whether the score tells anything, and what to ship."""
    shipped = one_floor_lines(tuned.recommended, tuned.choices)
    own = one_floor_lines(tuned.recommended_own, tuned.own)
    return [
        *_signal_lines(tuned.signal),
        "To ship with mushroomdb as it is:",
        *shipped,
        "With relative floors, or repeating nothing, which no mushroomdb offers:",
        *(["  the same"] if own == shipped else own),
    ]


def _signal_lines(signal: Signal) -> list[str]:
    return [
        "Does a higher score mean more use? AUC and 95 % interval; 0.5 is chance:",
        f"  all prompts: {_auc(signal.pooled)}",
        f"  within a project: {_auc(signal.within)}",
        f"  … prompt had not named it: {_auc(signal.told)}",
    ]


def _auc(found: AucInterval) -> str:
    prompts = f"prompts: {found.n_positive} with use, {found.n_negative} without"
    if found.value is None:
        return f"cannot be told ({prompts})"
    ends = "no interval" if found.low is None else f"{found.low:.2f} to {found.high:.2f}"
    few = "few families" if found.indicative else f"{found.n_families} families"
    return f"{found.value:.2f} ({ends}; {prompts}; {few})"


def one_floor_lines(found: Recommendation[FloorChoice], sweep: RecallSweep) -> list[str]:
    """One recommendation: what to ship, how it was judged, and why not."""
    choice = found.choice
    lines = []
    if choice.params is None:
        lines.append("  the shipped settings stay" if choice.status == "default" else "  no floor")
    else:
        p = choice.params
        lines.append(
            f"  {'ship' if found.params else 'do not ship'}: {_changed(sweep, p.as_dict())}"
        )
    if choice.judged_on is not None:
        lines.append(f"  on the later transcripts: {_judged(choice.judged_on)}")
    if found.params is not None:
        lines += [f"  mind: {warning}" for warning in sweep.signal().warnings]
    return lines + [f"  because {printable(reason, 1000)}" for reason in choice.reasons]


def _changed(sweep: RecallSweep, params: dict[str, Any]) -> str:
    """The parameters of which the sweep had several values."""
    cells = [cell.as_dict() for cell in sweep.table.cells]
    varied = [name for name in params if len({cell[name] for cell in cells}) > 1]
    return ", ".join(f"{name} {_plain(params[name])}" for name in varied or params)


def _plain(value: Any) -> str:
    """A number without needless digits; a word or a truth value as it is."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"{value:g}" if is_number else str(value).lower()


def _judged(judged: FloorJudgement) -> str:
    saved = judged.saved_share
    few = ", indicative: few families" if saved.indicative else ""
    upper = judged.lost_share_upper
    lost = "without bound" if upper is None else f"at 95 % at most {share(upper, 1)}"
    return (
        f"saves {share(saved.value)} of the shipped default's bytes ({share(saved.low)} to "
        f"{share(saved.high)}{few}); loses {share(judged.lost_share.value)} of its used lines, "
        f"{lost}"
    )
