"""Every position of a family's log → the thread and the source that its event is written to.

A log tells both of calls only. Marks and edits have a thread; of other events nothing but their
number is known. Where a log does not tell, any choice gives the same log when it is read again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctxlab.log import MARK_KINDS, FamilyLog, Ints

__all__ = ["Owners", "owners", "session_of_sources"]

_REWIND = MARK_KINDS.index("rewind")


@dataclass(frozen=True, slots=True, eq=False)
class Owners:
    """Thread and source of each position, and where each mark goes back to.

    `request` is that of an event of which nothing else is told, -1 for none: where requests begin,
    so that they keep their order. `rewind_to` names an event of the mark's own thread, -1 for
    none; it takes away the same results as the log's.
    """

    thread: Ints
    source: Ints
    request: Ints
    rewind_to: Ints


def owners(log: FamilyLog) -> Owners:
    """Find the owners of all positions of a log."""
    calls, marks, edits = log.calls, log.marks, log.edits
    thread = np.full(log.n_events, -1, np.int32)
    source = np.full(log.n_events, -1, np.int32)
    home = _Home(log)

    def own(at: int, of_thread: int) -> None:
        thread[at] = of_thread
        source[at] = home.source(of_thread, at)

    for at, of_thread in zip(edits.at.tolist(), edits.thread.tolist(), strict=True):
        own(at, of_thread)
    for at, of_thread in zip(marks.at.tolist(), marks.thread.tolist(), strict=True):
        own(at, of_thread)
    answered = calls.result_at >= 0
    for where, which in ((calls.result_at[answered], answered), (calls.call_at, slice(None))):
        thread[where] = calls.thread[which]
        source[where] = calls.source[which]
    rewind_to = np.full(len(marks), -1, np.int32)
    for i in np.flatnonzero(marks.kind == _REWIND).tolist():
        target = int(marks.rewind_to[i])
        if target >= 0 and thread[target] < 0:
            own(target, int(marks.thread[i]))
        before = np.flatnonzero(thread[: target + 1] == marks.thread[i])
        rewind_to[i] = before[-1] if len(before) else -1
    request = np.full(log.n_events, -1, np.int32)
    told = np.union1d(np.union1d(edits.at, marks.at), _called_at(log))
    free = np.setdiff1d(np.arange(log.n_events), told)
    for at, row in _beginnings(log, free, thread):
        request[at] = log.usage.request[row]
        thread[at], source[at] = log.usage.thread[row], log.usage.source[row]
    return Owners(_from_next(thread), _from_next(source), request, rewind_to)


def _called_at(log: FamilyLog) -> Ints:
    """Positions of calls and results."""
    at = np.concatenate([log.calls.call_at, log.calls.result_at])
    called: Ints = at[at >= 0]
    return called


def _beginnings(log: FamilyLog, free: npt.NDArray[np.int64], thread: Ints) -> list[tuple[int, int]]:
    """Give positions at which requests begin before their calls, with the row of their tokens.

    Requests are numbered by their first events, and those without any last. So where not all find
    a place, the last ones that made no call do without.
    """
    columns = (log.calls.request[::-1].tolist(), log.calls.call_at[::-1].tolist())
    first_call: dict[int, int] = dict(zip(*columns, strict=True))
    rows = np.argsort(log.usage.request, kind="stable")[::-1].tolist()
    found, all_placed = _placed(log, rows, first_call, free, thread)
    while not all_placed and rows and int(log.usage.request[rows[0]]) not in first_call:
        rows = rows[1:]
        found, all_placed = _placed(log, rows, first_call, free, thread)
    return found


def _placed(
    log: FamilyLog,
    rows: list[int],
    first_call: dict[int, int],
    free: npt.NDArray[np.int64],
    thread: Ints,
) -> tuple[list[tuple[int, int]], bool]:
    """Place requests, the last first: at the first call, or the latest event free before the next.

    Tells too whether all found a place.
    """
    found: list[tuple[int, int]] = []
    bound, all_placed = log.n_events, True
    for row in rows:
        request, of_thread = int(log.usage.request[row]), int(log.usage.thread[row])
        if first_call.get(request, bound) < bound:
            bound = first_call[request]
            continue
        i = int(np.searchsorted(free, bound)) - 1
        while i >= 0 and thread[free[i]] not in (-1, of_thread):
            i -= 1
        if i >= 0:
            bound = int(free[i])
            found.append((bound, row))
        all_placed &= i >= 0
    return found, all_placed


def _from_next(owner: Ints) -> Ints:
    """Give what nobody owns to the owner of the next event, or of the last; else to number 0."""
    known = np.flatnonzero(owner >= 0)
    if not len(known):
        return np.zeros_like(owner)
    nearest = np.minimum(np.searchsorted(known, np.arange(len(owner))), len(known) - 1)
    filled: Ints = owner[known[nearest]]
    return filled


class _Home:
    """Finds a source that a thread was written to: that of its last call, or its first source."""

    def __init__(self, log: FamilyLog) -> None:
        self._first = log.thread_source.tolist()
        self._at: dict[int, list[int]] = defaultdict(list)
        self._source: dict[int, list[int]] = defaultdict(list)
        columns = (log.calls.thread, log.calls.call_at, log.calls.source)
        for thread, at, source in zip(*(c.tolist() for c in columns), strict=True):
            self._at[thread].append(at)
            self._source[thread].append(source)

    def source(self, thread: int, at: int) -> int:
        before = bisect_right(self._at[thread], at)
        return int(self._source[thread][before - 1] if before else self._first[thread])


def session_of_sources(log: FamilyLog) -> list[int]:
    """Number the session of each source as the log's threads do.

    A source without a thread or call of its own tells no session: it gets the number that sources
    after it leave out, or else the first session.
    """
    known: dict[int, int] = {}
    pairs = [
        (log.thread_source, log.thread_session),
        (log.calls.source, log.thread_session[log.calls.thread]),
    ]
    for sources, sessions in pairs:
        known.update(zip(sources.tolist(), sessions.tolist(), strict=True))
    found: list[int] = []
    n_sessions = 0
    for source in range(len(log.sources)):
        later = [known[s] for s in range(source + 1, len(log.sources)) if s in known]
        new = next((session for session in later if session >= n_sessions), -1)
        session = known.get(source, n_sessions if new > n_sessions else 0)
        n_sessions = max(n_sessions, session + 1)
        found.append(session)
    return found
