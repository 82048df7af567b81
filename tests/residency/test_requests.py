"""Requests that carry what entered a context, until it leaves."""

from __future__ import annotations

import numpy as np
import pytest

from ctxlab.log import FamilyLog
from ctxlab.residency import leaves_at, requests_after, residence
from tests.builders import Mark, Step, agent, call, log_of, mark, prompt, says, together


def after_results(log: FamilyLog) -> list[int]:
    calls = log.calls
    return requests_after(log, calls.result_at, calls.thread, residence(log).until).tolist()


READ = call("Read")


def test_each_later_request_of_the_thread_carries_a_result() -> None:
    log = log_of([READ, together(READ, READ), READ])
    assert after_results(log) == [2, 1, 1, 0]


def test_the_answer_that_ends_a_turn_carries_all_results_of_its_turn() -> None:
    log = log_of([prompt("a"), READ, together(READ, READ), says(), prompt("b"), says()])
    assert after_results(log) == [3, 2, 2]
    assert after_results(log_of([together(READ, READ), says(), prompt("b"), READ])) == [2, 2, 0]


def test_an_answer_is_taken_to_precede_a_compaction_behind_it() -> None:
    assert after_results(log_of([READ, says(), mark("compaction"), READ, says()])) == [1, 1]


@pytest.mark.parametrize("forgetting", [mark("compaction"), mark("clear")])
def test_forgetting_ends_all_results_before_it(forgetting: Mark) -> None:
    log = log_of([READ, READ, forgetting, READ, READ])
    assert after_results(log) == [1, 0, 1, 0]


def test_a_microcompaction_ends_the_results_that_it_names() -> None:
    log = log_of([READ, READ, mark("microcompaction", cleared=[0]), READ])
    assert after_results(log) == [1, 1, 0]
    # Positions alone belong to no call.
    assert requests_after(log, log.calls.result_at, log.calls.thread).tolist() == [2, 1, 0]


def test_a_rewind_ends_what_came_after_the_event_it_goes_back_to() -> None:
    log = log_of([READ, READ, mark("rewind", rewind_to=1), READ, READ])
    assert after_results(log) == [3, 0, 1, 0]
    assert leaves_at(log, log.calls.result_at, log.calls.thread).tolist() == [9, 4, 9, 9]


def test_sub_agents_have_requests_of_their_own() -> None:
    log = log_of([READ, agent("helper", READ, READ, says()), READ, mark("compaction"), READ])
    threads = [log.threads[thread] for thread in log.calls.thread]
    assert threads == ["main", "main", "helper", "helper", "main", "main"]
    assert after_results(log) == [2, 1, 2, 1, 0, 0]


def test_the_first_event_of_a_sub_agent_is_carried_by_all_its_requests() -> None:
    log = log_of([agent("helper", prompt("look"), says(), READ, says())])
    assert requests_after(log, np.array([1]), np.array([1])).tolist() == [3]


def test_requests_without_place_before_all_calls_of_a_silent_thread_are_not_counted() -> None:
    log = log_of([says(), says(), READ])
    assert requests_after(log, np.array([0]), np.array([0])).tolist() == [1]


def test_calls_of_no_known_response_are_requests_of_their_own() -> None:
    log = log_of([READ, together(READ, READ)])
    log.calls.request[:] = -1
    assert after_results(log) == [2, 0, 0]


def test_prompts_that_opened_no_turn_can_be_left_out() -> None:
    steps: list[Step] = [READ, prompt(""), READ, says(), prompt(""), prompt("b"), says(), READ]
    log, entered = log_of(steps), (np.array([7]), np.array([0]))
    assert requests_after(log, *entered).tolist() == [1]
    assert requests_after(log, *entered, prompts=np.array([7])).tolist() == [2]


def test_nothing_asked_gives_nothing() -> None:
    none = np.array([], np.int32)
    assert requests_after(log_of([READ]), none, none).tolist() == []
