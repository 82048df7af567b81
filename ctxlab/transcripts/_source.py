"""Printed source in a tool's answer → the lines it served, with numbers and printed prefix.

Two prints are read here: numbered source (`cat -n` and its kin) and grep's `path:NN:text`.
Text in, values out: no file is opened, and no path is checked for existence.
"""

from __future__ import annotations

import ntpath
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from ctxlab.events import Prefix, Span
from ctxlab.transcripts._texts import utf8_size

__all__ = ["Numbered", "find_numbered", "grep_spans", "read_numbered", "resolve"]

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_FIRST = re.compile(r"( *)(\d{1,40})(→|\t)")
_FIRST_ANYWHERE = re.compile(r"^ *\d{1,40}(?:→|\t)", re.MULTILINE)
_MATCH_LINE = re.compile(r":(\d{1,9}):")
_CONTEXT_LINE = re.compile(r"-(\d{1,9})-")
_SINGLE = re.compile(r"(\d{1,9})([:-])")
_OMITTED = "[Omitted long "
_MAX_PATH_CHARS = 1024
_CACHED_NUMBERS = 5000


@dataclass(frozen=True, slots=True)
class Numbered:
    """Consecutive numbered lines; `end` is the position behind the last one's text."""

    first_line: int
    lines: tuple[str, ...]
    prefix: Prefix
    end: int


@lru_cache(maxsize=4096)
def resolve(path: str, cwd: str | None) -> str:
    """Make a path absolute against `cwd` and normal; Windows paths keep their form."""
    if _WINDOWS.match(path):
        return path
    if cwd and _WINDOWS.match(cwd):
        return ntpath.normpath(ntpath.join(cwd, path))
    return posixpath.normpath(posixpath.join(cwd, path) if cwd else path)


def read_numbered(text: str, start: int = 0) -> Numbered | None:
    r"""Read the numbered lines that begin at `start`; None if there is none.

    Both `%6d→text` and `%d\ttext` are known. Reading stops at the first line whose number does
    not follow in the same print, so a reminder behind the source is never part of it, and
    source that itself looks numbered is.
    """
    first = _FIRST.match(text, start)
    if not first:
        return None
    number, separator = int(first[2]), first[3]
    body = text[start:].split("\n")
    width = len(first[1]) + len(first[2])
    if not first[1]:
        width = _width_without_padding(body[1:2], number + 1, separator)
    # The first line is verified by `first`; for the others the whole list is compared at once.
    printed = _printed(width, separator, number + 1, number + len(body))
    fits = list(map(str.startswith, body[1:], printed))
    n_fit = fits.index(False) if False in fits else len(fits)
    texts = map(str.removeprefix, body[1 : n_fit + 1], printed)
    lines = (body[0][first.end() - start :], *texts)
    end = start + sum(map(len, body[: n_fit + 1])) + n_fit
    return Numbered(number, lines, Prefix(width, len(separator.encode())), end)


def _width_without_padding(following: Sequence[str], number: int, separator: str) -> int:
    """Tell the width where the first number is not padded, as in an answer that was stripped."""
    second = _FIRST.match(following[0]) if following else None
    if not second or not second[1] or (int(second[2]), second[3]) != (number, separator):
        return 1
    return len(second[1]) + len(second[2])


def _printed(width: int, separator: str, first: int, stop: int) -> Sequence[str]:
    """What stands before the lines `first` to `stop` - 1."""
    if stop <= _CACHED_NUMBERS:
        return _cached_prints(width, separator)[first:stop]
    return [f"{number:{width}d}{separator}" for number in range(first, stop)]


@lru_cache(maxsize=8)
def _cached_prints(width: int, separator: str) -> list[str]:
    """Prints of the low numbers, by number: nearly all files are shorter."""
    return [f"{number:{width}d}{separator}" for number in range(_CACHED_NUMBERS)]


def find_numbered(text: str, start: int = 0) -> Numbered | None:
    """Read the first numbered lines at or behind `start`, wherever they begin."""
    first = _FIRST_ANYWHERE.search(text, start)
    return read_numbered(text, first.start()) if first else None


