"""What "none seen" allows to say."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["upper_rate", "upper_shares"]

Floats = npt.NDArray[np.float64]


def upper_rate(events: int, trials: int, confidence: float = 0.95) -> float | None:
    """Upper end of the one-sided exact binomial interval of a rate; None without trials.

    With 0 events among n families it is 1 - (1 - confidence)^(1/n): about 3/n at 95 %.

    References
    ----------
    Clopper and Pearson (1934), "The use of confidence or fiducial limits", Biometrika 26.
    """
    from scipy.special import betaincinv

    if trials == 0:
        return None
    if events >= trials:
        return 1.0
    return float(betaincinv(events + 1, trials - events, confidence))


def upper_shares(numerators: Floats, denominator: Floats, confidence: float = 0.95) -> Floats:
    """One-sided upper bounds on small shares Σ numerator / Σ denominator over families.

    Where few families have a part in the numerator, neither normal nor resampled errors hold. This
    is the exact binomial bound for as many independent trials as would vary like the share with
    each family left out once. They are fewer if few families make up the numerator, until the
    bound is that on the share of families which have any part in it. It is never below what "none
    seen" among the families allows to say.

    In worlds with a true share of 2 or 5 % and sizes of log-sd 1 it holds in 94 to 97 %, at log-sd
    1.5 in 89 to 93 %, where a family may lose nearly all or nothing. Bootstrap-t holds less.

    Parameters
    ----------
    numerators : array of shape (n_cells, n_families)
        Counts, at most those of the denominator.
    denominator : array of shape (n_families,)
        Counts. Families with 0 take no part.

    Returns
    -------
    array of shape (n_cells,)
        In [0, 1]; NaN with fewer than two families.

    References
    ----------
    Korn and Graubard (1998), "Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data", Survey Methodology 24.
    """
    part = denominator > 0
    num, den = numerators[:, part], denominator[part]
    n = len(den)
    if n < 2:
        return np.full(len(numerators), np.nan)
    sums, square = num.sum(axis=1), (num**2).sum(axis=1)
    makers = np.where(square > 0, sums**2 / np.where(square > 0, square, 1), n)
    plain, few = (_bound_of(num, den, confidence, freedom) for freedom in (n - 1, makers - 1))
    whole = [upper_rate(int(k), n, confidence) or 0.0 for k in (num > 0).sum(axis=1)]
    bounds = np.maximum(plain, np.minimum(few, whole))
    return np.maximum(bounds, upper_rate(0, n, confidence) or 0.0)


def _bound_of(num: Floats, den: Floats, confidence: float, freedom: Floats | int) -> Floats:
    """Binomial bounds for trials that vary like the shares do, known with so many degrees."""
    from scipy.special import betaincinv, ndtri, stdtrit

    n, total, sums = len(den), den.sum(), num.sum(axis=1)
    share = sums / total
    without = (sums[:, None] - num) / (total - den)
    variance = (n - 1) / n * ((without - share[:, None]) ** 2).sum(axis=1)
    varies = variance > 1e-12 * share**2  # else as many trials as there are counts
    spread = share * (1 - share) / np.where(varies, variance, 1)
    less = (ndtri(confidence) / stdtrit(np.maximum(freedom, 1), confidence)) ** 2
    trials = np.where(varies, np.minimum(spread * less, total), total)
    misses = np.maximum(trials * (1 - share), 1e-12)
    bounds: Floats = betaincinv(trials * share + 1, misses, confidence)
    return np.where(share < 1, bounds, 1.0)
