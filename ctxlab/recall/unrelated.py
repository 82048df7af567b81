"""Earlier prompts of other projects, to compare a prompt's score with; later ones change none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import islice, zip_longest
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError
from ctxlab.recall._kin import kin, told_apart
from ctxlab.recall.index import GraphIndex
from ctxlab.recall.project import Project, Prompt
from ctxlab.recall.terms import identifier_terms

__all__ = ["best_phrase_score", "hash_of", "unrelated", "unrelated_share"]

_Hashes = npt.NDArray[np.uint64]
_Ints = npt.NDArray[np.int64]


def _hash(*parts: object) -> int:
    text = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")


def hash_of(prompt: Prompt, purpose: str) -> int:
    """Give 64 bits that depend on the prompt, its time, its place and the purpose alone."""
    # Not on the transcript, which is named for its file: moved logs give the same samples.
    return _hash(purpose, prompt.ms, prompt.at, prompt.text)


_NEVER = int(np.iinfo(np.int64).max)


class _Pool(NamedTuple):
    """Distinct prompts of one directory by the time they were asked first, with their hashes.

    `told` is the time from which it is known whose kin the directory is.
    """

    texts: tuple[str, ...]
    hashes: _Hashes
    asked: _Ints
    told: int

    def rows(self, ms: int, until: _Ints) -> _Ints:
        """Give the rows that were asked before `ms`, and stand beyond it still."""
        n = int(self.asked.searchsorted(ms)) if self.told <= ms else 0
        rows: _Ints = np.flatnonzero(until[:n] > ms)
        return rows


def unrelated(projects: Sequence[Project], k: int = 20) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Give, for each prompt, earlier prompts of other projects: the first is the control itself.

    Each prompt draws its own sample of what was asked strictly earlier, spread evenly over the
    other directories: none gives two more than another that has any left. No others are, as far as
    it shows by then, directories inside one another and those that share files or their last name
    (see `kin`), nor is one of which so little was seen that this cannot be told (see `told_apart`).
    A text that was typed by then in this directory or its kin is not unrelated. A
    prompt without a date, or of a directory that the log does not name, neither draws nor is drawn.

    Families that begin later than a prompt change nothing of its sample. What else is added, of
    other projects and with texts of its own, only displaces: a sample loses some prompts to the
    new ones, and stays as it was otherwise.

    Parameters
    ----------
    projects
        All projects of the corpus.
    k
        Most prompts drawn for each.

    Returns
    -------
    One entry a project, in it one a prompt: at most `k` texts, none where no other project was
    asked anything before.

    Raises
    ------
    ParameterError
        If `k` is less than 1.
    """
    if k < 1:
        raise ParameterError(f"`k` must be at least 1 prompt, got {k}")
    pools, no_others = _pools(projects), kin(projects)
    return tuple(tuple(_samples(project, pools, no_others, k)) for project in projects)


def _samples(
    project: Project,
    pools: Mapping[str, _Pool],
    no_others: Mapping[str, Mapping[str, int]],
    k: int,
) -> Iterator[tuple[str, ...]]:
    directory = project.directory
    drawn = (
        _Drawn(directory, pools, no_others[directory], k)
        if directory is not None and directory in pools
        else None
    )
    for prompt in project.prompts:
        yield () if drawn is None or prompt.ms < 0 else drawn.sample(prompt)


def _pools(projects: Sequence[Project]) -> dict[str, _Pool]:
    """Dated prompts by directory."""
    asked: dict[str, dict[str, int]] = {}
    told = told_apart(projects)
    for project in projects:
        for prompt in project.prompts:
            if project.directory is not None and prompt.ms >= 0:
                first = asked.setdefault(project.directory, {})
                first[prompt.text] = min(prompt.ms, first.get(prompt.text, prompt.ms))
    pools = {}
    for directory, first in asked.items():
        texts = sorted(first, key=lambda text: (first[text], text))
        hashes = [_hash("prompt", directory, text) for text in texts]
        times = [first[text] for text in texts]
        pools[directory] = _Pool(
            tuple(texts),
            np.array(hashes, np.uint64),
            np.array(times, np.int64),
            told.get(directory, _NEVER),
        )
    return pools


class _Drawn:
    """What the prompts of one directory may draw: of each other pool, and each row until when."""

    def __init__(
        self, directory: str, pools: Mapping[str, _Pool], no_others: Mapping[str, int], k: int
    ) -> None:
        own = {directory: 0, **no_others}
        typed: dict[str, int] = {}
        for each, since in own.items():
            for text, ms in zip(pools[each].texts, pools[each].asked.tolist(), strict=True):
                typed[text] = min(max(ms, since), typed.get(text, _NEVER))
        self.k = k
        self.others: list[tuple[_Pool, _Ints]] = []
        for other, pool in pools.items():
            if other != directory:
                kin_since = own.get(other, _NEVER)
                until = [min(kin_since, typed.get(text, _NEVER)) for text in pool.texts]
                self.others.append((pool, np.array(until, np.int64)))
        names = [_hash("directory", other) for other in pools if other != directory]
        self.names: _Hashes = np.array(names, np.uint64)

    def sample(self, prompt: Prompt) -> tuple[str, ...]:
        """Go round the pools, each time taking the next prompt of each, until there are `k`.

        Pools and prompts are ordered by a hash of the pair with the prompt (rendezvous hashing):
        what is added finds its own place and moves nothing else.
        """
        seed = hash_of(prompt, "unrelated")
        some = list(islice(self._open(seed, prompt.ms), self.k))
        depth = 1 if len(some) == self.k else self.k
        each = (_least(seed, pool, rows, depth) for pool, rows in some)
        rounds = (text for turn in zip_longest(*each) for text in turn if text is not None)
        return tuple(rounds)[: self.k]

    def _open(self, seed: int, ms: int) -> Iterator[tuple[_Pool, _Ints]]:
        """Pools that have something to draw, in the order of this seed."""
        for i in np.argsort(_paired(seed, self.names), kind="stable").tolist():
            pool, until = self.others[i]
            rows = pool.rows(ms, until)
            if len(rows):
                yield pool, rows


def _least(seed: int, pool: _Pool, rows: _Ints, n: int) -> list[str]:
    """Give the first `n` of these prompts of a pool in the order of this seed."""
    paired = _paired(seed, pool.hashes[rows])
    if n == 1:
        return [pool.texts[rows[paired.argmin()]]]
    first = np.argpartition(paired, n - 1)[:n] if n < len(paired) else np.arange(len(paired))
    return [pool.texts[rows[i]] for i in first[np.argsort(paired[first], kind="stable")]]


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
