"""Transcript files of coding agents → the values of `ctxlab.events`.

One module reads one agent's files. To add a reader, write the module and enter it in `READERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from ctxlab.errors import InputError
from ctxlab.events import Event, Item, Problem, Thread, Transcript, UnknownKind, Usage
from ctxlab.transcripts import claude_code, codex, contentfree, mcp_traffic
from ctxlab.transcripts._lines import Record, open_binary, read_lines

__all__ = ["READERS", "ReadResult", "Reader", "detect", "read", "stream"]

_T = TypeVar("_T")
_FIRST_RECORDS = (4, 40)  # few tell nearly always
_HEAD_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Reader:
    """How the files of one agent are known and read.

    `stream` gives the items of a file, its `Transcript` last. `sniff` tells from the first
    records of a file whether it is such a file. A higher `version` gives other items for the
    same file, or fills tables that stores did not have before.
    """

    name: str
    stream: Callable[[str | Path], Iterator[Item]]
    sniff: Callable[[Sequence[dict[str, Any]]], bool]
    version: int


READERS: dict[str, Reader] = {
    module.NAME: Reader(module.NAME, module.stream, module.sniff, module.VERSION)
    for module in (claude_code, codex, contentfree, mcp_traffic)
}
"""All readers by name."""


@dataclass(frozen=True, slots=True)
class ReadResult:
    """All that a file holds, in file order. It holds the texts: for a large file use `stream`."""

    transcript: Transcript
    threads: tuple[Thread, ...]
    events: tuple[Event, ...]
    usage: tuple[Usage, ...]
    problems: tuple[Problem, ...]
    unknown: tuple[UnknownKind, ...]


def detect(path: str | Path) -> str:
    """Name the reader of a file, by its content and never by its name.

    Raises
    ------
    InputError
        If the file cannot be opened, is empty or binary, or is no transcript of a known kind.
    """
    known = ", ".join(READERS)
    with open_binary(path) as file:
        head = file.read(_HEAD_BYTES)
        if not head.strip():
            raise InputError(f"{file.name}: is empty; name a transcript ({known})")
        file.seek(0)
        lines = read_lines(file)
        first: list[Record | Problem] = []
        for n in _FIRST_RECORDS:
            first += islice(lines, n - len(first))
            records = [item.value for item in first if isinstance(item, Record)]
            for reader in READERS.values():
                if reader.sniff(records):
                    return reader.name
    if b"\0" in head:
        raise InputError(f"{file.name}: is a binary file; known transcripts are {known}")
    found = _found(records, first)
    raise InputError(
        f"{file.name}: not a transcript ctxlab knows ({found}); known transcripts are {known}"
    )


def stream(path: str | Path) -> Iterator[Item]:
    """Read a file item by item: events in file order, its `Transcript` last.

    Raises
    ------
    InputError
        As `detect`.
    """
    yield from READERS[detect(path)].stream(path)


def read(path: str | Path) -> ReadResult:
    """Read a whole file into memory, with all its texts.

    Raises
    ------
    InputError
        As `detect`.

    Examples
    --------
    >>> result = read("session.jsonl")  # doctest: +SKIP
    >>> len(result.events), result.problems  # doctest: +SKIP
    """
    items = list(stream(path))
    (transcript,) = _only(items, Transcript)
    return ReadResult(
        transcript=transcript,
        threads=_only(items, Thread),
        events=_only(items, Event),
        usage=_only(items, Usage),
        problems=_only(items, Problem),
        unknown=_only(items, UnknownKind),
    )


def _only(items: Sequence[Item], kind: type[_T]) -> tuple[_T, ...]:
    """Give the items of one kind."""
    return tuple(item for item in items if isinstance(item, kind))


def _found(records: Sequence[dict[str, Any]], first: Sequence[Record | Problem]) -> str:
    """Say what a file begins with."""
    if records:
        keys = ", ".join(sorted(records[0])[:6]) or "none"
        return f"its first record has the keys {keys}"
    causes = [item.cause for item in first if isinstance(item, Problem)]
    return f"its first line: {causes[0]}" if causes else "it holds no record"
