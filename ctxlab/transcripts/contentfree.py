r"""Content-free sets: transcripts without text or names that give the same numbers. Read, write.

Equality is all that dedup needs to know of a line. So lines and paths become numbers in order of
first appearance, with their sizes; there is no key and no hash of any text. Equal numbers mean
equal lines within a family only: every family counts anew.

A file is one transcript: JSON lines, first a header, then one record an event, then the tokens.
Header: `family` (number in the set, checksum of the family's records), `source` and `session`
(number in the family), `rank` (of the family's start in the set; null: unknown), `agent`, and the
tables that records index from 0: `words` (kinds, tools, models), `threads` (number in the family,
0 for a main thread, and the parent's or -1), `paths` (see `_contentfree_paths`), and `lines`,
the family's numbers of the file's lines as runs: first, how many, first, how many, …

Keys of a record:

- `k` kind; `d` events of the family since the record before (1 if absent); `h` thread (0 if
  absent); `n` how many such events (kind "other": text, thinking and the like, not told apart)
- `c` call; `q` model request (it begins here, if `k` is "other"); `y` kind of tool; `t` tool;
  `w` touches: kind, path, kind, path, …
- `b` bytes of the result; `e` 1 for an error; `m` paths whose base names stood in the answer
- `s` spans: path, first line, lines of the whole file (-1: unknown), origin, 1 if numbered, width
  of the printed number (-1: no number is told), other bytes before each line, lines, sizes
- `p` pointers: path, bytes, first, last, first, last, …
- `x` changes: path, kind, evidence, then hunks: old start, new start, how many lines are kept,
  removed, added, kept, … in turn, lines
- `o` calls cleared by a microcompaction; `to` event that a rewind goes back to
- `u` tokens: request, thread, model, uncached input, cache read, cache write, output, and 0 where
  the output is no real count; -1 is unmeasured

Lines and sizes are coded as `_contentfree_lines` says.

The sequence of a file's line lengths can identify the file, if it is public.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from ctxlab.errors import InputError
from ctxlab.events import Item, Problem
from ctxlab.log import FamilyLog
from ctxlab.paths import user_path
from ctxlab.transcripts._contentfree_read import ContentFreeFile
from ctxlab.transcripts._contentfree_words import SafeNames
from ctxlab.transcripts._contentfree_write import family_records
from ctxlab.transcripts._lines import open_binary, read_lines

__all__ = ["NAME", "VERSION", "sniff", "stream", "write"]

NAME = "content_free"
VERSION = 1
"""Raised whenever the same file gives other items: stores then read it again."""

_FORMAT = "content-free"
_FORMAT_VERSION = 1


def sniff(records: Sequence[dict[str, Any]]) -> bool:
    """Tell whether the first records of a file are those of a content-free one."""
    return bool(records) and records[0].get("ctxlab") == _FORMAT


def stream(path: str | Path) -> Iterator[Item]:
    """Read a file item by item. Paths are made up, with the sizes and suffixes of the real ones.

    A record that is none ends the reading, as what follows counts on it; both become problems.

    Raises
    ------
    InputError
        The file cannot be opened, its first record is no header, or it is of another version.
    """
    with open_binary(path) as file:
        records = read_lines(file)
        first = next(records, None)
        header = {} if first is None or isinstance(first, Problem) else first.value
        content = _opened(header, file.name)
        yield from content.threads()
        n_lines = 1
        for record in records:
            if not isinstance(record, Problem):
                try:
                    items = list(content.read(record.value))
                except ValueError as error:
                    cause = f"no content-free record: {error}"
                    record = Problem(cause, *record[1:])
                else:
                    yield from items
                    n_lines += 1
                    continue
            yield record
            end = record.byte_offset + record.n_bytes
            rest = file.seek(0, 2) - end
            if rest > 0:
                cause = "not read, as it counts on the damaged record before it"
                yield Problem(cause, end, record.line_number + 1, rest)
            break
        n_bytes = file.seek(0, 2)
    yield content.transcript(n_lines, n_bytes)


def _opened(header: Mapping[str, Any], name: str) -> ContentFreeFile:
    """Read a header."""
    if not sniff([dict(header)]):
        raise InputError(f"{name}: does not begin with the header of a content-free transcript")
    if header.get("version") != _FORMAT_VERSION:
        raise InputError(
            f"{name}: is content-free version {header.get('version')!r:.20}, this ctxlab reads "
            f"version {_FORMAT_VERSION}; update ctxlab, or export the set again"
        )
    try:
        return ContentFreeFile(header, NAME)
    except ValueError as error:
        raise InputError(f"{name}: its header is damaged ({error}); export it again") from error


def write(logs: Iterable[FamilyLog], folder: str | Path) -> list[Path]:
    """Write a content-free set: one file a source of each family, named by number.

    Parameters
    ----------
    logs
        The families, one after the other; only one is held.
    folder
        Made if it is not there. It must hold no JSON lines yet.

    Returns
    -------
    list of Path
        The files written, in order.

    Raises
    ------
    InputError
        The folder holds JSON lines, or cannot be written.
    """
    target = user_path(folder)
    started: dict[Path, int | None] = {}
    names = SafeNames()
    try:
        target.mkdir(parents=True, exist_ok=True)
        if any(target.glob("*.jsonl")):
            raise InputError(f"{target} holds .jsonl files already; name an empty folder")
        for number, log in enumerate(logs, 1):
            for content in _family_files(log, number, names):
                path = target / f"{len(started) + 1:05d}.jsonl"
                path.write_bytes(content)
                started[path] = log.started_ms
        _rank_dates(started)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}") from error
    return list(started)


def _family_files(log: FamilyLog, number: int, names: SafeNames) -> Iterator[bytes]:
    """Give the files of one family. The checksum tells equal numbers of different sets apart."""
    files = list(family_records(log, names))
    checksum = blake2b(orjson.dumps(files), digest_size=6).digest()
    for header, *records in files:
        family = [number, int.from_bytes(checksum, "big")]
        head = {"ctxlab": _FORMAT, "version": _FORMAT_VERSION, "rank": None, "family": family}
        yield b"".join(_line(record) for record in ({**head, **header}, *records))


def _rank_dates(started: Mapping[Path, int | None]) -> None:
    """Write into each header the rank of the family's start, which only the whole set tells."""
    dates = sorted({date for date in started.values() if date is not None})
    rank = {date: i for i, date in enumerate(dates)}
    for path, date in started.items():
        if date is not None:
            header, records = path.read_bytes().split(b"\n", 1)
            path.write_bytes(_line(orjson.loads(header) | {"rank": rank[date]}) + records)


def _line(record: Mapping[str, Any]) -> bytes:
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
