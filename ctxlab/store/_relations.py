"""Which thread, which model request and which call the events of a family belong to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctxlab import log
from ctxlab.store._columns import Rows, Words
from ctxlab.store._families import Family
from ctxlab.store._order import Order, first_of_each, number_by_first_use, occurrence

__all__ = ["Paired", "Threads", "find_requests", "find_threads", "is_kind", "pair_calls"]

Bigs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads by first appearance, and the thread of each stored event and request row.

    One session's thread is one thread in whichever of its files it stands; equal names in
    different sessions are different threads.
    """

    names: tuple[str, ...]
    source: Bigs
    parent: Bigs
    session: Bigs
    of_event: Bigs
    of_request: Bigs


@dataclass(frozen=True, slots=True)
class Paired:
    """Calls by position: the stored event of each and of its result (-1: none came).

    A result whose call the files do not hold stands for the call. `of_row` gives the call of
    each stored call and result that counts, -1 for any other event.
    """

    row: Bigs
    result: Bigs
    of_row: Bigs


def is_kind(kinds: Words, name: str) -> npt.NDArray[np.bool_]:
    """Tell which rows of a text column are `name`."""
    code = kinds.words.index(name) if name in kinds.words else -2
    return np.equal(kinds.codes, code)


def find_threads(family: Family, tables: dict[str, Rows], order: Order) -> Threads:
    """Number the family's threads by the first event, then those only declared."""
    sessions: dict[str, int] = {}
    session = np.array([sessions.setdefault(m.session, len(sessions)) for m in family.members])
    events, declared, requests = (tables[name] for name in ("events", "threads", "requests"))
    names: dict[str, int] = {}
    columns = (events["thread"], declared["thread"], requests["thread"], declared["parent_thread"])
    of_event, of_declared, of_request, of_parent = (_named(column, names) for column in columns)
    n = len(names) + 1
    event_key = session[events.source] * n + of_event
    declared_key = session[declared.source] * n + of_declared
    request_key = session[requests.source] * n + of_request
    parent_key = np.where(of_parent < 0, -1, session[declared.source] * n + of_parent)
    used = np.concatenate([event_key[order.rows], declared_key, request_key])
    source = np.concatenate([events.source[order.rows], declared.source, requests.source])
    keys, first = np.unique(used, return_index=True)
    order_of = np.argsort(first)
    keys, first = keys[order_of], first[order_of]
    number = {key: i for i, key in enumerate(keys.tolist())}
    parent = np.full(len(keys), -1)
    for key, parent_of in zip(declared_key.tolist(), parent_key.tolist(), strict=True):
        if parent[number[key]] < 0:
            parent[number[key]] = number.get(parent_of, -1)
    words = list(names)
    return Threads(
        names=tuple(words[key % n] for key in keys.tolist()),
        source=source[first],
        parent=parent,
        session=keys // n,
        of_event=_lookup(keys, event_key),
        of_request=_lookup(keys, request_key),
    )


def _named(column: Words, names: dict[str, int]) -> Bigs:
    """Recode texts to numbers shared between columns; `names` grows."""
    used, inverse = np.unique(column.codes, return_inverse=True)
    code = [names.setdefault(column.words[u], len(names)) if u >= 0 else -1 for u in used.tolist()]
    return np.array(code, np.int64)[inverse]


def _lookup(keys: Bigs, wanted: Bigs) -> Bigs:
    """Index of each wanted key; -1 where it is none."""
    order = np.argsort(keys)
    at = np.searchsorted(keys[order], wanted)
    at = np.minimum(at, len(keys) - 1)
    return np.where(keys[order[at]] == wanted, order[at], -1) if len(keys) else wanted * 0 - 1


def find_requests(
    tables: dict[str, Rows], order: Order, threads: Threads, model: Ints
) -> tuple[Bigs, log.UsageRows]:
    """Number the family's model requests by first event, and count the tokens of each once.

    Returns the request of each stored event (-1: none) and the usage. `model` numbers the models
    of the request rows. Files that hold the same
    response agree on it but for output that was still growing, so the largest output counts.
    """
    events, rows = tables["events"], tables["requests"]
    asked = np.flatnonzero(events["request"] >= 0)
    source = np.concatenate([rows.source, events.source[asked]])
    local = np.concatenate([rows["request"], events["request"][asked]])
    uid = np.concatenate([rows["uid"], np.zeros(len(asked), np.uint64)])
    uid = uid[first_of_each(source, local)]  # rows come first, so events take theirs
    plain = uid == 0
    group = first_of_each(uid, np.where(plain, source, -1), np.where(plain, local, -1))
    of_event = np.full(len(events), -1)
    of_event[asked] = group[len(rows) :]
    number = number_by_first_use(of_event[order.rows], len(group))
    of_event[asked] = number[of_event[asked]]
    of_row = number[group[: len(rows)]]
    _, of_both = np.unique(np.concatenate([of_row, of_event[asked]]), return_inverse=True)
    of_row, of_event[asked] = of_both[: len(rows)], of_both[len(rows) :]
    return of_event, _usage(rows, of_row, threads, model)


def _usage(rows: Rows, request: Bigs, threads: Threads, model: Ints) -> log.UsageRows:
    best = np.lexsort((np.arange(len(rows)), rows["output_tokens"], request))
    last = np.ones(len(best), np.bool_)
    last[:-1] = request[best][1:] != request[best][:-1]
    best = best[last]
    first = first_of_each(request)[best]
    return log.UsageRows(
        request=request[best].astype(np.int32),
        source=rows.source[first].astype(np.int32),
        thread=threads.of_request[first].astype(np.int32),
        model=model[best],
        uncached_input_tokens=rows["uncached_input_tokens"][best],
        cache_read_tokens=rows["cache_read_tokens"][best],
        cache_write_tokens=rows["cache_write_tokens"][best],
        output_tokens=rows["output_tokens"][best],
        output_reliable=rows["output_reliable"][best],
    )


def pair_calls(events: Rows, order: Order, threads: Threads) -> Paired:
    """Join the nth call of an id in a thread with the nth result of that id."""
    rows = order.rows
    kinds = events["kind"][rows]
    call = rows[is_kind(kinds, "call")]
    result = rows[is_kind(kinds, "result")]
    named = events["call_id"].codes
    result = result[named[result] >= 0]
    both = np.concatenate([call, result])
    thread, name = threads.of_event[both], named[both].astype(np.int64)
    name = np.where(name < 0, -1 - both, name)  # a call without an id has no result
    n = len(call)
    nth = np.concatenate([occurrence(thread[:n], name[:n]), occurrence(thread[n:], name[n:])])
    partner = first_of_each(nth, name, thread)[n:]
    any_call = first_of_each(name, thread)[n:] < n
    answer = np.full(n, -1)
    answer[partner[partner < n]] = result[partner < n]
    orphan = result[~any_call]
    row = np.concatenate([call, orphan])
    answer = np.concatenate([answer, orphan])
    by_position = np.argsort(order.position[row], kind="stable")
    row, answer = row[by_position], answer[by_position]
    of_row = np.full(len(events), -1)
    of_row[row] = np.arange(len(row))
    of_row[answer[answer >= 0]] = np.flatnonzero(answer >= 0)
    return Paired(row, answer, of_row)
