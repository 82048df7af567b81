"""Facts and parameters to decisions: what the policy would have withheld. Pure and exact.

What a record holds depends on earlier decisions only through lines that are not recorded: folded
remainders and whatever the record's caps drop. So decisions are found as a fixed point: decide as
if everything were recorded, take back what would not have been, decide again. Later calls depend
on earlier ones alone, hence the fixed point is the one online run; it is reached after as many
rounds as foldings build on one another (nearly always one or two).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctxlab.dedup.facts import Facts, RunFacts
from ctxlab.dedup.params import Dedup
from ctxlab.log import Bigs, Bools, Codes, Ints
from ctxlab.residency import END_CAUSES

__all__ = ["GAP_CHARS", "HARM_CAUSES", "NEVER", "Decisions", "ages", "decide"]

HARM_CAUSES = (
    "none",
    "branch",
    "microcompaction",
    "clear",
    "compaction",
    "other_thread",
    "folded_unseen",
)
"""Why a pointer is harmful: the lines it points at are not in the context of the thread.

Mildest first: they were and have left it, they were in another, they were never sent.
"""

GAP_CHARS = len("\n\n... (gap) ...\n\n")
"""UTF-16 length of the marker between two pieces of one section."""

NEVER = np.iinfo(np.int32).max
"""Age of a line that the record does not hold."""

_CAUSE_OF_END = np.array([HARM_CAUSES.index(c) for c in END_CAUSES], np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """What the policy does with each section of `Facts`.

    `covered` and `delivered` are one entry a run, all else one entry a section. A section with
    `pointer` is replaced in part (`partial`) or in full. `withheld_bytes` are the delivered bytes
    of covered lines, `folded_bytes` those of a remainder dropped with them. `body_chars` is the
    UTF-16 length of what is still sent, by the tool's own rendering. `harm` indexes `HARM_CAUSES`
    with the worst cause among the lines pointed at.
    """

    covered: Bools
    delivered: Bools
    pointer: Bools
    partial: Bools
    folded: Bools
    restored: Bools
    covered_lines: Bigs
    withheld_bytes: Bigs
    folded_bytes: Bigs
    withheld_source_chars: Bigs
    body_chars: Bigs
    pointer_chars: Bigs
    pointer_bytes: Bigs
    harm: Codes

    @property
    def net_bytes(self) -> Bigs:
        """Bytes not sent, minus the pointers sent instead; may be negative."""
        net: Bigs = self.withheld_bytes + self.folded_bytes - self.pointer_bytes
        return net


def decide(facts: Facts, params: Dedup, held: Ints | None = None) -> Decisions:
    """Run the policy on facts.

    Parameters
    ----------
    facts : Facts
        Of the record scope that `params` names.
    params : Dedup
        The thresholds.
    held : array of shape (n_runs,), optional
        `ages(facts, params.reset_on_compaction)`, to share it between parameter sets.
    """
    recorded = np.ones(len(facts.runs.section), bool)
    age = ages(facts, params.reset_on_compaction) if held is None else held
    while True:
        shape = _shape(facts, params, age)
        kept = _recorded(facts, params, shape)
        if np.array_equal(kept, recorded):
            return _decisions(facts, params, shape)
        recorded = kept
        age = ages(facts, params.reset_on_compaction, recorded)


def ages(facts: Facts, reset_on_compaction: bool, recorded: Bools | None = None) -> Ints:
    """For each run, how many calls ago the record last saw these lines; `NEVER` if not held.

    1 is the latest call. Held are lines whose latest recorded delivery had this very text.

    Parameters
    ----------
    recorded : array of shape (n_runs,), optional
        Which runs entered the record; all if not given.
    """
    runs, calls = facts.runs, facts.calls
    own = facts.sections.call[runs.section]

    def first(link: Ints) -> Ints:
        """Latest run along the link that the record still holds when this call is answered."""
        found = link.copy()
        at = np.flatnonzero(found >= 0)
        while len(at):
            then = own[found[at]]
            gone = calls.index[then] >= calls.seen[own[at]]
            if reset_on_compaction:
                gone |= calls.forgotten_at[then] <= calls.at[own[at]]
            if recorded is not None:
                gone |= ~recorded[found[at]]
            at = at[gone]
            found[at] = link[found[at]]
            at = at[found[at] >= 0]
        return found

    latest, same = first(runs.prev), first(runs.same)
    held = (latest >= 0) & (latest == same)
    age = calls.seen[own] - calls.index[own[np.where(held, latest, 0)]] if len(own) else own
    return np.where(held, age, NEVER).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class _Shape:
    """A section's runs sorted into covered and emitted, before harm is judged."""

    group: Ints
    covered: Bools
    emitted: Bools
    pointer: Bools
    folded: Bools
    restored: Bools
    body_chars: Bigs


