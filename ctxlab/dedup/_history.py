"""Which run delivered a line with a given text last: the record's memory beyond the latest text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxlab.log import Ids, Ints
from ctxlab.residency import Change, carry

__all__ = ["History"]


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """Latest run of each (line number, text) of one file."""

    keys: Ids
    numbers: Ints
    texts: Ids
    runs: Ints

    @classmethod
    def empty(cls) -> History:
        """Nothing delivered."""
        ids, ints = np.zeros(0, np.uint64), np.zeros(0, np.int32)
        return cls(ids, ints, ids, ints)

    def find(self, numbers: Ints, texts: Ids) -> Ints:
        """Latest run of each pair, -1 where it was never delivered."""
        if not len(self.keys) or not len(numbers):
            return np.full(len(numbers), -1, np.int32)
        keys = _pair_keys(numbers, texts)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.runs[at], -1).astype(np.int32)

    def put(self, numbers: Ints, texts: Ids, runs: Ints) -> History:
        """Make `runs` the latest of these lines."""
        keys = _pair_keys(numbers, texts)
        keep = ~np.isin(self.keys, keys)
        return History._sorted(
            np.concatenate([self.numbers[keep], numbers]),
            np.concatenate([self.texts[keep], texts]),
            np.concatenate([self.runs[keep], runs]),
        )

    def carried(self, change: Change) -> History:
        """Renumber the lines through a change; removed ones are forgotten."""
        numbers = carry(self.numbers, change)
        kept = numbers > 0
        return History._sorted(numbers[kept], self.texts[kept], self.runs[kept])

    @staticmethod
    def _sorted(numbers: Ints, texts: Ids, runs: Ints) -> History:
        keys = _pair_keys(numbers, texts)
        order = np.argsort(keys, kind="stable")
        return History(keys[order], numbers[order], texts[order], runs[order])


def _pair_keys(numbers: Ints, texts: Ids) -> Ids:
    """One 64-bit key a (number, text): the text's random id, turned by a mix of the number."""
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    keys: Ids = texts ^ mixed ^ (mixed >> np.uint64(29))
    return keys
