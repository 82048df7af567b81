"""Which delivered lines are still in the context that the model is sent, and still true.

Two questions, kept apart. *Residence*: until which position does the result of a call stay in the
context of its own thread, and what ends it. *Carrying*: where a delivered line stands after the
edits that the log records, so that a later line can be compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from ctxlab.log import (
    EDIT_EVIDENCE,
    EDIT_KINDS,
    MARK_KINDS,
    Bigs,
    Codes,
    FamilyLog,
    Ids,
    Ints,
    Sizes,
)

__all__ = [
    "END_CAUSES",
    "Change",
    "LineState",
    "Residence",
    "Sections",
    "carry",
    "changes",
    "residence",
    "sections",
    "unrecorded_changes",
]

END_CAUSES = ("none", "compaction", "clear", "microcompaction", "branch")
"""What takes a result out of its thread's context; "none" while it stays to the end."""

_ENDING = {
    MARK_KINDS.index("compaction"): END_CAUSES.index("compaction"),
    MARK_KINDS.index("clear"): END_CAUSES.index("clear"),
}
_MICRO = MARK_KINDS.index("microcompaction")
_REWIND = MARK_KINDS.index("rewind")
_HUNKS = EDIT_KINDS.index("hunks")


@dataclass(frozen=True, slots=True, eq=False)
class Residence:
    """For each call of a log: the position its result stays until, and why it leaves.

    `until` is the first position at which the result is no longer in its thread's context,
    `n_events` if it stays. `cause` indexes `END_CAUSES`. `context` numbers the stretches between
    compactions and clears of each thread.
    """

    until: Ints
    cause: Codes
    context: Ints


