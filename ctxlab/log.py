"""The log of one family in columns: what residency, facts and fallbacks read.

A family is a transcript with its sub-agents, resumed, forked and segment copies. Its events are
merged into one order; a *position* is an index into that order. Copies of the same event (equal
uid) stand once. Every array is a NumPy array; `-1` stands for "none" in index columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np
import numpy.typing as npt

from ctxlab.events import EditEvidence, EditKind, EventKind, SpanOrigin, ToolKind, TouchKind

__all__ = [
    "ANSWER_FORMS",
    "EDIT_EVIDENCE",
    "EDIT_KINDS",
    "MARK_KINDS",
    "SPAN_ORIGINS",
    "TOOL_KINDS",
    "TOUCH_KINDS",
    "Answers",
    "Calls",
    "Edits",
    "FamilyLog",
    "Lines",
    "Marks",
    "Pointers",
    "Spans",
    "Texts",
    "Touches",
    "UsageRows",
]

Ints = npt.NDArray[np.int32]
Bigs = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]
Ids = npt.NDArray[np.uint64]
Sizes = npt.NDArray[np.uint32]

TOOL_KINDS: tuple[ToolKind, ...] = get_args(ToolKind)
SPAN_ORIGINS: tuple[SpanOrigin, ...] = get_args(SpanOrigin)
TOUCH_KINDS: tuple[TouchKind, ...] = get_args(TouchKind)
EDIT_KINDS: tuple[EditKind, ...] = get_args(EditKind)
EDIT_EVIDENCE: tuple[EditEvidence, ...] = get_args(EditEvidence)
ANSWER_FORMS = ("json", "cut", "text", "invalid")
"""What a result of a tool that answers in JSON held: JSON whole, JSON cut short, neither, or what
is JSON but for a rule that it breaks."""

MARK_KINDS: tuple[EventKind, ...] = (
    "compaction",
    "clear",
    "microcompaction",
    "rewind",
    "resume",
    "interrupt",
    "prompt",
)
"""Events that are no calls and matter for what is in the context or for when a clock stops."""


@dataclass(frozen=True, slots=True, eq=False)
class Calls:
    """One entry a tool call, ordered by `call_at`.

    `source` indexes `FamilyLog.sources`, `thread` `.threads`, `tool` `.tools`, `kind`
    `TOOL_KINDS`. `request` is the model response, numbered in the family; parallel calls share it.
    `result_at` is the position of the result, -1 where none came. `mentions` are the hashed base
    names of files named in an MCP answer.
    """

    source: Ints
    thread: Ints
    request: Ints
    call_at: Ints
    result_at: Ints
    tool: Ints
    kind: Codes
    is_error: Bools
    result_bytes: Bigs
    mentions: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.thread)


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Delivered spans, ordered by the position of their result, then as they stood in it.

    Lines `offset` … `offset + n_lines` of `FamilyLog.lines` are theirs. `path` indexes
    `FamilyLog.paths`, `call` the calls, `origin` `SPAN_ORIGINS`. `total_lines` is -1 if unknown.
    """

    call: Ints
    path: Ints
    first_line: Ints
    n_lines: Ints
    offset: Bigs
    origin: Codes
    numbered: Bools
    total_lines: Ints

    def __len__(self) -> int:
        return len(self.call)


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Delivered lines of all spans, one after the other.

    Equal `ids` mean equal text. `text_bytes` is UTF-8 and `text_chars` UTF-16 code units of the
    text alone; `delivered_bytes` is UTF-8 with the printed prefix and one newline.
    """

    ids: Ids
    text_bytes: Sizes
    text_chars: Sizes
    delivered_bytes: Sizes

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, eq=False)
class Edits:
    """Changes of files in order, one entry a hunk, one for a change without hunks.

    `at` is the position of the result that made or showed the change. Hunks of one edit share
    `at` and `path` and stand in line order. `old_start` and `new_start` are -1 without a hunk.
    """

    at: Ints
    thread: Ints
    path: Ints
    kind: Codes
    evidence: Codes
    old_start: Ints
    new_start: Ints
    ops: tuple[str, ...]
    line_ids: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.at)


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Events other than calls that change the context, ordered by `at`.

    `kind` indexes `MARK_KINDS`. `cleared` lists, for a microcompaction, the calls whose results
    were removed. `rewind_to` is the position gone back to (-1: none, or before the log).
    """

    at: Ints
    thread: Ints
    kind: Codes
    rewind_to: Ints
    cleared: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.at)


