"""Items of one source → Arrow tables of `ctxlab.schema`.

No text of a line is kept: its identity and sizes are, and the words that `_wording` and `_answers`
take. Nothing here opens a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ctxlab.events import (
    Edit,
    Event,
    Item,
    Pointer,
    Problem,
    Span,
    Thread,
    Transcript,
    UnknownKind,
    Usage,
)
from ctxlab.store._answers import Answering
from ctxlab.store._arrow import SCHEMAS, as_table, lists, strings
from ctxlab.store._identity import LineBuffer, base_name, hash_texts, well_formed
from ctxlab.store._wording import Wording

__all__ = ["UNREADABLE", "Source", "tabulate", "unreadable"]

UNREADABLE = "unreadable"
"""Agent of a file that a reader failed on; its cause stands in the problems."""

_MAX_LINE = 2**31 - 1
_POWERS = 10 ** np.arange(1, 11, dtype=np.int64)
_event_fields = attrgetter(
    "uid",
    "thread",
    "ts_ms",
    "kind",
    "request",
    "call_id",
    "tool",
    "tool_kind",
    "is_error",
    "text_bytes",
    "touches",
    "mentions",
    "cleared_calls",
    "rewind_to",
)
_usage_fields = attrgetter(
    "request",
    "thread",
    "uid",
    "model",
    "ts_ms",
    "uncached_input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "output_tokens",
    "reasoning_tokens",
    "output_reliable",
)


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it stood when it was read."""

    source_id: str
    path: str
    file_bytes: int
    mtime_ns: int
    content_hash: str
    reader_version: int


def tabulate(items: Iterable[Item], source: Source, key: str) -> dict[str, pa.Table]:
    """Turn all items of one source into one table a name of `schema.TABLES`.

    Lines that content-free sets know by id are salted with the family's first session, which
    such files name as their parent.

    Raises
    ------
    ValueError
        The items hold no `Transcript`.
    """
    columns = _Columns(key)
    for item in items:
        columns.add(item)
    return columns.tables(source)


def unreadable(source: Source, cause: str) -> dict[str, pa.Table]:
    """Give the tables of a file that could not be read: one transcript, one problem."""
    transcript = Transcript(UNREADABLE, None, session_id=source.source_id)
    problem = Problem(cause, byte_offset=0, line_number=1, n_bytes=source.file_bytes)
    return tabulate([problem, transcript], source, key="0" * 16)


