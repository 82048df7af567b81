"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from ctxlab.words import counted


@pytest.mark.parametrize(
    ("n", "said"), [(0, "0 answers"), (1, "1 answer"), (1.0, "1 answer"), (1200, "1,200 answers")]
)
def test_one_is_no_plural(n: float, said: str) -> None:
    assert counted(n, "answer") == said


def test_a_plural_of_its_own() -> None:
    assert counted(1, "family", "families") == "1 family"
    assert counted(2, "family", "families") == "2 families"
