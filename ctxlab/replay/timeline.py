"""One thread as a frame: what was served when, and what the policy would have done with it.

Nothing is shortened or drawn here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ctxlab.dedup.decide import HARM_CAUSES, Decisions
from ctxlab.dedup.facts import Facts
from ctxlab.errors import ParameterError
from ctxlab.log import MARK_KINDS, FamilyLog
from ctxlab.residency import sections

__all__ = ["MARKS_SHOWN", "OUTCOMES", "timeline"]

OUTCOMES = ("sent", "pointer", *HARM_CAUSES[1:])
"""What becomes of a served section: sent, replaced by a true pointer, or the cause of harm."""

MARKS_SHOWN = ("compaction", "clear", "microcompaction", "rewind", "resume")
"""Events of the thread that change what is in its context or what the tool remembers."""

_COUNTS = ("lines", "covered_lines", "touched_bytes", "net_bytes")


def timeline(log: FamilyLog, facts: Facts, made: Decisions, thread: int) -> pd.DataFrame:
    """Give what one thread was served, with the events and edits that matter to it.

    Parameters
    ----------
    log : FamilyLog
        One family.
    facts : Facts
        Of this family alone.
    made : Decisions
        Of these facts.
    thread : int
        Index into `log.threads`.

    Returns
    -------
    DataFrame
        Ordered by `at`, the position in the family. `what` is "served" (one row a call and file),
        "edit" (of a file the thread was served, by any thread of the family) or one of
        `MARKS_SHOWN`. `request` counts the model responses of the thread that had begun, from 1.
        `lines`, `covered_lines`, `touched_bytes` and `net_bytes` are null but for served rows, as
        is `outcome`, one of `OUTCOMES`; a pointer may leave some lines to be sent.

    Raises
    ------
    ParameterError
        If there is no such thread, or facts and decisions are not those of this log.
    """
    if not 0 <= thread < len(log.threads):
        raise ParameterError(f"`thread` must be in [0, {len(log.threads) - 1}], got {thread}")
    if facts.families != (log.family,) or len(made.pointer) != len(facts.sections.call):
        raise ParameterError(
            f"`facts` and `made` must be those of family {log.family!r} alone, "
            f"got facts of {len(facts.families)} families with {len(facts.sections.call)} sections "
            f"and decisions on {len(made.pointer)}"
        )
    served = list(_served(log, facts, made, thread))
    rows = [*served, *_edits(log, {str(row["path"]) for row in served}), *_marks(log, thread)]
    rows.sort(key=lambda row: int(row["at"]))
    at = np.array([row["at"] for row in rows], np.int64)

    def column(name: str, kind: str) -> pd.Series[Any]:
        # A stated type: pandas would make Arrow strings, which hold no lone surrogates.
        return pd.Series([row.get(name) for row in rows], dtype=kind)

    return pd.DataFrame(
        {
            "what": column("what", "object"),
            "at": at,
            "request": _requests_begun(log, thread, at),
            "path": column("path", "object"),
            "outcome": column("outcome", "object"),
            **{name: column(name, "Int64") for name in _COUNTS},
        }
    )


def _served(log: FamilyLog, facts: Facts, made: Decisions, thread: int) -> Iterator[dict[str, Any]]:
    chosen = np.zeros(len(log.calls), bool)
    chosen[facts.calls.log_call] = True
    # Facts have a section for each of these, in this order.
    path = sections(log, chosen).path
    call, n = facts.sections.call, len(facts.sections.call)

    def summed(values: npt.NDArray[np.generic]) -> npt.NDArray[np.int64]:
        return np.bincount(facts.runs.section, weights=values, minlength=n).astype(np.int64)

    lines, touched = summed(facts.runs.n_lines), summed(facts.runs.delivered_bytes)
    outcome = np.where(made.pointer, 1 + made.harm.astype(np.int64), 0)
    for i in np.flatnonzero(facts.calls.thread[call] == thread):
        yield {
            "what": "served",
            "at": facts.calls.at[call[i]],
            "path": log.paths[path[i]],
            "outcome": OUTCOMES[outcome[i]],
            "lines": lines[i],
            "covered_lines": made.covered_lines[i],
            "touched_bytes": touched[i],
            "net_bytes": made.net_bytes[i],
        }


def _edits(log: FamilyLog, paths: set[str]) -> Iterator[dict[str, Any]]:
    """Edits of these files; the hunks of one edit are one row."""
    for at, path in dict.fromkeys(zip(log.edits.at, log.edits.path, strict=True)):
        if log.paths[path] in paths:
            yield {"what": "edit", "at": at, "path": log.paths[path]}


def _marks(log: FamilyLog, thread: int) -> Iterator[dict[str, Any]]:
    for at, of, kind in zip(log.marks.at, log.marks.thread, log.marks.kind, strict=True):
        if of == thread and MARK_KINDS[kind] in MARKS_SHOWN:
            yield {"what": MARK_KINDS[kind], "at": at}


def _requests_begun(
    log: FamilyLog, thread: int, at: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """How many responses of the thread had issued a call before each position."""
    own = log.calls.thread == thread
    _, first = np.unique(log.calls.request[own], return_index=True)
    begun = np.sort(log.calls.call_at[own][first])
    return np.searchsorted(begun, at, side="right").astype(np.int64)
