"""What a recorded answer's command line says of it: its sub-command, and floats printed shorter."""

from __future__ import annotations

import re
import shlex
import struct
from collections.abc import Iterator
from itertools import dropwhile, pairwise

from ctxlab.surface.arrange import ALIASES
from ctxlab.surface.canonical import Json

__all__ = ["as_printed", "subcommand"]

_SEPARATORS = ";|&()"
_WRAPPERS = frozenset(
    ("command", "do", "else", "env", "exec", "if", "nohup", "sudo", "then", "time", "timeout", "!",
     "bunx", "npx", "run", "uv", "uvx")
)  # fmt: skip
_SHELLS = frozenset(("bash", "sh", "zsh"))
_SCRIPT = re.compile(r"-[a-z]*c")
_SAVES = re.compile(r"1?>>?(?!&|/dev/(?:stdout|tty)).*")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_DURATION = re.compile(r"\d+(\.\d+)?[smhd]?")
_NAME = re.compile(r"[a-z][a-z0-9-]*")

_ROWS = {"recall": ("direct_matches", "graph_matches", "results")}
_ROW_FLOATS = ("distance", "score")
_WHOLE = {"hybrid-search": ("graph_matches", "weights")}
_TOLD = frozenset((*_ROWS, *_WHOLE, *(command for command, _ in ALIASES)))
"""Sub-commands whose answers are reshaped in a way of their own."""


def subcommand(command_line: str, program: str = "sqlite-graphrag") -> str | None:
    """Find the sub-command that a shell command line calls a program with; None: it calls it not.

    Of several calls the last counts whose output goes into no file. Options before the sub-command
    are passed over, with what may be their value.

    Examples
    --------
    >>> subcommand("cd notes && DB=x.db sqlite-graphrag recall 'a b' --json | jq .results")
    'recall'
    """
    found = None
    for words in _simple_commands(command_line):
        called = list(dropwhile(_is_before_program, words))
        name = called[0].rpartition("/")[2].removesuffix(".exe") if called else ""
        if name == program and not any(map(_SAVES.fullmatch, called)):
            found = _named(called[1:]) or found
        elif name in _SHELLS:
            behind = list(dropwhile(lambda word: not _SCRIPT.fullmatch(word), called))[1:2]
            found = (subcommand(behind[0], program) if behind else None) or found
    return found


def _named(words: list[str]) -> str | None:
    """Give the first word that is a sub-command; behind an option only one that changes anything.

    Which options take a value is not known; of other sub-commands nothing follows.
    """
    for before, word in pairwise(["", *words]):
        may_be_value = before.startswith("-") and "=" not in before
        if _NAME.fullmatch(word) and (not may_be_value or word in _TOLD):
            return word
    return None


def _simple_commands(command_line: str) -> Iterator[list[str]]:
    """Words between separators; a line whose quotes do not close is split at spaces."""
    line = command_line.replace("\\\n", " ").replace("\n", ";")
    lexer = shlex.shlex(line, posix=True, punctuation_chars=_SEPARATORS)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:
        words = line.split()
    command: list[str] = []
    for word in words:
        if word and set(word) <= set(_SEPARATORS):
            yield command
            command = []
        else:
            command.append(word)
    yield command


def _is_before_program(word: str) -> bool:
    return (
        word in _WRAPPERS
        or word.startswith("-")
        or _ASSIGNMENT.fullmatch(word) is not None
        or _DURATION.fullmatch(word) is not None
    )


def as_printed(value: Json, command: str | None) -> Json:
    """Give the value that the tool reshapes, of the one it printed without any knob.

    Some floats of sqlite-graphrag have 32 bits: printed at once they are short, reshaped they are
    carried as 64 bits and printed with all digits of these, about 17 bytes more a row. They are
    `distance` and `score` in the rows of recall, `graph_matches` and `weights` of hybrid-search.

    Examples
    --------
    >>> as_printed({"results": [{"score": 0.42}]}, "recall")
    {'results': [{'score': 0.41999998688697815}]}
    """
    if not isinstance(value, dict) or command is None:
        return value
    rounded = {key: _rounded(value[key]) for key in _WHOLE.get(command, ()) if key in value}
    for key in _ROWS.get(command, ()):
        rows = value.get(key)
        if isinstance(rows, list):
            rounded[key] = [_rounded_row(row) for row in rows]
    return {**value, **rounded}


def _rounded_row(row: Json) -> Json:
    if not isinstance(row, dict):
        return row
    return {k: _rounded(member) if k in _ROW_FLOATS else member for k, member in row.items()}


def _rounded(value: Json) -> Json:
    if isinstance(value, float):
        return _f32(value)
    if isinstance(value, list):
        return [_rounded(child) for child in value]
    if isinstance(value, dict):
        return {key: _rounded(child) for key, child in value.items()}
    return value


def _f32(number: float) -> float:
    """Nearest float of 32 bits; what is beyond those never was one."""
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return number
    return rounded
