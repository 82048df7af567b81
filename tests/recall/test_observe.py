"""Prompts of a family, what the agent did after each, and what the log showed when."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import ParameterError
from ctxlab.log import MARK_KINDS, SPAN_ORIGINS, TOOL_KINDS, TOUCH_KINDS, FamilyLog
from ctxlab.recall.observe import Observed, Shown, observe
from ctxlab.recall.project import Prompt, Use
from ctxlab.store import open_store
from tests.builders import (
    Step,
    agent,
    call,
    edit,
    later,
    lines,
    log_of,
    mark,
    prompt,
    says,
    session,
    symbol,
    together,
)


def seen(*steps: Step, cwd: str | None = "/repo", start_ms: int = 0) -> Observed:
    return observe(log_of(steps, cwd=cwd, start_ms=start_ms))


def read(path: str) -> Step:
    return call("Read", lines(path, 1, "text"))


def search() -> Step:
    return call("Grep", touches=[("/repo", "search")])


def test_a_log_without_texts_is_refused() -> None:
    log = replace(log_of([prompt("go")]), texts=None)
    with pytest.raises(ParameterError, match=r"must hold texts.*iter_logs\(texts=True\)"):
        observe(log)


def test_prompts_are_what_users_typed_in_main_threads() -> None:
    found = seen(
        prompt("first"),
        agent("helper", prompt("do this"), read("/repo/a.py")),
        prompt("  \n"),
        prompt("[Request interrupted by user for tool use]"),
        mark("interrupt"),
        prompt("second, [Request interrupted by user] or not"),
    )
    assert [p.text for p in found.prompts] == [
        "first",
        "second, [Request interrupted by user] or not",
    ]
    assert [p.at for p in found.prompts] == [0, 9]
    assert [p.ms for p in found.prompts] == [0, 9000]
    assert {(p.family, p.transcript) for p in found.prompts} == {("family", "source")}
    assert found.is_dated


def test_a_family_without_a_date_says_so() -> None:
    found = seen(prompt("go"), read("/repo/a.py"), start_ms=-1)
    assert not found.is_dated
    assert found.prompts[0].ms == found.shown[0].ms == -1


def test_a_family_without_events_is_empty() -> None:
    assert seen(cwd=None) == Observed("family", None, True, (), ())


def test_use_ends_before_the_next_prompt_and_holds_what_sub_agents_did() -> None:
    found = seen(
        read("/repo/before.py"),
        prompt("one"),
        agent("helper", call("Grep"), read("/repo/a.py"), agent("deeper", read("/repo/b.py"))),
        prompt("two"),
        read("/repo/c.py"),
    )
    assert [p.use for p in found.prompts] == [
        Use({"a.py": True, "b.py": True}, n_calls=5, n_searches=1),
        Use({"c.py": False}, n_calls=1),
    ]


def test_a_path_is_opened_by_a_call_that_reads_it_and_does_not_fail() -> None:
    found = seen(
        prompt("go"),
        call("Read", touches=[("/repo/gone.py", "read")], error=True),
        call("Read", touches=[("/repo/never.py", "read")], answered=False),
        call("Bash", touches=[("/repo/cat.py", "read")]),
        call("Bash", lines("/repo/printed.py", 3, "x"), touches=[]),
        call("mcp__graph", lines("/repo/served.py", 3, "x")),
        call("Grep", lines("/repo/matched.py", 3, "x")),
        call("Bash", lines("/repo/diffed.py", 3, "x", origin="diff"), touches=[]),
    )
    assert found.prompts[0].use.opened == {"cat.py": False, "printed.py": False}
    assert found.prompts[0].use.n_calls == 7


@pytest.mark.parametrize(
    ("step", "is_search"),
    [
        (call("Grep"), True),
        (call("Glob"), True),
        (call("Bash", touches=[(None, "search")]), True),
        (call("Bash", touches=[("/repo", "list")]), True),
        (call("Grep", error=True), True),
        (call("Bash"), False),
        (call("WebSearch", kind="web"), False),
        (read("/repo/other.py"), False),
    ],
)
def test_a_search_before_the_first_read_counts(step: Step, is_search: bool) -> None:
    found = seen(search(), prompt("go"), step, read("/repo/a.py"), search(), read("/repo/a.py"))
    assert found.prompts[0].use.opened["a.py"] is is_search
    assert found.prompts[0].use.n_searches == 1 + is_search


def test_a_shell_call_that_searches_and_prints_searched_at_the_same_time() -> None:
    both = call("Bash", touches=[("/repo", "search"), ("/repo/a.py", "read")])
    found = seen(prompt("go"), both)
    assert found.prompts[0].use.opened == {"a.py": False}


def test_edits_are_the_agents_own_and_belong_to_their_call() -> None:
    found = seen(
        prompt("one"),
        call("Edit", edit("/repo/a.py"), touches=[]),
        call("Bash", edit("/repo/b.py", evidence="shell"), touches=[]),
        call("Write", touches=[("/repo/c.py", "edit")]),
        call("Write", touches=[("/repo/failed.py", "edit")], error=True),
        call("Read", edit("/repo/users.py", evidence="reminder"), touches=[]),
        call("Edit", edit("/repo/stale.py", evidence="error"), touches=[], error=True),
        prompt("two"),
    )
    assert [p.use.edited for p in found.prompts] == [frozenset({"a.py", "b.py", "c.py"}), set()]


def test_an_edit_whose_result_comes_behind_the_next_prompt_belongs_to_the_call() -> None:
    log = log_of(
        [prompt("one"), call("Edit", edit("/repo/a.py"), touches=[]), prompt("two")], cwd="/repo"
    )
    log.calls.result_at[:] = log.edits.at[:] = log.n_events - 1
    log.texts.prompt_at[1] = log.marks.at[1] = log.n_events - 2
    assert [p.use.edited for p in observe(log).prompts] == [frozenset({"a.py"}), set()]


def test_quoted_names_are_those_of_calls_and_texts() -> None:
    found = seen(
        says("too_early"),
        prompt("one"),
        says("Pump.start", "/repo/src/a.py", "/elsewhere/b.py", "./c.py"),
        call("Bash", names=("run_all",)),
        agent("helper", says("from_helper")),
        prompt("two"),
        says("late"),
    )
    assert [p.use.quoted for p in found.prompts] == [
        frozenset({"Pump.start", "src/a.py", "c.py", "run_all", "from_helper"}),
        frozenset({"late"}),
    ]


def test_each_main_thread_has_windows_of_its_own() -> None:
    found = seen(
        prompt("one"),
        session("other", prompt("two"), read("/repo/b.py"), says("name_b"), cwd="/repo"),
        read("/repo/a.py"),
        says("name_a"),
    )
    assert [(p.text, p.transcript) for p in found.prompts] == [("one", "source"), ("two", "other")]
    assert [p.use for p in found.prompts] == [
        Use({"a.py": False}, quoted=frozenset({"name_a"}), n_calls=1),
        Use({"b.py": False}, quoted=frozenset({"name_b"}), n_calls=1),
    ]


def test_a_thread_of_no_known_parent_belongs_to_the_only_main_thread_of_its_session() -> None:
    log = log_of([prompt("go"), agent("helper", read("/repo/a.py"))], cwd="/repo")
    orphaned = replace(log, thread_parent=np.array([-1, -1], np.int32))
    assert observe(orphaned).prompts[0].use.opened == {"a.py": False}
    stranger = replace(orphaned, thread_session=np.array([0, 1], np.int32))
    assert observe(stranger).prompts[0].use.opened == {}


def test_contexts_end_with_compactions_clears_and_rewinds() -> None:
    found = seen(
        prompt("a"),
        prompt("b"),
        session("other", prompt("c"), cwd="/repo"),
        mark("compaction"),
        prompt("d"),
        mark("microcompaction"),
        mark("clear"),
        mark("compaction"),
        prompt("e"),
        mark("rewind", rewind_to=4),
        prompt("f"),
    )
    assert [p.context for p in found.prompts] == [0, 0, 1, 2, 3, 4]


def requests(*steps: Step) -> list[int]:
    return [p.requests for p in seen(*steps).prompts]


def test_requests_are_those_of_the_thread_until_the_context_ends() -> None:
    found = requests(
        read("/repo/a.py"),
        prompt("a"),
        together(read("/repo/a.py"), read("/repo/b.py")),
        agent("helper", read("/repo/a.py"), says()),
        says(),
        prompt("b"),
        read("/repo/a.py"),
        mark("compaction"),
        read("/repo/a.py"),
        prompt("c"),
        read("/repo/a.py"),
        says(),
    )
    assert found == [4, 1, 2]


def test_a_rewind_to_before_a_prompt_ends_its_requests_and_a_later_one_does_not() -> None:
    found = requests(
        prompt("a"),
        read("/repo/a.py"),
        prompt("b"),
        read("/repo/a.py"),
        mark("rewind", rewind_to=1),
        prompt("c"),
        read("/repo/a.py"),
    )
    assert found == [3, 1, 1]


def test_an_answer_without_a_call_ends_a_turn() -> None:
    turns = (prompt("a"), says(), prompt("b"), says(), prompt("c"), says())
    assert requests(*turns) == [3, 2, 1]
    assert requests(read("/repo/a.py"), says(), *turns, read("/repo/a.py")) == [4, 3, 2]
    assert requests(prompt("a"), read("/repo/a.py"), says(), mark("clear"), prompt("b")) == [2, 0]


def test_calls_of_no_known_response_are_requests_of_their_own() -> None:
    log = log_of([prompt("a"), together(read("/repo/a.py"), read("/repo/b.py"))], cwd="/repo")
    log.calls.request[:] = -1
    assert observe(log).prompts[0].requests == 2


def test_what_was_shown_stands_at_its_result_once_a_state() -> None:
    found = seen(
        call(
            "Read",
            lines("/repo/src/./a.py", 1, "x"),
            symbol("/repo/src/a.py", "Pump", 1, "A pump."),
            symbol("/repo/src/a.py", "Pump.start"),
        ),
        call("mcp__graph", lines("src/a.py", 1, "x"), symbol("src/a.py", "Pump", 1, "A pump.")),
        call("Grep", lines("b.py", 1, "x"), symbol("src/a.py", "Pump", 2, "A pump.")),
        call("Bash", touches=[("/repo/c.py", "read"), ("/repo/d", "list")]),
        call("Read", touches=[("/repo/gone.py", "read")], error=True),
        call("Edit", edit("/repo/e.py"), touches=[]),
        call("Bash", touches=[("/repo/c.py", "read")]),
    )
    assert found.shown == (
        Shown(1, 1000, "src/a.py"),
        Shown(1, 1000, "src/a.py", "Pump", 1, "A pump."),
        Shown(1, 1000, "src/a.py", "Pump.start"),
        Shown(5, 5000, "b.py"),
        Shown(5, 5000, "src/a.py", "Pump", 2, "A pump."),
        Shown(7, 7000, "c.py"),
        Shown(11, 11000, "e.py"),
    )


def test_paths_outside_the_directory_count_for_nothing() -> None:
    outside = ("/repository/a.py", "/other/a.py", "../a.py", "~/a.py", "/repo/~/a.py", "/repo")
    found = seen(
        prompt("go"),
        *(call("Read", lines(path, 1, "x"), symbol(path, "run", 1)) for path in outside),
        *(call("Edit", edit(path)) for path in outside),
    )
    assert found.shown == ()
    assert found.prompts[0].use == Use(n_calls=12)


def test_without_a_directory_nothing_is_outside() -> None:
    found = seen(prompt("go"), read("/repo/a.py"), read("./b.py"), read("../c.py"), cwd=None)
    assert found.directory is None
    assert set(found.prompts[0].use.opened) == {"/repo/a.py", "b.py"}


def test_worktrees_and_their_repository_are_one_directory() -> None:
    found = seen(
        prompt("go"),
        read("/repo/.worktrees/fix/a-bug/a.py"),
        session("other", prompt("go"), read("/repo/a.py"), read("/repo/b.py"), cwd="/repo"),
        session("third", read("/elsewhere/c.py"), read("/repo/d.py"), cwd="/elsewhere"),
        cwd="/repo/.worktrees/fix/a-bug",
    )
    assert found.directory == "/repo"
    assert [set(p.use.opened) for p in found.prompts] == [{"a.py"}, {"a.py", "b.py"}]
    assert [shown.path for shown in found.shown] == ["a.py", "b.py", "d.py"]


def test_windows_separators_are_folded() -> None:
    found = seen(prompt("go"), read(r"c:\repo\src\A.py"), read(r"D:\repo\b.py"), cwd=r"C:\repo")
    assert found.directory == "C:/repo"
    assert found.prompts[0].use.opened == {"src/A.py": False}


PATHS = st.sampled_from(["/repo/a.py", "/repo/b.py", "b.py", "/other/c.py"])
ACTIONS = st.one_of(
    st.builds(prompt, st.sampled_from(["go", "stop", " "])),
    st.builds(read, PATHS),
    st.builds(lambda path: call("Read", touches=[(path, "read")], error=True), PATHS),
    st.builds(lambda path: call("Edit", edit(path)), PATHS),
    st.builds(lambda path: call("Bash", touches=[(path, "read"), (None, "search")]), PATHS),
    st.builds(lambda path: call("Grep", lines(path, 1, "x"), names=(path,)), PATHS),
    st.builds(says, st.sampled_from(["name_a", "name_b"])),
    st.builds(mark, st.sampled_from(["compaction", "clear", "microcompaction", "resume"])),
    st.builds(lambda to: mark("rewind", rewind_to=to), st.integers(-1, 5)),
    st.builds(later, st.sampled_from([-1000, 0, 5000])),
)
NESTED = st.one_of(
    ACTIONS,
    st.lists(ACTIONS, max_size=4).map(lambda steps: agent("helper", *steps)),
    st.lists(ACTIONS, max_size=6).map(lambda steps: session("other", *steps, cwd="/repo")),
)


@given(st.lists(NESTED, max_size=20))
def test_observation_equals_a_walk_through_the_events(steps: list[Step]) -> None:
    log = log_of(steps, cwd="/repo", start_ms=0)
    found = observe(log)
    assert [(p.at, p.use) for p in found.prompts] == [(at, _use(log, at)) for at in _prompts(log)]
    for p in found.prompts:
        assert (p.requests, _same_context(found, p)) == _carried(log, p.at, _prompts(log))


def _prompts(log: FamilyLog) -> list[int]:
    texts = log.texts
    assert texts is not None
    return [
        at
        for at, thread, text in zip(
            texts.prompt_at.tolist(), texts.prompt_thread, texts.prompt_text, strict=True
        )
        if log.is_main[thread] and text.strip()
    ]


def _top(log: FamilyLog, thread: int) -> int:
    return thread if log.is_main[thread] else _top(log, int(log.thread_parent[thread]))


def _thread_of(log: FamilyLog, at: int) -> int:
    """Thread of the last event at or before a position of which the columns tell it."""
    texts, calls, marks = log.texts, log.calls, log.marks
    assert texts is not None
    known = {
        **dict(zip(calls.call_at.tolist(), calls.thread.tolist(), strict=True)),
        **dict(zip(calls.result_at.tolist(), calls.thread.tolist(), strict=True)),
        **dict(zip(marks.at.tolist(), marks.thread.tolist(), strict=True)),
    }
    return known[max(x for x in known if 0 <= x <= at)]


def _use(log: FamilyLog, at: int) -> Use:
    thread = _thread_of(log, at)
    rest = [p for p in _prompts(log) if p > at and _thread_of(log, p) == thread]
    stop = min(rest, default=log.n_events)
    opened: dict[str, bool] = {}
    edited, quoted = set[str](), set[str]()
    n_calls = n_searches = 0
    for position in range(at + 1, stop):
        for i in np.flatnonzero(log.calls.call_at == position).tolist():
            if _top(log, int(log.calls.thread[i])) != thread:
                continue
            touched = [
                (log.paths[p], TOUCH_KINDS[k])
                for p, k, c in zip(
                    log.touches.path, log.touches.kind, log.touches.call, strict=True
                )
                if c == i and not log.calls.is_error[i]
            ]
            for path in (_inside(path) for path, kind in touched if kind == "read"):
                if path is not None:
                    opened.setdefault(path, n_searches > 0)
            edited |= {path for p, kind in touched if kind == "edit" and (path := _inside(p))}
            n_calls += 1
            n_searches += TOOL_KINDS[log.calls.kind[i]] in ("grep", "glob") or any(
                TOUCH_KINDS[k] == "search" for k in log.touches.kind[log.touches.call == i]
            )
        if log.texts is not None:
            for i in np.flatnonzero(log.texts.name_at == position).tolist():
                owner = [x for x in range(position + 1) if _knows(log, x)]
                if owner and _top(log, _thread_of(log, position)) == thread:
                    quoted |= {name for n in log.texts.names[i] if (name := _inside(n))}
    assert not set(log.spans.origin) & {SPAN_ORIGINS.index("shell")}
    return Use(opened, frozenset(edited), frozenset(quoted), n_calls, n_searches)


def _knows(log: FamilyLog, at: int) -> bool:
    return any(at in column for column in (log.calls.call_at, log.calls.result_at, log.marks.at))


def _inside(path: str) -> str | None:
    path = path.removeprefix("/repo/")
    return None if path.startswith("/") else path


def _carried(log: FamilyLog, at: int, prompts: list[int]) -> tuple[int, set[int]]:
    """Requests that carry a prompt, and the prompts of its context, by an event-wise walk."""
    thread = _thread_of(log, at)
    ends = [
        (int(position), MARK_KINDS[kind], int(to))
        for position, t, kind, to in zip(
            log.marks.at, log.marks.thread, log.marks.kind, log.marks.rewind_to, strict=True
        )
        if t == thread and MARK_KINDS[kind] in ("compaction", "clear", "rewind")
    ]
    gone = [p for p, kind, to in ends if p > at and (kind != "rewind" or to < at)]
    until = min(gone, default=log.n_events)
    own = [p for p in prompts if _thread_of(log, p) == thread]
    together_with = {p for p in own if not any(min(p, at) < end < max(p, at) for end, _, _ in ends)}
    return sum(at < place < until for place in _places(log, thread, own)), together_with


def _places(log: FamilyLog, thread: int, prompts: list[int]) -> list[float]:
    calls = log.calls
    first: dict[int, int] = {}
    for number, at in zip(
        calls.request[calls.thread == thread].tolist(),
        calls.call_at[calls.thread == thread].tolist(),
        strict=True,
    ):
        first.setdefault(number, at)
    places: list[float] = list(first.values())
    cursor: dict[float, int] = {}
    for number in log.usage.request[log.usage.thread == thread].tolist():
        start = max((at for n, at in first.items() if n < number), default=-1)
        stop = min((at for n, at in first.items() if n > number), default=log.n_events)
        anchors = [p for p in prompts if start < p < stop]
        if start >= 0 or not anchors:
            anchors.insert(0, start)
        nth = cursor[start] = cursor.get(start, -1) + 1
        places.append(anchors[min(nth, len(anchors) - 1)] + 0.5)
    return places


def _same_context(found: Observed, prompt: Prompt) -> set[int]:
    return {p.at for p in found.prompts if p.context == prompt.context}


def test_real_transcripts_say_what_was_opened_behind_each_prompt(
    shared: Path, tmp_path: Path
) -> None:
    files = sorted((shared / "data" / "transcripts" / "claude_code").rglob("*.jsonl"))[:20]
    with open_store(tmp_path / "store") as store:
        store.ingest(*files, workers=1)
        found = [observe(log) for log in store.iter_logs(texts=True)]
    for one in found:
        assert one.is_dated
        assert [p.at for p in one.prompts] == sorted(p.at for p in one.prompts)
        first = {shown.path: shown.at for shown in reversed(one.shown) if shown.name is None}
        assert {shown.path for shown in one.shown} <= set(first)
        for i, p in enumerate(one.prompts):
            assert set(p.use.opened) | p.use.edited <= set(first)
            assert all(one.prompts[j].ms <= p.ms for j in range(i))
    opened = [path for one in found for p in one.prompts for path in p.use.opened]
    assert len(opened) > 50
    assert not any(path.startswith(("/", "../")) for path in opened)
