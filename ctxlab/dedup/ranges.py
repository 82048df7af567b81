"""Line ranges to line ranges: what was already sent, what is new, what is worth withholding.

A range is `(start, end)`, 1-based with both ends included. Pure functions; nothing here knows
of files, records or thresholds beyond the arguments.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = [
    "Coalesced",
    "Deduped",
    "Range",
    "Ranges",
    "coalesce_ranges",
    "dedupe_range",
    "intersect_range",
    "merge_ranges",
    "n_lines",
    "subtract_range",
]

Range = tuple[int, int]
Ranges = tuple[Range, ...]


class Deduped(NamedTuple):
    """One requested range, split: `emit` is to be sent, `covered` was sent before."""

    emit: Ranges
    covered: Ranges


class Coalesced(NamedTuple):
    """Merged ranges, and whether some had to be left out to keep the limit."""

    ranges: Ranges
    truncated: bool


def n_lines(line_range: Range) -> int:
    """Count the lines of a range; zero or less for an inverted one."""
    start, end = line_range
    return end - start + 1


def merge_ranges(ranges: Iterable[tuple[float, float]]) -> Ranges:
    """Sort ranges and fuse those that overlap or touch.

    Parameters
    ----------
    ranges
        Line numbers. An end that is no whole number is rounded down. A range is dropped when an
        end is not finite, when it starts before line 1 or when it is inverted; none is clamped.

    Returns
    -------
    Ranges
        In line order, with at least one line between two of them.

    Examples
    --------
    >>> merge_ranges([(7, 9), (1, 3), (4, 5)])
    ((1, 5), (7, 9))
    """
    valid = sorted(
        (math.floor(start), math.floor(end))
        for start, end in ranges
        if 1 <= start <= end < math.inf  # false for nan too
    )
    merged: list[Range] = []
    for start, end in valid:
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def intersect_range(line_range: Range, served: Iterable[Range]) -> Ranges:
    """Find the runs of lines of `line_range` that lie in `served`.

    Served ranges that touch give one run, so two of 4 lines pass a test for 8.

    Examples
    --------
    >>> intersect_range((3, 20), [(1, 6), (7, 10), (18, 40)])
    ((3, 10), (18, 20))
    """
    first, last = line_range
    return merge_ranges((max(first, start), min(last, end)) for start, end in served)


def subtract_range(line_range: Range, cut: Iterable[Range]) -> Ranges:
    """Find the runs of lines of `line_range` that lie outside `cut`; none if it is inverted.

    Examples
    --------
    >>> subtract_range((1, 20), [(5, 10), (18, 40)])
    ((1, 4), (11, 17))
    """
    first, last = line_range
    left: list[Range] = []
    for start, end in merge_ranges(cut):
        if start > first:
            left.append((first, min(last, start - 1)))
        first = max(first, end + 1)
        if first > last:
            break
    left.append((first, last))
    return tuple(run for run in left if n_lines(run) > 0)


def dedupe_range(line_range: Range, served: Sequence[Range], min_covered_lines: int = 8) -> Deduped:
    """Split a requested range into the lines to send and the runs worth withholding.

    Parameters
    ----------
    line_range
        The lines a tool wants to show.
    served
        The lines of the same, unchanged file that were sent before.
    min_covered_lines
        Shortest run that is withheld; held runs below it are sent again.

    Returns
    -------
    Deduped
        `emit` and `covered` are disjoint and together make `line_range`. An inverted range is
        handed back as it is.

    Examples
    --------
    >>> dedupe_range((1, 30), [(1, 10), (15, 18)])
    Deduped(emit=((11, 30),), covered=((1, 10),))
    """
    covered = tuple(
        run for run in intersect_range(line_range, served) if n_lines(run) >= min_covered_lines
    )
    if not covered:
        return Deduped((line_range,), ())
    return Deduped(subtract_range(line_range, covered), covered)


def coalesce_ranges(ranges: Iterable[tuple[float, float]], limit: int = 24) -> Coalesced:
    """Merge ranges and keep the `limit` longest; of equal ones, those with the lower start.

    Examples
    --------
    >>> coalesce_ranges([(1, 2), (5, 9), (20, 21)], limit=2)
    Coalesced(ranges=((1, 2), (5, 9)), truncated=True)
    """
    merged = merge_ranges(ranges)
    longest = sorted(merged, key=n_lines, reverse=True)[:limit]  # stable: lower start first
    return Coalesced(tuple(sorted(longest)), truncated=len(merged) > limit)
