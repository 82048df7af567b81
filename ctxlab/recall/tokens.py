"""Text to index tokens: lowered words, each cut to its stem."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

# Not `snowballstemmer.stemmer("english")`: where PyStemmer is installed too, that is another
# version of the algorithm.
from snowballstemmer.english_stemmer import EnglishStemmer

from ctxlab.recall._characters import words

__all__ = ["stem", "tokens"]

_LONGEST_STEMMED = 1000
"""No language has such words, and the stemmer's time grows with their square."""


def stem(word: str) -> str:
    """Cut a lowered word to its stem by Snowball English (Porter2), as of Snowball 2.2.0.

    Words of more than 1000 characters, which are data and not language, stay whole.

    References
    ----------
    M. F. Porter, *Snowball: a language for stemming algorithms* (2001),
    https://snowballstem.org/algorithms/english/stemmer.html
    """
    return word if len(word) > _LONGEST_STEMMED else _stem(word)


@lru_cache(maxsize=1 << 17)
def _stem(word: str) -> str:
    # A stemmer holds the word it works on: each call has its own, so that threads do not meet.
    return str(EnglishStemmer().stemWord(word))


def tokens(text: str) -> Iterator[str]:
    """Give the stems of a text's words, in order.

    A word is a maximal run of Unicode alphanumerics, combining marks included, with each
    character lowered by itself. camelCase is one word, and no word is left out.
    """
    return map(stem, words(text))
