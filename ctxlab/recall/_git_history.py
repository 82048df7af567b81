"""The commits of a branch → its main line by the clock, and what each step of it brought along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ctxlab.recall._git_plumbing import Commit

__all__ = ["Step", "main_line"]


class Step(NamedTuple):
    """One commit of the main line.

    `ms` is when it can have been known: a commit is no older than what it is built on, whatever
    its own clock said. `brought` are the commits that came with it, itself included, by time.
    """

    sha: str
    ms: int
    brought: tuple[Commit, ...]


def main_line(commits: Mapping[str, Commit], tip: str) -> list[Step]:
    """Give the first-parent history of a commit, oldest first, with ascending times."""
    line = [tip]
    while (parents := commits[line[-1]].parents) and parents[0] in commits:
        line.append(parents[0])
    steps: list[Step] = []
    seen: set[str] = set()
    ms = 0
    for sha in reversed(line):
        brought: list[Commit] = []
        waiting = [sha]
        while waiting:
            name = waiting.pop()
            if name in commits and name not in seen:
                seen.add(name)
                brought.append(commits[name])
                waiting.extend(commits[name].parents)
        ms = max(ms, *(commit.ms for commit in brought))
        steps.append(
            Step(sha, ms, tuple(sorted(brought, key=lambda commit: (commit.ms, commit.sha))))
        )
    return steps
