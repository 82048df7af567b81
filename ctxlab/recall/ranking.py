"""Scores of phrases in fields to the best phrase and to one ranking of the nodes.

A key has one version at any one time, so a version stands for its node; `keys` gives the place of
each version's key among all keys, in byte order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ctxlab.recall.postings import Matches

__all__ = ["Hits", "Leader", "best_two", "combined", "fused"]

Bigs = npt.NDArray[np.int64]


class Leader(NamedTuple):
    """The score of a single phrase at a node, in the field of this number."""

    score: float
    key: int
    field: int


class Hits(NamedTuple):
    """Versions that a question found: how many, and the first ones in order."""

    n: int
    ranked: list[int]


def best_two(
    matches: Iterable[tuple[int, Matches]], keys: Bigs
) -> tuple[Leader | None, Leader | None]:
    """Give the best score of a single phrase in a field, and the best at another node.

    `matches` are those of each phrase, with the number of the field. Among equal scores the
    first key counts, then the first field.
    """
    leaders = [
        Leader(float(found.scores[i]), int(keys[found.versions[i]]), number)
        for number, found in matches
        for i in _first(found, keys, 2)
    ]
    leaders.sort(key=lambda leader: (-leader.score, leader.key, leader.field))
    best = leaders[0] if leaders else None
    others = (leader for leader in leaders if best is not None and leader.key != best.key)
    return best, next(others, None)


def combined(matches: Sequence[Matches]) -> Matches:
    """Add the scores of alternatives, in their order; one at least."""
    if len(matches) == 1:
        return matches[0]
    versions, place = np.unique(
        np.concatenate([found.versions for found in matches]), return_inverse=True
    )
    scores = np.concatenate([found.scores for found in matches])
    return Matches(versions, np.bincount(place, scores).astype(np.float64, copy=False))


def fused(
    fields: Sequence[Sequence[Matches | None]], keys: Bigs, n_first: int, by_coverage: bool
) -> Hits:
    """Rank the nodes found by their best rank in any field, then by key.

    The fused score of rank r is 1 / (60 + r), and the best of a node's counts: so the best rank
    decides. `fields` holds, for each field, what each group of words found in it. By coverage,
    only nodes with half of the groups in any of their fields stay, those with more of them first.

    References
    ----------
    G. V. Cormack, C. L. A. Clarke and S. Büttcher, *Reciprocal rank fusion outperforms Condorcet
    and individual rank learning methods* (2009), https://doi.org/10.1145/1571941.1572114
    """
    in_fields = [[found for found in groups if found is not None] for groups in fields]
    everything = [found.versions for groups in in_fields for found in groups]
    if not everything:
        return Hits(0, [])
    nodes = np.unique(np.concatenate(everything))
    rank = np.full(len(nodes), len(nodes))
    for groups in filter(None, in_fields):
        total = combined(groups)
        # Beyond the first ones a rank matters only if another order goes before it.
        order = _first(total, keys, len(nodes) if by_coverage else n_first)
        place = np.searchsorted(nodes, total.versions[order])
        rank[place] = np.minimum(rank[place], np.arange(len(order)))
    if not by_coverage:
        ranked = np.flatnonzero(rank < n_first)
        ranked = ranked[np.lexsort((keys[nodes[ranked]], rank[ranked]))]
        return Hits(len(nodes), nodes[ranked[:n_first]].tolist())
    covered = _covered(fields, nodes)
    kept = np.flatnonzero(2 * covered >= len(fields[0]))
    ranked = kept[np.lexsort((keys[nodes[kept]], rank[kept], -covered[kept]))]
    return Hits(len(kept), nodes[ranked[:n_first]].tolist())


def _covered(fields: Sequence[Sequence[Matches | None]], nodes: npt.NDArray[Any]) -> Bigs:
    """Count the groups of words found in each node, in whichever field."""
    covered = np.zeros(len(nodes), np.int64)
    for of_group in zip(*fields, strict=True):
        found = [matches.versions for matches in of_group if matches is not None]
        if found:
            covered[np.searchsorted(nodes, np.unique(np.concatenate(found)))] += 1
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
