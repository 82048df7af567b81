"""Printed source back to lines and numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.events import Prefix
from ctxlab.transcripts._source import Numbered, find_numbered, grep_spans, read_numbered, resolve

REMINDER = "\n\n<system-reminder>\nBe kind.\n</system-reminder>\n"


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("     9→a\n    10→\n    11→  c", Prefix(6, 3)),
        ("9\ta\n10\t\n11\t  c", Prefix(1, 1)),
        ("     9\ta\n    10\t\n    11\t  c", Prefix(6, 1)),
        ("9→a\n    10→\n    11→  c", Prefix(6, 3)),
    ],
)
def test_prefixes(text: str, prefix: Prefix) -> None:
    assert read_numbered(text) == Numbered(9, ("a", "", "  c"), prefix, len(text))
    followed = read_numbered(text + REMINDER)
    assert followed is not None
    assert followed.lines == ("a", "", "  c")
    assert followed.end == len(text)


def test_source_that_looks_numbered() -> None:
    found = read_numbered("     1→    12→x\n     2→     3→y\n     4→not consecutive")
    assert found is not None
    assert found.lines == ("    12→x", "     3→y")


def test_reminder_that_looks_numbered_is_no_source() -> None:
    found = read_numbered("     1→a\n     2→b\n\n     3→c")
    assert found is not None
    assert found.lines == ("a", "b")


def test_numbers_wider_than_the_padding() -> None:
    found = read_numbered("999999→a\n1000000→b")
    assert found == Numbered(999999, ("a", "b"), Prefix(1, 3), 18)


def test_not_numbered() -> None:
    assert read_numbered("File does not exist.") is None
    assert read_numbered("") is None
    assert find_numbered("nothing\nhere 1→") is None


def test_excerpt_behind_a_sentence() -> None:
    text = "The file was changed. See:\n    40→a\n    41→b\n"
    assert find_numbered(text) == Numbered(40, ("a", "b"), Prefix(6, 3), len(text) - 1)


# Tabs and carriage returns stay; only the newline ends a line.
line_texts = st.lists(st.text(st.characters(blacklist_characters="\n"), max_size=20), min_size=1)
prefixes = st.sampled_from([(6, "→"), (1, "\t"), (6, "\t")])


@given(line_texts, st.integers(1, 2_000_000), prefixes, st.sampled_from(["", REMINDER]))
def test_round_trip(lines: list[str], first: int, style: tuple[int, str], tail: str) -> None:
    width, separator = style
    source = "\n".join(f"{n:{width}d}{separator}{line}" for n, line in enumerate(lines, first))
    found = read_numbered(source + tail)
    assert found is not None
    assert (found.first_line, found.lines, found.end) == (first, tuple(lines), len(source))


def test_grep_many_files() -> None:
    text = (
        "src/a-1.py-3-x = 1\nsrc/a-1.py:4:y = d[1:2:3]\nsrc/a-1.py-5-z\n--\n"
        "src/a-1.py:40:last\nlib/b.py:7:other\n"
    )
    spans = grep_spans(text, None)
    assert [(s.path, s.first_line, s.lines) for s in spans] == [
        ("src/a-1.py", 3, ("x = 1", "y = d[1:2:3]", "z")),
        ("src/a-1.py", 40, ("last",)),
        ("lib/b.py", 7, ("other",)),
    ]
    assert {s.prefix for s in spans} == {Prefix(1, 12), Prefix(1, 10)}
    assert all(s.origin == "grep" and s.numbered for s in spans)


def test_grep_one_file() -> None:
    spans = grep_spans("9-a\n10:b: c\n--\n20:d\n[5 lines truncated]", "one.py")
    assert [(s.path, s.first_line, s.lines) for s in spans] == [
        ("one.py", 9, ("a", "b: c")),
        ("one.py", 20, ("d",)),
    ]
    assert spans[0].prefix == Prefix(1, 1)


@pytest.mark.parametrize(
    ("text", "path", "first"),
    [
        ("C:\\src\\a.py:10:x", "C:\\src\\a.py", 10),
        ("notes/2024-01-02.md-4-x\nnotes/2024-01-02.md:5:y", "notes/2024-01-02.md", 4),
        ("2024-01-02.md:5:y\n2024-01-02.md:9:z", "2024-01-02.md", 5),
        ('a.py-5-x = "h:10:b"\na.py:6:y', "a.py", 5),
        ("od:d/a.py:5:y", "od:d/a.py", 5),
        ("é-3/a.py:5:y", "é-3/a.py", 5),
    ],
)
def test_grep_hard_paths(text: str, path: str, first: int) -> None:
    span = grep_spans(text, "2024")[0]
    assert (span.path, span.first_line) == (path, first)
    assert span.prefix.rest_bytes == len(path.encode()) + 2


def test_grep_what_is_no_source() -> None:
    assert grep_spans("No matches found", None) == ()
    assert grep_spans("Found 2 files\na.py\nb.py", None) == ()
    omitted = grep_spans("a.py:1:x\na.py:2:[Omitted long matching line]\na.py:3:y", None)
    assert [(s.first_line, s.lines) for s in omitted] == [(1, ("x",)), (3, ("y",))]


@given(st.text(alphabet="a1:-\n/é ", max_size=60), st.sampled_from([None, "a"]))
def test_grep_any_text(text: str, path: str | None) -> None:
    for span in grep_spans(text, path):
        assert span.lines
        assert span.path


def test_resolve() -> None:
    assert resolve("a/../b.py", "/x") == "/x/b.py"
    assert resolve("/a//b.py", "/x") == "/a/b.py"
    assert resolve("a.py", None) == "a.py"
    assert resolve("C:\\a\\b.py", "/x") == "C:\\a\\b.py"
    assert resolve("C:/a/b.py", "/x") == "C:/a/b.py"
    assert resolve("src\\..\\b.py", "C:\\a") == "C:\\a\\b.py"
    assert resolve("odd\\name.py", "/x") == "/x/odd\\name.py"
