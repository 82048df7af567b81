"""Logs of one family, written by hand.

    log_of([
        call("mcp__graph", lines("src/a.py", 10, "ten", "eleven"), pointer("b.py", (1, 9))),
        together(call("Read", lines("/repo/src/a.py", 10, "ten")), call("Glob")),
        call("Edit", edit("/repo/src/a.py")),
        mark("compaction"),
        agent("helper", call("Read", lines("b.py", 1, "x"))),
        prompt("and `pump.py`?"),
        says("src/pump.py", "Pump.start"),
        call("Read", symbol("src/pump.py", "Pump.start", 7, doc="Start it."), names=("pump.py",)),
        session("resumed", prompt("go on"), cwd="/repo"),
        call("Bash", answer('{"id": "a-17"}', "tracker list --json", tool="tracker list")),
        call("Bash", quotes=["a-17"]),
    ])

Each call is a model response of its own, with its result right after it, in the thread "main";
`together` makes one response of several calls, whose results follow all of them. `agent` starts a
sub-agent in a new thread, whose calls stand between the call and its result. What a call touches
follows from its kind and what it served, unless `touches` says otherwise. `session` is a main
thread of its own, in a source of its own. Events are a second apart, unless a step is `later`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ctxlab.events import EditEvidence, EditKind, EventKind, SpanOrigin, ToolKind, TouchKind
from ctxlab.log import (
    ANSWER_FORMS,
    EDIT_EVIDENCE,
    EDIT_KINDS,
    MARK_KINDS,
    SPAN_ORIGINS,
    TOOL_KINDS,
    TOUCH_KINDS,
    Answers,
    Calls,
    Edits,
    FamilyLog,
    Lines,
    Marks,
    Pointers,
    Spans,
    Texts,
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
class Defined:
    path: str
    name: str
    line: int
    doc: str


@dataclass(frozen=True)
class Answer:
    text: str
    command: str
    tool: str
    form: str


@dataclass(frozen=True)
class Quote:
    token: str
    written_at: int
    shown_at: int


Part = Served | Pointed | Edited | Defined | Answer


@dataclass(frozen=True)
class Call:
    tool: str
    kind: ToolKind
    parts: tuple[Part, ...]
    touches: tuple[tuple[str | None, TouchKind], ...]
    mentions: tuple[str, ...]
    error: bool
    answered: bool
    names: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    starts: str | None = None
    inside: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Together:
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Mark:
    kind: EventKind
    cleared: tuple[int, ...] = ()
    rewind_to: int = -1
    text: str = ""


@dataclass(frozen=True)
class Says:
    names: tuple[str, ...]


@dataclass(frozen=True)
class Later:
    ms: int


@dataclass(frozen=True)
class Session:
    thread: str
    inside: tuple[Any, ...]
    cwd: str | None


Step = Call | Together | Mark | Says | Later | Session


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


def symbol(path: str, name: str, line: int = -1, doc: str = "") -> Defined:
    """A definition in what a result delivered or an edit wrote."""
    return Defined(path, name, line, doc)


def answer(text: str = "", command: str = "", *, tool: str = "", form: str = "json") -> Answer:
    """What a tool that speaks JSON answered; without `tool`, one named as the call's is."""
    return Answer(text, command, tool, form)


def quote(token: str, *, written_at: int = -1, shown_at: int = -1) -> Quote:
    """What a call quotes; without `written_at`, written first by the first call to do so."""
    return Quote(token, written_at, shown_at)


def call(
    tool: str,
    *parts: Part,
    touches: Sequence[tuple[str | None, TouchKind]] | None = None,
    mentions: Iterable[str] = (),
    kind: ToolKind | None = None,
    error: bool = False,
    answered: bool = True,
    names: Iterable[str] = (),
    quotes: Iterable[str | Quote] = (),
) -> Call:
    """One tool call with what its result brought."""
    kind = kind or KINDS.get(tool) or ("mcp" if tool.startswith("mcp__") else "other")
    if touches is None:
        paths = [p.path for p in parts if isinstance(p, Served | Edited)]
        how = TOUCHING.get(kind)
        touches = [(path, how) for path in dict.fromkeys(paths)] if how else []
    told = tuple(quote(one) if isinstance(one, str) else one for one in quotes)
    about = tuple(touches), tuple(mentions)
    return Call(tool, kind, parts, *about, error, answered, tuple(names), told)


def agent(thread: str, *steps: Step, tool: str = "Task") -> Call:
    """A call that starts a sub-agent in a thread of its own."""
    return replace(call(tool), starts=thread, inside=steps)


def session(thread: str, *steps: Step, cwd: str | None = None) -> Session:
    """A main thread of its own, in a source of its own."""
    return Session(thread, steps, cwd)


def prompt(text: str) -> Mark:
    """What a user typed."""
    return Mark("prompt", text=text)


def says(*names: str) -> Says:
    """A response without a call, in which the model wrote names."""
    return Says(names)


def later(ms: int) -> Later:
    """Time that passes before the next event, negative for none at all."""
    return Later(ms)


def together(*calls: Call) -> Together:
    """Calls of one model response."""
    return Together(calls)


def mark(kind: EventKind, cleared: Iterable[int] = (), rewind_to: int = -1) -> Mark:
    """An event that is no call; `cleared` counts calls of the family from 0."""
    return Mark(kind, tuple(cleared), rewind_to)


