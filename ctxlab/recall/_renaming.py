"""An identifier to another of the same shape, made of given words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

__all__ = ["humps", "renamed"]

_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+")
"""Letters that make one word of an identifier: `parseHTTPReply` has three."""

_EXTENSION = re.compile(r"\.[a-z]{1,4}\Z")

_MIN_LETTERS = 3


def humps(text: str) -> Iterator[str]:
    """Give the words of identifiers, lowered: those long enough to mean something."""
    found = (match.group().lower() for match in _HUMP.finditer(text))
    return (word for word in found if len(word) >= _MIN_LETTERS)


def renamed(name: str, words: Sequence[str], random: Random, words_each: int = 1) -> str:
    """Put other words in place of those of a name; marks, digits, case and extension stay.

    Parameters
    ----------
    words
        Lowered words to choose from; without any, the name stays.
    random
        Where the choice comes from.
    words_each
        How many words, run together, stand for one of the name.
    """
    if not words:
        return name
    extension = _EXTENSION.search(name)
    end = extension.start() if extension and extension.start() else len(name)

    def other(match: re.Match[str]) -> str:
        # Of `Random`, only `random()` gives the same numbers in every version of Python.
        word = "".join(words[int(random.random() * len(words))] for _ in range(words_each))
        old = match.group()
        if len(old) > 1 and old.isupper():
            return word.upper()
        return word[0].upper() + word[1:] if old[0].isupper() else word

    return _HUMP.sub(other, name[:end]) + name[end:]
