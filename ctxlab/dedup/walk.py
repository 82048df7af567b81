"""A family's log: delivered lines to runs that know their history.

No threshold enters here, and nothing is decided: see `decide`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.dedup.facts import CallFacts, Facts, RunFacts, SectionFacts
from ctxlab.dedup.params import Proof, RecordScope
from ctxlab.events import ToolKind
from ctxlab.log import MARK_KINDS, TOOL_KINDS, Bigs, Bools, FamilyLog, Ids, Ints
from ctxlab.residency import (
    Places,
    Sections,
    contradictions,
    places,
    previous,
    residence,
    sections,
)

__all__ = ["dedup_facts"]


def dedup_facts(
    log: FamilyLog,
    *,
    tools: Iterable[ToolKind] = ("read",),
    proof: Proof = "line_text",
    record_scope: RecordScope = "connection",
) -> Facts:
    """Derive the facts of one family.

    Parameters
    ----------
    tools : iterable of tool kinds
        Whose calls meet the record; errored and empty ones count, others do not exist for it.
    proof : {"line_text", "hunks", "whole_file"}
        What proves that a line is unchanged (the replay specification, "proof").
    record_scope : {"connection", "thread"}
        Who shares a record. A resumed process is a new connection.
    """
    kinds = [TOOL_KINDS.index(kind) for kind in tools]
    chosen = np.isin(log.calls.kind, kinds)
    rows = np.flatnonzero(chosen).astype(np.int32)
    record = _records(log, record_scope)[rows]
    appended = _append(log, rows, record)
    served = sections(log, chosen)
    call = np.searchsorted(rows, served.call).astype(np.int32)
    return Facts(
        (log.family,),
        log.sources,
        np.zeros(len(log.sources), np.int32),
        _call_facts(log, rows, record, appended),
        _section_facts(log, served, call),
        _run_facts(served, _places(log, served, proof), record, appended, call),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Appended:
    """When each call met its record: `index` and `seen` as in `CallFacts`, `arrived` its `at`.

    `rank` is its place among all calls in the order in which they were appended.
    """

    arrived: Ints
    index: Ints
    seen: Ints
    rank: Ints


def _append(log: FamilyLog, rows: Ints, record: Ints) -> _Appended:
    """Append the calls to their records as their responses finish.

    A call of a response that runs is not in the record yet, so that calls of one response do not
    see each other; its calls are appended together, in the order of their tool_use.
    """
    calls = log.calls
    arrived = np.where(calls.result_at[rows] >= 0, calls.result_at[rows], calls.call_at[rows])
    request = calls.request[rows]
    # A call without a response stands alone.
    response = np.where(request >= 0, request, -2 - np.arange(len(rows))).tolist()
    missing = Counter(response)
    index, seen, rank = (np.zeros(len(rows), np.int32) for _ in range(3))
    of_row = record.tolist()
    size: Counter[int] = Counter()
    running: dict[int, list[int]] = {}
    n = 0
    for row in np.argsort(arrived, kind="stable").tolist():
        seen[row] = size[of_row[row]]
        running.setdefault(response[row], []).append(row)
        missing[response[row]] -= 1
        if not missing[response[row]]:
            for done in sorted(running.pop(response[row])):
                index[done], rank[done] = size[of_row[done]], n
                size[of_row[done]] += 1
                n += 1
    return _Appended(arrived.astype(np.int32), index, seen, rank)


def _places(log: FamilyLog, served: Sections, proof: Proof) -> Places:
    """Which delivered lines are the same line of the same state of a file, by the proof."""
    if proof == "hunks":
        return places(log, served, "hunks")
    if proof == "line_text":
        return places(log, served, None)
    return contradictions(served, places(log, served, "none"))[0]


def _run_facts(
    served: Sections, place: Places, record: Ints, appended: _Appended, call: Ints
) -> RunFacts:
    """Cut the sections into runs of one history."""
    n_lines = served.stop - served.start
    section = np.repeat(np.arange(len(served), dtype=np.int32), n_lines)
    state = np.unique(
        np.stack([record[call], served.path, place.generation]), axis=1, return_inverse=True
    )[1].reshape(-1)
    by_append = np.argsort(appended.rank[call][section], kind="stable")

    def last(*keys: npt.NDArray[Any]) -> Bigs:
        """The line appended last before each line, among those with equal keys; -1 for none."""
        found = previous(*(key[by_append] for key in keys))
        lines = np.empty(len(found), np.int64)
        lines[by_append] = np.where(found >= 0, by_append[found], -1)
        return lines

    prev = last(place.line, state[section])
    texts = _vouched(served, prev, appended, call[section])
    line = place.line
    if not texts.all():  # lines of no known text are nobody's earlier delivery
        line = np.where(texts != 0, line, -1 - np.arange(len(line)))
        prev = last(line, state[section])
    same = last(texts, line, state[section])
    opens = _cut(served, prev, same, np.argsort(appended.rank[call], kind="stable"))
    first = np.flatnonzero(opens)
    run_of = np.append(np.cumsum(opens) - 1, -1).astype(np.int32)  # at -1: none
    chars = served.text_chars.astype(np.int64)
    # A line that was only pointed at would not be rendered.
    rendered = np.where(served.delivered_bytes > 0, chars + _digits(served.numbers) + 2, 0)
    touches = np.zeros(len(first), bool)
    inner = ~np.isin(first, served.start)
    touches[inner] = served.numbers[first[inner]] == served.numbers[first[inner] - 1] + 1
    return RunFacts(
        section=section[first],
        first_line=served.numbers[first],
        n_lines=np.diff(np.append(first, len(opens))).astype(np.int32),
        delivered_bytes=_sums(served.delivered_bytes.astype(np.int64), first),
        text_chars=_sums(chars, first),
        rendered_chars=_sums(rendered, first),
        prev=run_of[prev[first]],
        same=run_of[same[first]],
        touches=touches,
    )


def _sums(values: Bigs, first: Bigs) -> Bigs:
    return np.add.reduceat(values, first) if len(first) else values


def _vouched(served: Sections, prev: Bigs, appended: _Appended, call: Ints) -> Ids:
    """Texts, those of lines that were only pointed at being what the pointer vouches for.

    That is the text which the record held when the answer came.
    """
    texts = served.texts.copy()
    for line in np.flatnonzero(texts == 0).tolist():
        held = prev[line]
        while held >= 0 and (
            texts[held] == 0 or appended.index[call[held]] >= appended.seen[call[line]]
        ):
            held = prev[held]
        if held >= 0:
            texts[line] = texts[held]
    return texts


def _cut(served: Sections, prev: Bigs, same: Bigs, order: Bigs) -> Bools:
    """Tell where runs begin: at a gap in the numbers, or where the run before was another.

    What was sent and what was only pointed at stands in different runs. `order` gives the sections
    as they were appended: runs are cut along earlier ones.
    """
    numbers = served.numbers
    opens = np.ones(len(numbers), bool)
    sent = served.delivered_bytes > 0
    opens[1:] = (np.diff(numbers) != 1) | (sent[1:] != sent[:-1])
    opens[served.start] = True
    at = np.arange(len(numbers))
    first = np.append(np.maximum.accumulate(np.where(opens, at, 0)), -1)  # of each line's run
    known = np.maximum.reduceat(prev, served.start) >= 0 if len(numbers) else at
    for i in order[known[order]].tolist():
        a, b = served.start[i], served.stop[i]
        before, equal = first[prev[a:b]], first[same[a:b]]
        opens[a + 1 : b] |= (before[1:] != before[:-1]) | (equal[1:] != equal[:-1])
        first[a:b] = np.maximum.accumulate(np.where(opens[a:b], at[a:b], a))
    return opens


def _call_facts(log: FamilyLog, rows: Ints, record: Ints, appended: _Appended) -> CallFacts:
    stay = residence(log)
    touched = np.zeros(len(log.calls), np.int64)
    size = np.concatenate([[0], np.cumsum(log.lines.delivered_bytes, dtype=np.int64)])
    np.add.at(
        touched,
        log.spans.call,
        size[log.spans.offset + log.spans.n_lines] - size[log.spans.offset],
    )
    return CallFacts(
        family=np.zeros(len(rows), np.int32),
        transcript=log.calls.source[rows],
        thread=log.calls.thread[rows],
        record=record,
        log_thread=log.calls.thread[rows],
        log_call=rows,
        kind=log.calls.kind[rows],
        index=appended.index,
        seen=appended.seen,
        at=appended.arrived,
        until=stay.until[rows],
        cause=stay.cause[rows],
        forgotten_at=_forgotten(log)[rows],
        touched_bytes=touched[rows],
        result_bytes=log.calls.result_bytes[rows],
    )


def _section_facts(log: FamilyLog, served: Sections, call: Ints) -> SectionFacts:
    in_bytes = [len(p.encode("utf-8", "surrogatepass")) for p in log.paths]
    in_chars = [len(p.encode("utf-16-le", "surrogatepass")) // 2 for p in log.paths]
    return SectionFacts(
        call=call,
        path_bytes=np.array(in_bytes, np.int32)[served.path],
        path_chars=np.array(in_chars, np.int32)[served.path],
    )


def _digits(numbers: Ints) -> npt.NDArray[np.int64]:
    """Count the decimal digits of each number."""
    bounds = 10 ** np.arange(1, 10, dtype=np.int64)
    return np.searchsorted(bounds, numbers, side="right").astype(np.int64) + 1


def _records(log: FamilyLog, scope: RecordScope) -> Ints:
    """Number the record each call meets: by session or thread, anew after each resume.

    A resumed process is a new connection for all threads of its session, and for no other.
    """
    calls, marks = log.calls, log.marks
    session = log.thread_session[calls.thread]
    epoch = np.zeros(len(calls), np.int32)
    for mark in np.flatnonzero(marks.kind == MARK_KINDS.index("resume")):
        own = session == log.thread_session[marks.thread[mark]]
        epoch[own & (calls.call_at > marks.at[mark])] += 1
    who = session if scope == "connection" else calls.thread
    records = np.unique(np.stack([who, epoch]), axis=1, return_inverse=True)[1]
    return records.reshape(-1).astype(np.int32)  # older NumPy keeps the shape of the input


def _forgotten(log: FamilyLog) -> Ints:
    """Position of the next compaction or clear of each call's thread, `n_events` if none."""
    calls, marks = log.calls, log.marks
    ends = [MARK_KINDS.index("compaction"), MARK_KINDS.index("clear")]
    arrived = np.where(calls.result_at >= 0, calls.result_at, calls.call_at)
    found = np.full(len(calls), log.n_events, np.int32)
    for at, thread, kind in zip(marks.at[::-1], marks.thread[::-1], marks.kind[::-1], strict=True):
        if kind in ends:
            found[(calls.thread == thread) & (arrived < at)] = at
    return found
