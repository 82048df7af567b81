"""The law: facts and a decision give what shaping each value online does, for any setting."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxlab.surface import Surface
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
)

worlds = st.lists(st.tuples(answer_texts, commands), min_size=1, max_size=3)


@given(worlds, arrangements, st.lists(numbers, min_size=1, max_size=4))
def test_a_decision_is_what_shaping_gives(worlds, arranged, cells):
    rows = [answer(text, quotable(text), command=command) for text, command in worlds]
    facts = facts_of(rows, arranged)
    made = prepare(facts)
    for cell in cells:
        params = Surface.of(**arranged.as_dict() | cell)
        assert arrangement(params) == arranged
        assert decided(facts, params, made) == [online(row, params) for row in rows]
