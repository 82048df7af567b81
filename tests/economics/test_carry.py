from __future__ import annotations

import numpy as np
import pytest

from ctxlab.economics import carried


# Table 1 of the specification: requests, cost with r = .10 and w = 1.25, with r = .05, with w = 1.
@pytest.mark.parametrize(
    ("requests", "usual", "newer", "no_premium"),
    [
        (1, 1.25, 1.25, 1.0),
        (5, 1.65, 1.45, 1.4),
        (10, 2.15, 1.70, 1.9),
        (20, 3.15, 2.20, 2.9),
        (50, 6.15, 3.70, 5.9),
        (100, 11.15, 6.20, 10.9),
        (200, 21.15, 11.20, 20.9),
    ],
)
def test_cost_grows_with_each_request_that_carries_it(
    requests: int, usual: float, newer: float, no_premium: float
) -> None:
    assert carried(1.0, float(requests)) == pytest.approx(usual)
    assert carried(1.0, float(requests), read=0.05) == pytest.approx(newer)
    assert carried(1.0, float(requests), write=1.0) == pytest.approx(no_premium)


def test_what_no_request_is_sent_costs_nothing() -> None:
    assert carried(500.0, 0.0) == 0.0


def test_arrays_are_weighted_one_by_one() -> None:
    found = carried(np.array([100.0, 100.0, 0.0]), np.array([0.0, 1.0, 9.0]))
    assert found.tolist() == [0.0, 125.0, 0.0]
