"""Which calls come after a result, in its thread, as long as the context holds it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxlab.fallback._clock import calls_before
from ctxlab.fallback._order import thread_order
from ctxlab.log import FamilyLog, Ints
from ctxlab.residency import residence

__all__ = ["Later", "later_calls"]


@dataclass(frozen=True, slots=True, eq=False)
class Later:
    """One entry a result: its `thread`, the rank of the last call before it, and its end.

    `rank` is one entry a call of the log: where it stands among those of its thread. Calls with
    a rank above `base` and a position below `until` are later: they belong to a later response
    than the result's call, and were made when the result was there.
    """

    thread: Ints
    base: Ints
    until: Ints
    rank: Ints

    def step(self, row: int, call: int, at: int) -> int:
        """Count the calls from a result to this call of its thread, made at `at`; 0: not later."""
        step = int(self.rank[call] - self.base[row])
        return step if step > 0 and at < self.until[row] else 0


def later_calls(log: FamilyLog, call: Ints) -> Later:
    """Find where the results of these calls begin and cease to matter to later calls."""
    order, thread = thread_order(log), log.calls.thread[call]
    before = calls_before(log, order, thread, log.calls.result_at[call]) - 1
    latest = order.by_rank[order.start[thread] + before]
    base = np.maximum(order.last[call], order.last[latest])
    return Later(thread, base, residence(log).until[call], order.rank)
