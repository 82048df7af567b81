"""Observed families → projects: whose directory they share, and who may have known what.

Never later knowledge: a prompt knows what its own family showed before it, and what other families
showed at an earlier date. Equal dates do not tell which came first, so they are not earlier.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ctxlab.recall.observe import Observed, Shown
from ctxlab.recall.project import Project, Prompt, Revealed

__all__ = ["projects"]

_Told = tuple[int, int, str, int, Shown]


def projects(observed: Iterable[Observed]) -> tuple[Project, ...]:
    """Group families by directory, and say of all that they showed which prompts may know it.

    Parameters
    ----------
    observed
        Families in any order.

    Returns
    -------
    tuple of Project
        By name: the directory's own, with as many folders before it as tell it from others. A
        family without a date, or without a directory, is a project by itself, and is named beside
        it. Prompts are ordered by date, family and position. What no prompt may know is left out,
        and so is a directory without a prompt.
    """
    groups: dict[tuple[str | None, str], list[Observed]] = defaultdict(list)
    for one in observed:
        is_shared = one.is_dated and one.directory is not None
        groups[one.directory, "" if is_shared else one.family].append(one)
    asked = {key: group for key, group in groups.items() if any(one.prompts for one in group)}
    names = _names({directory for directory, _ in asked if directory is not None})
    found = [
        _project(_named(names.get(directory or "", ""), family), directory, group)
        for (directory, family), group in asked.items()
    ]
    return tuple(sorted(found, key=lambda project: project.name))


def _named(place: str, family: str) -> str:
    return f"{place} ({family})" if place and family else place or family


def _names(directories: Iterable[str]) -> dict[str, str]:
    """Give each directory the shortest end of its path that no other one has."""
    parts = {directory: directory.strip("/").split("/") for directory in directories}
    ends = Counter("/".join(of[-n:]) for of in parts.values() for n in range(1, len(of) + 1))
    return {
        directory: next(
            (end for n in range(1, len(of) + 1) if (end := "/".join(of[-n:])) and ends[end] == 1),
            directory,
        )
        for directory, of in parts.items()
    }


def _project(name: str, directory: str | None, group: Iterable[Observed]) -> Project:
    families = sorted(group, key=lambda one: one.family)
    is_dated = all(one.is_dated for one in families)
    prompts = sorted(
        (prompt for one in families for prompt in one.prompts),
        key=lambda prompt: (prompt.ms if is_dated else -1, prompt.family, prompt.at),
    )
    clock = _Clock(prompts)
    told: list[_Told] = [
        (since, shown.ms if is_dated else -1, one.family, shown.at, shown)
        for one in families
        for shown in one.shown
        if (since := clock.since(one.family, shown)) < len(prompts)
    ]
    told.sort(key=lambda each: each[:4])
    return Project(name, directory, tuple(prompts), tuple(_revealed(told)))


def _revealed(told: Iterable[_Told]) -> Iterator[Revealed]:
    """What is new at each prompt: a file once, a symbol when its line or comment has changed."""
    latest: dict[tuple[str, str | None], tuple[int | None, str]] = {}
    for since, _, _, _, shown in told:
        state = shown.line, shown.doc
        if latest.get((shown.path, shown.name)) != state:
            latest[shown.path, shown.name] = state
            yield Revealed(since, shown.path, shown.name, *state)


class _Clock:
    """The prompts of a project, asked which of them come after something."""

    def __init__(self, prompts: Sequence[Prompt]) -> None:
        self.ms = [prompt.ms for prompt in prompts]
        self.family = [prompt.family for prompt in prompts]
        self.positions: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.other: list[int] = []  # the last prompt of another family before each
        for number, prompt in enumerate(prompts):
            self.positions[prompt.family].append((prompt.at, number))
            before = number - 1
            if before >= 0 and self.family[before] == prompt.family:
                before = self.other[before]
            self.other.append(before)

    def since(self, family: str, shown: Shown) -> int:
        """Give the number of the first prompt that may know it, as all later ones may."""
        other = bisect_right(self.ms, shown.ms) - 1
        if other >= 0 and self.family[other] == family:
            other = self.other[other]
        own = self.positions.get(family, [])
        before = bisect_right(own, (shown.at, len(self.ms)))
        return max(other, own[before - 1][1] if before else -1) + 1
