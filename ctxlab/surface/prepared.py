"""What settings share: where parts begin, and what items take when texts are cut at one length."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.log import Bigs, Bools, Ints
from ctxlab.surface.facts import PART_KINDS, UNCUT, ShapeFacts, SurfaceFacts

__all__ = ["Prepared", "Sizes", "prepare"]


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """What all items before each one take when texts are cut at one length; (n_items + 1,) each.

    `bytes_to` is printed bytes, `names_to` and `texts_to` count the texts that are cut: words
    alone and others.
    """

    bytes_to: Bigs
    names_to: Ints
    texts_to: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What every decision on the same facts needs.

    `part_start` is the first item of a part, `value_start` the first part of a value, `rows_part`
    the part of its rows (-1: none). `is_rows` and `is_other` parts are arrays, rows and others;
    `is_shown` ones are printed. `text_start` is where a text begins in the long one; `wide_to` is
    what the characters before each of `wide_at` take beyond one byte each. `by_length` keeps the
    sizes for each length asked for, 16 bytes an item.
    """

    shapes: ShapeFacts
    part_start: Bigs
    value_start: Bigs
    rows_part: Bigs
    is_rows: Bools
    is_other: Bools
    is_shown: Bools
    text_start: Bigs
    wide_to: Bigs
    by_length: dict[int, Sizes] = field(default_factory=dict)

    def sizes(self, length: int) -> Sizes:
        """Sizes of items whose texts have at most `length` characters; 0: they are not cut."""
        if length not in self.by_length:
            self.by_length[length] = _sizes(self, length or UNCUT)
        return self.by_length[length]

    def items(self, summed: Bigs | Ints, kept: Ints) -> Bigs:
        """Sums over the first items of each part, given sums up to each item."""
        total: Bigs = summed[self.part_start + kept] - summed[self.part_start]
        return total

    def by_value(self, of_parts: Bigs | Ints | Bools) -> Bigs:
        """Sums over the parts of each value."""
        if not len(self.value_start):
            return np.zeros(0, np.int64)
        return np.add.reduceat(of_parts, self.value_start, dtype=np.int64)


def prepare(facts: SurfaceFacts) -> Prepared:
    """Work out once what `decide` needs for any numeric knobs.

    Parameters
    ----------
    facts : SurfaceFacts
        Parts ordered by value, items by part, texts by item.
    """
    shapes = facts.shapes
    kind = {name: shapes.part_kind == number for number, name in enumerate(PART_KINDS)}
    n_values = len(shapes.value_answer)
    rows_part = np.full(n_values, -1, np.int64)
    rows_part[shapes.part_value[kind["rows"]]] = np.flatnonzero(kind["rows"])
    return Prepared(
        shapes=shapes,
        part_start=_summed(shapes.part_items, np.int64)[:-1],
        value_start=np.searchsorted(shapes.part_value, np.arange(n_values)),
        rows_part=rows_part,
        is_rows=kind["rows"],
        is_other=kind["array"],
        is_shown=~kind["overwritten"],
        text_start=_summed(shapes.text_chars, np.int64)[:-1],
        wide_to=_summed(shapes.wide_more, np.int64),
    )


def _sizes(made: Prepared, length: int) -> Sizes:
    shapes = made.shapes
    cut = np.flatnonzero(shapes.text_chars > length)
    start, chars = made.text_start[cut], shapes.text_chars[cut].astype(np.int64)
    first, last = np.searchsorted(shapes.wide_at, np.stack([start + length, start + chars]))
    saved = chars - length + made.wide_to[last] - made.wide_to[first]
    item, is_name = shapes.text_item[cut], shapes.text_is_name[cut]
    n = len(shapes.item_bytes)
    left = shapes.item_bytes - np.bincount(item, weights=saved, minlength=n).astype(np.int64)
    return Sizes(
        bytes_to=_summed(left, np.int64),
        names_to=_summed(np.bincount(item[is_name], minlength=n), np.int32),
        texts_to=_summed(np.bincount(item[~is_name], minlength=n), np.int32),
    )


def _summed(values: npt.NDArray[Any], dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Sums of all values before each one, and of all."""
    return np.concatenate([np.zeros(1, dtype), np.cumsum(values, dtype=dtype)])
