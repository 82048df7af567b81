from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.fallback import (
    context_tools,
    sufficiency,
    sufficiency_statement,
    sufficiency_summary,
)
from tests.builders import Call, agent, call, edit, lines, log_of, mark, numbered, pointer, together

GRAPH = "mcp__graph__explore"


def graph(*parts: object, **options: object) -> Call:
    return call(GRAPH, *(parts or (numbered("a.py", 1, 9),)), **options)  # type: ignore[arg-type]


def buckets(*steps: object, tool: str | None = None) -> list[object]:
    bucket = sufficiency(log_of(steps), tool).bucket  # type: ignore[arg-type]
    return [None if pd.isna(b) else b for b in bucket]


READ_A = call("Read", numbered("a.py", 1, 9))


def test_again_then_read_of_a_returned_file() -> None:
    assert buckets(graph(), graph(), READ_A) == ["again", "read_returned"]


def test_shell_print_of_a_returned_file() -> None:
    sed = call("Bash", touches=[("a.py", "read")])
    assert buckets(graph(), sed) == ["read_returned"]


@pytest.mark.parametrize(
    "then",
    [
        call("Bash", touches=[("a.py", "edit")]),
        call("Bash", touches=[(None, "other")]),
        call("Bash"),
        call("Edit", edit("a.py")),
        call("mcp__other__tool"),
    ],
    ids=["here-document", "npm test", "untouched", "edit", "another tool"],
)
def test_other_work_is_sufficient(then: Call) -> None:
    assert buckets(graph(), then) == ["sufficient"]


def test_no_later_call_is_sufficient() -> None:
    row = sufficiency(log_of([graph()])).iloc[0]
    assert (row.bucket, row.next_call, pd.isna(row.next_tool)) == ("sufficient", -1, True)


def test_concurrent_read_is_only_counted() -> None:
    frame = sufficiency(log_of([together(graph(), READ_A), call("Edit", edit("a.py"))]))
    assert frame[["bucket", "concurrent", "next_tool"]].to_numpy().tolist() == [
        ["sufficient", 1, "Edit"]
    ]


def test_bookkeeping_is_skipped() -> None:
    assert buckets(graph(), call("TodoWrite"), READ_A) == ["read_returned"]
    frame = sufficiency(log_of([together(graph(), call("ToolSearch"))]))
    assert frame.concurrent.tolist() == [0]


def test_read_of_a_file_that_an_earlier_answer_returned() -> None:
    assert buckets(graph(), graph(numbered("b.py", 1, 3)), READ_A) == ["again", "read_returned"]


def test_file_returned_only_later_is_missed() -> None:
    steps = [graph(numbered("b.py", 1, 3)), READ_A, graph()]
    assert buckets(*steps) == ["read_missed", "sufficient"]


def test_file_returned_in_another_thread_is_missed() -> None:
    steps = [agent("helper", graph()), graph(numbered("b.py", 1, 3)), READ_A]
    assert buckets(*steps) == ["sufficient", "read_missed"]


def test_file_of_a_failed_answer_is_missed() -> None:
    failed = graph(error=True)
    assert buckets(failed, graph(numbered("b.py", 1, 3)), READ_A) == [None, "read_missed"]


def test_read_of_a_pointed_file() -> None:
    assert buckets(graph(pointer("a.py", (1, 9))), READ_A) == ["read_after_pointer"]


def test_read_of_pointed_lines_beside_served_ones() -> None:
    answer = graph(numbered("a.py", 1, 5), pointer("a.py", (20, 30)))
    assert buckets(answer, call("Read", numbered("a.py", 20, 24))) == ["read_after_pointer"]
    assert buckets(answer, call("Read", numbered("a.py", 1, 5))) == ["read_returned"]
    assert buckets(answer, call("Read", numbered("a.py", 5, 24))) == ["read_returned"]
    assert buckets(answer, call("Read", numbered("a.py", 40, 44))) == ["read_returned"]


def test_latest_answer_decides_about_a_pointer() -> None:
    served, pointed = graph(), graph(pointer("a.py", (1, 9)))
    assert buckets(served, pointed, READ_A) == ["again", "read_after_pointer"]
    assert buckets(pointed, served, READ_A) == ["again", "read_returned"]


