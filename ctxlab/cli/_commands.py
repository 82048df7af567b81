"""The commands that replay, one function each, and the list of all."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
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
from ctxlab.cli._lookups import doctor, export, export_contentfree, sql
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
    tune_options,
)
from ctxlab.paths import user_path

if TYPE_CHECKING:
    from ctxlab.dedup.params import Proof
    from ctxlab.lab import DedupSweep, Lab, RecallSweep
    from ctxlab.params import ParamSet

__all__ = ["COMMANDS"]

_PATHS = click.argument("paths", nargs=-1, required=True, metavar="PATH…")


@click.command()
@_PATHS
@policy_option
@click.option(
    "--out",
    help="Folder for the results.  [default: ctxlab-out, ctxlab-out/recall for recall]",
)
@click.option(
    "--lab",
    "lab_folder",
    metavar="FOLDER",
    help="Store folder.  [default: a private "
    "folder in the user's cache, one for each set of paths]",
)
@tune_options
@graph_option
def tune(
    paths: tuple[str, ...],
    policy: str,
    out: str | None,
    lab_folder: str | None,
    tools: str | None,
    proof: Proof | None,
    graph: str | None,
) -> None:
    """Do the whole job: ingest, replay, sweep, recommend, export, report.

    PATH is a folder or file of transcripts of Claude Code, Codex CLI or recorded MCP traffic.

    \b
    Writes into --out:
      report.html          one page with tables, figures, method and caveats
      recommendation.json  what to ship, with data hash, versions and intervals
      codegraph.env/.json  the switch and constants for codegraph; for recall mushroomdb.json
      frames/              every table behind it as Parquet
      figures/             PNG and SVG
    """
    from ctxlab.cli._results import make_folder
    from ctxlab.lab import open_lab

    policy_values(policy, {}, **_owned(tools, proof, graph))
    folder = user_path(out or _OUT[policy])
    make_folder(folder)
    with open_lab(lab_folder or _cache_folder(paths)) as lab:
        report = lab.ingest(*paths)
        say(*_tables.ingest_lines(report))
        if policy == "recall":
            written = _tune_recall(lab, graph, folder)
        else:
            written = _tune_dedup(lab, tool_words(tools), proof, folder)
        say(f"{len(written)} files in {folder}; open {folder / 'report.html'}")
        say(f"the other commands work on these transcripts with --lab {lab.store.folder}")


_OUT = {"dedup": "ctxlab-out", "recall": "ctxlab-out/recall"}


def _owned(tools: str | None, proof: Proof | None, graph: str | None) -> dict[str, Any]:
    """Options of one policy that are no parameters."""
    return {"tools": ("dedup", tools), "proof": ("dedup", proof), "graph": ("recall", graph)}


def _tune_dedup(lab: Lab, tools: Any, proof: Proof | None, folder: Path) -> list[Path]:
    from ctxlab.cli._results import write_results

    tuned = lab.tune(tools=tools, proof=proof or "whole_file")
    say("", *_tables.survey_lines(tuned), "")
    console().print(_tables.overview_table(tuned))
    say("", *_tables.recommendation_lines(tuned), "")
    return write_results(lab, tuned, folder)


def _tune_recall(lab: Lab, graph: str | None, folder: Path) -> list[Path]:
    from ctxlab.cli import _recall_tables
    from ctxlab.cli._recall_results import write_recall_results

    tuned = lab.tune_recall(graph="history" if graph is None else graph)
    say("", *_recall_tables.survey_lines(tuned), *wordless_lines(lab), "")
    console().print(_recall_tables.overview_table(tuned))
    say("", *_recall_tables.recommendation_lines(tuned), "")
    return write_recall_results(lab, tuned, folder)


def _cache_folder(paths: tuple[str, ...]) -> str:
    """A store for these paths alone, so that one user's logs do not mix with another's set."""
    from platformdirs import user_cache_path

    named = "\n".join(sorted(str(user_path(path).absolute()) for path in paths))
    return str(
        user_cache_path("ctxlab")
        / "labs"
        / blake2b(named.encode("utf-8", "replace"), digest_size=8).hexdigest()
    )


@click.command()
@_PATHS
@lab_option
@click.option("--workers", type=click.IntRange(1, 64), help="Processes that read.")
def ingest(paths: tuple[str, ...], lab_folder: str, workers: int | None) -> None:
    """Read transcripts into a lab; unchanged files cost a look, grown ones are read again.

    The lab is private to you. It holds sizes, paths, keyed hashes of lines, and for recall your
    prompts, names and first lines of comments; no source lines and no answers.
    """
    from ctxlab.lab import open_lab

    with open_lab(lab_folder) as lab:
        say(*_tables.ingest_lines(lab.ingest(*paths, workers=workers)))


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
    kind, values = policy_values(policy, options, **_owned(tools, proof, graph))
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
    kind, values = policy_values(policy, options, **_owned(tools, proof, graph))
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

    own = _owned(tools, proof, graph)
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


COMMANDS: Mapping[str, click.Command] = {
    command.name or "": command
    for command in (tune, ingest, replay, sweep, recommend, export, export_contentfree, sql, doctor)
}
"""All commands, in the order the help shows them."""
