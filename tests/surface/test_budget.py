"""The byte ceiling by itself."""

from __future__ import annotations

from typing import Any

import pytest

from ctxlab.surface.budget import allowed_bytes, fit, fitting_rows, headroom, stub
from ctxlab.surface.canonical import dumps, size
from ctxlab.surface.params import Surface
from ctxlab.surface.shape import shape

NODES = [{"id": i} for i in range(30)]
EDGES = [{"from": i, "relation": "depends-on", "to": i + 1} for i in range(20)]


def test_headroom_is_what_a_shortened_record_gains() -> None:
    added = ',"dropped":30,"max_output_bytes":450,"output_truncated":true'
    assert headroom(450, 30, adds_truncated=False) == len(added) == 55 + 2 + 3
    assert headroom(450, 30, adds_truncated=True) == len(added + ',"truncated":true')
    assert allowed_bytes(450, 30, adds_truncated=True) == 450 - 77
    assert allowed_bytes(60, 0, adds_truncated=True) == 1


@pytest.mark.parametrize(
    ("row_bytes", "room", "kept"),
    [([], 5, 0), ([5], 5, 1), ([5], 4, 0), ([2, 2], 5, 2), ([2, 2], 4, 1), ([9, 1, 1], 8, 0)],
)
def test_a_comma_from_the_second_row_on(row_bytes: list[int], room: int, kept: int) -> None:
    assert fitting_rows(row_bytes, room) == kept


def test_a_larger_ceiling_may_keep_less() -> None:
    kept = {}
    for most in (450, 1020, 1310):
        shaped: Any = shape({"nodes": NODES, "edges": EDGES}, Surface(max_output_bytes=most))
        kept[most] = (len(shaped["nodes"]), len(shaped["edges"]))
    assert kept == {450: (30, 0), 1020: (0, 20), 1310: (30, 20)}


def test_other_arrays_that_fit_stay_whole_even_if_no_row_does() -> None:
    payload: Any = {"rows": ["x" * 300], "others": [1, 2]}
    assert fit(payload, "rows", 200, 1) == ({"rows": [], "others": [1, 2]}, 0, 1, False)


def test_every_other_array_is_emptied_and_nothing_else() -> None:
    inner = {"list": [1, 2]}
    payload: Any = {"rows": [1, 2], "b": [3] * 100, "a": [4], "none": [], "inner": inner}
    emptied = {"rows": [1, 2], "b": [], "a": [], "none": [], "inner": inner}
    assert fit(payload, "rows", 200, 2) == (emptied, 2, 101, False)
    assert len(payload["b"]) == 100


@pytest.mark.parametrize("most", [1, 5, 79, 100])
@pytest.mark.parametrize(
    ("payload", "primary"),
    [("x" * 200, None), ({"count": 1, "x": "x" * 200}, None), ({"a": [1] * 99}, None)],
)
def test_what_has_no_rows_becomes_the_stub(payload: Any, primary: str | None, most: int) -> None:
    expected = {"max_output_bytes": most, "truncated": True, "truncated_reason": "max_output_bytes"}
    assert stub(most) == expected
    assert fit(payload, primary, most, 1) == (expected, 0, 0, True)


def test_the_exact_ceiling_of_a_whole_answer() -> None:
    payload: Any = {"rows": [1, 2, 3], "truncated": False}
    enough = size(payload) + headroom(99, 3, adds_truncated=False)
    assert enough == 92
    assert fit(payload, "rows", enough, 3) == (payload, 3, 0, False)
    assert fit(payload, "rows", enough - 1, 3).dropped == 1


def test_an_array_needs_two_bytes() -> None:
    least = headroom(10, 3, adds_truncated=False) + 2
    assert fit([11, 22, 33], None, least, 3) == ([], 0, 3, False)
    assert fit([11, 22, 33], None, least - 1, 3).is_stub


def test_the_ceiling_is_passed_where_emptied_arrays_lengthen_the_record() -> None:
    value = {"nodes": [{"id": i} for i in range(9)], "edges": [{"f": i} for i in range(1000)]}
    over = {
        most: len(dumps(shape(value, Surface(max_output_bytes=most))).encode()) - most
        for most in range(150, 400)
    }
    assert max(over.values()) == 3  # four digits dropped, one reserved
