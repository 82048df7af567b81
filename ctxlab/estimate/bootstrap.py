"""Intervals of shares by resampling whole families.

A share is a ratio of two sums over families, such as net bytes over touched bytes. Calls of one
transcript resemble each other, so resampling calls would claim a precision that is not there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

__all__ = [
    "FEW_FAMILIES",
    "Band",
    "ShareInterval",
    "part_interval",
    "share_bands",
    "share_interval",
]

FEW_FAMILIES = 40
"""Below so many families, or so many effective ones, an interval is indicative only."""

_DRAWS = 2000
_BLOCK = 100
_CELLS_AT_ONCE = 128
_KEPT_FAMILIES = 1000  # 16 MB of draws
_UNBOUNDED = 0.01  # of the draws; more of them would make the band of all cells infinite
_SEED = 20_250_101

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """A share with its interval; None where the log does not tell.

    `n_families` have a part in the denominator; `effective_families` is (Σd)² / Σd² of the
    denominators d: how many equal families would weigh the same. `indicative` warns that the
    interval rests on few families.
    """

    value: float | None
    low: float | None
    high: float | None
    n_families: int
    effective_families: float
    confidence: float
    indicative: bool

    def excludes_zero(self) -> bool:
        """Whether the whole interval lies above 0."""
        return self.low is not None and self.low > 0


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Shares of many cells: an interval of each by itself, and a band of all at once.

    Arrays of shape (n_cells,), NaN where the families are too few to tell.
    """

    share: Floats
    low: Floats
    high: Floats
    band_low: Floats
    band_high: Floats


def share_interval(
    numerator: Floats, denominator: Floats, confidence: float = 0.95
) -> ShareInterval:
    """Interval of Σ numerator / Σ denominator over families, as `share_bands` gives it.

    Parameters
    ----------
    numerator, denominator : array of shape (n_families,)
        In one unit. Families whose denominator is 0 take no part.
    """
    den = denominator[denominator > 0]
    n = len(den)
    if n == 0:
        return ShareInterval(None, None, None, 0, 0.0, confidence, True)
    effective = float(den.sum()) ** 2 / float((den**2).sum())
    band = share_bands(numerator[None, :], denominator, confidence)
    low, high = (None if np.isnan(end[0]) else float(end[0]) for end in (band.low, band.high))
    few = min(n, effective) < FEW_FAMILIES
    return ShareInterval(float(band.share[0]), low, high, n, effective, confidence, few)


def part_interval(part: Floats, whole: Floats, confidence: float = 0.95) -> ShareInterval:
    """Interval of Σ part / Σ whole where each part is of its whole: both ends lie in [0, 1].

    As `share_interval`, whose ends may lie beyond where families are few.
    """
    found = share_interval(part, whole, confidence)
    ends = (None if end is None else min(max(end, 0.0), 1.0) for end in (found.low, found.high))
    low, high = ends
    return replace(found, low=low, high=high)


