"""Options that several commands share; thresholds derive from their declarations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import click

from ctxlab.cli._option_values import Given, given_values, option_name, written
from ctxlab.dedup.params import Dedup
from ctxlab.errors import ParameterError
from ctxlab.params import Param, ParamSet
from ctxlab.recall.params import Recall
from ctxlab.surface.params import Surface

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
    "tool_option",
    "tune_options",
]

Command = Callable[..., Any]

POLICIES: Mapping[str, type[ParamSet]] = {"dedup": Dedup, "recall": Recall, "surface": Surface}
"""Parameter sets by the name that `--policy` takes."""

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
    "prompt, surface cuts answers in JSON.",
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


tool_option = click.option(
    "--tool",
    metavar="NAME",
    multiple=True,
    help="Surface: the tool whose answers are cut, as `ctxlab tune --policy surface` names it; "
    "once for each of several.  [default: all]",
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
    return _each(command, several=False)


def several_values_options(command: Command) -> Command:
    """One option a parameter that takes a list or a range of values."""
    return _each(command, several=True)


class _PolicyOption(click.Option):
    """A parameter of one policy or of several, with its help in each."""

    helps: Mapping[str, str]

    def __init__(self, *words: str, helps: Mapping[str, str], **settings: Any) -> None:
        super().__init__(list(*words), **settings)
        self.helps = helps


class PolicyCommand(click.Command):
    """A command whose help shows the parameters of each policy under a heading of their own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the common options first."""
        heads, common = {}, []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, _PolicyOption) and record is not None:
                heads[parameter.name] = (record[0], parameter.helps)
            elif record is not None:
                common.append(record)
        sections = {"Options": common}
        for policy, parameters in POLICIES.items():
            shown = [heads[name] for name in parameters.params() if name in heads]
            sections[f"Parameters of {policy}"] = [(head, helps[policy]) for head, helps in shown]
        for head, records in sections.items():
            if records:
                with formatter.section(head):
                    formatter.write_dl(records)


def _each(command: Command, several: bool) -> Command:
    """Add the options; a name that policies share is one option, read as the chosen one's."""
    owners: dict[str, dict[str, Param]] = {}
    for policy, parameters in POLICIES.items():
        for name, declared in parameters.params().items():
            owners.setdefault(name, {})[policy] = declared
    for name, declared_by in reversed(owners.items()):
        first = next(iter(declared_by.values()))
        option = click.option(
            option_name(first),
            name,
            cls=_PolicyOption,
            helps={policy: _help(declared, several) for policy, declared in declared_by.items()},
            metavar=(first.unit or "value").upper(),
            multiple=first.verbatim,
            callback=partial(_given, several=several),
        )
        command = option(command)
    return command


def _given(
    ctx: click.Context, option: click.Parameter, value: str | tuple[str, ...] | None, several: bool
) -> Given | None:
    """What was written, to be read once the policy is known."""
    texts = (value,) if isinstance(value, str) else value
    return Given(texts, several) if texts else None


def _help(declared: Param, several: bool) -> str:
    """Meaning, how to give several, default."""
    if declared.verbatim:
        how = " Once for each of several."
    elif declared.many:
        how = " Keys: id,title." + (" Several sets: 'id,title;id'." if several else "")
    elif declared.choices or not several:
        how = ""
    elif declared.text:
        how = " Several: 'id;title'."
    else:
        how = f" Several: {'0.5,2 or 0-8:0.5' if declared.real else '4,8, 1-64 or 0-100:5'}."
    return f"{declared.doc}{how}  [default: {written(declared, declared.default)}]"


def policy_values(
    policy: str, options: Mapping[str, Given | None], **own: tuple[str, Any]
) -> tuple[type[ParamSet], dict[str, list[Any]]]:
    """Give the policy's parameter set and the values that were given for its parameters.

    Parameters
    ----------
    policy
        As `--policy` takes it.
    options
        What was written by parameter name, None where nothing was.
    **own
        Other options of one policy: its name and what was given, by the option's name.

    Raises
    ------
    ParameterError
        An option of another policy was given, or a value that its parameter does not admit.
    """
    declared = POLICIES[policy].params()
    given = {name: texts for name, texts in options.items() if texts is not None}
    owners = {_typed(name): _owners(name) for name in given}
    owners |= {f"--{name}": (of,) for name, (of, value) in own.items() if value is not None}
    for option, known in owners.items():
        if policy not in known:
            raise ParameterError(
                f"{option} is an option of {' and '.join(known)}: add --policy {' or '.join(known)}"
            )
    values = {name: given_values(declared[name], texts) for name, texts in given.items()}
    for filters in values.get("filters", ()):
        from ctxlab.surface.filters import parse_filters

        parse_filters(filters)  # before any work, as the tool does
    return POLICIES[policy], values


def _typed(name: str) -> str:
    return option_name(POLICIES[_owners(name)[0]].params()[name])


def _owners(name: str) -> tuple[str, ...]:
    """Policies that have a parameter of this name."""
    return tuple(policy for policy, parameters in POLICIES.items() if name in parameters.params())
