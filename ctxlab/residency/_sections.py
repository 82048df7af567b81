"""What each call delivered of each file, line by line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctxlab.log import Bigs, FamilyLog, Ids, Ints, Sizes

__all__ = ["Sections", "sections"]


@dataclass(frozen=True, slots=True, eq=False)
class Sections:
    """What each call delivered of each file: one entry a (call, path), lines sorted by number.

    Lines `start` … `stop` of the line arrays belong to a section. A line that one call delivered
    twice stands once, as it came last. Sections stand in the order of their results. A line that
    was only pointed at has the text 0 and no bytes. `at` is the position of the result.
    """

    call: Ints
    path: Ints
    at: Ints
    start: Ints
    stop: Ints
    numbers: Ints
    texts: Ids
    text_chars: Sizes
    delivered_bytes: Sizes

    def __len__(self) -> int:
        return len(self.call)


def sections(log: FamilyLog, of_call: npt.NDArray[np.bool_]) -> Sections:
    """Group the delivered lines of the chosen calls by call and path.

    Parameters
    ----------
    of_call : array of shape (n_calls,)
        Which calls count.
    """
    lines = _delivered(log, of_call)
    _, earliest, which = np.unique(lines.pair, return_index=True, return_inverse=True)
    # Files keep the order in which they stand in the answer.
    rank = earliest[which]
    order = np.lexsort((np.arange(len(rank)), lines.number, rank, log.calls.result_at[lines.call]))
    pair, number = lines.pair[order], lines.number[order]
    last = np.ones(len(order), bool)
    last[:-1] = (pair[1:] != pair[:-1]) | (number[1:] != number[:-1])
    order, pair = order[last], pair[last]
    opens = np.ones(len(order), bool)
    opens[1:] = pair[1:] != pair[:-1]
    start = np.flatnonzero(opens).astype(np.int32)
    return Sections(
        call=lines.call[order][start],
        path=lines.path[order][start],
        at=log.calls.result_at[lines.call[order][start]],
        start=start,
        stop=np.append(start, len(order))[1:].astype(np.int32),
        numbers=lines.number[order],
        texts=lines.text[order],
        text_chars=lines.text_chars[order],
        delivered_bytes=lines.delivered_bytes[order],
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Delivered:
    """Lines one by one, in the order they stand in; `pair` numbers (call, path)."""

    call: Ints
    path: Ints
    pair: Bigs
    number: Ints
    text: Ids
    text_chars: Sizes
    delivered_bytes: Sizes


def _delivered(log: FamilyLog, of_call: npt.NDArray[np.bool_]) -> _Delivered:
    """Lines of spans, then those of pointers: delivered in no bytes, with an unknown text."""
    spans, pointers = log.spans, log.pointers
    span = np.flatnonzero(of_call[spans.call])
    n = spans.n_lines[span].astype(np.int64)
    line = np.repeat(spans.offset[span], n) + _count_up(n)
    pointer = np.flatnonzero(of_call[pointers.call])
    m = (pointers.last_line[pointer] - pointers.first_line[pointer] + 1).astype(np.int64)
    call = np.concatenate([np.repeat(spans.call[span], n), np.repeat(pointers.call[pointer], m)])
    path = np.concatenate([np.repeat(spans.path[span], n), np.repeat(pointers.path[pointer], m)])
    number = np.concatenate(
        [
            np.repeat(spans.first_line[span], n) + _count_up(n),
            np.repeat(pointers.first_line[pointer], m) + _count_up(m),
        ]
    )
    unknown = np.zeros(int(m.sum()), np.uint32)
    return _Delivered(
        call=call,
        path=path,
        pair=call.astype(np.int64) * max(1, len(log.paths)) + path,
        number=number.astype(np.int32),
        text=np.concatenate([log.lines.ids[line], unknown.astype(np.uint64)]),
        text_chars=np.concatenate([log.lines.text_chars[line], unknown]),
        delivered_bytes=np.concatenate([log.lines.delivered_bytes[line], unknown]),
    )


def _count_up(n: Bigs) -> Bigs:
    """Count 0 … n[0]-1, 0 … n[1]-1, and so on."""
    counted: Bigs = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
    return counted
