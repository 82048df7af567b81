from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.events import Edit, Event, Hunk, LineIds, SpanOrigin, Transcript
from ctxlab.store import _wording
from ctxlab.store._tabulate import Source, tabulate
from ctxlab.store._wording import MAX_LINE_CHARS, MAX_SOURCE_LINES
from tests.store.samples import CODE, shown

SOURCE = Source("s1", "/logs/a.jsonl", 10, 20, "hash", 3)
KEY = "sixteen-bytes-ok"
END = Transcript("claude_code", "1", "session")


def rows(table: str, *events: Event) -> list[tuple[Any, ...]]:
    found = tabulate([*events, END], SOURCE, KEY)[table].drop_columns("source_id")
    return [tuple(row.values()) for row in found.to_pylist()]


def test_prompts_are_kept_word_for_word() -> None:
    prompts = [Event("main", "prompt", text=text) for text in ("  Fix\nthe pump ", "", "\ud800")]
    assert rows("prompts", *prompts) == [(0, "  Fix\nthe pump "), (2, "%uD800")]


def test_no_other_text_is_kept() -> None:
    assert rows("prompts", Event("main", "text", text="words"), Event("main", "injected")) == []


def test_a_prompt_of_a_megabyte() -> None:
    text = "é\ud800" * 500_000
    ((_, kept),) = rows("prompts", Event("main", "prompt", text=text))
    assert kept == "é%uD800" * 500_000


def test_names_stand_beside_their_event() -> None:
    events = [Event("main", "text", names=("a_b", "\ud800/c")), Event("main", "text")]
    assert rows("names", *events, events[0]) == [(0, ["a_b", "%uD800/c"]), (2, ["a_b", "%uD800/c"])]


def test_definitions_in_what_was_shown() -> None:
    assert rows("symbols", shown(first=11)) == [
        (0, "/a.py", 11, "Pump", ""),
        (0, "/a.py", 13, "Pump.fill", "Fills it."),
    ]


@pytest.mark.parametrize("origin", ["read", "mcp", "shell", "edit_echo", "diff"])
def test_every_origin_of_consecutive_lines_counts(origin: SpanOrigin) -> None:
    assert len(rows("symbols", shown(origin=origin))) == 2


def test_what_defines_nothing() -> None:
    ids = LineIds((1,), (11,), (11,))
    others = (shown(origin="grep"), shown(path="/a.txt"), shown(ids), shown(()))
    assert rows("symbols", *others) == []


def test_a_definition_is_noted_once_a_state() -> None:
    moved = (0, "/a.py", 1, "Pump", ""), (0, "/a.py", 3, "Pump.fill", "Fills it.")
    assert rows("symbols", shown(), shown(), shown(CODE[:3])) == list(moved)
    later = [row[1:] for row in rows("symbols", shown(), shown(first=2), shown(path="/b.py"))]
    assert later[2:4] == [("/a.py", 2, "Pump", ""), ("/a.py", 4, "Pump.fill", "Fills it.")]
    assert later[4:] == [("/b.py", 1, "Pump", ""), ("/b.py", 3, "Pump.fill", "Fills it.")]


def test_equal_source_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []
    monkeypatch.setattr(_wording, "_known", {})
    monkeypatch.setattr(_wording, "_MAX_KNOWN", 2)
    monkeypatch.setattr(_wording, "definitions", lambda path, text: parsed.append(path) or ())
    rows("symbols", shown(), shown(first=7), shown(path="/b.py"), shown(origin="mcp"))
    rows("symbols", shown(), shown(path="/c.pyi"))
    assert parsed == ["/a.py", "/c.pyi"]
    rows("symbols", shown(path="/d.go"), shown())
    assert parsed[2:] == ["/d.go", "/a.py"]


def test_the_new_side_of_a_hunk() -> None:
    lines = ("# Old.", "# New.", "def stop():", "def start():", "    pass")
    hunks = (Hunk(9, 20, "-+-+ ", lines), Hunk(40, 51, "-", ("def gone():",)))
    edit = Event("main", "result", edits=(Edit("/a.py", "hunks", hunks), Edit("/b.py", "full")))
    assert rows("symbols", edit) == [(0, "/a.py", 21, "start", "New.")]
    known = Hunk(1, 1, "+", LineIds((1,), (11,), (11,)))
    assert rows("symbols", Event("main", "result", edits=(Edit("/a.py", "hunks", (known,)),))) == []


def test_generated_source_is_passed_over() -> None:
    long = ("def a():" + " " * MAX_LINE_CHARS, *CODE)
    many = (*CODE, *("" for _ in range(MAX_SOURCE_LINES)))
    assert rows("symbols", shown(long), shown(many)) == []
    assert len(rows("symbols", shown(many[:MAX_SOURCE_LINES]))) == 2


def test_a_line_that_no_file_has_is_unknown() -> None:
    hunks = (Hunk(1, -5, "+", ("def a():",)), Hunk(1, 2**31 - 1, "++", ("", "def b():")))
    edit = Event("main", "result", edits=(Edit("/a.py", "hunks", hunks),))
    assert [row[2:4] for row in rows("symbols", edit)] == [(None, "a"), (None, "b")]


LINES = st.lists(st.text(max_size=20) | st.sampled_from([*CODE, "def \ud800(x):", "\0", "\r"]))


@given(LINES, st.sampled_from(["/a.py", "/\ud800.ts", "/a.go", "a.RS", "/a.java", "/a.h"]))
def test_any_source_is_taken(lines: list[str], path: str) -> None:
    for row in rows("symbols", shown(tuple(lines), path=path)):
        assert 0 < row[2] <= len(lines)
        assert row[3]
