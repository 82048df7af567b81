"""How long the result of each call stays in the context of its thread, and what ends that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctxlab.log import MARK_KINDS, Codes, FamilyLog, Ints

__all__ = ["END_CAUSES", "Residence", "residence"]

END_CAUSES = ("none", "compaction", "clear", "microcompaction", "branch")
"""What takes a result out of its thread's context; "none" while it stays to the end."""

_ENDING = {
    MARK_KINDS.index("compaction"): END_CAUSES.index("compaction"),
    MARK_KINDS.index("clear"): END_CAUSES.index("clear"),
}
_MICRO = MARK_KINDS.index("microcompaction")
_REWIND = MARK_KINDS.index("rewind")


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
