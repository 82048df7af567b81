from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.events import (
    Edit,
    Event,
    Hunk,
    LineIds,
    Pointer,
    Prefix,
    Problem,
    Span,
    Thread,
    Touch,
    Transcript,
    UnknownKind,
    Usage,
)
from ctxlab.schema import TABLES
from ctxlab.store._arrow import SCHEMAS
from ctxlab.store._identity import base_name, hash_texts
from ctxlab.store._tabulate import UNREADABLE, Source, tabulate, unreadable

KEY = "sixteen-bytes-ok"
SOURCE = Source("s1", "/logs/a.jsonl", 10, 20, "hash", 3)
END = Transcript("claude_code", "2.1", "session", cwd="/project", models=("m1", "m2"), n_lines=4)


def result(*spans: Span, **values: object) -> Event:
    return Event("main", "result", uid="r", call_id="c", spans=spans, **values)


PADDED = Prefix(6, 1)


def span(lines: tuple[str, ...] | LineIds, first: int = 1, prefix: Prefix = PADDED) -> Span:
    return Span("/a.py", first, lines, "read", prefix)


def test_every_declared_table_with_its_types() -> None:
    tables = tabulate([END], SOURCE, KEY)
    assert list(tables) == list(TABLES)
    assert {name: table.schema for name, table in tables.items()} == SCHEMAS
    assert tables["transcripts"].to_pylist() == [
        {
            "source_id": "s1",
            "path": "/logs/a.jsonl",
            "agent": "claude_code",
            "agent_version": "2.1",
            "session_id": "session",
            "parent_session_id": None,
            "cwd": "/project",
            "models": ["m1", "m2"],
            "started_ms": None,
            "ended_ms": None,
            "file_bytes": 10,
            "mtime_ns": 20,
            "content_hash": "hash",
            "n_lines": 4,
            "n_problems": 0,
            "reader_version": 3,
        }
    ]


def test_sizes_of_lines_with_a_padded_number() -> None:
    lines = ("abc", "", "é", "😀", "\ud800")
    (row,) = tabulate([result(span(lines, first=99_998)), END], SOURCE, KEY)["spans"].to_pylist()
    assert row["text_bytes"] == [3, 0, 2, 4, 3]
    assert row["text_chars"] == [3, 0, 1, 2, 1]
    # 99998 and 99999 take five of six places, 100000 all six, and one byte separates
    assert row["delivered_bytes"] == [n + 6 + 1 + 1 for n in (3, 0, 2, 4, 3)]


def test_sizes_of_lines_with_a_bare_number_and_with_none() -> None:
    spans = (
        span(("a", "b", "c"), 9, Prefix(0, 1)),
        span(("a", "b"), 1_000_000_000, Prefix(1, 12)),
        span(("a",), 5, Prefix(None)),
    )
    rows = tabulate([result(*spans), END], SOURCE, KEY)["spans"].to_pylist()
    assert [row["delivered_bytes"] for row in rows] == [[4, 5, 5], [24, 24], [2]]


