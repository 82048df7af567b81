"""The law: facts and a decision give what shaping each value online does, for any setting."""

from __future__ import annotations

import json
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ctxlab.surface import Surface, as_printed, dumps, parse
from ctxlab.surface.build import AnswerRow
from ctxlab.surface.decide import decide, prepare
from ctxlab.surface.params import arrangement
from tests.surface.worlds import (
    answer,
    answer_texts,
    arrangements,
    commands,
    decided,
    facts_of,
    numbers,
    online,
    quotable,
    random_envelope,
    random_numbers,
)

SEEDS = st.integers(0, 2**32)


@given(
    st.lists(st.tuples(answer_texts, commands), min_size=1, max_size=3),
    arrangements,
    st.lists(numbers, min_size=1, max_size=4),
)
def test_a_decision_is_what_shaping_gives(world, arranged, cells):
    rows = [answer(text, quotable(text), command=command) for text, command in world]
    _compare(rows, arranged, cells)


@given(SEEDS, arrangements)
def test_a_decision_is_what_shaping_gives_where_rows_are_many(seed, arranged):
    rng = Random(seed)
    rows = []
    for command in ("recall", "list", "graph", None):
        text = "\n".join(dumps(random_envelope(rng)) for _ in range(rng.choice([1, 1, 2])))
        rows.append(
            answer(text, rng.sample(known := quotable(text), min(9, len(known))), command=command)
        )
    n_bytes = max(len(row.text) for row in rows)
    _compare(rows, arranged, [random_numbers(rng, n_bytes) for _ in range(12)])


def _compare(rows: list[AnswerRow], arranged: Surface, cells: list[dict[str, int]]) -> None:
    facts = facts_of(rows, arranged)
    made = prepare(facts)
    for cell in cells:
        params = Surface.of(**arranged.as_dict() | cell)
        assert arrangement(params) == arranged
        assert decided(facts, params, made) == [online(row, params) for row in rows]


def test_the_fuzz_of_the_reference_has_the_sizes_expected(shared):
    """2,000 envelopes with their own knobs; then all of them with random numeric ones instead."""
    rng = Random(4)
    lines = (shared / "conformance/surface_fuzz.jsonl").read_text().splitlines()
    for case in map(json.loads, lines):
        asked = dict(case["request"]["surface"])
        command = asked.pop("command", None)
        params = Surface.of(**asked)
        # recorded rows print 32-bit floats short, those of the reference come as they are reshaped
        row = answer(case["request"]["value_text"], command=command)
        is_as_printed = as_printed(parse(row.text), command) == parse(row.text)
        facts = facts_of([row], arrangement(params))
        if is_as_printed:
            assert decide(facts, params).output_bytes[0] == case["expect_len"]
        other = Surface.of(**params.as_dict() | random_numbers(rng, len(row.text)))
        assert decided(facts, other) == [online(row, other)]


def test_a_larger_ceiling_may_keep_fewer_rows():
    nodes = [{"id": f"AB-{n}"} for n in range(10, 40)]
    found = {"nodes": nodes, "edges": [{"from": f"AB-{n}", "to": "AB-10"} for n in range(10, 30)]}
    facts = facts_of([answer(dumps(found), ["AB-39", "AB-10"])])
    made = prepare(facts)
    kept = {m: decided(facts, Surface(max_output_bytes=m), made)[0] for m in range(60, 1700)}
    rows = [outcome.kept_rows for outcome in kept.values()]
    assert rows != sorted(rows)
    assert kept[751].kept_rows == 30
    assert kept[751].dropped_rows == 20
    assert kept[751].lost == ()
    assert (kept[752].kept_rows, kept[752].dropped_rows) == (0, 30)
    assert kept[752].lost == (0,)  # the other array, back again, shows the other token
    assert kept[60].stubs == 1
    assert kept[60].lost == (0, 1)
    assert kept[1699].grown  # whole, with a record
    for m in range(60, 1700, 41):
        params = Surface(max_output_bytes=m)
        assert kept[m] == online(answer(dumps(found), ["AB-39", "AB-10"]), params)


def test_an_earlier_record_takes_no_room_however_long_it_is():
    rows = [{"id": f"AB-{n}", "body": "of a few words"} for n in range(40)]
    texts = [{"results": rows}, {"results": rows, "agent_surface": "x" * 10**5}] * 4
    answers = [answer(dumps(text), ["AB-3"]) for text in texts]
    facts = facts_of(answers)
    for most in (300, 500, 900):
        params = Surface(truncate_content=5, max_output_bytes=most)
        assert decided(facts, params) == [online(row, params) for row in answers]


def test_what_the_policy_writes_shows_nothing_of_the_answer():
    """The ceiling in a stub and a count are numbers that the answer happens to hold too."""
    row = answer(dumps({"results": [{"n": 200}, {"n": 100}] * 50}), ["200", "100"])
    facts = facts_of([row])
    assert decided(facts, Surface(max_output_bytes=200))[0].lost == ()
    assert decided(facts, Surface(max_output_bytes=100))[0].lost == (0, 1)
    counted = Surface(count_only=True)
    assert decided(facts_of([row], counted), counted)[0].lost == (0, 1)


def test_texts_that_are_cut_are_counted_apart():
    row = answer(dumps([{"id": "AB-1234", "body": "a few words"}, {"id": "AB", "body": "none\n"}]))
    found = decided(facts_of([row]), Surface(truncate_content=4))[0]
    assert (found.cut_names, found.cut_texts) == (1, 2)
    first = decided(facts_of([row]), Surface(truncate_content=4, max_items=1))[0]
    assert (first.cut_names, first.cut_texts, first.capped_rows) == (1, 1, 1)
