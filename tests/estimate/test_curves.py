from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve

from ctxlab.errors import ParameterError
from ctxlab.estimate import floor_grid, precision_recall
from ctxlab.synthetic import recall_world


def test_floors_are_midpoints_and_what_is_kept() -> None:
    score = np.array([4.0, 1.0, 1.0, np.nan, 2.0])
    assert floor_grid(score).tolist() == [1.0, 1.5, 3.0]
    assert floor_grid(score, keep=(0.05, 3.0)).tolist() == [0.05, 1.0, 1.5, 3.0]
    assert floor_grid(np.full(3, np.nan)).tolist() == []
    assert floor_grid(np.empty(0), keep=[2.0]).tolist() == [2.0]


@given(
    score=st.lists(st.floats(0, 14) | st.just(np.nan), max_size=200),
    keep=st.lists(st.floats(0, 14), max_size=3),
    at_most=st.integers(3, 60),
)
def test_thinned_floors_keep_what_they_must(
    score: list[float], keep: list[float], at_most: int
) -> None:
    floors = floor_grid(np.array(score, float), keep, at_most)
    assert len(floors) <= at_most
    assert set(keep) <= set(floors.tolist())
    assert np.all(np.diff(floors) > 0)


def test_a_grid_has_one_floor_for_each_outcome() -> None:
    score = np.random.default_rng(1).integers(0, 30, 100) / 2
    floors = floor_grid(score)
    outcomes = {tuple(score >= floor) for floor in floors}
    assert len(outcomes) == len(floors) == len(np.unique(score))


def test_more_to_keep_than_room() -> None:
    with pytest.raises(ParameterError, match="`at_most` must be 3 or more to keep them, got 2"):
        floor_grid(np.arange(3.0), keep=(1, 2, 3), at_most=2)


def test_values_are_those_of_the_curve() -> None:
    made = recall_world(np.random.default_rng(5), 50)
    floors = floor_grid(made.score, at_most=12)
    found = precision_recall(made.score, made.used, made.family, floors)
    precision, recall, at = precision_recall_curve(made.used, made.score)
    place = np.searchsorted(at, floors)
    assert found.precision == pytest.approx(precision[place])
    assert found.recall == pytest.approx(recall[place])
    assert found.average_precision == average_precision_score(made.used, made.score)
    assert found.used_share == found.precision[0] == made.used.mean()
    assert found.printed[0] == len(made.score)
    assert found.recall[0] == 1
    for low, value, high in (
        (found.precision_low, found.precision, found.precision_high),
        (found.recall_low, found.recall, found.recall_high),
    ):
        told = ~np.isnan(low)
        assert told[:8].all()
        assert np.all(low[told] <= value[told])
        assert np.all(value[told] <= high[told])


def test_precision_of_a_score_without_signal_is_flat() -> None:
    made = recall_world(np.random.default_rng(2), 200, auc=0.5)
    found = precision_recall(made.score, made.used, made.family, np.array([0.0, 2.0, 4.0]))
    assert found.used_share is not None
    assert np.all(found.precision_low <= found.used_share)
    assert np.all(found.used_share <= found.precision_high)


def test_above_every_score_nothing_has_a_precision() -> None:
    score, used = np.array([1.0, 2.0, np.nan]), np.array([True, False, True])
    found = precision_recall(score, used, np.arange(3), np.array([0.0, 1.5, 3.0]))
    assert found.printed.tolist() == [2, 1, 0]
    assert found.precision[:2].tolist() == [0.5, 0]
    assert np.isnan(found.precision[2])
    assert found.recall.tolist() == [1, 0, 0]


@given(
    entries=st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=40),
    floors=st.lists(st.integers(0, 16).map(lambda n: n / 2), max_size=6),
)
def test_points_are_counts_over_counts(
    entries: list[tuple[int, bool]], floors: list[float]
) -> None:
    score, used = (np.array(column) for column in zip(*entries, strict=True))
    family = np.arange(len(score))
    found = precision_recall(score.astype(float), used, family, np.array(sorted(floors)))
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(found.precision, found.used / found.printed)
        np.testing.assert_array_equal(found.recall, found.used / used.sum())


def test_nothing_used() -> None:
    floors = np.array([0.0, 2.0, 2.5])
    found = precision_recall(np.arange(3.0), np.zeros(3, bool), np.arange(3), floors)
    assert (found.used_share, found.average_precision) == (None, None)
    assert found.precision[:2].tolist() == [0, 0]
    assert np.isnan(found.precision[2])
    assert np.isnan(found.recall).all()
    none = precision_recall(np.empty(0), np.empty(0, bool), np.empty(0, int), np.empty(0))
    assert none.floor.shape == none.precision.shape == none.recall.shape == (0,)


@pytest.mark.parametrize("short", ["label", "family"])
def test_arrays_of_one_length(short: str) -> None:
    columns: dict[str, Any] = dict.fromkeys(("score", "label", "family"), np.zeros(3))
    columns[short] = np.zeros(2)
    with pytest.raises(ParameterError, match="must be of one length, got"):
        precision_recall(**columns, floors=np.zeros(1))
