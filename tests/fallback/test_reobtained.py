from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import ParameterError
from ctxlab.fallback import outcome_column, reobtained
from ctxlab.log import MARK_KINDS, FamilyLog
from tests.builders import Call, agent, call, edit, lines, log_of, mark, numbered, together

READ = call("Read", numbered("a.py", 1, 10))
IDLE = call("Bash")


def first(*steps: object, **options: object) -> pd.Series:
    """Row of the first served section."""
    return reobtained(log_of(steps), **options).iloc[0]  # type: ignore[arg-type]


def test_lines_read_again() -> None:
    row = first(READ, IDLE, READ)
    assert (row.step_any, row.step_r50, row.route_any) == (2, 2, "read")
    assert [row[f"y_any_k{k}"] for k in (1, 3, 5, 10)] == [False, True, True, True]


def test_lines_not_read_again() -> None:
    row = first(READ, IDLE, call("Read", numbered("a.py", 11, 20)))
    assert pd.isna(row.step_any)
    assert pd.isna(row.route_any)
    assert not row.y_any_k10
    assert (row.stopped_by, row.actions_seen) == ("end", 2)


def test_some_lines_are_any_but_not_half() -> None:
    row = first(READ, call("Read", numbered("a.py", 7, 30)))
    assert (row.y_any_k1, row.y_r50_k1) == (True, False)


def test_half_may_come_in_parts() -> None:
    row = first(READ, *(call("Read", numbered("a.py", n, n)) for n in (2, 4, 6, 8, 10)))
    assert (row.step_any, row.step_r50) == (1, 5)


def test_a_line_that_comes_twice_counts_once_for_half() -> None:
    again = call("Read", numbered("a.py", 1, 4))
    assert pd.isna(first(READ, again, again).step_r50)


def test_spans_of_one_file_in_one_result_are_one_section() -> None:
    both = call(
        "mcp__graph", numbered("a.py", 1, 3), numbered("b.py", 1, 2), numbered("a.py", 3, 5)
    )
    frame = reobtained(log_of([both]))
    assert frame.n_lines.tolist() == [5, 2]


@pytest.mark.parametrize(
    ("by", "route"),
    [
        (call("Bash", numbered("a.py", 1, 10)), "shell"),
        (call("Grep", numbered("a.py", 5, 9)), "grep"),
        (call("mcp__graph", numbered("a.py", 1, 10)), "mcp"),
        (agent("helper", IDLE, READ), "agent"),
        (agent("outer", agent("inner", READ)), "agent"),
    ],
    ids=["shell", "grep", "context tool", "sub-agent", "sub-agent's sub-agent"],
)
def test_routes(by: Call, route: str) -> None:
    row = first(READ, IDLE, by)
    assert (row.step_r50, row.route_r50) == (2, route)
    assert pd.isna(row.own_step_r50) == (route == "agent")


def test_absolute_path_equals_the_returned_relative_one() -> None:
    served = call("mcp__graph", numbered("src/a.py", 1, 3))
    assert first(served, call("Read", numbered("/repo/src/a.py", 1, 3))).y_r50_k1
    other = call("Read", numbered("/other/src/a.py", 1, 3))
    assert not first(served, call("Read", numbered("/repo/src/a.py", 1, 3)), other).y_any_k10


def test_calls_of_the_same_response_are_no_actions() -> None:
    row = first(together(READ, READ, IDLE), IDLE)
    assert (row.actions_seen, row.y_any_k10) == (1, False)
    assert not first(together(READ, agent("helper", READ)), IDLE).y_any_k10


def test_parallel_calls_are_one_action_each() -> None:
    assert first(READ, together(IDLE, IDLE, READ)).step_any == 3


def test_sub_agent_does_not_obtain_for_a_sibling_or_its_own_past() -> None:
    frame = reobtained(log_of([agent("one", READ), agent("two", READ), READ]))
    assert frame.y_any_k10.tolist() == [False, False, False]


def test_equal_text_is_reported_apart() -> None:
    served, changed = (call("Read", lines("a.py", 1, text, "same")) for text in ("old", "new"))
    row = first(served, changed)
    assert (row.step_any, row.same_text_step_any, row.same_text_step_r50) == (1, 1, 1)
    row = first(call("Read", lines("a.py", 1, "old")), call("Read", lines("a.py", 1, "new")))
    assert row.y_any_k1
    assert pd.isna(row.same_text_step_any)


