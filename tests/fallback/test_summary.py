from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.fallback import cumulative_incidence, reobtained, reobtained_summary
from tests.builders import agent, call, edit, lines, log_of, mark, numbered

READ = call("Read", numbered("a.py", 1, 10))
IDLE = call("Bash")


def test_rates_and_cuts() -> None:
    frames = [
        reobtained(log_of([READ, READ, *[IDLE] * 10])),
        reobtained(log_of([READ, call("Edit", edit("a.py")), *[IDLE] * 10])),
        reobtained(log_of([READ, agent("helper", IDLE)])),
    ]
    table = reobtained_summary(frames).set_index(["rho", "k"])
    row = table.loc[("any", 3)]
    assert (row.sections, row.outcomes, row.rate_share) == (4, 1, 0.25)
    assert (row.cut_short, row.competing, row.censored, row.cut_share) == (2, 1, 1, 0.5)
    assert row.incidence_share == 0.25
    assert np.isnan(table.loc[("any", 1)].incidence_share) == (table.cut_share.iloc[0] <= 0.1)


def test_incidence_stands_only_where_windows_are_cut() -> None:
    table = reobtained_summary(reobtained(log_of([READ, *[IDLE] * 10])))
    assert table.cut_share.eq(0).all()
    assert table.incidence_share.isna().all()


def test_tail_routes_and_text_are_counted_apart() -> None:
    changed = call("Read", lines("b.py", 1, "new"))
    steps = [READ, call("Read", lines("b.py", 1, "old")), agent("helper", READ, READ), changed]
    frame = reobtained(log_of([*steps, agent("other", READ), mark("compaction")]))
    row = reobtained_summary(frame[frame.call < 2], by=["kind"]).iloc[3]
    assert (row.kind, row.rho, row.k, row.sections) == ("read", "any", 10, 2)
    assert (row.outcomes, row.by_subagent_only, row.same_text) == (2, 1, 1)
    assert (row.second, row.third) == (1, 0)


def test_no_section_gives_no_rate() -> None:
    table = reobtained_summary(reobtained(log_of([IDLE])))
    assert table.sections.eq(0).all()
    assert table[["rate_share", "cut_share", "incidence_share"]].isna().all(axis=None)
    assert reobtained_summary(reobtained(log_of([IDLE])), by=["kind"]).empty
    assert reobtained_summary([]).empty


def test_share_of_any_number() -> None:
    table = reobtained_summary(reobtained(log_of([READ, READ]), K=(2,), rho=(0.125, 1.0)))
    assert table.rho.tolist() == ["r12.5", "r100"]
    assert table.outcomes.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("step", "cause", "k", "expected"),
    [
        ([1, 2, 3, 4], [1, 1, 1, 1], 2, 0.5),
        ([1, 2, 2, 2], [2, 1, 1, 1], 2, 0.75),
        ([1, 1, 2, 2], [0, 0, 1, 0], 2, 0.5),
        ([0, 1], [0, 1], 1, 1.0),
        ([1, 1, 2, 3], [1, 0, 2, 1], 3, 0.25 + 0.75 * 0.5),
    ],
    ids=["all seen", "competing", "censored", "no action seen", "both"],
)
def test_cumulative_incidence(step: list[int], cause: list[int], k: int, expected: float) -> None:
    assert cumulative_incidence(np.array(step), np.array(cause), k) == pytest.approx(expected)


def test_cumulative_incidence_of_nothing_is_unknown() -> None:
    assert np.isnan(cumulative_incidence(np.array([], int), np.array([], int), 3))
    assert np.isnan(cumulative_incidence(np.array([0, 0]), np.array([0, 0]), 3))


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from([1, 2])), min_size=1))
def test_without_censoring_the_incidence_is_the_share(ends: list[tuple[int, int]]) -> None:
    step, cause = (np.array(column) for column in zip(*ends, strict=True))
    for k in (1, 3, 6):
        share = np.mean((step <= k) & (cause == 1))
        assert cumulative_incidence(step, cause, k) == pytest.approx(share)


@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from([0, 1, 2])), min_size=1))
def test_the_incidence_lies_between_the_share_and_one(ends: list[tuple[int, int]]) -> None:
    step, cause = (np.array(column) for column in zip(*ends, strict=True))
    cause = np.where(step == 0, 0, cause)
    if (step >= 1).any():
        got = cumulative_incidence(step, cause, 6)
        assert np.mean(cause == 1) - 1e-12 <= got <= 1 + 1e-12
