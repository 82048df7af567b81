"""Lines, their ids, sizes and printed prefixes ↔ short lists of whole numbers.

Within a file lines are numbered by first appearance, so a span of new lines is one number. Sizes
stand beside the first span that holds a line; a line seen only in hunks has none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from ctxlab.events import LineIds
from ctxlab.transcripts._contentfree_checks import refuse

__all__ = ["MAX_LINES", "LineReader", "LineWriter", "decode_ops", "encode_ops", "find_prefix"]

MAX_LINES = 2**24
"""Lines that the records of one file may stand for: far more than any session, and bearable."""

_MAX_BYTES = 2**31 - 1
_OPS = " -+"
_POWERS = 10 ** np.arange(1, 11, dtype=np.int64)


class LineWriter:
    """Numbers the lines of one file and writes sequences of them.

    A sequence is a flat list: a positive number n, the next n new lines; a negative one -n, the
    line n - 1 again; 0, first, n, that many known lines in a row. Sizes are a flat list: the UTF-8
    bytes where the UTF-16 length is the same; else -1 - bytes, and then the length.
    """

    def __init__(self) -> None:
        self._number: dict[int, int] = {}
        self._sized: set[int] = set()
        self._runs: list[int] = []

    def sequence(self, ids: Sequence[int]) -> list[int]:
        """Write lines, given by their ids in the family."""
        written: list[int] = []
        at = 0
        while at < len(ids):
            n_known = len(self._number)
            end = at
            while end < len(ids) and ids[end] not in self._number:
                self._add(ids[end])
                end += 1
            if end > at:
                written.append(len(self._number) - n_known)
                at = end
                continue
            first = self._number[ids[at]]
            while end < len(ids) and self._number.get(ids[end]) == first + end - at:
                end += 1
            written += [-1 - first] if end - at == 1 else [0, first, end - at]
            at = end
        return written

    def _add(self, line: int) -> None:
        self._number[line] = len(self._number)
        if self._runs and sum(self._runs[-2:]) == line:
            self._runs[-1] += 1
        else:
            self._runs += [line, 1]

    def sizes(
        self, ids: Sequence[int], text_bytes: Sequence[int], text_chars: Sequence[int]
    ) -> list[int]:
        """Write the sizes of those lines of a span that have none yet."""
        written: list[int] = []
        for line, n_bytes, n_chars in zip(ids, text_bytes, text_chars, strict=True):
            if line not in self._sized:
                self._sized.add(line)
                written += [n_bytes] if n_bytes == n_chars else [-1 - n_bytes, n_chars]
        return written

    def family_runs(self) -> list[int]:
        """Give the family's ids of the file's lines as runs, flat: first and number of each."""
        return self._runs


class LineReader:
    """Reads what `LineWriter` wrote. Every method raises ValueError on what cannot be so.

    Parameters
    ----------
    runs
        As `LineWriter.family_runs` gave them.
    """

    def __init__(self, runs: Sequence[int]) -> None:
        if len(runs) % 2 or any(n < 0 for n in runs) or any(n > 2**40 for n in runs):
            refuse("the runs of line ids are no pairs of numbers")
        self._firsts = runs[::2]
        self._ends = list(accumulate(runs[1::2]))
        self._n_known = 0
        self._sizes: dict[int, tuple[int, int]] = {}
        self._left = MAX_LINES

    def spend(self, n: int) -> None:
        """Count lines that a record stands for, before anything is made of them."""
        self._left -= n
        if self._left < 0:
            refuse(f"the file stands for more than {MAX_LINES} lines")

    def span(self, sequence: Sequence[int], sizes: Sequence[int]) -> LineIds:
        """Read the lines of a span."""
        lines = self._numbers(sequence)
        given = iter(sizes)
        for line in lines:
            if line not in self._sizes:
                self._sizes[line] = _next_size(given)
        if next(given, None) is not None:
            refuse("more sizes than new lines")
        return self._line_ids(lines)

    def hunk(self, sequence: Sequence[int]) -> LineIds:
        """Read the lines of a hunk; those of no span before it have the size 0."""
        return self._line_ids(self._numbers(sequence))

    def _numbers(self, sequence: Sequence[int]) -> list[int]:
        lines: list[int] = []
        given = iter(sequence)
        for n in given:
            if n < 0:
                first, count = -1 - n, 1
            elif n > 0:
                first, count = self._n_known, n
            else:
                first, count = next(given, -1), next(given, -1)
            self.spend(max(count, 0))
            if n > 0:
                self._n_known += n
            if first < 0 or count < 1 or first + count > self._n_known:
                refuse("a line that was not yet seen")
            lines += range(first, first + count)
        if self._n_known > (self._ends[-1] if self._ends else 0):
            refuse("more lines than the first record names")
        return lines

    def _line_ids(self, lines: list[int]) -> LineIds:
        sizes = [self._sizes.get(line, (0, 0)) for line in lines]
        return LineIds(
            ids=tuple(map(self._family_id, lines)),
            text_bytes=tuple(n_bytes for n_bytes, _ in sizes),
            text_chars=tuple(n_chars for _, n_chars in sizes),
        )

    def _family_id(self, line: int) -> int:
        run = bisect_right(self._ends, line)
        return self._firsts[run] + line - (self._ends[run - 1] if run else 0)


def _next_size(given: Iterator[int]) -> tuple[int, int]:
    """Read the next entry of sizes."""
    n_bytes = next(given, None)
    n_chars = n_bytes if n_bytes is None or n_bytes >= 0 else next(given, None)
    if n_bytes is None or n_chars is None:
        refuse("fewer sizes than new lines")
    n_bytes = max(n_bytes, -1 - n_bytes)
    if not 0 <= n_chars <= n_bytes <= _MAX_BYTES:
        refuse("a size that no line has")
    return n_bytes, n_chars


def encode_ops(ops: str) -> list[int]:
    """Write the operations of a hunk: how many kept, removed, added, kept, … lines in turn."""
    counts: list[int] = []
    for op in ops:
        turn = max(_OPS.find(op), 0)
        while not counts or (len(counts) - 1) % 3 != turn:
            counts.append(0)
        counts[-1] += 1
    return counts


def decode_ops(counts: Sequence[int]) -> str:
    """Read what `encode_ops` wrote; the counts must have been checked."""
    return "".join(_OPS[turn % 3] * n for turn, n in enumerate(counts))


def find_prefix(first: int, printed: npt.NDArray[np.int64]) -> list[int]:
    """Find the width of the number before each line (-1: none) and the bytes beside it.

    `printed` are the bytes before each line. Where they are all the same, a number is not told.
    """
    if not len(printed):
        return [-1, 0]
    if printed.min() == printed.max() >= 0:
        return [-1, int(printed[0])]
    numbers = first + np.arange(len(printed))
    digits = np.searchsorted(_POWERS, numbers, side="right") + 1
    rest = int(printed.max() - digits.max())
    width = int(printed.min()) - rest
    if rest < 0 or np.any(np.maximum(width, digits) + rest != printed):
        refuse("the delivered bytes of a span do not follow from a printed prefix")
    return [width, rest]
