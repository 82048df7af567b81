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
    given,
    open_filled,
    say,
    tool_words,
    write_frame,
)
from ctxlab.cli._lookups import doctor, export, export_contentfree, sql
from ctxlab.cli._options import (
    lab_option,
    one_value_options,
    replay_options,
    several_values_options,
    tune_options,
)
from ctxlab.paths import user_path

if TYPE_CHECKING:
    from ctxlab.dedup.params import Proof

__all__ = ["COMMANDS"]

_PATHS = click.argument("paths", nargs=-1, required=True, metavar="PATH…")


@click.command()
@_PATHS
@click.option("--out", default="ctxlab-out", show_default=True, help="Folder for the results.")
@click.option(
    "--lab",
    "lab_folder",
    metavar="FOLDER",
    help="Store folder.  [default: a private "
    "folder in the user's cache, one for each set of paths]",
)
@tune_options
def tune(
    paths: tuple[str, ...], out: str, lab_folder: str | None, tools: str | None, proof: Proof
) -> None:
    """Do the whole job: ingest, replay, sweep, recommend, export, report.

    PATH is a folder or file of transcripts of Claude Code, Codex CLI or recorded MCP traffic.

    \b
    Writes into --out:
      report.html          one page with tables, figures, method and caveats
      recommendation.json  what to ship, with data hash, versions and intervals
      codegraph.env/.json  the switch and constants for codegraph
      frames/              every table behind it as Parquet
      figures/             PNG and SVG
    """
    from ctxlab.cli._results import make_folder, write_results
    from ctxlab.lab import open_lab

    make_folder(user_path(out))
    with open_lab(lab_folder or _cache_folder(paths)) as lab:
        report = lab.ingest(*paths)
        say(*_tables.ingest_lines(report))
        tuned = lab.tune(tools=tool_words(tools), proof=proof)
        say("", *_tables.survey_lines(tuned), "")
        console().print(_tables.overview_table(tuned))
        say("", *_tables.recommendation_lines(tuned), "")
        written = write_results(lab, tuned, user_path(out))
        say(f"{len(written)} files in {out}; open {Path(out) / 'report.html'}")
        say(f"the other commands work on these transcripts with --lab {lab.store.folder}")


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

    The lab is private to you and holds sizes, paths and keyed hashes of lines, no source text.
    """
    from ctxlab.lab import open_lab

    with open_lab(lab_folder) as lab:
        say(*_tables.ingest_lines(lab.ingest(*paths, workers=workers)))


@click.command()
@lab_option
@replay_options
@one_value_options
@click.option(
    "--decisions", metavar="FILE", help="Write one row an answered file (.parquet or .csv)."
)
def replay(
    lab_folder: str, tools: str, proof: Proof, decisions: str | None, **options: Any
) -> None:
    """Run one parameter set over the lab and print what it would have withheld.

    \b
    Example: ctxlab replay --min-covered-lines 12 --record-scope thread
    """
    from ctxlab.dedup.params import Dedup

    check_frame_file(decisions)
    params = Dedup.of(**{name: values[0] for name, values in given(options).items()})
    with open_filled(lab_folder) as lab:
        [guard] = options["guard"] or [None]
        done = lab.replay(params, tools=tool_words(tools), proof=proof, guard=guard)
        summary = done.summary().T.reset_index()
        summary.columns = ["", "without guard", "with guard"]
        console().print(_tables.frame_table(summary, 100))
        if decisions:
            write_frame(done.decisions(), decisions)


@click.command()
@lab_option
@replay_options
@several_values_options
@click.option("--out", metavar="FILE", help="Write all rows (.parquet or .csv).")
@click.option("--figure", metavar="FILE", help="Draw the savings curve: FILE.png and FILE.svg.")
def sweep(
    lab_folder: str, tools: str, proof: Proof, out: str | None, figure: str | None, **options: Any
) -> None:
    """Run every combination of parameter values; by default 64 thresholds × 8 horizons.

    \b
    Example: ctxlab sweep --min-covered-lines 1-64 --view-calls 2,4,8,all --out sweep.csv
    """
    check_frame_file(out)
    with open_filled(lab_folder) as lab:
        done = lab.sweep(
            tools=tool_words(tools),
            proof=proof,
            **_grid(options),
        )
        frame = done.frame()
        shown = [
            "harmful_pointers",
            "pointers",
            *_grid(options),
            "net_share",
            "low",
            "high",
            "net_share_of_results",
            "net_share_of_new_input",
        ]
        console().print(_tables.frame_table(frame[shown]))
        if out:
            write_frame(frame, out)
        if figure:
            from ctxlab.plots import save

            target = user_path(figure)
            stem = target.with_suffix("") if target.suffix in (".png", ".svg") else target
            for written in save(done.plot(), stem):
                say(f"wrote {written}")


def _grid(options: Mapping[str, Any]) -> dict[str, Any]:
    """The values given, with the declared sweep of threshold and horizon where none are."""
    from ctxlab.dedup.params import Dedup

    declared = Dedup.params()
    usual = {name: declared[name].sweep for name in ("min_covered_lines", "view_calls")}
    return {**usual, **given(options)}


@click.command()
@lab_option
@replay_options
@several_values_options
@click.option(
    "--harmful",
    "constraint",
    type=click.IntRange(max=10**9),
    default=0,
    show_default=True,
    help="Harmful pointers allowed.",
)
@click.option("--out", metavar="FILE", help="Write the recommendation as JSON.")
def recommend(
    lab_folder: str, tools: str, proof: Proof, constraint: int, out: str | None, **options: Any
) -> None:
    """Choose on the earlier transcripts, judge on the later ones; "none" is a possible answer.

    \b
    Example: ctxlab recommend --record-scope thread --reset-on-compaction true
    """
    from ctxlab.export.json import write

    with open_filled(lab_folder) as lab:
        grid = lab.sweep(
            tools=tool_words(tools),
            proof=proof,
            **_grid(options),
        )
        found = lab.recommend(grid, constraint=constraint)
        say(*_tables.one_recommendation_lines(found, grid))
        if out:
            say(f"wrote {write(found.params, found.certificate, user_path(out))}")


COMMANDS: Mapping[str, click.Command] = {
    command.name or "": command
    for command in (tune, ingest, replay, sweep, recommend, export, export_contentfree, sql, doctor)
}
"""All commands, in the order the help shows them."""
