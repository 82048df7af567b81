"""One family made ready: whose each position is, and how its paths read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.log import Bools, FamilyLog, Ints, Texts
from ctxlab.recall.paths import Relative, relative_to, repository_of

__all__ = ["Family"]

_Positions = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """A log with its texts.

    `main` gives the main thread that each thread belongs to (-1: none). `known_at` are, in order,
    the positions of which the log tells the thread, `known_thread` and `known_source` say whose
    they are. `call_of_result` finds the call by the position of its result. `answered` marks
    calls whose result is no error. `relative` reads paths by source.
    """

    log: FamilyLog
    texts: Texts
    main: Ints
    known_at: Ints
    known_thread: Ints
    known_source: Ints
    call_of_result: dict[int, int]
    answered: Bools
    directory: str | None
    relative: tuple[Relative, ...]

    @classmethod
    def of(cls, log: FamilyLog, texts: Texts) -> Family:
        """Gather what the columns of a log tell about its positions and directories."""
        calls, marks = log.calls, log.marks
        has_result = calls.result_at >= 0
        at = np.concatenate([calls.call_at, calls.result_at[has_result], marks.at, texts.prompt_at])
        thread = np.concatenate(
            [calls.thread, calls.thread[has_result], marks.thread, texts.prompt_thread]
        )
        source = np.concatenate(
            [
                calls.source,
                calls.source[has_result],
                log.thread_source[marks.thread],
                texts.prompt_source,
            ]
        )
        order = np.argsort(at, kind="stable")
        homes = [None if cwd is None else repository_of(cwd) for cwd in texts.source_cwd]
        directory = next((home for home in homes if home is not None), None)
        results = calls.result_at.tolist()
        return cls(
            log=log,
            texts=texts,
            main=_main_threads(log),
            known_at=at[order],
            known_thread=thread[order],
            known_source=source[order],
            call_of_result={at: call for call, at in enumerate(results) if at >= 0},
            answered=has_result & ~calls.is_error,
            directory=directory,
            relative=tuple(
                relative_to(cwd if home == directory else directory)
                for cwd, home in zip(texts.source_cwd, homes, strict=True)
            ),
        )

    def main_at(self, at: _Positions) -> Ints:
        """Main thread of each position: that of the last event before it that tells."""
        last = np.searchsorted(self.known_at, at, side="right") - 1
        main: Ints = np.append(self.main, -1)[np.append(self.known_thread, -1)[last]]
        return main

    def source_at(self, at: _Positions) -> Ints:
        """Source of each position, found alike; the first for positions before all others."""
        last = np.searchsorted(self.known_at, at, side="right") - 1
        source: Ints = np.append(self.known_source, 0)[last]
        return source

    def paths_at(self, at: Ints, path: Ints) -> Iterator[str | None]:
        """Relative path of each path seen at a position; None for those outside."""
        for source, index in zip(self.source_at(at).tolist(), path.tolist(), strict=True):
            yield self.relative[source](self.log.paths[index])

    def touched(self, kind: int) -> Iterator[tuple[int, str]]:
        """Answered calls that work on a path in this way, and the path."""
        touches = self.log.touches
        chosen = (touches.kind == kind) & (touches.path >= 0) & self.answered[touches.call]
        for i in np.flatnonzero(chosen).tolist():
            yield from self.placed(int(touches.call[i]), int(touches.path[i]))

    def placed(self, call: int, path: int) -> Iterator[tuple[int, str]]:
        """The call with the relative path; nothing if that lies outside."""
        relative = self.relative[int(self.log.calls.source[call])](self.log.paths[path])
        if relative is not None:
            yield call, relative


def _main_threads(log: FamilyLog) -> Ints:
    """Climb to the main thread; one that names no parent is taken to its session's, if single."""
    of_session: dict[int, int] = {}
    for thread in np.flatnonzero(log.is_main).tolist():
        session = int(log.thread_session[thread])
        of_session[session] = -1 if session in of_session else thread
    main = np.empty(len(log.threads), np.int32)
    for thread in range(len(log.threads)):
        top, seen = thread, {thread}
        while not log.is_main[top] and (parent := int(log.thread_parent[top])) not in {-1, *seen}:
            top = parent
            seen.add(top)
        main[thread] = top if log.is_main[top] else of_session.get(int(log.thread_session[top]), -1)
    return main
