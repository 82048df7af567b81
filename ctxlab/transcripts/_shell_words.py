"""Shell scripts as agents write them, split into pipelines of simple commands.

Here-documents are cut out first, because their text is no shell. What cannot be lexed (an
unbalanced quote) gives no script: nothing is claimed of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

__all__ = ["Command", "Pipeline", "Resolver", "Script", "parse_script"]

Resolver = Callable[[str], str | None]
"""Gives the path that a word names; None where only a running shell knows it."""

_HEREDOC = re.compile(r"(?<!<)<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1(?!<)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_KEYWORDS = frozenset({
    "for", "while", "until", "if", "case", "select", "do", "done", "then", "else", "elif", "fi",
    "esac", "function", "{", "}", "!",
})  # fmt: skip
_CONNECTORS = frozenset({";", "&&", "||", "&", ";;"})
_QUOTED = re.compile(r"'([^']*)'|\"([^\"\\]*(?:\\.[^\"\\]*)*)\"|\\(.)", re.DOTALL)
_TOKEN = re.compile(
    r"""( [;()<>|&\n]+
        | (?: [^;()<>|&\n \t\r'"\\]+ | '[^']*' | "[^"\\]*(?:\\.[^"\\]*)*" | \\. )+
        ) [ \t\r]*""",
    re.DOTALL | re.VERBOSE,
)
_SPECIAL = "$`*?{;()<>|&\n#"
_PROTECTED = {ord(mark): 0xF0000 + ord(mark) for mark in _SPECIAL}
_PROTECTED_IN_QUOTES = {ord(mark): _PROTECTED[ord(mark)] for mark in set(_SPECIAL) - set("$`")}
_ESCAPED = re.compile(r'\\([$`"\\])')
_PLAIN = {protected: mark for mark, protected in _PROTECTED.items()}
_EXPANDED = re.compile(r"[$`*?]|\{[^}]*,")
_WRITES = frozenset({">", ">>", ">|", "&>", "&>>"})
_WRAPPERS = frozenset({"command", "time", "nice", "nohup", "exec", "builtin", "stdbuf"})


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, the files its output is redirected to, its here-document.

    `live` are those of the words that the shell expands: what they become is not in the log.
    """

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    heredoc: str | None = None
    reads: tuple[str, ...] = ()
    live: frozenset[str] = frozenset()

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
            live = {word for word in (*words, *self.writes, *self.reads) if _EXPANDED.search(word)}
            self.commands.append(
                Command(
                    words=_decoded(words),
                    writes=_decoded(self.writes),
                    heredoc=self.heredoc,
                    reads=_decoded(self.reads),
                    live=frozenset(_decoded(live)),
                )
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
    tokens = _tokens(body.replace("\\\n", " "))
    if tokens is None:
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
    return Script(tuple(pipelines), linear and not any(map(_runs_apart, tokens)))


def _runs_apart(token: str) -> bool:
    """Tell whether a token opens a subshell or sends a command to the background."""
    return not token.strip("();<>|&\n") and ("(" in token or token.strip("\n") == "&")


def _tokens(text: str) -> list[str] | None:
    """Split into operators and words without their quotes; None where one stays open.

    `shlex` splits in the same way, but runs Python for every character: many times as long.
    """
    tokens: list[str] = []
    end = len(text) - len(text.lstrip(" \t\r"))
    while found := _TOKEN.match(text, end):
        tokens.append(_QUOTED.sub(_protect, found[1]))
        end = found.end()
    return tokens if end == len(text) else None


def _protect(quoted: re.Match[str]) -> str:
    """Take quotes off, and hide what they make the shell take literally from later steps.

    Between double quotes `$` and the backquote stay live.
    """
    single, double, escaped = quoted.groups()
    if double is None:
        return (escaped if single is None else single).translate(_PROTECTED)
    return _ESCAPED.sub(_literal, double).translate(_PROTECTED_IN_QUOTES)


def _literal(escaped: re.Match[str]) -> str:
    return escaped[1].translate(_PROTECTED)


def _decoded(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(word if word.isascii() else word.translate(_PLAIN) for word in words)


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
        if not token or token.strip(";()<>|&\n"):
            in_comment = token.startswith("#")
            if not in_comment:
                draft.words.append(token)
        elif operator in _CONNECTORS:
            yield from draft.end_pipeline(operator)
        elif operator in {"|", "|&"}:
            draft.end_command()
        elif operator in _WRITES:
            descriptor = _take_descriptor(draft.words)
            target = next(rest, "")
            draft.writes.extend([] if descriptor == "2" else [target])
        elif operator == ">&":
            _take_descriptor(draft.words)
            next(rest, "")
        elif operator in {"<", "<<<"}:
            draft.reads.append(next(rest, ""))
        elif operator.startswith("<<"):
            next(rest, "")
            draft.heredoc = next(waiting, "")
        else:
            yield from draft.end_pipeline(";")
    yield from draft.end_pipeline(";")


def _take_descriptor(words: list[str]) -> str:
    """Take the number of a redirection such as `2>` off the words before it."""
    return words.pop() if words and words[-1] in {"1", "2"} else ""


def _without_wrappers(words: list[str]) -> list[str]:
    """Without leading `VAR=value`, `time`, `timeout 5`, `sudo` and their like."""
    rest = list(words)
    while len(rest) > 1:
        is_option = rest[1].startswith("-")
        if rest[0] == "timeout" and not is_option:
            del rest[:2]
        elif (
            rest[0] in _WRAPPERS
            or _ASSIGNMENT.match(rest[0])
            or (rest[0] in {"sudo", "env"} and not is_option)
        ):
            rest.pop(0)
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
            replace(c, words=c.words[1:])
            if c.words and c.words[0] in {"do", "then", "else", "{", "!"}
            else c
            for c in pipeline.commands
        ),
        pipeline.connector,
    )
