"""Logs of one family, written by hand.

    log_of([
        call("mcp__graph", lines("src/a.py", 10, "ten", "eleven"), pointer("b.py", (1, 9))),
        together(call("Read", lines("/repo/src/a.py", 10, "ten")), call("Glob")),
        call("Edit", edit("/repo/src/a.py")),
        mark("compaction"),
        agent("helper", call("Read", lines("b.py", 1, "x"))),
    ])

Each call is a model response of its own, with its result right after it, in the thread "main";
`together` makes one response of several calls, whose results follow all of them. `agent` starts a
sub-agent in a new thread, whose calls stand between the call and its result. What a call touches
follows from its kind and what it served, unless `touches` says otherwise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ctxlab.events import EditEvidence, EditKind, EventKind, SpanOrigin, ToolKind, TouchKind
from ctxlab.log import (
    EDIT_EVIDENCE,
    EDIT_KINDS,
    MARK_KINDS,
    SPAN_ORIGINS,
    TOOL_KINDS,
    TOUCH_KINDS,
    Calls,
    Edits,
    FamilyLog,
    Lines,
    Marks,
    Pointers,
    Spans,
    Touches,
    UsageRows,
)

KINDS: dict[str, ToolKind] = {
    "Read": "read",
    "NotebookRead": "read",
    "view": "read",
    "Grep": "grep",
    "Glob": "glob",
    "Bash": "shell",
    "Edit": "edit",
    "Write": "edit",
    "Task": "agent",
    "Agent": "agent",
    "TodoWrite": "bookkeeping",
    "ToolSearch": "bookkeeping",
}
ORIGINS: dict[str, SpanOrigin] = {"read": "read", "grep": "grep", "shell": "shell", "mcp": "mcp"}
TOUCHING: dict[str, TouchKind] = {"read": "read", "grep": "search", "glob": "list", "edit": "edit"}


@dataclass(frozen=True)
class Served:
    path: str
    first: int
    texts: tuple[str, ...]
    origin: SpanOrigin | None = None


@dataclass(frozen=True)
class Pointed:
    path: str
    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Edited:
    path: str
    kind: EditKind
    evidence: EditEvidence
    hunks: tuple[tuple[int, int, str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Call:
    tool: str
    kind: ToolKind
    parts: tuple[Served | Pointed | Edited, ...]
    touches: tuple[tuple[str | None, TouchKind], ...]
    mentions: tuple[str, ...]
    error: bool
    answered: bool
    starts: str | None = None
    inside: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Together:
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Mark:
    kind: EventKind
    cleared: tuple[int, ...]
    rewind_to: int


def lines(path: str, first: int, *texts: str, origin: SpanOrigin | None = None) -> Served:
    """Consecutive lines of a file, as a call served them."""
    return Served(path, first, texts, origin)


def numbered(path: str, first: int, last: int) -> Served:
    """Lines `first` to `last`, both included, each with a text of its own."""
    return Served(path, first, tuple(f"{path} line {n}" for n in range(first, last + 1)))


def pointer(path: str, *ranges: tuple[int, int]) -> Pointed:
    """A pointer at withheld ranges, last lines included."""
    return Pointed(path, ranges)


def edit(
    path: str,
    *hunks: tuple[int, int, str, tuple[str, ...]],
    kind: EditKind | None = None,
    evidence: EditEvidence = "tool",
) -> Edited:
    """A change of a file; hunks are (old_start, new_start, ops, texts)."""
    return Edited(path, kind or ("hunks" if hunks else "unknown"), evidence, hunks)


def call(
    tool: str,
    *parts: Served | Pointed | Edited,
    touches: Sequence[tuple[str | None, TouchKind]] | None = None,
    mentions: Iterable[str] = (),
    kind: ToolKind | None = None,
    error: bool = False,
    answered: bool = True,
) -> Call:
    """One tool call with what its result brought."""
    kind = kind or KINDS.get(tool) or ("mcp" if tool.startswith("mcp__") else "other")
    if touches is None:
        paths = [p.path for p in parts if not isinstance(p, Pointed)]
        how = TOUCHING.get(kind)
        touches = [(path, how) for path in dict.fromkeys(paths)] if how else []
    return Call(tool, kind, parts, tuple(touches), tuple(mentions), error, answered)


def agent(thread: str, *steps: Call | Together | Mark, tool: str = "Task") -> Call:
    """A call that starts a sub-agent in a thread of its own."""
    return replace(call(tool), starts=thread, inside=steps)


def together(*calls: Call) -> Together:
    """Calls of one model response."""
    return Together(calls)


def mark(kind: EventKind, cleared: Iterable[int] = (), rewind_to: int = -1) -> Mark:
    """An event that is no call; `cleared` counts calls of the family from 0."""
    return Mark(kind, tuple(cleared), rewind_to)


def text_id(text: str) -> int:
    """An identity of a text: equal texts, equal ids."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def log_of(steps: Iterable[Call | Together | Mark], family: str = "family") -> FamilyLog:
    """Build the log of one family from its steps."""
    writer = _Writer()
    writer.steps(0, steps)
    return writer.log(family)


