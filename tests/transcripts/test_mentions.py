"""Names of files in a text."""

from __future__ import annotations

import pytest

from ctxlab.transcripts._mentions import file_mentions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("see src/pump.py:12, then `docs/a-b.md`.", ("pump.py", "a-b.md")),
        ("pump.py and pump.py", ("pump.py",)),
        ("routes/+page.svelte", ("+page.svelte",)),
        ("C:\\code\\main.rs", ("main.rs",)),
        ("version 1.6.1 of .gitignore and Makefile", ()),
        ("a.tar.gz or clip.mp3", ("a.tar.gz", "clip.mp3")),
        ("the end is Ürün.py.", ("Ürün.py",)),
    ],
)
def test_mentions(text: str, expected: tuple[str, ...]) -> None:
    assert file_mentions(text) == expected


def test_a_long_run_of_characters_takes_no_time() -> None:
    assert file_mentions("a" * 1_000_000 + "." * 1_000_000) == ()
