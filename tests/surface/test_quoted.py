"""At which lengths a cut text still shows a token: as the tokens of each prefix tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.surface._quoted import lengths_that_show, shown_by
from ctxlab.surface.facts import UNCUT
from ctxlab.surface.tokens import find_tokens
from tests.surface.worlds import PIECES

texts = st.lists(st.sampled_from((*PIECES, "...", "T12", ":3", "::", "/", "//")), max_size=8).map(
    "".join
)


def lengths(token: str, text: str) -> set[int]:
    """Lengths up to that of the text, and one more, at which the token is shown."""
    found = lengths_that_show(token, text)
    return {
        n for least, most in found for n in range(least, min(most, len(text) + 1) + 1)
    }  # fmt: skip


def by_prefixes(token: str, text: str) -> set[int]:
    return {
        n
        for n in range(1, len(text) + 2)
        if token in {found.text for found in find_tokens(text[:n])}
    }


@given(texts)
def test_every_prefix_shows_the_tokens_that_its_lengths_tell(text):
    every = {found.text for n in range(len(text) + 1) for found in find_tokens(text[:n])}
    for token in every:
        assert lengths(token, text) == by_prefixes(token, text), token


@pytest.mark.parametrize(
    ("token", "text", "wanted"),
    [
        ("src/app.py", "see src/app.py here", [(14, UNCUT)]),
        ("src/a_b", "src/a_b.py", [(7, 8)]),
        ("AB-1", "AB-12", [(4, 4)]),
        ("AB-12", "xAB-12", []),
        ("2024-01-01T12", "2024-01-01T12:30", [(13, 15)]),
        ("a_bc", "a_bc" + "." * 300 + "x", [(4, 304)]),
        ("2src/a.py", "src/a.py:2src/a.py:2src/a.py-", [(28, UNCUT)]),
        ("1533", "#1533 and 1533", [(5, UNCUT)]),
    ],
)
def test_lengths_of_a_case(token, text, wanted):
    assert lengths(token, text) == by_prefixes(token, text)
    covered = {n for least, most in wanted for n in range(least, min(most, len(text) + 1) + 1)}
    assert lengths(token, text) == covered
    assert {most for _, most in wanted if most == UNCUT} == {
        most for _, most in lengths_that_show(token, text) if most == UNCUT
    }


def test_a_number_shows_its_canonical_text():
    assert shown_by(["1533", "1e+16", "never"], [1533, 1e16, None]) == {"1533"}