def text_id(text: str) -> int:
    """An identity of a text: equal texts, equal ids."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def log_of(
    steps: Iterable[Step],
    family: str = "family",
    *,
    cwd: str | None = None,
    start_ms: int = -1,
) -> FamilyLog:
    """Build the log of one family from its steps; undated if `start_ms` is -1."""
    writer = _Writer(cwds=[cwd], clock=start_ms)
    writer.steps(0, steps)
    return writer.log(family)


@dataclass
class _Writer:
    cwds: list[str | None]
    clock: int
    sources: list[str] = field(default_factory=lambda: ["source"])
    threads: list[str] = field(default_factory=lambda: ["main"])
    thread_source: list[int] = field(default_factory=lambda: [0])
    parents: list[int] = field(default_factory=lambda: [-1])
    sessions: list[int] = field(default_factory=lambda: [0])
    tools: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    calls: list[list[Any]] = field(default_factory=list)
    mentions: list[tuple[int, ...]] = field(default_factory=list)
    results: list[tuple[int, Call]] = field(default_factory=list)
    edits: list[tuple[Any, ...]] = field(default_factory=list)
    marks: list[tuple[Any, ...]] = field(default_factory=list)
    touches: list[tuple[int, int, int]] = field(default_factory=list)
    usage: list[tuple[int, ...]] = field(default_factory=list)
    prompts: list[tuple[Any, ...]] = field(default_factory=list)
    symbols: list[tuple[Any, ...]] = field(default_factory=list)
    names: list[tuple[Any, ...]] = field(default_factory=list)
    answers: list[tuple[Any, ...]] = field(default_factory=list)
    quotes: list[tuple[Any, ...]] = field(default_factory=list)
    wrote: dict[tuple[int, str], int] = field(default_factory=dict)
    event_ms: list[int] = field(default_factory=list)
    at: int = 0
    request: int = 0

    def steps(self, thread: int, steps: Iterable[Step]) -> None:
        for step in steps:
            match step:
                case Mark():
                    self._mark(thread, step)
                case Says():
                    self.names.append((self._next(), step.names))
                    self.usage.append((self.request, self.thread_source[thread], thread))
                    self.request += 1
                case Later():
                    self.clock += step.ms
                case Session():
                    self.cwds.append(step.cwd)
                    self.sources.append(step.thread)
                    number = self._thread(step.thread, -1, len(self.sources) - 1)
                    self.steps(number, step.inside)
                case Call() | Together():
                    self._response(thread, step.calls if isinstance(step, Together) else (step,))

    def _thread(self, name: str, parent: int, source: int) -> int:
        self.threads.append(name)
        self.parents.append(parent)
        self.thread_source.append(source)
        self.sessions.append(source)
        return len(self.threads) - 1

    def _next(self) -> int:
        self.event_ms.append(self.clock)
        self.clock += 1000 if self.clock >= 0 else 0
        self.at += 1
        return self.at - 1

    def _mark(self, thread: int, step: Mark) -> None:
        at, kind = self._next(), MARK_KINDS.index(step.kind)
        self.marks.append((at, thread, kind, step.rewind_to, step.cleared))
        if step.kind == "prompt":
            self.prompts.append((at, thread, self.thread_source[thread], step.text))

    def _response(self, thread: int, made: Sequence[Call]) -> None:
        numbers = [self._call(thread, one) for one in made]
        self.request += 1
        for number, one in zip(numbers, made, strict=True):
            if one.starts is not None:
                started = self._thread(one.starts, thread, self.thread_source[thread])
                self.steps(started, one.inside)
            self._result(number, one)

    def _call(self, thread: int, one: Call) -> int:
        number, at = len(self.calls), self._next()
        tool, kind = _index(self.tools, one.tool), TOOL_KINDS.index(one.kind)
        source = self.thread_source[thread]
        self.calls.append([source, thread, self.request, at, -1, tool, kind, one.error, 0])
        self.mentions.append(tuple(text_id(name) for name in one.mentions))
        if one.names:
            self.names.append((at, one.names))
        for told in one.quotes:
            first = self.wrote.setdefault((thread, told.token), at)
            written = first if told.written_at < 0 else told.written_at
            self.quotes.append((number, told.token, written, told.shown_at))
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
            if isinstance(part, Answer):
                about = part.tool or one.tool, part.command, ANSWER_FORMS.index(part.form)
                self.answers.append((number, *about, part.text, len(part.text.encode())))
                continue
            path = _index(self.paths, part.path)
            if isinstance(part, Defined):
                self.symbols.append((at, path, part.line, part.name, part.doc))
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
        return FamilyLog(
            family=family,
            agent="by hand",
            content_hash=family,
            started_ms=None,
            sources=tuple(self.sources),
            versions=(None,) * len(self.sources),
            models=(),
            threads=tuple(self.threads),
            thread_source=np.array(self.thread_source, np.int32),
            thread_parent=np.array(self.parents, np.int32),
            thread_session=np.array(self.sessions, np.int32),
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
            usage=UsageRows(
                *_columns([(*row, -1, -1, -1, -1, -1, True) for row in self.usage], "iiiiqqqqS")
            ),
            texts=Texts(
                np.array(self.event_ms, np.int64),
                tuple(self.cwds),
                *_columns(self.prompts, "iiiO"),
                *_columns(self.symbols, "iiiOO"),
                *_columns(self.names, "iO"),
            ),
            answers=Answers(*_columns(self.answers, "iOObOq"), *_columns(self.quotes, "iOii")),
        )


def _index(names: list[str], name: str) -> int:
    if name not in names:
        names.append(name)
    return names.index(name)


def _columns(rows: Sequence[Sequence[Any]], types: str) -> list[Any]:
    """Turn rows into columns: i, b and q are integers, S truth values, O anything."""
    dtypes = {"i": np.int32, "b": np.int8, "q": np.int64, "S": np.bool_}
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(types)
    return [
        tuple(column) if code == "O" else np.array(column, dtypes[code])
        for column, code in zip(columns, types, strict=True)
    ]
