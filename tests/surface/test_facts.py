"""Facts of several families joined are the facts of all at once."""

from __future__ import annotations

from dataclasses import fields
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.surface import Surface, dumps
from ctxlab.surface.build import build
from ctxlab.surface.decide import decide
from ctxlab.surface.facts import SurfaceFacts, concatenate
from tests.surface.worlds import answer, decided, facts_of, quotable, random_envelope

GROUPS = ("answers", "quotes", "key_facts", "shapes")


def assert_equal(one: SurfaceFacts, other: SurfaceFacts) -> None:
    for name in ("families", "transcripts", "tools", "keys"):
        assert getattr(one, name) == getattr(other, name)
    np.testing.assert_array_equal(one.family_of_transcript, other.family_of_transcript)
    for group in GROUPS:
        for column in fields(getattr(one, group)):
            found, wanted = (getattr(getattr(facts, group), column.name) for facts in (one, other))
            np.testing.assert_array_equal(found, wanted, column.name)
            assert found.dtype == wanted.dtype


@given(st.integers(0, 2**32))
def test_families_joined_are_families_built_at_once(seed):
    rng = Random(seed)

    def some(family, transcript):
        text = dumps(random_envelope(rng))
        quotes = quotable(text)[:4]
        return answer(
            text, quotes, family=family, transcript=transcript, tool=rng.choice(["b", "a", "c"])
        )

    mine = [some(0, 0), some(0, 1)]
    theirs = [some(0, 0)]
    joined = concatenate(
        [
            build(mine, Surface(), ["x"], ["x1", "x2"], [0, 0]),
            build([], Surface(), ["y"], ["y1"], [0]),
            build(theirs, Surface(), ["z"], ["z1"], [0]),
        ]
    )
    moved = answer(theirs[0].text, family=2, transcript=3, tool=theirs[0].tool)
    moved = answer(moved.text, list(theirs[0].quotes), family=2, transcript=3, tool=moved.tool)
    families = ["x", "y", "z"], ["x1", "x2", "y1", "z1"], [0, 0, 1, 2]
    assert_equal(joined, build([*mine, moved], Surface(), *families))
    params = Surface(max_items=2, truncate_content=5, max_output_bytes=300)
    apart = [facts_of([row]) for row in (*mine, *theirs)]
    assert decided(joined, params) == [decided(facts, params)[0] for facts in apart]


def test_nothing_joined_is_nothing():
    facts = concatenate([])
    assert facts.tools == facts.keys == facts.families == ()
    for params in (Surface(), Surface(max_items=1, max_output_bytes=100)):
        found = decide(facts, params)
        assert len(found.output_bytes) == len(found.lost) == 0
