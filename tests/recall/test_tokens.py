"""Words by Unicode's properties, each character lowered by itself, and their stems."""

from __future__ import annotations

import sys
import unicodedata
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.recall._characters import SPACE, words
from ctxlab.recall.tokens import stem, tokens

from . import oracle

CHARACTERS = [chr(code) for code in range(sys.maxunicode + 1)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("load_map loadMap load-map", ["load", "map", "loadmap", "load", "map"]),
        ("naïve 字符 x1²½Ⅳ", ["naïve", "字符", "x1²½ⅳ"]),
        ("हिन्दी", ["हिन", "दी"]),  # a vowel sign is part of a word, a virama is not
        ("e\u0301a", ["e", "a"]),  # a combining accent is not alphabetic
        ("ⒶⓏ 🄰x", ["ⓐⓩ", "🄰x"]),
        ("ΣΑΣ ΑΣ", ["σασ", "ας".replace("ς", "σ")]),
        ("İK", ["i̇k"]),
        ("a\x00b\ud800c", ["a", "b", "c"]),
        ("", []),
    ],
)
def test_words_of_a_text(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_words_hold_all_that_python_calls_alphanumeric_and_1404_characters_more() -> None:
    assert all(words(c) for c in CHARACTERS if c.isalnum())
    more = [c for c in CHARACTERS if words(c) and not c.isalnum()]
    assert Counter(map(unicodedata.category, more)) == {"Mn": 857, "Mc": 417, "So": 130}
    assert all(
        "CIRCLED" in unicodedata.name(c) or "SQUARED" in unicodedata.name(c)
        for c in more
        if unicodedata.category(c) == "So"
    )
    # No nuktas, and no accents attached above or on the right.
    assert not {unicodedata.combining(c) for c in more} & {7, 216, 232, 234}
    assert set(oracle.MARKS) <= set(more)


def test_each_character_is_lowered_by_itself() -> None:
    letters = [c for c in CHARACTERS if c.isalnum()]
    for n in range(0, len(letters), 1000):
        part = letters[n : n + 1000]
        assert words("".join(part)) == ["".join(c.lower() for c in part)]


def test_space_is_white_space_without_the_separators_of_ascii() -> None:
    assert set(oracle.SPACE) == {c for c in CHARACTERS if c.isspace()} - set("\x1c\x1d\x1e\x1f")
    assert set(SPACE) - {"-"} <= set(oracle.SPACE)


@given(st.text(st.sampled_from("aΣé_ .\u0903Ⓐ1İ"), max_size=30))
def test_words_are_those_of_the_oracle(text: str) -> None:
    assert words(text) == oracle.words(text)


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        ("running", "run"),
        ("university", "univers"),
        ("organize", "organ"),
        ("databases", "databas"),
        ("skies", "sky"),
        ("dying", "die"),
        ("generous", "generous"),
        ("yes", "yes"),
        ("naïve", "naïv"),
        ("字符", "字符"),
        ("a", "a"),
    ],
)
def test_stems(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


def test_tokens_are_stems_in_order() -> None:
    assert list(tokens("The caches, cached; loadMaps()")) == ["the", "cach", "cach", "loadmap"]


def test_words_beyond_language_stay_whole() -> None:
    assert stem("y" * 1001 + "ing") == "y" * 1001 + "ing"


def test_stems_do_not_depend_on_other_threads() -> None:
    made = [f"{head}{n}{tail}" for n in range(300) for head in "ab" for tail in ("ations", "ing")]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(stem, made)) == [s for word in made for s in oracle.stems(word)]
