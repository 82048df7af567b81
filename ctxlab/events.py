"""The frozen values that readers emit and every later layer shares.

A reader turns one transcript file into a stream of `Item`s: one `Transcript`, its `Thread`s,
its `Event`s in order, one `Usage` a model request, and a `Problem` for each thing it had to
reject. Nothing here reads a file or knows a vendor's field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Edit",
    "Event",
    "EventKind",
    "Hunk",
    "Item",
    "LineIds",
    "Pointer",
    "Prefix",
    "Problem",
    "Span",
    "Thread",
    "ToolKind",
    "Touch",
    "Transcript",
    "UnknownKind",
    "Usage",
]

EventKind = Literal[
    "prompt",  # what the user typed
    "injected",  # what the harness put in unasked: reminders, hook output, meta lines
    "text",  # what the model wrote for the user
    "thinking",
    "call",  # a tool call as the model issued it
    "result",  # what the model saw of it
    "compaction",  # everything before it in its thread has left the context
    "clear",  # the same, at the user's wish
    "microcompaction",  # the results of `cleared_calls` have left the context
    "rewind",  # the thread goes on from `rewind_to`; what came after has left the context
    "resume",  # a new process goes on with the thread: a tool's connection starts anew
    "interrupt",
]

ToolKind = Literal[
    "read",  # serves numbered or whole source of a named file
    "grep",  # searches contents
    "glob",  # lists or finds paths
    "shell",
    "edit",  # changes a named file
    "mcp",  # a tool of an MCP server
    "agent",  # starts a sub-agent
    "bookkeeping",  # to-do lists, tool search, plan mode: no substance
    "web",
    "other",
]

SpanOrigin = Literal["read", "grep", "shell", "edit_echo", "mcp", "diff"]
TouchKind = Literal["read", "search", "list", "edit", "other"]
EditKind = Literal["hunks", "full", "unknown"]
EditEvidence = Literal["tool", "shell", "reminder", "error"]


@dataclass(frozen=True, slots=True)
class Transcript:
    """What one file says of itself. Emitted once, last, when all of it has been seen.

    `session_id` groups files into a family, with `parent_session_id` (a resume or fork names
    its origin). `parts` is the order of this file among the recorded copies of one session
    (segments, snapshots), 0 when unknown.
    """

    agent: str
    agent_version: str | None
    session_id: str
    parent_session_id: str | None = None
    started_ms: int | None = None
    ended_ms: int | None = None
    cwd: str | None = None
    models: tuple[str, ...] = ()
    n_lines: int = 0
    n_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Thread:
    """One context window: "main", or a sub-agent's id, with the call that started it."""

    thread: str
    parent_thread: str | None = None
    parent_call: str | None = None


@dataclass(frozen=True, slots=True)
class Prefix:
    """What a tool prints before each line: a number at least `width` wide (None: no number).

    `rest_bytes` are the UTF-8 bytes beside the number: separators, a repeated path.
    """

    width: int | None
    rest_bytes: int = 0


@dataclass(frozen=True, slots=True)
class LineIds:
    """Lines known by identity only, as content-free sets give them.

    Equal ids mean equal text within one family; sizes are of the text alone, without prefix
    and newline: UTF-8 bytes and UTF-16 code units.
    """

    ids: tuple[int, ...]
    text_bytes: tuple[int, ...]
    text_chars: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive lines of one file as one tool result delivered them.

    `lines` hold the exact text without the printed prefix and without the newline.
    `numbered` is true where the numbers were printed, false where they follow from the command.
    """

    path: str
    first_line: int
    lines: tuple[str, ...] | LineIds
    origin: SpanOrigin
    prefix: Prefix
    numbered: bool = True
    total_lines: int | None = None


@dataclass(frozen=True, slots=True)
class Pointer:
    """A back-reference found in a result: ranges of `path` that a tool withheld, and its price."""

    path: str
    ranges: tuple[tuple[int, int], ...]
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Hunk:
    """One replaced stretch of a file.

    `ops` has one character a line of the hunk, " " kept, "-" removed, "+" added, in order;
    `lines` are their texts. Old and new counts follow from `ops`. A start is the number that the
    first line of that side has or, where the side is empty, would have (printed unified diffs name
    the line before it).
    """

    old_start: int
    new_start: int
    ops: str
    lines: tuple[str, ...] | LineIds


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a file. `hunks` carry line numbers exactly; `full` and `unknown` do not.

    `evidence` says what showed it: the edit tool's own result, a shell command that writes, a
    reminder that the file was modified, or an edit refused because it was.
    """

    path: str
    kind: EditKind
    hunks: tuple[Hunk, ...] = ()
    evidence: EditEvidence = "tool"


@dataclass(frozen=True, slots=True)
class Touch:
    """A path a call works on, and how: the judgement of spec "Read fallback" rests on it."""

    path: str
    kind: TouchKind


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in one thread.

    `uid` identifies it across copies of the same history (None: no such identity).
    `request` numbers the model response within the file that a block or call belongs to, and that a
    result answers; parallel calls share it. `call_id` joins a call with its result. A result
    repeats its call's `tool`, `tool_kind` and `touches`. `text_bytes` is UTF-8 of what entered the
    context by it. `is_error` is None where it does not apply. `mentions` are the base names of
    files that stood in the text of an MCP answer. `text` is kept of prompts alone. `names` are the
    paths and code-shaped names that the model wrote, in a text or in the input of a call.

    `words` is the text itself, to be looked at and let go of: what a result, a prompt, an injected
    text or a compaction showed, without what the harness put around a result; what the model wrote
    for the user or for itself; and all texts and numbers in the input of a call, a line each.
    `aside` is what the harness put behind a result, such as reminders, and the names of the members
    of a call's input, a line each, which a tool's own description tells. `command` is the command
    line of a shell call, the whole input as JSON of a call of another tool that is no file
    tool (`mcp`, `web`, `other`), else empty.
    """

    thread: str
    kind: EventKind
    uid: str | None = None
    ts_ms: int | None = None
    request: int | None = None
    call_id: str | None = None
    tool: str | None = None
    tool_kind: ToolKind | None = None
    is_error: bool | None = None
    text_bytes: int = 0
    touches: tuple[Touch, ...] = ()
    spans: tuple[Span, ...] = ()
    pointers: tuple[Pointer, ...] = ()
    edits: tuple[Edit, ...] = ()
    mentions: tuple[str, ...] = ()
    cleared_calls: tuple[str, ...] = ()
    rewind_to: str | None = None
    text: str = ""
    names: tuple[str, ...] = ()
    words: str = ""
    aside: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model request, in one meaning for all agents.

    `uncached_input_tokens` excludes cache reads and writes; `output_tokens` includes reasoning.
    None is unmeasured. `output_reliable` is false where the log holds a placeholder.
    """

    thread: str
    request: int
    uid: str | None
    model: str | None
    ts_ms: int | None = None
    uncached_input_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    output_reliable: bool = True


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the file that could not be read, where, and why. Never dropped in silence."""

    cause: str
    byte_offset: int
    line_number: int
    n_bytes: int


@dataclass(frozen=True, slots=True)
class UnknownKind:
    """A kind of record that the reader does not know, with how often it stood in the file."""

    name: str
    count: int


Item = Transcript | Thread | Event | Usage | Problem | UnknownKind