@given(st.lists(st.text(), max_size=30))
def test_sizes_are_those_of_the_encodings(lines: list[str]) -> None:
    table = tabulate([result(span(tuple(lines))), END], SOURCE, KEY)["spans"]
    (row,) = table.to_pylist()
    assert row["text_bytes"] == [len(line.encode()) for line in lines]
    assert row["text_chars"] == [len(line.encode("utf-16-le")) // 2 for line in lines]
    assert row["line_ids"] == hash_texts(lines, KEY).tolist()


def test_a_lone_surrogate_leaves_the_other_lines_ids_as_they_are() -> None:
    alone = hash_texts(["plain", "é"], KEY).tolist()
    beside = hash_texts(["plain", "\ud800", "é"], KEY).tolist()
    assert [beside[0], beside[2]] == alone
    assert len(set(beside)) == 3


def test_ids_depend_on_the_key() -> None:
    assert hash_texts(["line"], KEY) != hash_texts(["line"], KEY[::-1])


def test_lone_surrogates_in_names_are_spelled_out() -> None:
    event = Event(
        "main",
        "call",
        tool="\udcff",
        touches=(Touch("/\ud800.py", "read"),),
        cleared_calls=("\ud801",),
    )
    (row,) = tabulate([event, END], SOURCE, KEY)["events"].to_pylist()
    assert row["tool"] == "%uDCFF"
    assert row["touch_paths"] == ["/%uD800.py"]
    assert row["cleared_calls"] == ["%uD801"]


def test_ids_of_content_free_lines_stay_equal_in_a_family_and_differ_between() -> None:
    lines = LineIds((0, 1, 0), (4, 5, 4), (4, 5, 4))

    def ids(session: str, parent: str | None = None) -> list[int]:
        end = Transcript("content_free", None, session, parent_session_id=parent)
        (row,) = tabulate([result(span(lines)), end], SOURCE, KEY)["spans"].to_pylist()
        assert row["text_bytes"] == [4, 5, 4]
        return row["line_ids"]

    first = ids("root")
    assert first[0] == first[2] != first[1]
    assert ids("resumed", parent="root") == first
    assert not set(ids("another")) & set(first)


def test_content_free_and_text_lines_keep_their_order() -> None:
    spans = (span(("a",)), span(LineIds((7,), (9,), (9,))), span(("b",)))
    rows = tabulate([result(*spans), END], SOURCE, KEY)["spans"].to_pylist()
    assert [row["text_bytes"] for row in rows] == [[1], [9], [1]]
    assert [rows[0]["line_ids"], rows[2]["line_ids"]] == [[i] for i in hash_texts(["a", "b"], KEY)]


def test_more_lines_than_one_batch() -> None:
    lines = tuple(f"line {i}" for i in range(5000))
    (row,) = tabulate([result(span(lines)), END], SOURCE, KEY)["spans"].to_pylist()
    assert row["line_ids"] == hash_texts(lines, KEY).tolist()


def test_a_line_number_beyond_any_file_is_a_problem() -> None:
    tables = tabulate([result(span(("a",), first=2**31)), END], SOURCE, KEY)
    assert tables["spans"].num_rows == 0
    (problem,) = tables["problems"].to_pylist()
    assert problem["cause"] == "a span starts at line 2147483648, which no file has"
    assert tables["transcripts"].to_pylist()[0]["n_problems"] == 1


def test_all_else_an_event_holds() -> None:
    hunk = Hunk(3, 3, " -+", ("k", "o", "n"))
    event = Event(
        "main",
        "result",
        uid="u",
        ts_ms=5,
        request=2,
        call_id="c",
        tool="Edit",
        tool_kind="edit",
        is_error=False,
        text_bytes=40,
        touches=(Touch("/a", "edit"), Touch("/b", "other")),
        pointers=(Pointer("/p", ((1, 4), (9, 9)), 182),),
        edits=(Edit("/a", "hunks", (hunk, hunk)), Edit("/b", "unknown", evidence="shell")),
        mentions=("b.py",),
        cleared_calls=("x", "y"),
        rewind_to="before",
    )
    tables = tabulate([event, END], SOURCE, KEY)
    (row,) = tables["events"].to_pylist()
    assert row["seq"] == 0
    assert row["uid"] == hash_texts(["u"], KEY)[0]
    assert row["rewind_to"] == hash_texts(["before"], KEY)[0]
    assert (row["touch_paths"], row["touch_kinds"]) == (["/a", "/b"], ["edit", "other"])
    assert row["mention_ids"] == [hash_texts([base_name("/x/b.py")], KEY)[0]]
    assert row["cleared_calls"] == ["x", "y"]
    (pointer,) = tables["pointers"].to_pylist()
    assert (pointer["first_lines"], pointer["last_lines"]) == ([1, 9], [4, 9])
    edits = tables["edits"].to_pylist()
    assert [edit["ops"] for edit in edits] == [" -+", " -+", None]
    assert edits[0]["line_ids"] == hash_texts(["k", "o", "n"], KEY).tolist()
    assert edits[2]["line_ids"] == []


def test_rows_beside_events() -> None:
    usage = Usage("main", 0, "msg", "model", 9, 1, 2, 3, 4, None, output_reliable=False)
    items = [Thread("main"), Thread("a1", "main", "c"), Thread("main"), usage]
    items += [Problem("cut", 7, 2, 30), UnknownKind("odd", 4), END]
    tables = tabulate(items, SOURCE, KEY)
    assert tables["threads"].column("thread").to_pylist() == ["main", "a1"]
    (row,) = tables["requests"].to_pylist()
    assert row["output_tokens"] == 4
    assert row["reasoning_tokens"] is None
    assert tables["problems"].to_pylist()[0]["byte_offset"] == 7
    assert tables["unknown_kinds"].to_pylist()[0]["n"] == 4


def test_no_transcript_is_an_error() -> None:
    with pytest.raises(ValueError, match="found no transcript"):
        tabulate([Thread("main")], SOURCE, KEY)


def test_an_unreadable_file_is_one_transcript_and_one_problem() -> None:
    tables = unreadable(SOURCE, "KeyError: 'x'")
    (row,) = tables["transcripts"].to_pylist()
    assert (row["agent"], row["session_id"], row["n_problems"]) == (UNREADABLE, "s1", 1)
    assert tables["problems"].to_pylist()[0]["cause"] == "KeyError: 'x'"
    assert tables["events"].num_rows == 0


@pytest.mark.parametrize(
    ("path", "name"),
    [("/a/b.py", "b.py"), ("b.py", "b.py"), ("C:\\a\\b.py", "b.py"), ("/a/b/", "b"), ("", "")],
)
def test_base_names_of_any_system(path: str, name: str) -> None:
    assert base_name(path) == name
