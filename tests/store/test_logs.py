from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxlab import log
from ctxlab.errors import StoreError
from ctxlab.events import (
    Edit,
    Event,
    Hunk,
    Item,
    Pointer,
    Prefix,
    Span,
    Thread,
    Touch,
    Transcript,
    Usage,
)

AGENT = "claude_code"


def end(session: str, parent: str | None = None, started: int | None = None) -> Transcript:
    return Transcript(AGENT, "1", session, parent_session_id=parent, started_ms=started)


def prompt(uid: str | None, ts: int | None = None, thread: str = "main") -> Event:
    return Event(thread, "prompt", uid=uid, ts_ms=ts)


def read(
    name: str | None,
    ts: int | None = None,
    thread: str = "main",
    request: int | None = 0,
    lines: Sequence[str] = ("one", "two"),
    call: str | None = None,
) -> list[Event]:
    """A Read call and its result; without a name they have no identity."""
    call = call or f"call-{name}"
    made: dict[str, Any] = {"ts_ms": ts, "request": request, "call_id": call, "tool": "Read"}
    made |= {"tool_kind": "read", "touches": (Touch("/a.py", "read"),)}
    span = Span("/a.py", 1, tuple(lines), "read", Prefix(6, 1))
    return [
        Event(thread, "call", uid=name and f"{name}-call", **made),
        Event(
            thread,
            "result",
            uid=name and f"{name}-result",
            is_error=False,
            text_bytes=50,
            spans=(span,),
            **made,
        ),
    ]


def usage(uid: str | None, request: int = 0, output: int | None = 5, thread: str = "main") -> Usage:
    return Usage(thread, request, uid, "m", None, 1, 2, 3, output)


def one(store: Any) -> log.FamilyLog:
    (found,) = store.iter_logs()
    return found


def test_a_single_transcript(put: Callable[..., Any]) -> None:
    items = [
        Thread("main"),
        prompt("p", 1),
        *read("r", 2),
        Event("main", "compaction", uid="k", ts_ms=3),
        usage("msg"),
        end("s", started=1),
    ]
    found = one(put({"/a": items}))
    assert (found.family, found.agent, found.started_ms) == ("s", AGENT, 1)
    assert (found.threads, found.tools, found.paths) == (("main",), ("Read",), ("/a.py",))
    assert found.is_main.tolist() == [True]
    assert found.n_events == 4
    assert found.calls.call_at.tolist() == [1]
    assert found.calls.result_at.tolist() == [2]
    assert found.calls.result_bytes.tolist() == [50]
    assert [log.TOOL_KINDS[k] for k in found.calls.kind] == ["read"]
    assert found.spans.n_lines.tolist() == [2]
    assert found.lines.delivered_bytes.tolist() == [11, 11]
    assert [log.MARK_KINDS[k] for k in found.marks.kind] == ["prompt", "compaction"]
    assert found.touches.path.tolist() == [0]
    assert found.usage.output_tokens.tolist() == [5]
    assert found.usage.request.tolist() == found.calls.request.tolist() == [0]


def test_types_are_those_declared(put: Callable[..., Any]) -> None:
    found = one(put({"/a": [*read("r"), usage("m"), end("s")]}))
    wanted = {"Ints": "i4", "Bigs": "i8", "Codes": "i1", "Bools": "b1", "Ids": "u8", "Sizes": "u4"}
    parts = (found, found.calls, found.spans, found.lines, found.edits, found.marks)
    for part in (*parts, found.pointers, found.touches, found.usage):
        for name, kind in type(part).__annotations__.items():
            if kind in wanted:
                assert getattr(part, name).dtype == np.dtype(wanted[kind]), (type(part), name)


