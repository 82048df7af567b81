"""Events of a family's sources → which stand once, in which order, in which thread and request."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ctxlab.store._columns import Rows

__all__ = ["Order", "first_of_each", "number_by_first_use", "occurrence", "order_events"]

Bigs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Order:
    """`rows` are the events kept, by position; `kept` marks them among the stored ones.

    `position` gives each stored event its position; a copy has that of the event kept. `clock` is
    its time, Unix milliseconds, never running backwards within a source; -1 without a date.
    """

    rows: Bigs
    position: Bigs
    kept: npt.NDArray[np.bool_]
    clock: Bigs


def occurrence(*keys: npt.NDArray[np.generic]) -> Bigs:
    """Number, from 0, each row among the rows with equal keys, in their order."""
    n = len(keys[0])
    order = np.lexsort((np.arange(n), *keys))
    new = _starts(order, keys)
    start = np.maximum.accumulate(np.where(new, np.arange(n), 0))
    found = np.empty(n, np.int64)
    found[order] = np.arange(n) - start
    return found


def first_of_each(*keys: npt.NDArray[np.generic]) -> Bigs:
    """Give for each row the index of the first row with equal keys."""
    n = len(keys[0])
    order = np.lexsort((np.arange(n), *keys))
    new = _starts(order, keys)
    start = np.maximum.accumulate(np.where(new, np.arange(n), 0))
    found = np.empty(n, np.int64)
    found[order] = order[start]
    return found


def _starts(order: Bigs, keys: tuple[npt.NDArray[np.generic], ...]) -> npt.NDArray[np.bool_]:
    new = np.zeros(len(order), np.bool_)
    new[:1] = True
    for key in keys:
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    return new


def number_by_first_use(values: Bigs, n_values: int) -> Bigs:
    """Give each of the values 0 … n_values - 1 a number in order of first use, unused ones last."""
    first = np.full(n_values, len(values), np.int64)
    used = values >= 0
    np.minimum.at(first, values[used], np.flatnonzero(used))
    number = np.empty(n_values, np.int64)
    number[np.argsort(first, kind="stable")] = np.arange(n_values)
    return number


def order_events(events: Rows) -> Order:
    """Merge the sources of a family: copies stand once, order follows the clock.

    A copy is an event with the identity of another source's event of the same thread name. Within
    a source the order is the file's, and an event is never earlier than the one before it.
    """
    n = len(events)
    uid = events["uid"]
    thread = events["thread"].codes
    known = uid != 0
    original = np.arange(n)
    if n and events.source[-1] > 0:
        at = np.flatnonzero(known)
        nth = occurrence(events.source[at], uid[at], thread[at])
        original[at] = at[first_of_each(nth, uid[at], thread[at])]
    is_kept = original == np.arange(n)
    kept = np.flatnonzero(is_kept)
    clock = _running_clock(events)
    rows = kept[np.lexsort((kept, events.source[kept], clock[kept]))]
    position: Bigs = np.empty(n, np.int64)
    position[rows] = np.arange(len(rows))
    return Order(rows, position[original], is_kept, clock)


def _running_clock(events: Rows) -> Bigs:
    clock: Bigs = events["ts_ms"].copy()
    bounds = np.searchsorted(events.source, np.arange(int(events.source[-1:].sum()) + 2))
    for a, b in pairwise(bounds):
        part = clock[a:b]
        stamped = part[part >= 0]
        if len(stamped):
            part[: np.argmax(part >= 0)] = stamped[0]
            np.maximum.accumulate(part, out=part)
    return clock
