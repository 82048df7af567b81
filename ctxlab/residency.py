"""Which delivered lines are still in the context that the model is sent, and still true.

Two questions, kept apart. *Residence*: until which position does the result of a call stay in the
context of its own thread, and what ends it. *Carrying*: where a delivered line stands after the
edits that the log records, so that a later line can be compared with it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ctxlab.log import (
    EDIT_EVIDENCE,
    EDIT_KINDS,
    MARK_KINDS,
    Bigs,
    Bools,
    Codes,
    FamilyLog,
    Ids,
    Ints,
    Sizes,
)

__all__ = [
    "END_CAUSES",
    "Change",
    "Places",
    "Residence",
    "Sections",
    "changes",
    "contradictions",
    "places",
    "previous",
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


@dataclass(frozen=True, slots=True)
class _Numbering:
    """Which line of a file stands at which number, after the changes so far.

    From number `starts[i]` on stand the lines `lines[i]`, `lines[i]` + 1, …. A line is named by
    the number it had at first; lines that a change added get names from `unused` on.
    """

    starts: tuple[int, ...] = (0,)
    lines: tuple[int, ...] = (0,)
    unused: int = 2**31

    def at(self, numbers: Ints) -> Bigs:
        """Lines that stand at these numbers."""
        piece = np.searchsorted(np.array(self.starts), numbers, side="right") - 1
        found: Bigs = numbers + (np.array(self.lines) - np.array(self.starts))[piece]
        return found

    def after(self, change: Change) -> _Numbering:
        """Carry the numbers through a change: kept lines move, added ones are new."""
        starts: list[int] = []
        lines: list[int] = []
        new, old, unused = 0, 0, self.unused

        def put(line: int) -> None:
            if not lines or line - lines[-1] != new - starts[-1]:
                starts.append(new)
                lines.append(line)

        def keep(stop: float) -> None:
            nonlocal new, old
            while old < stop:
                i = bisect_right(self.starts, old) - 1
                end = min(self.starts[i + 1] if i + 1 < len(self.starts) else stop, stop)
                put(self.lines[i] + old - self.starts[i])
                if end == math.inf:
                    return
                new, old = new + int(end) - old, int(end)

        for start, ops in zip(change.old_starts, change.ops, strict=True):
            keep(start)
            for op, group in groupby(ops):
                n = len(list(group))
                if op == "-":
                    old += n
                elif op == "+":
                    put(unused)
                    new, unused = new + n, unused + n
                else:
                    keep(old + n)
        keep(math.inf)
        return _Numbering(tuple(starts), tuple(lines), unused)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Which line of which state of a file each delivered line is, whatever its number was then.

    `generation` is one entry a section: it grows where nothing known of the file holds any more.
    `line` is one entry a line: within one (path, generation) equal where it is the same line.
    """

    generation: Ints
    line: Bigs


def places(log: FamilyLog, served: Sections, through: Literal["none", "hunks"] | None) -> Places:
    """Follow the files through their recorded changes.

    Parameters
    ----------
    through
        Which changes leave lines their identity: those with "hunks", "none", or, with None, no
        change is looked at and a line is what stands at its number.
    """
    line = served.numbers.astype(np.int64)
    generation = np.zeros(len(served), np.int32)
    latest: dict[int, int] = {}
    numbering: dict[int, _Numbering] = {}
    for step in _in_order(served, () if through is None else changes(log)):
        if isinstance(step, int):
            path = int(served.path[step])
            generation[step] = latest.get(path, 0)
            if path in numbering:
                own = slice(served.start[step], served.stop[step])
                line[own] = numbering[path].at(served.numbers[own])
        elif through == "hunks" and step.carries:
            numbering[step.path] = numbering.get(step.path, _Numbering()).after(step)
        else:
            latest[step.path] = latest.get(step.path, 0) + 1
            numbering.pop(step.path, None)
    return Places(generation, line)


def _in_order(served: Sections, changed: Iterable[Change]) -> Iterator[Change | int]:
    """Give changes and the indices of sections as they happened."""
    waiting = iter(changed)
    change = next(waiting, None)
    for i, at in enumerate(served.at.tolist()):
        while change is not None and change.at <= at:
            yield change
            change = next(waiting, None)
        yield i


