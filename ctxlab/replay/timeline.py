"""One thread as a frame: what was served when, and what the policy would have done with it.

Nothing is shortened or drawn here.
"""

from __future__ import annotations

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
    served = _served(log, facts, made, thread)
    rows = pd.concat(
        [served, _edits(log, thread, set(served["path"])), _marks(log, thread)], ignore_index=True
    )
    rows = rows.sort_values("at", kind="stable", ignore_index=True)
    rows["request"] = _requests_begun(log, thread, rows["at"].to_numpy(np.int64))
    first = ["what", "at", "request", "path", "outcome"]
    return rows[[*first, *_COUNTS]].astype(dict.fromkeys(_COUNTS, "Int64"))


def _frame(
    what: object, at: object, path: object, outcome: object, **counts: object
) -> pd.DataFrame:
    columns: dict[str, object] = {"what": what, "at": at, "path": path, "outcome": outcome}
    columns |= {name: counts.get(name) for name in _COUNTS}
    n = len(np.atleast_1d(np.asarray(at)))
    return pd.DataFrame(columns, index=range(n)).astype(
        {**dict.fromkeys(("what", "path", "outcome"), object), **dict.fromkeys(_COUNTS, "Int64")}
    )


def _served(log: FamilyLog, facts: Facts, made: Decisions, thread: int) -> pd.DataFrame:
    chosen = np.zeros(len(log.calls), bool)
    chosen[facts.calls.log_call] = True
    path = sections(log, chosen).path
    call, n = facts.sections.call, len(facts.sections.call)
    own = np.flatnonzero(facts.calls.thread[call] == thread)

    def summed(values: npt.NDArray[np.generic]) -> npt.NDArray[np.int64]:
        by_section = np.bincount(facts.runs.section, weights=values, minlength=n)
        return by_section.astype(np.int64)[own]

    code = np.where(made.pointer, 1 + made.harm.astype(np.int64), 0)
    return _frame(
        "served",
        facts.calls.at[call[own]].astype(np.int64),
        [log.paths[p] for p in path[own]],
        [OUTCOMES[c] for c in code[own]],
        lines=summed(facts.runs.n_lines),
        covered_lines=made.covered_lines[own],
        touched_bytes=summed(facts.runs.delivered_bytes),
        net_bytes=made.net_bytes[own],
    )


def _edits(log: FamilyLog, thread: int, paths: set[str]) -> pd.DataFrame:
    """Edits of these files; the hunks of one edit are one row."""
    made = {(int(at), int(p)): None for at, p in zip(log.edits.at, log.edits.path, strict=True)}
    kept = [(at, log.paths[p]) for at, p in made if log.paths[p] in paths]
    return _frame("edit", np.array([at for at, _ in kept], np.int64), [p for _, p in kept], None)


def _marks(log: FamilyLog, thread: int) -> pd.DataFrame:
    marks = log.marks
    kinds = [MARK_KINDS[k] for k in marks.kind]
    own = [
        i for i, kind in enumerate(kinds) if kind in MARKS_SHOWN and int(marks.thread[i]) == thread
    ]
    return _frame([*(kinds[i] for i in own)], marks.at[own].astype(np.int64), None, None)


def _requests_begun(
    log: FamilyLog, thread: int, at: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """How many responses of the thread had issued a call before each position."""
    own = log.calls.thread == thread
    _, first = np.unique(log.calls.request[own], return_index=True)
    begun = np.sort(log.calls.call_at[own][first])
    return np.searchsorted(begun, at, side="right").astype(np.int64)