@pytest.mark.parametrize(
    ("stop", "cause", "seen"),
    [
        (call("Edit", edit("a.py")), "edit", 1),
        (agent("helper", call("Edit", edit("a.py"))), "edit", 1),
        (mark("compaction"), "compaction", 1),
        (mark("clear"), "clear", 1),
        (mark("microcompaction", cleared=[0]), "microcompaction", 1),
        (mark("rewind", rewind_to=-1), "rewind", 1),
    ],
    ids=["edit", "sub-agent's edit", "compaction", "clear", "microcompaction", "rewind"],
)
def test_the_clock_stops(stop: Call, cause: str, seen: int) -> None:
    row = first(READ, IDLE, stop, READ)
    assert (row.stopped_by, row.actions_seen, row.y_any_k10) == (cause, seen, False)
    assert first(READ, READ, stop).y_any_k10


@pytest.mark.parametrize(
    "passing",
    [
        call("Edit", edit("b.py")),
        agent("helper", IDLE, mark("compaction")),
        mark("microcompaction", cleared=[1]),
        mark("rewind", rewind_to=2),
        mark("resume"),
        mark("prompt"),
    ],
    ids=["other file", "other thread", "other result", "later branch", "resume", "prompt"],
)
def test_the_clock_goes_on(passing: Call) -> None:
    row = first(READ, IDLE, passing, READ)
    assert (row.stopped_by, row.y_any_k10) == ("end", True)


def test_an_edit_in_the_same_response_stops_at_once() -> None:
    row = first(together(READ, call("Edit", edit("a.py"))), READ)
    assert (row.stopped_by, row.actions_seen, row.y_any_k10) == ("edit", 0, False)


def test_a_later_read_in_the_edits_response_is_no_outcome() -> None:
    assert not first(READ, together(call("Edit", edit("a.py")), READ)).y_any_k10


def test_the_window_ends_at_the_limit() -> None:
    row = first(READ, IDLE, IDLE, IDLE, READ, K=(2, 3))
    assert (row.stopped_by, row.actions_seen, row.y_any_k3) == ("limit", 3, False)


def test_second_and_third_time() -> None:
    row = first(READ, READ, IDLE, READ, READ, READ)
    assert (row.step_any, row.step_any_2, row.step_any_3, row.times_any) == (1, 3, 4, 3)
    row = first(READ, READ, call("Read", numbered("a.py", 1, 2)))
    assert (row.times_any, row.times_r50) == (2, 1)


def test_after_a_compaction() -> None:
    log = log_of([READ, IDLE, mark("compaction"), IDLE, READ, mark("compaction"), IDLE])
    frame = reobtained(log, since="compaction")
    assert frame.call.tolist() == [0, 3]
    assert frame.step_any.tolist() == [2, pd.NA]
    assert frame.stopped_by.tolist() == ["compaction", "end"]
    assert frame.clock_at.tolist() == [4, 9]


@pytest.mark.parametrize(
    "gone",
    [call("Edit", edit("a.py")), mark("clear"), mark("microcompaction", cleared=[0])],
    ids=["edited", "cleared", "micro-compacted"],
)
def test_what_a_compaction_did_not_remove_is_not_followed_after_it(gone: Call) -> None:
    assert reobtained(log_of([READ, gone, mark("compaction"), READ]), since="compaction").empty


def test_calls_without_a_response_are_responses_of_their_own() -> None:
    log = log_of([READ, READ])
    log.calls.request[:] = -1
    assert reobtained(log).step_any.tolist() == [1, pd.NA]


def test_empty_logs_give_empty_frames() -> None:
    full = reobtained(log_of([READ]))
    for steps in ([], [IDLE], [mark("compaction")]):
        for since in ("served", "compaction"):
            frame = reobtained(log_of(steps), since=since)  # type: ignore[arg-type]
            assert frame.empty
            assert list(frame.columns) == list(full.columns)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"K": (0, 3)}, r"`K` must hold whole numbers of at least 1 action, got \[0, 3\]"),
        ({"K": ()}, r"`K` must hold whole numbers of at least 1 action, got \[\]"),
        ({"rho": (0.5, 1.5)}, r"`rho` must hold shares in \[0, 1\], got \[0.5, 1.5\]"),
        ({"rho": ()}, r"`rho` must hold shares in \[0, 1\], got \[\]"),
        ({"since": "edit"}, "`since` must be one of 'served', 'compaction', got 'edit'"),
    ],
)
def test_bad_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        reobtained(log_of([READ]), **options)  # type: ignore[arg-type]


def _some_lines(path: str, first_line: int, texts: str) -> Call:
    return call("Read", lines(path, first_line, *texts))


READS = st.builds(
    _some_lines,
    st.sampled_from(["a.py", "b.py"]),
    st.integers(1, 5),
    st.text(alphabet="xy", min_size=1, max_size=4),
)
SIMPLE = st.one_of(READS, READS, st.just(IDLE), st.just(call("Edit", edit("a.py"))))
STEPS = st.lists(
    st.one_of(
        SIMPLE,
        SIMPLE,
        st.lists(SIMPLE, min_size=1, max_size=3).map(lambda calls: together(*calls)),
        st.lists(SIMPLE, max_size=3).map(lambda calls: agent("helper", *calls)),
        st.sampled_from([mark("compaction"), mark("clear"), mark("rewind", rewind_to=3)]),
    ),
    max_size=14,
)


