"""`ctxlab shape`: JSON in, the bytes that the tool would print out; by itself a useful filter."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import click

from ctxlab.cli._option_values import Given, given_values
from ctxlab.errors import CtxlabError, InputError, ParameterError
from ctxlab.paths import user_path
from ctxlab.surface.canonical import dumps, parse_values
from ctxlab.surface.duplicates import duplicate_key
from ctxlab.surface.params import NUMERIC, PROFILES, Surface
from ctxlab.surface.shape import reshape

__all__ = ["shape"]

_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")


def _numeric_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """One option a number, as declared; whether a value is admitted, the declaration checks."""
    for name in reversed(NUMERIC):
        declared = Surface.params()[name]
        command = click.option(
            f"--{name.replace('_', '-')}", name, metavar=declared.unit.upper(), help=declared.doc
        )(command)
    return command


@click.command()
@click.argument("file", required=False, metavar="[FILE]")
@_numeric_options
@click.option("--select", metavar="KEY[,KEY]", help="Keys of each row that stay, in dotted form.")
@click.option(
    "--filter",
    "filters",
    metavar="EXPR",
    multiple=True,
    help="Condition that rows must meet: key=value, key!=value or key~part; once for each.",
)
@click.option("--sort", metavar="KEY", help=Surface.params()["sort"].doc)
@click.option("--dedupe-by", metavar="KEY", help=Surface.params()["dedupe_by"].doc)
@click.option("--count-only", is_flag=True, help="Print the number of rows alone.")
@click.option(
    "--command",
    "subcommand",
    metavar="NAME",
    help="Sub-command of the tool that printed the answer: arrays that only restate the main one, "
    "such as `memories` of list, are left out.",
)
@click.option(
    "--profile",
    default="sqlite-graphrag 1.2.5",
    show_default=True,
    metavar="NAME",
    help="Tool and version to do as.",
)
@click.option(
    "--lines",
    is_flag=True,
    help="Take several values, one a line or one after the other, and reshape each by itself.",
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
    select: str | None,
    **knobs: Any,
) -> None:
    """Reshape JSON as an agent's tool would, and print it compactly; with no knob, as it is.

    Reads FILE, or standard input. What is left out is told in the member `agent_surface`. Numbers
    stand as they were read: what a tool holds in 32 bits is not printed longer.

    \b
    Example: ctxlab shape --select id,name --max-output-bytes 4096 < answer.json
    """
    params = _params(profile, select, knobs)
    name = file or "standard input"
    data = _read(file)
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


def _params(profile: str, select: str | None, knobs: dict[str, Any]) -> Surface:
    if profile not in PROFILES:
        raise ParameterError(f"`profile` must be one of {', '.join(PROFILES)}, got {profile!r}")
    given = {name: value for name, value in knobs.items() if value is not None}
    for name in NUMERIC:
        if name in given and _WHOLE.fullmatch(given[name]):
            given[name] = int(given[name])
    if select is not None:
        declared = Surface.params()["select"]
        [given["select"]] = given_values(declared, Given((select,), several=False))
    return Surface.of(**{**PROFILES[profile].as_dict(), **given})


def _read(file: str | None) -> bytes:
    try:
        if file not in (None, "-"):
            return user_path(file or "").read_bytes()
        if sys.stdin is None:
            raise InputError("standard input is closed: name a FILE, or pipe JSON in")
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(
            f"cannot read {file or 'standard input'}: {error.strerror or error}"
        ) from error


def _write(data: bytes) -> None:
    """Write bytes as they are, whatever a terminal is said to know."""
    if sys.stdout is None:
        raise CtxlabError("standard output is closed: there is nowhere to print to")
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