class _Columns:
    """Columns of one source while its items arrive."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._transcript: Transcript | None = None
        self._threads: dict[str, Thread] = {}
        self._events: list[tuple[Any, ...]] = []
        self._usage: list[tuple[Any, ...]] = []
        self._spans: list[tuple[Any, ...]] = []
        self._span_lines = LineBuffer(key)
        self._edits: list[tuple[Any, ...]] = []
        self._edit_lines = LineBuffer(key)
        self._pointers: list[tuple[int, Pointer]] = []
        self._wording = Wording()
        self._answering = Answering()
        self._problems: list[Problem] = []
        self._unknown: list[UnknownKind] = []

    def add(self, item: Item) -> None:
        match item:
            case Event():
                self._add_event(item)
            case Usage():
                self._usage.append(_usage_fields(item))
            case Thread():
                self._threads.setdefault(item.thread, item)
            case Problem():
                self._problems.append(item)
            case UnknownKind():
                self._unknown.append(item)
            case Transcript():
                self._transcript = item

    def _add_event(self, event: Event) -> None:
        seq = len(self._events)
        self._events.append(_event_fields(event))
        self._wording.add(seq, event)
        self._answering.add(seq, event)
        for span in event.spans:
            self._add_span(seq, span)
        for edit in event.edits:
            self._add_edit(seq, edit)
        for pointer in event.pointers:
            self._pointers.append((seq, pointer))

    def _add_span(self, seq: int, span: Span) -> None:
        if not 0 <= span.first_line <= _MAX_LINE - len(span.lines):
            self._refuse(f"a span starts at line {span.first_line}, which no file has")
            return
        self._span_lines.add(span.lines)
        n_lines = len(span.lines)
        prefix = span.prefix
        self._spans.append(
            (
                seq,
                span.path,
                span.first_line,
                span.origin,
                span.numbered,
                span.total_lines,
                n_lines,
                -1 if prefix.width is None else prefix.width,
                prefix.rest_bytes,
            )
        )

    def _refuse(self, cause: str) -> None:
        """Note what is not taken as a reader gave it; where it stood is not known here."""
        self._problems.append(Problem(cause, 0, 0, 0))

    def _add_edit(self, seq: int, edit: Edit) -> None:
        head = (seq, edit.path, edit.kind, edit.evidence)
        if not edit.hunks:
            self._edits.append((*head, None, None, None, 0))
        for hunk in edit.hunks:
            self._edit_lines.add(hunk.lines)
            self._edits.append((*head, hunk.old_start, hunk.new_start, hunk.ops, len(hunk.lines)))

    def tables(self, source: Source) -> dict[str, pa.Table]:
        transcript = self._transcript
        if transcript is None:
            raise ValueError("the reader found no transcript in it")
        for rule in self._answering.broken_rules:
            self._refuse(f"an answer in JSON that breaks its rules, left out: {rule}")
        salt = transcript.parent_session_id or transcript.session_id
        columns = {
            "transcripts": _transcript_columns(transcript, source, len(self._problems)),
            "threads": _transposed(
                ("thread", "parent_thread", "parent_call"),
                [(t.thread, t.parent_thread, t.parent_call) for t in self._threads.values()],
            ),
            "events": self._event_columns(),
            "spans": self._span_columns(salt),
            "pointers": _pointer_columns(self._pointers),
            "edits": self._edit_columns(salt),
            **self._wording.columns(),
            **self._answering.columns(),
            "requests": self._request_columns(),
            "problems": _transposed(
                ("line_number", "byte_offset", "n_bytes", "cause"),
                [(p.line_number, p.byte_offset, p.n_bytes, p.cause) for p in self._problems],
            ),
            "unknown_kinds": _transposed(
                ("name", "n"), [(kind.name, kind.count) for kind in self._unknown]
            ),
        }
        return {
            name: _with_source(name, source.source_id, found) for name, found in columns.items()
        }

    def _event_columns(self) -> dict[str, Any]:
        names = (
            *("uid", "thread", "ts_ms", "kind", "request", "call_id", "tool", "tool_kind"),
            *("is_error", "text_bytes", "touches", "mentions", "cleared_calls", "rewind_to"),
        )
        columns = _transposed(names, self._events)
        touches = columns.pop("touches")
        n_touches = list(map(len, touches))
        flat = [touch for group in touches for touch in group]
        mentions = columns.pop("mentions")
        bases = [well_formed(base_name(name)) for group in mentions for name in group]
        return columns | {
            "seq": np.arange(len(self._events), dtype=np.int32),
            "uid": self._optional_ids(columns["uid"]),
            "rewind_to": self._optional_ids(columns["rewind_to"]),
            "touch_paths": lists(n_touches, strings([touch.path for touch in flat])),
            "touch_kinds": lists(n_touches, strings([touch.kind for touch in flat])),
            "mention_ids": lists(list(map(len, mentions)), pa.array(hash_texts(bases, self._key))),
        }

    def _span_columns(self, salt: str) -> dict[str, Any]:
        names = ("seq", "path", "first_line", "origin", "numbered", "total_lines")
        columns = _transposed((*names, "n_lines", "width", "rest"), self._spans)
        lines = self._span_lines.measured(salt)
        n_lines, first, width, rest = (
            np.array(columns.pop(name) if name != "first_line" else columns[name], np.int64)
            for name in ("n_lines", "first_line", "width", "rest")
        )
        delivered = lines.text_bytes + _prefix_bytes(n_lines, first, width, rest) + 1
        return columns | {
            "line_ids": lists(n_lines, pa.array(lines.ids)),
            "text_bytes": lists(n_lines, pa.array(lines.text_bytes)),
            "text_chars": lists(n_lines, pa.array(lines.text_chars)),
            "delivered_bytes": lists(n_lines, pa.array(delivered.astype(np.uint32))),
        }

    def _edit_columns(self, salt: str) -> dict[str, Any]:
        names = ("seq", "path", "kind", "evidence", "old_start", "new_start", "ops")
        columns = _transposed((*names, "n_lines"), self._edits)
        ids = self._edit_lines.measured(salt).ids
        return columns | {"line_ids": lists(columns.pop("n_lines"), pa.array(ids))}

    def _request_columns(self) -> dict[str, Any]:
        names = (
            *("request", "thread", "uid", "model", "ts_ms", "uncached_input_tokens"),
            *("cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens"),
            "output_reliable",
        )
        columns = _transposed(names, self._usage)
        return columns | {"uid": self._optional_ids(columns["uid"])}

    def _optional_ids(self, texts: tuple[str | None, ...]) -> pa.Array:
        """Hash texts; None stays null."""
        null = np.fromiter((text is None for text in texts), np.bool_, len(texts))
        return pa.array(hash_texts([text or "" for text in texts], self._key), mask=null)


def _transposed(names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    return (
        dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(names, ())
    )


def _with_source(name: str, source_id: str, columns: dict[str, Any]) -> pa.Table:
    n_rows = len(next(iter(columns.values())))
    if not n_rows:
        return SCHEMAS[name].empty_table()
    return as_table(name, {"source_id": pa.repeat(source_id, n_rows), **columns})


def _transcript_columns(
    transcript: Transcript, source: Source, n_problems: int
) -> dict[str, list[Any]]:
    return {
        "path": [source.path],
        "agent": [transcript.agent],
        "agent_version": [transcript.agent_version],
        "session_id": [transcript.session_id],
        "parent_session_id": [transcript.parent_session_id],
        "cwd": [transcript.cwd],
        "models": [transcript.models],
        "started_ms": [transcript.started_ms],
        "ended_ms": [transcript.ended_ms],
        "file_bytes": [source.file_bytes],
        "mtime_ns": [source.mtime_ns],
        "content_hash": [source.content_hash],
        "n_lines": [transcript.n_lines],
        "n_problems": [n_problems],
        "reader_version": [source.reader_version],
    }


def _pointer_columns(pointers: list[tuple[int, Pointer]]) -> dict[str, Any]:
    found = [pointer for _, pointer in pointers]
    return {
        "seq": [seq for seq, _ in pointers],
        "path": [pointer.path for pointer in found],
        "first_lines": [[first for first, _ in pointer.ranges] for pointer in found],
        "last_lines": [[last for _, last in pointer.ranges] for pointer in found],
        "pointer_bytes": [pointer.n_bytes for pointer in found],
    }


def _prefix_bytes(
    n_lines: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
    width: npt.NDArray[np.int64],
    rest: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Bytes printed before each line; a width of -1 means that no number is printed."""
    start = np.repeat(first - (np.cumsum(n_lines) - n_lines), n_lines)
    number = start + np.arange(len(start))
    digits = np.searchsorted(_POWERS, number, side="right") + 1
    least = np.repeat(width, n_lines)
    return np.where(least < 0, 0, np.maximum(least, digits)) + np.repeat(rest, n_lines)