def test_snapshots_of_one_session_stand_once(put: Callable[..., Any]) -> None:
    early = [prompt("p", 1), *read("r", 2), usage("msg", output=5), end("s", started=1)]
    late = [prompt("p", 1), *read("r", 2), *read("q", 3, request=1)]
    late += [usage("msg", output=9), usage("msg2", 1), end("s", started=1)]
    found = one(put({"/a": early}, {"/b": late}))
    assert len(found.sources) == 2
    assert found.n_events == 5
    assert found.calls.source.tolist() == [0, 1]
    assert found.calls.request.tolist() == [0, 1]
    assert found.usage.output_tokens.tolist() == [9, 5]


def test_a_result_cut_off_in_one_snapshot_comes_from_the_other(put: Callable[..., Any]) -> None:
    call, result = read("r", 2)
    found = one(put({"/a": [call, end("s")], "/b": [call, result, end("s")]}))
    assert found.n_events == 2
    assert found.calls.result_at.tolist() == [1]
    assert len(found.lines) == 2


def test_segments_of_one_session_follow_each_other(put: Callable[..., Any]) -> None:
    call, result = read("r", 2)
    first = [prompt("p", 1), call, end("s", started=1)]
    second = [result, prompt("p2", 4), end("s", started=2)]
    found = one(put({"/b-first": first, "/a-second": second}))
    assert found.threads == ("main",)
    assert found.calls.call_at.tolist() == [1]
    assert found.calls.result_at.tolist() == [2]
    assert found.marks.at.tolist() == [0, 3]


def test_sub_agents_are_threads_of_their_parent(put: Callable[..., Any]) -> None:
    main = [Thread("main"), Thread("x", "main", "call-t"), *read("m", 1), end("s", started=1)]
    agent = [Thread("x"), *read("a", 2, thread="x"), end("s", started=2)]
    found = one(put({"/s.jsonl": main}, {"/s/agent-x.jsonl": agent}))
    assert found.threads == ("main", "x")
    assert found.is_main.tolist() == [True, False]
    assert found.thread_parent.tolist() == [-1, 0]
    assert found.thread_source.tolist() == [0, 1]
    assert found.thread_session.tolist() == [0, 0]
    assert found.calls.thread.tolist() == [0, 1]


def test_a_resumed_copy_is_a_thread_of_its_own_without_the_copied_events(
    put: Callable[..., Any],
) -> None:
    old = [prompt("p", 1), *read("r", 2), usage("msg"), end("s", started=1)]
    new = [prompt("p", 1), *read("r", 2), *read("q", 9, request=1)]
    new += [usage("msg"), usage("msg2", 1), end("s2", parent="s", started=1)]
    found = one(put({"/a": old, "/b": new}))
    assert found.family == "s"
    assert found.threads == ("main", "main")
    assert found.thread_session.tolist() == [0, 1]
    assert found.calls.thread.tolist() == [0, 1]
    assert len(found.usage) == 2


def test_a_shared_response_makes_a_family(put: Callable[..., Any]) -> None:
    (found,) = put({"/a": [usage("msg"), end("s")], "/b": [usage("msg"), end("t")]}).iter_logs()
    assert len(found.usage) == 1
    apart = put({"/a": [usage("msg"), end("s")], "/b": [usage("other"), end("t")]})
    assert [family.name for family in apart.families()] == ["s", "t"]


def test_events_without_identity_are_never_merged(put: Callable[..., Any]) -> None:
    items = [prompt(None, 1), *read(None, 2), end("s")]
    found = one(put({"/a": items, "/b": [*items[:-1], prompt(None, 3), end("s")]}))
    assert found.n_events == 7
    assert found.calls.result_at.tolist() == [3, 5]
    assert found.calls.source.tolist() == [0, 1]


def test_a_file_of_equal_bytes_counts_once(put: Callable[..., Any]) -> None:
    items = [prompt(None, 1), *read(None, 2), end("s")]
    found = one(put({"/a": items, "/backup/a": items}))
    assert len(found.sources) == 2
    assert found.n_events == 3


