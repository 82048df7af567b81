"""The tolerant line reader: what it reads, what it refuses, and that nothing is lost."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import InputError
from ctxlab.events import Problem
from ctxlab.transcripts._lines import Record, open_binary, read_lines


def read(data: bytes, limit: int = 1000) -> tuple[list[Record], list[Problem]]:
    items = list(read_lines(io.BytesIO(data), limit))
    return (
        [item for item in items if isinstance(item, Record)],
        [item for item in items if isinstance(item, Problem)],
    )


def test_plain_lines_with_place_and_size() -> None:
    records, problems = read(b'{"a":1}\n\n{"b":"\xc3\xa9"}\r\n')
    assert records == [Record({"a": 1}, 0, 1, 8), Record({"b": "é"}, 9, 3, 12)]
    assert problems == []


def test_glued_objects_are_all_read() -> None:
    records, problems = read('{"a":"é"}{"b":2} {"c":3}\n{"d":4}'.encode())
    assert [r.value for r in records] == [{"a": "é"}, {"b": 2}, {"c": 3}, {"d": 4}]
    assert [(r.byte_offset, r.line_number, r.n_bytes) for r in records] == [
        (0, 1, 10),
        (10, 1, 7),
        (18, 1, 7),
        (26, 2, 7),
    ]
    assert problems == []


def test_cut_last_line() -> None:
    records, problems = read(b'{"a":1}\n{"b":"long te')
    assert [r.value for r in records] == [{"a": 1}]
    assert problems == [Problem("cut short at the end of the file", 8, 2, 13)]


def test_cut_line_in_the_middle_keeps_what_was_read_before_it() -> None:
    records, problems = read(b'{"a":1}{"b":\n{"c":3}\n')
    assert [r.value for r in records] == [{"a": 1}, {"c": 3}]
    assert problems == [Problem("no JSON: Expecting value", 7, 1, 6)]


def test_lone_surrogate_is_kept_and_noted() -> None:
    records, problems = read(b'{"a":["x\\ud83dy",{"k":"\\udc00"}],"b":"ok"}\n')
    assert records[0].value == {"a": ["x\ud83dy", {"k": "\udc00"}], "b": "ok"}
    assert problems == [Problem("lone surrogates, kept as they are", 0, 1, 0)]
    records, problems = read(b'{"\\ud800":1,"\\ud801":2}\n')
    assert list(records[0].value) == ["\ud800", "\ud801"]
    assert len(problems) == 1


def test_surrogate_pair_is_no_lone_surrogate() -> None:
    assert read(b'{"a":"\\ud83d\\ude00"}\n') == ([Record({"a": "😀"}, 0, 1, 21)], [])


def test_invalid_utf8_is_read_and_noted() -> None:
    records, problems = read(b'{"a":"x\xffy"}{"b":1}\n')
    assert [r.value for r in records] == [{"a": "x\udcffy"}, {"b": 1}]
    assert records[1].byte_offset == 11
    assert problems == [Problem("invalid UTF-8, its bytes kept as lone surrogates", 0, 1, 0)]


def test_nan_is_read_and_noted() -> None:
    records, problems = read(b'{"a":NaN}\n')
    assert list(records[0].value) == ["a"]
    assert problems[0].cause.startswith("no strict JSON (NaN")


def test_line_over_the_limit_is_passed_over_with_its_size() -> None:
    huge = json.dumps({"a": "x" * 5000}).encode() + b"\n"
    records, problems = read(b'{"a":1}\n' + huge + b'{"b":2}\n')
    assert [r.value for r in records] == [{"a": 1}, {"b": 2}]
    cause = f"line of {len(huge)} bytes is longer than the limit of 1000 bytes"
    assert problems == [Problem(cause, 8, 2, len(huge))]
    assert records[1].byte_offset == 8 + len(huge)


def test_line_at_the_limit_is_read() -> None:
    line = b'{"a":"' + b"x" * 992 + b'"}'
    assert len(line) == 1000
    for data in (line, line + b"\n"):
        records, problems = read(data)
        assert len(records) == 1
        assert problems == []


def test_other_json_values_and_binary_are_problems() -> None:
    records, problems = read(b'[1]\n"x"\n\0\0\0{"a":1}\n\x80\x81\n[1]{"a":1}\n')
    assert records == []
    assert [p.cause for p in problems] == [
        "a JSON value that is no object",
        "a JSON value that is no object",
        "NUL bytes: binary data or blocks that were never written",
        "invalid UTF-8, and no JSON",
        "a JSON value that is no object",
    ]
    assert sum(p.n_bytes for p in problems) == 4 + 4 + 11 + 3 + 11


def test_nested_too_deep() -> None:
    depth = 100_000
    records, problems = read(b'{"a":' + b"[" * depth + b"]" * depth + b"}\n", 10**6)
    assert records == []
    assert problems[0].cause == "nested too deep"


def test_number_with_thousands_of_digits() -> None:
    records, problems = read(b'{"a":' + b"1" * 6000 + b'x}\n{"b":1}', 10**6)
    assert [r.value for r in records] == [{"b": 1}]
    assert [p.line_number for p in problems] == [1]


def test_byte_order_mark() -> None:
    records, problems = read(b'\xef\xbb\xbf{"a":1}\n{"b":1}\n')
    assert [(r.byte_offset, r.n_bytes) for r in records] == [(3, 7), (11, 8)]
    assert problems == []


pieces = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([b"\n", b" ", b"{", b"}", b'"', b"\\ud800", b"\0", b"\xef\xbb\xbf", b"NaN"]),
    st.dictionaries(st.text(max_size=5), st.text(max_size=30), max_size=3).map(
        lambda d: json.dumps(d).encode()
    ),
)


@given(st.lists(pieces, max_size=30).map(b"".join), st.sampled_from([10, 60, 10**6]))
def test_any_bytes_never_raise_and_nothing_is_lost(data: bytes, limit: int) -> None:
    place = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    for item in read_lines(io.BytesIO(data), limit):
        if item.n_bytes:
            if item.byte_offset == 0:  # a refused first line keeps its byte order mark
                place = 0
            assert not data[place : item.byte_offset].strip(b" \t\r\n")
            place = item.byte_offset + item.n_bytes
        if isinstance(item, Record):
            json.dumps(item.value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    assert not data[place:].strip(b" \t\r\n")


def test_open_binary_names_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent: no such file; check the path"):
        open_binary(tmp_path / "absent")
    with pytest.raises(InputError, match=r"is a folder; name one transcript file in it"):
        open_binary(tmp_path)
    with pytest.raises(InputError, match=r"cannot be opened"):
        open_binary("a\0b")
