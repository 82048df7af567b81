"""Stored words of a family's sources → its `Texts`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ctxlab import log
from ctxlab.store._columns import Ragged, Rows, Words
from ctxlab.store._families import Family
from ctxlab.store._log_columns import i32, in_order, index_texts, with_event
from ctxlab.store._order import Order
from ctxlab.store._relations import Threads

__all__ = ["TEXT_COLUMNS", "read_texts"]

TEXT_COLUMNS: dict[str, tuple[str, ...]] = {
    "prompts": ("seq", "text"),
    "names": ("seq", "names"),
    "symbols": ("seq", "path", "line", "name", "doc"),
}
"""Columns of each table that is read for those who ask for words."""


def read_texts(
    family: Family,
    tables: dict[str, Rows],
    order: Order,
    threads: Threads,
    first_event: npt.NDArray[np.int64],
    paths: tuple[str, ...],
) -> tuple[log.Texts, tuple[str, ...]]:
    """Build the words of a family; words of an event that is a copy stand once, as it does.

    `first_event` gives for each source the index of its first stored event. The paths are returned
    with those behind them that only symbols name: what others know by number keeps it.
    """
    prompts, names, symbols = (
        _kept(with_event(tables[name], first_event), order) for name in TEXT_COLUMNS
    )
    found, (path,) = index_texts(symbols["path"])
    number = {name: i for i, name in enumerate(dict.fromkeys((*paths, *found)))}
    asked = prompts["event"]
    texts = log.Texts(
        event_ms=order.clock[order.rows],
        source_cwd=tuple(member.cwd for member in family.members),
        prompt_at=i32(order.position[asked]),
        prompt_thread=i32(threads.of_event[asked]),
        prompt_source=i32(prompts.source),
        prompt_text=_words(prompts["text"]),
        symbol_at=i32(order.position[symbols["event"]]),
        symbol_path=i32([number[name] for name in found])[path],
        symbol_line=i32(symbols["line"]),
        symbol_name=_words(symbols["name"]),
        symbol_doc=_words(symbols["doc"]),
        name_at=i32(order.position[names["event"]]),
        names=_lists(names["names"]),
    )
    return texts, tuple(number)


def _kept(rows: Rows, order: Order) -> Rows:
    return in_order(rows.take(order.kept[rows["event"]]), order)


def _words(column: Words) -> tuple[str, ...]:
    return tuple(column.words[code] for code in column.codes.tolist())


def _lists(column: Ragged) -> tuple[tuple[str, ...], ...]:
    words = column.values.words  # type: ignore[union-attr]
    return tuple(tuple(words[code] for code in codes) for codes in column.tuples())