@given(STEPS)
def test_every_served_section_has_one_row(steps: list[Call]) -> None:
    log = log_of(steps)
    frame = reobtained(log)
    served = set(zip(log.spans.call.tolist(), log.spans.path.tolist(), strict=True))
    assert set(zip(frame.call, frame.path, strict=True)) == served
    assert len(frame) == len(served)


@given(STEPS, st.sampled_from(["served", "compaction"]))
def test_wider_windows_and_smaller_shares_never_lower_the_outcome(
    steps: list[Call], since: str
) -> None:
    frame = reobtained(log_of(steps), since=since)  # type: ignore[arg-type]
    for rho in (0.0, 0.5):
        for k, wider in itertools.pairwise((1, 3, 5, 10)):
            assert (frame[outcome_column(k, rho)] <= frame[outcome_column(wider, rho)]).all()
    for k in (1, 3, 5, 10):
        assert (frame[outcome_column(k, 0.5)] <= frame[outcome_column(k, 0.0)]).all()
    for wide, narrow in [("step", "own_step"), ("step", "same_text_step")]:
        assert frame[f"{wide}_any"].le(frame[f"{narrow}_any"]).fillna(True).all()
        assert (frame[f"{narrow}_any"].isna() | frame[f"{wide}_any"].notna()).all()


@given(STEPS)
def test_windows_do_not_depend_on_one_another(steps: list[Call]) -> None:
    log = log_of(steps)
    together_, alone = reobtained(log), reobtained(log, K=(3,))
    for rho in (0.0, 0.5):
        assert together_[outcome_column(3, rho)].equals(alone[outcome_column(3, rho)])


@given(STEPS)
def test_a_later_unrelated_call_changes_no_outcome(steps: list[Call]) -> None:
    later = call("Read", lines("z.py", 1, "z"))
    before, after = (reobtained(log_of(s)) for s in (steps, [*steps, later]))
    may_grow = ["actions_seen", "stopped_by"]
    pd.testing.assert_frame_equal(
        before.drop(columns=may_grow), after.iloc[: len(before)].drop(columns=may_grow)
    )


@given(STEPS, st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([1, 3, 10]))
def test_outcomes_equal_a_walk_through_the_log(steps: list[Call], rho: float, k: int) -> None:
    log = log_of(steps)
    frame = reobtained(log, K=(k,), rho=(rho,))
    walked = [
        _walk(log, call, path, rho, k) for call, path in zip(frame.call, frame.path, strict=True)
    ]
    assert frame[outcome_column(k, rho)].tolist() == walked


def _walk(log: FamilyLog, section: int, path: int, rho: float, k: int) -> bool:
    """The definition, one section at a time, over logs whose results follow their response."""
    calls, marks = log.calls, log.marks
    thread, start = calls.thread[section], calls.result_at[section]
    stops = [at for at, p in zip(log.edits.at, log.edits.path, strict=True) if p == path]
    stops += [at for at, t in zip(marks.at, marks.thread, strict=True) if t == thread]
    rewound = {
        int(marks.at[m])
        for m in np.flatnonzero(marks.kind == MARK_KINDS.index("rewind"))
        if marks.rewind_to[m] >= calls.call_at[section]
    }
    stop = min((at for at in stops if at > start and int(at) not in rewound), default=log.n_events)
    wanted = set(_numbers(log, [section], path))
    obtained: set[int] = set()
    later = [
        c
        for c in np.flatnonzero(calls.thread == thread)
        if calls.call_at[c] > start and calls.request[c] != calls.request[section]
    ]
    for action in later[:k]:
        inside = [
            c
            for c in range(len(calls))
            if calls.result_at[c] < stop and (c == action or _inside(log, int(action), c))
        ]
        obtained |= wanted & set(_numbers(log, inside, path))
    return len(obtained) >= max(1, rho * len(wanted))


def _inside(log: FamilyLog, action: int, inner: int) -> bool:
    """Whether a call was made by the sub-agent that an action started."""
    calls = log.calls
    return (
        log.tools[calls.tool[action]] == "Task"
        and log.thread_parent[calls.thread[inner]] == calls.thread[action]
        and calls.call_at[action] < calls.call_at[inner] < calls.result_at[action]
    )


def _numbers(log: FamilyLog, calls: Sequence[int], path: int) -> list[int]:
    spans = log.spans
    return [
        int(spans.first_line[s]) + n
        for s in range(len(spans))
        if spans.call[s] in calls and spans.path[s] == path
        for n in range(spans.n_lines[s])
    ]
