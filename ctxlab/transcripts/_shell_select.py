"""Commands that pass on some lines of a file or stream: sed, head, tail, awk → ranges of lines.

A range is (first, last), last None for "to the end". `None` instead of ranges says that the
command changes lines, or picks them by something other than their number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Ranges", "Selection", "compose", "n_lines_of", "selection"]

Ranges = tuple[tuple[int, int | None], ...]

WHOLE: Ranges = ((1, None),)

_SED_PRINT = re.compile(r"(\d+)\s*(?:,\s*(\d+|\$|\+\d+))?\s*\{?\s*p\s*;?\s*\}?")
_SED_QUIT = re.compile(r"(\d+)\s*\{?\s*q\s*\}?")
_SED_KEEP = re.compile(r"(\d+)\s*(?:,\s*(\d+|\$|\+\d+))?\s*!\s*d")
_SED_CUT_HEAD = re.compile(r"1\s*,\s*(\d+)\s*d")
_AWK_BOTH = re.compile(
    r"NR\s*(>=|>)\s*(\d+)\s*&&\s*NR\s*(<=|<)\s*(\d+)\s*(?:\{\s*print(?:\s+\$0)?\s*;?\s*\})?"
)
_AWK_RANGE = re.compile(
    r"NR\s*==\s*(\d+)\s*,\s*NR\s*==\s*(\d+)\s*(?:\{\s*print(?:\s+\$0)?\s*;?\s*\})?"
)


@dataclass(frozen=True, slots=True)
class Selection:
    """Lines that a command passes on of `paths` (none: its standard input).

    `ranges` None: not known by number. `most_lines` bounds what it prints, where known.
    """

    paths: tuple[str, ...]
    ranges: Ranges | None
    most_lines: int | None = None


def selection(name: str, arguments: Sequence[str]) -> Selection | None:
    """Read a command that passes lines on; None for any other command."""
    if name == "sed":
        return _sed(arguments)
    if name == "head":
        return _head(arguments)
    if name == "tail":
        return _tail(arguments)
    if name in {"awk", "gawk", "mawk"}:
        return _awk(arguments)
    return None


def n_lines_of(ranges: Ranges) -> int | None:
    """Most lines in the ranges; None without an end."""
    last = ranges[-1][1]
    return None if last is None else sum((b or a) - a + 1 for a, b in ranges)


def compose(outer: Ranges, inner: Ranges) -> Ranges | None:
    """Lines of the file that `inner` picks out of the lines `outer` of it; None if none."""
    return tuple(_composed(outer, inner)) or None


def _composed(outer: Ranges, inner: Ranges) -> Iterator[tuple[int, int | None]]:
    for first, last in inner:
        passed = 0
        for start, end in outer:
            low = start + max(first - passed - 1, 0)
            high = end if last is None else start + last - passed - 1
            if end is not None and (high is None or high > end):
                high = end
            if (end is None or low <= end) and (high is None or low <= high):
                yield low, high
            if end is None:
                break
            passed += end - start + 1


def _sed(arguments: Sequence[str]) -> Selection:
    scripts: list[str] = []
    words: list[str] = []
    is_quiet, is_known = False, True
    rest = iter(arguments)
    for word in rest:
        if (flags := re.fullmatch(r"-([nEru]*)(e?)", word)) and len(word) > 1:
            is_quiet = is_quiet or "n" in flags[1]
            scripts.extend([next(rest, "")] if flags[2] else [])
        elif word in {"--quiet", "--silent"}:
            is_quiet = True
        elif word.startswith("-"):
            is_known = False
        else:
            words.append(word)
    if not scripts and words:
        scripts, words = words[:1], words[1:]
    ranges = _sed_ranges(";".join(scripts), is_quiet) if is_known and len(words) < 2 else None
    return Selection(tuple(words), ranges, n_lines_of(ranges) if ranges else None)


def _sed_ranges(script: str, is_quiet: bool) -> Ranges | None:
    if not is_quiet:
        if match := _SED_QUIT.fullmatch(script.strip()):
            return ((1, int(match[1])),)
        if match := _SED_KEEP.fullmatch(script.strip()):
            return _ascending([_range(match[1], match[2])])
        if match := _SED_CUT_HEAD.fullmatch(script.strip()):
            return ((int(match[1]) + 1, None),)
        return None
    picked: list[tuple[int, int | None]] = []
    stops: list[int] = []
    for part in re.split(r"[;\n](?![^{]*\})", script):
        if match := _SED_PRINT.fullmatch(part.strip()):
            picked.append(_range(match[1], match[2]))
        elif match := _SED_QUIT.fullmatch(part.strip()):
            stops.append(int(match[1]))
        elif part.strip():
            return None
    ranges = _ascending(picked)
    return compose(WHOLE, ranges) if ranges and not stops else _stopped(ranges, stops)


def _stopped(ranges: Ranges | None, stops: Sequence[int]) -> Ranges | None:
    """Ranges up to the first line at which sed quits."""
    if not ranges or not stops:
        return None
    return (
        tuple((a, min(b or min(stops), min(stops))) for a, b in ranges if a <= min(stops)) or None
    )


def _range(first: str, last: str | None) -> tuple[int, int | None]:
    """One address pair of sed: a last line before the first means the first alone."""
    start = int(first)
    if last is None:
        return start, start
    if last == "$":
        return start, None
    return start, start + int(last[1:]) if last.startswith("+") else max(start, int(last))


def _ascending(ranges: list[tuple[int, int | None]]) -> Ranges | None:
    """Ranges in file order; None if one is empty or two overlap: a line would be printed twice."""
    ordered = sorted(ranges, key=lambda r: r[0])
    for (_, end), (start, _) in pairwise(ordered):
        if end is None or end >= start:
            return None
    return tuple(ordered) if ordered and ordered[0][0] >= 1 else None


def _count_option(arguments: Sequence[str]) -> tuple[str | None, tuple[str, ...], bool]:
    """Value of `-n k`, `-nk`, `-k`, `--lines=k`; the other words; whether all was understood."""
    value: str | None = None
    words: list[str] = []
    is_known = True
    rest = iter(arguments)
    for word in rest:
        if word in {"-n", "--lines"}:
            value = next(rest, "")
        elif match := re.fullmatch(r"(?:-n|--lines=|-)([-+]?\d+)|(\+\d+)", word):
            value = match[1] or match[2]
        elif word.startswith("-") and len(word) > 1:
            is_known = is_known and word in {"-q", "--quiet", "--silent"}
        else:
            words.append(word)
    is_known = is_known and (value is None or re.fullmatch(r"[-+]?\d+", value) is not None)
    return value, tuple(words), is_known


def _head(arguments: Sequence[str]) -> Selection:
    value, paths, is_known = _count_option(arguments)
    if not is_known:
        return Selection(paths, None)
    count = int(value or 10)
    if count < 0:
        return Selection(paths, WHOLE)
    return Selection(paths, ((1, count),) if count else None, count)


def _tail(arguments: Sequence[str]) -> Selection:
    value, paths, is_known = _count_option(arguments)
    if not is_known:
        return Selection(paths, None)
    if value and value.startswith("+"):
        return Selection(paths, ((max(int(value), 1), None),))
    return Selection(paths, None, abs(int(value or 10)))


def _awk(arguments: Sequence[str]) -> Selection:
    if not arguments or arguments[0].startswith("-"):
        return Selection(tuple(w for w in arguments[2:] if not {"=", "{"} & set(w)), None)
    script, paths = arguments[0].strip(), tuple(arguments[1:])
    ranges: Ranges | None = None
    if match := _AWK_BOTH.fullmatch(script):
        ranges = ((int(match[2]) + (match[1] == ">"), int(match[4]) - (match[3] == "<")),)
    elif match := _AWK_RANGE.fullmatch(script):
        ranges = ((int(match[1]), int(match[2])),)
    if ranges and (len(paths) > 1 or not 1 <= ranges[0][0] <= (ranges[0][1] or 0)):
        ranges = None
    return Selection(paths, ranges, n_lines_of(ranges) if ranges else None)
