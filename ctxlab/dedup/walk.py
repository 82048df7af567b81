"""One walk through a family's log: delivered lines to runs that know their history.

No threshold enters here, and nothing is decided: see `decide`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.dedup._history import History
from ctxlab.dedup.facts import CallFacts, Facts, RunFacts, SectionFacts
from ctxlab.dedup.params import Proof, RecordScope
from ctxlab.events import ToolKind
from ctxlab.log import MARK_KINDS, TOOL_KINDS, Bools, FamilyLog, Ids, Ints
from ctxlab.residency import Change, LineState, Sections, carry, changes, residence, sections

__all__ = ["dedup_facts"]


def dedup_facts(
    log: FamilyLog,
    *,
    tools: Iterable[ToolKind] = ("read",),
    proof: Proof = "line_text",
    record_scope: RecordScope = "connection",
) -> Facts:
    """Derive the facts of one family.

    Parameters
    ----------
    tools : iterable of tool kinds
        Whose calls meet the record; errored and empty ones count, others do not exist for it.
    proof : {"line_text", "hunks", "whole_file"}
        What proves that a line is unchanged (the replay specification, "proof").
    record_scope : {"connection", "thread"}
        Who shares a record. A resumed process is a new connection.
    """
    kinds = [TOOL_KINDS.index(kind) for kind in tools]
    chosen = np.isin(log.calls.kind, kinds)
    served = sections(log, chosen)
    replay = _Pass(log, chosen, served, proof, record_scope)
    replay.run()
    return replay.facts()


@dataclass(slots=True)
class _Open:
    """A section whose response is still running: shown, not yet in the record.

    `prev` and `same` are the links as the record stood when it arrived. `alive` are the indices of
    the lines with a known text that edits have left in place since, and `numbers` where those now
    stand.
    """

    section: int
    prev: Ints
    same: Ints
    alive: Ints
    numbers: Ints


class _Pass:
    """One walk through a family's log: sections as they arrive, edits, and finished responses.

    A call of a response that runs is not in the record yet, so that calls of one response do not
    see each other; its calls are appended together, in the order of their tool_use.
    """

    def __init__(
        self,
        log: FamilyLog,
        chosen: npt.NDArray[np.bool_],
        served: Sections,
        proof: Proof,
        record_scope: RecordScope,
    ) -> None:
        self.log, self.served, self.proof = log, served, proof
        self.calls = np.flatnonzero(chosen).astype(np.int32)
        self.record_of = _records(log, record_scope)[self.calls]
        self.row_of = {int(c): row for row, c in enumerate(self.calls)}
        self.arrived = np.where(
            log.calls.result_at[self.calls] >= 0,
            log.calls.result_at[self.calls],
            log.calls.call_at[self.calls],
        )
        self.sections_of: dict[int, list[int]] = {}
        for i in range(len(served)):
            self.sections_of.setdefault(self.row_of[int(served.call[i])], []).append(i)
        self.appended: dict[int, int] = {}
        self.index = np.zeros(len(self.calls), np.int32)
        self.seen = np.zeros(len(self.calls), np.int32)
        self.latest: dict[tuple[int, int], LineState] = {}
        self.history: dict[tuple[int, int], History] = {}
        self.shown: dict[int, LineState] = {}
        self.open: dict[int, list[_Open]] = {}
        self.runs: list[tuple[npt.NDArray[Any], ...]] = []
        self.n_runs = 0

    def run(self) -> None:
        """Walk through the log."""
        steps: list[tuple[int, int, int, Change | int]] = []
        last: dict[int, int] = {}
        for row in range(len(self.calls)):
            steps.append((int(self.arrived[row]), 1, row, row))
            last[self._response(row)] = max(
                last.get(self._response(row), -1), int(self.arrived[row])
            )
        if self.proof != "line_text":
            steps += [(c.at, 0, -1, c) for c in changes(self.log)]
        steps.sort(key=lambda step: step[:3])
        running: dict[int, list[int]] = {}
        for at, _, _, step in steps:
            if isinstance(step, Change):
                self._change(step)
                continue
            response = self._response(step)
            running.setdefault(response, []).append(step)
            self._arrive(step)
            if last[response] == at and step == running[response][-1]:
                self._append(sorted(running.pop(response)))

    def _response(self, row: int) -> int:
        """Model response of a call; a call without one stands alone."""
        request = int(self.log.calls.request[self.calls[row]])
        return request if request >= 0 else -2 - row

    def _arrive(self, row: int) -> None:
        self.seen[row] = self.appended.get(int(self.record_of[row]), 0)
        for i in self.sections_of.get(row, ()):
            path = int(self.served.path[i])
            numbers, texts = self._lines(i)
            if self.proof == "whole_file":
                self._show(path, numbers[self._sent(i)], texts[self._sent(i)])
            self._resolve_pointed_at(int(self.record_of[row]), path, i)
            known = np.flatnonzero(texts).astype(np.int32)
            prev, same = self._links(int(self.record_of[row]), path, numbers, texts)
            self.open.setdefault(row, []).append(_Open(i, prev, same, known, numbers[known]))

    def _show(self, path: int, numbers: Ints, texts: Ids) -> None:
        """Note what the file looks like; a line that has changed voids it."""
        shown = self.shown.get(path, LineState.empty())
        if shown.differs(numbers, texts):
            self._void(path)
            shown = LineState.empty()
        self.shown[path] = shown.put(numbers, texts, np.zeros(len(numbers), np.int32))

    def _links(self, record: int, path: int, numbers: Ints, texts: Ids) -> tuple[Ints, Ints]:
        """Run that delivered each line last, with any text and with this one; -1 for none."""
        latest = self.latest.get((record, path), LineState.empty())
        history = self.history.get((record, path), History.empty())
        at = latest.find(numbers)
        prev = np.full(len(numbers), -1, np.int32)
        prev[at >= 0] = latest.runs[at[at >= 0]]
        return prev, history.find(numbers, texts)

    def _resolve_pointed_at(self, record: int, path: int, i: int) -> None:
        """Give lines that were only pointed at the text that the pointer vouches for."""
        numbers, texts = self._lines(i)
        unknown = np.flatnonzero(texts == 0)
        state = self.latest.get((record, path))
        if len(unknown) and state is not None:
            at = state.find(numbers[unknown])
            texts[unknown[at >= 0]] = state.texts[at[at >= 0]]

    def _lines(self, i: int) -> tuple[Ints, Ids]:
        lines = slice(self.served.start[i], self.served.stop[i])
        return self.served.numbers[lines], self.served.texts[lines]

    def _sent(self, i: int) -> Bools:
        """Which lines of a section were delivered, not only pointed at."""
        sent: Bools = self.served.delivered_bytes[self.served.start[i] : self.served.stop[i]] > 0
        return sent

    def _append(self, rows: list[int]) -> None:
        for row in rows:
            record = int(self.record_of[row])
            self.index[row] = self.appended.get(record, 0)
            self.appended[record] = int(self.index[row]) + 1
            for section in self.open.pop(row, ()):
                self._remember(record, section)

    def _remember(self, record: int, section: _Open) -> None:
        """Cut the section into runs of one history and make them the latest of their lines."""
        i, alive, carried = section.section, section.alive, section.numbers
        numbers, texts = self._lines(i)
        key = (record, int(self.served.path[i]))
        # Calls of the same response may have been appended since the section arrived.
        prev, same = section.prev, section.same
        prev[alive], same[alive] = self._links(*key, carried, texts[alive])
        latest = self.latest.get(key, LineState.empty())
        history = self.history.get(key, History.empty())
        opens = np.ones(len(numbers), bool)
        opens[1:] = (np.diff(numbers) != 1) | (np.diff(prev) != 0) | (np.diff(same) != 0)
        opens[1:] |= np.diff(self._sent(i)) != 0
        run_of = (np.cumsum(opens) - 1 + self.n_runs).astype(np.int32)
        self.latest[key] = latest.put(carried, texts[alive], run_of[alive])
        self.history[key] = history.put(carried, texts[alive], run_of[alive])
        self._keep_runs(i, numbers, np.flatnonzero(opens), prev, same)

    def _keep_runs(
        self, i: int, numbers: Ints, first: npt.NDArray[np.int64], prev: Ints, same: Ints
    ) -> None:
        lines = slice(self.served.start[i], self.served.stop[i])
        chars = self.served.text_chars[lines].astype(np.int64)
        rendered = np.where(self._sent(i), chars + _digits(numbers) + 2, 0)
        touches = np.zeros(len(first), bool)
        touches[1:] = numbers[first[1:]] == numbers[first[1:] - 1] + 1
        self.runs.append(
            (
                np.full(len(first), i, np.int32),
                numbers[first],
                np.diff(np.append(first, len(numbers))).astype(np.int32),
                np.add.reduceat(self.served.delivered_bytes[lines].astype(np.int64), first),
                np.add.reduceat(chars, first),
                np.add.reduceat(rendered, first),
                prev[first],
                same[first],
                touches,
            )
        )
        self.n_runs += len(first)

    def _change(self, change: Change) -> None:
        if self.proof == "whole_file" or not change.carries:
            self._void(change.path)
            return
        for key in [k for k in self.latest if k[1] == change.path]:
            self.latest[key] = self.latest[key].carried(change)
            self.history[key] = self.history[key].carried(change)
        for section in self._open_of(change.path):
            numbers = carry(section.numbers, change)
            section.alive, section.numbers = section.alive[numbers > 0], numbers[numbers > 0]

    def _void(self, path: int) -> None:
        """Forget the file: nothing delivered of it so far is known to be unchanged."""
        self.shown.pop(path, None)
        for key in [k for k in self.latest if k[1] == path]:
            del self.latest[key], self.history[key]
        for section in self._open_of(path):
            section.numbers = section.alive = np.zeros(0, np.int32)

    def _open_of(self, path: int) -> list[_Open]:
        return [
            section
            for pending in self.open.values()
            for section in pending
            if self.served.path[section.section] == path
        ]

    def facts(self) -> Facts:
        """Assemble the columns."""
        log, rows = self.log, self.calls
        stay = residence(log)
        touched = np.zeros(len(log.calls), np.int64)
        size = np.concatenate([[0], np.cumsum(log.lines.delivered_bytes, dtype=np.int64)])
        np.add.at(
            touched,
            log.spans.call,
            size[log.spans.offset + log.spans.n_lines] - size[log.spans.offset],
        )
        calls = CallFacts(
            family=np.zeros(len(rows), np.int32),
            transcript=log.calls.source[rows],
            thread=log.calls.thread[rows],
            record=self.record_of,
            log_thread=log.calls.thread[rows],
            log_call=rows,
            kind=log.calls.kind[rows],
            index=self.index,
            seen=self.seen,
            at=self.arrived.astype(np.int32),
            until=stay.until[rows],
            cause=stay.cause[rows],
            forgotten_at=_forgotten(log)[rows],
            touched_bytes=touched[rows],
            result_bytes=log.calls.result_bytes[rows],
        )
        paths = [log.paths[p] for p in self.served.path]
        section = SectionFacts(
            call=np.array([self.row_of[int(c)] for c in self.served.call], np.int32),
            path_bytes=np.array([len(p.encode("utf-8", "surrogatepass")) for p in paths], np.int32),
            path_chars=np.array(
                [len(p.encode("utf-16-le", "surrogatepass")) // 2 for p in paths], np.int32
            ),
        )
        families = np.zeros(len(log.sources), np.int32)
        return Facts((log.family,), log.sources, families, calls, section, self._run_facts())

    def _run_facts(self) -> RunFacts:
        """Columns of all runs, in section order; links are renumbered to match."""
        types = (np.int32,) * 3 + (np.int64,) * 3 + (np.int32, np.int32, np.bool_)
        none: tuple[npt.NDArray[Any], ...] = tuple(np.zeros(0, kind) for kind in types)
        columns: list[Any] = [
            np.concatenate(column) for column in zip(none, *self.runs, strict=True)
        ]
        # Runs were kept as responses ended; sections stand in the order of their results.
        order = np.argsort(columns[0], kind="stable")
        new_of_old = np.empty(len(order), np.int32)
        new_of_old[order] = np.arange(len(order), dtype=np.int32)
        columns = [column[order] for column in columns]
        for link in (6, 7):
            columns[link] = np.where(columns[link] >= 0, new_of_old[columns[link]], -1).astype(
                np.int32
            )
        return RunFacts(*columns)


def _digits(numbers: Ints) -> npt.NDArray[np.int64]:
    """Count the decimal digits of each number."""
    bounds = 10 ** np.arange(1, 10, dtype=np.int64)
    return np.searchsorted(bounds, numbers, side="right").astype(np.int64) + 1


def _records(log: FamilyLog, scope: RecordScope) -> Ints:
    """Number the record each call meets: by session or thread, anew after each resume.

    A resumed process is a new connection for all threads of its session, and for no other.
    """
    calls, marks = log.calls, log.marks
    session = log.thread_session[calls.thread]
    epoch = np.zeros(len(calls), np.int32)
    for mark in np.flatnonzero(marks.kind == MARK_KINDS.index("resume")):
        own = session == log.thread_session[marks.thread[mark]]
        epoch[own & (calls.call_at > marks.at[mark])] += 1
    who = session if scope == "connection" else calls.thread
    records = np.unique(np.stack([who, epoch]), axis=1, return_inverse=True)[1]
    return records.reshape(-1).astype(np.int32)  # older NumPy keeps the shape of the input


def _forgotten(log: FamilyLog) -> Ints:
    """Position of the next compaction or clear of each call's thread, `n_events` if none."""
    calls, marks = log.calls, log.marks
    ends = [MARK_KINDS.index("compaction"), MARK_KINDS.index("clear")]
    arrived = np.where(calls.result_at >= 0, calls.result_at, calls.call_at)
    found = np.full(len(calls), log.n_events, np.int32)
    for at, thread, kind in zip(marks.at[::-1], marks.thread[::-1], marks.kind[::-1], strict=True):
        if kind in ends:
            found[(calls.thread == thread) & (arrived < at)] = at
    return found
