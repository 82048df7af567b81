"""Facts to decisions: each rule as a case, and the whole against a naive run."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.errors import ParameterError
from ctxlab.recall.build import QuestionRow
from ctxlab.recall.decide import Decisions, decide, prepare
from ctxlab.recall.facts import RecallFacts, concatenate
from ctxlab.recall.params import MAX_HITS, Recall
from ctxlab.recall.pointers import Found
from tests.recall.worlds import (
    SILENT,
    LineUse,
    Outcome,
    facts_of,
    found,
    lines,
    param_sets,
    random_rows,
    row,
    run_naively,
)

FRAME = 75 + 40 + 1 + len("store")
LINE = len("  some/path.py\n")


def outcomes(facts: RecallFacts, made: Decisions) -> list[Outcome]:
    pointers = facts.pointers
    return [
        Outcome(
            bool(made.fires[i]),
            tuple(pointers.rank[(pointers.question == i) & made.printed].tolist()),
            int(made.output_bytes[i]),
            bool(made.truncated[i]),
            int(made.repeats_left_out[i]),
        )
        for i in range(len(facts.questions.kind))
    ]


def decided(rows: list[QuestionRow], **params: Any) -> list[Outcome]:
    facts = facts_of(rows)
    return outcomes(facts, decide(facts, Recall(**params)))


def fires(what: Found, share: float | None = None, **params: Any) -> bool:
    what = replace(what, lines=lines("a"))
    [made] = decided([row(what, unrelated_share=share)], **params)
    return made.fires


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32), n=st.integers(0, 12), params=param_sets)
def test_decide_is_the_policy_question_by_question(seed: int, n: int, params: Recall) -> None:
    rows = random_rows(Random(seed), n)
    facts = facts_of(rows)
    assert outcomes(facts, decide(facts, params)) == run_naively(rows, params)


@given(seed=st.integers(0, 2**32), params=st.lists(param_sets, max_size=4))
def test_what_is_prepared_serves_all_parameters(seed: int, params: list[Recall]) -> None:
    facts = facts_of(random_rows(Random(seed), 8))
    prepared = prepare(facts)
    for one in params:
        fresh, shared = decide(facts, one), decide(facts, one, prepared)
        assert outcomes(facts, fresh) == outcomes(facts, shared)


@given(seeds=st.lists(st.integers(0, 2**32), max_size=3), params=param_sets)
def test_projects_joined_decide_as_they_do_alone(seeds: list[int], params: Recall) -> None:
    parts = [facts_of(random_rows(Random(seed), 6)) for seed in seeds]
    alone = [outcome for part in parts for outcome in outcomes(part, decide(part, params))]
    whole = concatenate(parts)
    assert outcomes(whole, decide(whole, params)) == alone


@given(seed=st.integers(0, 2**32), params=param_sets)
def test_a_control_changes_no_decision_on_what_was_asked(seed: int, params: Recall) -> None:
    rows = random_rows(Random(seed), 10)
    both, asked = facts_of(rows), facts_of([r for r in rows if r.kind == "asked"])
    beside = [
        made
        for r, made in zip(rows, outcomes(both, decide(both, params)), strict=True)
        if r.kind == "asked"
    ]
    assert beside == outcomes(asked, decide(asked, params))


def test_no_questions() -> None:
    made = decide(facts_of([]), Recall(suppress_repeats=True))
    assert [len(getattr(made, name)) for name in ("fires", "printed", "output_bytes")] == [0, 0, 0]


def test_one_question() -> None:
    [made] = decided([row(found(lines=lines("a", "b")))])
    assert made == Outcome(True, (0, 1), FRAME + 2 * LINE, False, 0)


def test_a_question_without_lines_is_silent() -> None:
    assert decided([row(found(lines=()))]) == [SILENT]


def test_no_identifier_is_silent() -> None:
    assert not fires(found(terms=()))


def test_nothing_matched_is_silent_at_any_floor() -> None:
    assert not fires(found(best_score=None, ceiling=None), min_hit_score=0)


@pytest.mark.parametrize(("floor", "expected"), [(1.99, True), (2.0, True), (2.01, False)])
def test_min_hit_score(floor: float, expected: bool) -> None:
    assert fires(found(best_score=2.0), min_hit_score=floor) is expected


@pytest.mark.parametrize(("share", "expected"), [(0.5, True), (0.51, False)])
def test_min_ceiling_share(share: float, expected: bool) -> None:
    assert fires(found(best_score=2.0, ceiling=4.0), min_ceiling_share=share) is expected


@pytest.mark.parametrize(
    ("second", "margin", "expected"),
    [(1.0, 2.0, True), (1.0, 2.1, False), (2.0, 1.0, True), (None, 10.0, True)],
)
def test_min_margin(second: float | None, margin: float, expected: bool) -> None:
    what = found(best_score=2.0, second_score=second)
    assert fires(what, min_margin=margin) is expected


@pytest.mark.parametrize(
    ("share", "floor", "expected"),
    [(0.5, 0.5, True), (0.4, 0.5, False), (None, 0.5, False), (None, 0.0, True)],
)
def test_min_unrelated_share(share: float | None, floor: float, expected: bool) -> None:
    assert fires(found(), share, min_unrelated_share=floor) is expected


def test_the_coverage_gate_knows_no_floor_and_no_identifier() -> None:
    what = found(terms=(), best_score=None, ceiling=None, n_hits=1)
    floors = {"min_hit_score": 14.0, "min_unrelated_share": 1.0, "min_margin": 10.0}
    assert fires(what, gate="coverage", **floors)
    assert not fires(replace(what, n_hits=0), gate="coverage")


def test_max_hits_keeps_the_first_lines_and_truncates_nothing() -> None:
    [made] = decided([row(found(lines=lines("a", "b", "c")))], max_hits=2)
    assert made == Outcome(True, (0, 1), FRAME + 2 * LINE, False, 0)


def test_the_first_line_that_does_not_fit_stops_everything() -> None:
    long = lines("b", text="  " + "x" * 400)
    what = found(lines=(*lines("a"), *long, *lines("c")))
    [made] = decided([row(what)], max_output_bytes=300)
    assert made == Outcome(True, (0,), FRAME + LINE + 6, True, 0)


def test_a_first_line_that_does_not_fit_is_silence() -> None:
    what = found(lines=(*lines("b", text="  " + "x" * 400), *lines("a")))
    assert decided([row(what)], max_output_bytes=300) == [SILENT]


def test_a_line_may_fill_the_budget_to_the_byte() -> None:
    room = 300 - FRAME - 6
    exact, over = (found(lines=lines("a", text="x" * n)) for n in (room - 1, room))
    [fits, silent] = decided([row(exact), row(over)], max_output_bytes=300)
    assert (fits.output_bytes, silent) == (294, SILENT)


def test_framing_larger_than_the_budget_is_silence() -> None:
    what = found(lines=lines("a"))
    assert decided([row(what)], max_output_bytes=200, framing_bytes=1000) == [SILENT]


def test_the_budget_counts_the_digits_of_the_lines_kept_and_the_header_of_those_printed() -> None:
    what = found(lines=lines(*"abcdefghij", text="x" * 9))
    tight = FRAME + 1 + 6 + 100
    assert decided([row(what)], max_hits=10, max_output_bytes=tight) == [
        Outcome(True, tuple(range(10)), FRAME + 1 + 100, False, 0)
    ]
    assert decided([row(what)], max_hits=10, max_output_bytes=tight - 1) == [
        Outcome(True, tuple(range(9)), FRAME + 90 + 6, True, 0)
    ]


def test_a_repeat_in_the_same_context_is_left_out() -> None:
    rows = [row(found(lines=lines(*keys))) for keys in ("ab", "bc", "ab", "d")]
    assert decided(rows, suppress_repeats=True) == [
        Outcome(True, (0, 1), FRAME + 2 * LINE, False, 0),
        Outcome(True, (1,), FRAME + LINE, False, 1),
        Outcome(False, (), 0, False, 2),
        Outcome(True, (0,), FRAME + LINE, False, 0),
    ]


def test_another_context_has_seen_nothing() -> None:
    rows = [row(found(lines=lines("a")), context=context) for context in (0, 1, 0)]
    assert [made.fires for made in decided(rows, suppress_repeats=True)] == [True, True, False]


def test_the_same_key_in_another_project_is_another_node() -> None:
    rows = [row(found(lines=lines("a")), project=project) for project in (0, 1)]
    assert [made.fires for made in decided(rows, suppress_repeats=True)] == [True, True]


def test_a_silent_question_printed_nothing_that_could_repeat() -> None:
    rows = [row(found(best_score=s, lines=lines("a"))) for s in (0.01, 2.0)]
    assert [made.fires for made in decided(rows, suppress_repeats=True)] == [False, True]


def test_a_line_that_was_cut_is_no_repeat_later() -> None:
    rows = [row(found(lines=lines(*keys))) for keys in ("ab", "b")]
    made = decided(rows, suppress_repeats=True, max_hits=1)
    assert [m.printed for m in made] == [(0,), (0,)]


def test_the_mark_of_a_cut_stays_where_repeats_are_left_out() -> None:
    long = lines("c", text="  " + "x" * 400)
    rows = [row(found(lines=lines("a"))), row(found(lines=(*lines("a", "b"), *long)))]
    made = decided(rows, suppress_repeats=True, max_output_bytes=300)
    assert made[1] == Outcome(True, (1,), FRAME + LINE + 6, True, 1)


def test_controls_are_never_suppressed_and_suppress_nothing() -> None:
    kinds = ("unrelated", "asked", "absent", "joined", "asked")
    rows = [row(found(lines=lines("a")), kind=kind) for kind in kinds]
    made = decided(rows, suppress_repeats=True)
    assert [m.fires for m in made] == [True, True, True, True, False]


def test_lines_are_measured_in_bytes_of_utf8_with_their_newline() -> None:
    what = found(lines=lines("a", text="  é→"))
    facts = facts_of([row(what, label="läd\ud800")])
    assert facts.pointers.line_bytes.tolist() == [2 + 2 + 3 + 1]
    assert facts.questions.label_bytes.tolist() == [7]


def test_build_numbers_nodes_by_project_and_key() -> None:
    keys = ((0, "ab"), (0, "bc"), (1, "b"))
    facts = facts_of([row(found(lines=lines(*k)), project=project) for project, k in keys])
    assert facts.pointers.node.tolist() == [0, 1, 1, 2, 3]
    assert facts.pointers.question.tolist() == [0, 0, 1, 1, 2]
    assert facts.pointers.rank.tolist() == [0, 1, 0, 1, 0]


def test_build_keeps_outcomes_beside_their_lines_and_what_is_unknown_as_nan() -> None:
    uses = (
        LineUse(opened=True, averted=True),
        LineUse(quoted=True, named=True),
        LineUse(edited=True),
        LineUse(),
    )
    facts = facts_of(
        [
            row(found(best_score=None, ceiling=None), kind="absent"),
            row(found(lines=lines(*"abcd")), uses=uses, unrelated_share=0.5),
        ]
    )
    questions, pointers = facts.questions, facts.pointers
    assert pointers.used.tolist() == [True, True, True, False]
    assert pointers.averted.tolist() == [True, False, False, False]
    assert pointers.named.tolist() == [False, True, False, False]
    assert np.isnan(questions.best_score).tolist() == [True, False]
    assert np.isnan(questions.unrelated_share).tolist() == [True, False]
    assert [questions.kind.dtype, questions.best_score.dtype] == [np.int8, np.float64]
    assert pointers.opened.dtype == np.bool_


def test_build_refuses_an_unknown_kind() -> None:
    with pytest.raises(ParameterError, match="`kind` must be one of asked, unrelated, joined, abs"):
        facts_of([row(kind="dreamt")])


@pytest.mark.parametrize(("kind", "n"), [("asked", 1), ("unrelated", 0), ("absent", 2)])
def test_build_refuses_uses_that_do_not_stand_beside_lines(kind: str, n: int) -> None:
    wanted = 0 if kind == "absent" else 2
    with pytest.raises(ParameterError, match=f"`uses` must have {wanted} entries .* got {n}"):
        facts_of([row(found(lines=lines("a", "b")), kind=kind, uses=(LineUse(),) * n)])


def test_build_refuses_more_lines_than_a_digest_prints() -> None:
    what = found(lines=lines(*"abcdefghijklm"))
    with pytest.raises(ParameterError, match=f"`found` must have at most {MAX_HITS} lines, got 13"):
        facts_of([row(what)])


def test_scores_by_field_stay_with_their_questions_and_names() -> None:
    def asked(*scores: tuple[str, float]) -> RecallFacts:
        return facts_of([row(found(field_scores=())), row(found(field_scores=scores))])

    whole = concatenate([asked(("name", 2.0), ("doc", 1.0)), asked(("body", 3.0), ("name", 4.0))])
    assert whole.fields == ("body", "doc", "name")
    told = zip(
        whole.field_scores.question.tolist(),
        (whole.fields[i] for i in whole.field_scores.field),
        whole.field_scores.score.tolist(),
        strict=True,
    )
    assert list(told) == [(1, "doc", 1.0), (1, "name", 2.0), (3, "body", 3.0), (3, "name", 4.0)]
    assert asked().fields == ()
