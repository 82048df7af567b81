"""Two logs that are the same but for names: what must be equal is compared number by number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.dedup.walk import dedup_facts
from ctxlab.economics.tokens import calibrate
from ctxlab.events import ToolKind
from ctxlab.fallback import context_tools, reobtained, sufficiency
from ctxlab.fallback._order import file_ids, same_file
from ctxlab.log import FamilyLog
from ctxlab.residency import residence, unrecorded_changes

Array = npt.NDArray[Any]
ANY_SOURCE: tuple[ToolKind, ...] = ("read", "grep", "shell", "mcp", "edit")
EVERY_REPLAY: tuple[dict[str, Any], ...] = tuple(
    {"tools": tools, "proof": proof, "record_scope": scope}
    for tools in (("read",), ANY_SOURCE)
    for proof in ("line_text", "hunks", "whole_file")
    for scope in ("connection", "thread")
)


def by_first_use(values: Any) -> list[int]:
    """Number values by first appearance; -1 stays."""
    seen: dict[int, int] = {-1: -1}
    return [seen.setdefault(int(value), len(seen) - 1) for value in values]


def assert_same_log(a: FamilyLog, b: FamilyLog) -> None:
    assert a.n_events == b.n_events
    assert len(a.sources) == len(b.sources)
    renamed = {
        "path": (a.spans.path, a.edits.path, a.pointers.path, a.touches.path),
        "line": (a.lines.ids, *map(np.array, a.edits.line_ids)),
        "thread": (a.calls.thread, a.marks.thread, a.edits.thread, a.usage.thread),
        "tool": (a.calls.tool,),
    }
    other = {
        "path": (b.spans.path, b.edits.path, b.pointers.path, b.touches.path),
        "line": (b.lines.ids, *map(np.array, b.edits.line_ids)),
        "thread": (b.calls.thread, b.marks.thread, b.edits.thread, b.usage.thread),
        "tool": (b.calls.tool,),
    }
    for name, columns in renamed.items():
        one, two = np.concatenate(columns), np.concatenate(other[name])
        assert by_first_use(one) == by_first_use(two), name
    same = {
        "calls": ("source", "call_at", "result_at", "kind", "is_error", "result_bytes"),
        "spans": ("call", "first_line", "n_lines", "offset", "origin", "numbered", "total_lines"),
        "lines": ("text_bytes", "text_chars", "delivered_bytes"),
        "edits": ("at", "kind", "evidence", "old_start", "new_start"),
        "marks": ("at", "kind"),
        "pointers": ("pointer", "call", "first_line", "last_line", "pointer_bytes"),
        "touches": ("call", "kind"),
    }
    for table, columns in same.items():
        for column in columns:
            one, two = (getattr(getattr(log, table), column) for log in (a, b))
            np.testing.assert_array_equal(one, two, err_msg=f"{table}.{column}")
    assert a.edits.ops == b.edits.ops
    assert [sorted(c) for c in a.marks.cleared] == [sorted(c) for c in b.marks.cleared]
    _assert_same_usage(a, b)
    _assert_same_paths(a, b)


def _assert_same_usage(a: FamilyLog, b: FamilyLog) -> None:
    """Requests may be numbered anew, in the same order."""
    ranks = [
        np.unique(np.concatenate([log.usage.request, log.calls.request]), return_inverse=True)[1]
        for log in (a, b)
    ]
    np.testing.assert_array_equal(*ranks)
    for column in fields(a.usage):
        if column.name not in ("request", "thread", "model"):
            one, two = (getattr(log.usage, column.name) for log in (a, b))
            np.testing.assert_array_equal(one, two, err_msg=column.name)
    assert by_first_use(a.usage.model) == by_first_use(b.usage.model)
    assert calibrate(a) == calibrate(b)


def path_pairs(a: FamilyLog, b: FamilyLog) -> dict[int, int]:
    pairs: dict[int, int] = {}
    for table in ("spans", "edits", "pointers", "touches"):
        one, two = (getattr(log, table).path.tolist() for log in (a, b))
        pairs.update(zip(one, two, strict=True))
    return pairs


def _assert_same_paths(a: FamilyLog, b: FamilyLog) -> None:
    pairs = path_pairs(a, b)
    mine = [path for path in pairs if path >= 0]
    for path in mine:
        one, two = a.paths[path], b.paths[pairs[path]]
        assert len(one.encode("utf-8")) == len(two.encode("utf-8"))
        assert len(one.encode("utf-16-le")) == len(two.encode("utf-16-le"))
    names_a = by_first_use(a.path_name_ids[mine])
    assert names_a == by_first_use(b.path_name_ids[[pairs[path] for path in mine]])
    alike_a, alike_b = same_file(a), same_file(b)
    files_a, files_b = file_ids(a), file_ids(b)
    for path in mine:
        assert {pairs[p] for p in alike_a[path] if p in pairs} == alike_b[pairs[path]]
        assert pairs.get(int(files_a[path]), -9) == files_b[pairs[path]]
    for one, two in zip(a.calls.mentions, b.calls.mentions, strict=True):
        found_a = {pairs[p] for p in mine if int(a.path_name_ids[p]) in one}
        found_b = {p for p in range(len(b.paths)) if int(b.path_name_ids[p]) in two}
        assert found_a == found_b


def assert_same_results(
    a: FamilyLog, b: FamilyLog, replays: Sequence[dict[str, Any]] = EVERY_REPLAY
) -> None:
    """What later layers make of the two logs is the same."""
    for one, two in zip(*(_columns(residence(log)) for log in (a, b)), strict=True):
        np.testing.assert_array_equal(one, two)
    pairs = path_pairs(a, b)
    found = sorted((at, pairs[path], evidence) for at, path, evidence in unrecorded_changes(a))
    assert found == sorted(unrecorded_changes(b))
    for replay in replays:
        _assert_same_facts(*(dedup_facts(log, **replay) for log in (a, b)))
    _assert_same_fallback(a, b, pairs)


def _columns(value: Any) -> list[Array]:
    return [getattr(value, column.name) for column in fields(value)]


def _assert_same_facts(a: Any, b: Any) -> None:
    for table in ("calls", "sections", "runs"):
        for column in fields(getattr(a, table)):
            one, two = (getattr(getattr(facts, table), column.name) for facts in (a, b))
            if column.name in ("thread", "log_thread", "record"):
                assert by_first_use(one) == by_first_use(two), column.name
            else:
                np.testing.assert_array_equal(one, two, err_msg=f"{table}.{column.name}")


def _assert_same_fallback(a: FamilyLog, b: FamilyLog, pairs: dict[int, int]) -> None:
    tools = {int(x): int(y) for x, y in zip(a.calls.tool, b.calls.tool, strict=True) if x >= 0}
    judged = {a.tools[x]: b.tools[y] for x, y in tools.items()}
    asked: list[Any] = [name for name in judged if name in ("Read", "Task") or "__" in name]
    for names in (*([name] for name in asked), context_tools(a)):
        one, two = sufficiency(a, names), sufficiency(b, [judged[name] for name in names])
        for column in one.columns.difference(["family", "tool", "next_tool", "thread"]):
            assert one[column].equals(two[column]), column
    for since in ("served", "compaction"):
        one, two = reobtained(a, since=since), reobtained(b, since=since)
        # Files of one result stand in the order of their paths' numbers.
        one["path"] = one["path"].map(pairs).astype("int32")
        one, two = (frame.sort_values(["call", "path"], ignore_index=True) for frame in (one, two))
        for column in one.columns.difference(["family", "tool", "thread"]):
            assert one[column].equals(two[column]), (since, column)