def contradictions(served: Sections, found: Places) -> tuple[Places, Bools]:
    """Start a new generation wherever a file shows a known line with another text.

    Returns
    -------
    places
        With those generations.
    contradicts : array of shape (n_sections,)
        Where they start.
    """
    section = np.repeat(np.arange(len(served)), served.stop - served.start)
    shown = np.flatnonzero(served.texts != 0)
    before = previous(
        found.line[shown], found.generation[section[shown]], served.path[section[shown]]
    )
    again = np.flatnonzero(before >= 0)
    now, then = shown[again], shown[before[again]]
    other = served.texts[now] != served.texts[then]
    # A text can only contradict what was shown since the file's generation began.
    stale = np.full(len(served), -1)
    np.maximum.at(stale, section[now[other]], section[then[other]])
    generation = np.zeros(len(served), np.int32)
    contradicts = np.zeros(len(served), bool)
    state: dict[int, tuple[int, int, int]] = {}
    rows = zip(served.path.tolist(), found.generation.tolist(), stale.tolist(), strict=True)
    for i, (path, recorded, latest_other) in enumerate(rows):
        known, number, began = state.get(path, (recorded, 0, i))
        contradicts[i] = known == recorded and latest_other >= began
        if known != recorded or contradicts[i]:
            number, began = number + 1, i
        state[path] = recorded, number, began
        generation[i] = number
    return Places(generation, found.line), contradicts


def previous(*keys: npt.NDArray[Any]) -> Bigs:
    """For each row, the index of the last row before it with equal keys; -1 for none."""
    order = np.lexsort(keys)
    equal = np.ones(max(len(order) - 1, 0), bool)
    for key in keys:
        ranked = key[order]
        equal &= ranked[1:] == ranked[:-1]
    found = np.full(len(order), -1)
    found[order[1:][equal]] = order[:-1][equal]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Sections:
    """What each call delivered of each file: one entry a (call, path), lines sorted by number.

    Lines `start` … `stop` of the line arrays belong to a section. A line that one call delivered
    twice stands once, as it came last. Sections stand in the order of their results. A line that
    was only pointed at has the text 0 and no bytes. `at` is the position of the result.
    """

    call: Ints
    path: Ints
    at: Ints
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
        at=log.calls.result_at[lines.call[order][start]],
        start=start,
        stop=np.append(start, len(order))[1:].astype(np.int32),
        numbers=lines.number[order],
        texts=lines.text[order],
        text_chars=lines.text_chars[order],
        delivered_bytes=lines.delivered_bytes[order],
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Delivered:
    """Lines one by one, in the order they stand in; `pair` numbers (call, path)."""

    call: Ints
    path: Ints
    pair: Bigs
    number: Ints
    text: Ids
    text_chars: Sizes
    delivered_bytes: Sizes


def _delivered(log: FamilyLog, of_call: npt.NDArray[np.bool_]) -> _Delivered:
    """Lines of spans, then those of pointers: delivered in no bytes, with an unknown text."""
    spans, pointers = log.spans, log.pointers
    span = np.flatnonzero(of_call[spans.call])
    n = spans.n_lines[span].astype(np.int64)
    line = np.repeat(spans.offset[span], n) + _count_up(n)
    pointer = np.flatnonzero(of_call[pointers.call])
    m = (pointers.last_line[pointer] - pointers.first_line[pointer] + 1).astype(np.int64)
    call = np.concatenate([np.repeat(spans.call[span], n), np.repeat(pointers.call[pointer], m)])
    path = np.concatenate([np.repeat(spans.path[span], n), np.repeat(pointers.path[pointer], m)])
    number = np.concatenate(
        [
            np.repeat(spans.first_line[span], n) + _count_up(n),
            np.repeat(pointers.first_line[pointer], m) + _count_up(m),
        ]
    )
    unknown = np.zeros(int(m.sum()), np.uint32)
    return _Delivered(
        call=call,
        path=path,
        pair=call.astype(np.int64) * max(1, len(log.paths)) + path,
        number=number.astype(np.int32),
        text=np.concatenate([log.lines.ids[line], unknown.astype(np.uint64)]),
        text_chars=np.concatenate([log.lines.text_chars[line], unknown]),
        delivered_bytes=np.concatenate([log.lines.delivered_bytes[line], unknown]),
    )


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
    _, contradicts = contradictions(served, places(log, served, "hunks"))
    found += [
        (int(served.at[i]), int(served.path[i]), "changed_line")
        for i in np.flatnonzero(contradicts)
    ]
    return tuple(sorted(found))
