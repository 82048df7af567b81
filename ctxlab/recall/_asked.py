"""The prompts of a family: which count, in which context, and how many requests carry them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ctxlab.log import MARK_KINDS, FamilyLog, Ints
from ctxlab.recall._family import Family

__all__ = ["Asked", "asked_prompts", "request_places"]

_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]]*\]")
_FORGETTING = [MARK_KINDS.index(kind) for kind in ("compaction", "clear")]
_REWIND = MARK_KINDS.index("rewind")


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """One entry a prompt, by position; `row` is its number in the log's texts."""

    row: Ints
    at: Ints
    thread: Ints
    context: Ints
    requests: Ints

    def before(self, thread: Ints, at: Ints, n_events: int) -> Ints:
        """Find the last prompt of each main thread before each position, -1 without."""
        width = np.int64(n_events + 1)
        key = self.thread * width + self.at
        order = np.argsort(key)
        found = np.searchsorted(key[order], thread * width + at, side="right") - 1
        number = np.append(order, -1)[found]
        same = np.append(self.thread, -2)[number] == thread
        return np.where((found >= 0) & same, number, -1).astype(np.int32)


def asked_prompts(family: Family) -> Asked:
    """Find the prompts that users typed in main threads."""
    log, texts = family.log, family.texts
    typed = [
        bool(stripped := text.strip()) and not _INTERRUPTED.fullmatch(stripped)
        for text in texts.prompt_text
    ]
    row = np.flatnonzero(log.is_main[texts.prompt_thread] & np.array(typed, np.bool_))
    at, thread = texts.prompt_at[row], texts.prompt_thread[row]
    context, until = _contexts(log, at, thread)
    requests = np.zeros(len(row), np.int32)
    for one in np.unique(thread).tolist():
        mine = thread == one
        places = request_places(log, one, at[mine])
        found = np.searchsorted(places, [2 * at[mine], 2 * until[mine]])
        requests[mine] = found[1] - found[0]
    return Asked(row.astype(np.int32), at, thread, context, requests)


def _contexts(log: FamilyLog, at: Ints, thread: Ints) -> tuple[Ints, Ints]:
    """Number the contexts of the prompts, and find where what is printed at each leaves it."""
    marks = log.marks
    forgets, rewinds = np.isin(marks.kind, _FORGETTING), marks.kind == _REWIND
    numbers: dict[tuple[int, int], int] = {}
    context, until = np.empty_like(at), np.empty_like(at)
    for i, (position, one) in enumerate(zip(at.tolist(), thread.tolist(), strict=True)):
        mine = marks.thread == one
        opened = int(((forgets | rewinds) & mine & (marks.at < position)).sum())
        context[i] = numbers.setdefault((one, opened), len(numbers))
        leaves = mine & (marks.at > position)
        leaves &= forgets | (rewinds & (marks.rewind_to < position))
        until[i] = marks.at[leaves].min(initial=log.n_events)
    return context, until


def request_places(log: FamilyLog, thread: int, prompts: Ints) -> Ints:
    """Place the model requests of a main thread among its events, sorted.

    A request with calls stands at twice the position of its first call. For one without, the log
    tells tokens and no position, but requests are numbered by their beginning: it lies between two
    requests with calls. An answer without a call ends a turn, so of several between two calls one
    stands before each prompt there (but the thread's first), and the rest behind the last one;
    each place is odd, just behind what it follows. A call of no known response is one by itself.
    """
    calls, usage = log.calls, log.usage
    own = np.flatnonzero(calls.thread == thread)
    at, number = calls.call_at[own], calls.request[own]
    called, first = np.unique(number[number >= 0], return_index=True)
    called_at = at[number >= 0][first]
    silent = np.setdiff1d(usage.request[usage.thread == thread], called)
    places = [2 * at[number < 0], 2 * called_at]
    slot = np.searchsorted(called, silent)
    edges = [-1, *called_at.tolist(), log.n_events]
    for gap, (start, stop) in enumerate(pairwise(edges)):
        waiting = int((slot == gap).sum())
        if waiting:
            behind = prompts[(prompts > start) & (prompts < stop)]
            behind = behind if gap == 0 and len(behind) else np.append(start, behind)
            chosen = np.minimum(np.arange(waiting), len(behind) - 1)
            places.append(2 * behind[chosen] + 1)
    return np.sort(np.concatenate(places)).astype(np.int64)
