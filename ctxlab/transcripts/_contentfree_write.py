"""One family's log → the records of content-free files, one list of records a source.

Positions, sizes and equalities are kept exactly; see `contentfree` for the format.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ctxlab.log import (
    EDIT_EVIDENCE,
    EDIT_KINDS,
    MARK_KINDS,
    SPAN_ORIGINS,
    TOOL_KINDS,
    TOUCH_KINDS,
    FamilyLog,
)
from ctxlab.transcripts._contentfree_lines import LineWriter, encode_ops, find_prefix
from ctxlab.transcripts._contentfree_owners import Owners, owners, session_of_sources
from ctxlab.transcripts._contentfree_paths import Part, encode_paths
from ctxlab.transcripts._contentfree_words import SafeNames, Words, safe_version

__all__ = ["family_records"]

Record = dict[str, Any]


@dataclass(slots=True)
class _File:
    """What one file says so far; numbers in it are its own, by first use."""

    words: Words = field(default_factory=Words)
    lines: LineWriter = field(default_factory=LineWriter)
    threads: dict[int, int] = field(default_factory=dict)
    paths: dict[int, int] = field(default_factory=dict)
    requests: dict[int, None] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    position: int = -1

    def thread(self, thread: int) -> int:
        return self.threads.setdefault(thread, len(self.threads))

    def add(self, position: int, thread: int, record: Record) -> None:
        """Append the record of an event; what can be supplied on reading is left out."""
        step, number = position - self.position, self.thread(thread)
        if step != 1:
            record["d"] = step
        if number:
            record["h"] = number
        self.position = position
        self.records.append(record)

    def add_other(self, position: int, thread: int, request: int) -> None:
        """Append an event of which nothing is told, or count it to those just before it."""
        last = self.records[-1] if self.records else {}
        if request >= 0:
            self.requests[request] = None
            self.add(position, thread, {"k": "other", "q": request})
        elif (
            last.get("k") == "other"
            and last.keys().isdisjoint("qx")
            and last.get("h", 0) == self.thread(thread)
            and position == self.position + 1
        ):
            last["n"] = last.get("n", 1) + 1
            self.position = position
        else:
            self.add(position, thread, {"k": "other"})


def family_records(log: FamilyLog, names: SafeNames) -> Iterator[list[Record]]:
    """Give the records of each source of a family, the header first.

    Raises
    ------
    ValueError
        The delivered bytes of a span do not follow from a printed prefix.
    """
    owned = owners(log)
    writer = _Writer(log, names, owned)
    files = [_File() for _ in log.sources]
    for position in range(log.n_events):
        writer.add(position, files[owned.source[position]])
    for source, file in enumerate(files):
        writer.add_usage(source, file)
        yield [writer.header(source, file), *file.records]


class _Writer:
    """Writes the events of one log, looked up by position."""

    def __init__(self, log: FamilyLog, names: SafeNames, owned: Owners) -> None:
        self._log, self._names, self._owned = log, names, owned
        calls = log.calls
        self._call_at = {int(at): i for i, at in enumerate(calls.call_at)}
        self._result_at = {int(at): i for i, at in enumerate(calls.result_at) if at >= 0}
        self._mark_at = {int(at): i for i, at in enumerate(log.marks.at)}
        self._edits_at = _grouped(log.edits.at)
        self._spans_of = _grouped(log.spans.call)
        self._pointers_of = _grouped(log.pointers.call)
        self._touches_of = _grouped(log.touches.call)
        self._line_ids: dict[int, int] = {}
        self._path_ids: dict[int, None] = {}
        self._by_name: dict[int, int] = {}
        for path, name in enumerate(log.path_name_ids.tolist()):
            self._by_name.setdefault(name, path)
        self._sessions = session_of_sources(log)

    def add(self, position: int, file: _File) -> None:
        """Write the event at a position."""
        edits = self._edits_at.get(position, ())
        thread = int(self._owned.thread[position])
        if position in self._result_at:
            record = self._result(self._result_at[position], file)
        elif position in self._call_at:
            record = self._call(self._call_at[position], file)
        elif position in self._mark_at:
            record = self._mark(self._mark_at[position])
        elif edits:
            record = {"k": "other"}
        else:
            file.add_other(position, thread, int(self._owned.request[position]))
            return
        if edits:
            record["x"] = list(self._edits(edits, file))
        file.add(position, thread, record)

    def _call(self, call: int, file: _File) -> Record:
        calls = self._log.calls
        kind = TOOL_KINDS[calls.kind[call]]
        record: Record = {"k": "call", "c": call}
        request = int(calls.request[call])
        if request >= 0:
            file.requests[request] = None
            record["q"] = request
        record["y"] = file.words.number(kind)
        if calls.tool[call] >= 0:
            tool = self._names.tool(self._log.tools[calls.tool[call]], kind)
            record["t"] = file.words.number(tool)
        touches = self._log.touches
        touched = [
            n
            for i in self._touches_of.get(call, ())
            for n in (
                file.words.number(TOUCH_KINDS[touches.kind[i]]),
                self._path(int(touches.path[i]), file),
            )
        ]
        return record | ({"w": touched} if touched else {})

    def _result(self, call: int, file: _File) -> Record:
        """Write a result; one that stands for its call says also what a call says."""
        calls = self._log.calls
        alone = calls.call_at[call] == calls.result_at[call]
        record: Record = {"k": "result", "c": call, "b": int(calls.result_bytes[call])}
        if alone:
            record = {**self._call(call, file), **record}
        if calls.is_error[call]:
            record["e"] = 1
        spans = [self._span(i, file) for i in self._spans_of.get(call, ())]
        named = [self._by_name[name] for name in calls.mentions[call] if name in self._by_name]
        optional = {
            "s": spans,
            "p": list(self._pointers(self._pointers_of.get(call, ()), file)),
            "m": [self._path(path, file) for path in named],
        }
        return record | {key: value for key, value in optional.items() if value}

    def _mark(self, mark: int) -> Record:
        marks = self._log.marks
        record: Record = {"k": MARK_KINDS[marks.kind[mark]]}
        if marks.cleared[mark]:
            record["o"] = list(marks.cleared[mark])
        if record["k"] == "rewind" and self._owned.rewind_to[mark] >= 0:
            record["to"] = int(self._owned.rewind_to[mark])
        return record

    def _span(self, span: int, file: _File) -> list[Any]:
        spans, lines = self._log.spans, self._log.lines
        at = slice(int(spans.offset[span]), int(spans.offset[span] + spans.n_lines[span]))
        ids = self._lines(lines.ids[at].tolist())
        text_bytes = lines.text_bytes[at]
        sequence = file.lines.sequence(ids)
        first = int(spans.first_line[span])
        return [
            self._path(int(spans.path[span]), file),
            first,
            int(spans.total_lines[span]),
            file.words.number(SPAN_ORIGINS[spans.origin[span]]),
            int(spans.numbered[span]),
            *find_prefix(first, lines.delivered_bytes[at].astype(np.int64) - text_bytes - 1),
            sequence,
            file.lines.sizes(ids, text_bytes.tolist(), lines.text_chars[at].tolist()),
        ]

    def _pointers(self, rows: Sequence[int], file: _File) -> Iterator[list[int]]:
        pointers = self._log.pointers
        for same in _grouped(pointers.pointer[list(rows)]).values():
            ranges = [rows[i] for i in same]
            path = self._path(int(pointers.path[ranges[0]]), file)
            ends = [
                n for i in ranges for n in (int(pointers.first_line[i]), int(pointers.last_line[i]))
            ]
            yield [path, int(pointers.pointer_bytes[ranges[0]]), *ends]

    def _edits(self, rows: Sequence[int], file: _File) -> Iterator[list[Any]]:
        """Write the changes that one event shows, hunks of one path together."""
        edits = self._log.edits
        written: list[Any] = []
        for i in rows:
            hunked = edits.old_start[i] >= 0
            head = [
                self._path(int(edits.path[i]), file),
                file.words.number(EDIT_KINDS[edits.kind[i]]),
                file.words.number(EDIT_EVIDENCE[edits.evidence[i]]),
            ]
            if not (hunked and written[3:] and written[:3] == head):
                if written:
                    yield written
                written = head
            if hunked:
                ids = self._lines(edits.line_ids[i])
                numbers = [int(edits.old_start[i]), int(edits.new_start[i])]
                sequence = file.lines.sequence(ids)
                written.append([*numbers, encode_ops(edits.ops[i]), sequence])
        if written:
            yield written

    def _lines(self, ids: Iterable[int]) -> list[int]:
        """Number lines over the family, by first appearance."""
        numbers = self._line_ids
        return [numbers.setdefault(line, len(numbers)) for line in ids]

    def _path(self, path: int, file: _File) -> int:
        """Number a path in its file; -1, no path, stays."""
        if path < 0:
            return -1
        self._path_ids[path] = None
        return file.paths.setdefault(path, len(file.paths))

    def add_usage(self, source: int, file: _File) -> None:
        """Write the tokens of the requests that began in a source or have events in it."""
        usage = self._log.usage
        for i, request in enumerate(usage.request.tolist()):
            if usage.source[i] != source and request not in file.requests:
                continue
            model = int(usage.model[i])
            tokens = (
                usage.uncached_input_tokens,
                usage.cache_read_tokens,
                usage.cache_write_tokens,
                usage.output_tokens,
            )
            row = [
                request,
                file.thread(int(usage.thread[i])),
                file.words.number(self._names.model(self._log.models[model])) if model >= 0 else -1,
                *(int(column[i]) for column in tokens),
            ]
            file.records.append({"u": row if usage.output_reliable[i] else [*row, 0]})

    def header(self, source: int, file: _File) -> Record:
        """Write what the file's records rest on; only now is all of it known."""
        log = self._log
        for thread in np.flatnonzero(log.thread_source == source).tolist():
            file.thread(thread)
        return {
            "agent": safe_version(log.agent, log.versions[source]),
            "source": source,
            "session": self._sessions[source],
            "words": file.words.all(),
            "threads": [
                [self._thread(thread), self._thread(int(log.thread_parent[thread]))]
                for thread in file.threads
            ],
            "paths": [self._parts[path] for path in file.paths],
            "lines": file.lines.family_runs(),
        }

    def _thread(self, thread: int) -> int:
        """Number a thread for all files: 0 is a main thread, -1 none."""
        return 0 if thread >= 0 and self._log.is_main[thread] else thread + (thread >= 0)

    @cached_property
    def _parts(self) -> dict[int, list[Part]]:
        """Parts of all paths of the family, numbered in the order that the events told them."""
        paths = list(self._path_ids)
        return dict(zip(paths, encode_paths([self._log.paths[p] for p in paths]), strict=True))


def _grouped(keys: Iterable[int]) -> dict[int, list[int]]:
    """Indices of equal keys, in order."""
    groups: dict[int, list[int]] = defaultdict(list)
    for i, key in enumerate(map(int, keys)):
        groups[key].append(i)
    return groups
