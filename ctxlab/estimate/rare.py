"""What "none seen" allows to say."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ctxlab.estimate.bootstrap import linear_error

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
    is the exact binomial bound for as many independent trials as would have the variance between
    families, and never below what "none seen" among the families allows to say.

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
    from scipy.special import betaincinv, ndtri, stdtrit

    part = denominator > 0
    num, den = numerators[:, part], denominator[part]
    n = len(den)
    if n < 2:
        return np.full(len(numerators), np.nan)
    share, variance = num.sum(axis=1) / den.sum(), linear_error(num, den) ** 2
    few = (ndtri(confidence) / stdtrit(n - 1, confidence)) ** 2
    spread = np.where(variance > 0, share * (1 - share) / np.where(variance > 0, variance, 1), n)
    trials = np.minimum(spread * few, den.sum())
    misses = np.maximum(trials * (1 - share), 1e-12)
    bound = np.where(share < 1, betaincinv(trials * share + 1, misses, confidence), 1.0)
    return np.maximum(bound, upper_rate(0, n, confidence) or 0.0)
