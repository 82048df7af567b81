"""Scores of phrases in fields to the best phrase and to one ranking of the nodes.

A key has one version at any one time, so a version stands for its node; `keys` gives the place of
each version's key among all keys, in byte order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctxlab.recall.postings import Matches

__all__ = ["Best", "Hits", "best_of", "combined", "fused"]

Bigs = npt.NDArray[np.int64]


class Best(NamedTuple):
    """The best score of a single phrase in a field, the best at any other node, and the field."""

    score: float
    second: float | None
    field: int


class Hits(NamedTuple):
    """Versions that a question found: how many, and the first ones in order."""

    n: int
    ranked: list[int]


def best_of(matches: Sequence[tuple[int, Matches]], keys: Bigs) -> Best | None:
    """Give the best single phrase, None if nothing matched.

    `matches` are those of each phrase, with the number of the field. Of nodes with the best score
    the first by key holds it, and of its fields the first.
    """
    score = max((float(found.scores.max()) for _, found in matches), default=None)
    if score is None:
        return None
    holders = []
    for field, found in matches:
        held = found.versions[found.scores == score]
        if len(held):
            first = keys[held].argmin()
            holders.append((int(keys[held[first]]), field, int(held[first])))
    _, field, version = min(holders)
    second = max(
        float(found.scores[found.versions != version].max(initial=0.0)) for _, found in matches
    )
    return Best(score, second or None, field)


def combined(matches: Sequence[Matches]) -> Matches:
    """Add the scores of alternatives, in their order; one at least."""
    if len(matches) == 1:
        return matches[0]
    total: npt.NDArray[np.float64] = np.bincount(
        np.concatenate([found.versions for found in matches]),
        np.concatenate([found.scores for found in matches]),
    ).astype(np.float64, copy=False)
    # Every score is above 0: no document has a token more often than there are documents.
    versions = np.flatnonzero(total > 0)
    return Matches(versions.astype(np.int32), total[versions])


def fused(
    fields: Sequence[Sequence[Matches | None]], keys: Bigs, n_first: int, by_coverage: bool
) -> Hits:
    """Rank the nodes found, one at least, by their best rank in any field, then by key.

    The fused score of rank r is 1 / (60 + r), and the best of a node's counts: so the best rank
    decides. `fields` holds, for each field, what each group of words found in it. By coverage,
    only nodes with half of the groups in any of their fields stay, those with more of them first.

    References
    ----------
    G. V. Cormack, C. L. A. Clarke and S. Büttcher, *Reciprocal rank fusion outperforms Condorcet
    and individual rank learning methods* (2009), https://doi.org/10.1145/1571941.1572114
    """
    covered = _covered(fields, len(keys))
    kept = 2 * covered >= len(fields[0]) if by_coverage else covered > 0
    rank = np.full(len(keys), len(keys))
    for groups in fields:
        matches = [found for found in groups if found is not None]
        if matches:
            total = combined(matches)
            # Beyond the first ones a rank matters only if another order goes before it.
            order = _first(total, keys, len(keys) if by_coverage else n_first)
            versions = total.versions[order]
            rank[versions] = np.minimum(rank[versions], np.arange(len(order)))
    nodes = np.flatnonzero(kept & (rank < len(keys)))
    ranked = nodes[np.lexsort((keys[nodes], rank[nodes], -covered[nodes] * by_coverage))]
    return Hits(int(np.count_nonzero(kept)), ranked[:n_first].tolist())


def _covered(fields: Sequence[Sequence[Matches | None]], n_versions: int) -> Bigs:
    """Count the groups of words found in each node, in whichever field."""
    covered = np.zeros(n_versions, np.int64)
    for of_group in zip(*fields, strict=True):
        found = np.zeros(n_versions, np.bool_)
        for matches in of_group:
            if matches is not None:
                found[matches.versions] = True
        covered += found
    return covered


def _first(found: Matches, keys: Bigs, n: int) -> Bigs:
    """Give the places of the first n: score descending, key ascending."""
    scores = found.scores
    if len(scores) > n:
        least = np.partition(scores, len(scores) - n)[len(scores) - n]
        candidates = np.flatnonzero(scores >= least)
    else:
        candidates = np.arange(len(scores))
    order = np.lexsort((keys[found.versions[candidates]], -scores[candidates]))
    return candidates[order[:n]]
