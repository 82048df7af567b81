"""Diffs as agents log and print them → hunks and the lines of the new side.

A hunk's starts are normalised: `old_start` and `new_start` are the numbers that its first line
has or would have, so a hunk replaces exactly the lines `old_start … old_start + n_old - 1`,
and `n_old` 0 inserts before `old_start`. (The printed form names the line before in that case.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ctxlab.events import Hunk, LineIds, Prefix, Span

__all__ = [
    "FileDiff",
    "PatchedFile",
    "apply_hunks",
    "new_side_spans",
    "parse_apply_patch",
    "parse_hunks",
    "parse_unified",
    "structured_hunks",
]

_HUNK_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_GIT_HEADER = re.compile(r"diff --git (?P<old>\S+) (?P<new>\S+)$")
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
    hunks: list[Hunk] = []
    complete = True
    at = 0
    while at < len(lines):
        header = _HUNK_HEADER.match(lines[at])
        at += 1
        if header is None:
            continue
        old_start, n_old, new_start, n_new = (int(g) if g else 1 for g in header.groups())
        n_lines, hunk = _read_hunk(lines, at, (old_start, n_old), (new_start, n_new))
        at += n_lines
        hunks.append(hunk)
        complete = complete and _counts(hunk.ops) == (n_old, n_new)
    return tuple(hunks), complete


def _read_hunk(
    lines: Sequence[str], at: int, old: tuple[int, int], new: tuple[int, int]
) -> tuple[int, Hunk]:
    """Take the announced lines from `at` on; return how many were read, and the hunk."""
    n_old, n_new = old[1], new[1]
    ops: list[str] = []
    texts: list[str] = []
    start = at
    while at < len(lines) and (n_old > 0 or n_new > 0):
        line = lines[at]
        op = line[:1] or " "  # mail and editors strip the blank of an empty kept line
        if op not in " -+\\" or (op != "+" and op != "\\" and n_old <= 0):
            break
        if op in "+ " and n_new <= 0:
            break
        at += 1
        if op == "\\":
            continue
        n_old -= op != "+"
        n_new -= op != "-"
        ops.append(op)
        texts.append(line[1:])
    return at - start, Hunk(
        old_start=old[0] + (old[1] == 0),
        new_start=new[0] + (new[1] == 0),
        ops="".join(ops),
        lines=tuple(texts),
    )


def _counts(ops: str) -> tuple[int, int]:
    return len(ops) - ops.count("+"), len(ops) - ops.count("-")


def parse_unified(lines: Sequence[str]) -> tuple[FileDiff, ...]:
    """Every file of a printed unified diff, git's or plain; text between them is passed over."""
    return tuple(_file_diffs(lines))


def _file_diffs(lines: Sequence[str]) -> Iterator[FileDiff]:
    """Walk the headers; the hunks of a file reach to the next header outside a hunk."""
    at = 0
    paths: tuple[str | None, str | None] | None = None
    while at < len(lines):
        line = lines[at]
        if line.startswith("diff "):
            paths = None
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if line.startswith("--- ") and following.startswith("+++ "):
            paths = _side_paths(line[4:], following[4:])
            at += 2
            continue
        if paths is None or not _HUNK_HEADER.match(line):
            at += 1
            continue
        hunks: list[Hunk] = []
        complete = True
        while at < len(lines) and (header := _HUNK_HEADER.match(lines[at])):
            old_start, n_old, new_start, n_new = (int(g) if g else 1 for g in header.groups())
            n_lines, hunk = _read_hunk(lines, at + 1, (old_start, n_old), (new_start, n_new))
            at += 1 + n_lines
            hunks.append(hunk)
            complete = complete and _counts(hunk.ops) == (n_old, n_new)
            while at < len(lines) and lines[at].startswith("\\"):
                at += 1
        yield FileDiff(paths[0], paths[1], tuple(hunks), complete)


def _side_paths(old: str, new: str) -> tuple[str | None, str | None]:
    """Paths of `---` and `+++` lines without time stamps and without git's `a/` and `b/`."""
    sides = [side.split("\t")[0].strip().strip('"') for side in (old, new)]
    named = [side for side in sides if side != "/dev/null"]
    strip = bool(named) and all(_SIDE_PREFIX.match(side) for side in named)
    paths = [None if s == "/dev/null" else s[2:] if strip else s for s in sides]
    return paths[0], paths[1]


def structured_hunks(patch: object) -> tuple[Hunk, ...] | None:
    """Hunks of Claude Code's `structuredPatch` list; None where it has another shape."""
    if not isinstance(patch, list):
        return None
    hunks: list[Hunk] = []
    for part in patch:
        if not isinstance(part, Mapping):
            return None
        old_start, new_start, lines = part.get("oldStart"), part.get("newStart"), part.get("lines")
        if not (isinstance(old_start, int) and isinstance(new_start, int)):
            return None
        if not (isinstance(lines, list) and all(isinstance(line, str) for line in lines)):
            return None
        kept = [line for line in lines if not line.startswith("\\")]
        ops = "".join(line[:1] or " " for line in kept)
        if ops.strip(" -+") or (part.get("oldLines"), part.get("newLines")) != _counts(ops):
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


def apply_hunks(old: Sequence[str], hunks: Sequence[Hunk]) -> tuple[str, ...]:
    """Return the file after the hunks, which must be in order and fit `old`.

    Raises
    ------
    ValueError
        If a kept or removed line is not what stands in `old` at its number.
    """
    new: list[str] = []
    at = 0
    for hunk in hunks:
        new.extend(old[at : hunk.old_start - 1])
        at = max(at, hunk.old_start - 1)
        for op, text in zip(hunk.ops, _texts(hunk), strict=True):
            if op != "+":
                if at >= len(old) or old[at] != text:
                    raise ValueError(f"hunk does not fit: line {at + 1} must be {text!r}")
                at += 1
            if op != "-":
                new.append(text)
    new.extend(old[at:])
    return tuple(new)
