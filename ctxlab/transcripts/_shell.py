"""A shell command and what it printed → source spans, edits and touched paths.

Agents read files with `sed -n`, `cat`, `nl`, `rg -n` and `git diff`. A line is claimed only
where the command and the length of the output leave one way to place it; everything else in
the output is no span.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ctxlab.events import Edit, Prefix, Span, Touch
from ctxlab.transcripts._diff import new_side_spans, parse_unified
from ctxlab.transcripts._placement import Lengths, Placed, place
from ctxlab.transcripts._shell_prints import Print, prints_of
from ctxlab.transcripts._shell_select import Ranges
from ctxlab.transcripts._shell_touches import edits_of, touches_of
from ctxlab.transcripts._shell_words import Pipeline, Resolver, parse_script
from ctxlab.transcripts._source import grep_spans, read_numbered, resolve

__all__ = ["ShellReading", "interpret"]

_NOTE = re.compile(
    r"^(?:Shell cwd was reset to |<system-reminder>)"
    r"|(?P<cut>…\d+ (?:tokens|chars) truncated…|^\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]$"
    r"|^\.\.\. \[\d+ (?:lines|characters) truncated\] \.\.\.$|^<persisted-output>"
    r"|^\[Output truncated|^<elided_chars>)",
    re.MULTILINE,
)
_NOTE_MARKS = ("truncated", " omitted ", "Shell cwd", "<system-", "<persisted-", "<elided_")
_CLAIMED = frozenset({"lines", "numbered", "grep", "diff"})
_ERROR = re.compile(
    r"(?:/bin/)?(?:sed|cat|head|tail|nl|bat|awk|less|bash|sh|zsh)(?:: line \d+)?: .*"
    r"(?:No such file|[Cc]annot|can't|Is a directory|is a directory|[Pp]ermission denied|not found"
    r"|extra characters|unknown|invalid|unexpected)"
)
_GREP_LINE = re.compile(r"(?:[^\n]*?[:-])?\d+[:-]|--$")
_NUMBER = re.compile(r" *(\d{1,9})\t")
_PLAIN = Prefix(width=None)
_NOT_FILES = re.compile(r"-$|/dev/|/proc/|&|\d+$")


@dataclass(frozen=True, slots=True)
class ShellReading:
    """What a command delivered, what it wrote, and which paths it worked on."""

    spans: tuple[Span, ...] = ()
    edits: tuple[Edit, ...] = ()
    touches: tuple[Touch, ...] = ()


@dataclass(slots=True)
class _Folder:
    """The working folder as `cd` moves it; `is_known` false once a `cd` cannot be followed."""

    path: str | None
    is_known: bool = True

    def enter(self, words: Sequence[str], live: frozenset[str]) -> None:
        target = words[1] if len(words) > 1 else "~"
        path = None if target in live else self.resolve(target)
        if path is None or target == "-":
            self.is_known = False
        else:
            self.path, self.is_known = path, True

    def resolve(self, word: str) -> str | None:
        """Give the path that a word names, seen from this folder."""
        if not word or "\n" in word or _NOT_FILES.match(word):
            return None
        if word.startswith("~"):
            return word
        if not self.is_known and not word.startswith("/"):
            return None
        return resolve(word, self.path)

    def resolver(self, pipeline: Pipeline) -> Resolver:
        """`resolve` as of now, for a pipeline whose live words name no file."""
        here = _Folder(self.path, self.is_known)
        live = frozenset[str]().union(*(command.live for command in pipeline.commands))
        return lambda word: None if word in live else here.resolve(word)


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a script prints, writes and works on; `optional` prints may not come about."""

    linear: bool
    prints: tuple[Print, ...]
    optional: tuple[bool, ...]
    edits: tuple[Edit, ...]
    touches: tuple[Touch, ...]


