"""The commands that read transcripts, and the list of all."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ctxlab.cli import _tables
from ctxlab.cli._common import (
    check_folder,
    console,
    say,
    tool_words,
)
from ctxlab.cli._grids import owned, recommend, replay, sweep
from ctxlab.cli._lookups import doctor, export, export_contentfree, sql
from ctxlab.cli._missing import answerless_lines, wordless_lines
from ctxlab.cli._options import (
    graph_option,
    lab_option,
    policy_option,
    policy_values,
    tune_options,
)
from ctxlab.cli._shape import shape
from ctxlab.paths import user_path
from ctxlab.words import counted

if TYPE_CHECKING:
    from rich.table import Table

    from ctxlab.dedup.params import Proof
    from ctxlab.lab import Lab

__all__ = ["COMMANDS"]

_PATHS = click.argument("paths", nargs=-1, required=True, metavar="PATH…")


@click.command()
@_PATHS
@policy_option
@click.option(
    "--out",
    help="Folder for the results.  [default: ctxlab-out, ctxlab-out/recall or ctxlab-out/surface "
    "for these]",
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
      codegraph.env/.json  the switch and constants for codegraph; for recall mushroomdb.json,
                           for surface sqlite-graphrag.sh and .json
      frames/              every table behind it as Parquet
      figures/             PNG and SVG
    """
    from ctxlab.cli._results import make_folder
    from ctxlab.lab import open_lab

    policy_values(policy, {}, **owned(tools, proof, graph))
    kinds = tool_words(tools)
    named = _OUT[policy] if out is None else out
    check_folder(named)
    folder = user_path(named)
    with open_lab(lab_folder or _cache_folder(paths)) as lab:
        report = lab.ingest(*paths)
        make_folder(folder)
        say(*_tables.ingest_lines(report))
        if policy == "recall":
            written = _tune_recall(lab, graph, folder)
        elif policy == "surface":
            written = _tune_surface(lab, folder)
        else:
            written = _tune_dedup(lab, kinds, proof, folder)
        say(f"{counted(len(written), 'file')} in {folder}; open {folder / 'report.html'}")
        say(f"the other commands work on these transcripts with {_again(lab, policy, graph)}")


def _again(lab: Lab, policy: str, graph: str | None) -> str:
    """Options that make the other commands work on the same."""
    words = ["--lab", str(lab.store.folder)]
    if policy != "dedup":
        words += ["--policy", policy]
    for name in (graph or "").splitlines():
        words += ["--graph", name]
    return shlex.join(words)


_OUT = {
    "dedup": "ctxlab-out",
    "recall": "ctxlab-out/recall",
    "surface": "ctxlab-out/surface",
}


def _tune_dedup(lab: Lab, tools: Any, proof: Proof | None, folder: Path) -> list[Path]:
    from ctxlab.cli._dedup_results import write_dedup_results

    tuned = lab.tune(tools=tools, proof=proof or "whole_file")
    written = write_dedup_results(lab, tuned, folder)
    say("", *_tables.survey_lines(tuned), "")
    _print(_tables.tables(tuned))
    say("", *_tables.recommendation_lines(tuned), "")
    return written


def _tune_recall(lab: Lab, graph: str | None, folder: Path) -> list[Path]:
    from ctxlab.cli import _recall_tables
    from ctxlab.cli._graph_notes import under_graph
    from ctxlab.cli._recall_results import write_recall_results

    tuned = lab.tune_recall(graph="history" if graph is None else graph)
    written = write_recall_results(lab, tuned, folder)  # first, as above
    survey = under_graph(_recall_tables.survey_lines(tuned), tuned.floors.graphs())
    say("", *survey, *wordless_lines(lab), "")
    _print(_recall_tables.tables(tuned))
    say("", *_recall_tables.recommendation_lines(tuned), "")
    return written


def _tune_surface(lab: Lab, folder: Path) -> list[Path]:
    from ctxlab.cli import _surface_lines, _surface_tables
    from ctxlab.cli._surface_results import write_surface_results

    tuned = lab.tune_surface()
    written = write_surface_results(lab, tuned, folder)  # first, as above
    say("", *_surface_lines.survey_lines(tuned), *answerless_lines(lab), "")
    _print(_surface_tables.tables(tuned))
    say("", *_surface_lines.recommendation_lines(tuned), "")
    return written


def _print(tables: Iterable[Table]) -> None:
    for table in tables:
        console().print(table)


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

    The lab is private to you. It holds sizes, paths, and keyed hashes of the lines of files; for
    recall your prompts, names and first lines of comments; for surface the answers that tools gave
    in JSON, word for word, with the commands that asked for them. Other answers are not kept.
    """
    from ctxlab.lab import open_lab

    with open_lab(lab_folder) as lab:
        say(*_tables.ingest_lines(lab.ingest(*paths, workers=workers)))


COMMANDS: Mapping[str, click.Command] = {
    command.name or "": command
    for command in (
        *(tune, ingest, replay, sweep, recommend, export, export_contentfree),
        *(shape, sql, doctor),
    )
}
"""All commands, in the order the help shows them."""
