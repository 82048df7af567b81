"""Whether a text names a token in any way: bare, in a longer path or URL, in other letters' case.

A token is compared letter by letter where it is quoted. Where the question is whether a reader
*could* know it from a text, that would be too strict: `a/src/pump.py` in a diff names
`src/pump.py`, `pump.start` names `start`, and `…/pump.py` most of it. So words are compared here,
those of `ctxlab.surface.tokens.known_by`. The same is asked of what a thread was shown before an
answer and of what a limit leaves of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ctxlab.surface.tokens import known_by

__all__ = ["Mentions", "fold", "words_of"]

_WORD = re.compile(r"\w+")


class Mentions:
    """Tokens to look for in texts. Time is linear in a text, whatever the number of tokens."""

    def __init__(self, tokens: Iterable[str]) -> None:
        self._tokens: dict[tuple[str, ...], list[str]] = {}
        lengths: dict[str, set[int]] = {}
        for token in tokens:
            words = words_of(token)
            self._tokens.setdefault(words, []).append(token)
            lengths.setdefault(words[0] if words else "", set()).add(len(words))
        self._lengths = {first: sorted(found) for first, found in lengths.items()}

    def within(self, *texts: str) -> set[str]:
        """Give the tokens that any of the texts names.

        Examples
        --------
        >>> sorted(Mentions(["src/pump.py", "AB-12", "maxFlow"]).within("a/src/Pump.py, x.maxFlow"))
        ['maxFlow', 'src/pump.py']
        """
        found: set[str] = set()
        for text in texts if self._tokens else ():
            words = _WORD.findall(fold(text))
            for at, word in enumerate(words):
                for n in self._lengths.get(word, ()):
                    found.update(self._tokens.get(tuple(words[at : at + n]), ()))
        return found


def words_of(token: str) -> tuple[str, ...]:
    """Give the words, in small letters, that a text must have in a row to name a token."""
    return tuple(_WORD.findall(fold(known_by(token))))


def fold(text: str) -> str:
    """Give a text in small letters, one for each character whatever stands around it."""
    return text.replace("Σ", "σ").replace("ς", "σ").replace("İ", "i").lower()
