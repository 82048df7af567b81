"""Which answers a later call of the thread asks for again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ctxlab.errors import ParameterError
from ctxlab.fallback import MAX_ACTIONS, Requery, requeries
from tests.builders import Call, Step, agent, answer, call, log_of, mark, together

OTHER = call("Grep")


def shell(command: str, form: str = "json") -> Call:
    tool = "bd list | jq" if "jq" in command else "bd list"
    return call("Bash", answer("[]" if form == "json" else "", command, tool=tool, form=form))


def tool(arguments: str, name: str = "mcp__tracker__list") -> Call:
    return call(name, answer("[]", arguments))


def found(*steps: Step) -> list[tuple[str, int] | None]:
    return [one and (one.kind, one.after) for one in requeries(log_of(steps))]


def test_the_first_call_that_asks_the_same_counts() -> None:
    ten, twenty = shell("bd list -n 10"), shell("bd list -n 20")
    assert found(ten, OTHER, twenty, ten) == [("larger", 2), ("narrower", 1), None]
    assert requeries(log_of([ten, ten])) == (Requery("again", 1), None)


def test_a_filter_behind_it_leaves_the_program_the_same() -> None:
    assert found(shell("bd list"), shell("bd list | jq length", "text")) == [("narrower", 1), None]


@pytest.mark.parametrize("form", ["json", "cut", "text"])
def test_answers_of_all_forms_can_be_asked_for_again(form: str) -> None:
    assert found(shell("bd list", form), shell("bd list", form)) == [("again", 1), None]


def test_tools_are_told_apart_by_name() -> None:
    asked = tool('{"limit": 5}')
    assert found(asked, tool('{"limit": 9}')) == [("larger", 1), None]
    assert found(asked, tool('{"limit": 9}', "mcp__tracker__find"), asked) == [
        ("again", 2),
        None,
        None,
    ]
    assert found(asked, shell('{"limit": 5}')) == [None, None]


def test_what_cannot_be_read_is_only_asked_again_word_for_word() -> None:
    loop = "for x in a b; do bd list $x; done"
    assert found(shell(loop), shell(loop + " | jq ."), shell(loop)) == [("again", 2), None, None]
    assert found(tool("[1]"), tool("[1]"), tool("[2]")) == [("again", 1), None, None]


@pytest.mark.parametrize(
    "step",
    [
        call("mcp__tracker__createIssue", answer("{}", "{}")),
        call("mcp__tracker__issue_close", answer("{}", "{}")),
        call("Bash", answer("{}", "bd update a-1 --json", tool="bd update")),
        call("Bash", answer("{}", "gh api a/b -X POST", tool="gh api")),
    ],
)
def test_a_change_done_again_asks_for_nothing(step: Step) -> None:
    assert found(step, step) == [None, None]


def test_what_asks_something_else_in_between_is_passed_over() -> None:
    assert found(shell("bd list a"), shell("bd list b"), shell("bd list a c")) == [
        ("narrower", 2),
        None,
        None,
    ]


def test_it_is_looked_for_in_ten_calls() -> None:
    asked = shell("bd list")
    assert found(asked, *[OTHER] * (MAX_ACTIONS - 1), asked) == [("again", MAX_ACTIONS), None]
    assert found(asked, *[OTHER] * MAX_ACTIONS, asked) == [None, None]


def test_calls_of_the_same_response_are_not_later() -> None:
    asked = shell("bd list")
    assert found(together(asked, asked)) == [None, None]
    assert found(together(asked, OTHER, asked), asked) == [("again", 1), ("again", 1), None]


@pytest.mark.parametrize(
    "step",
    [mark("compaction"), mark("clear"), mark("rewind"), mark("microcompaction", cleared=[0])],
)
def test_what_has_left_the_context_is_not_asked_again_for_lack(step: Step) -> None:
    assert found(shell("bd list"), step, shell("bd list")) == [None, None]


def test_sub_agents_ask_for_themselves() -> None:
    asked = shell("bd list")
    assert found(asked, agent("helper", asked, asked), asked) == [
        ("again", 2),
        ("again", 1),
        None,
        None,
    ]


def test_a_log_without_answers_cannot_tell() -> None:
    with pytest.raises(ParameterError, match=r"`log` must hold answers: read it with"):
        requeries(replace(log_of([OTHER]), answers=None))
