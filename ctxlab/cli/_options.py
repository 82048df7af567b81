"""Options that several commands share; thresholds derive from their declarations."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from ctxlab.dedup.params import Dedup
from ctxlab.params import Param

__all__ = [
    "lab_option",
    "one_value_options",
    "replay_options",
    "several_values_options",
    "tune_options",
]

Command = Callable[..., Any]

_RANGE = re.compile(r"(\d+)\s*(?:-|\.\.)\s*(\d+)")

lab_option = click.option(
    "--lab",
    "lab_folder",
    default="lab",
    show_default=True,
    metavar="FOLDER",
    help="Store folder that `ctxlab ingest` fills.",
)


def replay_options(command: Command) -> Command:
    """Which calls are replayed, and what proves a line unchanged."""
    return _replay_options(command, "read")


def tune_options(command: Command) -> Command:
    """The same, the calls being chosen by what the logs hold."""
    return _replay_options(command, None)


def _replay_options(command: Command, tools: str | None) -> Command:
    shown = tools or "read; mcp or shell where no Read delivered source"
    command = click.option(
        "--proof",
        type=click.Choice(["whole_file", "line_text", "hunks"]),
        default="whole_file",
        show_default=True,
        help="What proves that a line is unchanged: no change seen in the whole file, the line's "
        "own text, or its text at the number that recorded edits carry it to.",
    )(command)
    return click.option(
        "--tools",
        default=tools,
        metavar="KIND[,KIND]",
        help=f"Whose calls meet the record: read, grep, shell, mcp.  [default: {shown}]",
    )(command)


def one_value_options(command: Command) -> Command:
    """One option a parameter."""
    return _each(command, lambda declared: _Value(declared), "")


def several_values_options(command: Command) -> Command:
    """One option a parameter that takes a list or a range of values."""
    return _each(command, lambda declared: _Values(declared), " Several: 4,8 or 1-64.")


def _each(command: Command, kind: Callable[[Param], _Value], more: str) -> Command:
    for name, declared in reversed(list(Dedup.params().items())):
        shown = "all" if declared.default is None else declared.default
        command = click.option(
            f"--{name.replace('_', '-')}",
            name,
            type=kind(declared),
            default=None,
            help=f"{declared.doc}{'' if declared.choices else more}"
            f"  [default: {str(shown).lower()}]",
        )(command)
    return command


class _Value(click.ParamType):  # type: ignore[type-arg]  # generic in its stubs only
    """One value of a parameter."""

    def __init__(self, declared: Param) -> None:
        self.declared = declared
        self.name = declared.unit or "value"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[Any]:
        return [_parse(self.declared, str(value))]


class _Values(_Value):
    """Several values of a parameter."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[Any]:
        values: list[Any] = []
        for part in str(value).split(","):
            ends = _RANGE.fullmatch(part.strip())
            if ends and not self.declared.choices:
                first, last = (_parse(self.declared, end) for end in ends.groups())
                values += range(first, last + 1)
            else:
                values.append(_parse(self.declared, part))
        return values


def _parse(declared: Param, text: str) -> Any:
    """Give the value that a word stands for; whether it is admitted, the declaration checks."""
    word = text.strip().lower()
    value: Any = text.strip()
    if declared.optional and word in ("all", "none"):
        value = None
    elif declared.choices:
        value = next((c for c in declared.choices if str(c).lower() == word), value)
    elif re.fullmatch(r"[+-]?\d+", word):
        value = int(word)
    declared.check(value)
    return value
