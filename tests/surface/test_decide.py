"""The law: facts and a decision give what shaping each value online does, for any setting."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ctxlab.surface import Surface, dumps
from ctxlab.surface.build import AnswerRow
from ctxlab.surface.decide import prepare
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