def test_read_of_unknown_lines_after_a_pointer() -> None:
    sed = call("Bash", touches=[("a.py", "read")])
    assert buckets(graph(pointer("a.py", (1, 9))), sed) == ["read_after_pointer"]
    assert buckets(graph(numbered("a.py", 1, 5), pointer("a.py", (6, 9))), sed) == ["read_returned"]


def test_missed_file_that_the_answer_named() -> None:
    read = call("Read", numbered("src/b.py", 1, 2))
    frame = sufficiency(log_of([graph(mentions=["b.py"]), read]))
    assert frame[["bucket", "named"]].to_numpy().tolist() == [["read_missed", True]]
    frame = sufficiency(log_of([graph(mentions=["c.py"]), read]))
    assert frame[["bucket", "named"]].to_numpy().tolist() == [["read_missed", False]]


def test_read_of_no_known_path_is_missed() -> None:
    assert buckets(graph(), call("Read")) == ["read_missed"]


@pytest.mark.parametrize(
    "then",
    [
        call("Grep"),
        call("Glob"),
        call("Bash", touches=[(None, "search")]),
        call("Bash", touches=[("src", "list")]),
    ],
    ids=["Grep", "Glob", "shell rg", "shell ls"],
)
def test_search(then: Call) -> None:
    assert buckets(graph(), then) == ["search"]


def test_sub_agent_is_judged_by_its_first_call() -> None:
    frame = sufficiency(log_of([graph(), agent("helper", call("TodoWrite"), call("Grep"), READ_A)]))
    row = frame.iloc[0]
    assert (row.bucket, row.next_tool, row.by_subagent) == ("search", "Grep", True)
    assert buckets(graph(), agent("helper", READ_A)) == ["read_returned"]
    assert buckets(graph(), agent("outer", agent("inner", READ_A))) == ["read_returned"]


def test_sub_agents_of_one_response_are_kept_apart() -> None:
    both = together(agent("first", call("Grep")), agent("second", READ_A))
    assert buckets(graph(), both) == ["search"]


def test_sub_agent_that_is_not_in_the_log_is_unjudged() -> None:
    log = log_of([graph(), call("Task"), READ_A])
    assert sufficiency(log).bucket.isna().tolist() == [True]
    summary = sufficiency_summary(sufficiency(log))
    assert summary.loc[0, ["answered", "unjudged"]].tolist() == [1, 1]
    assert summary.fallback_rate_share.isna().all()


def test_traffic_of_one_tool_server_is_unjudged() -> None:
    log = replace(log_of([graph(), graph()]), agent="mcp")
    summary = sufficiency_summary(sufficiency(log))
    assert summary.loc[0, ["answered", "unjudged"]].tolist() == [2, 2]
    assert summary.fallback_rate_share.isna().all()


def test_read_of_a_running_sub_agent_does_not_judge_its_parent() -> None:
    assert buckets(together(graph(), agent("helper", READ_A))) == ["sufficient"]


def test_answer_in_a_sub_agent_is_judged_there() -> None:
    assert buckets(agent("helper", graph(), READ_A), call("Grep")) == ["read_returned"]


@pytest.mark.parametrize(
    ("returned", "read", "bucket"),
    [
        ("src/a.py", "/repo/src/a.py", "read_returned"),
        ("./src/a.py", "/repo/src/a.py", "read_returned"),
        ("src/a.py", "C:\\repo\\src\\a.py", "read_returned"),
        ("a.py", "/repo/data.py", "read_missed"),
        ("src/a.py", "/repo/lib/a.py", "read_missed"),
        ("/repo/src/a.py", "src/a.py", "read_returned"),
        ("lib/src/a.py", "src/a.py", "read_missed"),
    ],
)
def test_paths_end_at_a_boundary(returned: str, read: str, bucket: str) -> None:
    steps = [graph(numbered(returned, 1, 3)), call("Read", numbered(read, 1, 3))]
    assert buckets(*steps) == [bucket]


def test_failed_and_unanswered_calls_are_counted_apart() -> None:
    log = log_of([graph(error=True), graph(answered=False), graph(), READ_A])
    frame = sufficiency(log)
    assert frame.answered.tolist() == [False, False, True]
    row = sufficiency_summary(frame).iloc[0]
    assert (row.calls, row.answered, row.errors, row.unanswered) == (3, 1, 1, 1)
    assert (row.read_returned, row.fallback_rate_share) == (1, 1.0)