def _sum(values: npt.NDArray[np.generic], by: Ints, n: int) -> Bigs:
    return np.bincount(by, weights=values, minlength=n).astype(np.int64)


def _begins(runs: RunFacts, chosen: Bools) -> Bools:
    """Which of the chosen runs do not continue a chosen one."""
    begins = chosen.copy()
    begins[1:] &= ~(runs.touches[1:] & chosen[:-1])
    return begins


def _pieces(runs: RunFacts, chosen: Bools, n_sections: int) -> Bigs:
    """Into how many pieces the chosen runs of each section fall."""
    return _sum(_begins(runs, chosen), runs.section, n_sections)


def _shape(facts: Facts, params: Dedup, age: Ints) -> _Shape:
    runs, n = facts.runs, len(facts.sections.call)
    horizon = NEVER - 1 if params.view_calls is None else params.view_calls
    held = age <= horizon
    joined = runs.touches.copy()
    joined[1:] &= held[:-1]
    group = (np.cumsum(held & ~joined) - 1).astype(np.int32)
    lines = _sum(runs.n_lines[held], group[held], int(group[-1]) + 1 if len(group) else 0)
    covered = held.copy()
    covered[held] = lines[group[held]] >= params.min_covered_lines

    served = runs.delivered_bytes > 0
    emitted = ~covered & served
    pieces = _pieces(runs, emitted, n)
    chars = _sum(np.where(emitted, runs.rendered_chars, 0), runs.section, n)
    body = np.where(pieces > 0, chars - pieces + GAP_CHARS * (pieces - 1), 0)
    # What the log itself only points at needs no second pointer.
    pointer = _sum(covered & served, runs.section, n) > 0
    covered &= pointer[runs.section]
    folded = pointer & (body < params.min_delta_chars)
    restored = np.zeros(n, bool)
    if params.guard:
        restored = _restored(facts, pointer, folded | (pieces == 0))
        whole = _sum(runs.rendered_chars, runs.section, n)
        spans = _pieces(runs, served, n)
        body = np.where(restored, whole - spans + GAP_CHARS * (spans - 1), body)
        covered &= ~restored[runs.section]
        pointer, folded = pointer & ~restored, folded & ~restored
    emitted = ~covered & served & ~folded[runs.section]
    return _Shape(group, covered, emitted, pointer, folded, restored, np.where(folded, 0, body))


def _restored(facts: Facts, pointer: Bools, bodiless: Bools) -> Bools:
    """First section with a pointer of each answer that would otherwise hold pointers only."""
    call, n = facts.sections.call, len(facts.calls.index)
    barren = _sum(~bodiless, call, n) == 0
    candidate = np.flatnonzero(barren[call] & pointer)
    restored: Bools = np.zeros(len(call), bool)
    restored[candidate[np.unique(call[candidate], return_index=True)[1]]] = True
    return restored


def _recorded(facts: Facts, params: Dedup, shape: _Shape) -> Bools:
    """Which runs enter the record: all but folded remainders and what the caps drop.

    Lines that the log only points at enter where the record knows them.
    """
    runs, sections = facts.runs, facts.sections
    kept: Bools = shape.covered | shape.emitted
    kept |= (runs.delivered_bytes == 0) & (runs.prev >= 0)
    begins = _begins(runs, kept)
    ranges = _sum(begins, runs.section, len(sections.call))
    if np.any(ranges > params.ranges_per_file):
        number = (np.cumsum(begins) - 1)[kept]
        length = _sum(runs.n_lines[kept], number, int(begins.sum()))
        owner = runs.section[begins]
        kept[kept] = _top(owner, length, params.ranges_per_file)[number]
    n_files = _sum(np.ones(len(sections.call)), sections.call, len(facts.calls.index))
    if np.any(n_files > params.files_per_call):
        is_file = _sum(kept, runs.section, len(sections.call)) > 0
        size = np.where(is_file, shape.body_chars, -1)
        kept &= _top(sections.call, size, params.files_per_call)[runs.section]
    return kept


def _top(owner: Ints, value: Bigs, limit: int) -> Bools:
    """The `limit` largest values of each owner; earlier ones first among equals."""
    order = np.lexsort((np.arange(len(owner)), -value, owner))
    ranked = owner[order]
    opens = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
    rank = np.arange(len(ranked)) - np.repeat(opens, np.diff(np.append(opens, len(ranked))))
    keep = np.zeros(len(owner), bool)
    keep[order] = rank < limit
    return keep