def test_repeats_of_an_identity_within_one_file_stay(put: Callable[..., Any]) -> None:
    items = [prompt("p", 1), prompt("p", 2), end("s")]
    found = one(put({"/a": items, "/b": [*items[:2], prompt("q", 3), end("s")]}))
    assert found.n_events == 3


def test_positions_follow_the_clock_and_never_a_step_back_of_it(put: Callable[..., Any]) -> None:
    a = [prompt("a1", 10), prompt("a2", 5), prompt("a3", None), prompt("a4", 30), end("s")]
    b = [prompt("b1", None), prompt("b2", 20), end("s", started=99)]
    found = one(put({"/a": [*a[:-1], end("s", started=1)], "/b": b}))
    assert found.n_events == 6
    # a1 a2 a3 (all at 10), then b1 b2 (at 20), then a4
    store = put({"/a": [*a[:-1], *read("r", 30), end("s", started=1)], "/b": b})
    assert one(store).calls.call_at.tolist() == [6]
    late = put({"/a": [*a[:-1], end("s", started=1)], "/b": [*b[:-1], *read("r", 20), b[-1]]})
    assert one(late).calls.call_at.tolist() == [5]


def test_parallel_calls_share_their_request(put: Callable[..., Any]) -> None:
    first, second = read("r", 1), read("q", 1)
    items = [first[0], second[0], second[1], first[1], usage("m"), end("s")]
    found = one(put({"/a": items}))
    assert found.calls.request.tolist() == [0, 0]
    assert found.calls.result_at.tolist() == [3, 2]
    assert found.spans.call.tolist() == [1, 0]


def test_a_result_without_its_call_stands_for_it(put: Callable[..., Any]) -> None:
    found = one(put({"/a": [read("r", 1)[1], end("s")]}))
    assert found.calls.call_at.tolist() == found.calls.result_at.tolist() == [0]
    assert len(found.spans) == 1


def test_an_interrupted_call_has_no_result(put: Callable[..., Any]) -> None:
    found = one(put({"/a": [read("r", 1)[0], end("s")]}))
    assert found.calls.result_at.tolist() == [-1]
    assert found.calls.result_bytes.tolist() == [0]
    assert found.calls.is_error.tolist() == [False]


def test_marks_name_calls_and_positions(put: Callable[..., Any]) -> None:
    cleared = Event("main", "microcompaction", uid="k", cleared_calls=("call-r", "gone"))
    rewind = Event("main", "rewind", uid="w", rewind_to="p")
    nowhere = Event("main", "rewind", uid="w2", rewind_to="never")
    found = one(put({"/a": [prompt("p"), *read("r"), cleared, rewind, nowhere, end("s")]}))
    assert found.marks.cleared == ((), (0,), (), ())
    assert found.marks.rewind_to.tolist() == [-1, -1, 0, -1]


def test_edits_pointers_and_mentions(put: Callable[..., Any]) -> None:
    call, result = read("r", 1)
    hunk = Hunk(3, 4, "-+", ("old", "new"))
    full = Event(
        "main",
        "result",
        uid="u",
        call_id="call-r",
        tool="x",
        tool_kind="mcp",
        edits=(Edit("/b.py", "hunks", (hunk,)), Edit("/c.py", "unknown", evidence="shell")),
        pointers=(Pointer("/b.py", ((1, 2), (5, 6)), 193), Pointer("/a.py", ((7, 7),), 182)),
        mentions=("b.py",),
    )
    del result
    found = one(put({"/a": [call, full, end("s")]}))
    assert found.paths == ("/a.py", "/b.py", "/c.py")
    assert found.edits.path.tolist() == [1, 2]
    assert found.edits.old_start.tolist() == [3, -1]
    assert found.edits.ops == ("-+", "")
    assert [len(ids) for ids in found.edits.line_ids] == [2, 0]
    assert found.pointers.pointer.tolist() == [0, 0, 1]
    assert found.pointers.last_line.tolist() == [2, 6, 7]
    assert found.pointers.path.tolist() == [1, 1, 0]
    assert found.calls.mentions == ((int(found.path_name_ids[1]),),)


