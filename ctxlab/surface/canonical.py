"""JSON text to value and back, as the reference reads and prints it: all byte counts rest on it.

Both ways go through orjson: it is as strict as the reference (no NaN, Infinity, 1e400 or lone
surrogate; whole numbers beyond 64 bits become floats; the last of equal keys wins), rounds floats
correctly, sorts keys by UTF-8 bytes, which is by code point, escapes the same characters, and from
3.11.7 on prints the same floats. What it does otherwise is made up for here: it takes 1024 levels,
and reads `-0` as 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import orjson

from ctxlab.errors import InputError

__all__ = ["MAX_DEPTH", "Json", "dumps", "encode", "parse", "parse_values", "plain", "size"]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

MAX_DEPTH = 127
"""Most arrays and objects inside one another."""

_NEGATIVE_ZERO = re.compile(rb"-0(?=[\s,\]}]|\Z)")
_BEFORE_NUMBER = b" \t\n\r[,:"
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"?'
_BRACKETS = re.compile(rf"{_STRING}|([\[{{])|([\]}}])", re.DOTALL)
_PIECES = re.compile(rf'{_STRING}|([\[{{])|([\]}}])|[^\s"\[\]{{}}]+', re.DOTALL)
_CONSTANT = re.compile(r"NaN|Infinity")


class _Fault(Exception):
    """What is wrong with a text, and at which of its characters."""

    def __init__(self, what: str, at: int) -> None:
        super().__init__(what, at)
        self.what, self.at = what, at

    def within(self, text: str, start: int = 0) -> InputError:
        """Say it of the text that the faulty one begins in at `start`."""
        at = start + self.at
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        return InputError(f"invalid JSON at line {line}, column {column}: {self.what}")


def parse(text: str | bytes) -> Json:
    """Read one JSON value.

    Of equal keys the last wins; whole numbers beyond 64 bits become floats; `-0` is `-0.0`.

    Raises
    ------
    InputError
        The text is not UTF-8 or not one JSON value, or nests more than `MAX_DEPTH` levels; the
        message says what is wrong and at which line and column.

    Examples
    --------
    >>> parse('{"b": -0, "a": 18446744073709551616, "b": 1}')
    {'b': 1, 'a': 1.8446744073709552e+19}
    """
    decoded = _decoded(text)
    try:
        return _value(decoded)
    except _Fault as fault:
        raise fault.within(decoded) from None


def parse_values(text: str | bytes) -> list[Json]:
    r"""Read one JSON value or several: one a line, or one after the other in any layout.

    Raises
    ------
    InputError
        As `parse`.

    Examples
    --------
    >>> parse_values('[1]\n[2]'), parse_values('{"a": 1}[2]')
    ([[1], [2]], [{'a': 1}, [2]])
    """
    text = _decoded(text)
    try:
        return [_value(text)]
    except _Fault as fault:
        if not _is_value(text[: fault.at]):  # what is wrong stands in the first value already
            raise fault.within(text) from None
    try:
        return [_value(line) for line in text.split("\n") if line.strip(" \t\r")]
    except _Fault:
        return [_value_at(text, start, end) for start, end in _extents(text)]


def dumps(value: Any) -> str:
    r"""Print a value canonically: keys sorted at every depth, no spaces, raw UTF-8.

    It must be as `parse` or `plain` gives it: NaN, which both refuse, would be printed as null.

    Raises
    ------
    InputError
        The value holds what JSON does not: a lone surrogate, a key that is no text, an object.

    Examples
    --------
    >>> dumps({"b": [1e16, 1e-5], "a": "é\x01"})
    '{"a":"é\\u0001","b":[1e+16,0.00001]}'
    """
    return encode(value).decode()


def encode(value: Any) -> bytes:
    """UTF-8 bytes of `dumps(value)`."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError as error:
        raise InputError(f"the value cannot be printed as JSON: {error}") from error


def size(value: Any) -> int:
    """Count the bytes of `dumps(value)`; keys need no sorting for it."""
    return len(orjson.dumps(value))


def plain(value: Any) -> Json:
    """Copy a Python value as `parse` would give it: tuples become lists, large numbers floats.

    Keys that are numbers become texts, as the json module of Python makes them.

    Raises
    ------
    InputError
        As `dumps`, or it nests more than `MAX_DEPTH` levels.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the value cannot be printed as JSON: {error}") from error
    return parse(text)


def _decoded(text: str | bytes) -> str:
    if isinstance(text, str):
        return text
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: byte {error.start} of the text ({error.reason})") from None


def _value(text: str) -> Json:
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise _Fault("a lone surrogate is no character", error.start) from None
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise _fault(text, error) from None
    # counting brackets is cheap, and few values have as many as a deep one needs
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _is_deep(value):
        raise _too_deep(text) or AssertionError
    return json.loads(text, parse_int=_whole) if _has_negative_zero(data) else value


def _is_value(text: str) -> bool:
    try:
        _value(text)
    except _Fault:
        return False
    return True


def _fault(text: str, error: json.JSONDecodeError) -> _Fault:
    if not text.strip(" \t\r\n"):
        return _Fault("there is no value", 0)
    if "depth" in error.msg or "memory" in error.msg:  # which orjson sizes for brackets that close
        return _too_deep(text) or _Fault("it cannot be read on from here", error.pos)
    constant = _CONSTANT.match(text, error.pos)
    if constant:
        return _Fault(f"{constant[0]} is no JSON number", error.pos)
    return _Fault(error.msg, error.pos)


def _is_deep(value: Json) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for parent in level
            if isinstance(parent, (dict, list))
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
    return any(isinstance(value, (dict, list)) for value in level)


def _too_deep(text: str) -> _Fault | None:
    """Find where the text goes beyond the deepest level, if it does."""
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth += (found[1] is not None) - (found[2] is not None)
        if depth > MAX_DEPTH:
            return _Fault(f"more than {MAX_DEPTH} levels of arrays and objects", found.start())
    return None


def _has_negative_zero(data: bytes) -> bool:
    """Whether `-0` may stand as a number; in a string it costs a slower parse, no more."""
    return any(
        found.start() == 0 or data[found.start() - 1] in _BEFORE_NUMBER
        for found in _NEGATIVE_ZERO.finditer(data)
    )


def _whole(digits: str) -> int | float:
    if digits == "-0" or len(digits) > len(str(-(2**64))):
        return float(digits)
    number = int(digits)
    return number if -(2**63) <= number < 2**64 else float(digits)


def _extents(text: str) -> Iterator[tuple[int, int]]:
    """Where each value of a text begins and ends, as far as brackets and strings tell."""
    depth, start = 0, 0
    for found in _PIECES.finditer(text):
        if depth == 0:
            start = found.start()
        depth += (found[1] is not None) - (found[2] is not None)
        if depth <= 0:
            yield start, found.end()
            depth = 0
        elif depth > MAX_DEPTH:
            break
    if depth:
        yield start, len(text)


def _value_at(text: str, start: int, end: int) -> Json:
    try:
        return _value(text[start:end])
    except _Fault as fault:
        raise fault.within(text, start) from None
