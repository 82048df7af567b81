"""An identifier to another of the same shape, made of given words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

__all__ = ["humps", "renamed"]

_LETTERS = re.compile(r"[^\W\d_]+")
_EXTENSION = re.compile(r"\.[a-z]{1,4}\Z")

_MIN_LETTERS = 3


def humps(text: str) -> Iterator[str]:
    """Give the words of identifiers, lowered: those long enough to mean something."""
    for run in _LETTERS.findall(text):
        yield from (hump.lower() for hump in _split(run) if len(hump) >= _MIN_LETTERS)


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

    def other(hump: str) -> str:
        # Of `Random`, only `random()` gives the same numbers in every version of Python.
        word = "".join(words[int(random.random() * len(words))] for _ in range(words_each))
        if len(hump) > 1 and hump.isupper():
            return word.upper()
        return word[0].upper() + word[1:] if hump[0].isupper() else word

    def others(run: re.Match[str]) -> str:
        return "".join(map(other, _split(run.group())))

    return _LETTERS.sub(others, name[:end]) + name[end:]


def _split(letters: str) -> Iterator[str]:
    """Cut at each capital that begins a word: `parseHTTPReply` has three."""
    start = 0
    for i in range(1, len(letters)):
        after_capital = letters[i - 1].isupper()
        before_small = letters[i + 1 : i + 2].islower()
        if letters[i].isupper() and (not after_capital or before_small):
            yield letters[start:i]
            start = i
    yield letters[start:]