def _decisions(facts: Facts, params: Dedup, shape: _Shape) -> Decisions:
    runs, sections, n = facts.runs, facts.sections, len(facts.sections.call)
    covered = shape.covered
    dropped = shape.folded[runs.section] & ~covered & (runs.delivered_bytes > 0)
    span_chars = _span_chars(facts, params, shape)
    partial = shape.pointer & (_sum(shape.emitted, runs.section, n) > 0)
    fixed = np.where(partial, params.partial_pointer_chars, params.full_pointer_chars)
    chars = np.where(shape.pointer, fixed + sections.path_chars + span_chars, 0)
    extra = np.where(shape.pointer, sections.path_bytes - sections.path_chars, 0)
    withheld = covered & (runs.delivered_bytes > 0)
    source = _sum(np.where(withheld, runs.text_chars + runs.n_lines, 0), runs.section, n)
    source -= _pieces(runs, withheld, n)
    return Decisions(
        covered=covered,
        delivered=shape.emitted,
        pointer=shape.pointer,
        partial=partial,
        folded=shape.folded,
        restored=shape.restored,
        covered_lines=_sum(np.where(covered, runs.n_lines, 0), runs.section, n),
        withheld_bytes=_sum(np.where(covered, runs.delivered_bytes, 0), runs.section, n),
        folded_bytes=_sum(np.where(dropped, runs.delivered_bytes, 0), runs.section, n),
        withheld_source_chars=source,
        body_chars=shape.body_chars,
        pointer_chars=chars,
        pointer_bytes=chars + extra,
        harm=_harm(facts, covered | dropped, shape.emitted),
    )


def _span_chars(facts: Facts, params: Dedup, shape: _Shape) -> Bigs:
    """Length of the list of withheld spans in each section's pointer."""
    runs, n = facts.runs, len(facts.sections.call)
    at = np.flatnonzero(shape.covered)
    opens = np.ones(len(at), bool)
    opens[1:] = shape.group[at[1:]] != shape.group[at[:-1]]
    begin = at[opens]
    end = at[np.append(opens[1:], True)] if len(at) else at
    first, last = runs.first_line[begin], runs.first_line[end] + runs.n_lines[end] - 1
    owner = runs.section[begin]
    spans = _sum(np.ones(len(begin)), owner, n)
    rank = np.arange(len(begin)) - (np.cumsum(spans) - spans)[owner]
    length = 1 + _width(first) + np.where(last > first, 1 + _width(last), 0)
    named = rank < params.max_spans_in_pointer
    chars = _sum(np.where(named, length + 2 * (rank > 0), 0), owner, n)
    more = spans - params.max_spans_in_pointer
    tail = len(", +") + _width(np.maximum(more, 1)) + len(" more span") + (more > 1)
    return chars + np.where(more > 0, tail, 0)


def _width(numbers: npt.NDArray[np.signedinteger]) -> Bigs:
    """Decimal digits of each number."""
    return np.searchsorted(10 ** np.arange(1, 10), numbers, side="right").astype(np.int64) + 1


def _harm(facts: Facts, pointed_at: Bools, delivered: Bools) -> Codes:
    """Worst reason why lines a section points at are not in the context of its thread.

    Walks back through the deliveries of the same text: one that really sent the lines to this
    thread and is still in its context makes the pointer true; otherwise the latest that sent them
    at all tells the cause.
    """
    runs, calls = facts.runs, facts.calls
    own = facts.sections.call[runs.section]
    at = np.flatnonzero(pointed_at)
    cause = np.zeros(len(runs.section), np.int8)
    where = runs.same[at]
    while len(at):
        ended = where < 0
        unseen = at[ended & (cause[at] == 0)]
        cause[unseen] = HARM_CAUSES.index("folded_unseen")
        at, where = at[~ended], where[~ended]
        now, then, sent = own[at], own[where], delivered[where]
        here = calls.thread[now] == calls.thread[then]
        resident = sent & here & (calls.until[then] > calls.at[now])
        first = sent & ~resident & (cause[at] == 0)
        reason = np.where(here, _CAUSE_OF_END[calls.cause[then]], HARM_CAUSES.index("other_thread"))
        cause[at[first]] = reason[first]
        cause[at[resident]] = 0
        at, where = at[~resident], runs.same[where[~resident]]
    worst = np.zeros(len(facts.sections.call), np.int8)
    np.maximum.at(worst, runs.section[pointed_at], cause[pointed_at])
    return worst