def interpret(
    command: str,
    output: str,
    cwd: str | None,
    *,
    complete: bool = True,
    trimmed: bool = False,
) -> ShellReading:
    """Read what a shell command shows of files.

    Parameters
    ----------
    command
        The script as the model wrote it, `bash -lc '…'` included or not.
    output
        The text that the model saw of it, without any header of the harness.
    cwd
        Folder in which it ran; None leaves relative paths relative.
    complete
        False where more output followed that is not in `output`; a last line without its
        newline is then no whole line.
    trimmed
        The harness strips blank lines at both ends of the output, so a first print that came
        out short may have lost its first lines and is not placed.

    Returns
    -------
    ShellReading
        Nothing is claimed of a command whose quotes do not balance.
    """
    meaning = _meaning(command, cwd)
    if meaning is None:
        return ShellReading()
    spans = tuple(_spans(meaning, output, complete, trimmed)) if output else ()
    return ShellReading(spans, meaning.edits, meaning.touches)


@lru_cache(maxsize=64)  # a command is read at its call and again at its result
def _meaning(command: str, cwd: str | None) -> _Meaning | None:
    """Go through the script with its working folder."""
    script = parse_script(command)
    if script is None:
        return None
    folder = _Folder(cwd)
    prints: list[Print] = []
    optional: list[bool] = []
    edits: dict[Edit, None] = {}
    touches: dict[Touch, None] = {}
    may_stop = False
    for pipeline in script.pipelines:
        first = pipeline.commands[0]
        if pipeline.connector in {";", "&", ""}:
            may_stop = False
        elif pipeline.connector == "||":
            may_stop = True
        if first.name in {"cd", "pushd"} and len(pipeline.commands) == 1:
            folder.enter(first.words, first.live)
            continue
        here = folder.resolver(pipeline)
        printed = prints_of(pipeline, here)
        prints.extend(printed)
        optional.extend([may_stop] * len(printed))
        may_stop = may_stop or any(p.may_fail for p in printed)
        for part in pipeline.commands:
            touches.update(dict.fromkeys(touches_of(part, here)))
            edits.update(dict.fromkeys(edits_of(part, here)))
    return _Meaning(script.linear, tuple(prints), tuple(optional), tuple(edits), tuple(touches))


def _spans(meaning: _Meaning, output: str, complete: bool, trimmed: bool) -> Iterator[Span]:
    """Place the prints in the output and read the lines of each."""
    prints, linear = meaning.prints, meaning.linear
    if not any(source.kind in _CLAIMED for source in prints):
        return
    lines, cut = _seen_lines(output)
    if not complete and not cut:
        cut = True
        lines = lines if output.endswith("\n") else lines[:-1]
    has_errors = any(_ERROR.match(line) for line in lines)
    placed: Sequence[Placed | None] = [None] * len(prints)
    if linear and not has_errors:
        pieces = [_lengths(p, o, lines) for p, o in zip(prints, meaning.optional, strict=True)]
        placed = place(pieces, len(lines), cut)
    n_diffs = sum(source.kind == "diff" for source in prints)
    for source, spot in zip(prints, placed, strict=True):
        if spot is not None and spot.n_lines:
            own = lines[spot.start : spot.start + spot.n_lines]
            if not (trimmed and spot.start == 0 and _may_lack_first(source, len(own))):
                yield from _read(source, own)
        elif linear and _describes_itself(source, n_diffs, len(prints)):
            yield from _read(source, lines)


def _describes_itself(source: Print, n_diffs: int, n_prints: int) -> bool:
    """Tell whether the output as a whole can be read for the lines of one print."""
    return n_prints == 1 if source.kind == "grep" else source.kind == "diff" and n_diffs == 1


def _seen_lines(output: str) -> tuple[list[str], bool]:
    """Whole lines before a note of the harness, and whether it tells of a cut."""
    note = _NOTE.search(output) if any(mark in output for mark in _NOTE_MARKS) else None
    text = output[: output.rfind("\n", 0, note.start()) + 1] if note else output
    lines = text.removesuffix("\n").split("\n") if text else []
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    return lines, note is not None and note["cut"] is not None


