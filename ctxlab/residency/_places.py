"""Which line of which state of a file each delivered line is.

Told by recorded changes, and by texts that contradict what was shown before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ctxlab.log import EDIT_EVIDENCE, Bigs, Bools, FamilyLog, Ints
from ctxlab.residency._changes import Change, Numbering, changes
from ctxlab.residency._sections import Sections, sections

__all__ = ["Places", "contradictions", "places", "previous", "unrecorded_changes"]


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Which line of which state of a file each delivered line is, whatever its number was then.

    `generation` is one entry a section: it grows where nothing known of the file holds any more.
    `line` is one entry a line: within one (path, generation) equal where it is the same line.
    """

    generation: Ints
    line: Bigs


def places(log: FamilyLog, served: Sections, through: Literal["none", "hunks"] | None) -> Places:
    """Follow the files through their recorded changes.

    Parameters
    ----------
    through
        Which changes leave lines their identity: those with "hunks", "none", or, with None, no
        change is looked at and a line is what stands at its number.
    """
    line = served.numbers.astype(np.int64)
    generation = np.zeros(len(served), np.int32)
    latest: dict[int, int] = {}
    numbering: dict[int, Numbering] = {}
    for step in _in_order(served, () if through is None else changes(log)):
        if isinstance(step, int):
            path = int(served.path[step])
            generation[step] = latest.get(path, 0)
            if path in numbering:
                own = slice(served.start[step], served.stop[step])
                line[own] = numbering[path].at(served.numbers[own])
        elif through == "hunks" and step.carries:
            numbering[step.path] = numbering.get(step.path, Numbering()).after(step)
        else:
            latest[step.path] = latest.get(step.path, 0) + 1
            numbering.pop(step.path, None)
    return Places(generation, line)


def _in_order(served: Sections, changed: Iterable[Change]) -> Iterator[Change | int]:
    """Give changes and the indices of sections as they happened."""
    waiting = iter(changed)
    change = next(waiting, None)
    for i, at in enumerate(served.at.tolist()):
        while change is not None and change.at <= at:
            yield change
            change = next(waiting, None)
        yield i


def contradictions(served: Sections, found: Places) -> tuple[Places, Bools]:
    """Start a new generation wherever a file shows a known line with another text.

    Returns
    -------
    places
        With those generations.
    contradicts : array of shape (n_sections,)
        Where they start.
    """
    section = np.repeat(np.arange(len(served)), served.stop - served.start)
    shown = np.flatnonzero(served.texts != 0)
    before = previous(
        found.line[shown], found.generation[section[shown]], served.path[section[shown]]
    )
    again = np.flatnonzero(before >= 0)
    now, then = shown[again], shown[before[again]]
    other = served.texts[now] != served.texts[then]
    # A text can only contradict what was shown since the file's generation began.
    stale = np.full(len(served), -1)
    np.maximum.at(stale, section[now[other]], section[then[other]])
    generation = np.zeros(len(served), np.int32)
    contradicts = np.zeros(len(served), bool)
    state: dict[int, tuple[int, int, int]] = {}
    rows = zip(served.path.tolist(), found.generation.tolist(), stale.tolist(), strict=True)
    for i, (path, recorded, latest_other) in enumerate(rows):
        known, number, began = state.get(path, (recorded, 0, i))
        contradicts[i] = known == recorded and latest_other >= began
        if known != recorded or contradicts[i]:
            number, began = number + 1, i
        state[path] = recorded, number, began
        generation[i] = number
    return Places(generation, found.line), contradicts


def previous(*keys: npt.NDArray[Any]) -> Bigs:
    """For each row, the index of the last row before it with equal keys; -1 for none."""
    order = np.lexsort(keys)
    equal = np.ones(max(len(order) - 1, 0), bool)
    for key in keys:
        ranked = key[order]
        equal &= ranked[1:] == ranked[:-1]
    found = np.full(len(order), -1)
    found[order[1:][equal]] = order[:-1][equal]
    return found


def unrecorded_changes(log: FamilyLog) -> tuple[tuple[int, int, str], ...]:
    """Changes of files that left no hunk, as (position, path, evidence).

    Evidence is "shell", "reminder" or "error" as the reader saw it, or "changed_line": a line
    delivered again with another text than the recorded hunks explain.
    """
    edits = log.edits
    found = [
        (int(edits.at[i]), int(edits.path[i]), EDIT_EVIDENCE[edits.evidence[i]])
        for i in range(len(edits))
        if EDIT_EVIDENCE[edits.evidence[i]] != "tool"
    ]
    served = sections(log, np.ones(len(log.calls), bool))
    _, contradicts = contradictions(served, places(log, served, "hunks"))
    found += [
        (int(served.at[i]), int(served.path[i]), "changed_line")
        for i in np.flatnonzero(contradicts)
    ]
    return tuple(sorted(found))
