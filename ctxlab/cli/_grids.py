"""The commands that replay one setting or many, one function each, for every policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ctxlab.cli import _tables
from ctxlab.cli._common import (
    check_frame_file,
    console,
    open_filled,
    say,
    tool_words,
    write_frame,
)
from ctxlab.cli._missing import wordless_lines
from ctxlab.cli._options import (
    PolicyCommand,
    graph_option,
    lab_option,
    one_value_options,
    policy_option,
    policy_values,
    replay_options,
    several_values_options,
)
from ctxlab.paths import user_path

if TYPE_CHECKING:
    from ctxlab.dedup.params import Proof
    from ctxlab.lab import DedupSweep, Lab, RecallSweep
    from ctxlab.params import ParamSet

__all__ = ["owned", "recommend", "replay", "sweep"]


def owned(tools: str | None, proof: Proof | None, graph: str | None) -> dict[str, Any]:
    """Options of one policy that are no parameters."""
    return {"tools": ("dedup", tools), "proof": ("dedup", proof), "graph": ("recall", graph)}


@click.command(cls=PolicyCommand)
@lab_option
@policy_option
@replay_options
@graph_option
@one_value_options
@click.option(
    "--decisions",
    metavar="FILE",
    help="Write one row a decision, an answered file or a prompt (.parquet or .csv).",
)
def replay(
    lab_folder: str,
    policy: str,
    tools: str | None,
    proof: Proof | None,
    graph: str | None,
    decisions: str | None,
    **options: Any,
) -> None:
    """Run one parameter set over the lab and print what it would have done.

    \b
    Examples: ctxlab replay --min-covered-lines 12 --record-scope thread
              ctxlab replay --policy recall --min-hit-score 4
    """
    check_frame_file(decisions)
    kind, values = policy_values(policy, options, **owned(tools, proof, graph))
    params: Any = kind.of(**{name: several[0] for name, several in values.items()})
    with open_filled(lab_folder) as lab:
        if policy == "recall":
            done: Any = lab.replay(params, graph="history" if graph is None else graph)
            summary = done.summary().T.reset_index()
            summary.columns = ["", "value"]
        else:
            [guard] = values.get("guard", [None])
            done = lab.replay(
                params, tools=tool_words(tools), proof=proof or "whole_file", guard=guard
            )
            summary = done.summary().T.reset_index()
            summary.columns = ["", "without guard", "with guard"]
        console().print(_tables.frame_table(summary, 100))
        if decisions:
            write_frame(done.decisions(), decisions)


@click.command(cls=PolicyCommand)
@lab_option
@policy_option
@replay_options
@graph_option
@several_values_options
@click.option("--out", metavar="FILE", help="Write all rows (.parquet or .csv).")
@click.option(
    "--figure",
    metavar="FILE",
    help="Draw the savings curve, or what each floor lets through: FILE.png and FILE.svg.",
)
def sweep(
    lab_folder: str,
    policy: str,
    tools: str | None,
    proof: Proof | None,
    graph: str | None,
    out: str | None,
    figure: str | None,
    **options: Any,
) -> None:
    """Run every combination of parameter values.

    By default 64 thresholds × 8 horizons for dedup, all floors on the score for recall.

    \b
    Examples: ctxlab sweep --min-covered-lines 1-64 --view-calls 2,4,8,all --out sweep.csv
              ctxlab sweep --policy recall --min-hit-score 0-10:0.5
    """
    check_frame_file(out)
    kind, values = policy_values(policy, options, **owned(tools, proof, graph))
    grid = _grid(policy, kind, values)
    with open_filled(lab_folder) as lab:
        done = _swept(lab, policy, grid, tools, proof, graph)
        frame = done.frame()
        if policy == "recall":
            say(*wordless_lines(lab))
        first, last = _SHOWN[policy]
        console().print(_tables.frame_table(frame[[*first, *grid, *last]]))
        if out:
            write_frame(frame, out)
        if figure:
            from ctxlab.plots import save

            target = user_path(figure)
            stem = target.with_suffix("") if target.suffix in (".png", ".svg") else target
            for written in save(done.plot(), stem):
                say(f"wrote {written}")


_SHOWN: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "dedup": (
        ("harmful_pointers", "pointers"),
        ("net_share", "low", "high", "net_share_of_results", "net_share_of_new_input"),
    ),
    "recall": (
        ("precision", "low", "high"),
        ("fires", "pointers", "told_share", "used_share", "bytes_per_prompt"),
    ),
}
"""Columns shown before and after the parameters that vary."""

_USUAL = {"dedup": ("min_covered_lines", "view_calls"), "recall": ("min_hit_score",)}


def _grid(policy: str, kind: type[ParamSet], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values given, with the declared sweep of the usual thresholds where none are."""
    declared = kind.params()
    return {**{name: declared[name].sweep for name in _USUAL[policy]}, **values}


def _swept(
    lab: Lab,
    policy: str,
    grid: Mapping[str, Any],
    tools: str | None,
    proof: Proof | None,
    graph: str | None,
) -> DedupSweep | RecallSweep:
    from ctxlab.dedup.params import Dedup
    from ctxlab.recall.params import Recall

    if policy == "recall":
        return lab.sweep(Recall, graph="history" if graph is None else graph, **grid)
    return lab.sweep(Dedup, tools=tool_words(tools), proof=proof or "whole_file", **grid)


@click.command(cls=PolicyCommand)
@lab_option
@policy_option
@replay_options
@graph_option
@several_values_options
@click.option(
    "--harmful",
    "constraint",
    type=click.IntRange(max=10**9),
    help="Dedup: harmful pointers allowed.  [default: 0]",
)
@click.option(
    "--keep",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Recall: share of used lines to keep while printing less.  [default: 0.95]",
)
@click.option("--out", metavar="FILE", help="Write the recommendation as JSON.")
def recommend(
    lab_folder: str,
    policy: str,
    tools: str | None,
    proof: Proof | None,
    graph: str | None,
    constraint: int | None,
    keep: float | None,
    out: str | None,
    **options: Any,
) -> None:
    """Choose on the earlier transcripts, judge on the later ones; "none" is a possible answer.

    \b
    Examples: ctxlab recommend --record-scope thread --reset-on-compaction true
              ctxlab recommend --policy recall --max-hits 1-12
    """
    from ctxlab.export.json import write

    own = owned(tools, proof, graph)
    own |= {"harmful": ("dedup", constraint), "keep": ("recall", keep)}
    kind, values = policy_values(policy, options, **own)
    with open_filled(lab_folder) as lab:
        grid: Any = _swept(lab, policy, _grid(policy, kind, values), tools, proof, graph)
        if policy == "recall":
            from ctxlab.cli._recall_tables import one_floor_lines

            found: Any = lab.recommend(grid, keep=0.95 if keep is None else keep)
            say(*one_floor_lines(found, grid))
        else:
            found = lab.recommend(grid, constraint=constraint or 0)
            say(*_tables.one_recommendation_lines(found, grid))
        if out:
            say(f"wrote {write(found.params, found.certificate, user_path(out))}")
