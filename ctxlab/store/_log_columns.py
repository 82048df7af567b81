"""Columns of a `FamilyLog` from the stored rows of its sources, once their order is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab import log
from ctxlab.store._columns import Ragged, Rows, Words
from ctxlab.store._order import Order
from ctxlab.store._relations import Paired, Threads

__all__ = [
    "call_columns",
    "edit_columns",
    "i32",
    "in_order",
    "index_texts",
    "known_codes",
    "line_columns",
    "mark_columns",
    "pointer_columns",
    "span_columns",
    "touch_columns",
    "with_event",
]

Bigs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]


def i32(values: Any) -> Ints:
    """Give whole numbers in the width that logs use for indices."""
    return np.asarray(values).astype(np.int32)


def with_event(rows: Rows, first_event: Bigs) -> Rows:
    """Add to rows that name (source, seq) the index of their stored event."""
    event = first_event[rows.source] + rows["seq"]
    return replace(rows, columns={**rows.columns, "event": event})


def in_order(rows: Rows, order: Order) -> Rows:
    """Sort rows by the position of their event, then as stored."""
    return rows.take(np.argsort(order.position[rows["event"]], kind="stable"))


def index_texts(*columns: Words) -> tuple[tuple[str, ...], tuple[Ints, ...]]:
    """Number the texts that the columns use, in sorted order; null and empty ones get -1."""
    parts = [np.unique(column.codes, return_inverse=True) for column in columns]
    texts = [
        [column.words[code] if code >= 0 else "" for code in used.tolist()]
        for column, (used, _) in zip(columns, parts, strict=True)
    ]
    names = sorted({text for group in texts for text in group if text})
    number = {name: i for i, name in enumerate(names)} | {"": -1}
    codes = (
        np.array([number[text] for text in group], np.int32)[inverse]
        for group, (_, inverse) in zip(texts, parts, strict=True)
    )
    return tuple(names), tuple(codes)


def known_codes(column: Words, known: tuple[str, ...], missing: int = -1) -> npt.NDArray[np.int8]:
    """Index texts into the fixed tuple `known`."""
    number = {name: i for i, name in enumerate(known)}
    table = [number.get(word, missing) for word in column.words]
    return np.array([*table, missing], np.int8)[column.codes]


def call_columns(
    events: Rows, order: Order, threads: Threads, requests: Bigs, calls: Paired, tool: Ints
) -> log.Calls:
    """Build the calls; size, error and mentions are those of the result."""
    answered = calls.result >= 0
    result = np.where(answered, calls.result, 0)
    mentions = events["mention_ids"][calls.result[answered]].tuples()
    given = iter(mentions)
    return log.Calls(
        source=i32(events.source[calls.row]),
        thread=i32(threads.of_event[calls.row]),
        request=i32(requests[calls.row]),
        call_at=i32(order.position[calls.row]),
        result_at=i32(np.where(answered, order.position[result], -1)),
        tool=tool,
        kind=known_codes(
            events["tool_kind"][calls.row], log.TOOL_KINDS, log.TOOL_KINDS.index("other")
        ),
        is_error=answered & events["is_error"][result],
        result_bytes=np.where(answered, events["text_bytes"][result], 0),
        mentions=tuple(next(given) if has else () for has in answered.tolist()),
    )


def span_columns(spans: Rows, calls: Paired, path: Ints) -> log.Spans:
    """Build the spans, whose lines stand one after the other."""
    n_lines = spans["line_ids"].counts
    return log.Spans(
        call=i32(calls.of_row[spans["event"]]),
        path=path,
        first_line=i32(spans["first_line"]),
        n_lines=i32(n_lines),
        offset=np.cumsum(n_lines) - n_lines,
        origin=known_codes(spans["origin"], log.SPAN_ORIGINS),
        numbered=spans["numbered"],
        total_lines=i32(spans["total_lines"]),
    )


def line_columns(spans: Rows) -> log.Lines:
    """Build the lines of all spans."""
    return log.Lines(
        ids=spans["line_ids"].flat(),
        text_bytes=spans["text_bytes"].flat(),
        text_chars=spans["text_chars"].flat(),
        delivered_bytes=spans["delivered_bytes"].flat(),
    )


def edit_columns(edits: Rows, order: Order, threads: Threads, path: Ints) -> log.Edits:
    """Build the changes of files."""
    ops = edits["ops"]
    return log.Edits(
        at=i32(order.position[edits["event"]]),
        thread=i32(threads.of_event[edits["event"]]),
        path=path,
        kind=known_codes(edits["kind"], log.EDIT_KINDS),
        evidence=known_codes(edits["evidence"], log.EDIT_EVIDENCE),
        old_start=i32(edits["old_start"]),
        new_start=i32(edits["new_start"]),
        ops=tuple(ops.words[code] if code >= 0 else "" for code in ops.codes.tolist()),
        line_ids=edits["line_ids"].tuples(),
    )


def pointer_columns(pointers: Rows, calls: Paired, path: Ints) -> log.Pointers:
    """Build the pointers, one entry a withheld range."""
    first: Ragged = pointers["first_lines"]
    each = np.repeat(np.arange(len(pointers)), first.counts)
    return log.Pointers(
        pointer=i32(each),
        call=i32(calls.of_row[pointers["event"]][each]),
        path=path[each],
        first_line=i32(first.flat()),
        last_line=i32(pointers["last_lines"].flat()),
        pointer_bytes=pointers["pointer_bytes"][each],
    )


def touch_columns(events: Rows, calls: Paired, path: Ints) -> log.Touches:
    """Build what calls work on; `path` numbers all touched paths of the calls in order."""
    kinds: Ragged = events["touch_kinds"][calls.row]
    return log.Touches(
        call=i32(np.repeat(np.arange(len(calls.row)), kinds.counts)),
        path=path,
        kind=known_codes(kinds.flat(), log.TOUCH_KINDS),
    )


def mark_columns(events: Rows, order: Order, threads: Threads, calls: Paired) -> log.Marks:
    """Build the events that change the context."""
    kind = known_codes(events["kind"], log.MARK_KINDS)
    rows = order.rows[kind[order.rows] >= 0]
    cleared = _cleared(events, rows, threads, calls)
    return log.Marks(
        at=i32(order.position[rows]),
        thread=i32(threads.of_event[rows]),
        kind=kind[rows],
        rewind_to=i32([_rewound(events, order, row) for row in rows.tolist()]),
        cleared=cleared,
    )


def _rewound(events: Rows, order: Order, row: int) -> int:
    """Position gone back to: the last event before with the identity named, in the same thread."""
    target = events["rewind_to"][row]
    if target == 0:
        return -1
    same = (events["uid"] == target) & (events["thread"].codes == events["thread"].codes[row])
    before = order.position[same]
    return int(before[before < order.position[row]].max(initial=-1))


def _cleared(
    events: Rows, rows: Bigs, threads: Threads, calls: Paired
) -> tuple[tuple[int, ...], ...]:
    """Calls that each mark names as cleared, in its own thread."""
    lists: Ragged = events["cleared_calls"][rows]
    if not lists.counts.any():
        return ((),) * len(rows)
    names: Words = events["call_id"][calls.row]
    found = {
        (thread, names.words[code]): i
        for i, (thread, code) in enumerate(
            zip(threads.of_event[calls.row].tolist(), names.codes.tolist(), strict=True)
        )
        if code >= 0
    }
    words = lists.values.words  # type: ignore[union-attr]
    return tuple(
        tuple(found[thread, words[c]] for c in codes if (thread, words[c]) in found)
        for thread, codes in zip(threads.of_event[rows].tolist(), lists.tuples(), strict=True)
    )
