from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.dedup import (
    Range,
    coalesce_ranges,
    dedupe_range,
    intersect_range,
    merge_ranges,
    subtract_range,
)

LINES = st.integers(1, 60)
ANY_RANGE = st.tuples(st.integers(-3, 60), st.integers(-3, 60))
RANGE = st.tuples(LINES, LINES).map(lambda pair: (min(pair), max(pair)))
SERVED = st.lists(RANGE, max_size=8)
THRESHOLD = st.integers(1, 20)


def lines(*ranges: Range) -> set[int]:
    return {n for start, end in ranges for n in range(start, end + 1)}


@pytest.mark.parametrize(
    ("given_range", "merged"),
    [
        ((2.7, 5.9), ((2, 5),)),
        ((0.9, 5), ()),  # starts before line 1, though it would round to no line below it
        ((3.4, 3.2), ()),  # inverted, though both ends round to 3
        ((1, math.inf), ()),
        ((-math.inf, 4), ()),
        ((math.nan, 4), ()),
        ((1, math.nan), ()),
        ((10**400, 10**400 + 1), ((10**400, 10**400 + 1),)),
    ],
)
def test_merge_tests_a_range_before_it_rounds(
    given_range: tuple[float, float], merged: tuple[Range, ...]
) -> None:
    assert merge_ranges([given_range]) == merged


@given(st.lists(ANY_RANGE, max_size=10))
def test_merge_keeps_exactly_the_lines_of_valid_ranges(ranges: list[Range]) -> None:
    merged = merge_ranges(ranges)
    assert lines(*merged) == lines(*(r for r in ranges if 1 <= r[0] <= r[1]))
    assert merge_ranges(merged) == merged
    assert all(left[1] + 1 < right[0] for left, right in pairwise(merged))


@given(RANGE, SERVED)
def test_intersection_and_difference_part_the_range(wanted: Range, served: list[Range]) -> None:
    common, rest = intersect_range(wanted, served), subtract_range(wanted, served)
    assert lines(*common) == lines(wanted) & lines(*served)
    assert lines(*rest) == lines(wanted) - lines(*served)


def test_an_inverted_range_holds_nothing_to_cut() -> None:
    assert subtract_range((9, 3), [(4, 5)]) == ()
    assert intersect_range((9, 3), [(1, 20)]) == ()
    assert dedupe_range((9, 3), [(1, 20)], 1) == (((9, 3),), ())


@given(RANGE, SERVED, THRESHOLD)
def test_dedupe_parts_the_range_and_withholds_long_held_runs_only(
    wanted: Range, served: list[Range], threshold: int
) -> None:
    emit, covered = dedupe_range(wanted, served, threshold)
    assert lines(*emit) | lines(*covered) == lines(wanted)
    assert not lines(*emit) & lines(*covered)
    assert lines(*covered) <= lines(*served)
    assert all(end - start + 1 >= threshold for start, end in covered)
    left_in = [run for run in intersect_range(wanted, served) if run not in covered]
    assert all(end - start + 1 < threshold for start, end in left_in)


@given(RANGE, SERVED, THRESHOLD)
def test_a_higher_threshold_never_withholds_more(
    wanted: Range, served: list[Range], threshold: int
) -> None:
    lower, higher = (dedupe_range(wanted, served, threshold + up) for up in (0, 1))
    assert lines(*higher.covered) <= lines(*lower.covered)


@given(RANGE, SERVED, RANGE, THRESHOLD)
def test_more_served_lines_never_withhold_less(
    wanted: Range, served: list[Range], more: Range, threshold: int
) -> None:
    before, after = (dedupe_range(wanted, s, threshold) for s in (served, [*served, more]))
    assert lines(*before.covered) <= lines(*after.covered)


def test_served_runs_that_touch_are_tested_as_one() -> None:
    assert dedupe_range((1, 8), [(5, 8), (1, 4)], 8).covered == ((1, 8),)


def test_eight_lines_are_withheld_when_no_threshold_is_given() -> None:
    assert dedupe_range((1, 20), [(1, 7)]).covered == ()
    assert dedupe_range((1, 20), [(1, 8)]).covered == ((1, 8),)


@given(st.lists(RANGE, max_size=12), st.integers(1, 6))
def test_coalescing_keeps_the_longest_in_line_order(ranges: list[Range], limit: int) -> None:
    merged = merge_ranges(ranges)
    kept, truncated = coalesce_ranges(ranges, limit)
    dropped = set(merged) - set(kept)
    assert truncated == bool(dropped)
    assert set(kept) <= set(merged)
    assert list(kept) == sorted(kept)
    assert len(kept) == min(limit, len(merged))

    def rank(run: Range) -> tuple[int, int]:
        return run[1] - run[0], -run[0]

    assert all(rank(k) > rank(d) for k in kept for d in dropped)
