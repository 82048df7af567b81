"""The order of rows: a stable sort where there is one, insertion where there is none."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.surface.paths import MISSING, look_up, scalar_text
from ctxlab.surface.sorting import sort_rows
from tests.surface.values import MIXED, SCALARS

CHOICES: list[Any] = [
    None,
    True,
    0,
    -1,
    2,
    9,
    10,
    10.0,
    "",
    "1",
    "10",
    "9",
    "10a",
    "-",
    "é",
    [],
    {},
]


def is_less(a: Any, b: Any) -> bool:
    """The comparison by the letter of its rules."""
    ranks = [2 if v is MISSING else 1 if isinstance(v, (list, dict)) else 0 for v in (a, b)]
    if ranks != [0, 0]:
        return ranks[0] < ranks[1]
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (a, b)):
        return float(a) < float(b)
    first, second = scalar_text(a), scalar_text(b)
    assert first is not None
    assert second is not None
    return first.encode() < second.encode()


def inserted(rows: list[Any]) -> list[Any]:
    """Rows sorted by insertion, from left to right."""
    done: list[Any] = []
    for row in rows:
        place = len(done)
        while place and is_less(look_up(row, "k"), look_up(done[place - 1], "k")):
            place -= 1
        done.insert(place, row)
    return done


def numbered(members: list[Any]) -> list[Any]:
    return [{"i": i} if m is MISSING else {"i": i, "k": m} for i, m in enumerate(members)]


@given(st.lists(MIXED | SCALARS | st.just(MISSING), max_size=30))
def test_it_is_insertion(members: list[Any]) -> None:
    rows = numbered(members)
    assert sort_rows(rows, "k").rows == inserted(rows)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_insertion_over_many_blocks(seed: int) -> None:
    random = Random(seed)
    members = [
        random.choice(CHOICES)
        if random.random() < 0.3
        else random.choice([int, str])(random.randrange(400))
        for _ in range(1500)
    ]
    rows = numbered(members)
    done = sort_rows(rows, "k")
    assert done.rows == inserted(rows)
    assert done.undefined


@pytest.mark.parametrize(
    ("members", "undefined"),
    [
        (list(range(30)), False),
        ([str(i) for i in range(30)], False),
        ([None, *range(30)], False),  # the empty text stands below every number
        (["", True, "high", "-", *range(30)], False),
        ([[], {}, MISSING, *range(30)], False),
        (["5", *range(30)], True),
        (["5", *range(19)], False),  # few enough to be sorted by insertion
        (["5", *range(20)], True),
        (["-", *range(-1, 30)], False),
        (["-5", *range(-9, 30)], True),
    ],
)
def test_where_the_order_of_the_reference_is_unknown(members: list[Any], undefined: bool) -> None:
    rows = numbered(members)
    done = sort_rows(rows, "k")
    assert done.undefined is undefined
    assert done.rows == inserted(rows)
