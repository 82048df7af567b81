"""The commands that replay one setting or many, one function each, for every policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ctxlab.cli import _tables
from ctxlab.cli._common import (
    check_frame_file,
    check_new_file,
    console,
    open_filled,
    say,
    tool_words,
    write_frame,
)
from ctxlab.cli._figure_file import check_figure, write_figure
from ctxlab.cli._missing import answerless_lines, nothing_lines, wordless_lines
from ctxlab.cli._options import (
    PolicyCommand,
    graph_option,
    lab_option,
    one_value_options,
    policy_option,
    policy_values,
    replay_options,
    several_values_options,
    tool_option,
)
from ctxlab.cli._readable import readable
from ctxlab.paths import user_path
from ctxlab.surface.params import NUMERIC

if TYPE_CHECKING:
    from ctxlab.dedup.params import Proof
    from ctxlab.events import ToolKind
    from ctxlab.lab import DedupSweep, Lab, RecallSweep, SurfaceSweep
    from ctxlab.params import ParamSet

__all__ = ["owned", "recommend", "replay", "sweep"]


def owned(
    tools: str | None, proof: Proof | None, graph: str | None, tool: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Options of one policy that are no parameters."""
    return {
        "tools": ("dedup", tools),
        "proof": ("dedup", proof),
        "graph": ("recall", graph),
        "tool": ("surface", tool or None),
    }


@click.command(cls=PolicyCommand)
@lab_option
@policy_option
@replay_options
@graph_option
@tool_option
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
    tool: tuple[str, ...],
    decisions: str | None,
    **options: Any,
) -> None:
    """Run one parameter set over the lab and print what it would have done.

    \b
    Examples: ctxlab replay --min-covered-lines 12 --record-scope thread
              ctxlab replay --policy recall --min-hit-score 4
              ctxlab replay --policy surface --max-items 20 --max-output-bytes 8192
    """
    check_frame_file(decisions)
    kind, values = policy_values(policy, options, **owned(tools, proof, graph, tool))
    params: Any = kind.of(**{name: several[0] for name, several in values.items()})
    kinds = tool_words(tools)
    with open_filled(lab_folder) as lab:
        if policy == "recall":
            done: Any = lab.replay(params, graph="history" if graph is None else graph)
        elif policy == "surface":
            done = lab.replay(params, tool=tool) if tool else lab.replay(params)
            say(*answerless_lines(lab))
        else:
            [guard] = values.get("guard", [None])
            done = lab.replay(params, tools=kinds, proof=proof or "whole_file", guard=guard)
        say(*nothing_lines(lab, policy, done.table, kinds))
        summary = readable(done.summary(), done.table.cells, kind).T.reset_index()
        summary.columns = ["", *_HEADS.get(policy, ("value",))]
        table = _tables.frame_table(summary, 100)
        table.caption, table.caption_justify = _NOTES.get(policy), "left"
        console().print(table)
        if decisions:
            write_frame(done.decisions(), decisions)


_HEADS = {"dedup": ("without guard", "with guard")}
"""Names of the columns of a replay that has several."""

_NOTES = {
    "surface": "rows and kept_rows are of each answer's main array; capped_rows and dropped_rows "
    "count rows that other arrays beside it lose, too."
}
"""What a reader of a replay's figures may stumble over."""


@click.command(cls=PolicyCommand)
@lab_option
@policy_option
@replay_options
@graph_option
@tool_option
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
    tool: tuple[str, ...],
    out: str | None,
    figure: str | None,
    **options: Any,
) -> None:
    """Run every combination of parameter values.

    By default 64 thresholds × 8 horizons for dedup, all floors on the score for recall, all byte
    ceilings for surface.

    \b
    Examples: ctxlab sweep --min-covered-lines 1-64 --view-calls 2,4,8,all --out sweep.csv
              ctxlab sweep --policy recall --min-hit-score 0-10:0.5
              ctxlab sweep --policy surface --max-items 0,5,20 --select "id,title;id"
    """
    check_frame_file(out)
    check_figure(figure)
    kind, values = policy_values(policy, options, **owned(tools, proof, graph, tool))
    grid, kinds = _grid(policy, kind, values), tool_words(tools)
    with open_filled(lab_folder) as lab:
        done = _swept(lab, policy, grid, kinds, proof, graph, tool)
        frame = done.frame()
        if policy == "recall":
            say(*wordless_lines(lab))
        if policy == "surface":
            say(*answerless_lines(lab))
        say(*nothing_lines(lab, policy, done.table, kinds))
        first, last = _SHOWN[policy]
        shown = frame[[*first, *grid, *last]]
        console().print(_tables.frame_table(readable(shown, done.table.cells, kind)))
        if out:
            write_frame(frame, out)
        if figure:
            write_figure(done, figure)


