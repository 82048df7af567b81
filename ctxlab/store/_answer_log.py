"""Stored answers and quotes of a family's sources → its `Answers`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ctxlab import log
from ctxlab.store._columns import Rows, Words
from ctxlab.store._log_columns import i32, in_order, known_codes, with_event
from ctxlab.store._order import Order
from ctxlab.store._relations import Paired

__all__ = ["ANSWER_COLUMNS", "read_answers"]

ANSWER_COLUMNS: dict[str, tuple[str, ...]] = {
    "answers": ("seq", "tool", "command", "form", "text", "answer_bytes"),
    "quotes": ("seq", "tokens", "written_seqs", "shown_seqs"),
}
"""Columns of each table that is read for those who ask for answers."""


def read_answers(
    tables: dict[str, Rows], order: Order, calls: Paired, first_event: npt.NDArray[np.int64]
) -> log.Answers:
    """Build the answers of a family; those of an event that is a copy stand once, as it does.

    `first_event` gives for each source the index of its first stored event.
    """
    answers, quotes = (
        in_order(rows.take(order.kept[rows["event"]] & (calls.of_row[rows["event"]] >= 0)), order)
        for rows in (with_event(tables[name], first_event) for name in ANSWER_COLUMNS)
    )
    each = np.repeat(np.arange(len(quotes)), quotes["tokens"].counts)
    first = first_event[quotes.source[each]]
    written, shown = quotes["written_seqs"].flat(), quotes["shown_seqs"].flat()
    shown_event = first + np.maximum(shown, 0)
    return log.Answers(
        call=i32(calls.of_row[answers["event"]]),
        tool=_texts(answers["tool"]),
        command=_texts(answers["command"]),
        form=known_codes(answers["form"], log.ANSWER_FORMS),
        text=_texts(answers["text"]),
        answer_bytes=answers["answer_bytes"],
        quote_call=i32(calls.of_row[quotes["event"]][each]),
        quote_token=_texts(quotes["tokens"].flat()),
        quote_written_at=i32(order.position[first + written]),
        quote_shown_at=i32(np.where(shown < 0, -1, order.position[shown_event])),
    )


def _texts(column: Words) -> tuple[str, ...]:
    return tuple(column.words[code] if code >= 0 else "" for code in column.codes.tolist())
