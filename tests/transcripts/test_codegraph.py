"""Answers of codegraph_explore: invented ones, one case each, and the recorded ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.events import Prefix, Span
from ctxlab.transcripts._codegraph import GapSymbol, Section, looks_like_answer, parse

PHRASE = "> **Already sent earlier in this conversation:**"
PREAMBLE = (
    '> The code below is current. (Files marked **"Already sent earlier in this conversation"** '
    "are not repeated.)"
)


def answer(*lines: str) -> str:
    return "\n".join(("**Exploration: pumps**", "", "**Source Code**", "", PREAMBLE, "", *lines))


def section(*lines: str) -> Section:
    (only,) = parse(answer("**`pump.py`** — start(function)", "", *lines)).sections
    return only


def ranges(parsed: Section) -> list[tuple[int, int]]:
    return [(s.first_line, s.first_line + len(s.lines) - 1) for s in parsed.spans]


def test_numbered_lines_become_a_span_with_their_exact_text() -> None:
    got = section("```python", "9\tdef start():", "10\t    return\t1 ", "```")
    assert got.path == "pump.py"
    assert got.spans == (
        Span("pump.py", 9, ("def start():", "    return\t1 "), "mcp", Prefix(1, 1)),
    )
    assert got.body_chars == len("9\tdef start():\n10\t    return\t1 ")


def test_a_bare_gap_parts_two_spans() -> None:
    got = section("```python", "1\ta", "", "... (gap) ...", "", "7\tb", "```")
    assert ranges(got) == [(1, 1), (7, 7)]
    assert [(g.after_line, g.symbols, g.n_more_symbols) for g in got.gaps] == [(1, (), 0)]


def test_a_gap_parts_spans_whose_numbers_go_on() -> None:
    assert ranges(section("```", "1\ta", "", "... (gap) ...", "", "2\tb", "```")) == [
        (1, 1),
        (2, 2),
    ]


def test_a_gap_names_what_it_left_out() -> None:
    got = section("```", "... (gap: f (a (b)/x.py:12), g (y.py:3), +14 more) ...", "40\tz", "```")
    (gap,) = got.gaps
    assert gap.after_line is None
    assert gap.symbols == (GapSymbol("f", "a (b)/x.py", 12), GapSymbol("g", "y.py", 3))
    assert gap.n_more_symbols == 14


def test_a_jump_of_numbers_without_a_gap_parts_spans() -> None:
    assert ranges(section("```", "3\ta", "5\tb", "4\tc", "```")) == [(3, 3), (5, 5), (4, 4)]


def test_a_fence_within_the_source_ends_nothing() -> None:
    got = section("```md", "1\t```python", "2\t**`other.py`** — x", "3\t```", "```", "9\tz")
    assert ranges(got) == [(1, 3)]


def test_source_that_looks_like_a_gap_or_pointer_is_source() -> None:
    source = ("... (gap) ...", f"{PHRASE} `pump.py` L1-9 — x")
    got = section("```", *(f"{n}\t{text}" for n, text in enumerate(source, 1)), "```")
    assert got.spans[0].lines == source
    assert not got.gaps
    assert got.pointer is None


def test_a_longer_fence_is_ended_only_by_one_as_long() -> None:
    assert ranges(section("````", "1\ta", "```", "2\tb", "````", "3\tc")) == [(1, 1), (2, 2)]


def test_an_answer_cut_short_keeps_what_was_delivered() -> None:
    assert ranges(section("```python", "1\ta", "2\tb")) == [(1, 2)]


def test_a_fence_without_numbers_serves_no_span() -> None:
    got = section("```", "name\tvalue", "1\ttwo", "```")
    assert got == Section("pump.py")


def test_windows_line_ends_stay_in_the_text() -> None:
    got = section("```python\r", "1\ta\r", "\r", "... (gap) ...\r", "\r", "5\tb\r", "```\r")
    assert [s.lines for s in got.spans] == [("a\r",), ("b\r",)]
    assert len(got.gaps) == 1


def test_astral_characters_count_twice() -> None:
    assert section("```", "1\t\U0001d11e", "```").body_chars == 4


def test_a_partial_pointer_keeps_the_lines_that_follow() -> None:
    line = f"{PHRASE} `pump.py` L12-40, L7 (start, stop, +3 more) — unchanged since. Only the NEW"
    got = section(line, "", "```", "50\tz", "```")
    assert ranges(got) == [(50, 50)]
    assert got.pointer is not None
    assert got.pointer.ranges == ((12, 40), (7, 7))
    assert got.pointer.n_bytes == len(line.encode())
    assert (got.pointer_symbols, got.n_more_symbols) == (("start", "stop"), 3)
    assert got.n_more_ranges == 0


def test_a_pointer_counts_the_ranges_it_does_not_name() -> None:
    got = section(f"{PHRASE} `pump.py` L1-9, L20-40, +2 more spans — unchanged")
    assert got.pointer is not None
    assert got.pointer.ranges == ((1, 9), (20, 40))
    assert got.n_more_ranges == 2
    assert got.pointer_symbols == ()


def test_a_pointer_to_another_file_stands_alone() -> None:
    text = answer("**`a.py`** — f", "", f"{PHRASE} `b.py` L1-9 (g) — x", "```", "3\tz", "```")
    parsed = parse(text)
    assert [(s.path, ranges(s), s.pointer is not None) for s in parsed.sections] == [
        ("a.py", [(3, 3)], False),
        ("b.py", [], True),
    ]
    assert [p.path for p in parsed.pointers] == ["b.py"]


def test_inverted_ranges_are_no_pointer() -> None:
    assert section(f"{PHRASE} `pump.py` L9-3 — x").pointer is None


def test_the_phrase_of_the_preamble_is_no_pointer() -> None:
    assert parse(answer()).sections == ()


def test_another_heading_closes_the_section() -> None:
    got = section("```", "1\ta", "```", "**Not shown above**", "```", "5\tb", "```")
    assert ranges(got) == [(1, 1)]


def test_two_sections_keep_to_themselves() -> None:
    text = answer("**`a.py`** — f", "```", "1\tx", "```", "**`b.py`**", "```", "2\ty", "```")
    assert [(s.path, s.first_line) for s in parse(text).spans] == [("a.py", 1), ("b.py", 2)]


def test_relative_paths_are_joined_to_the_folder() -> None:
    text = answer("**`src/a.py`** — f", f"{PHRASE} `src/a.py` L1-9 — x", "```", "1\tx", "```")
    (got,) = parse(text, cwd="/home/dev/pumps").sections
    assert got.path == "/home/dev/pumps/src/a.py"
    assert got.pointer is not None
    assert got.pointer.path == got.spans[0].path == got.path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (answer("**`a.py`** — f", "```", "1\tx", "```"), True),
        (answer("**`a.py`** — f", f"{PHRASE} `a.py` L1-9 — x"), True),
        (answer("**`a.py`** — f"), False),
        (answer(), False),
        ("1\tx", False),
        ("", False),
    ],
)
def test_what_looks_like_an_answer(text: str, expected: bool) -> None:
    assert looks_like_answer(text) is expected


FRAGMENTS = st.sampled_from(
    [
        "**`a.py`** — f",
        "**",
        "```",
        "````",
        "~~~",
        "`",
        ", ",
        "(",
        ")",
        "\n",
        "\r",
        "\u2028",
        "1\t",
        "2\tx",
        "9" * 5000 + "\t",
        "... (gap) ...",
        "... (gap: f (a:1), +2 more) ...",
        "\n",
        PHRASE,
        " `a.py` L1-9",
        ", L2",
        ", +2 more span",
        " (f, +1 more)",
        " — x",
        "L0-0",
        "\ud800",
    ]
)


@given(st.lists(FRAGMENTS | st.text(max_size=5), max_size=30).map("".join))
def test_no_text_makes_it_raise(text: str) -> None:
    parsed = parse(text)
    assert looks_like_answer(text) == bool(parsed.spans or parsed.pointers)
    for span in parsed.spans:
        assert span.first_line >= 1
        assert isinstance(span.lines, tuple)
        assert "\n".join(f"{span.first_line + i}\t{x}" for i, x in enumerate(span.lines)) in text


# -- the recorded answers ------------------------------------------------------------------------


def recorded_files(shared: Path) -> list[Path]:
    folder = shared / "data" / "codegraph"
    if not folder.is_dir():
        pytest.skip("the recorded answers are not beside this clone")
    return sorted(folder.glob("*.mcp.jsonl"))


def recorded_calls(shared: Path) -> Iterator[tuple[Path, str, dict[str, Any]]]:
    for file in recorded_files(shared):
        truth_file = file.parent / "expected" / file.name.replace(".mcp", "")
        truths = {t["id"]: t for t in map(json.loads, truth_file.read_text().splitlines())}
        for line in file.read_text(encoding="utf-8").splitlines():
            message = json.loads(line)["message"]
            if content := message.get("result", {}).get("content"):
                yield file, content[0]["text"], truths[message["id"]]


def merged(pairs: list[tuple[int, int]]) -> list[list[int]]:
    """Fuse ranges that overlap or touch."""
    out: list[list[int]] = []
    for start, end in sorted(pairs):
        if out and start <= out[-1][1] + 1:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out


def test_every_recorded_section_is_recovered(shared: Path) -> None:
    n = Counter[str]()
    for file, text, truth in recorded_calls(shared):
        parsed = parse(text)
        assert [s.path for s in parsed.sections] == [f["path"] for f in truth["files"]]
        for got, want in zip(parsed.sections, truth["files"], strict=True):
            where = (file.name, truth["id"], got.path)
            pointed = list(got.pointer.ranges) if got.pointer else []
            named = [list(pair) for pair in pointed]
            unnamed = want["covered"][len(named) :]
            assert named == want["covered"][: len(named)], where
            assert got.n_more_ranges == len(unnamed), where
            recovered = merged(ranges(got) + pointed)
            assert merged([(a, b) for a, b in recovered + unnamed]) == want["recorded"], where
            # The tool's `body_bytes` is the length of a JavaScript string: UTF-16 units.
            assert got.body_chars == want["body_bytes"], where
            n.update(sections=1, exact=recovered == want["recorded"], unnamed=bool(unnamed))
            n.update(
                pointers=got.pointer is not None, full=got.pointer is not None and not ranges(got)
            )
        assert sum(s.body_chars for s in parsed.sections) == truth["source_chars"]
        n["calls"] += 1
    assert n["calls"] == 196
    assert n["sections"] == 638
    assert n["pointers"] == 112
    assert n["full"] == 19
    # A pointer names four ranges and counts the rest: in five sections these are not in the text.
    assert n["unnamed"] == 5
    assert n["sections"] - n["exact"] == 5
