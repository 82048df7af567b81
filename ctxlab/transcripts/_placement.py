"""Which lines of one output belong to which of the prints that made it.

A script prints piece after piece into one text. Each piece may take between a least and a most
number of lines from a position on; a file may end early. Every assignment that explains the
whole text is kept, and a piece is placed only as far as all of them agree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

__all__ = ["Lengths", "Placed", "place"]

Ranges = tuple[tuple[int, int], ...]
Lengths = Callable[[int], Ranges]
"""From a position on, the ranges (least, most) of lines that a piece may take there."""

_Options = dict[int, Ranges]


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
    starts = [0]
    fitting: list[_Options] = []
    for lengths in pieces:
        fitting.append({at: _within(lengths(at), n_lines - at, cut) for at in starts})
        starts = _ends(fitting[-1], n_lines)
    accepted = [n_lines]
    placed: list[Placed | None] = []
    for options in reversed(fitting):
        shortest = dict(_shortest(options, accepted))
        placed.append(Placed(*min(shortest.items())) if len(shortest) == 1 else None)
        accepted = list(shortest)
        if cut and n_lines not in shortest:
            accepted.append(n_lines)  # whatever follows is unseen
    return tuple(reversed(placed))


def _within(ranges: Ranges, room: int, cut: bool) -> Ranges:
    """Lengths within the output; the piece that a cut output ends in may be longer than seen."""
    return tuple(
        (min(least, room), min(most, room)) for least, most in ranges if cut or least <= room
    )


def _ends(options: _Options, n_lines: int) -> list[int]:
    """Positions at which a piece may end, ascending."""
    steps = [0] * (n_lines + 2)
    for at, ranges in options.items():
        for least, most in ranges:
            steps[at + least] += 1
            steps[at + most + 1] -= 1
    return [at for at, count in enumerate(accumulate(steps[:-1])) if count]


def _shortest(options: _Options, accepted: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Give each start that leaves room for the rest, with the fewest lines of the piece there.

    `accepted` are the positions, ascending, from which on the rest fits.
    """
    for at, ranges in options.items():
        lengths = []
        for least, most in ranges:
            i = bisect_left(accepted, at + least)
            if i < len(accepted) and accepted[i] <= at + most:
                lengths.append(accepted[i] - at)
        if lengths:
            yield at, min(lengths)
