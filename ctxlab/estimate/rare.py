"""What "none seen" allows to say."""

from __future__ import annotations

__all__ = ["upper_rate"]


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
