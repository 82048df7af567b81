from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.dedup import (
    Dedup,
    Symbol,
    format_spans,
    merge_ranges,
    pointer_chars,
    pointer_text,
    symbols_in_spans,
    utf16_chars,
)

RANGE = st.tuples(st.integers(1, 900), st.integers(0, 30)).map(lambda p: (p[0], p[0] + p[1]))
SPANS = st.lists(RANGE, min_size=1, max_size=9).map(merge_ranges)
NAMES = st.lists(st.text(min_size=1, max_size=9), max_size=8)


@pytest.mark.parametrize(
    ("n_spans", "ending"), [(1, "L1"), (4, "L7"), (5, "+1 more span"), (6, "+2 more spans")]
)
def test_four_spans_are_named_and_the_rest_counted(n_spans: int, ending: str) -> None:
    named = format_spans([(n, n) for n in range(1, 2 * n_spans, 2)])
    assert named.split(", ")[-1] == ending
    assert named.startswith("L1")


def test_a_symbol_is_named_once_when_a_line_of_it_is_withheld() -> None:
    symbols = [
        Symbol("late", "class", 40, 90),
        Symbol("late", "method", 41, 42),
        Symbol("before", "function", 1, 9),
        Symbol("one line before", "variable", 13),
        Symbol("one line", "variable", 45),
        Symbol("zero end", "variable", 46, 0),
        Symbol("imported", "import", 45, 45),
        Symbol("exported", "export", 45, 45),
    ]
    assert symbols_in_spans(symbols, [(10, 12), (45, 60)]) == ("late", "one line", "zero end")


@pytest.mark.parametrize(
    ("n_names", "extra"), [(0, 0), (1, len(" (n)")), (5, 16), (6, 16 + len(", +1 more"))]
)
def test_five_symbols_are_named_and_the_rest_counted(n_names: int, extra: int) -> None:
    bare, named = (pointer_chars("p", [(1, 9)], ["n"] * n) for n in (0, n_names))
    assert named - bare == extra


def test_each_form_has_its_own_fixed_length() -> None:
    params = Dedup(full_pointer_chars=10, partial_pointer_chars=20)
    assert pointer_chars("a😀", [(1, 9)], params=params) == 10 + 3 + len("L1-9")
    assert pointer_chars("a😀", [(1, 9)], partial=True, params=params) == 20 + 3 + len("L1-9")
    assert pointer_chars("", [(1, 9)]) == 182 + len("L1-9")
    assert pointer_chars("", [(1, 9)], partial=True) == 193 + len("L1-9")


def test_how_much_is_named_is_a_parameter() -> None:
    params = Dedup(max_spans_in_pointer=1, max_symbols_in_pointer=1, full_pointer_chars=0)
    named = "L1-9, +1 more span (f, +1 more)"
    assert pointer_chars("", [(1, 9), (20, 40)], ["f", "g"], params=params) == len(named)
    assert named in pointer_text("a.py", [(1, 9), (20, 40)], ["f", "g"], params=params)


@pytest.mark.parametrize("partial", [False, True])
def test_a_pointer_says_what_stands_where_and_sends_nobody_away(partial: bool) -> None:
    text = pointer_text("src/a.py", [(12, 40), (60, 60)], ["parse", "dump"], partial=partial)
    for part in ("`src/a.py`", "L12-40", "L60", "parse", "dump"):
        assert part in text
    assert "from this conversation" in text
    assert "unchanged since" in text
    assert not re.search(r"omit|unavailable|missing|removed|truncat|\bread\b", text, re.IGNORECASE)
    assert text.startswith("> ")
    assert "\n" not in text


@given(st.text(max_size=20), SPANS, NAMES, st.booleans())
def test_the_price_of_a_pointer_is_the_length_of_its_text(
    path: str, spans: tuple[tuple[int, int], ...], names: list[str], partial: bool
) -> None:
    params = Dedup(
        full_pointer_chars=utf16_chars(pointer_text("", ())),
        partial_pointer_chars=utf16_chars(pointer_text("", (), partial=True)),
    )
    text = pointer_text(path, spans, names, partial=partial, params=params)
    assert utf16_chars(text) == pointer_chars(path, spans, names, partial=partial, params=params)