_SHOWN: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "dedup": (
        ("harmful_pointers", "pointers"),
        ("net_share", "low", "high", "net_share_of_results", "net_share_of_new_input"),
    ),
    "recall": (
        ("precision", "low", "high"),
        ("fires", "pointers", "told_share", "used_share", "bytes_per_prompt"),
    ),
    "surface": (
        ("harmed_answers", "json_answers"),
        ("saved_share", "low", "high", "lossy_answers", "cut_names", "stubs"),
    ),
}
"""Columns shown before and after the parameters that vary."""

_USUAL = {
    "dedup": ("min_covered_lines", "view_calls"),
    "recall": ("min_hit_score",),
    "surface": ("max_output_bytes",),
}


def _grid(policy: str, kind: type[ParamSet], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values given, with the declared sweep of the usual thresholds where none are."""
    declared = kind.params()
    if policy == "surface" and any(len(several) > 1 for several in values.values()):
        return dict(values)  # a grid of the user's own; any ceiling beside it would hide its sense
    return {**{name: declared[name].sweep for name in _USUAL[policy]}, **values}


def _swept(
    lab: Lab,
    policy: str,
    grid: Mapping[str, Any],
    kinds: tuple[ToolKind, ...] | None,
    proof: Proof | None,
    graph: str | None,
    tool: tuple[str, ...],
) -> DedupSweep | RecallSweep | SurfaceSweep:
    from ctxlab.dedup.params import Dedup
    from ctxlab.recall.params import Recall
    from ctxlab.surface.params import Surface

    if policy == "surface":
        return lab.sweep(Surface, tool=tool, **grid) if tool else lab.sweep(Surface, **grid)
    if policy == "recall":
        return lab.sweep(Recall, graph="history" if graph is None else graph, **grid)
    return lab.sweep(Dedup, tools=kinds, proof=proof or "whole_file", **grid)


@click.command(cls=PolicyCommand)
@lab_option
@policy_option
@replay_options
@graph_option
@tool_option
@several_values_options
@click.option(
    "--harmful",
    "max_harmful_pointers",
    type=click.IntRange(0, 10**9),
    help="Dedup: harmful pointers allowed.  [default: 0]",
)
@click.option(
    "--harmed",
    "max_harmed",
    type=click.IntRange(0, 10**9),
    help="Surface: harmed answers allowed.  [default: 0]",
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
    tool: tuple[str, ...],
    max_harmful_pointers: int | None,
    max_harmed: int | None,
    keep: float | None,
    out: str | None,
    **options: Any,
) -> None:
    """Choose on the earlier transcripts, judge on the later ones; "none" is a possible answer.

    Among what `sweep` would run; for surface all combinations of the three limits, unless values
    are given.

    \b
    Examples: ctxlab recommend --record-scope thread --reset-on-compaction true
              ctxlab recommend --policy recall --max-hits 1-12
              ctxlab recommend --policy surface --max-items 0,5,20,100
    """
    from ctxlab.export.json import write

    check_new_file(out)
    own = owned(tools, proof, graph, tool)
    own |= {"harmful": ("dedup", max_harmful_pointers), "keep": ("recall", keep)}
    own |= {"harmed": ("surface", max_harmed)}
    kind, values = policy_values(policy, options, **own)
    cells, kinds = _grid(policy, kind, values), tool_words(tools)
    if policy == "surface" and not values:  # what `tune` chooses among
        cells = {name: kind.params()[name].sweep for name in NUMERIC}
    with open_filled(lab_folder) as lab:
        grid: Any = _swept(lab, policy, cells, kinds, proof, graph, tool)
        say(*nothing_lines(lab, policy, grid.table, kinds))
        if policy == "surface":
            from ctxlab.cli._surface_lines import one_limit_lines

            found: Any = lab.recommend(grid, constraint=max_harmed or 0)
            say(*answerless_lines(lab), *one_limit_lines(found, grid))
        elif policy == "recall":
            from ctxlab.cli._recall_tables import one_floor_lines

            found = lab.recommend(grid, keep=0.95 if keep is None else keep)
            say(*one_floor_lines(found, grid))
        else:
            found = lab.recommend(grid, constraint=max_harmful_pointers or 0)
            say(*_tables.one_recommendation_lines(found, grid))
        if out:
            say(f"wrote {write(found.params, found.certificate, user_path(out))}")
