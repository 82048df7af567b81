"""A command line or the arguments of a tool → what they ask: words, and options by name.

What a pipeline does to the answer of its first command counts as an option `|head`, `|jq`, …, and
so does `--jq`; parameters in a URL or path (`?page=2`) are options too. No shell is run: a command
of which only a running shell knows what it asks gives None.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from ctxlab.errors import InputError
from ctxlab.surface.canonical import Json, dumps, parse
from ctxlab.transcripts._shell_words import Command, Pipeline, parse_script

__all__ = ["Asking", "arguments", "changes", "command_line"]

_VERBS = frozenset((
    *("add", "close", "create", "delete", "edit", "merge", "post", "put", "remove", "set"),
    *("update", "write"),
))  # fmt: skip
_WORD = re.compile(r"[A-Z]?[a-z]+")

_FLAGS = frozenset(
    ("all", "comments", "json", "paginate", "readonly", "silent", "slurp", "verbose")
)
"""Options that take no value in most tools: the word behind them is one by itself."""

_WITH_FIELDS = frozenset(("gh", "glab"))
"""Programs whose `--json` takes the names of fields."""

_QUERY = re.compile(r"([^?\s]+)\?([^?\s=]+=[^?\s]*)")
_JOINED = re.compile(r"-([A-Za-z])(\d+)")
_BARE_COUNT = re.compile(r"-(\d+)")
_UNKNOWN = re.compile(r"[$`]")
_WRITES = frozenset((
    *("X", "method", "request", "input", "body", "body-file"),
    *("data", "data-raw", "data-binary", "data-urlencode"),
))  # fmt: skip
_WRITES_OF = {"gh": frozenset(("f", "F", "field", "raw-field")), "curl": frozenset("dFT")}
_METHODS = ("X", "method", "request")

Options = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Asking:
    """What a call asks: its words in order, and the values of each option, none for a flag.

    `writes` are those options that make of a question a change. `directory` is where a command
    went first, "" if it did not.
    """

    words: tuple[str, ...]
    options: Options
    writes: Options = field(default_factory=dict)
    directory: str = ""


def changes(program: str) -> bool:
    """Tell whether a program or tool is named for changing things, such as `create_issue`."""
    return not _VERBS.isdisjoint(word.lower() for word in _WORD.findall(program))


def arguments(text: str) -> Asking | None:
    """Read the input of a tool: each member an option, nested ones by their dotted path.

    None is no member. What is no JSON object gives None.
    """
    try:
        value = parse(text)
    except InputError:
        return None
    return Asking((), dict(_members(value, ""))) if isinstance(value, dict) else None


def _members(value: Mapping[str, Json], prefix: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for key, member in value.items():
        if isinstance(member, dict) and member:
            yield from _members(member, f"{prefix}{key}.")
        elif member is not None:
            yield prefix + key, (member if isinstance(member, str) else dumps(member),)


def command_line(text: str, program: str) -> Asking | None:
    """Read the one pipeline of a script that begins with a program; None if there is no such one.

    Parameters
    ----------
    text
        The script.
    program
        Program and sub-command, as `gh api`: what must be there anyway is none of the words.
    """
    script = parse_script(text)
    if script is None or not script.linear:
        return None
    name = program.split(" ", 1)[0]
    chosen = [line for line in script.pipelines if line.commands and line.commands[0].name == name]
    if len(chosen) != 1 or any(map(_is_unknown, chosen[0].commands)):
        return None
    went = [line.commands[0].words[1:] for line in script.pipelines if _goes(line)]
    return _of_pipeline(chosen[0], program.split(" "), " ".join(went[-1]) if went else "")


def _goes(line: Pipeline) -> bool:
    return bool(line.commands) and line.commands[0].name == "cd"


def _is_unknown(command: Command) -> bool:
    return any(_UNKNOWN.search(word) for word in command.live)


def _of_pipeline(line: Pipeline, program: Sequence[str], directory: str) -> Asking:
    first, *stages = line.commands
    name, *sub_commands = program
    flags = _FLAGS - {"json"} if name in _WITH_FIELDS else _FLAGS
    words, options = _split(first.words[1:], flags)
    if name in _WITH_FIELDS and "q" in options:
        options["jq"] = options.pop("q")
    writes = _taken(options, _WRITES | _WRITES_OF.get(name, frozenset()))
    methods = [value.upper() for key in _METHODS for value in writes.get(key, ())]
    if methods == ["GET"] or words == ["api", "graphql"]:
        # What is sent is a question.
        for sent in (values for key, values in writes.items() if key not in _METHODS):
            for key, _, value in (one.partition("=") for one in sent):
                options[key] = (*options.get(key, ()), value)
        writes = {}
    if "jq" in options:
        options["|jq"] = options.pop("jq")
    for stage in stages:
        key, values = _stage(stage)
        options[key] = (*options.get(key, ()), *values)
    if words[: len(sub_commands)] == sub_commands:
        del words[: len(sub_commands)]
    return Asking(tuple(words), options, writes, directory)


def _taken(
    options: dict[str, tuple[str, ...]], names: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    return {name: options.pop(name) for name in sorted(names & options.keys())}


def _split(
    words: Sequence[str], flags: frozenset[str]
) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """Split words into positional ones and options.

    Which options take a value is known to the program alone: one takes the next word unless it
    looks like an option or a URL, so that two equal commands are read alike.
    """
    positional: list[str] = []
    options: dict[str, list[str]] = defaultdict(list)
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            positional += rest
            break
        if len(word) < 2 or not word.startswith("-"):
            bare, parameters = _parameters(word)
            positional.append(bare)
            for key, parameter in parameters:
                options[key].append(parameter)
            continue
        name, value = _option(word)
        if value is None and name not in flags and rest and _is_value(rest[0]):
            value = rest.pop(0)
        options[name] += [] if value is None else [value]
    return positional, {name: tuple(values) for name, values in options.items()}


def _option(word: str) -> tuple[str, str | None]:
    if counted := _BARE_COUNT.fullmatch(word):
        return "n", counted[1]
    if joined := _JOINED.fullmatch(word):
        return joined[1], joined[2]
    name, is_given, value = word.lstrip("-").partition("=")
    return name, value if is_given else None


def _is_value(word: str) -> bool:
    return (word == "-" or not word.startswith("-")) and "://" not in word


def _parameters(word: str) -> tuple[str, list[tuple[str, str]]]:
    """Split a URL or path from the parameters behind its question mark."""
    found = _QUERY.fullmatch(word)
    return (found[1], parse_qsl(found[2], keep_blank_values=True)) if found else (word, [])


def _stage(command: Command) -> tuple[str, tuple[str, ...]]:
    """Read what a later command of a pipeline does to the answer, as an option."""
    if command.name not in ("head", "tail"):
        return f"|{command.name}", command.words[1:]
    words, options = _split(command.words[1:], frozenset())
    unit = "c" if "c" in options else "n"
    return f"|{command.name}", options.get(unit, tuple(words)) or ("10",)