def test_what_came_between_is_told() -> None:
    frame = sufficiency(log_of([graph(), mark("prompt"), graph(), mark("compaction"), READ_A]))
    assert frame.prompt_between.tolist() == [True, False]
    assert frame.reset_between.tolist() == [False, True]


def test_default_tools_are_those_that_served_source() -> None:
    log = log_of(
        [
            graph(),
            call("mcp__notes__pointers", pointer("a.py", (1, 2))),
            call("mcp__mail__send"),
            READ_A,
            call("Grep", lines("a.py", 1, "x")),
            call("Bash", lines("a.py", 1, "x")),
            call("Edit", edit("a.py"), lines("a.py", 1, "x", origin="edit_echo")),
        ]
    )
    assert context_tools(log) == ("mcp__graph__explore", "mcp__notes__pointers")


def test_named_tool_may_be_read() -> None:
    log = log_of([READ_A, READ_A, call("Bash", touches=[("a.py", "read")])])
    frame = sufficiency(log, tool="Read")
    assert frame.bucket.tolist() == ["again", "read_returned"]
    both = sufficiency(log_of([READ_A, call("view", numbered("b.py", 1, 2))]), ["Read", "view"])
    assert both.bucket.tolist() == ["again", "sufficient"]


def test_rates_and_their_statement() -> None:
    steps = [graph(), READ_A, graph(), call("Grep"), graph(), call("Write"), graph()]
    summary = sufficiency_summary([sufficiency(log_of(steps)), sufficiency(log_of([]))])
    row = summary.iloc[0]
    assert (row.fallbacks, row.fallback_rate_share) == (1, 0.25)
    assert (row.wider_fallbacks, row.wider_rate_share) == (2, 0.5)
    assert sufficiency_statement(summary) == (
        "mcp__graph__explore: after 1 of 4 answers (25.0%) the agent went on to read a file, "
        "after 2 (50.0%) to read or search, and after 0 (0.0%) it called the same tool again."
    )


def test_no_answer_gives_no_rate() -> None:
    summary = sufficiency_summary(sufficiency(log_of([graph(error=True)])))
    assert summary.answered.tolist() == [0]
    assert summary[["fallback_rate_share", "wider_rate_share"]].isna().all(axis=None)
    assert sufficiency_statement(summary) == (
        "mcp__graph__explore: no answer of 1 calls could be judged."
    )


@pytest.mark.parametrize("frames", [[], [sufficiency(log_of([READ_A]))]], ids=["none", "empty"])
def test_without_a_context_tool_a_named_one_is_offered(frames: list[pd.DataFrame]) -> None:
    summary = sufficiency_summary(frames)
    assert summary.empty
    assert sufficiency_statement(summary).startswith("No context tool answered")
    assert 'sufficiency(log, "Read")' in sufficiency_statement(summary)


STEPS = st.lists(
    st.sampled_from(
        [
            graph(),
            graph(pointer("a.py", (1, 9))),
            READ_A,
            call("Grep"),
            call("Edit", edit("a.py")),
            call("TodoWrite"),
            together(graph(), READ_A),
            agent("helper", READ_A),
            mark("prompt"),
        ]
    ),
    max_size=12,
)


@given(STEPS, st.sampled_from([READ_A, call("Bash"), graph(numbered("z.py", 1, 1))]))
def test_a_later_call_changes_only_rows_that_had_no_next(steps: list[Call], later: Call) -> None:
    before, after = (sufficiency(log_of(s), GRAPH) for s in (steps, [*steps, later]))
    decided = before.next_call.ge(0)
    pd.testing.assert_frame_equal(before[decided], after.iloc[: len(before)][decided])


@given(STEPS)
def test_every_call_of_the_tool_has_one_row(steps: list[Call]) -> None:
    log = log_of(steps)
    frame = sufficiency(log, GRAPH)
    assert len(frame) == sum(log.tools[tool] == GRAPH for tool in log.calls.tool)
    assert frame.answered.eq(frame.bucket.notna()).all()
