"""Order of rows by a key, where the reference's comparison is an order and where it is none.

Numbers compare as 64-bit floats, anything else by the bytes of its text, a number beside a text
included: with 9 < 10 < "10a" and "10a" < "9" < "a" no order need exist. The reference then sorts up
to 20 rows by insertion, and more in a way of its own or not at all. Insertion is kept for any
number of rows here, and said to be our choice above 20.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ctxlab.surface.canonical import Json
from ctxlab.surface.paths import Missing, look_up, scalar_text

__all__ = ["INSERTION_ROWS", "Sorted", "sort_rows"]

INSERTION_ROWS = 20
"""Most rows that the reference sorts by insertion."""

_BLOCK = 256
_NO_NUMBER, _NO_TEXT = float("inf"), "\U0010ffff"  # above all others, or a look more


class Sorted(NamedTuple):
    """Rows in order, and whether the reference's own order of them is unknown."""

    rows: list[Json]
    undefined: bool


class _Key(NamedTuple):
    """What a scalar is compared by; `number` is None unless it is one."""

    text: str
    number: float | None
    at: int


def sort_rows(rows: Sequence[Json], key: str, synonyms: bool = False) -> Sorted:
    """Sort rows, ascending and stable: scalars, then arrays and objects, then rows without the key.

    Examples
    --------
    >>> sort_rows([{"k": "b"}, {}, {"k": 10}, {"k": 9}, {"k": [1]}], "k").rows
    [{'k': 9}, {'k': 10}, {'k': 'b'}, {'k': [1]}, {}]
    """
    keys, containers, missing = [], [], []
    for at, row in enumerate(rows):
        found = look_up(row, key, synonyms)
        text = scalar_text(found)
        if text is not None:
            is_number = isinstance(found, (int, float)) and not isinstance(found, bool)
            keys.append(_Key(text, float(text) if is_number else None, at))
        elif isinstance(found, Missing):
            missing.append(row)
        else:
            containers.append(row)
    low, high = _number_texts(keys)
    is_mixed = any(low <= k.text <= high for k in keys if k.number is None)
    placed = _by_insertion(keys) if is_mixed else sorted(keys, key=lambda k: _total(k, low))
    ordered = [rows[k.at] for k in placed] + containers + missing
    return Sorted(ordered, is_mixed and len(rows) > INSERTION_ROWS)


def _number_texts(keys: Sequence[_Key]) -> tuple[str, str]:
    """First and last text of the numbers; an empty range if there are none."""
    texts = [k.text for k in keys if k.number is not None]
    return (min(texts), max(texts)) if texts else ("\U0010ffff", "")


def _total(key: _Key, low: str) -> tuple[int, float, str]:
    """Place where no text stands between those of two numbers: below, among or above them."""
    if key.number is not None:
        return 1, key.number, ""
    return (0 if key.text < low else 2), 0.0, key.text


class _Block:
    """A stretch of the ordered keys, with the least of them by each way of comparing."""

    def __init__(self, keys: list[_Key]) -> None:
        self.keys = keys
        self.number = min((k.number for k in keys if k.number is not None), default=_NO_NUMBER)
        self.text = min((k.text for k in keys if k.number is None), default=_NO_TEXT)
        self.any_text = min((k.text for k in keys), default=_NO_TEXT)

    def place(self, key: _Key) -> int:
        """Count the keys up to the last that `key` may not pass on its way left."""
        if key.number is None:
            if self.any_text > key.text:
                return 0
        elif self.number > key.number and self.text > key.text:
            return 0
        return next(
            (at for at in range(len(self.keys), 0, -1) if not _is_less(key, self.keys[at - 1])), 0
        )

    def insert(self, at: int, key: _Key) -> None:
        self.keys.insert(at, key)
        self.any_text = min(self.any_text, key.text)
        if key.number is None:
            self.text = min(self.text, key.text)
        else:
            self.number = min(self.number, key.number)


def _is_less(key: _Key, other: _Key) -> bool:
    if key.number is not None and other.number is not None:
        return key.number < other.number
    return key.text < other.text


def _by_insertion(keys: Sequence[_Key]) -> list[_Key]:
    """Move each key left past all that are greater; whole blocks are passed at one look."""
    blocks = [_Block([])]
    for key in keys:
        at = place = 0
        for at in range(len(blocks) - 1, -1, -1):
            place = blocks[at].place(key)
            if place:
                break
        block = blocks[at]
        block.insert(place, key)
        if len(block.keys) > _BLOCK:
            half = len(block.keys) // 2
            blocks[at : at + 1] = [_Block(block.keys[:half]), _Block(block.keys[half:])]
    return [key for block in blocks for key in block.keys]
