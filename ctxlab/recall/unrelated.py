"""Prompts of other directories, to compare a prompt's score with: samples that stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError
from ctxlab.recall.index import GraphIndex
from ctxlab.recall.project import Project, Prompt
from ctxlab.recall.terms import identifier_terms

__all__ = ["best_phrase_score", "hash_of", "unrelated", "unrelated_share"]

_Hashes = npt.NDArray[np.uint64]


def _hash(*parts: object) -> int:
    text = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")


def hash_of(prompt: Prompt, purpose: str) -> int:
    """Give 64 bits that depend on the prompt, its time, its place and the purpose alone."""
    # Not on the transcript, which is named for its file: moved logs give the same samples.
    return _hash(purpose, prompt.ms, prompt.at, prompt.text)


class _Pool(NamedTuple):
    """Distinct prompts of one directory, with their hashes."""

    texts: tuple[str, ...]
    hashes: _Hashes


def unrelated(projects: Sequence[Project], k: int = 20) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Give, for each prompt, prompts of other directories: the first is the control itself.

    Each prompt draws its own sample, spread evenly over the other directories: none gives two more
    than another that has any left. Directories inside one another are not others, nor is one that
    the log does not name; a text that this directory's user typed too is not unrelated.

    When another directory or prompts of another directory are added, a sample loses some prompts
    to the new ones and stays as it was otherwise. Texts that this directory's user types later
    leave it, and others take their places.

    Parameters
    ----------
    projects
        All projects of the corpus.
    k
        Most prompts drawn for each.

    Returns
    -------
    One entry a project, in it one a prompt: at most `k` texts, none where there is no other
    directory.

    Raises
    ------
    ParameterError
        If `k` is less than 1.
    """
    if k < 1:
        raise ParameterError(f"`k` must be at least 1 prompt, got {k}")
    pools = _pools(projects)
    samples = []
    for project in projects:
        own = [d for d in pools if not _apart(d, project.directory)]
        typed = {prompt.text for prompt in project.prompts}.union(*(pools[d].texts for d in own))
        others = {
            directory: _without(pool, typed)
            for directory, pool in pools.items()
            if _apart(directory, project.directory)
        }
        left = {directory: pool for directory, pool in others.items() if pool.texts}
        names = np.array([_hash("directory", d) for d in left], np.uint64)
        drawn = (_drawn(p, names, tuple(left.values()), k) for p in project.prompts)
        samples.append(tuple(drawn))
    return tuple(samples)


def _pools(projects: Sequence[Project]) -> dict[str, _Pool]:
    """Prompts by directory: projects without a date may share one."""
    texts: dict[str, dict[str, None]] = {}
    for project in projects:
        if project.directory is not None and project.prompts:
            own = texts.setdefault(project.directory, {})
            own.update(dict.fromkeys(prompt.text for prompt in project.prompts))
    return {
        directory: _Pool(
            tuple(own), np.array([_hash("prompt", directory, t) for t in own], np.uint64)
        )
        for directory, own in texts.items()
    }


def _apart(one: str | None, other: str | None) -> bool:
    """Tell whether two directories are known and neither holds the other."""
    if one is None or other is None:
        return False
    a, b = (d.replace("\\", "/").rstrip("/") + "/" for d in (one, other))
    return not a.startswith(b) and not b.startswith(a)


def _without(pool: _Pool, typed: set[str]) -> _Pool:
    if typed.isdisjoint(pool.texts):
        return pool
    kept = [i for i, text in enumerate(pool.texts) if text not in typed]
    return _Pool(tuple(pool.texts[i] for i in kept), pool.hashes[kept])


def _drawn(prompt: Prompt, names: _Hashes, pools: Sequence[_Pool], k: int) -> tuple[str, ...]:
    """Go round the pools, each time taking the next prompt of each, until there are `k`.

    Pools and prompts are ordered by a hash of the pair with the prompt (rendezvous hashing): what
    is added finds its own place and moves nothing else.
    """
    seed = hash_of(prompt, "unrelated")
    order = np.argsort(_paired(seed, names), kind="stable")[:k]
    depth = 1 if len(order) == k else k
    each = (_least(seed, pools[i], depth) for i in order)
    rounds = (text for turn in zip_longest(*each) for text in turn if text is not None)
    return tuple(rounds)[:k]


def _least(seed: int, pool: _Pool, n: int) -> list[str]:
    """Give the first `n` prompts of a pool in the order of this seed."""
    paired = _paired(seed, pool.hashes)
    if n == 1:
        return [pool.texts[int(paired.argmin())]]
    first = np.argpartition(paired, n - 1)[:n] if n < len(paired) else np.arange(len(paired))
    return [pool.texts[i] for i in first[np.argsort(paired[first], kind="stable")]]


def _paired(seed: int, hashes: _Hashes) -> _Hashes:
    """Hash each with the seed: the finalizer of SplitMix64."""
    mixed: _Hashes = hashes ^ np.uint64(seed)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


# The same prompts are put to the graph of every prompt of every other project.
_terms = lru_cache(maxsize=4096)(identifier_terms)


def best_phrase_score(
    index: GraphIndex, question: str, at: int, max_terms: int = 24
) -> float | None:
    """Give the best score that an identifier of the question reaches, None where none matches.

    It is the `best_score` of `GraphIndex.look_up`, without the ranked lines.
    """
    scores = (index.phrase_score(term, at) for term in _terms(question, max_terms))
    return max((score for score in scores if score is not None), default=None)


def unrelated_share(
    index: GraphIndex, best_score: float | None, others: Sequence[str], at: int, max_terms: int = 24
) -> float | None:
    """Give the share of other prompts that score lower in this graph than the prompt itself.

    Parameters
    ----------
    index
        The prompt's graph.
    best_score
        The prompt's own, None where nothing matched.
    others
        Its sample of `unrelated`. One that matches nothing scores lower than any that does.
    at
        The prompt's number in its project.
    max_terms
        Most identifiers looked up of each.

    Returns
    -------
    In [0, 1]; None where the prompt matched nothing or there are no others.
    """
    if best_score is None or not others:
        return None
    scores = [best_phrase_score(index, text, at, max_terms) for text in others]
    return sum(score is None or score < best_score for score in scores) / len(scores)
