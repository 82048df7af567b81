"""At which lengths a text may be cut and still shows a token."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from ctxlab.surface.canonical import Json, dumps
from ctxlab.surface.facts import UNCUT
from ctxlab.surface.tokens import Token, find_tokens, tokens_of

__all__ = ["Places", "lengths_that_show", "shown_by"]

_OTHER = re.compile(r"[^\w./%:-]")
_WORD = re.compile(r"\w")
_SETTLED = 3
"""What a run of token characters holds depends on no more than so many behind a cut in it."""


def lengths_that_show(token: str, text: str) -> Iterator[tuple[int, int]]:
    """Give the least and most characters of `text` that show `token`, one pair a stretch of them.

    The first n characters show it if `find_tokens` finds it in them. A cut may make a token
    (`src/a_b` of `src/a_b.py`), and one character more take it away. Nothing is given of what
    stands behind the first place that shows the token however much follows.

    Examples
    --------
    >>> list(lengths_that_show("src/a_b", "in src/a_b.py of src/a_b"))
    [(10, 11), (24, 2147483647)]
    """
    for found in _starts(token).finditer(text):
        begin, end = found.start(), found.start() + len(token)
        while begin and not _OTHER.match(text, begin - 1):
            begin -= 1
        closed = _OTHER.search(text, end)
        run = text[begin : closed.start() if closed else len(text)]
        for least, most in _stretches(token, run, end - begin):
            yield begin + least, UNCUT if most == len(run) else begin + most
            if most == len(run):
                return


@lru_cache(maxsize=1 << 10)
def _starts(token: str) -> re.Pattern[str]:
    """Where a token may begin: never behind a letter or digit."""
    return re.compile(rf"(?<!\w)(?={re.escape(token)})")


def _stretches(token: str, run: str, end: int) -> Iterator[tuple[int, int]]:
    """Give the cuts of a run that leave the token which ends at `end`, others of it aside.

    Only punctuation may stand between a token and the cut. So nothing changes within a row of it,
    nor behind the first letter or digit that follows, but for the few characters that tell whether
    a colon joins or parts.
    """
    word = _WORD.search(run, end)
    turn = word.start() if word else len(run)
    cuts = {*range(end, end + _SETTLED), *range(turn, turn + _SETTLED + 1), len(run)}
    points = sorted(cut for cut in cuts if cut <= len(run))
    shown = Token(token, end - len(token), end)
    shows = [shown in find_tokens(run[:cut]) for cut in points]
    ends = [*(cut - 1 for cut in points[1:]), len(run)]
    for is_shown, stretch in groupby(zip(shows, points, ends, strict=True), itemgetter(0)):
        inside = list(stretch)
        if is_shown:
            yield inside[0][1], inside[-1][2]


def shown_by(tokens: Sequence[str], found: Iterable[Json]) -> frozenset[str]:
    """Those of some tokens that stand in any of some scalars."""
    joined = "\n".join(map(_text, found)) if tokens else ""
    hopeful = frozenset(token for token in tokens if token in joined)
    return hopeful & tokens_of(joined) if hopeful else hopeful


class Places:
    """Where the tokens quoted of one answer stand, as far as any setting may need it.

    Rows are kept from the first on: a place is of no use if an earlier item of the same part shows
    the token at the same lengths.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self._found: dict[tuple[int, int], list[tuple[int, int, int]]] = {}

    def look(self, found: Iterable[Json], part: int, item: int, *, may_be_cut: bool) -> None:
        """Look for the tokens in the scalars of an item."""
        for leaf in found if self._tokens else ():
            text = _text(leaf)
            for number, token in enumerate(self._tokens):
                if token not in text:
                    continue
                if may_be_cut and isinstance(leaf, str):
                    stretches = [*lengths_that_show(token, text)]
                else:
                    stretches = [(0, UNCUT)] if token in tokens_of(text) else []
                known = self._found.setdefault((number, part), [])
                for least, most in stretches:
                    if not any(low <= least and most <= high for _, low, high in known):
                        known.append((item, least, most))

    def rows(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Give number of the token, part, item, least and most characters of each place."""
        for (number, part), places in self._found.items():
            for item, least, most in places:
                yield number, part, item, least, most


def _text(leaf: Json) -> str:
    return leaf if isinstance(leaf, str) else dumps(leaf)
