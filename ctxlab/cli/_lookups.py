"""Commands that replay nothing: exports of what is there, questions to it, its health."""

from __future__ import annotations

import sys

import click

from ctxlab.cli import _tables
from ctxlab.cli._common import check_folder, console, open_filled, say
from ctxlab.cli._options import lab_option
from ctxlab.cli._recommendation_file import read_recommendation
from ctxlab.cli._text import printable
from ctxlab.errors import InputError, ParameterError
from ctxlab.paths import user_path
from ctxlab.words import counted

__all__ = ["doctor", "export", "export_contentfree", "sql"]


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
    help="Dedup, recall: which of tune's two: for the tool as shipped, or for one that can do what "
    "the shipped one cannot.  [default: shipped]",
)
@click.option("--out", default=".", show_default=True, help="Folder for the files.")
def export(target: str, source: str, record: str | None, out: str) -> None:
    """Write recommended settings in the form a tool reads.

    TARGET is codegraph, mushroomdb, sqlite-graphrag or json.

    \b
    Examples: ctxlab export codegraph --from ctxlab-out/recommendation.json
              ctxlab export mushroomdb --from ctxlab-out/recall/recommendation.json
              ctxlab export sqlite-graphrag --from ctxlab-out/surface/recommendation.json
    """
    from ctxlab.export import TARGETS

    if target not in TARGETS:
        raise ParameterError(f"TARGET must be one of {', '.join(sorted(TARGETS))}, got {target!r}")
    check_folder(out)
    params, certificate = read_recommendation(source, record)
    try:
        files = TARGETS[target](params, certificate, user_path(out))
    except ParameterError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"the certificate in {source} is incomplete or of another form ({error})"
        ) from error
    say(*(f"wrote {file}" for file in files))


@click.command("export-contentfree")
@lab_option
@click.option("--out", required=True, metavar="FOLDER", help="Folder for the set.")
def export_contentfree(lab_folder: str, out: str) -> None:
    """Write a set without text, names or dates that gives the same numbers, to share.

    Lines and paths become numbers. A sequence of line lengths can still identify a public file.
    """
    from ctxlab.transcripts import contentfree

    check_folder(out)
    with open_filled(lab_folder) as lab:
        written = contentfree.write(lab.store.iter_logs(), user_path(out))
        say(f"{counted(len(written), 'transcript')} in {out}")


@click.command()
@lab_option
@click.argument("query")
@click.option("--csv", "as_csv", is_flag=True, help="All rows as CSV.")
def sql(lab_folder: str, query: str, as_csv: bool) -> None:
    """Ask the lab's tables in DuckDB SQL; see docs/tables.md, or `show tables`.

    \b
    Example: ctxlab sql "select tool, count(*), sum(result_bytes) from calls group by all"
    """
    with open_filled(lab_folder) as lab:
        frame = lab.sql(query).df()
    if as_csv:
        text = frame.to_csv(index=False)
        # A file gets the text as it is; a terminal must not be steered by it.
        is_terminal = sys.stdout.isatty()
        click.echo(printable(text, None) if is_terminal else text, nl=False, color=True)
    else:
        console().print(_tables.frame_table(frame))


@click.command()
@lab_option
def doctor(lab_folder: str) -> None:
    """Check the installation, find transcripts, and say what may be missing from them."""
    from ctxlab.cli._doctor import findings

    say(*findings(user_path(lab_folder)))
