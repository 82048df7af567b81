"""Which lines of one output belong to which of the prints that made it.

A script prints piece after piece into one text. Each piece may take between a least and a most
number of lines from a position on; a file may end early. Every assignment that explains the
whole text is kept, and a piece is placed only as far as all of them agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

__all__ = ["Lengths", "Placed", "place"]

Lengths = Callable[[int], tuple[tuple[int, int], ...]]
"""From a position on, the ranges (least, most) of lines that a piece may take there."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Lines `start … start + n_lines - 1` (from 0) that are surely the first ones of a piece."""

    start: int
    n_lines: int


def place(pieces: Sequence[Lengths], n_lines: int, cut: bool = False) -> tuple[Placed | None, ...]:
    """Place each piece; None where its start is not certain.

    Parameters
    ----------
    pieces
        In the order in which they printed.
    n_lines
        Lines of the output.
    cut
        The output goes on unseen behind these lines, within any of the pieces.
    """
    fitting = [_fitting(lengths, n_lines, cut) for lengths in pieces]
    reachable = [[at == 0 for at in range(n_lines + 1)]]
    for options in fitting:
        reachable.append(_forward(reachable[-1], options, n_lines))
    accepted = [at == n_lines for at in range(n_lines + 1)]
    placed: list[Placed | None] = []
    for options, before in zip(reversed(fitting), reversed(reachable[:-1]), strict=True):
        shortest = _shortest(before, options, accepted)
        starts = [at for at, length in enumerate(shortest) if length is not None]
        length = shortest[starts[0]] if len(starts) == 1 else None
        placed.append(None if length is None else Placed(starts[0], length))
        accepted = [length is not None for length in shortest]
        accepted[n_lines] = accepted[n_lines] or cut  # whatever follows is unseen
    return tuple(reversed(placed))


def _fitting(lengths: Lengths, n_lines: int, cut: bool) -> Lengths:
    """Lengths within the output; the piece that a cut output ends in may be longer than seen."""

    def within(at: int) -> tuple[tuple[int, int], ...]:
        room = n_lines - at
        return tuple(
            (min(least, room), min(most, room))
            for least, most in lengths(at)
            if cut or least <= room
        )

    return within


def _forward(before: Sequence[bool], lengths: Lengths, n_lines: int) -> list[bool]:
    """Positions at which a piece may end."""
    steps = [0] * (n_lines + 2)
    for at, is_reached in enumerate(before):
        for least, most in lengths(at) if is_reached else ():
            steps[at + least] += 1
            steps[at + most + 1] -= 1
    return [count > 0 for count in accumulate(steps[:-1])]


def _shortest(
    before: Sequence[bool], lengths: Lengths, accepted: Sequence[bool]
) -> list[int | None]:
    """For each start, the fewest lines of the piece with which the rest still fits."""
    following: list[int | None] = [None] * len(accepted)
    latest: int | None = None
    for at in range(len(accepted) - 1, -1, -1):
        latest = at if accepted[at] else latest
        following[at] = latest
    shortest: list[int | None] = [None] * len(accepted)
    for at, is_reached in enumerate(before):
        for least, most in lengths(at) if is_reached else ():
            end, known = following[at + least], shortest[at]
            if end is not None and end <= at + most and (known is None or end - at < known):
                shortest[at] = end - at
    return shortest
