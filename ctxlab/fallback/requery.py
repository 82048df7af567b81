"""Which JSON answers a later call asks for again: more of them, the next page, a part.

Reads the log of one family; no clock, no files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ctxlab.errors import ParameterError
from ctxlab.fallback._again import asked_again
from ctxlab.fallback._asking import Asking, arguments, changes, command_line
from ctxlab.fallback._later import Later, later_calls
from ctxlab.log import TOOL_KINDS, Answers, FamilyLog
from ctxlab.transcripts.commands import program_of

__all__ = ["MAX_ACTIONS", "Requery", "requeries"]

MAX_ACTIONS = 10
"""Calls of the thread after an answer among which one that asks again is looked for."""

_SHELL = TOOL_KINDS.index("shell")


@dataclass(frozen=True, slots=True)
class Requery:
    """How a later call asks the same again: one of `ctxlab.surface.facts.REQUERY_KINDS`.

    `after` counts the calls of the thread from the answer to it, 1 the next.
    """

    kind: str
    after: int


def requeries(log: FamilyLog) -> tuple[Requery | None, ...]:
    """Find the first later call that asks for the same as each answer.

    Parameters
    ----------
    log
        One family, read with answers.

    Returns
    -------
    tuple
        One a row of `log.answers`, of whatever form: the first call within `MAX_ACTIONS` of the
        thread that asks the same tool the same again, None without one.

    Raises
    ------
    ParameterError
        The log was read without answers.

    Notes
    -----
    The same tool is the same program and sub-command, or the same tool by name. A call asks the
    same again if it has the same words, and differs in nothing but in how much of the answer it
    shows: word for word (again), with a larger limit or without one (larger), from another place on
    (next_page), with other fields (other_fields), with more words, options or filters behind it
    (narrower). Commands that cannot be read, such as loops and unbalanced quotes, can only be asked
    again word for word. What changes things, by its name or options, asks for nothing.

    A call of the same model response is not later, and one made when the answer had left the
    context asks for what was forgotten: neither counts. Not every requery tells of a lack: what
    changes meanwhile is asked again, too, so look at the kinds apart.
    """
    answers = log.answers
    if answers is None:
        raise ParameterError("`log` must hold answers: read it with `iter_logs(answers=True)`")
    later = later_calls(log, answers.call)
    asked = [_asked(log, answers, row) for row in range(len(answers))]
    alike: dict[tuple[int, str], list[int]] = defaultdict(list)
    for row in np.lexsort((later.rank[answers.call], later.thread)).tolist():
        alike[int(later.thread[row]), asked[row].program].append(row)
    found: list[Requery | None] = [None] * len(answers)
    for rows in alike.values():
        for place, row in enumerate(rows):
            after = (rows[i] for i in range(place + 1, len(rows)))
            found[row] = _first(log, answers, later, asked, row, after)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The command of an answer, word for word and as far as it can be read."""

    program: str
    command: str
    asking: Asking | None


def _asked(log: FamilyLog, answers: Answers, row: int) -> _Asked:
    tool, command = answers.tool[row], answers.command[row].strip()
    if log.calls.kind[answers.call[row]] != _SHELL:
        return _Asked(tool, command, arguments(command))
    program = program_of(tool)
    return _Asked(program, command, command_line(command, program))


def _first(
    log: FamilyLog,
    answers: Answers,
    later: Later,
    asked: list[_Asked],
    row: int,
    others: Iterable[int],
) -> Requery | None:
    """Find the first of the others, in the order of their calls, that asks the same again."""
    for other in others:
        call = int(answers.call[other])
        if later.rank[call] > later.base[row] + MAX_ACTIONS:
            break
        step = later.step(row, call, int(log.calls.call_at[call]))
        kind = _kind(asked[row], asked[other]) if step else None
        if kind:
            return Requery(kind, step)
    return None


def _kind(before: _Asked, after: _Asked) -> str | None:
    if changes(before.program) or (before.asking and before.asking.writes):
        return None
    if before.command == after.command:
        return "again"
    if before.asking is None or after.asking is None:
        return None
    return asked_again(before.asking, after.asking)