@dataclass
class _Writer:
    threads: list[str] = field(default_factory=lambda: ["main"])
    parents: list[int] = field(default_factory=lambda: [-1])
    tools: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    calls: list[list[Any]] = field(default_factory=list)
    mentions: list[tuple[int, ...]] = field(default_factory=list)
    results: list[tuple[int, Call]] = field(default_factory=list)
    edits: list[tuple[Any, ...]] = field(default_factory=list)
    marks: list[tuple[Any, ...]] = field(default_factory=list)
    touches: list[tuple[int, int, int]] = field(default_factory=list)
    at: int = 0
    request: int = 0

    def steps(self, thread: int, steps: Iterable[Call | Together | Mark]) -> None:
        for step in steps:
            if isinstance(step, Mark):
                kind = MARK_KINDS.index(step.kind)
                self.marks.append((self._next(), thread, kind, step.rewind_to, step.cleared))
                continue
            made = step.calls if isinstance(step, Together) else (step,)
            numbers = [self._call(thread, one) for one in made]
            self.request += 1
            for number, one in zip(numbers, made, strict=True):
                if one.starts is not None:
                    self.threads.append(one.starts)
                    self.parents.append(thread)
                    self.steps(len(self.threads) - 1, one.inside)
                self._result(number, one)

    def _next(self) -> int:
        self.at += 1
        return self.at - 1

    def _call(self, thread: int, one: Call) -> int:
        number = len(self.calls)
        tool, kind = _index(self.tools, one.tool), TOOL_KINDS.index(one.kind)
        self.calls.append([0, thread, self.request, self._next(), -1, tool, kind, one.error, 0])
        self.mentions.append(tuple(text_id(name) for name in one.mentions))
        for path, how in one.touches:
            index = -1 if path is None else _index(self.paths, path)
            self.touches.append((number, index, TOUCH_KINDS.index(how)))
        return number

    def _result(self, number: int, one: Call) -> None:
        if not one.answered:
            return
        at = self.calls[number][4] = self._next()
        self.results.append((number, one))
        for part in one.parts:
            path = _index(self.paths, part.path)
            if isinstance(part, Edited):
                codes = EDIT_KINDS.index(part.kind), EDIT_EVIDENCE.index(part.evidence)
                for old, new, ops, texts in part.hunks or ((-1, -1, "", ()),):
                    ids = tuple(map(text_id, texts))
                    self.edits.append((at, self.calls[number][1], path, *codes, old, new, ops, ids))

    def log(self, family: str) -> FamilyLog:
        spans, texts, pointers = [], [], []
        for number, one in self.results:
            for part in one.parts:
                if isinstance(part, Served):
                    origin = part.origin or ORIGINS.get(one.kind, "mcp")
                    codes = SPAN_ORIGINS.index(origin), True, -1
                    where = number, _index(self.paths, part.path), part.first
                    spans.append((*where, len(part.texts), len(texts), *codes))
                    texts += part.texts
                    self.calls[number][8] += sum(len(text.encode()) + 1 for text in part.texts)
                elif isinstance(part, Pointed):
                    at, path = len(pointers), _index(self.paths, part.path)
                    pointers += [(at, number, path, a, b, 40) for a, b in part.ranges]
        n = len(self.threads)
        return FamilyLog(
            family=family,
            agent="by hand",
            content_hash=family,
            started_ms=None,
            sources=("source",),
            versions=(None,),
            models=(),
            threads=tuple(self.threads),
            thread_source=np.zeros(n, np.int32),
            thread_parent=np.array(self.parents, np.int32),
            thread_session=np.zeros(n, np.int32),
            is_main=np.array([parent < 0 for parent in self.parents]),
            tools=tuple(self.tools),
            paths=tuple(self.paths),
            path_name_ids=np.array(
                [text_id(path.rsplit("/", 1)[-1]) for path in self.paths], np.uint64
            ),
            n_events=self.at,
            calls=Calls(*_columns(self.calls, "iiiiiibSq"), mentions=tuple(self.mentions)),
            spans=Spans(*_columns(spans, "iiiiqbSi")),
            lines=Lines(
                np.array([text_id(text) for text in texts], np.uint64),
                np.array([len(text.encode()) for text in texts], np.uint32),
                np.array([len(text.encode("utf-16-le")) // 2 for text in texts], np.uint32),
                np.array([len(text.encode()) + 1 for text in texts], np.uint32),
            ),
            edits=Edits(*_columns(self.edits, "iiibbiiOO")),
            marks=Marks(*_columns(self.marks, "iibiO")),
            pointers=Pointers(*_columns(pointers, "iiiiiq")),
            touches=Touches(*_columns(self.touches, "iib")),
            usage=UsageRows(*_columns([], "iiiiqqqqS")),
        )


def _index(names: list[str], name: str) -> int:
    if name not in names:
        names.append(name)
    return names.index(name)


def _columns(rows: Sequence[Sequence[Any]], types: str) -> list[Any]:
    """Turn rows into columns: i, b and q are integers, S truth values, O tuples."""
    dtypes = {"i": np.int32, "b": np.int8, "q": np.int64, "S": np.bool_}
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(types)
    return [
        tuple(column) if code == "O" else np.array(column, dtypes[code])
        for column, code in zip(columns, types, strict=True)
    ]
