"""Rows of one family's sources → its `FamilyLog`."""

from __future__ import annotations

import numpy as np

from ctxlab import log
from ctxlab.store._answer_log import read_answers
from ctxlab.store._columns import Rows
from ctxlab.store._families import Family
from ctxlab.store._identity import base_name, hash_texts
from ctxlab.store._log_columns import (
    call_columns,
    edit_columns,
    i32,
    in_order,
    index_texts,
    line_columns,
    mark_columns,
    pointer_columns,
    span_columns,
    touch_columns,
    with_event,
)
from ctxlab.store._order import order_events
from ctxlab.store._relations import find_requests, find_threads, pair_calls
from ctxlab.store._texts import read_texts

__all__ = ["COLUMNS", "assemble"]

COLUMNS: dict[str, tuple[str, ...]] = {
    "threads": ("thread", "parent_thread"),
    "events": (
        *("uid", "thread", "ts_ms", "kind", "request", "call_id", "tool", "tool_kind"),
        *("is_error", "text_bytes", "touch_paths", "touch_kinds", "mention_ids"),
        *("cleared_calls", "rewind_to"),
    ),
    "spans": (
        *("seq", "path", "first_line", "origin", "numbered", "total_lines"),
        *("line_ids", "text_bytes", "text_chars", "delivered_bytes"),
    ),
    "pointers": ("seq", "path", "first_lines", "last_lines", "pointer_bytes"),
    "edits": (*("seq", "path", "kind", "evidence", "old_start", "new_start", "ops", "line_ids"),),
    "requests": (
        *("request", "thread", "uid", "model", "uncached_input_tokens", "cache_read_tokens"),
        *("cache_write_tokens", "output_tokens", "output_reliable"),
    ),
}
"""Columns of each table that a log is made of."""


def assemble(family: Family, tables: dict[str, Rows], key: str) -> log.FamilyLog:
    """Build the log of a family from the rows of its sources, numbered as its members.

    Its texts and answers are there if their tables are.
    """
    events = tables["events"]
    order = order_events(events)
    threads = find_threads(family, tables, order)
    models, (model,) = index_texts(tables["requests"]["model"])
    requests, usage = find_requests(tables, order, threads, model)
    calls = pair_calls(events, order, threads)
    of_event = np.searchsorted(events.source, np.arange(len(family.members)))
    spans, edits, pointers = (
        with_event(tables[name], of_event) for name in ("spans", "edits", "pointers")
    )
    spans = in_order(spans.take(calls.of_row[spans["event"]] >= 0), order)
    pointers = in_order(pointers.take(calls.of_row[pointers["event"]] >= 0), order)
    edits = in_order(edits.take(order.kept[edits["event"]]), order)
    touched = events["touch_paths"][calls.row].flat()
    paths, (span_path, edit_path, pointer_path, touch_path) = index_texts(
        spans["path"], edits["path"], pointers["path"], touched
    )
    texts = None
    if "prompts" in tables:
        texts, paths = read_texts(family, tables, order, threads, of_event, paths)
    answers = read_answers(tables, order, calls, of_event) if "answers" in tables else None
    tools, (tool,) = index_texts(events["tool"][calls.row])
    return log.FamilyLog(
        family=family.name,
        agent=family.members[0].agent,
        content_hash=family.content_hash,
        started_ms=family.members[0].started_ms,
        sources=tuple(member.source_id for member in family.members),
        versions=tuple(member.agent_version for member in family.members),
        models=models,
        threads=threads.names,
        thread_source=i32(threads.source),
        thread_parent=i32(threads.parent),
        thread_session=i32(threads.session),
        is_main=np.array([name == "main" for name in threads.names], np.bool_),
        tools=tools,
        paths=paths,
        path_name_ids=hash_texts([base_name(path) for path in paths], key),
        n_events=len(order.rows),
        calls=call_columns(events, order, threads, requests, calls, tool),
        spans=span_columns(spans, calls, span_path),
        lines=line_columns(spans),
        edits=edit_columns(edits, order, threads, edit_path),
        marks=mark_columns(events, order, threads, calls),
        pointers=pointer_columns(pointers, calls, pointer_path),
        touches=touch_columns(events, calls, touch_path),
        usage=usage,
        texts=texts,
        answers=answers,
    )
