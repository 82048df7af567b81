"""`ctxlab shape`: JSON in, the bytes that the tool would print out; by itself a useful filter."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from ctxlab.cli._option_values import Given, given_values, option_name
from ctxlab.errors import CtxlabError, InputError, ParameterError
from ctxlab.paths import user_path
from ctxlab.surface.arrange import ALIASES, arrange
from ctxlab.surface.canonical import dumps, parse_values
from ctxlab.surface.duplicates import duplicate_key
from ctxlab.surface.filters import parse_filters
from ctxlab.surface.params import NUMERIC, PROFILES, Surface
from ctxlab.surface.shape import reshape

__all__ = ["shape"]

_KNOBS = (*NUMERIC, "select", "filters", "sort", "dedupe_by")


def _knobs(command: Callable[..., Any]) -> Callable[..., Any]:
    """One option a knob, as declared and as `replay` reads it."""
    for name in reversed(_KNOBS):
        declared = Surface.params()[name]
        once = " Once for each." if declared.verbatim else ""
        command = click.option(
            option_name(declared),
            name,
            metavar=_METAVARS.get(name, declared.unit.upper() or "KEY"),
            multiple=declared.verbatim,
            help=f"{declared.doc}{once}",
        )(command)
    return command


_METAVARS = {"select": "KEY[,KEY]", "filters": "EXPR"}


@click.command()
@click.argument("file", required=False, metavar="[FILE]")
@_knobs
@click.option("--count-only", is_flag=True, help="Print the number of rows alone.")
@click.option(
    "--command",
    "subcommand",
    metavar="NAME",
    help="Sub-command of the tool that printed the answer: of some "
    f"({', '.join(dict.fromkeys(command for command, _ in ALIASES))}) arrays that only restate the "
    "main one, such as `memories` beside the items of list, are left out; other names change "
    "nothing.",
)
@click.option(
    "--profile",
    default="sqlite-graphrag 1.2.5",
    show_default=True,
    metavar="NAME",
    help="Tool and version to do as. What versions after 1.2.5 write into the record beside is not "
    "modelled, nor what they refuse of pages.",
)
@click.option(
    "--lines",
    is_flag=True,
    help="Take several values, one a line or one after the other, and reshape each by itself; "
    "nothing is printed if one of them is bad.",
)
@click.option(
    "--last-wins",
    is_flag=True,
    help="Take the last of equal keys in an object, as the tool does; else they are an error.",
)
def shape(
    file: str | None,
    subcommand: str | None,
    profile: str,
    lines: bool,
    last_wins: bool,
    count_only: bool,
    **knobs: str | tuple[str, ...] | None,
) -> None:
    """Reshape JSON as an agent's tool would, and print it compactly; with no knob, as it is.

    Reads FILE, or standard input. What is left out is told in the member `agent_surface`. Numbers
    stand as they were read: what a tool holds in 32 bits is not printed longer.

    \b
    Example: ctxlab shape --select id,name --max-output-bytes 4096 < answer.json
    """
    params = _params(profile, count_only, knobs)
    name = "standard input" if file is None else file or repr(file)
    data = _read(file, name)
    try:
        values = parse_values(data)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    if len(values) > 1 and not lines:
        raise InputError(
            f"{name}: it holds {len(values)} JSON values; add --lines to reshape each by itself"
        )
    if not last_wins and (key := duplicate_key(data.decode())) is not None:
        raise InputError(
            f"{name}: the key {key!r} stands twice in one object; add --last-wins to take the last"
        )
    _write("".join(dumps(reshape(value, params, subcommand)) + "\n" for value in values).encode())
    if params.sort is not None and any(
        arrange(value, params, subcommand).sort_undefined for value in values
    ):
        click.echo(
            f"ctxlab: {name}: over 20 rows are sorted by numbers mixed with texts: the tool itself "
            "may order them otherwise or fail",
            err=True,
        )


def _params(
    profile: str, count_only: bool, knobs: Mapping[str, str | tuple[str, ...] | None]
) -> Surface:
    if profile not in PROFILES:
        raise ParameterError(f"`profile` must be one of {', '.join(PROFILES)}, got {profile!r}")
    given: dict[str, Any] = {"count_only": count_only}
    for name, value in knobs.items():
        texts = (value,) if isinstance(value, str) else value
        if texts:
            [given[name]] = given_values(Surface.params()[name], Given(texts, several=False))
    parse_filters(given.get("filters", ()))  # before the input is read
    return Surface.of(**{**PROFILES[profile].as_dict(), **given})


def _read(file: str | None, name: str) -> bytes:
    try:
        if file is not None and file != "-":
            return user_path(file).read_bytes()
        if sys.stdin is None:
            raise InputError("standard input is closed: name a FILE, or pipe JSON in")
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from error


def _write(data: bytes) -> None:
    """Write bytes as they are, whatever a terminal is said to know."""
    if sys.stdout is None:
        raise CtxlabError("standard output is closed: there is nowhere to print to")
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
