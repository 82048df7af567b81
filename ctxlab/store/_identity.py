"""Texts → 64-bit identities under the store's key, and the sizes of lines.

SipHash runs in C inside pandas. The key is random and stays in the store's manifest, so that
hashes seen elsewhere cannot be turned back into lines by trying likely ones.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pandas.util import hash_array

from ctxlab.events import LineIds

__all__ = ["LineBuffer", "MeasuredLines", "base_name", "hash_texts", "new_key", "well_formed"]

Ids = npt.NDArray[np.uint64]
Sizes = npt.NDArray[np.uint32]

_BATCH_LINES = 1024  # one call of hash_array costs 8 µs, as much as 80 lines
_BATCH_CHARS = 1 << 20
_SURROGATE = re.compile("[\ud800-\udfff]")


def new_key() -> str:
    """Give a random key: pandas takes exactly 16 bytes of UTF-8."""
    return secrets.token_urlsafe(12)


def hash_texts(texts: Sequence[str], key: str) -> Ids:
    """Hash each text's UTF-8 bytes; a lone surrogate counts as the three bytes it would take."""
    values = np.empty(len(texts), dtype=object)
    values[:] = texts
    try:
        return hash_array(values, hash_key=key, categorize=False)
    except UnicodeEncodeError:
        values[:] = [text.encode("utf-8", "surrogatepass") for text in texts]
        return hash_array(values, hash_key=key, categorize=False)


def well_formed(text: str) -> str:
    """Spell lone surrogates as `%uD800`, which neither Arrow nor DuckDB holds as they are.

    Not with a backslash: in a path that would begin another name.
    """
    return _SURROGATE.sub(lambda found: f"%u{ord(found[0]):04X}", text)


def base_name(path: str) -> str:
    """Last part of a path of any system."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class MeasuredLines:
    """Identity, UTF-8 bytes and UTF-16 code units of lines, one entry a line."""

    ids: Ids
    text_bytes: Sizes
    text_chars: Sizes


class LineBuffer:
    """Collects lines of one source and keeps of each its identity and sizes, not its text."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._texts: list[str] = []
        self._n_chars = 0
        self._done: list[MeasuredLines] = []
        self._given: list[int] = []

    def add(self, lines: tuple[str, ...] | LineIds) -> None:
        """Append lines; texts are let go of as soon as a batch is full."""
        if isinstance(lines, LineIds):
            self._flush()
            self._given.append(len(self._done))
            self._done.append(_given_lines(lines))
            return
        self._texts += lines
        self._n_chars += sum(map(len, lines))
        if len(self._texts) >= _BATCH_LINES or self._n_chars >= _BATCH_CHARS:
            self._flush()

    def measured(self, salt: str) -> MeasuredLines:
        """Give all lines in order; given ids are mixed with `salt`, so that families differ."""
        self._flush()
        base = hash_texts([salt], self._key)
        for at in self._given:
            lines = self._done[at]
            self._done[at] = MeasuredLines(
                hash_array(lines.ids ^ base), lines.text_bytes, lines.text_chars
            )
        self._given = []
        return MeasuredLines(
            np.concatenate([np.empty(0, np.uint64), *(d.ids for d in self._done)]),
            np.concatenate([np.empty(0, np.uint32), *(d.text_bytes for d in self._done)]),
            np.concatenate([np.empty(0, np.uint32), *(d.text_chars for d in self._done)]),
        )

    def _flush(self) -> None:
        if self._texts:
            self._done.append(_measure(self._texts, self._key))
            self._texts = []
            self._n_chars = 0


def _given_lines(lines: LineIds) -> MeasuredLines:
    return MeasuredLines(
        np.array(lines.ids, np.uint64),
        np.array(lines.text_bytes, np.uint32),
        np.array(lines.text_chars, np.uint32),
    )


def _measure(texts: list[str], key: str) -> MeasuredLines:
    n = len(texts)
    n_bytes = np.fromiter(map(len, texts), np.uint32, n)
    n_chars = n_bytes.copy()
    for i in np.flatnonzero(~np.fromiter(map(str.isascii, texts), np.bool_, n)):
        n_bytes[i] = len(texts[i].encode("utf-8", "surrogatepass"))
        n_chars[i] = len(texts[i].encode("utf-16-le", "surrogatepass")) // 2
    return MeasuredLines(hash_texts(texts, key), n_bytes, n_chars)
