"""Shell scripts as agents write them, split into pipelines of simple commands.

Lexing is `shlex`'s. Here-documents are cut out first, because their text is no shell.
What cannot be lexed (an unbalanced quote) gives no script: nothing is claimed of it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Command", "Pipeline", "Script", "parse_script"]

_HEREDOC = re.compile(r"(?<!<)<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1(?!<)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_KEYWORDS = frozenset(
    "for while until if case select do done then else elif fi esac function { } !".split()
)
_CONNECTORS = frozenset({";", "&&", "||", "&", ";;"})
_WRITES = frozenset({">", ">>", ">|", "&>", "&>>"})
_WRAPPERS = frozenset({"command", "time", "nice", "nohup", "exec", "builtin", "stdbuf"})


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, the files its output is redirected to, its here-document."""

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    heredoc: str | None = None
    reads: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Base name of the program, "" for a bare redirection."""
        return self.words[0].rpartition("/")[2] if self.words else ""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by `|`, with the connector that stands before it ("" for the first)."""

    commands: tuple[Command, ...]
    connector: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """The pipelines in order. `linear`: each runs once, none stands in a loop or a subshell."""

    pipelines: tuple[Pipeline, ...]
    linear: bool = True


@dataclass(slots=True)
class _Draft:
    """The command and pipeline in the making."""

    words: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    heredoc: str | None = None
    commands: list[Command] = field(default_factory=list)
    connector: str = ""

    def end_command(self) -> None:
        words = _without_wrappers(self.words)
        if words or self.writes:
            self.commands.append(
                Command(tuple(words), tuple(self.writes), self.heredoc, tuple(self.reads))
            )
        self.words, self.writes, self.reads, self.heredoc = [], [], [], None

    def end_pipeline(self, connector: str) -> Iterator[Pipeline]:
        self.end_command()
        if self.commands:
            yield Pipeline(tuple(self.commands), self.connector)
            self.connector = connector
        elif connector != ";":
            self.connector = connector
        self.commands = []


def parse_script(text: str) -> Script | None:
    """Split a script, with `bash -lc '…'` unwrapped; None where its quotes do not balance."""
    body, documents = _cut_heredocs(text.replace("\r\n", "\n"))
    lexer = shlex.shlex(
        body.replace("\\\n", " "), posix=True, punctuation_chars=";()<>|&\n"
    )
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:
        return None
    linear = True
    pipelines: list[Pipeline] = []
    for pipeline in _pipelines(tokens, documents):
        inner = _wrapped(pipeline)
        if inner is not None:
            script = parse_script(inner)
            if script is None:
                return None
            linear = linear and script.linear
            pipelines.extend(script.pipelines)
        else:
            linear = linear and not _compound(pipeline)
            pipelines.append(_without_keywords(pipeline))
    linear = linear and not any("(" in token and not token.strip("();<>|&\n") for token in tokens)
    return Script(tuple(pipelines), linear)


def _cut_heredocs(text: str) -> tuple[str, list[str]]:
    """Take here-document bodies out; their operators stay and refer to them in order."""
    kept: list[str] = []
    documents: list[str] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        kept.append(line)
        for match in _HEREDOC.finditer(line):
            end = next(
                (i for i in range(at, len(lines)) if lines[i].strip("\t ") == match[2]), None
            )
            if end is None:
                continue
            documents.append("\n".join(lines[at:end]) + "\n")
            at = end + 1
    return "\n".join(kept), documents


def _pipelines(tokens: list[str], documents: list[str]) -> Iterator[Pipeline]:
    draft = _Draft()
    rest = iter(tokens)
    waiting = iter(documents)
    in_comment = False
    for token in rest:
        if in_comment:
            in_comment = "\n" not in token
            if in_comment:
                continue
        operator = token.strip("\n") or ";"
        if token.strip(";()<>|&\n"):
            in_comment = token.startswith("#") and not draft.words
            if not in_comment:
                draft.words.append(token)
        elif operator in _CONNECTORS:
            yield from draft.end_pipeline(operator)
        elif operator in {"|", "|&"}:
            draft.end_command()
        elif operator in _WRITES:
            target = next(rest, "")
            _drop_descriptor(draft.words)
            draft.writes.append(target)
        elif operator == ">&":
            _drop_descriptor(draft.words)
            next(rest, "")
        elif operator in {"<", "<<<"}:
            draft.reads.append(next(rest, ""))
        elif operator.startswith("<<"):
            next(rest, "")
            draft.heredoc = next(waiting, "")
        else:
            yield from draft.end_pipeline(";")
    yield from draft.end_pipeline(";")


def _drop_descriptor(words: list[str]) -> None:
    if words and words[-1] in {"1", "2"}:
        words.pop()


def _without_wrappers(words: list[str]) -> list[str]:
    """Without leading `VAR=value`, `time`, `timeout 5`, `sudo` and their like."""
    rest = list(words)
    while rest:
        if rest[0] in _WRAPPERS or (_ASSIGNMENT.match(rest[0]) and len(rest) > 1):
            rest.pop(0)
        elif rest[0] in {"sudo", "env"} and len(rest) > 1 and not rest[1].startswith("-"):
            rest.pop(0)
        elif rest[0] == "timeout" and len(rest) > 2 and not rest[1].startswith("-"):
            del rest[:2]
        else:
            break
    return rest


def _wrapped(pipeline: Pipeline) -> str | None:
    """Return the script inside `bash -lc '…'`."""
    if len(pipeline.commands) != 1:
        return None
    words = pipeline.commands[0].words
    if (
        len(words) == 3
        and pipeline.commands[0].name in {"bash", "sh", "zsh"}
        and re.fullmatch(r"-[a-z]*c", words[1])
    ):
        return words[2]
    return None


def _compound(pipeline: Pipeline) -> bool:
    return any(command.words[:1] and command.words[0] in _KEYWORDS for command in pipeline.commands)


def _without_keywords(pipeline: Pipeline) -> Pipeline:
    """`do cat f` is `cat f`: what a loop runs may still touch a file that can be named."""
    return Pipeline(
        tuple(
            Command(c.words[1:], c.writes, c.heredoc, c.reads)
            if c.words and c.words[0] in {"do", "then", "else", "{", "!"}
            else c
            for c in pipeline.commands
        ),
        pipeline.connector,
    )
