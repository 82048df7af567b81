"""Texts of an item → their lengths, and the characters that print as more than one byte."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ctxlab.log import Bigs, Codes
from ctxlab.surface.canonical import size

__all__ = ["is_name", "wide_characters"]

_ASCII_MORE = np.array([size(chr(code)) - size("") - 1 for code in range(128)], np.int8)
_LONGER_FROM = (0x80, 0x800, 0x10000)
_PLAIN = re.compile(r"[ !#-\[\]-\x7f]*+")
_SPACE = re.compile(r"\s")


def is_name(text: str) -> bool:
    """Whether a text is one word, such as an id, a name, a path or a date: no white space."""
    return _SPACE.search(text) is None


def wide_characters(texts: Sequence[str]) -> tuple[Bigs, Codes]:
    r"""Give the places, in texts laid end to end, of characters that print as more than one byte.

    Beside each place stands how many bytes more.

    Examples
    --------
    >>> at, more = wide_characters(["a\n", "\x01é"])
    >>> at.tolist(), more.tolist()
    ([1, 2, 3], [1, 5, 1])
    """
    joined = "".join(texts)
    if _PLAIN.fullmatch(joined):
        return np.empty(0, np.int64), np.empty(0, np.int8)
    codes = np.frombuffer(joined.encode("utf-32-le"), np.uint32)
    more = np.zeros(len(codes), np.int8)
    for first in _LONGER_FROM:
        more += codes >= first
    is_ascii = codes < len(_ASCII_MORE)
    more[is_ascii] = _ASCII_MORE[codes[is_ascii]]
    at = np.flatnonzero(more)
    return at, more[at]
