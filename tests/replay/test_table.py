"""Scores of a grid, whatever the policy: sums, choices of cells, combinations of values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import ParameterError
from ctxlab.replay.table import MAX_CELLS, Metric, SweepTable, grid_points


@dataclass(frozen=True)
class Cell:
    floor: int | None
    words: str

    def as_dict(self) -> dict[str, Any]:
        return {"floor": self.floor, "words": self.words}


METRICS = {
    "seen": Metric("seen", "what stands", "measured"),
    "kept": Metric("kept", "what changes", "bounded"),
    "cut": Metric("cut", "what changes too", "bounded"),
    "both": Metric("both", "follows", "bounded", lambda values: values["kept"] + values["cut"]),
}


def table(n_cells: int = 2) -> SweepTable[Cell]:
    """Families of two, one and three transcripts."""
    values = np.arange(6.0 * n_cells).reshape(n_cells, 6)
    return SweepTable(
        tuple(Cell(i or None, f"w{i}") for i in range(n_cells)),
        tuple("abcdef"),
        ("x", "y", "z"),
        np.array([0, 0, 1, 2, 2, 2], np.int32),
        {"seen": np.array([1.0, 2, 3, 4, 5, 6])},
        {"kept": values, "cut": -2 * values},
        METRICS,
    )


def test_a_metric_is_fixed_changing_or_derived() -> None:
    made = table()
    assert made.metric("seen").tolist() == [[1, 2, 3, 4, 5, 6]] * 2
    assert made.metric("kept")[1].tolist() == [6, 7, 8, 9, 10, 11]
    assert np.array_equal(made.metric("both"), -made.metric("kept"))
    with pytest.raises(ParameterError, match="no metric `luck`; known: seen, kept, cut, both"):
        made.metric("luck")


def test_scores_are_summed_by_family_and_in_all() -> None:
    made = table()
    assert made.by_family("seen").tolist() == [[3, 3, 15]] * 2
    assert made.by_family("kept").tolist() == [[1, 2, 12], [13, 8, 30]]
    totals = made.totals()
    assert list(totals) == ["floor", "words", *METRICS]
    assert totals["floor"].tolist() == [None, 1]
    assert totals["words"].tolist() == ["w0", "w1"]
    assert totals["kept"].tolist() == [15, 51]
    assert totals["both"].tolist() == [-15, -51]


def test_some_cells_of_a_table_are_a_table() -> None:
    some = table(4).select([3, 1])
    assert [cell.floor for cell in some.cells] == [3, 1]
    assert some.metric("kept").tolist() == table(4).metric("kept")[[3, 1]].tolist()
    assert some.metric("seen").shape == (2, 6)
    none = table().select([])
    assert none.cells == ()
    assert none.metric("both").shape == (0, 6)
    assert none.totals()["seen"].tolist() == []


def test_some_columns_of_a_table_are_a_table_of_their_families() -> None:
    whole = table()
    some = whole.of_columns([5, 0, 3, 0])
    assert (some.transcripts, some.families) == (("a", "d", "f"), ("x", "z"))
    assert some.family_of.tolist() == [0, 1, 1]
    for name in METRICS:
        assert np.array_equal(some.metric(name), whole.metric(name)[:, [0, 3, 5]])
    assert some.by_family("kept").tolist() == [[0, 8], [6, 20]]
    assert some.cells == whole.cells
    assert whole.of_columns(range(6)).by_family("both").tolist() == whole.by_family("both").tolist()
    none = whole.of_columns(np.flatnonzero(np.zeros(6)))
    assert (none.families, none.by_family("both").shape) == ((), (2, 0))
    assert none.totals()["kept"].tolist() == [0, 0]


def test_what_follows_may_follow_from_what_is_fixed() -> None:
    made = table()
    left = Metric("left", "follows", "bounded", lambda values: values["seen"] - values["kept"])
    with_left = replace(made, metrics={**METRICS, "left": left})
    assert np.array_equal(with_left.metric("left"), made.metric("seen") - made.metric("kept"))
    assert with_left.select([1]).by_family("left").tolist() == [[-10, -5, -15]]


def test_tuples_are_single_values_of_a_frame() -> None:
    @dataclass(frozen=True)
    class Chosen:
        keys: tuple[str, ...]

        def as_dict(self) -> dict[str, Any]:
            return {"keys": self.keys}

    cells = (Chosen(("a", "b")), Chosen(("a", "c")))
    assert replace(table(), cells=cells).totals()["keys"].tolist() == [("a", "b"), ("a", "c")]


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4), max_size=4))
def test_points_are_all_combinations_without_repeats(lists: list[list[int]]) -> None:
    grid = {f"p{i}": values for i, values in enumerate(lists)}
    points = list(grid_points(grid))
    assert len({tuple(point.items()) for point in points}) == len(points)
    assert len(points) == np.prod([len(set(values)) for values in lists], dtype=int)
    assert all(point[name] in grid[name] for point in points for name in grid)


def test_values_may_be_numpys_or_any_iterable() -> None:
    points = list(grid_points({"n": np.arange(2), "x": (v / 2 for v in range(2))}))
    assert points == [{"n": n, "x": x} for n in (0, 1) for x in (0.0, 0.5)]
    assert {type(point["n"]) for point in points} == {int}


def test_other_lists_count_and_are_not_combined() -> None:
    assert list(grid_points({"n": [1]}, {"proof": ["a", "b"]})) == [{"n": 1}]
    for grid, others in (({"n": []}, {}), ({"n": [1]}, {"n": []})):
        with pytest.raises(ParameterError, match="`n` needs at least one value to sweep over"):
            grid_points(grid, others)
    many = {"a": range(400), "b": range(400)}
    with pytest.raises(ParameterError, match=f"has 160,000 cells, at most {MAX_CELLS:,} are swept"):
        grid_points(many)
    with pytest.raises(ParameterError, match="has 100,002 cells"):
        grid_points({"a": range(50_001)}, {"proof": ["a", "b"]})


def test_a_list_without_end_in_sight_is_refused_at_once() -> None:
    with pytest.raises(ParameterError, match=f"the grid has over {MAX_CELLS:,} cells, at most"):
        grid_points({"max_items": range(10**12)})