def test_lone_surrogates_are_lines_like_others(put: Callable[..., Any]) -> None:
    lines = ("\ud800", "plain", "\ud800")
    found = one(put({"/a": [*read("r", lines=lines), *read("q", lines=("plain",)), end("s")]}))
    ids = found.lines.ids.tolist()
    assert ids[0] == ids[2] != ids[1] == ids[3]


def test_equal_names_of_two_agents_are_two_families(put: Callable[..., Any]) -> None:
    other = Transcript("codex", "1", "s")
    store = put({"/a": [prompt("p"), end("s")], "/b": [prompt("p"), other]})
    assert [family.name for family in store.families()] == ["claude_code:s", "codex:s"]


def test_families_by_name(put: Callable[..., Any]) -> None:
    store = put({"/a": [prompt("p"), end("s")], "/b": [prompt("p"), end("t")]})
    assert [found.family for found in store.iter_logs(["t"])] == ["t"]
    with pytest.raises(StoreError, match="has no family 'u'"):
        store.iter_logs(["u"])


def test_the_hash_changes_with_any_file(put: Callable[..., Any]) -> None:
    a, b = [prompt("p"), end("s")], [prompt("q"), end("s")]
    hashes = {one(put({"/a": a})).content_hash, one(put({"/a": a, "/b": b})).content_hash}
    assert len(hashes) == 2
    assert one(put({"/b": b}, {"/a": a})).content_hash in hashes


def test_an_empty_store_has_no_logs(put: Callable[..., Any]) -> None:
    assert list(put().iter_logs()) == []


_names = st.sampled_from(["main", "x"])
_stamps = st.none() | st.integers(0, 9)


@st.composite
def _histories(draw: st.DrawFn) -> dict[str, list[Item]]:
    """Files that are cuts of shared histories, with events of their own."""
    pool = [
        draw(
            st.sampled_from(
                [
                    [prompt(f"p{i}", draw(_stamps), draw(_names))],
                    read(f"r{i}", draw(_stamps), draw(_names), request=i),
                    read(None, draw(_stamps), request=i, call=f"n{i}"),
                    [*read(f"u{i}", draw(_stamps), request=i), usage(f"m{i}", i, i)],
                    [Event("main", "rewind", uid=f"w{i}", rewind_to="p0")],
                    [Event("main", "microcompaction", uid=f"k{i}", cleared_calls=("call-r1",))],
                ]
            )
        )
        for i in range(6)
    ]
    files: dict[str, list[Item]] = {}
    for i in range(draw(st.integers(1, 5))):
        a, b = sorted((draw(st.integers(0, 6)), draw(st.integers(0, 6))))
        session = draw(st.sampled_from("stu"))
        items = [item for group in pool[a:b] for item in group]
        parent = draw(st.sampled_from([None, "s"]))
        files[f"/logs/{i}"] = [*items, end(session, parent, draw(_stamps))]
    return files


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=_histories(), seed=st.randoms(use_true_random=False), size=st.integers(1, 9))
def test_logs_do_not_depend_on_the_order_and_batches_of_ingest(
    put: Callable[..., Any],
    plain: Callable[[Any], Any],
    files: dict[str, list[Item]],
    seed: random.Random,
    size: int,
) -> None:
    def logs(store: Any, batch_bytes: int) -> dict[str, Any]:
        return {found.family: plain(found) for found in store.iter_logs(batch_bytes=batch_bytes)}

    expected = logs(put(files), 1 << 20)
    paths = list(files)
    seed.shuffle(paths)
    cut = seed.randint(0, len(paths))
    stale = {paths[0]: [prompt("stale"), end("stale")]}
    shards = [stale, {p: files[p] for p in paths[:cut]}, {p: files[p] for p in paths[cut:]}]
    assert logs(put(*[shard for shard in shards if shard]), size) == expected
