from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.dedup import file_fingerprint, utf16_chars


@pytest.mark.parametrize(
    ("text", "chars"),
    [("", 0), ("ab\n", 3), ("é", 1), ("日本", 2), ("a😀", 3), ("\ud83d", 1), ("\ud83d\ude00", 2)],
)
def test_chars_are_utf16_units(text: str, chars: int) -> None:
    assert utf16_chars(text) == chars


@pytest.mark.parametrize(
    ("text", "fingerprint"),  # as computed by Node.js
    [
        ("é日", "2:7984a933dabcdbd5"),
        ("a\ud83db", "3:c3693aea616c886c"),
        ("\ud83d", "1:9bdb77276c1852e1"),
        ("\ude00x", "2:1b14366e732a705b"),
        ("\ud83d\ude00", "2:9c533688a979a858"),
        ("\ud83d\ud83d\ude00\ude00", "4:dd5098b85f2b1fe5"),
    ],
)
def test_split_characters_are_hashed_as_javascript_does(text: str, fingerprint: str) -> None:
    assert file_fingerprint(text) == fingerprint


def test_a_split_character_is_the_whole_one() -> None:
    assert file_fingerprint("\ud83d\ude00") == file_fingerprint("😀")


TEXT = st.text(st.characters())


@given(TEXT, TEXT)
def test_chars_add_up(left: str, right: str) -> None:
    assert utf16_chars(left + right) == utf16_chars(left) + utf16_chars(right)
    assert file_fingerprint(left).startswith(f"{utf16_chars(left)}:")


@given(TEXT.filter(bool))
def test_any_edit_changes_the_fingerprint(text: str) -> None:
    assert file_fingerprint(text) != file_fingerprint(text[1:])
