"""How many model requests carry what entered a thread's context, until it leaves again."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ctxlab.log import MARK_KINDS, FamilyLog, Ints

__all__ = ["leaves_at", "requests_after"]

_FORGETTING = [MARK_KINDS.index(kind) for kind in ("compaction", "clear")]
_REWIND = MARK_KINDS.index("rewind")
_PROMPT = MARK_KINDS.index("prompt")


def requests_after(
    log: FamilyLog,
    at: Ints,
    thread: Ints,
    until: Ints | None = None,
    prompts: Ints | None = None,
) -> Ints:
    """Count the model requests that carry what entered a thread's context at each position.

    Parameters
    ----------
    at, thread : array of shape (n,)
        Positions, and the thread that each belongs to, main or of a sub-agent.
    until : array of shape (n,), optional
        Positions at which it leaves the context. Without them, those of `leaves_at`. For results of
        calls give `residence(log).until`, which knows of microcompactions too.
    prompts : array, optional
        Positions of the prompts that opened a turn; without, of all that the log marks.

    Returns
    -------
    array of shape (n,)
        Requests of the thread itself: what a sub-agent is sent is another context.

    Notes
    -----
    A request with calls stands at its first call; a call of no known response is one by itself. Of
    a request without calls the log tells tokens and no position, only which requests with calls
    were begun before and after it. Assumed is that it followed what its turn held up to the next
    mark, results included; and, as an answer without a call ends a turn, that of several between
    two requests with calls one stands before each prompt there and the rest behind the last. No
    request stands before the first prompt of a thread. A request that left neither calls nor tokens
    is unknown.
    """
    until = leaves_at(log, at, thread) if until is None else until
    found = np.zeros(len(at), np.int32)
    opened = log.marks.kind == _PROMPT
    if prompts is not None:
        opened &= np.isin(log.marks.at, prompts)
    for one in np.unique(thread).tolist():
        mine = thread == one
        places = _places(log, one, log.marks.at[opened & (log.marks.thread == one)])
        first, last = np.searchsorted(places, [2 * at[mine], 2 * until[mine]])
        found[mine] = np.maximum(last - first, 0)
    return found


def leaves_at(log: FamilyLog, at: Ints, thread: Ints) -> Ints:
    """Find where what entered a thread's context at each position leaves it.

    That is the first later compaction or clear of the thread, or rewind to before the position;
    `n_events` if it stays to the end. Arrays are of shape (n,).
    """
    marks = log.marks
    until = np.full(len(at), log.n_events, np.int32)
    forgets, rewinds = np.isin(marks.kind, _FORGETTING), marks.kind == _REWIND
    for i in np.flatnonzero(forgets | rewinds)[::-1]:
        leaves = (thread == marks.thread[i]) & (at < marks.at[i])
        if rewinds[i]:
            leaves &= at > marks.rewind_to[i]
        until[leaves] = marks.at[i]
    return until


def _places(log: FamilyLog, thread: int, prompts: Ints) -> Ints:
    """Place the requests of a thread among its events, sorted.

    A place is twice the position of the request's first call, or odd: just behind what a request
    without calls follows.
    """
    calls, usage = log.calls, log.usage
    own = np.flatnonzero(calls.thread == thread)
    at, number = calls.call_at[own], calls.request[own]
    called, first = np.unique(number[number >= 0], return_index=True)
    called_at = at[number >= 0][first]
    silent = np.setdiff1d(usage.request[usage.thread == thread], called)
    places = [2 * at[number < 0], 2 * called_at]
    slot = np.searchsorted(called, silent)
    results = np.append(np.sort(calls.result_at[own]), -1)
    marks = np.append(log.marks.at[log.marks.thread == thread], log.n_events)
    edges = [-1, *called_at.tolist(), log.n_events]
    for gap, (start, stop) in enumerate(pairwise(edges)):
        waiting = int((slot == gap).sum())
        if waiting:
            turns = prompts[(prompts > start) & (prompts < stop)]
            turns = turns if gap == 0 and len(turns) else np.append(start, turns)
            # Results of the turn come first, but for those behind a mark: who knows of them?
            ends = np.minimum(marks[np.searchsorted(marks, turns, side="right")], stop)
            behind = np.maximum(turns, results[np.searchsorted(results[:-1], ends) - 1])
            places.append(2 * behind[np.minimum(np.arange(waiting), len(behind) - 1)] + 1)
    return np.sort(np.concatenate(places)).astype(np.int64)
