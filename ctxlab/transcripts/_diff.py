"""Diffs as agents log and print them → hunks and the lines of the new side.

A hunk's starts are normalised: `old_start` and `new_start` are the numbers that its first line
has or would have, so a hunk replaces exactly the lines `old_start … old_start + n_old - 1`,
and `n_old` 0 inserts before `old_start`. (The printed form names the line before in that case.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from ctxlab.events import Hunk, LineIds, Prefix, Span

__all__ = [
    "FileDiff",
    "PatchedFile",
    "new_side_spans",
    "parse_apply_patch",
    "parse_hunks",
    "parse_unified",
    "structured_hunks",
]

_HUNK_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_PATCH_HEADER = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+?)\s*$")
_MOVE_HEADER = re.compile(r"\*\*\* Move to: (.+?)\s*$")
_SIDE_PREFIX = re.compile(r"[abciwo]/")
_MARKER = Prefix(width=None, rest_bytes=1)  # "+", "-" or " " before each line


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The hunks of one file. A side that does not exist has no path.

    `complete` is false where a hunk has fewer lines than its header announced.
    """

    old_path: str | None
    new_path: str | None
    hunks: tuple[Hunk, ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """What an apply_patch text does to one file; `added` is the text of a new one."""

    action: str
    path: str
    moved_to: str | None = None
    added: tuple[str, ...] = ()


def parse_hunks(lines: Sequence[str]) -> tuple[tuple[Hunk, ...], bool]:
    """Hunks of one file's diff, and whether each has the lines that its header announced."""
    diffs = parse_unified(["--- old", "+++ new", *lines])
    hunks = tuple(hunk for diff in diffs for hunk in diff.hunks)
    return hunks, all(diff.complete for diff in diffs)


def parse_unified(lines: Sequence[str]) -> tuple[FileDiff, ...]:
    """Every file of a printed unified diff, git's or plain; text between them is passed over."""
    return tuple(_file_diffs(lines))


def _file_diffs(lines: Sequence[str]) -> Iterator[FileDiff]:
    """Walk the headers; text of a hunk that looks like one is passed with its hunk."""
    at = 0
    paths: tuple[str | None, str | None] | None = None
    while at < len(lines):
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if lines[at].startswith("diff "):
            paths = None
        elif lines[at].startswith("--- ") and following.startswith("+++ "):
            paths = _side_paths(lines[at][4:], following[4:])
            at += 1
        elif paths is not None and _HUNK_HEADER.match(lines[at]):
            hunks: list[Hunk] = []
            complete = True
            while found := _read_hunk(lines, at):
                at = found[0]
                hunks.append(found[1])
                complete = complete and found[2]
            yield FileDiff(*paths, tuple(hunks), complete)
            continue
        at += 1


def _read_hunk(lines: Sequence[str], at: int) -> tuple[int, Hunk, bool] | None:
    """Read the hunk whose header stands at `at`: where it ends, the hunk, whether it is whole."""
    header = _HUNK_HEADER.match(lines[at]) if at < len(lines) else None
    if header is None:
        return None
    old_start, n_old, new_start, n_new = (int(g) if g else 1 for g in header.groups())
    is_insertion, is_removal = n_old == 0, n_new == 0
    kept: list[str] = []
    at += 1
    while at < len(lines) and (n_old or n_new or lines[at].startswith("\\")):
        line = lines[at] or " "  # editors strip the blank of an empty kept line
        if line[0] == "\\":  # no newline at the end of the file
            at += 1
            continue
        takes_old, takes_new = line[0] in " -", line[0] in " +"
        if not (takes_old or takes_new) or takes_old > n_old or takes_new > n_new:
            break
        n_old, n_new = n_old - takes_old, n_new - takes_new
        kept.append(line)
        at += 1
    hunk = Hunk(
        old_start=old_start + is_insertion,
        new_start=new_start + is_removal,
        ops="".join(line[0] for line in kept),
        lines=tuple(line[1:] for line in kept),
    )
    return at, hunk, n_old == n_new == 0


def _side_paths(old: str, new: str) -> tuple[str | None, str | None]:
    """Paths of `---` and `+++` lines without time stamps and without git's `a/` and `b/`."""
    sides = [side.split("\t")[0].strip().strip('"') for side in (old, new)]
    named = [side for side in sides if side != "/dev/null"]
    strip = bool(named) and all(_SIDE_PREFIX.match(side) for side in named)
    paths = [None if s == "/dev/null" else s[2:] if strip else s for s in sides]
    return paths[0], paths[1]


def _is_line_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and 0 <= value < 2**31


def structured_hunks(patch: object) -> tuple[Hunk, ...] | None:
    """Hunks of Claude Code's `structuredPatch` list; None where it has another shape."""
    if not isinstance(patch, list):
        return None
    hunks: list[Hunk] = []
    for part in patch:
        if not isinstance(part, Mapping):
            return None
        old_start, new_start, lines = part.get("oldStart"), part.get("newStart"), part.get("lines")
        if not (_is_line_number(old_start) and _is_line_number(new_start)):
            return None
        if not (isinstance(lines, list) and all(isinstance(line, str) for line in lines)):
            return None
        kept = [line for line in lines if not line.startswith("\\")]
        ops = "".join(line[:1] or " " for line in kept)
        counts = (len(ops) - ops.count("+"), len(ops) - ops.count("-"))
        stated = (part.get("oldLines", counts[0]), part.get("newLines", counts[1]))
        if ops.strip(" -+") or stated != counts:
            return None
        hunks.append(Hunk(old_start, new_start, ops, tuple(line[1:] for line in kept)))
    return tuple(hunks)


def parse_apply_patch(text: str) -> tuple[PatchedFile, ...]:
    """Files that an apply_patch text names. Its hunks carry no line numbers: none are given."""
    files: list[PatchedFile] = []
    added: list[str] = []
    for line in text.split("\n"):
        if header := _PATCH_HEADER.match(line):
            added = []
            files.append(PatchedFile(header[1].lower(), header[2]))
        elif files and (move := _MOVE_HEADER.match(line)):
            files[-1] = PatchedFile(files[-1].action, files[-1].path, move[1])
        elif files and files[-1].action == "add" and line.startswith("+"):
            added.append(line[1:])
            files[-1] = PatchedFile("add", files[-1].path, None, tuple(added))
    return tuple(files)


def new_side_spans(path: str, hunks: Sequence[Hunk]) -> tuple[Span, ...]:
    """Lines of the new side, one span a hunk: what a reader of the diff has seen of the file."""
    return tuple(span for hunk in hunks if (span := _new_side(path, hunk)) is not None)


def _new_side(path: str, hunk: Hunk) -> Span | None:
    texts = _texts(hunk)
    lines = tuple(text for op, text in zip(hunk.ops, texts, strict=True) if op != "-")
    if not lines:
        return None
    return Span(path, hunk.new_start, lines, origin="diff", prefix=_MARKER)


def _texts(hunk: Hunk) -> tuple[str, ...]:
    if isinstance(hunk.lines, LineIds):
        raise TypeError("hunk lines must be texts here, got line ids of a content-free set")
    return hunk.lines
