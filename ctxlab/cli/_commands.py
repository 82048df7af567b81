"""The commands, one function each."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson
from rich.console import Console

from ctxlab.cli import _tables
from ctxlab.cli._options import (
    lab_option,
    one_value_options,
    replay_options,
    several_values_options,
    tune_options,
)
from ctxlab.cli._text import printable
from ctxlab.errors import CtxlabError, InputError, ParameterError
from ctxlab.paths import user_path

if TYPE_CHECKING:
    from ctxlab.dedup.params import Proof
    from ctxlab.lab import Lab

__all__ = ["COMMANDS"]

_PATHS = click.argument("paths", nargs=-1, required=True, metavar="PATH…")


class _Console(Console):
    """Prints text as it is: no colours, markup or emoji of its own."""

    def __init__(self, width: int | None = None) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, width=width)

    def on_broken_pipe(self) -> None:
        """Leave it to the command line, which then ends in peace."""
        raise BrokenPipeError


def _console() -> Console:
    """Plain text where it goes into a file; wide enough there to keep a row in a line."""
    console = _Console()
    return console if console.is_terminal else _Console(width=140)


def _say(*lines: str) -> None:
    console = _console()
    for line in lines:
        console.print(printable(line, 2000), soft_wrap=True)


def _open(folder: str) -> Lab:
    """Open a lab that must already hold something."""
    from ctxlab.lab import open_lab

    if not (user_path(folder) / "store.json").is_file():
        raise InputError(
            f"no lab in {folder}: run `ctxlab ingest PATH… --lab {folder}` first, "
            "or name another folder with --lab"
        )
    return open_lab(folder)


def _tools(text: str | None) -> Any:
    if text is None:
        return None
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _given(options: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {name: values for name, values in options.items() if values is not None}


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
        _say(*_tables.ingest_lines(report))
        tuned = lab.tune(tools=_tools(tools), proof=proof)
        _say("", *_tables.survey_lines(tuned), "")
        _console().print(_tables.overview_table(tuned))
        _say("", *_tables.recommendation_lines(tuned), "")
        written = write_results(lab, tuned, user_path(out))
        _say(f"{len(written)} files in {out}; open {Path(out) / 'report.html'}")
        _say(f"the other commands work on these transcripts with --lab {lab.store.folder}")


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
        _say(*_tables.ingest_lines(lab.ingest(*paths, workers=workers)))


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

    _check_frame_file(decisions)
    params = Dedup.of(**{name: values[0] for name, values in _given(options).items()})
    with _open(lab_folder) as lab:
        [guard] = options["guard"] or [None]
        done = lab.replay(params, tools=_tools(tools), proof=proof, guard=guard)
        summary = done.summary().T.reset_index()
        summary.columns = ["", "without guard", "with guard"]
        _console().print(_tables.frame_table(summary, 100))
        if decisions:
            _write_frame(done.decisions(), decisions)


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
    _check_frame_file(out)
    with _open(lab_folder) as lab:
        done = lab.sweep(
            tools=_tools(tools),
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
        _console().print(_tables.frame_table(frame[shown]))
        if out:
            _write_frame(frame, out)
        if figure:
            from ctxlab.plots import save

            target = user_path(figure)
            stem = target.with_suffix("") if target.suffix in (".png", ".svg") else target
            for written in save(done.plot(), stem):
                _say(f"wrote {written}")


def _grid(options: Mapping[str, Any]) -> dict[str, Any]:
    """The values given, with the declared sweep of threshold and horizon where none are."""
    from ctxlab.dedup.params import Dedup

    declared = Dedup.params()
    usual = {name: declared[name].sweep for name in ("min_covered_lines", "view_calls")}
    return {**usual, **_given(options)}


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

    with _open(lab_folder) as lab:
        grid = lab.sweep(
            tools=_tools(tools),
            proof=proof,
            **_grid(options),
        )
        found = lab.recommend(grid, constraint=constraint)
        _say(*_tables.one_recommendation_lines(found, grid))
        if out:
            _say(f"wrote {write(found.params, found.certificate, user_path(out))}")


@click.command()
@click.argument("target", metavar="TARGET")
@click.option(
    "--from",
    "source",
    default="ctxlab-out/recommendation.json",
    show_default=True,
    help="A recommendation that `tune` or `recommend` wrote.",
)
@click.option(
    "--record",
    type=click.Choice(["shipped", "own"]),
    default="shipped",
    show_default=True,
    help="Which of tune's two: for the tool as shipped, or for one with a record a thread.",
)
@click.option("--out", default=".", show_default=True, help="Folder for the files.")
def export(target: str, source: str, record: str, out: str) -> None:
    """Write recommended settings in the form a tool reads: codegraph, json.

    \b
    Example: ctxlab export codegraph --from ctxlab-out/recommendation.json
    """
    from ctxlab.dedup.params import Dedup
    from ctxlab.export import TARGETS

    if target not in TARGETS:
        raise ParameterError(f"TARGET must be one of {', '.join(sorted(TARGETS))}, got {target!r}")
    path = user_path(source)
    try:
        content = orjson.loads(path.read_bytes())
        content = content.get(record, content)
        if not isinstance(content, dict):
            raise TypeError(f"`{record}` is no object")
        values = content.pop("parameters")
        params = Dedup.of(**values) if values is not None else None
    except OSError as error:
        raise InputError(
            f"cannot read {source}: {error.strerror}; run `ctxlab tune` first"
        ) from error
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(f"{source} is no recommendation of ctxlab ({error})") from error
    try:
        files = TARGETS[target](params, content, user_path(out))
    except (KeyError, TypeError) as error:
        raise InputError(f"the certificate in {source} is incomplete ({error})") from error
    _say(*(f"wrote {file}" for file in files))


@click.command("export-contentfree")
@lab_option
@click.option("--out", required=True, metavar="FOLDER", help="Folder for the set.")
def export_contentfree(lab_folder: str, out: str) -> None:
    """Write a set without text, names or dates that gives the same numbers, to share.

    Lines and paths become numbers. A sequence of line lengths can still identify a public file.
    """
    from ctxlab.transcripts import contentfree

    with _open(lab_folder) as lab:
        written = contentfree.write(lab.store.iter_logs(), user_path(out))
        _say(f"{len(written)} transcripts in {out}")


@click.command()
@lab_option
@click.argument("query")
@click.option("--csv", "as_csv", is_flag=True, help="All rows as CSV.")
def sql(lab_folder: str, query: str, as_csv: bool) -> None:
    """Ask the lab's tables in DuckDB SQL; see docs/tables.md, or `show tables`.

    \b
    Example: ctxlab sql "select tool, count(*), sum(result_bytes) from calls group by all"
    """
    with _open(lab_folder) as lab:
        frame = lab.sql(query).df()
    if as_csv:
        text = frame.to_csv(index=False)
        # A file gets the text as it is; a terminal must not be steered by it.
        click.echo(printable(text, None) if sys.stdout.isatty() else text, nl=False)
    else:
        _console().print(_tables.frame_table(frame))


@click.command()
@lab_option
def doctor(lab_folder: str) -> None:
    """Check the installation, find transcripts, and say what may be missing from them."""
    from ctxlab.cli._doctor import findings

    _say(*findings(user_path(lab_folder)))


def _check_frame_file(path: str | None) -> None:
    """Refuse a name whose format is unknown before the work is done, not after it."""
    if path is not None and Path(path).suffix not in (".csv", ".parquet"):
        raise ParameterError(f"cannot tell the format of {path}: end it in .parquet or .csv")


def _write_frame(frame: Any, path: str) -> None:
    target = user_path(path)
    try:
        if target.suffix == ".csv":
            frame.to_csv(target, index=False)
        else:
            frame.to_parquet(target, index=False)
    except OSError as error:
        raise CtxlabError(f"cannot write {path}: {error.strerror or error}") from error
    _say(f"{len(frame)} rows in {path}")


COMMANDS: Mapping[str, click.Command] = {
    command.name or "": command
    for command in (tune, ingest, replay, sweep, recommend, export, export_contentfree, sql, doctor)
}
"""All commands, in the order the help shows them."""
