"""A binary file of JSON lines → its records and, as data, every piece that could not be read.

Real logs hold glued objects, a last line cut short, lone surrogates, runs of NUL and lines of
many megabytes. Only the line in hand is held. Bytes of records, `Problem.n_bytes` and the white
space between them add up to the file: a problem of 0 bytes is a note on a record that was read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from ctxlab.errors import InputError
from ctxlab.events import Problem
from ctxlab.paths import user_path

__all__ = ["MAX_LINE_BYTES", "Record", "open_binary", "read_lines"]

MAX_LINE_BYTES = 64 * 2**20
"""Longer lines are passed over: parsed, one would take several times its size in memory."""

_BUFFER_BYTES = 2**17  # lines of some kB: measured a third faster than the default of 8 kB
_CHUNK_BYTES = 2**20
_BOM = b"\xef\xbb\xbf"
_SPACE = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder(strict=False)


class Record(NamedTuple):
    """One JSON object of the file, with the place and size of its text."""

    value: dict[str, Any]
    byte_offset: int
    line_number: int
    n_bytes: int


def open_binary(path: str | Path) -> BinaryIO:
    """Open a transcript file for reading, `~` expanded.

    Raises
    ------
    InputError
        If there is no such file, it is a folder, or it may not be read.
    """
    file = user_path(path)
    try:
        return file.open("rb", buffering=_BUFFER_BYTES)
    except FileNotFoundError:
        raise InputError(f"{file}: no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{file}: is a folder; name one transcript file in it") from None
    except PermissionError:
        raise InputError(f"{file}: no permission to read it; change its mode or owner") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: cannot be opened ({error})") from error


def read_lines(file: BinaryIO, max_line_bytes: int = MAX_LINE_BYTES) -> Iterator[Record | Problem]:
    """Give the records of a JSON-lines file and its problems, in file order.

    Blank lines and a byte order mark are passed over. A line that strict JSON refuses is tried
    again leniently: several objects on it, lone surrogates and invalid UTF-8, NaN, raw control
    characters. Lone surrogates stay in the strings, and an invalid byte becomes one (U+DC80 and
    up), so that texts which differ stay different.

    Parameters
    ----------
    file
        Open for reading in binary, at its start.
    max_line_bytes
        Longer lines become a problem; they are read in pieces and not held.
    """
    offset, number = 0, 0
    loads, readline = orjson.loads, file.readline
    while line := readline(max_line_bytes + 1):
        number += 1
        n_bytes = len(line)
        if n_bytes > max_line_bytes and not line.endswith(b"\n"):
            del line
            n_bytes += _skip_line(file)
            cause = f"line of {n_bytes} bytes is longer than the limit of {max_line_bytes} bytes"
            yield Problem(cause, offset, number, n_bytes)
        else:
            try:
                value = loads(line)
            except orjson.JSONDecodeError:
                yield from _read_leniently(line, offset, number)
            else:
                if type(value) is dict:
                    yield Record(value, offset, number, n_bytes)
                else:
                    yield Problem("a JSON value that is no object", offset, number, n_bytes)
        offset += n_bytes


def _skip_line(file: BinaryIO) -> int:
    """Read on to the end of the line; give the bytes passed over."""
    skipped = 0
    while chunk := file.readline(_CHUNK_BYTES):
        skipped += len(chunk)
        if chunk.endswith(b"\n"):
            break
    return skipped


def _read_leniently(line: bytes, offset: int, number: int) -> Iterator[Record | Problem]:
    """Read the objects of one line, one after the other, until one fails."""
    if number == 1 and line.startswith(_BOM):
        line, offset = line[len(_BOM) :], offset + len(_BOM)
    # An invalid byte becomes one surrogate and goes back to that byte: offsets stay exact.
    text = line.decode("utf-8", "surrogateescape")
    end = 0
    while (start := _space_end(text, end)) < len(text):
        offset += start - end
        try:
            value, end = _DECODER.raw_decode(text, start)
            cause = "" if type(value) is dict else "a JSON value that is no object"
            note = _note(text[start:end], value)
        except RecursionError:
            cause = "nested too deep"
        except ValueError as error:
            cause = _cause(text, start, error)
        if cause:
            yield Problem(cause, offset, number, _n_bytes(text[start:]))
            return
        n_bytes = _n_bytes(text[start:end])
        if note:
            yield Problem(note, offset, number, 0)
        yield Record(value, offset, number, n_bytes)
        offset += n_bytes


def _space_end(text: str, start: int) -> int:
    """Give the first position that is not white space."""
    found = _SPACE.match(text, start)
    return found.end() if found else start


def _n_bytes(piece: str) -> int:
    """Size in the file of a piece of a line."""
    return len(piece.encode("utf-8", "surrogateescape"))


def _cause(text: str, start: int, error: ValueError) -> str:
    """Say why the rest of a line is no JSON, without quoting it."""
    if "\0" in text[start:]:
        return "NUL bytes: binary data or blocks that were never written"
    if not text.endswith("\n"):
        return "cut short at the end of the file"
    if _SURROGATE.search(text, start):
        return "invalid UTF-8, and no JSON"
    return f"no JSON: {error.msg}" if isinstance(error, json.JSONDecodeError) else "no JSON"


def _note(piece: str, value: object) -> str:
    """Say what was lenient about a record that strict JSON refuses; "" for glued ones."""
    if _SURROGATE.search(piece):
        return "invalid UTF-8, its bytes kept as lone surrogates"
    if _has_surrogate(value):
        return "lone surrogates, kept as they are"
    try:
        orjson.loads(piece)
    except orjson.JSONDecodeError:
        return "no strict JSON (NaN, control characters or depth), read leniently"
    return ""


def _has_surrogate(value: object) -> bool:
    """Tell whether any string of a value holds a lone surrogate."""
    if isinstance(value, str):
        return _SURROGATE.search(value) is not None
    if isinstance(value, list):
        return any(map(_has_surrogate, value))
    if isinstance(value, dict):
        return any(map(_has_surrogate, value)) or any(map(_has_surrogate, value.values()))
    return False
