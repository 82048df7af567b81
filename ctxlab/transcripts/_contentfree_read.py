"""Records of one content-free file → items. Nothing in them is trusted: every number is checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ctxlab.events import (
    Edit,
    Event,
    Hunk,
    Item,
    LineIds,
    Pointer,
    Prefix,
    Span,
    Thread,
    Touch,
    Transcript,
    Usage,
)
from ctxlab.log import EDIT_EVIDENCE, EDIT_KINDS, SPAN_ORIGINS, TOOL_KINDS, TOUCH_KINDS
from ctxlab.transcripts._contentfree_checks import index, ints, known, listed, refuse, text, whole
from ctxlab.transcripts._contentfree_lines import LineReader, decode_ops
from ctxlab.transcripts._contentfree_paths import base_name, read_paths
from ctxlab.transcripts._contentfree_words import EVENT_KINDS

__all__ = ["ContentFreeFile"]

_DAY_MS = 86_400_000
_INT32 = 2**31 - 1
_INT53 = 2**53 - 1
_MAX_EVENTS = 2**20
_MAX_PREFIX_BYTES = 2**15


@dataclass(frozen=True, slots=True)
class _Call:
    """What a result repeats of its call."""

    request: int | None = None
    tool: str | None = None
    tool_kind: Any = None
    touches: tuple[Touch, ...] = ()


class ContentFreeFile:
    """Reads the records of one file in order.

    Raises
    ------
    ValueError
        The header, or later a record, is none; what follows it cannot be read then.
    """

    def __init__(self, header: Mapping[str, Any], name: str) -> None:
        self._name = name
        number, checksum = ints(header.get("family"), 0, _INT53, exactly=2)
        self._token = f"{number}-{checksum:012x}"
        self._source = whole(header.get("source"), 0, _INT32)
        self._session = whole(header.get("session"), 0, _INT32)
        rank = header.get("rank")
        self._rank = None if rank is None else whole(rank, 0, _INT32)
        self._agent = text(header.get("agent"))
        self._words = [text(word) for word in listed(header.get("words"))]
        self._threads = [ints(row, -1, _INT32, exactly=2) for row in listed(header.get("threads"))]
        self._paths = read_paths(listed(header.get("paths")))
        self._lines = LineReader(ints(header.get("lines"), 0, _INT53))
        self._calls: dict[int, _Call] = {}
        self._models: dict[str, None] = {}
        self._position = -1
        self._n_told = 0

    def read(self, record: Mapping[str, Any]) -> Iterator[Item]:
        """Give what one record stands for."""
        if "u" in record:
            yield self._usage(listed(record["u"]))
            return
        kind = known(record.get("k"), EVENT_KINDS)
        self._position += whole(record.get("d", 1), 1, _INT32)
        if kind == "other" and "x" not in record:
            n = whole(record.get("n", 1), 1, _MAX_EVENTS)
            self._count(n)
            request = _request(record)
            for _ in range(n):
                yield self._event(record, "text", request=request)
                self._position += 1
            self._position -= 1
            return
        self._count(1)
        if kind == "call":
            yield self._event(record, kind, call_id=self._call(record), **self._called(record))
        elif kind == "result":
            yield self._result(record)
        elif kind == "other":
            yield self._event(record, "injected")
        else:
            cleared = tuple(map(str, ints(record.get("o", []), 0, _INT32)))
            to = whole(record.get("to", -1), -1, _INT32)
            back = None if to < 0 else self._uid(to)
            yield self._event(record, kind, cleared_calls=cleared, rewind_to=back)

    def threads(self) -> Iterator[Thread]:
        """Give the threads that have events in the file or began in it."""
        for thread, parent in self._threads:
            yield Thread(_thread_name(thread), None if parent < 0 else _thread_name(parent))

    def transcript(self, n_lines: int, n_bytes: int) -> Transcript:
        """Sum the file up. Ranks of dates stand as days since 1970, positions as milliseconds."""
        dated = self._rank is not None
        start = (self._rank or 0) * _DAY_MS
        return Transcript(
            agent=self._name,
            agent_version=self._agent or None,
            session_id=f"{self._token}-s{self._session}",
            parent_session_id=f"{self._token}-s0",
            started_ms=start + self._source if dated else None,
            ended_ms=start + max(self._position, 0) if dated else None,
            models=tuple(self._models),
            n_lines=n_lines,
            n_bytes=n_bytes,
        )

    def _count(self, n: int) -> None:
        self._n_told += n
        if self._n_told > _MAX_EVENTS or self._position + n > _INT32:
            refuse(f"the file stands for more than {_MAX_EVENTS} events")

    def _event(self, record: Mapping[str, Any], kind: Any, **more: Any) -> Event:
        return Event(
            self._thread(record.get("h", 0)),
            kind,
            uid=self._uid(self._position),
            ts_ms=(self._rank or 0) * _DAY_MS + self._position,
            edits=tuple(map(self._edit, listed(record.get("x", [])))),
            **more,
        )

    def _thread(self, number: Any) -> str:
        return _thread_name(self._threads[index(number, self._threads)][0])

    def _uid(self, position: int) -> str:
        return f"{self._token}-{position}"

    def _call(self, record: Mapping[str, Any]) -> str:
        """Read what a call says, and keep it for its result."""
        number = whole(record.get("c"), 0, _INT32)
        touched = ints(record.get("w", []), -1, _INT32)
        if len(touched) % 2:
            refuse("touches are no pairs of a kind and a path")
        kind = self._word(record.get("y"))
        tool = record.get("t")
        self._calls[number] = _Call(
            request=_request(record),
            tool=None if tool is None else self._word(tool),
            tool_kind=known(kind, TOOL_KINDS),
            touches=tuple(
                Touch(self._path(path) if path >= 0 else "", self._kind(kind, TOUCH_KINDS))
                for kind, path in zip(touched[::2], touched[1::2], strict=True)
            ),
        )
        return str(number)

    def _called(self, record: Mapping[str, Any]) -> dict[str, Any]:
        call = self._calls[whole(record.get("c"), 0, _INT32)]
        return {
            "request": call.request,
            "tool": call.tool,
            "tool_kind": call.tool_kind,
            "touches": call.touches,
        }

    def _result(self, record: Mapping[str, Any]) -> Event:
        number = whole(record.get("c"), 0, _INT32)
        if "y" in record:
            self._call(record)
        if number not in self._calls:
            refuse("the result of a call that was not made")
        named = ints(record.get("m", []), 0, _INT32)
        event = self._event(
            record,
            "result",
            call_id=str(number),
            is_error=record.get("e") == 1,
            text_bytes=whole(record.get("b"), 0, _INT53),
            spans=tuple(map(self._span, listed(record.get("s", [])))),
            pointers=tuple(map(self._pointer, listed(record.get("p", [])))),
            mentions=tuple(base_name(self._path(path)) for path in named),
            **self._called(record),
        )
        del self._calls[number]
        return event

    def _span(self, row: Any) -> Span:
        *numbers, sequence, sizes = listed(row, exactly=9)
        path, first, total, origin, numbered, width, rest = ints(numbers, -1, _INT32)
        lines = self._lines.span(ints(sequence, -_INT53, _INT53), ints(sizes, -_INT53 - 1, _INT53))
        if first < 0 or first + len(lines) > _INT32 or rest > _MAX_PREFIX_BYTES or width > 64:
            refuse("a span with numbers that no file has")
        return Span(
            path=self._path(path),
            first_line=first,
            lines=lines,
            origin=self._kind(origin, SPAN_ORIGINS),
            prefix=Prefix(None if width < 0 else width, max(rest, 0)),
            numbered=numbered == 1,
            total_lines=None if total < 0 else total,
        )

    def _pointer(self, row: Any) -> Pointer:
        path, n_bytes, *ends = ints(row, 0, _INT53, at_least=4)
        ranges = tuple(zip(ends[::2], ends[1::2], strict=False))
        if len(ends) % 2 or any(not 1 <= a <= b <= _INT32 for a, b in ranges):
            refuse("a pointer at ranges that no file has")
        return Pointer(self._path(path), ranges, n_bytes)

    def _edit(self, row: Any) -> Edit:
        path, kind, evidence, *hunks = listed(row, at_least=3)
        return Edit(
            path=self._path(path),
            kind=self._kind(kind, EDIT_KINDS),
            hunks=tuple(map(self._hunk, hunks)),
            evidence=self._kind(evidence, EDIT_EVIDENCE),
        )

    def _hunk(self, row: Any) -> Hunk:
        old, new, counts, sequence = listed(row, exactly=4)
        counts = ints(counts, 0, _INT32)
        self._lines.spend(sum(counts))
        lines: LineIds = self._lines.hunk(ints(sequence, -_INT53, _INT53))
        if len(lines) != sum(counts):
            refuse("a hunk with other lines than it counts")
        return Hunk(whole(old, 0, _INT32), whole(new, -1, _INT32), decode_ops(counts), lines)

    def _usage(self, row: list[Any]) -> Usage:
        request, thread, word, *tokens = ints(row[:7], -1, _INT53, exactly=7)
        model = None if word < 0 else self._word(word)
        if model:
            self._models[model] = None
        uncached, cache_read, cache_write, output = (None if n < 0 else n for n in tokens)
        return Usage(
            self._thread(thread),
            whole(request, 0, _INT32),
            f"{self._token}-r{request}",
            model,
            uncached_input_tokens=uncached,
            cache_read_tokens=cache_read,
            cache_write_tokens=cache_write,
            output_tokens=output,
            output_reliable=len(row) < 8,
        )

    def _word(self, number: Any) -> str:
        return self._words[index(number, self._words)]

    def _kind(self, number: Any, kinds: tuple[str, ...]) -> Any:
        return known(self._word(number), kinds)

    def _path(self, number: Any) -> str:
        return self._paths[index(number, self._paths)]


def _request(record: Mapping[str, Any]) -> int | None:
    return None if "q" not in record else whole(record["q"], 0, _INT32)


def _thread_name(number: int) -> str:
    return f"agent_{number}" if number else "main"
