"""Precision and recall of what a floor lets through, against revealed use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError
from ctxlab.estimate.bootstrap import part_interval, share_bands

__all__ = ["PrecisionRecall", "floor_grid", "precision_recall"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionRecall:
    """Precision and recall at each floor, with 95 % intervals by family.

    Arrays of shape (n_floors,), NaN where there is nothing to divide by or too few families.
    `printed` are those that reach the floor, `used` the used ones of them. `used_share` is the
    share of all that are used: the precision of a score that says nothing, at any floor.
    `average_precision` is the area under the whole curve. Both are None if nothing was used.
    """

    floor: Floats
    printed: Floats
    used: Floats
    precision: Floats
    precision_low: Floats
    precision_high: Floats
    recall: Floats
    recall_low: Floats
    recall_high: Floats
    used_share: float | None
    average_precision: float | None


def floor_grid(score: Floats, keep: Iterable[float] = (), at_most: int = 50) -> Floats:
    """Floors that tell apart what was observed: one for each distinct outcome, then thinned.

    The lowest score, which lets all through, and the midpoints between neighbouring distinct
    scores; evenly by rank, if they are too many.

    Parameters
    ----------
    score : array of shape (n,)
        Observed scores; NaN are left out.
    keep : iterable of float
        Floors that stay whatever is thinned, such as the shipped default and the recommended one.
    at_most : int
        Most floors, those to keep included.

    Returns
    -------
    array of shape (n_floors,)
        Ascending and distinct.

    Raises
    ------
    ParameterError
        If there are more to keep than `at_most`.
    """
    kept = np.unique(np.array(list(keep), np.float64))
    if len(kept) > at_most:
        raise ParameterError(f"`at_most` must be {len(kept)} or more to keep them, got {at_most}")
    seen = np.unique(score[np.isfinite(score)])
    grid = np.concatenate([seen[:1], (seen[1:] + seen[:-1]) / 2])
    room = at_most - len(kept)
    if len(grid) > room:
        grid = grid[np.unique(np.linspace(0, len(grid) - 1, room).round().astype(int))]
    floors: Floats = np.unique(np.concatenate([grid, kept]))
    return floors


def precision_recall(score: Floats, label: Array, family: Array, floors: Floats) -> PrecisionRecall:
    """Precision and recall of all that reach each floor.

    For pointers one entry a line with the score of its question, for prompts one a question.

    Parameters
    ----------
    score : array of shape (n,)
        NaN leaves an entry out.
    label : array of shape (n,)
        Whether it was used.
    family : array of shape (n,)
        Whole numbers, equal for entries of one family.
    floors : array of shape (n_floors,)
        An entry passes if its score is at least the floor.

    Raises
    ------
    ParameterError
        If the arrays differ in length.
    """
    lengths = [len(column) for column in (score, label, family)]
    if len(set(lengths)) > 1:
        raise ParameterError(f"`score`, `label` and `family` must be of one length, got {lengths}")
    known = ~np.isnan(score)
    values, used = score[known], label[known].astype(bool)
    names, own = np.unique(family[known], return_inverse=True)
    printed, hits = (
        np.stack([_by_family(own, (values >= f) & of, len(names)) for f in floors])
        if len(floors)
        else np.empty((0, len(names)))
        for of in (np.ones_like(used), used)
    )
    intervals = [part_interval(h, p) for h, p in zip(hits, printed, strict=True)]
    bands = share_bands(hits, _by_family(own, used, len(names)))
    precision, recall = _points(values, used, floors)
    return PrecisionRecall(
        np.asarray(floors, np.float64),
        printed.sum(axis=1),
        hits.sum(axis=1),
        precision,
        np.array([p.low for p in intervals], np.float64),
        np.array([p.high for p in intervals], np.float64),
        recall,
        np.clip(bands.low, 0, 1),
        np.clip(bands.high, 0, 1),
        float(used.mean()) if used.any() else None,
        _average_precision(values, used),
    )


def _by_family(own: Array, passes: Array, n_families: int) -> Floats:
    counts: Floats = np.bincount(own[passes], minlength=n_families).astype(np.float64)
    return counts


def _points(score: Floats, used: Array, floors: Floats) -> tuple[Floats, Floats]:
    """Precision and recall at each floor, NaN where there is nothing to divide by."""
    from sklearn.metrics import precision_recall_curve

    if not used.any():  # no recall, of which scikit-learn would warn
        passes = np.asarray(floors) <= score.max(initial=-np.inf)
        return np.where(passes, 0.0, np.nan), np.full(len(floors), np.nan)
    precision, recall, at = precision_recall_curve(used, score)
    precision[-1] = np.nan  # above all scores, where scikit-learn draws its curve to 1
    place = np.searchsorted(at, floors)
    return precision[place], recall[place]


def _average_precision(score: Floats, used: Array) -> float | None:
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(used, score)) if used.any() else None
