"""Every position of a family's log → the thread and the source that its event is written to.

A log tells both of calls only. Marks and edits have a thread; of other events nothing but their
number is known. Where a log does not tell, any choice gives the same log when it is read again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ctxlab.log import MARK_KINDS, FamilyLog, Ints

__all__ = ["Owners", "owners", "session_of_sources"]

_REWIND = MARK_KINDS.index("rewind")


@dataclass(frozen=True, slots=True, eq=False)
class Owners:
    """Thread and source of each position, and where each mark goes back to.

    `rewind_to` names an event of the mark's own thread, -1 for none; it takes away the same
    results as the log's.
    """

    thread: Ints
    source: Ints
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
    return Owners(_from_next(thread), _from_next(source), rewind_to)


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
