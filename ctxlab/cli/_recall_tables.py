"""Results of recall as compact terminal lines and one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from ctxlab.cli._text import count, printable, share

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.estimate import AucInterval
    from ctxlab.lab import RecallSweep, RecallTuned, Recommendation
    from ctxlab.tune import FloorChoice, FloorJudgement, Signal

__all__ = ["one_floor_lines", "overview_table", "recommendation_lines", "survey_lines"]


def survey_lines(tuned: RecallTuned) -> list[str]:
    """What prompts there are, and in what they were looked up."""
    row = tuned.floors.frame().iloc[0]
    graphs = tuned.floors.graphs()
    t = tuned.survey.transcripts
    lines = [
        f"{count(len(t))} transcripts in {count(t.family.nunique())} families; "
        f"{count(graphs.prompts.sum())} prompts in {count(len(graphs))} projects; graph: "
        f"{printable(tuned.graph)}, {count(graphs.node_states.sum())} states of nodes",
    ]
    if row.unanswerable:
        lines.append(
            f"{count(row.unanswerable)} prompts have no graph and are left out of all figures:"
        )
        lines += [
            f"  {printable(str(name))}: {count(without)} of {count(n)}; "
            f"{printable(str(origin), 400)}"
            for name, n, without, _, origin in _rows(graphs[graphs.prompts_without_graph > 0], 8)
        ]
    if row.prompts:
        lines += [
            f"of {count(row.prompts)} prompts {count(row.with_identifier)} name an identifier, "
            f"{count(row.matched)} match something (measured)",
            f"nothing was the right answer to {share(row.nothing_right_share, 0)} of the prompts: "
            "no line that could be printed was used before the next one (measured)",
        ]
    else:
        lines.append("no prompt of these transcripts can be looked up")
    return lines


def _rows(frame: pd.DataFrame, at_most: int) -> list[tuple[Any, ...]]:
    return list(frame.head(at_most).itertuples(index=False, name=None))


def overview_table(tuned: RecallTuned) -> Table:
    """Some settings side by side."""
    table = Table(
        title="What the hook would have printed; used: opened, edited or quoted by the next prompt",
        title_justify="left",
        caption="used and new: shares of lines; new: used, and the prompt had not named it.\n"
        "unrelated, joined, absent: negative controls that fire, where silence is right.",
        caption_justify="left",
    )
    for name in ("setting", "fires", "lines", "used", "95 %", "new", "B/fire"):
        table.add_column(name, justify="left" if name == "setting" else "right", no_wrap=True)
    for name in ("unrelated", "joined", "absent"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, row in _settings(tuned):
        table.add_row(
            name,
            f"{count(row.fires)}/{count(row.prompts)}",
            count(row.pointers),
            share(row.precision, 0),
            f"{share(row.low, 0)}–{share(row.high, 0)}" if row.low == row.low else "–",
            share(row.told_share, 0),
            count(row.bytes_per_fire),
            *(share(row[f"false_fire_{kind}"], 0) for kind in ("unrelated", "joined", "absent")),
        )
    return table


_FLOORS = (2.0, 4.0, 6.0, 8.0)


def _settings(tuned: RecallTuned) -> list[tuple[str, Any]]:
    floors, repeats = tuned.floors.frame(), tuned.repeats.frame()
    shipped = repeats[~repeats.suppress_repeats.astype(bool)].iloc[0]
    rows = [
        ("0.6.12 as shipped", shipped),
        ("… no repeats", repeats[repeats.suppress_repeats.astype(bool)].iloc[0]),
        *(
            (f"… floor {floor:g}", floors[floors.min_hit_score == floor].iloc[0])
            for floor in _FLOORS
        ),
        ("0.7 coverage", tuned.later.frame().iloc[0]),
    ]
    chosen = tuned.recommended.params
    if chosen is not None:
        at = tuned.choices.find(**chosen.as_dict())
        rows.append(("recommended", tuned.choices.frame().iloc[at]))
    return rows


def recommendation_lines(tuned: RecallTuned) -> list[str]:
    """Whether the score tells anything, and what to ship."""
    return [
        *_signal_lines(tuned.signal),
        "To ship:",
        *one_floor_lines(tuned.recommended, tuned.choices),
    ]


def _signal_lines(signal: Signal) -> list[str]:
    return [
        "Does a higher score mean more use? (AUC; 0.5 is chance)",
        f"  all prompts: {_auc(signal.pooled)}",
        f"  within a project: {_auc(signal.within)}",
        f"  … of lines that the prompt had not named: {_auc(signal.told)}",
    ]


def _auc(found: AucInterval) -> str:
    if found.value is None:
        return "cannot be told"
    ends = "no interval" if found.low is None else f"{found.low:.2f} to {found.high:.2f}"
    few = ", indicative: few families" if found.indicative else ""
    return (
        f"{found.value:.2f} ({ends}; {found.n_positive} used, {found.n_negative} unused, "
        f"{found.n_families} families{few})"
    )


def one_floor_lines(found: Recommendation[FloorChoice], sweep: RecallSweep) -> list[str]:
    """One recommendation: what to ship, how it was judged, and why not."""
    choice = found.choice
    lines = []
    if choice.params is None:
        lines.append("  the shipped default" if choice.status == "default" else "  no floor")
    else:
        p = choice.params
        lines.append(
            f"  {'ship' if found.params else 'do not ship'}: {_changed(sweep, p.as_dict())}"
        )
    if choice.judged_on is not None:
        lines.append(f"  on the later transcripts: {_judged(choice.judged_on)}")
    return lines + [f"  because {printable(reason, 1000)}" for reason in choice.reasons]


def _changed(sweep: RecallSweep, params: dict[str, Any]) -> str:
    """The parameters of which the sweep had several values."""
    cells = [cell.as_dict() for cell in sweep.table.cells]
    varied = [name for name in params if len({cell[name] for cell in cells}) > 1]
    return ", ".join(f"{name} {params[name]:g}" for name in varied or params)


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