def share_bands(numerators: Floats, denominator: Floats, confidence: float = 0.95) -> Band:
    """Shares of many cells with their intervals, from common bootstrap draws of whole families.

    With `FEW_FAMILIES` or more, the interval of a cell is the bootstrap-t interval: each draw's
    deviation is taken in standard errors of its own, without which intervals of heavy-tailed
    families are too narrow above. Below, it is the t interval of the linearised ratio. The band is
    share ± c · standard error, c being the quantile of the largest such deviation over all cells.
    Cells that never vary get no width; an end that is beyond all bounds is NaN. A cell that so few
    families move that many draws miss them all is left out of the band.

    Parameters
    ----------
    numerators : array of shape (n_cells, n_families)
    denominator : array of shape (n_families,)

    References
    ----------
    Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), ch. 12: bootstrap-t. Cochran,
    "Sampling Techniques" (1977), ch. 6: the ratio estimator. Montiel Olea and Plagborg-Møller
    (2019), "Simultaneous confidence bands", J. Applied Econometrics 34: the sup-t band.
    """
    num, den = _in_order(numerators, denominator)
    n = len(den)
    unknown = np.full(len(numerators), np.nan)
    if n == 0:
        return Band(unknown, unknown, unknown, unknown, unknown)
    share = num.sum(axis=1) / den.sum()
    if n < 2:
        return Band(share, unknown, unknown, unknown, unknown)
    error = _linear_error(num, den)
    moves = np.flatnonzero(error > 0)
    low, high, largest = share.copy(), share.copy(), np.zeros(_DRAWS)
    sparse = np.zeros(len(num), bool)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    for cells in np.array_split(moves, max(1, -(-len(moves) // _CELLS_AT_ONCE))):
        away = _deviations(num[cells], den)
        told = np.isinf(away).mean(axis=0) <= _UNBOUNDED
        sparse[cells[~told]] = True
        largest = np.maximum(largest, np.abs(away[:, told]).max(axis=1, initial=0.0))
        below = np.quantile(away, tails[0], axis=0, method="lower")
        above = np.quantile(away, tails[1], axis=0, method="higher")
        low[cells] = share[cells] - above * error[cells]
        high[cells] = share[cells] - below * error[cells]
    if n < FEW_FAMILIES:
        from scipy.special import stdtrit

        reach = float(stdtrit(n - 1, tails[1])) * error
        low, high = share - reach, share + reach
    c = float(np.quantile(largest, confidence, method="higher"))
    width = np.where(sparse, np.nan, np.where(error > 0, c, 0.0) * error)
    ends = (low, high, share - width, share + width)
    return Band(share, *(np.where(np.isfinite(end), end, np.nan) for end in ends))


def _in_order(num: Floats, den: Floats) -> tuple[Floats, Floats]:
    """Families that take part, in an order of their values: draws must not depend on theirs."""
    order = np.lexsort((num.sum(axis=0), den))
    order = order[den[order] > 0]
    return num[:, order], den[order]


def _deviations(num: Floats, den: Floats) -> Floats:
    """Deviation of each bootstrap sample of each cell in its own errors: (n_draws, n_cells)."""
    n, k = len(den), len(num)
    sums = _resampled(np.vstack([den, den**2, num, num**2, num * den]).T)
    total, total2 = sums[:, :1], sums[:, 1:2]
    a, a2, ab = np.split(sums[:, 2:], [k, 2 * k], axis=1)
    share = a / total
    variance = n / (n - 1) * (a2 - 2 * share * ab + share**2 * total2) / total**2
    away = share - num.sum(axis=1) / den.sum()
    # A sample of families that are all alike has no error: whatever it deviates is without bound.
    tiny = 1e-12 * (share**2 + 1)
    error = np.sqrt(np.where(variance > tiny, variance, 0.0))
    beyond = np.where(np.abs(away) > np.sqrt(tiny), np.copysign(np.inf, away), 0.0)
    deviations: Floats = np.where(error > 0, away / np.where(error > 0, error, 1.0), beyond)
    return deviations


def _resampled(columns: Floats) -> Floats:
    """Sum each column over each bootstrap sample of its rows: (n_draws, n_columns).

    A block of draws at a time: 2,000 draws of 10,000 families at once would take 300 MB.
    """
    n = len(columns)
    blocks = _kept_draws(n) if n <= _KEPT_FAMILIES else _draws(n)
    drawn: Floats = np.concatenate([counts @ columns for counts in blocks])
    return drawn


def _draws(n: int) -> Iterator[npt.NDArray[np.int64]]:
    """How often each of n families stands in each sample, a block of samples at a time."""
    random = np.random.default_rng(_SEED)
    return (random.multinomial(n, np.full(n, 1 / n), size=_BLOCK) for _ in range(_DRAWS // _BLOCK))


@lru_cache(maxsize=2)
def _kept_draws(n: int) -> tuple[npt.NDArray[np.int64], ...]:
    """Keep the latest: the intervals of many cells rest on the same number of families."""
    return tuple(_draws(n))


def _linear_error(num: Floats, den: Floats) -> Floats:
    """Standard error of the ratio of sums, from its linearised residuals."""
    n, total = len(den), den.sum()
    residual = num - (num.sum(axis=1) / total)[:, None] * den
    error: Floats = np.sqrt(n / (n - 1) * (residual**2).sum(axis=1)) / total
    return error
