"""Events of one source → its answers in JSON, and what later calls quoted of them.

Words are held only as far as quotes may need them, and looked at once: the tokens of an answer when
it comes, all others at the end, and only in threads that had an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from ctxlab.errors import InputError
from ctxlab.events import Event
from ctxlab.store._arrow import lists, strings
from ctxlab.store._cut_json import is_cut_in_line, is_cut_json, is_loose_json
from ctxlab.surface.canonical import Json, parse_values
from ctxlab.surface.mentions import Mentions
from ctxlab.surface.tokens import find_tokens, parts_of, tokens_of
from ctxlab.transcripts.commands import program_of, tool_label

__all__ = ["MAX_SHOWN_CHARS", "MAX_WRITTEN_CHARS", "Answering"]

MAX_SHOWN_CHARS = 1 << 25
"""Of what else a source showed, this much is held: from there on, everything counts as shown."""

MAX_WRITTEN_CHARS = 1 << 25
"""Of what the model wrote, this much is held: calls beyond it are not looked at for quotes."""

_ANSWERING = frozenset({"shell", "mcp", "web", "other"})
"""Kinds of tools whose results may be JSON answers; those of the others are files or prose."""

_NEVER = 2**31 - 1
_Quote = tuple[int, list[str], list[int], list[int]]
"""A call, its quotes, the events that first wrote each, and those that first showed it."""


@dataclass(slots=True)
class _Thread:
    """What one context window was shown and wrote, from event `begin` on.

    `given` are the names of the tools that it called and of what they take, as it was told of them
    at its begin. `full_from` is the first event not held.
    """

    begin: int
    given: set[str] = field(default_factory=set)
    answered: dict[str, int] = field(default_factory=dict)  # token → first JSON answer
    written: list[tuple[int, bool, str]] = field(default_factory=list)  # event, is a call, words
    shown: list[tuple[int, str]] = field(default_factory=list)
    full_from: int = _NEVER

    def quotes(self) -> Iterator[_Quote]:
        """Give the calls that wrote what an answer had shown before, with what they wrote."""
        since = min(self.answered.values(), default=_NEVER)
        if not any(is_call and seq > since for seq, is_call, _ in self.written):
            return
        found: list[tuple[int, list[str]]] = []
        for seq, is_call, words in self.written:
            if is_call and (quoted := [t for t in _written(words) if self._answered(t) < seq]):
                found.append((seq, quoted))
        mentions = Mentions({token for _, quoted in found for token in quoted})
        first_written = _first(mentions, ((seq, words) for seq, _, words in self.written))
        first_shown = _first(mentions, self.shown)
        first_shown |= dict.fromkeys(self.given, self.begin)
        for seq, quoted in found:
            written = [min(first_written.get(token, seq), seq) for token in quoted]
            shown = [first_shown.get(token, self.full_from) for token in quoted]
            yield seq, quoted, written, [at if at < seq else -1 for at in shown]

    def _answered(self, token: str) -> int:
        return self.answered.get(token, _NEVER)


def _written(words: str) -> dict[str, None]:
    """Tokens of a call, and what they say beside themselves."""
    tokens: dict[str, None] = {}
    for token in find_tokens(words):
        tokens[token.text] = None
        tokens |= dict.fromkeys(parts_of(token.text))
    return tokens


def _first(mentions: Mentions, told: Iterable[tuple[int, str]]) -> dict[str, int]:
    """Give the first event that names each token, in any way."""
    found: dict[str, int] = {}
    for seq, words in told:
        for token in mentions.within(words):
            found.setdefault(token, seq)
    return found


class Answering:
    """Rows of the tables of answers and quotes, while the events of one source arrive.

    `broken_rules` says of each answer that breaks a rule of JSON which one it is.
    """

    def __init__(self) -> None:
        self.broken_rules: list[str] = []
        self._threads: dict[str, _Thread] = {}
        self._asked: dict[tuple[str, str], str] = {}
        self._programs: set[str] = set()
        self._rows: list[tuple[int, str, str, str, str | None, int]] = []
        self._shown_chars = 0
        self._written_chars = 0

    def add(self, seq: int, event: Event) -> None:
        """Take the words of one event."""
        match event.kind:
            case "call":
                if event.call_id is not None and event.tool_kind in _ANSWERING:
                    self._asked[event.thread, event.call_id] = event.command
                self._thread(seq, event).given.update((event.tool or "", *event.aside.split("\n")))
                self._write(seq, event)
            case "text" | "thinking":
                self._write(seq, event)
            case "result":
                command = self._asked.pop((event.thread, event.call_id or ""), "")
                values = _json_values(event)
                if event.tool_kind in _ANSWERING:
                    self._answer(seq, event, command, values)
                self._show(seq, event, event.aside)
                if values is None:
                    self._show(seq, event, event.words)
                else:
                    known = self._thread(seq, event).answered
                    for token in tokens_of(values):
                        known.setdefault(token, seq)
            case _:
                self._show(seq, event, event.words)

    def _thread(self, seq: int, event: Event) -> _Thread:
        return self._threads.setdefault(event.thread, _Thread(seq))

    def _write(self, seq: int, event: Event) -> None:
        self._written_chars += len(event.words)
        if event.words and self._written_chars <= MAX_WRITTEN_CHARS:
            self._thread(seq, event).written.append((seq, event.kind == "call", event.words))

    def _show(self, seq: int, event: Event, words: str) -> None:
        if not words:
            return
        thread = self._thread(seq, event)
        self._shown_chars += len(words)
        if self._shown_chars <= MAX_SHOWN_CHARS:
            thread.shown.append((seq, words))
        else:
            thread.full_from = min(thread.full_from, seq)

    def _answer(self, seq: int, event: Event, command: str, values: list[Json] | None) -> None:
        """Note a result if it is of a tool that has answered in JSON."""
        form = "json" if values is not None else _form(event.words)
        if form == "text" and not self._programs:
            return
        tool = tool_label(command) if event.tool_kind == "shell" else event.tool or ""
        program = program_of(tool)
        if form == "text" and program not in self._programs:
            return
        self._programs.add(program)
        if form == "invalid":
            self.broken_rules.append(_broken_rule(event.words))
        text = event.words if form == "json" else None
        n_bytes = len(event.words.encode("utf-8", "surrogatepass"))
        self._rows.append((seq, tool, command, form, text, n_bytes))

    def columns(self) -> dict[str, dict[str, Any]]:
        """Give the columns of each table."""
        names = ("seq", "tool", "command", "form", "text", "answer_bytes")
        quotes = [quote for thread in self._threads.values() for quote in thread.quotes()]
        quotes.sort(key=lambda quote: quote[0])
        counts = [len(tokens) for _, tokens, _, _ in quotes]
        return {
            "answers": {name: [row[i] for row in self._rows] for i, name in enumerate(names)},
            "quotes": {
                "seq": np.array([seq for seq, _, _, _ in quotes], np.int32),
                "tokens": lists(counts, strings([t for _, found, _, _ in quotes for t in found])),
                "written_seqs": lists(counts, _flat([written for _, _, written, _ in quotes])),
                "shown_seqs": lists(counts, _flat([shown for _, _, _, shown in quotes])),
            },
        }


def _flat(groups: list[list[int]]) -> pa.Array:
    return pa.array([seq for group in groups for seq in group], pa.int32())


def _form(text: str) -> str:
    """Tell what an answer is that is no JSON."""
    if is_cut_json(text):
        return "cut"
    begins = text.lstrip()[:1] in {"{", "["}
    return "invalid" if begins and not is_cut_in_line(text) and is_loose_json(text) else "text"


def _broken_rule(text: str) -> str:
    """Say which rule of JSON the text breaks, not where, so that the like can be counted."""
    try:
        parse_values(text)
    except InputError as error:
        return str(error).partition(": ")[2]
    return "it is no JSON"


def _json_values(event: Event) -> list[Json] | None:
    """Give the values of a result that is JSON objects and arrays, and nothing else."""
    if event.tool_kind not in _ANSWERING or event.words.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        values = parse_values(event.words)
    except InputError:
        return None
    is_whole = all(isinstance(value, dict | list) for value in values)
    return values if is_whole and not is_cut_in_line(event.words) else None
