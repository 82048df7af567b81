"""At which lengths a cut text still names a token: as each prefix of it tells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.surface._quoted import lengths_that_name, named_in, shown_by
from ctxlab.surface.facts import UNCUT
from ctxlab.surface.mentions import Mentions
from ctxlab.surface.tokens import find_tokens
from tests.surface.worlds import PIECES

texts = st.lists(st.sampled_from((*PIECES, "...", "T12", ":3", "::", "/", "//")), max_size=8).map(
    "".join
)


def lengths(token: str, text: str) -> set[int]:
    """Lengths up to that of the text, and one more, at which the token is named."""
    found = lengths_that_name(token, text)
    return {
        n for least, most in found for n in range(least, min(most, len(text) + 1) + 1)
    }  # fmt: skip


def by_prefixes(token: str, text: str) -> set[int]:
    mentions = Mentions([token])
    return {n for n in range(1, len(text) + 2) if mentions.within(text[:n])}


@given(texts, texts)
def test_every_prefix_names_the_tokens_that_its_lengths_tell(text, other):
    every = {
        found.text
        for whole in (text, other)
        for n in range(len(whole) + 1)
        for found in find_tokens(whole[:n])
    }
    for token in every:
        assert lengths(token, text) == by_prefixes(token, text), token


@pytest.mark.parametrize(
    ("token", "text", "wanted"),
    [
        ("src/app.py", "see src/app.py here", [(14, UNCUT)]),
        ("src/app.py", "/home/src/app.py.bak", [(16, UNCUT)]),
        ("src/app.py", "app.pyc, APP.PY", [(6, 6), (15, UNCUT)]),
        ("1533", "https://forge.example/pulls/1533#note", [(32, UNCUT)]),
        ("Pump.startSlowly", "self.startSlowly()", [(16, UNCUT)]),
        ("AB-1", "AB-12", [(4, 4)]),
        ("AB-12", "xAB-12 and AB", []),
        ("2024-01-01T12", "2024-01-01T12:30", [(13, UNCUT)]),
        ("1533", "15333 #1533 and 1533", [(4, 4), (11, UNCUT)]),
        ("ΑΣ-1", "ας 1", [(4, UNCUT)]),
        ("ΑΣ-1", "İ ασ-12", [(6, 6)]),
    ],
)
def test_lengths_of_a_case(token, text, wanted):
    assert [*lengths_that_name(token, text)] == wanted
    assert lengths(token, text) == by_prefixes(token, text)


def test_a_number_shows_its_canonical_text():
    assert shown_by(["1533", "1e+16", "never"], [1533, 1e16, None]) == {"1533"}


def test_texts_numbers_and_keys_name_and_what_is_neither_does_not():
    value = {"a_b": [{"AB-12": "x/src/app.py"}, 1533, True, None]}
    tokens = ["a_b", "AB-12", "src/app.py", "1533", "a/true", "b/null"]
    assert named_in(tokens, value) == {"a_b", "AB-12", "src/app.py", "1533"}
    assert named_in([], value) == set()
