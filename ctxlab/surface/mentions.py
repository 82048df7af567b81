"""Whether a text names a token in any way: bare, in a longer path or URL, in other letters' case.

A token is compared letter by letter where it is quoted. Where the question is whether a reader
*could* have known it from a text, that would be too strict: `a/src/pump.py` in a diff names
`src/pump.py`, `pump.start` names `start`, and `…/pump.py` most of it. So words are compared here,
of a path those of its last part alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["Mentions"]

_WORD = re.compile(r"\w+")


class Mentions:
    """Tokens to look for in texts. Time is linear in a text, whatever the number of tokens."""

    def __init__(self, tokens: Iterable[str]) -> None:
        self._tokens: dict[tuple[str, ...], list[str]] = {}
        lengths: dict[str, set[int]] = {}
        for token in tokens:
            words = _words(token)
            self._tokens.setdefault(words, []).append(token)
            lengths.setdefault(words[0] if words else "", set()).add(len(words))
        self._lengths = {first: sorted(found) for first, found in lengths.items()}

    def within(self, text: str) -> set[str]:
        """Give the tokens that the text names.

        Examples
        --------
        >>> sorted(Mentions(["src/pump.py", "AB-12", "maxFlow"]).within("a/src/Pump.py, x.maxFlow"))
        ['maxFlow', 'src/pump.py']
        """
        if not self._tokens:
            return set()
        words = _WORD.findall(text.lower())
        found: set[str] = set()
        for at, word in enumerate(words):
            for n in self._lengths.get(word, ()):
                found.update(self._tokens.get(tuple(words[at : at + n]), ()))
        return found


def _words(token: str) -> tuple[str, ...]:
    """Words by which a token is known: of a path or URL those of its last part that has any."""
    parts = [_WORD.findall(part) for part in token.lower().split("/")]
    return tuple(next((words for words in reversed(parts) if words), ()))
