"""Recorded changes of files, and the numbers that lines have after them."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ctxlab.log import EDIT_KINDS, Bigs, FamilyLog, Ints

__all__ = ["Change", "Numbering", "changes"]

_HUNKS = EDIT_KINDS.index("hunks")


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One recorded change of a file: hunks in line order, or none when lines cannot be carried."""

    at: int
    path: int
    old_starts: tuple[int, ...]
    ops: tuple[str, ...]

    @property
    def carries(self) -> bool:
        """Whether line numbers can be carried through it."""
        return bool(self.ops)


def changes(log: FamilyLog) -> Iterator[Change]:
    """Recorded changes of files in order, the hunks of one change together."""
    edits, i = log.edits, 0
    while i < len(edits):
        j = i + 1
        hunked = edits.kind[i] == _HUNKS and edits.old_start[i] >= 0
        while hunked and j < len(edits) and _same_change(log, i, j):
            j += 1
        picked = sorted(range(i, j), key=lambda k: int(edits.old_start[k])) if hunked else []
        yield Change(
            int(edits.at[i]),
            int(edits.path[i]),
            tuple(int(edits.old_start[k]) for k in picked),
            tuple(edits.ops[k] for k in picked),
        )
        i = j


def _same_change(log: FamilyLog, i: int, j: int) -> bool:
    edits = log.edits
    return bool(
        edits.at[i] == edits.at[j]
        and edits.path[i] == edits.path[j]
        and edits.kind[j] == _HUNKS
        and edits.old_start[j] > edits.old_start[j - 1]
    )


@dataclass(frozen=True, slots=True)
class Numbering:
    """Which line of a file stands at which number, after the changes so far.

    From number `starts[i]` on stand the lines `lines[i]`, `lines[i]` + 1, …. A line is named by
    the number it had at first; lines that a change added get names from `unused` on.
    """

    starts: tuple[int, ...] = (0,)
    lines: tuple[int, ...] = (0,)
    unused: int = 2**31

    def at(self, numbers: Ints) -> Bigs:
        """Lines that stand at these numbers."""
        piece = np.searchsorted(np.array(self.starts), numbers, side="right") - 1
        found: Bigs = numbers + (np.array(self.lines) - np.array(self.starts))[piece]
        return found

    def after(self, change: Change) -> Numbering:
        """Carry the numbers through a change: kept lines move, added ones are new."""
        starts: list[int] = []
        lines: list[int] = []
        new, old, unused = 0, 0, self.unused

        def put(line: int) -> None:
            if not lines or line - lines[-1] != new - starts[-1]:
                starts.append(new)
                lines.append(line)

        def keep(stop: float) -> None:
            nonlocal new, old
            while old < stop:
                i = bisect_right(self.starts, old) - 1
                end = min(self.starts[i + 1] if i + 1 < len(self.starts) else stop, stop)
                put(self.lines[i] + old - self.starts[i])
                if end == math.inf:
                    return
                new, old = new + int(end) - old, int(end)

        for start, ops in zip(change.old_starts, change.ops, strict=True):
            keep(start)
            for op, group in groupby(ops):
                n = len(list(group))
                if op == "-":
                    old += n
                elif op == "+":
                    put(unused)
                    new, unused = new + n, unused + n
                else:
                    keep(old + n)
        keep(math.inf)
        return Numbering(tuple(starts), tuple(lines), unused)