def _lengths(source: Print, optional: bool, lines: Sequence[str]) -> Lengths:
    """How many lines a print may take from a position on."""
    skip = ((0, 0),) if optional else ()
    n_lines = len(lines)

    def of_text(at: int) -> tuple[tuple[int, int], ...]:
        n = len(source.text)
        fits = tuple(lines[at : at + n]) == source.text[: n_lines - at]
        return (*skip, (n, n)) if fits else skip

    def of_run(at: int) -> tuple[tuple[int, int], ...]:
        n = runs[at] if source.kind == "grep" else _numbered_run(source.ranges, numbers, at)
        n = n if source.most is None else min(n, source.most)
        return ((n, n),)

    def of_bounds(at: int) -> tuple[tuple[int, int], ...]:
        return (*skip, (source.least, n_lines if source.most is None else source.most))

    if source.kind == "fixed":
        return of_text
    runs = _grep_runs(lines) if source.kind == "grep" else []
    numbers = [*map(_printed_number, lines)] if source.kind == "numbered" else []
    return of_run if source.kind in {"grep", "numbered"} else of_bounds


def _grep_runs(lines: Sequence[str]) -> list[int]:
    """From each position on, how many lines look like grep's."""
    runs = [0] * (len(lines) + 1)
    for at in range(len(lines) - 1, -1, -1):
        runs[at] = runs[at + 1] + 1 if _GREP_LINE.match(lines[at]) else 0
    return runs


def _printed_number(line: str) -> int | None:
    found = _NUMBER.match(line)
    return int(found[1]) if found else None


def _numbered_run(ranges: Ranges, numbers: Sequence[int | None], at: int) -> int:
    """From a position on, how many lines carry the numbers that the print must show.

    Without ranges it may begin with any number.
    """
    n = at
    start = numbers[at] if at < len(numbers) else None
    for first, last in ranges or (((start, None),) if start is not None else ()):
        number = first
        while n < len(numbers) and (last is None or number <= last):
            if numbers[n] != number:
                return n - at
            number += 1
            n += 1
    return n - at


def _may_lack_first(source: Print, n_lines: int) -> bool:
    """Tell whether blank lines may have been stripped before the first one seen."""
    if source.kind != "lines" or source.ranges[0][0] == 1:
        return False
    return source.most is None or n_lines < source.most


def _read(source: Print, lines: Sequence[str]) -> Iterator[Span]:
    """Spans of the lines of one print."""
    if source.kind == "lines" and source.path is not None:
        yield from _by_ranges(source.path, source, lines)
    elif source.kind == "numbered" and source.path is not None:
        yield from _by_numbers(source.path, lines)
    elif source.kind == "grep":
        yield from grep_spans("\n".join(lines), source.path, _named(source))
    elif source.kind == "diff":
        diffs = parse_unified(lines)
        for diff in diffs:
            path = source.resolve(diff.new_path) if source.resolve and diff.new_path else None
            if path is not None and (diff.complete or diff is diffs[-1]):
                yield from new_side_spans(path, diff.hunks)


def _named(source: Print) -> Callable[[str], str]:
    """Make printed paths absolute; they are real file names, so every one is knowable."""
    return lambda path: (source.resolve(path) if source.resolve else None) or path


def _by_ranges(path: str, source: Print, lines: Sequence[str]) -> Iterator[Span]:
    """Cut the lines of a selection into its ranges."""
    at = 0
    for first, last in source.ranges:
        own = lines[at:] if last is None else lines[at : at + last - first + 1]
        if own:
            yield Span(path, first, tuple(own), "shell", _PLAIN, numbered=False)
        at += len(own)


def _by_numbers(path: str, lines: Sequence[str]) -> Iterator[Span]:
    """Read printed numbers; a selection of several ranges gives several spans."""
    text = "\n".join(lines)
    start = 0
    while found := read_numbered(text, start):
        yield Span(path, found.first_line, found.lines, "shell", found.prefix)
        start = found.end + 1
