"""The policy online: a record and a file's wanted lines to the section that the agent gets.

`serve` decides for one file and changes nothing; `answer` is a whole call: every file, the guard,
and the record's next entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ctxlab.dedup.identity import file_fingerprint, utf16_chars
from ctxlab.dedup.params import Dedup
from ctxlab.dedup.pointer import pointer_chars, symbols_in_spans
from ctxlab.dedup.ranges import Range, Ranges, dedupe_range, merge_ranges, n_lines
from ctxlab.dedup.record import SessionRecord
from ctxlab.dedup.section import Section

__all__ = ["GAP_MARKER", "Wanted", "answer", "guard", "serve"]

GAP_MARKER = "\n\n... (gap) ...\n\n"

_Symbols = Sequence[tuple[str, str, int, int | None]]


class Wanted(NamedTuple):
    """One file that an answer is to show; symbols are `(name, kind, start, end)`."""

    path: str
    content: str
    spans: Sequence[Range]
    symbols: _Symbols = ()


class _LineSizes:
    """Lengths of a file's lines, alone and as they are rendered."""

    def __init__(self, content: str) -> None:
        size = len if content.isascii() else utf16_chars
        self.chars = [size(line) for line in content.split("\n")]

    def within(self, spans: Iterable[Range]) -> Ranges:
        """Cut spans to the file; a span without a line in it falls away."""
        cut = ((max(start, 1), min(end, len(self.chars))) for start, end in spans)
        return tuple(span for span in cut if n_lines(span) > 0)

    def source(self, run: Range) -> int:
        start, end = run
        return sum(self.chars[start - 1 : end]) + end - start

    def rendered(self, runs: Ranges) -> int:
        """Length of numbered lines (number, tab, text), with a gap marker between two runs."""
        prefixes = sum(len(str(n)) + 1 for start, end in runs for n in range(start, end + 1))
        gaps = len(GAP_MARKER) * max(0, len(runs) - 1)
        return sum(map(self.source, runs)) + prefixes + gaps


def serve(
    record: SessionRecord,
    path: str,
    content: str,
    spans: Sequence[Range],
    params: Dedup | None = None,
    symbols: _Symbols = (),
    *,
    project: str = "",
) -> Section:
    r"""Decide one file's section; the record is only read.

    Parameters
    ----------
    record
        What was sent before this call.
    path
        Exact path; the key of the record.
    content
        The whole file as it is now.
    spans
        Lines the tool wants to show, cut to the file. Spans do not see each other: merge those
        that touch if a held run across both is to count as one.
    params
        Thresholds; the record's own if not given.
    symbols
        `(name, kind, start, end)` in the file's order, for naming in a pointer.
    project
        Root the call is about.

    Returns
    -------
    Section
        Every line of `spans` is in `emit` or in `covered`, none in both unless spans overlap.

    Examples
    --------
    >>> record, text = SessionRecord(), "x\n" * 40
    >>> record.record([serve(record, "a.py", text, [(1, 20)])])
    >>> again = serve(record, "a.py", text, [(1, 40)])
    >>> again.emit, again.covered
    (((21, 40),), ((1, 20),))
    """
    params = params or record.params
    sizes = _LineSizes(content)
    fingerprint = file_fingerprint(content)
    served = record.served(path, fingerprint, params=params, project=project)
    wanted = sizes.within(spans)
    split = [dedupe_range(span, served, params.min_covered_lines) for span in wanted]
    emit = tuple(run for part in split for run in part.emit)
    covered = merge_ranges(run for part in split for run in part.covered)
    before_fold = sizes.rendered(emit)
    folded = bool(covered) and before_fold < params.min_delta_chars
    body = 0 if folded else before_fold
    pointer = 0
    if covered:
        names = symbols_in_spans(symbols, covered)
        pointer = pointer_chars(path, covered, names, partial=body > 0, params=params)
    return Section(
        path=path,
        fingerprint=fingerprint,
        served=served,
        emit=emit,
        covered=covered,
        folded=folded,
        body_chars_before_fold=before_fold,
        body_chars=body,
        full_body_chars=sizes.rendered(wanted),
        withheld_source_chars=sum(map(sizes.source, covered)),
        pointer_chars=pointer,
        recorded_spans=emit + covered if body else covered,
        recorded_bytes=body,
    )


def guard(sections: Sequence[Section]) -> tuple[Section, ...]:
    """Restore the first suppressed section in full if an answer would hold pointers only."""
    kept = tuple(sections)
    if any(section.body_chars for section in kept):
        return kept
    for i, section in enumerate(kept):
        if section.covered:
            return (*kept[:i], _restored(section), *kept[i + 1 :])
    return kept


def _restored(section: Section) -> Section:
    whole = merge_ranges(section.emit + section.covered)
    return replace(
        section,
        emit=whole,
        covered=(),
        folded=False,
        body_chars_before_fold=section.full_body_chars,
        body_chars=section.full_body_chars,
        withheld_source_chars=0,
        pointer_chars=0,
        recorded_spans=whole,
        recorded_bytes=section.full_body_chars,
    )


def answer(
    record: SessionRecord,
    files: Iterable[tuple[str, str, Sequence[Range]] | tuple[str, str, Sequence[Range], _Symbols]],
    params: Dedup | None = None,
    *,
    project: str = "",
    thread: str = "",
) -> tuple[Section, ...]:
    r"""Answer one call and record it: each file's section, then the guard.

    Parameters
    ----------
    record
        What was sent before; gets one entry more.
    files
        `(path, content, spans)` or `(path, content, spans, symbols)` of each file. Files of one
        call do not see each other.
    params
        Thresholds; the record's own if not given.
    project, thread
        As for `SessionRecord.record`.

    Returns
    -------
    tuple[Section, ...]
        One a file, in order.

    Examples
    --------
    >>> record, text = SessionRecord(Dedup(guard=False)), "x\n" * 40
    >>> for _ in range(2):
    ...     [section] = answer(record, [("a.py", text, [(1, 20)])])
    >>> section.covered, section.body_chars
    (((1, 20),), 0)
    """
    params = params or record.params
    sections = tuple(
        serve(record, path, content, spans, params, symbols, project=project)
        for path, content, spans, symbols in (Wanted(*file) for file in files)
    )
    if params.guard:
        sections = guard(sections)
    record.record(sections, project=project, thread=thread)
    return sections
