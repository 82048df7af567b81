"""A shell command line → the tool that it asked: program, sub-command, filter of the output.

Labels are shown to people and group answers: they hold no paths, values or options. The same
question twice, with other arguments, has one label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ctxlab.transcripts._shell_words import Command, Pipeline, parse_script

__all__ = ["UNNAMED", "program_of", "tool_label"]

UNNAMED = "shell"
"""Label of a command line that cannot be read or names no program."""

_PIPE = " | "
_PROGRAM = re.compile(r"[\w.+@$][\w.+@$-]{0,39}")
_COMMENT = re.compile(r"^[ \t]*+#.*$", re.MULTILINE)
_INNER = re.compile(r"\$\([^()]*+\)")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=")
_WORD = re.compile(r"[a-z][a-z_:-]{0,23}")
_SILENT = frozenset({
    ":", ".", "[", "[[", "cd", "chmod", "chown", "cp", "declare", "done", "esac", "exit", "export",
    "fi", "kill", "ln", "local", "mkdir", "mv", "popd", "pushd", "read", "return", "rm", "set",
    "shift", "shopt", "sleep", "source", "test", "touch", "trap", "true", "false", "umask",
    "unset", "wait",
})  # fmt: skip
_KEYWORDS = frozenset({"case", "for", "function", "if", "select", "until", "while", "elif"})
_FEEDS = frozenset({"cat", "echo", "printf", "yes"})
"""Before a pipe they give the input, alone they are asked only if nothing else can be."""
_PASSES_ON = frozenset({"cat", "head", "less", "more", "tail", "tee"})
"""Behind a pipe they leave the output in the form in which it came."""
_TAKES_FILES = frozenset({
    "ag", "awk", "base64", "bash", "bat", "bun", "cat", "curl", "date", "deno", "diff", "du",
    "duckdb", "echo", "egrep", "eslint", "fd", "file", "find", "gawk", "go-jq", "grep", "gron",
    "head", "http", "java", "jless", "jq", "less", "ls", "make", "more", "mysql", "node", "od",
    "perl", "php", "printf", "psql", "python", "python3", "pytest", "redis-cli", "rg", "ruby",
    "ruff", "sed", "sh", "sort", "sqlite3", "ssh", "stat", "tail", "tee", "tr", "tree", "ts-node",
    "tsc", "tsx", "uniq", "wc", "wget", "which", "xargs", "xxd", "yq", "zcat", "zsh",
})  # fmt: skip
"""Their words are files, patterns, addresses or code, none a sub-command."""

_ANY = re.compile("")
_GROUPS: Mapping[str, re.Pattern[str]] = {
    "aws": _ANY,
    "az": _ANY,
    "docker": re.compile(r"buildx|compose|config|container|context|image|network|system|volume"),
    "gcloud": _ANY,
    "gh": re.compile(r"(?!api\b)"),  # `gh api` takes an address
    "kubectl": re.compile(r"config|describe|get|rollout|top"),
    "npm": re.compile(r"config|pkg|run"),
    "npx": _ANY,
    "pnpm": re.compile(r"config|dlx|exec|run"),
    "uv": re.compile(r"pip|run|tool"),
    "yarn": re.compile(r"config|run|workspace"),
}
"""Programs whose first words, if they match, are groups of sub-commands: the next word counts."""
_TAKES_VALUE = frozenset({
    "-C", "-R", "-c", "-f", "-n", "-o", "-p", "--config", "--context", "--cwd", "--db", "--dir",
    "--format", "--model", "--namespace", "--output", "--output-format", "--prefix", "--profile",
    "--project", "--region", "--repo", "--session",
})  # fmt: skip
"""Options before a sub-command that a value follows."""


def tool_label(command_line: str) -> str:
    """Name the tool whose answer a command line printed.

    It is the program of the last pipeline that can have printed, with its sub-command, and behind
    a bar what a pipe sent its output through last.

    Examples
    --------
    >>> tool_label("cd /src && gh pr list --json number | jq '.[].number' | head -3")
    'gh pr list | jq'
    """
    outer = _INNER.sub("$_", command_line)
    script = parse_script(outer) or parse_script(_COMMENT.sub("", outer))
    pipelines = script.pipelines if script else ()
    for may_print in (_prints, _echoes):
        for pipeline in reversed(pipelines):
            if may_print(pipeline):
                return _PIPE.join(_labels(pipeline.commands))
    return UNNAMED


def program_of(label: str) -> str:
    """Give the part of a label that two calls of the same tool share, whatever filters it.

    Examples
    --------
    >>> program_of("gh pr list | jq")
    'gh pr list'
    """
    return label.partition(_PIPE)[0]


def _prints(pipeline: Pipeline) -> bool:
    """Tell whether the output may be the answer of a tool that worked."""
    first = pipeline.commands[0].name
    is_echo = len(pipeline.commands) == 1 and first in _FEEDS - {"cat"}
    return _echoes(pipeline) and not is_echo and pipeline.connector != "||"


def _echoes(pipeline: Pipeline) -> bool:
    """Tell whether anything is printed at all."""
    first, last = pipeline.commands[0], pipeline.commands[-1]
    if not first.words or not last.words or _ASSIGNED.match(first.words[0]):
        return False
    return first.name not in _SILENT | _KEYWORDS and not _saved(last)


def _saved(last: Command) -> bool:
    """Tell whether the output went into a file."""
    return any(name not in {"/dev/stdout", "/dev/tty"} for name in last.writes)


def _labels(commands: Sequence[Command]) -> Iterator[str]:
    """Give the label of the program that was asked and that of the last filter."""
    asked, *behind = commands
    filters = [command for command in behind if command.name not in _PASSES_ON]
    if filters and asked.name in _FEEDS:
        asked, *filters = filters
    yield _label(asked)
    if filters:
        yield _name(filters[-1])


def _label(command: Command) -> str:
    name = _name(command)
    return name if name == UNNAMED else " ".join((name, *_sub_commands(name, command)))


def _name(command: Command) -> str:
    name = command.name.removesuffix(".exe")
    return name if _PROGRAM.fullmatch(name) else UNNAMED


def _sub_commands(name: str, command: Command) -> Iterator[str]:
    """Give the first words of a command that are no options, as far as they are sub-commands."""
    if name in _TAKES_FILES:
        return
    words = iter(command.words[1:])
    for word in words:
        if word in _TAKES_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            break
    else:
        return
    if not _is_sub_command(word, command):
        return
    yield word
    group, then = _GROUPS.get(name), next(words, "")
    if group and group.match(word) and _is_sub_command(then, command):
        yield then


def _is_sub_command(word: str, command: Command) -> bool:
    return word not in command.live and _WORD.fullmatch(word) is not None
