"""Placement against the enumeration of every way to split an output."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from ctxlab.transcripts._placement import Lengths, Placed, place

Bounds = tuple[int, int]
bounds = st.tuples(st.integers(0, 3), st.integers(0, 4)).map(lambda b: (b[0], b[0] + b[1]))
pieces = st.lists(bounds, min_size=1, max_size=4)


def bounded(one: Bounds) -> Lengths:
    return lambda at: (one,)


def splits(parts: list[Bounds], at: int = 0) -> Iterator[list[Bounds]]:
    """Every assignment, as (start, length) of each piece."""
    if not parts:
        yield []
        return
    for length in range(parts[0][0], parts[0][1] + 1):
        for rest in splits(parts[1:], at + length):
            yield [(at, length), *rest]


@given(pieces, st.integers(0, 12))
def test_exactly_what_all_splits_agree_on(parts: list[Bounds], n_lines: int) -> None:
    fitting = [s for s in splits(parts) if sum(length for _, length in s) == n_lines]
    expected: list[Placed | None] = []
    for i in range(len(parts)):
        starts = {split[i][0] for split in fitting}
        is_sure = len(starts) == 1
        expected.append(
            Placed(starts.pop(), min(split[i][1] for split in fitting)) if is_sure else None
        )
    assert place([bounded(part) for part in parts], n_lines) == tuple(expected)


@given(pieces, st.integers(0, 12))
def test_nothing_wrong_of_a_cut_output(parts: list[Bounds], n_lines: int) -> None:
    longer = [s for s in splits(parts) if sum(length for _, length in s) > n_lines]
    for i, found in enumerate(place([bounded(part) for part in parts], n_lines, cut=True)):
        if found is not None and found.n_lines:
            for split in longer:
                start, length = split[i]
                assert start == found.start
                assert min(length, n_lines - start) >= found.n_lines


def test_text_that_fits_nowhere_places_nothing() -> None:
    assert place([lambda at: ()], 2) == (None,)
    assert place([lambda at: ((0, 1),)], 2) == (None,)
