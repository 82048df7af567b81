"""The AUC by family on worlds with a known answer: what its interval promises, measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from ctxlab.errors import ParameterError
from ctxlab.estimate import FEW_FAMILIES, AucInterval, auc_interval, upper_rate
from ctxlab.synthetic import RecallWorld, recall_world


def world(n_families: int, seed: int, **options: Any) -> RecallWorld:
    return recall_world(np.random.default_rng([n_families, seed]), n_families, **options)


def interval(made: RecallWorld, by_project: bool = False) -> AucInterval:
    return auc_interval(made.score, made.used, made.family, made.project if by_project else None)


def covers(found: AucInterval, truth: float) -> bool:
    return found.low is not None and found.high is not None and found.low <= truth <= found.high


# What the interval promises -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_families", "n_worlds", "at_least"),
    [(10, 300, 0.93), (20, 300, 0.93), (40, 300, 0.91), (100, 300, 0.91), (300, 200, 0.90)],
)
@pytest.mark.parametrize("auc", [0.5, 0.7, 0.9])
def test_intervals_cover_what_they_say(
    n_families: int, n_worlds: int, at_least: float, auc: float
) -> None:
    """Nominal 95 %; measured over 500 to 2,000 worlds each: 98, 96, 96, 94, 94 % at an AUC of 0.5,
    98, 96, 95, 95, 93 % at 0.7, 97, 94, 94, 94, 93 % at 0.9.
    """
    found = (interval(world(n_families, s, auc=auc, likeness=0.5)) for s in range(n_worlds))
    held = [covers(f, auc) for f in found if f.low is not None]
    assert len(held) >= 0.97 * n_worlds
    assert np.mean(held) >= at_least


def test_a_score_without_signal_is_refused() -> None:
    """At most 2.5 % of the worlds may seem to carry signal, and chance on top."""
    for n_families, n_worlds in ((20, 400), (60, 400), (200, 200)):
        seems = [interval(world(n_families, s, auc=0.5)).carries_signal() for s in range(n_worlds)]
        assert np.mean(seems) <= 0.025 + 2.5 * np.sqrt(0.025 * 0.975 / n_worlds)


def test_a_score_with_signal_is_seen() -> None:
    seen = [interval(world(100, seed, auc=0.7)).carries_signal() for seed in range(60)]
    assert np.mean(seen) > 0.9


def test_questions_taken_for_families_claim_too_much() -> None:
    worlds = [world(40, seed, auc=0.7, likeness=0.5) for seed in range(200)]
    by_question = [auc_interval(w.score, w.used, np.arange(len(w.score))) for w in worlds]
    assert np.mean([covers(f, 0.7) for f in by_question]) < 0.8


CONFOUNDED = {"auc": 0.5, "n_projects": 10, "project_share": 0.4, "confounding": 0.9}


def test_large_projects_that_score_and_use_more_are_no_signal() -> None:
    """Measured over 300 to 500 worlds: signal in 82 and 97 % pooled, 2.0 and 1.7 % by project."""
    worlds = [world(100, seed, **CONFOUNDED) for seed in range(200)]
    pooled = [interval(made).carries_signal() for made in worlds]
    by_project = [interval(made, by_project=True) for made in worlds]
    assert np.mean(pooled) > 0.6
    assert np.mean([f.carries_signal() for f in by_project]) <= 0.025 + 0.03
    assert np.mean([covers(f, 0.5) for f in by_project]) > 0.91


def test_signal_within_projects_is_seen_by_project() -> None:
    options = {**CONFOUNDED, "auc": 0.7}
    found = [interval(world(100, s, **options), by_project=True) for s in range(100)]
    assert np.mean([f.carries_signal() for f in found]) > 0.9
    assert np.mean([covers(f, 0.7) for f in found]) > 0.9


# The value ----------------------------------------------------------------------------------------


@st.composite
def questions(draw: st.DrawFn) -> tuple[Any, Any, Any, Any]:
    n = draw(st.integers(2, 40))
    columns = [
        draw(st.lists(st.integers(0, high), min_size=n, max_size=n)) for high in (5, 1, 6, 2)
    ]
    score, label, family, stratum = (np.array(column) for column in columns)
    return score.astype(float), label.astype(bool), family, stratum


def slow(score: Any, label: Any, stratum: Any, left_out: Any) -> float | None:
    won, met = 0.0, 0
    for i in np.flatnonzero(label & ~left_out):
        for j in np.flatnonzero(~label & ~left_out & (stratum == stratum[i])):
            met += 1
            won += (score[i] > score[j]) + (score[i] == score[j]) / 2
    return won / met if met else None


@given(made=questions())
def test_the_value_is_the_share_of_pairs(made: tuple[Any, Any, Any, Any]) -> None:
    score, label, family, stratum = made
    found = auc_interval(score, label, family, stratum)
    assert found.value == pytest.approx(slow(score, label, stratum, np.zeros(len(score), bool)))
    assert (found.n_positive, found.n_negative) == (label.sum(), (~label).sum())
    pooled = auc_interval(score, label, family)
    if label.all() or not label.any():
        assert (pooled.value, pooled.low, pooled.high, pooled.n_families) == (None, None, None, 0)
    else:
        assert pooled.value == pytest.approx(roc_auc_score(label, score))


@given(made=questions())
def test_the_error_is_of_leaving_families_out(made: tuple[Any, Any, Any, Any]) -> None:
    from scipy.special import expit, logit, stdtrit

    score, label, family, stratum = made
    found = auc_interval(score, label, family, stratum)
    if found.value in (None, 0.0, 1.0) or found.low is None or found.high is None:
        return
    part = [f for f in np.unique(family) if _pairs_of(family == f, label, stratum)]
    left = np.array([slow(score, label, stratum, family == f) for f in part], float)
    assert len(part) == found.n_families
    n = len(left)
    error = np.sqrt((n - 1) / n * ((left - found.value) ** 2).sum())
    rarer = min(
        sum(_pairs_of((family == f) & (label == of), label, stratum) for f in part)
        for of in (True, False)
    )
    reach = stdtrit(rarer - 1, 0.975) * error / (found.value * (1 - found.value))
    ends = expit(logit(found.value) + np.array([-reach, reach]))
    assert (found.low, found.high) == pytest.approx(tuple(ends))


def _pairs_of(own: Any, label: Any, stratum: Any) -> bool:
    return any(np.any((label != label[i]) & (stratum == stratum[i])) for i in np.flatnonzero(own))


@given(seed=st.integers(0, 500), n=st.integers(4, 60))
def test_order_names_and_scale_say_nothing(seed: int, n: int) -> None:
    made = world(n, seed)
    found = interval(made)
    order = np.random.default_rng(seed).permutation(len(made.score))
    again = auc_interval(
        3 * made.score[order] - 7, made.used[order], 11 - 5 * made.family[order], None
    )
    assert again.value == pytest.approx(found.value)
    assert (again.low, again.high) == pytest.approx((found.low, found.high))
    if found.low is not None:
        assert 0 <= found.low <= found.value <= found.high <= 1  # type: ignore[operator]
    opposite = auc_interval(-made.score, made.used, made.family)
    if found.value is not None:
        assert opposite.value == pytest.approx(1 - found.value)


def test_copies_of_families_that_are_merged_change_nothing_much() -> None:
    made = world(60, 3)
    once, twice = (
        auc_interval(np.tile(made.score, k), np.tile(made.used, k), np.tile(made.family, k))
        for k in (1, 2)
    )
    assert twice.value == pytest.approx(once.value)
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high))
    apart = np.concatenate([made.family, made.family + 1000])
    more = auc_interval(np.tile(made.score, 2), np.tile(made.used, 2), apart)
    assert more.high - more.low < 0.8 * (once.high - once.low)  # type: ignore[operator]


# Edges --------------------------------------------------------------------------------------------


def of(*rows: tuple[float, int, int]) -> AucInterval:
    """Interval of (score, used, family) rows."""
    score, label, family = (np.array(column) for column in zip(*rows, strict=True))
    return auc_interval(score.astype(float), label, family)


def test_equal_scores_carry_no_signal() -> None:
    found = of(*((3.0, used, family) for family in range(50) for used in (0, 1)))
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)
    assert not found.carries_signal()


def test_scores_that_are_mostly_tied() -> None:
    rows = [(3.0, used, family) for family in range(50) for used in (0, 1)]
    found = of(*rows, (4.0, 1, 7))
    assert found.value == pytest.approx(0.5 + 0.5 / 51)
    assert found.low < 0.5 < found.high  # type: ignore[operator]


@pytest.mark.parametrize(("n", "signal"), [(2, False), (5, False), (6, True), (40, True)])
def test_pairs_that_all_agree_are_none_seen_among_so_many_families(n: int, signal: bool) -> None:
    right = [(float(used), used, family) for family in range(n) for used in (0, 1)]
    found = of(*right)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(1 - upper_rate(0, n, 0.975))  # type: ignore[operator]
    assert found.carries_signal() == signal
    wrong = of(*((-score, used, family) for score, used, family in right))
    assert (wrong.value, wrong.low) == (0.0, 0.0)
    assert wrong.high == pytest.approx(1 - found.low)  # type: ignore[operator]


def test_a_class_in_one_family_has_a_value_and_no_interval() -> None:
    found = of((2, 1, 0), (3, 1, 0), (1, 0, 0), (1, 0, 1), (2.5, 0, 2))
    assert found.value == pytest.approx(5 / 6)
    assert (found.low, found.high, found.n_families) == (None, None, 3)
    assert found.indicative
    assert not found.carries_signal()


def test_one_family_and_none() -> None:
    assert of((2, 1, 0), (1, 0, 0)).low is None
    found = auc_interval(np.empty(0), np.empty(0, bool), np.empty(0, int))
    assert (found.value, found.low, found.n_positive, found.n_families) == (None, None, 0, 0)
    assert found.indicative


def test_questions_without_a_score_are_left_out() -> None:
    found = of((2, 1, 0), (3, 1, 1), (1, 0, 0), (2, 0, 1), (np.nan, 0, 5), (np.nan, 1, 6))
    assert found == of((2, 1, 0), (3, 1, 1), (1, 0, 0), (2, 0, 1))


def test_strata_without_both_classes_take_no_part() -> None:
    score, label = np.array([1.0, 2, 1, 2, 9]), np.array([0, 1, 0, 1, 1])
    family, stratum = np.array([0, 0, 1, 1, 2]), np.array([0, 0, 0, 0, 8])
    found = auc_interval(score, label, family, stratum)
    assert (found.n_positive, found.n_negative, found.n_families) == (3, 2, 2)
    assert found.effective_families == 2


def test_few_families_are_indicative() -> None:
    for n in (FEW_FAMILIES - 1, FEW_FAMILIES):
        rows = [(used + 0.6 * (family % 3), used, family) for family in range(n) for used in (0, 1)]
        assert of(*rows).indicative == (n < FEW_FAMILIES)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 1.0}, r"`confidence` must be in \(0, 1\), got 1.0"),
        ({"family": np.zeros(2, int)}, r"must be of one length, got \[3, 3, 2, 3\]"),
        ({"stratum": np.zeros(4, int)}, r"must be of one length, got \[3, 3, 3, 4\]"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, Any], message: str) -> None:
    given_ = {"score": np.arange(3.0), "label": np.arange(3) > 1, "family": np.arange(3), **options}
    with pytest.raises(ParameterError, match=message):
        auc_interval(**given_)


# The worlds ---------------------------------------------------------------------------------------


def test_a_world_is_what_it_says() -> None:
    made = world(6000, 1, auc=0.7, used_share=0.3, questions_log_sd=0.5)
    assert made.used.mean() == pytest.approx(0.3, abs=0.01)
    assert roc_auc_score(made.used, made.score) == pytest.approx(0.7, abs=0.01)
    for floor in (1.0, 2.0, 4.0):
        lost = (made.score < floor)[made.used].mean()
        assert made.lost_share(floor) == pytest.approx(lost, abs=0.01)
    assert made.lost_share(0.0) == 0
    n_bytes, fires, used = made.by_family(np.array([0.0, 3.0]))
    assert fires[0].sum() == len(made.score)
    assert used[1].sum() == (made.used & (made.score >= 3)).sum()
    assert np.all(n_bytes[1] <= n_bytes[0])
    again = world(6000, 1, auc=0.7, used_share=0.3, questions_log_sd=0.5)
    assert np.array_equal(again.score, made.score)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"auc": 1.0}, r"`auc` must be in \(0, 1\), got 1.0"),
        ({"used_share": 0.0}, r"`used_share` must be in \(0, 1\), got 0.0"),
        ({"likeness": 1.0}, r"`likeness` must be in \(0, 1\), got 1.0"),
        ({"n_families": 0}, "`n_families` must be 1 or more, got 0"),
        ({"n_projects": 0}, "`n_projects` must be 1 or more, got 0"),
        ({"project_share": 1.0}, r"`project_share` must be in \[0, 1\), got 1.0"),
        ({"confounding": -0.1}, r"`confounding` must be in \[0, 1\], got -0.1"),
    ],
)
def test_worlds_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        recall_world(np.random.default_rng(0), **{"n_families": 5, **options})
