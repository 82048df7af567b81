"""Where an answer names the tokens quoted of it, and at which lengths cut texts still do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from ctxlab.surface.canonical import Json
from ctxlab.surface.facts import UNCUT
from ctxlab.surface.mentions import Mentions, fold, words_of
from ctxlab.surface.tokens import keys_of, texts_of, tokens_of

__all__ = ["Places", "lengths_that_name", "named_in", "shown_by"]

_WORD = re.compile(r"\w")


def lengths_that_name(token: str, text: str) -> Iterator[tuple[int, int]]:
    """Give the least and most characters of `text` that name `token`, one pair a stretch of them.

    The first n characters name it if `Mentions` finds it in them. A cut may make a word of a
    longer one (`pump` of `pumps`), and one character more take it away. Nothing is given of what
    stands behind the first place that names the token however much follows.

    Examples
    --------
    >>> list(lengths_that_name("AB-1", "AB-12, then ab/1 and AB-1"))
    [(4, 4), (16, 2147483647)]
    """
    folded = fold(text)
    words, in_a_row = _words(token)
    if not all(word in folded for word in words):
        return
    for found in in_a_row.finditer(folded):
        end = found.end(1)
        if not _WORD.match(folded, end):
            yield end, UNCUT
            return
        yield end, end


@lru_cache(maxsize=1 << 10)
def _words(token: str) -> tuple[tuple[str, ...], re.Pattern[str]]:
    """Words that name a token, and what has them in a row, the last of them perhaps cut."""
    words = words_of(token)
    in_a_row = r"\W+".join(map(re.escape, words))
    return words, re.compile(rf"(?<!\w)(?=({in_a_row}))")


def shown_by(tokens: Sequence[str], found: Iterable[Json]) -> frozenset[str]:
    """Those of some tokens that stand in any of some scalars, letter by letter."""
    joined = "\n".join(texts_of(list(found))) if tokens else ""
    hopeful = frozenset(token for token in tokens if token in joined)
    return hopeful & tokens_of(joined) if hopeful else hopeful


def named_in(tokens: Sequence[str], value: Json) -> set[str]:
    """Those of some tokens that a text, number or key of a value names."""
    return Mentions(tokens).within(*texts_of(value), *keys_of(value)) if tokens else set()


class Places:
    """Where the tokens quoted of one answer are named, as far as any setting may need it.

    Rows are kept from the first on: a place is of no use if an earlier item of the same part names
    the token at the same lengths.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self._number = {token: number for number, token in enumerate(tokens)}
        self._mentions = Mentions(tokens)
        self._found: dict[tuple[int, int], list[tuple[int, int, int]]] = {}

    def look(
        self, value: Json, scalars: Iterable[Json], part: int, item: int, *, may_be_cut: bool
    ) -> None:
        """Look for the tokens in an item and its scalars, of which only texts may be cut."""
        if not self._number:
            return
        whole, texts = [*keys_of(value)], []
        for scalar in scalars:
            if may_be_cut and isinstance(scalar, str):
                texts.append(scalar)
            else:
                whole += texts_of(scalar)
        for token in self._mentions.within(*whole):
            self._add(token, part, item, 0, UNCUT)
        for text in texts:
            for token in self._number:
                for least, most in lengths_that_name(token, text):
                    self._add(token, part, item, least, most)

    def _add(self, token: str, part: int, item: int, least: int, most: int) -> None:
        known = self._found.setdefault((self._number[token], part), [])
        if not any(low <= least and most <= high for _, low, high in known):
            known.append((item, least, most))

    def rows(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Give number of the token, part, item, least and most characters of each place."""
        for (number, part), places in sorted(self._found.items()):
            for item, least, most in places:
                yield number, part, item, least, most