def residence(log: FamilyLog) -> Residence:
    """Find how long each result stays in the context of its own thread.

    A compaction or clear ends all earlier results of the thread, a microcompaction the calls it
    names, a rewind those that came after the event it goes back to.
    """
    calls, marks = log.calls, log.marks
    until = np.full(len(calls), log.n_events, np.int32)
    cause = np.zeros(len(calls), np.int8)
    context = np.zeros(len(calls), np.int32)
    arrived = np.where(calls.result_at >= 0, calls.result_at, calls.call_at)

    def end(which: npt.NDArray[np.bool_], at: int, why: int) -> None:
        ends = which & (until > at)
        until[ends] = at
        cause[ends] = why

    for i in range(len(marks)):
        at, kind = int(marks.at[i]), int(marks.kind[i])
        before = (calls.thread == marks.thread[i]) & (arrived < at)
        if kind in _ENDING:
            end(before, at, _ENDING[kind])
            context[(calls.thread == marks.thread[i]) & (arrived > at)] += 1
        elif kind == _MICRO:
            named = np.zeros(len(calls), bool)
            named[list(marks.cleared[i])] = True
            end(before & named, at, END_CAUSES.index("microcompaction"))
        elif kind == _REWIND:
            end(before & (arrived > marks.rewind_to[i]), at, END_CAUSES.index("branch"))
    return Residence(until, cause, context)


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One recorded change of a file: hunks in line order, or none when lines cannot be carried."""

    at: int
    path: int
    old_starts: tuple[int, ...]
    ops: tuple[str, ...]

    @property
    def carries(self) -> bool:
        """Whether line numbers can be carried through it."""
        return bool(self.ops)


def changes(log: FamilyLog) -> Iterator[Change]:
    """Recorded changes of files in order, the hunks of one change together."""
    edits, i = log.edits, 0
    while i < len(edits):
        j = i + 1
        hunked = edits.kind[i] == _HUNKS and edits.old_start[i] >= 0
        while hunked and j < len(edits) and _same_change(log, i, j):
            j += 1
        picked = sorted(range(i, j), key=lambda k: int(edits.old_start[k])) if hunked else []
        yield Change(
            int(edits.at[i]),
            int(edits.path[i]),
            tuple(int(edits.old_start[k]) for k in picked),
            tuple(edits.ops[k] for k in picked),
        )
        i = j


def _same_change(log: FamilyLog, i: int, j: int) -> bool:
    edits = log.edits
    return bool(
        edits.at[i] == edits.at[j]
        and edits.path[i] == edits.path[j]
        and edits.kind[j] == _HUNKS
        and edits.old_start[j] > edits.old_start[j - 1]
    )


def carry(numbers: Ints, change: Change) -> Ints:
    """Give each old line number its new one, 0 where the line was removed.

    `ops` walk the old side on " " and "-", the new side on " " and "+". Hunks stand in line order
    and do not overlap.
    """
    carried = numbers.astype(np.int64)
    removed = np.zeros(len(numbers), bool)
    grown = 0
    for start, ops in zip(change.old_starts, change.ops, strict=True):
        codes = np.frombuffer(ops.encode("ascii", "replace"), np.uint8)
        old_side, new_side = codes != ord("+"), codes != ord("-")
        n_old = int(old_side.sum())
        inside = (numbers >= start) & (numbers < start + n_old)
        offset = numbers[inside] - start
        carried[inside] = start + grown + (np.cumsum(new_side)[old_side] - 1)[offset]
        removed[inside] = ~new_side[old_side][offset]
        growth = int(new_side.sum()) - n_old
        carried[numbers >= start + n_old] += growth
        grown += growth
    return np.where(removed, 0, carried).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class LineState:
    """What is known of the lines of one file, sorted by line number.

    Beside each number stands its latest text and the run of lines it was delivered in. Sorted
    arrays, not arrays by line number: a log may claim line 2,000,000,000.
    """

    numbers: Ints
    texts: Ids
    runs: Ints

    @classmethod
    def empty(cls) -> Self:
        """Nothing known."""
        none = np.zeros(0, np.int32)
        return cls(none, np.zeros(0, np.uint64), none)

    def find(self, numbers: Ints) -> Ints:
        """Index of each number, -1 where it is not known."""
        if not len(self.numbers):
            return np.full(len(numbers), -1, np.int32)
        at = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        return np.where(self.numbers[at] == numbers, at, -1).astype(np.int32)

    def put(self, numbers: Ints, texts: Ids, runs: Ints) -> LineState:
        """Replace what is known of `numbers` (sorted, each once)."""
        keep = ~np.isin(self.numbers, numbers, assume_unique=True)
        merged = np.concatenate([self.numbers[keep], numbers])
        order = np.argsort(merged, kind="stable")
        return LineState(
            merged[order],
            np.concatenate([self.texts[keep], texts])[order],
            np.concatenate([self.runs[keep], runs])[order],
        )

    def differs(self, numbers: Ints, texts: Ids) -> bool:
        """Whether any of these lines is known with another text."""
        at = self.find(numbers)
        known = at >= 0
        return bool(np.any(self.texts[at[known]] != texts[known]))

    def carried(self, change: Change) -> LineState:
        """Renumber the lines through a change; removed lines and uncarried files are forgotten."""
        if not change.carries:
            return LineState.empty()
        numbers = carry(self.numbers, change)
        kept = numbers > 0
        return LineState(numbers[kept], self.texts[kept], self.runs[kept])


@dataclass(frozen=True, slots=True, eq=False)
class Sections:
    """What each call delivered of each file: one entry a (call, path), lines sorted by number.

    Lines `start` … `stop` of the line arrays belong to a section. A line that one call delivered
    twice stands once, as it came last. Sections stand in the order of their results. A line that
    was only pointed at has the text 0 and no bytes; it is there if it was ever served.
    """

    call: Ints
    path: Ints
    start: Ints
    stop: Ints
    numbers: Ints
    texts: Ids
    text_chars: Sizes
    delivered_bytes: Sizes

    def __len__(self) -> int:
        return len(self.call)


def sections(log: FamilyLog, of_call: npt.NDArray[np.bool_]) -> Sections:
    """Group the delivered lines of the chosen calls by call and path.

    Parameters
    ----------
    of_call : array of shape (n_calls,)
        Which calls count.
    """
    lines = _delivered(log, of_call)
    _, earliest, which = np.unique(lines.pair, return_index=True, return_inverse=True)
    # Files keep the order in which they stand in the answer.
    rank = earliest[which]
    order = np.lexsort((np.arange(len(rank)), lines.number, rank, log.calls.result_at[lines.call]))
    pair, number = lines.pair[order], lines.number[order]
    last = np.ones(len(order), bool)
    last[:-1] = (pair[1:] != pair[:-1]) | (number[1:] != number[:-1])
    order, pair = order[last], pair[last]
    opens = np.ones(len(order), bool)
    opens[1:] = pair[1:] != pair[:-1]
    start = np.flatnonzero(opens).astype(np.int32)
    return Sections(
        call=lines.call[order][start],
        path=lines.path[order][start],
        start=start,
        stop=np.append(start, len(order))[1:].astype(np.int32),
        numbers=lines.number[order],
        texts=lines.text[order],
        text_chars=lines.text_chars[order],
        delivered_bytes=lines.delivered_bytes[order],
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Delivered:
    """Lines one by one, those of a call and path in order; `pair` numbers (call, path)."""

    call: Ints
    path: Ints
    pair: Bigs
    number: Ints
    text: Ids
    text_chars: Sizes
    delivered_bytes: Sizes


def _delivered(log: FamilyLog, of_call: npt.NDArray[np.bool_]) -> _Delivered:
    """Lines of spans, and before them those of pointers: in no bytes, with an unknown text."""
    spans, pointers = log.spans, log.pointers
    span = np.flatnonzero(of_call[spans.call])
    n = spans.n_lines[span].astype(np.int64)
    line = np.repeat(spans.offset[span], n) + _count_up(n)
    path = np.repeat(spans.path[span], n)
    number = np.repeat(spans.first_line[span], n) + _count_up(n)

    # Of a range only the lines that were served at some time: nothing is known of the others,
    # and a log may point at two billion of them.
    place = np.unique(_place(path, number))
    pointer = np.flatnonzero(of_call[pointers.call])
    begin = np.searchsorted(place, _place(pointers.path[pointer], pointers.first_line[pointer]))
    end = np.searchsorted(
        place, _place(pointers.path[pointer], pointers.last_line[pointer]), side="right"
    )
    m = np.maximum(end - begin, 0)
    pointed = place[np.repeat(begin, m) + _count_up(m)]

    call = np.concatenate([np.repeat(pointers.call[pointer], m), np.repeat(spans.call[span], n)])
    path = np.concatenate([np.repeat(pointers.path[pointer], m), path])
    unknown = np.zeros(len(pointed), np.uint32)
    return _Delivered(
        call=call,
        path=path,
        pair=call.astype(np.int64) * max(1, len(log.paths)) + path,
        number=np.concatenate([pointed % _NUMBERS, number]).astype(np.int32),
        text=np.concatenate([unknown.astype(np.uint64), log.lines.ids[line]]),
        text_chars=np.concatenate([unknown, log.lines.text_chars[line]]),
        delivered_bytes=np.concatenate([unknown, log.lines.delivered_bytes[line]]),
    )


_NUMBERS = 1 << 32


def _place(path: Ints, number: npt.NDArray[np.signedinteger]) -> Bigs:
    """One number for a path and a line, in the order of both."""
    return path.astype(np.int64) * _NUMBERS + number


def _count_up(n: Bigs) -> Bigs:
    """Count 0 … n[0]-1, 0 … n[1]-1, and so on."""
    counted: Bigs = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
    return counted


def unrecorded_changes(log: FamilyLog) -> tuple[tuple[int, int, str], ...]:
    """Changes of files that left no hunk, as (position, path, evidence).

    Evidence is "shell", "reminder" or "error" as the reader saw it, or "changed_line": a line
    delivered again with another text than the recorded hunks explain.
    """
    edits = log.edits
    found = [
        (int(edits.at[i]), int(edits.path[i]), EDIT_EVIDENCE[edits.evidence[i]])
        for i in range(len(edits))
        if EDIT_EVIDENCE[edits.evidence[i]] != "tool"
    ]
    served = sections(log, np.ones(len(log.calls), bool))
    steps: list[tuple[int, int, Change | int]] = [(c.at, 0, c) for c in changes(log)]
    steps += [(int(log.calls.result_at[served.call[i]]), 1, i) for i in range(len(served))]
    known: dict[int, LineState] = {}
    for at, _, step in sorted(steps, key=lambda s: s[:2]):
        if isinstance(step, Change):
            if step.path in known:
                known[step.path] = known[step.path].carried(step)
            continue
        path, lines = int(served.path[step]), slice(served.start[step], served.stop[step])
        shown = served.delivered_bytes[lines] > 0
        numbers, texts = served.numbers[lines][shown], served.texts[lines][shown]
        state = known.get(path, LineState.empty())
        if state.differs(numbers, texts):
            found.append((at, path, "changed_line"))
            state = LineState.empty()
        known[path] = state.put(numbers, texts, np.zeros(len(numbers), np.int32))
    return tuple(sorted(found))
