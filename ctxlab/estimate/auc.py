"""Whether a score tells used from unused: area under the ROC curve, by family.

A floor on a score that carries no signal only prints less; its precision stays what it was. So
before a floor is recommended its interval has to lie above one half.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError
from ctxlab.estimate.bootstrap import FEW_FAMILIES
from ctxlab.estimate.rare import upper_rate

__all__ = ["AucInterval", "auc_interval"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AucInterval:
    """An area under the ROC curve with its interval; None where the log does not tell.

    `n_positive` and `n_negative` are the questions that have a score. `n_families` take part in a
    pair. `effective_families` is (Σd)² / Σd² of the pairs d that a family's questions take part
    in, of the class in which it is less. `indicative` warns that the interval rests on few
    families.
    """

    value: float | None
    low: float | None
    high: float | None
    n_positive: int
    n_negative: int
    n_families: int
    effective_families: float
    confidence: float
    indicative: bool

    def carries_signal(self) -> bool:
        """Whether the whole interval lies above one half."""
        return self.low is not None and self.low > 0.5


def auc_interval(
    score: Floats,
    label: Array,
    family: Array,
    stratum: Array | None = None,
    confidence: float = 0.95,
) -> AucInterval:
    """Share of the pairs of a used and an unused question in which the used one scores higher.

    Ties count one half. The error is the jackknife's over whole families: each is left out once,
    with all pairs that its questions take part in. The interval is the t interval on the logit
    scale, with as many degrees of freedom as families hold the rarer class, less one. In worlds
    with a known answer, heavy-tailed families and likeness within them it covers what it says from
    10 families on, where linearised errors and bootstrap-t cover less; and it draws nothing. Where
    no pair disagrees there is no error to see: then the interval is the exact binomial one of
    "none seen" among the families that hold the rarer class.

    Time grows with n log n and memory with n, whatever the number of families.

    Parameters
    ----------
    score : array of shape (n_questions,)
        NaN leaves a question out: what matched nothing printed nothing, and can reveal no use.
    label : array of shape (n_questions,)
        Whether the question's pointers were used.
    family : array of shape (n_questions,)
        Whole numbers, equal for questions of one family.
    stratum : array of shape (n_questions,), optional
        Whole numbers. If given, only pairs within one stratum count. With one for each project
        it does not help a score that large projects both score higher and are used more.
    confidence : float
        In (0, 1).

    Returns
    -------
    AucInterval
        `value` is None if no pair counts. The ends are None if all of a class is in one family.

    Raises
    ------
    ParameterError
        If the arrays differ in length, or `confidence` is out of bounds.

    References
    ----------
    Obuchowski (1997), "Nonparametric analysis of clustered ROC curve data", Biometrics 53.
    Arvesen (1969), "Jackknifing U-statistics", Annals of Mathematical Statistics 40.
    """
    if not 0 < confidence < 1:
        raise ParameterError(f"`confidence` must be in (0, 1), got {confidence}")
    within = np.zeros(len(score), np.int64) if stratum is None else stratum
    lengths = [len(column) for column in (score, label, family, within)]
    if len(set(lengths)) > 1:
        raise ParameterError(
            f"`score`, `label`, `family` and `stratum` must be of one length, got {lengths}"
        )
    known = ~np.isnan(score)
    values, used = score[known], label[known].astype(bool)
    n_positive, n_negative = int(used.sum()), int((~used).sum())
    names, own = np.unique(family[known], return_inverse=True)
    won, met = _pairs(values, used, within[known])
    own_won, own_met = _pairs(values, used, _both(within[known], own))

    def by_family(numbers: Floats) -> Floats:
        summed: Floats = np.bincount(own, numbers, len(names)).astype(np.float64)
        return summed

    total = met.sum() / 2  # each pair stands at both of its questions
    if not total:
        return AucInterval(
            None, None, None, n_positive, n_negative, 0, 0.0, confidence, indicative=True
        )
    value = float(won.sum() / 2 / total)
    classes = [by_family(np.where(used == of, met, 0.0)) for of in (True, False)]
    rarer = min(int((pairs > 0).sum()) for pairs in classes)
    effective = min(float(pairs.sum() ** 2 / (pairs**2).sum()) for pairs in classes)
    part = by_family(met) > 0
    low, high = _ends(
        value,
        (won.sum() / 2 - by_family(won) + by_family(own_won) / 2)[part],
        (total - by_family(met) + by_family(own_met) / 2)[part],
        rarer,
        confidence,
    )
    return AucInterval(
        value,
        low,
        high,
        n_positive,
        n_negative,
        int(part.sum()),
        effective,
        confidence,
        indicative=min(rarer, effective) < FEW_FAMILIES,
    )


def _pairs(score: Floats, used: Array, group: Array) -> tuple[Floats, Floats]:
    """Pairs of each question with the other class in its group: those well ordered, and all."""
    order = np.lexsort((score, group))
    values, groups, positive = score[order], group[order], used[order]
    at = np.arange(len(order))
    new_group = np.r_[True, groups[1:] != groups[:-1]][: len(order)]
    new_tie = new_group | np.r_[True, values[1:] != values[:-1]][: len(order)]
    first, last = _bounds(new_group, at)
    tie, end = _bounds(new_tie, at)
    positives, negatives = (np.r_[0.0, np.cumsum(of)] for of in (positive, ~positive))

    def between(counts: Floats, start: Array, stop: Array) -> Floats:
        return counts[stop] - counts[start]

    won, met = np.empty((2, len(order)))
    won[order] = np.where(
        positive,
        between(negatives, first, tie) + between(negatives, tie, end) / 2,
        between(positives, end, last) + between(positives, tie, end) / 2,
    )
    met[order] = np.where(
        positive, between(negatives, first, last), between(positives, first, last)
    )
    return won, met


def _bounds(opens: Array, at: Array) -> tuple[Array, Array]:
    """First place of each run, and the place behind it, at every place."""
    starts = np.flatnonzero(opens)
    run = np.cumsum(opens) - 1
    return starts[run], np.append(starts[1:], len(at))[run]


def _both(stratum: Array, own: Array) -> Array:
    """One number for each stratum and family."""
    _, dense = np.unique(stratum, return_inverse=True)
    both: Array = dense.astype(np.int64) * (int(own.max(initial=0)) + 1) + own
    return both


def _ends(
    value: float, left_won: Floats, left_met: Floats, rarer: int, confidence: float
) -> tuple[float | None, float | None]:
    """Ends of the interval from what is left without each family in turn."""
    from scipy.special import expit, logit, stdtrit

    n = len(left_met)
    if rarer < 2 or not np.all(left_met > 0):
        return None, None
    one_sided = (1 + confidence) / 2
    if value in (0.0, 1.0):
        unseen = upper_rate(0, rarer, one_sided) or 0.0
        return (0.0, unseen) if value == 0 else (1 - unseen, 1.0)
    error = np.sqrt((n - 1) / n * ((left_won / left_met - value) ** 2).sum())
    reach = float(stdtrit(rarer - 1, one_sided) * error) / (value * (1 - value))
    if reach == 0:
        return value, value
    return float(expit(logit(value) - reach)), float(expit(logit(value) + reach))
