"""When a section's clock starts and what stops it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.fallback._lines import Sections
from ctxlab.fallback._order import ThreadOrder, file_ids
from ctxlab.log import MARK_KINDS, FamilyLog, Ints

__all__ = ["STOPS", "actions_before", "calls_before", "clock_stops"]

STOPS = ("edit", "compaction", "clear", "microcompaction", "rewind", "end", "limit")
"""What ends a window. The first five are competing events, `end` is censoring."""

_Indices = npt.NDArray[np.integer[Any]]
_Pairs = tuple[_Indices, _Indices]


def clock_stops(log: FamilyLog, watched: Sections, clock: Ints, removal: bool) -> tuple[Ints, Ints]:
    """Find the first position after `clock` that stops each section's clock, and why.

    `removal` tells that the section was in the context when the clock started, so that removing
    its result alone stops it too. The end of the transcript is position `n_events`.
    """
    marks = log.marks
    of_kind = {kind: marks.kind == MARK_KINDS.index(kind) for kind in MARK_KINDS}
    ends: dict[str, Ints] = {
        "edit": _next((file_ids(log)[log.edits.path], log.edits.at), watched.file, clock, log),
    }
    for kind in ("compaction", "clear"):
        chosen = marks.thread[of_kind[kind]], marks.at[of_kind[kind]]
        ends[kind] = _next(chosen, watched.thread, clock, log)
    if removal:
        cleared = _cleared(log, np.flatnonzero(of_kind["microcompaction"]))
        ends["microcompaction"] = _next(cleared, watched.call, clock, log)
        left = _left_behind(log, np.flatnonzero(of_kind["rewind"]))
        ends["rewind"] = _next(left, watched.call, clock, log)
    at = np.stack(list(ends.values()))
    cause = np.array([STOPS.index(kind) for kind in ends])[np.argmin(at, axis=0)]
    stop: Ints = np.min(at, axis=0)
    return stop, np.where(stop == log.n_events, STOPS.index("end"), cause).astype(np.int32)


def _cleared(log: FamilyLog, marks: _Indices) -> _Pairs:
    """Calls whose results were removed alone, and the positions where that happened."""
    calls = [call for mark in marks for call in log.marks.cleared[mark]]
    at = np.repeat(log.marks.at[marks], [len(log.marks.cleared[mark]) for mark in marks])
    return np.array(calls, np.int64), at


def _left_behind(log: FamilyLog, marks: _Indices) -> _Pairs:
    """Calls on abandoned branches, and the positions of the rewinds that abandoned them."""
    calls, at = log.calls, log.marks.at
    left = [
        np.flatnonzero(
            (calls.thread == log.marks.thread[mark])
            & (calls.call_at > log.marks.rewind_to[mark])
            & (calls.call_at < at[mark])
        )
        for mark in marks
    ]
    return (
        np.concatenate([np.empty(0, np.int64), *left]),
        np.repeat(at[marks], [len(part) for part in left]),
    )


def _next(pairs: _Pairs, group: Ints, after: Ints, log: FamilyLog) -> Ints:
    """Find the first position of each group's pairs after a position, or `n_events`."""
    never = log.n_events
    width = np.int64(never + 1)
    key = np.sort(pairs[0] * width + pairs[1])
    index = np.searchsorted(key, group * width + after, side="right")
    found = np.append(key, np.iinfo(np.int64).max)[index]
    return np.where(found // width == group, found % width, never).astype(np.int32)


def actions_before(
    log: FamilyLog, order: ThreadOrder, thread: Ints, base: Ints, stop: Ints
) -> Ints:
    """Count the actions after rank `base` of a thread that were done before a position.

    An action is not done before the ones that it follows are.
    """
    width = np.int64(log.n_events + 1)
    done = log.calls.thread[order.by_rank] * width + order.done[order.by_rank]
    before = np.searchsorted(np.maximum.accumulate(done), thread * width + stop)
    actions: Ints = np.maximum(before - order.start[thread] - base - 1, 0).astype(np.int32)
    return actions


def calls_before(log: FamilyLog, order: ThreadOrder, thread: Ints, at: Ints) -> Ints:
    """Count the calls of a thread that were made before a position."""
    width = np.int64(log.n_events + 1)
    made = log.calls.thread[order.by_rank] * width + log.calls.call_at[order.by_rank]
    return (np.searchsorted(made, thread * width + at) - order.start[thread]).astype(np.int32)
