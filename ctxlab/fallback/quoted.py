"""What later calls quote of each JSON answer, and which of it the thread knew from there alone.

Reads the log of one family; no clock, no files.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ctxlab.errors import ParameterError
from ctxlab.fallback._later import later_calls
from ctxlab.log import ANSWER_FORMS, Answers, FamilyLog, Ints
from ctxlab.surface.canonical import parse_values
from ctxlab.surface.mentions import Mentions
from ctxlab.surface.tokens import keys_of, texts_of, tokens_of

__all__ = ["Quoted", "quoted"]

_JSON = ANSWER_FORMS.index("json")


@dataclass(frozen=True, slots=True)
class Quoted:
    """A token that a later call quotes.

    `is_witness` says that its thread knew it from this answer alone. `after` counts the calls of
    the thread from the answer to the first that quotes it, 1 the next.
    """

    is_witness: bool
    after: int


def quoted(log: FamilyLog) -> tuple[Mapping[str, Quoted], ...]:
    """Find the tokens of each JSON answer that a later call of the same thread quotes.

    Parameters
    ----------
    log
        One family, read with answers.

    Returns
    -------
    tuple of mappings
        One a row of `log.answers`: token to how it was quoted, in the order of the quotes; empty
        where the row holds no whole JSON.

    Raises
    ------
    ParameterError
        The log was read without answers.

    Notes
    -----
    A call is later if it belongs to a later model response and was made with the answer still in
    the context: what is quoted behind a compaction, clear, rewind or microcompaction that removed
    the answer does not come from it. What a sub-agent quotes of its parent's answers does not
    count, for it knows of them only what its prompt says. Quotes are looked for within a file:
    where a session goes on in another file without a copy of its history, later quotes are missed.

    A witness is a token of which all of this holds: no other JSON answer of the thread named it
    before the call that quotes it, nothing else did (a prompt, an injected text, another result,
    the name of a tool or of what it takes), and the model had not written it before the answer
    came. Naming is wider than showing: a key, a longer path, a URL or other letters' case will do
    (`ctxlab.surface.mentions`). So an answer without it
    would have left the model to guess. Witnesses are a lower bound of what was needed: needs that
    leave no trace in a later call's input, in the final answer for instance, are not seen.
    """
    answers = log.answers
    if answers is None:
        raise ParameterError("`log` must hold answers: read it with `iter_logs(answers=True)`")
    later = later_calls(log, answers.call)
    rows, naming = _rows_that_show(answers, later.thread)
    arrived = log.calls.result_at[answers.call].tolist()
    found: tuple[dict[str, Quoted], ...] = tuple({} for _ in arrived)
    for quote, call in enumerate(answers.quote_call.tolist()):
        token, at = answers.quote_token[quote], int(log.calls.call_at[call])
        thread_token = int(log.calls.thread[call]), token
        before, told = (
            showing[: bisect_left(showing, at, key=arrived.__getitem__)]
            for showing in (rows[thread_token], naming[thread_token])
        )
        is_hidden = not 0 <= answers.quote_shown_at[quote] < at
        for row in before:
            if token not in found[row] and (after := later.step(row, call, at)):
                is_new = answers.quote_written_at[quote] > arrived[row]
                alone = told == [row] and is_new and is_hidden
                found[row][token] = Quoted(bool(alone), after)
    return found


_Rows = defaultdict[tuple[int, str], list[int]]


def _rows_that_show(answers: Answers, thread: Ints) -> tuple[_Rows, _Rows]:
    """Give, by thread and token, the rows that show each quoted token, and those that name it."""
    wanted = frozenset(answers.quote_token)
    mentions = Mentions(wanted)
    rows: _Rows = defaultdict(list)
    naming: _Rows = defaultdict(list)
    for row in np.flatnonzero(answers.form == _JSON).tolist():
        values = parse_values(answers.text[row])
        for token in tokens_of(values) & wanted:
            rows[int(thread[row]), token].append(row)
        for token in mentions.within(*texts_of(values), *keys_of(values)):
            naming[int(thread[row]), token].append(row)
    return rows, naming
