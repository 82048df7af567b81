"""Directories that hold the same project: they share files, or a name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ctxlab.recall.project import Project

__all__ = ["kin", "told_apart"]

_MIN_SHARED_PATHS = 3
_MIN_SHARED = 0.05
"""Of the smaller of both sets. Projects that have nothing in common share a path or two of the
kind of `src/main.py`."""


class _Edge(NamedTuple):
    """Two directories, and when it first showed that they are kin."""

    ms: int
    one: str
    other: str


def kin(projects: Sequence[Project]) -> Mapping[str, Mapping[str, int]]:
    """Give, for each directory, those that are no other project, and since when that shows.

    Kin are directories that have the same last name, and those of which so much was revealed that
    they share at least 3 paths with a folder, and at least 5 % of the smaller set; also the kin of
    kin, as clones of one repository are. Once kin they stay so. A directory inside another is no
    other project either, but makes nothing else kin: all lie in the home directory.

    Never later knowledge: a path counts from the first prompt on that may know it, a name from the
    first prompt of the directory on. Of undated prompts nothing is known.

    Returns
    -------
    Directory to directory to ms since the epoch: from prompts asked then on, they are kin. Every
    directory with a dated prompt is there, and it is no kin of itself.
    """
    begun: dict[str, int] = {}
    paths: dict[str, dict[str, int]] = defaultdict(dict)
    for project in projects:
        for ms, directory in _dated(project):
            begun[directory] = min(ms, begun.get(directory, ms))
        for ms, directory, path in _shown(project):
            if "/" in path:
                paths[directory][path] = min(ms, paths[directory].get(path, ms))
    since = _united(begun, sorted([*_by_name(begun), *_by_paths(paths)]))
    parts = {directory: _parts(directory) for directory in begun}
    for one, other in combinations(begun, 2):
        n = min(len(parts[one]), len(parts[other]))
        if parts[one][:n] == parts[other][:n]:
            since[one][other] = since[other][one] = max(begun[one], begun[other])
    return since


def told_apart(projects: Sequence[Project]) -> Mapping[str, int]:
    """Give the time from which a directory has shown enough to tell whose kin it is.

    Returns
    -------
    Directory to ms since the epoch, for those of which at least 3 files were revealed, in a folder
    or not. Of others it is not known whether they are another clone of the same repository.
    """
    files: dict[str, dict[str, int]] = defaultdict(dict)
    for project in projects:
        for ms, directory, path in _shown(project):
            files[directory][path] = min(ms, files[directory].get(path, ms))
    times = {directory: sorted(mine.values()) for directory, mine in files.items()}
    n = _MIN_SHARED_PATHS
    return {directory: ms[n - 1] for directory, ms in times.items() if len(ms) >= n}


def _dated(project: Project) -> Iterator[tuple[int, str]]:
    for prompt in project.prompts:
        if project.directory is not None and prompt.ms >= 0:
            yield prompt.ms, project.directory


def _shown(project: Project) -> Iterator[tuple[int, str, str]]:
    """Give each path, and when a prompt first may know it."""
    for revealed in project.revealed:
        is_known = revealed.name is None and revealed.since < len(project.prompts)
        if is_known and project.directory is not None:
            ms = project.prompts[revealed.since].ms
            if ms >= 0:
                yield ms, project.directory, revealed.path


def _parts(directory: str) -> list[str]:
    return directory.replace("\\", "/").rstrip("/").split("/")


def _by_name(begun: Mapping[str, int]) -> Iterator[_Edge]:
    first: dict[str, str] = {}
    for directory in sorted(begun, key=lambda each: (begun[each], each)):
        like = first.setdefault(_parts(directory)[-1], directory)
        if like != directory:
            yield _Edge(begun[directory], like, directory)


def _by_paths(paths: Mapping[str, Mapping[str, int]]) -> Iterator[_Edge]:
    holders: dict[str, list[str]] = defaultdict(list)
    for directory in sorted(paths):
        for path in paths[directory]:
            holders[path].append(directory)
    shared: dict[tuple[str, str], list[int]] = defaultdict(list)
    for path, those in holders.items():
        for one, other in combinations(those, 2):
            shared[one, other].append(max(paths[one][path], paths[other][path]))
    known = {directory: np.sort([*mine.values()]) for directory, mine in paths.items()}
    for (one, other), times in shared.items():
        ms = _first_alike(np.sort(times), known[one], known[other])
        if ms is not None:
            yield _Edge(ms, one, other)


_Times = npt.NDArray[np.int64]


def _first_alike(shared: _Times, one: _Times, other: _Times) -> int | None:
    """Give the first time at which enough was shared of what was known, None if it never was."""
    n_shared, n_one, n_other = (
        np.searchsorted(times, shared, side="right") for times in (shared, one, other)
    )
    enough = (n_shared >= _MIN_SHARED_PATHS) & (
        n_shared >= _MIN_SHARED * np.minimum(n_one, n_other)
    )
    return int(shared[enough.argmax()]) if enough.any() else None


def _united(begun: Mapping[str, int], edges: Sequence[_Edge]) -> dict[str, dict[str, int]]:
    """Join along edges in the order of time: two are kin from the edge on that joins their sets."""
    since: dict[str, dict[str, int]] = {directory: {} for directory in begun}
    group = {directory: [directory] for directory in begun}
    for ms, one, other in edges:
        here, there = group[one], group[other]
        if here is there:
            continue
        for a in here:
            for b in there:
                since[a][b] = since[b][a] = ms
        here.extend(there)
        group.update(dict.fromkeys(there, here))
    return since
