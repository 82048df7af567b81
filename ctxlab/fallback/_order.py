"""The order of calls within threads, and which paths name one file."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ctxlab.log import TOOL_KINDS, FamilyLog, Ints

__all__ = ["ThreadOrder", "file_ids", "same_file", "started_by", "thread_order"]

AGENT = TOOL_KINDS.index("agent")


@dataclass(frozen=True, slots=True, eq=False)
class ThreadOrder:
    """Where each call stands among the calls of its thread.

    `rank` counts from 0 in each thread. `last` is the highest rank among the calls of the same
    model response. `done` is the position of the result, or of the call where none came.
    `by_rank` lists all calls sorted by thread and rank; those of a thread begin at `start` there.
    """

    rank: Ints
    last: Ints
    done: Ints
    by_rank: Ints
    start: Ints


def thread_order(log: FamilyLog) -> ThreadOrder:
    """Rank the calls of every thread; a call of no known response is a response of its own."""
    calls, n = log.calls, len(log.calls)
    by_rank = np.lexsort((calls.call_at, calls.thread)).astype(np.int32)
    start = np.searchsorted(calls.thread[by_rank], np.arange(len(log.threads) + 1))
    rank = np.empty(n, np.int32)
    rank[by_rank] = np.arange(n) - start[calls.thread[by_rank]]
    response = np.where(calls.request < 0, -1 - np.arange(n), calls.request).astype(np.int64)
    span = 2 * n + int(calls.request.max(initial=0)) + 2
    _, group = np.unique(calls.thread * np.int64(span) + response + n, return_inverse=True)
    last = np.zeros(n, np.int32)
    np.maximum.at(last, group, rank)
    done = np.where(calls.result_at >= 0, calls.result_at, calls.call_at).astype(np.int32)
    return ThreadOrder(rank, last[group], done, by_rank, start.astype(np.int32))


def started_by(log: FamilyLog) -> Ints:
    """Find, for each thread, the call of its parent that started it; -1 where none can be told.

    The log names the parent thread but not the call. Sub-agents in the order of their first calls
    take the parent's agent calls in order, one each, those still unanswered before others.
    """
    calls = log.calls
    first: dict[int, int] = {}
    agents: dict[int, list[int]] = defaultdict(list)
    for call, (thread, kind) in enumerate(zip(calls.thread, calls.kind, strict=True)):
        first.setdefault(int(thread), call)
        if kind == AGENT:
            agents[int(thread)].append(call)
    starter = np.full(len(log.threads), -1, np.int32)
    for thread, call in sorted(first.items(), key=lambda item: item[1]):
        at = calls.call_at[call]
        waiting = agents[int(log.thread_parent[thread])]
        before = [a for a in waiting if calls.call_at[a] < at]
        still_open = [a for a in before if not 0 <= calls.result_at[a] < at]
        for chosen in (still_open or before)[:1]:
            starter[thread] = chosen
            waiting.remove(chosen)
    return starter


def _longer(log: FamilyLog) -> dict[int, list[int]]:
    """For each relative path, the absolute paths that end with it at a path boundary."""
    slashed = [path.replace("\\", "/") for path in log.paths]
    relative: dict[str, list[int]] = defaultdict(list)
    for index, path in enumerate(slashed):
        if not _is_absolute(path):
            relative[path.removeprefix("./")].append(index)
    longer: dict[int, list[int]] = defaultdict(list)
    for index, path in enumerate(slashed):
        if not _is_absolute(path):
            continue
        cut = path.find("/")
        while cut >= 0:
            for short in relative.get(path[cut + 1 :], ()):
                longer[short].append(index)
            cut = path.find("/", cut + 1)
    return longer


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or path[1:3] == ":/"


def same_file(log: FamilyLog) -> list[frozenset[int]]:
    """For each path, the paths that may name the same file, itself included."""
    alike = [{index} for index in range(len(log.paths))]
    for short, longs in _longer(log).items():
        for long in longs:
            alike[short].add(long)
            alike[long].add(short)
    return [frozenset(paths) for paths in alike]


def file_ids(log: FamilyLog) -> Ints:
    """Give each path the index of its file's absolute path, where only one can be meant."""
    ids = np.arange(len(log.paths), dtype=np.int32)
    for short, longs in _longer(log).items():
        if len(longs) == 1:
            ids[short] = longs[0]
    return ids