def grep_spans(
    text: str, path: str | None, resolved: Callable[[str], str] = lambda path: path
) -> tuple[Span, ...]:
    """Read grep or ripgrep content output with line numbers.

    Several files print `path:NN:text` and, around a match, `path-NN-text`; one file prints
    `NN:text` and `NN-text`. What fits neither (separators, notes on a cut) is no source.

    Parameters
    ----------
    text
        The answer.
    path
        What the call searched; the file of lines that name none.
    resolved
        Turns a printed path into the one to report.
    """
    body = text.split("\n")
    if path is not None and _is_single(body):
        return tuple(_spans(_single_lines(body, path), resolved, n_separators=1))
    return tuple(_spans(_many_lines(body), resolved, n_separators=2))


class _Hit(NamedTuple):
    """One printed line; `printed` is the path as it stood before the number, "" if none."""

    path: str
    printed: str
    number: int
    text: str


def _spans(
    hits: Iterable[_Hit], resolved: Callable[[str], str], n_separators: int
) -> Iterator[Span]:
    """Join hits that follow each other in one file."""
    run: list[_Hit] = []
    for hit in hits:
        if run and (hit.path != run[-1].path or hit.number != run[-1].number + 1):
            yield _span(run, resolved, n_separators)
            run = []
        run.append(hit)
    if run:
        yield _span(run, resolved, n_separators)


def _span(run: Sequence[_Hit], resolved: Callable[[str], str], n_separators: int) -> Span:
    """Make one span of consecutive hits."""
    return Span(
        path=resolved(run[0].path),
        first_line=run[0].number,
        lines=tuple(hit.text for hit in run),
        origin="grep",
        prefix=Prefix(1, utf8_size(run[0].printed) + n_separators),
    )


def _is_single(body: Sequence[str]) -> bool:
    """Tell whether the lines carry no path: they begin with numbers that only grow."""
    found = [_SINGLE.match(line) for line in body if line and line != "--"]
    if not found or not found[0]:
        return False
    numbers = [int(match[1]) for match in found if match]
    return all(a < b for a, b in pairwise(numbers))


def _single_lines(body: Iterable[str], path: str) -> Iterator[_Hit]:
    """Hits of a print that names no path."""
    for line in body:
        match = _SINGLE.match(line)
        if match and not line.startswith(_OMITTED, match.end()):
            yield _Hit(path, "", int(match[1]), line[match.end() :])


def _many_lines(body: Sequence[str]) -> Iterator[_Hit]:
    """Hits of a print that names a path on every line."""
    path = ""
    for i, line in enumerate(body):
        hit = _after_path(line, path) if path else None
        if hit is None:
            hit = _new_path(line, body[i + 1] if i + 1 < len(body) else "")
        if hit is None:
            continue
        path = hit.path
        if not hit.text.startswith(_OMITTED):
            yield hit


def _after_path(line: str, path: str) -> _Hit | None:
    """Read a line of a known path, without guessing where the path ends."""
    n = len(path)
    separator = line[n : n + 1]
    if not separator or separator not in ":-" or not line.startswith(path):
        return None
    end = line.find(separator, n + 1)
    number = line[n + 1 : end]
    if end < 0 or not (number.isdecimal() and number.isascii() and len(number) < 10):
        return None
    return _Hit(path, path, int(number), line[end + 1 :])


def _new_path(line: str, following: str) -> _Hit | None:
    """Read a line whose path is not known yet.

    A path may hold `-12-` and a context line's text may hold `:12:`. Where several readings are
    possible the one that the following line continues by one is right; else the match line's.
    """
    readings = [
        _Hit(line[: m.start()], line[: m.start()], int(m[1]), line[m.end() :])
        for pattern in (_MATCH_LINE, _CONTEXT_LINE)
        for m in pattern.finditer(line, 1, _MAX_PATH_CHARS)
    ]
    if len(readings) > 1:
        for hit in readings:
            follower = _after_path(following, hit.path)
            if follower and follower.number == hit.number + 1:
                return hit
    return readings[0] if readings else None
