"""What later calls quote of JSON answers, and what they knew from one answer alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ctxlab.errors import ParameterError
from ctxlab.fallback import Quoted, quoted
from tests.builders import Call, Step, agent, answer, call, log_of, mark, prompt, quote, together

ASK = call("Bash", answer('{"items": [{"id": "a-17"}, {"id": "a-18", "path": "src/pump.py"}]}'))
OTHER = call("Bash")


def using(*tokens: str, **places: int) -> Call:
    return call("Bash", quotes=[quote(token, **places) for token in tokens])


def found(*steps: Step) -> list[dict[str, tuple[bool, int]]]:
    return [
        {token: (one.is_witness, one.after) for token, one in row.items()}
        for row in quoted(log_of(steps))
    ]


def test_a_later_call_quotes_what_only_the_answer_showed() -> None:
    assert found(ASK, using("a-17"), using("src/pump.py", "a-17")) == [
        {"a-17": (True, 1), "src/pump.py": (True, 2)}
    ]
    assert quoted(log_of([ASK, using("a-18")])) == ({"a-18": Quoted(is_witness=True, after=1)},)


def test_keys_and_parts_of_tokens_are_no_quotes() -> None:
    assert found(ASK, using("items", "a-1", "pump.py")) == [{}]


def test_numbers_are_quoted_as_they_are_printed() -> None:
    asked = call("mcp__tracker__list", answer('{"number": 1533, "size": 20.5, "ok": true}'))
    assert found(asked, using("1533", "20.5", "true")) == [{"1533": (True, 1), "20.5": (True, 1)}]


def test_answers_of_several_values_show_the_tokens_of_all() -> None:
    asked = call("Bash", answer('{"id": "a-17"}\n{"id": "a-18", "of": "a-17"}\n'))
    assert found(asked, using("a-18", "a-17")) == [{"a-18": (True, 1), "a-17": (True, 1)}]


@pytest.mark.parametrize("form", ["cut", "text"])
def test_a_row_without_whole_json_is_quoted_nowhere(form: str) -> None:
    assert found(call("Bash", answer("", form=form)), ASK, using("a-17")) == [
        {},
        {"a-17": (True, 1)},
    ]


def test_what_the_model_wrote_before_the_answer_is_no_witness() -> None:
    assert found(using("a-17"), ASK, using("a-17", "a-18")) == [
        {"a-17": (False, 1), "a-18": (True, 1)}
    ]
    # Between the answer and the call it can only have come from the answer.
    assert found(ASK, using("a-18", written_at=2)) == [{"a-18": (True, 1)}]


def test_what_something_else_showed_before_the_call_is_no_witness() -> None:
    assert found(prompt("a-17"), ASK, using("a-17", shown_at=0)) == [{"a-17": (False, 1)}]
    assert found(ASK, prompt("a-17"), using("a-17", shown_at=2)) == [{"a-17": (False, 1)}]
    assert found(ASK, using("a-17", shown_at=9)) == [{"a-17": (True, 1)}]


def test_what_two_answers_showed_is_quoted_of_both_and_a_witness_of_neither() -> None:
    assert found(ASK, OTHER, ASK, using("a-17")) == [{"a-17": (False, 3)}, {"a-17": (False, 1)}]


def test_an_answer_that_shows_it_again_after_the_quote_changes_nothing() -> None:
    assert found(ASK, using("a-17"), ASK, using("a-17", "a-18")) == [
        {"a-17": (True, 1), "a-18": (False, 3)},
        {"a-17": (False, 1), "a-18": (False, 1)},
    ]


def test_calls_of_the_same_response_are_not_later() -> None:
    assert found(together(ASK, using("a-17"))) == [{}]
    assert found(together(ASK, OTHER, using("a-17")), using("a-18")) == [{"a-18": (True, 1)}]


def test_calls_made_before_a_late_result_are_not_counted() -> None:
    late = agent("helper", OTHER)
    log = log_of([ASK, late, OTHER, using("a-17")])
    log.calls.result_at[0] = log.calls.call_at[3]
    log.calls.call_at[3:] += 1
    assert quoted(log) == ({"a-17": Quoted(is_witness=True, after=2)},)


@pytest.mark.parametrize(
    "step",
    [
        mark("compaction"),
        mark("clear"),
        mark("rewind", rewind_to=-1),
        mark("microcompaction", cleared=[0]),
    ],
)
def test_nothing_is_quoted_of_an_answer_that_has_left_the_context(step: Step) -> None:
    assert found(ASK, step, using("a-17")) == [{}]
    assert found(ASK, using("a-18"), step, using("a-17")) == [{"a-18": (True, 1)}]


def test_a_rewind_to_behind_the_answer_and_another_results_clearing_leave_it() -> None:
    kept = {"a-17": (True, 2)}
    assert found(ASK, OTHER, mark("rewind", rewind_to=1), using("a-17")) == [kept]
    assert found(ASK, OTHER, mark("microcompaction", cleared=[1]), using("a-17")) == [kept]


def test_an_answer_that_was_compacted_away_still_showed_it_first() -> None:
    assert found(ASK, mark("compaction"), ASK, using("a-17")) == [{}, {"a-17": (False, 1)}]


def test_sub_agents_quote_their_own_answers_and_not_their_parents() -> None:
    assert found(ASK, agent("helper", using("a-17"), ASK, using("a-18")), using("a-17")) == [
        {"a-17": (True, 2)},
        {"a-18": (True, 1)},
    ]


def test_a_log_without_answers_cannot_tell() -> None:
    with pytest.raises(ParameterError, match=r"`log` must hold answers: read it with"):
        quoted(replace(log_of([ASK]), answers=None))


def test_no_answers_are_quoted_nowhere() -> None:
    assert quoted(log_of([OTHER])) == ()


def test_what_another_answer_names_in_a_key_is_no_witness() -> None:
    other = call("Bash", answer('{"states": {"a-17": "open"}}'))
    assert found(other, ASK, using("a-17", "a-18")) == [{}, {"a-17": (False, 1), "a-18": (True, 1)}]


def test_what_another_answer_names_in_a_longer_path_is_no_witness() -> None:
    other = call("Bash", answer('{"url": "https://forge.example/blob/main/src/pump.py"}'))
    asked = call("Bash", answer('{"path": "src/pump.py", "id": "a-18"}'))
    _, quotes = found(other, asked, using("src/pump.py", "a-18"))
    assert quotes == {"src/pump.py": (False, 1), "a-18": (True, 1)}
