"""Served sections line by line, and when each line was delivered again.

A section is the distinct lines of one file in one result. Steps are numbers of actions; `NEVER`
stands for a line that did not come back in the window.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ctxlab.fallback._order import ThreadOrder, file_ids
from ctxlab.log import Bigs, Bools, FamilyLog, Ints

__all__ = ["NEVER", "Deliveries", "Sections", "deliveries", "nth_steps", "sections", "share_steps"]

NEVER = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True, eq=False)
class Sections:
    """Sections in the order of their calls, and their lines one section after the other.

    `span` is the first span of each section. `section` gives each line's section, `place` numbers
    the lines of the family by file and line number, `worded` by file, line number and text.
    """

    call: Ints
    thread: Ints
    file: Ints
    span: Ints
    n_lines: Ints
    section: Ints
    place: Bigs
    worded: Bigs

    def only(self, kept: Bools) -> Sections:
        """Keep some sections; numbers of lines stay comparable."""
        lines = kept[self.section]
        number = np.cumsum(kept, dtype=np.int32) - 1
        return Sections(
            self.call[kept],
            self.thread[kept],
            self.file[kept],
            self.span[kept],
            self.n_lines[kept],
            number[self.section[lines]],
            self.place[lines],
            self.worded[lines],
        )


def sections(log: FamilyLog) -> Sections:
    """Merge the spans of one file in one result; of a line delivered twice, the later text."""
    spans, files = log.spans, file_ids(log)
    span = np.repeat(np.arange(len(spans), dtype=np.int32), spans.n_lines)
    within = np.arange(len(span)) - np.repeat(
        np.cumsum(spans.n_lines) - spans.n_lines, spans.n_lines
    )
    number = spans.first_line[span] + within
    text = log.lines.ids[spans.offset[span] + within]
    _, first, section = np.unique(
        spans.call[span] * np.int64(len(log.paths)) + files[spans.path[span]],
        return_index=True,
        return_inverse=True,
    )
    height = int(number.max(initial=0)) + 1
    kept = _last_of_each(section * np.int64(height) + number)
    section = section[kept]
    _, place = np.unique(
        files[spans.path[span[kept]]] * np.int64(height) + number[kept], return_inverse=True
    )
    texts, word = np.unique(text[kept], return_inverse=True)
    _, worded = np.unique(place * np.int64(len(texts)) + word, return_inverse=True)
    call = spans.call[span[first]]
    return Sections(
        call=call,
        thread=log.calls.thread[call],
        file=files[spans.path[span[first]]],
        span=span[first],
        n_lines=np.bincount(section, minlength=len(first)).astype(np.int32),
        section=section.astype(np.int32),
        place=place,
        worded=worded,
    )


def _last_of_each(key: Bigs) -> Bigs:
    """Indices of the last entry of each key, in the order of keys."""
    _, from_end = np.unique(key[::-1], return_index=True)
    return len(key) - 1 - from_end


@dataclass(frozen=True, slots=True, eq=False)
class Deliveries:
    """Every delivery of a line to a thread, sorted by line and rank of the call.

    `key` holds thread, line and rank in one number; `at` is the position of the delivery.
    """

    key: Bigs
    at: Ints
    n_ids: int
    n_ranks: int

    def group(self, thread: Ints, line: Bigs) -> Bigs:
        """Give the key of rank 0 for lines in threads."""
        return (thread * np.int64(self.n_ids) + line) * np.int64(self.n_ranks)


def deliveries(
    log: FamilyLog, order: ThreadOrder, served: Sections, line: Bigs, starter: Ints | None
) -> Deliveries:
    """List when each line (`place` or `worded`) reached each thread.

    With `starter` (the call that started each thread), what a sub-agent got also counts for the
    threads above it, at the call through which they started it.
    """
    call = served.call[served.section]
    at = order.done[call]
    parts = [(log.calls.thread[call], order.rank[call], line, at)]
    while starter is not None and len(call):
        above = starter[log.calls.thread[call]]
        started = above >= 0
        call, line, at = above[started], line[started], at[started]
        parts.append((log.calls.thread[call], order.rank[call], line, at))
    thread, rank, line, at = (np.concatenate(column) for column in zip(*parts, strict=True))
    n_ids, n_ranks = int(line.max(initial=0)) + 1, int(order.rank.max(initial=0)) + 2
    key = (thread * np.int64(n_ids) + line) * np.int64(n_ranks) + rank
    by_key = np.lexsort((at, key))
    return Deliveries(key[by_key], at[by_key], n_ids, n_ranks)


def nth_steps(
    found: Deliveries,
    watched: Sections,
    line: Bigs,
    base: Ints,
    stop: Ints,
    limit: int,
    times: int,
) -> Iterator[Ints]:
    """Give, for each watched line, the action that delivered it a first, second, … time more.

    Actions are counted from `base` (a rank) to `limit`; deliveries from `stop` on do not count.
    """
    group = found.group(watched.thread[watched.section], line)
    base, stop = base[watched.section], stop[watched.section]
    rank = base.astype(np.int64)
    alive = np.full(len(group), len(found.key) > 0)
    for _ in range(times):
        index = np.searchsorted(found.key, group + rank + 1)
        alive &= index < len(found.key)
        index = np.where(alive, index, 0)
        if alive.any():
            rank = np.where(alive, found.key[index] - group, rank)
            alive &= (rank < found.n_ranks) & (rank - base <= limit) & (found.at[index] < stop)
        rank = np.where(alive, rank, base)
        yield np.where(alive, rank - base, NEVER).astype(np.int32)


def share_steps(watched: Sections, steps: Ints, rho: float) -> Ints:
    """Give, for each section, the action by which a share of its lines (any, for 0) had come."""
    needed = np.maximum(np.ceil(rho * watched.n_lines - 1e-9).astype(np.int64), 1)
    by_step = np.lexsort((steps, watched.section))
    first = np.cumsum(watched.n_lines) - watched.n_lines
    reached: Ints = steps[by_step[first + needed - 1]]
    return reached
