"""Options that several commands share; thresholds derive from their declarations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import click

from ctxlab.dedup.params import Dedup
from ctxlab.errors import ParameterError
from ctxlab.params import Param, ParamSet
from ctxlab.recall.params import Recall

__all__ = [
    "POLICIES",
    "PolicyCommand",
    "graph_option",
    "lab_option",
    "one_value_options",
    "policy_option",
    "policy_values",
    "replay_options",
    "several_values_options",
    "tune_options",
]

Command = Callable[..., Any]

POLICIES: Mapping[str, type[ParamSet]] = {"dedup": Dedup, "recall": Recall}
"""Parameter sets by the name that `--policy` takes."""

_RANGE = re.compile(r"(\d+)\s*(?:-|\.\.)\s*(\d+)")
_STEPS = re.compile(r"([\d.]+)\s*(?:-|\.\.)\s*([\d.]+)\s*:\s*([\d.]+)")
_MAX_STEPS = 10_000

lab_option = click.option(
    "--lab",
    "lab_folder",
    default="lab",
    show_default=True,
    metavar="FOLDER",
    help="Store folder that `ctxlab ingest` fills.",
)

policy_option = click.option(
    "--policy",
    type=click.Choice(list(POLICIES)),
    default="dedup",
    show_default=True,
    help="Which policy: dedup withholds source that was sent before, recall prints pointers at a "
    "prompt.",
)

graph_option = click.option(
    "--graph",
    metavar="SOURCE",
    multiple=True,
    callback=lambda ctx, param, several: "\n".join(several) if several else None,
    help="Recall: where its graph is from: history (what earlier transcripts and turns showed), "
    "git (the repository in each project's own directory, as it was before the prompt), or the "
    "path of a repository or of a JSON export, NAME= before it if the project's directory has "
    "another name; once for each of several.  [default: history]",
)


def replay_options(command: Command) -> Command:
    """Which calls are replayed, and what proves a line unchanged."""
    return _replay_options(command, "read")


def tune_options(command: Command) -> Command:
    """The same, the calls being chosen by what the logs hold."""
    return _replay_options(command, "read; mcp or shell where no Read delivered source")


def _replay_options(command: Command, tools: str) -> Command:
    command = click.option(
        "--proof",
        type=click.Choice(["whole_file", "line_text", "hunks"]),
        help="Dedup: what proves that a line is unchanged: no change seen in the whole file, the "
        "line's own text, or its text at the number that recorded edits carry it to.  "
        "[default: whole_file]",
    )(command)
    return click.option(
        "--tools",
        metavar="KIND[,KIND]",
        help=f"Dedup: whose calls meet the record: read, grep, shell, mcp.  [default: {tools}]",
    )(command)


def one_value_options(command: Command) -> Command:
    """One option a parameter."""
    return _each(command, _Value, "")


def several_values_options(command: Command) -> Command:
    """One option a parameter that takes a list or a range of values."""
    return _each(command, _Values, " Several: {example}.")


class _PolicyOption(click.Option):
    """A parameter of one policy."""

    policy = ""


class PolicyCommand(click.Command):
    """A command whose help shows the parameters of each policy under a heading of their own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the common options first."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            policy = getattr(parameter, "policy", "")
            if record is not None:
                head = f"Parameters of {policy}" if policy else "Options"
                sections.setdefault(head, []).append(record)
        for head, records in sections.items():
            with formatter.section(head):
                formatter.write_dl(records)


def _each(command: Command, kind: type[_Value], more: str) -> Command:
    for policy, parameters in reversed(list(POLICIES.items())):
        for name, declared in reversed(list(parameters.params().items())):
            shown = "all" if declared.default is None else declared.default
            several = more.format(example="0.5,2 or 0-8:0.5" if declared.real else "4,8 or 1-64")
            option = click.option(
                f"--{name.replace('_', '-')}",
                name,
                cls=type(f"_{policy}Option", (_PolicyOption,), {"policy": policy}),
                type=kind(declared),
                default=None,
                help=f"{declared.doc}{'' if declared.choices else several}"
                f"  [default: {str(shown).lower()}]",
            )
            command = option(command)
    return command


def policy_values(
    policy: str, options: Mapping[str, Any], **own: tuple[str, Any]
) -> tuple[type[ParamSet], dict[str, list[Any]]]:
    """Give the policy's parameter set and the values that were given for its parameters.

    Parameters
    ----------
    policy
        As `--policy` takes it.
    options
        Values by parameter name, None where none was given.
    **own
        Other options of one policy: its name and what was given, by the option's name.

    Raises
    ------
    ParameterError
        An option of another policy was given.
    """
    owners = {name: of for of, parameters in POLICIES.items() for name in parameters.params()}
    owners |= {name: of for name, (of, _) in own.items()}
    given = {name: values for name, values in options.items() if values is not None}
    others = [name for name, (_, value) in own.items() if value is not None]
    for name in (*given, *others):
        if owners[name] != policy:
            raise ParameterError(
                f"--{name.replace('_', '-')} is an option of {owners[name]}: "
                f"add --policy {owners[name]}"
            )
    return POLICIES[policy], given


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
            steps = _STEPS.fullmatch(part.strip())
            ends = _RANGE.fullmatch(part.strip())
            if steps and self.declared.real:
                values += _stepped(self.declared, *steps.groups())
            elif ends and self.declared.real:
                raise ParameterError(
                    f"`{self.declared.name}` takes ranges with a step, such as 0-8:0.5, got {part}"
                )
            elif ends and not self.declared.choices:
                first, last = (_parse(self.declared, end) for end in ends.groups())
                values += range(first, last + 1)
            else:
                values.append(_parse(self.declared, part))
        return values


def _stepped(declared: Param, first: str, last: str, step: str) -> list[float]:
    """Numbers from `first` to `last`, both included; in decimals, so that none is missed."""
    try:
        low, high, by = Decimal(first), Decimal(last), Decimal(step)
    except InvalidOperation:
        raise ParameterError(
            f"`{declared.name}` takes ranges with a step, such as 0-8:0.5, got "
            f"{first}-{last}:{step}"
        ) from None
    for end in (low, high):
        declared.check(float(end))
    if by <= 0 or (high - low) / by > _MAX_STEPS:
        raise ParameterError(
            f"`{declared.name}`: the step of a range must be above 0 and make at most "
            f"{_MAX_STEPS:,} values, got {step}"
        )
    return [float(low + by * i) for i in range(int((high - low) / by) + 1)]


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
    elif declared.real and re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", word):
        value = float(word)
    declared.check(value)
    return value
