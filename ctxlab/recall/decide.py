"""Facts and parameters to decisions: what the policy would have printed. Pure and exact.

Floors look at numbers of the whole question, `max_hits` and `max_output_bytes` cut a prefix of its
ranked lines, and suppression leaves out of that prefix what an earlier prefix of the same context
held. So a question's decision needs no other question's, but for which lines these had taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxlab.log import Bigs, Bools, Ints
from ctxlab.recall.facts import QUESTION_KINDS, QuestionFacts, RecallFacts
from ctxlab.recall.params import MAX_HITS, Recall

__all__ = ["Decisions", "Prepared", "decide", "prepare"]

_NO_LINE = np.iinfo(np.int64).max
"""Bytes up to a rank at which there is no line: more than any budget."""


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """What the policy does with each question of `RecallFacts`.

    `printed` is one entry a ranked line, all else one entry a question. A question *fires* if at
    least one line is printed; others have no bytes. `output_bytes` is all that is printed, framing
    and header included. `truncated` says that the budget cut lines which `max_hits` would have
    kept. `repeats_left_out` counts the lines that suppression took away, also where it took all.
    `repeat`, one entry a ranked line, marks those that floors and budget let through although an
    earlier question of the same context had taken their node: printed again, or left out.
    """

    fires: Bools
    printed: Bools
    output_bytes: Bigs
    truncated: Bools
    repeats_left_out: Ints
    repeat: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What every decision on the same facts needs and no parameter changes.

    `n_lines` (n_questions,) counts ranked lines; `bytes_to` (n_questions, `MAX_HITS`) are the bytes
    of a question's lines up to each rank. `by_node` are the lines of asked questions, ordered by
    context, node and question; `run_opens` (as long) says where in it the run of the same context
    and node begins.
    """

    n_lines: Ints
    bytes_to: Bigs
    by_node: Bigs
    run_opens: Bigs


def prepare(facts: RecallFacts) -> Prepared:
    """Work out once what `decide` needs for any parameters.

    Parameters
    ----------
    facts : RecallFacts
        Lines ordered by question and rank, ranks counted from 0, each node once a question.
    """
    questions, pointers = facts.questions, facts.pointers
    n = len(questions.kind)
    line_bytes = np.zeros((n, MAX_HITS), np.int64)
    line_bytes[pointers.question, pointers.rank] = pointers.line_bytes
    n_lines = np.bincount(pointers.question, minlength=n).astype(np.int32)
    bytes_to = np.cumsum(line_bytes, axis=1)
    bytes_to[np.arange(MAX_HITS) >= n_lines[:, None]] = _NO_LINE

    asked = np.flatnonzero(questions.kind[pointers.question] == QUESTION_KINDS.index("asked"))
    context = questions.context[pointers.question]
    # The sort is stable: lines stay in the order of their questions.
    by_node = asked[np.lexsort((pointers.node[asked], context[asked]))]
    opens = np.zeros(len(by_node), bool)
    opens[:1] = True
    for column in (context[by_node], pointers.node[by_node]):
        opens[1:] |= column[1:] != column[:-1]
    starts = np.flatnonzero(opens)
    return Prepared(n_lines, bytes_to, by_node, starts[np.cumsum(opens) - 1])


def decide(facts: RecallFacts, params: Recall, prepared: Prepared | None = None) -> Decisions:
    """Run the policy on facts.

    Parameters
    ----------
    facts : RecallFacts
        Found with the `gate`, `max_query_terms` and `max_excerpt_bytes` of `params`: these change
        what is found, the others what is printed of it.
    params : Recall
        The thresholds.
    prepared : Prepared, optional
        `prepare(facts)`, to share it between parameter sets.

    Returns
    -------
    Decisions
        A question fires if every floor holds and a line fits. Floors are those of the identifier
        gate; the coverage gate has none. A score that is unknown (NaN) fails the floor that needs
        it; a missing second score does not, for then nothing else competes. Controls are asked in
        a context of their own: their lines are no repeats and make none.
    """
    made = prepare(facts) if prepared is None else prepared
    questions, pointers = facts.questions, facts.pointers
    kept = np.minimum(made.n_lines, params.max_hits)
    budget = params.max_output_bytes - _frame(questions, params, kept) - params.elision_bytes
    fitting = made.bytes_to[:, : params.max_hits] <= budget[:, None]
    taken = np.where(_passes(questions, params), np.count_nonzero(fitting, axis=1), 0)
    printed = pointers.rank < taken[pointers.question]
    truncated = (taken > 0) & (taken < kept)
    left_out = np.zeros(len(taken), np.int64)
    line_bytes = np.where(
        taken > 0, made.bytes_to[np.arange(len(taken)), np.maximum(taken - 1, 0)], 0
    )
    repeats = _repeats(made, printed)
    repeat = np.zeros(len(printed), bool)
    repeat[repeats] = True
    if params.suppress_repeats:
        printed[repeats] = False
        left_out = _sum(None, pointers.question[repeats], len(taken))
        line_bytes -= _sum(pointers.line_bytes[repeats], pointers.question[repeats], len(taken))
        taken = taken - left_out
        truncated &= taken > 0
    fires = taken > 0
    whole = _frame(questions, params, taken) + line_bytes + params.elision_bytes * truncated
    return Decisions(
        fires=fires,
        printed=printed,
        output_bytes=np.where(fires, whole, 0).astype(np.int64),
        truncated=truncated,
        repeats_left_out=left_out.astype(np.int32),
        repeat=repeat,
    )


def _passes(questions: QuestionFacts, params: Recall) -> Bools:
    """Which questions the gate and the floors let through."""
    passes: Bools
    if params.gate == "coverage":
        passes = questions.hits > 0
        return passes
    best, second = questions.best_score, questions.second_score
    # A comparison with NaN is false: what matched nothing fails the first floor.
    passes = (questions.terms > 0) & (best >= params.min_hit_score)
    passes &= best >= params.min_ceiling_share * questions.ceiling
    passes &= np.isnan(second) | (best >= params.min_margin * second)
    if params.min_unrelated_share > 0:
        passes &= questions.unrelated_share >= params.min_unrelated_share
    return passes


def _frame(questions: QuestionFacts, params: Recall, n_lines: Ints | Bigs) -> Bigs:
    """Bytes of framing and header around so many lines."""
    digits = 1 + (n_lines >= 10)
    fixed = params.framing_bytes + params.header_bytes
    frame: Bigs = fixed + digits + questions.label_bytes.astype(np.int64)
    return frame


def _repeats(made: Prepared, taken: Bools) -> Bigs:
    """Taken lines whose node an earlier question of the same context had taken."""
    here = taken[made.by_node]
    before: Bigs = np.cumsum(here) - here
    earlier: Bigs = before - before[made.run_opens]
    return made.by_node[here & (earlier > 0)]


def _sum(values: Ints | None, by: Ints, n: int) -> Bigs:
    return np.bincount(by, weights=values, minlength=n).astype(np.int64)