@dataclass(frozen=True, slots=True, eq=False)
class Pointers:
    """Delivered pointers, one entry a withheld range; ranges of one pointer share `pointer`."""

    pointer: Ints
    call: Ints
    path: Ints
    first_line: Ints
    last_line: Ints
    pointer_bytes: Bigs

    def __len__(self) -> int:
        return len(self.call)


@dataclass(frozen=True, slots=True, eq=False)
class Touches:
    """Paths that calls work on. `path` is -1 for a call that names none; `kind`: `TOUCH_KINDS`."""

    call: Ints
    path: Ints
    kind: Codes

    def __len__(self) -> int:
        return len(self.call)


@dataclass(frozen=True, slots=True, eq=False)
class UsageRows:
    """Tokens of each request, counted once; -1 is unmeasured.

    `source` and `thread` as in calls; `model` indexes `FamilyLog.models`, -1 where it is unknown.
    """

    request: Ints
    source: Ints
    thread: Ints
    model: Ints
    uncached_input_tokens: Bigs
    cache_read_tokens: Bigs
    cache_write_tokens: Bigs
    output_tokens: Bigs
    output_reliable: Bools

    def __len__(self) -> int:
        return len(self.request)


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """What a family's log holds in words: read only for those who ask for it.

    `event_ms` is the clock at each position (Unix milliseconds, never running backwards within a
    source; -1 where the log has no date). Prompts are what the user typed, in every thread.
    Symbols are definitions in source that a result delivered or an edit wrote: `symbol_path`
    indexes `FamilyLog.paths`, `symbol_line` is its line in the file (-1 unknown), `symbol_doc` the
    first line of its comment, "" without. Names are paths and code-shaped names that the model
    wrote in one event. All groups are ordered by position. `source_cwd` is the directory each
    source's agent was started in, None where the log does not tell.
    """

    event_ms: Bigs
    source_cwd: tuple[str | None, ...]
    prompt_at: Ints
    prompt_thread: Ints
    prompt_source: Ints
    prompt_text: tuple[str, ...]
    symbol_at: Ints
    symbol_path: Ints
    symbol_line: Ints
    symbol_name: tuple[str, ...]
    symbol_doc: tuple[str, ...]
    name_at: Ints
    names: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Results of tools that answer in JSON, and what later calls quoted of them.

    One entry a result, by position; `call` indexes the calls. `tool` is the tool's name, or program
    and sub-command of a shell command; `command` the command line or the input as JSON; `form`
    indexes `ANSWER_FORMS`; `text` is the JSON as the model saw it, "" unless it is whole;
    `answer_bytes` UTF-8 bytes of what the tool printed, as far as it was shown.

    Quotes are entries of their own, by position: call `quote_call` wrote `quote_token`, which a
    JSON answer of its thread had shown before. `quote_written_at` is the first position of the
    thread at which the model wrote it, `quote_shown_at` the first at which something else than a
    JSON answer showed it, -1 for none before the call.
    """

    call: Ints
    tool: tuple[str, ...]
    command: tuple[str, ...]
    form: Codes
    text: tuple[str, ...]
    answer_bytes: Bigs
    quote_call: Ints
    quote_token: tuple[str, ...]
    quote_written_at: Ints
    quote_shown_at: Ints

    def __len__(self) -> int:
        return len(self.call)


@dataclass(frozen=True, slots=True, eq=False)
class FamilyLog:
    """All that ctxlab knows of one family, in one order of events.

    `content_hash` changes with any file of the family. `versions` are those that the agent wrote
    into each source. `thread_source` gives, for each thread, the
    index of the source it began in, and `thread_parent` the thread that started it (-1: none).
    `thread_session` numbers the sessions of the family: threads of different sessions that are
    continued copies of one another have different numbers. `is_main` marks main threads.
    `path_name_ids` are the hashed base names of `paths`, comparable with `Calls.mentions`.
    `texts` and `answers` are there if they were asked for.
    """

    family: str
    agent: str
    content_hash: str
    started_ms: int | None
    sources: tuple[str, ...]
    versions: tuple[str | None, ...]
    models: tuple[str, ...]
    threads: tuple[str, ...]
    thread_source: Ints
    thread_parent: Ints
    thread_session: Ints
    is_main: Bools
    tools: tuple[str, ...]
    paths: tuple[str, ...]
    path_name_ids: Ids
    n_events: int
    calls: Calls
    spans: Spans
    lines: Lines
    edits: Edits
    marks: Marks
    pointers: Pointers
    touches: Touches
    usage: UsageRows
    texts: Texts | None = None
    answers: Answers | None = None

    @property
    def recorded_by(self) -> str:
        """Agent that made the transcripts: a content-free set names it beside its version."""
        if self.agent != "content_free":
            return self.agent
        return (self.versions[0] or "").partition(" ")[0]
