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
    was only pointed at has the text 0 and no bytes; it is there if it was ever served. `at` is the
    position of the result.
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
    """Lines one by one, those of a call and path in order; `pair` numbers (call, path)."""

    call: Ints
    path: Ints
    pair: Bigs
    number: Ints
    text: Ids
    text_chars: Sizes
    delivered_bytes: Sizes


def _delivered(log: FamilyLog, of_call: npt.NDArray[np.bool_]) -> _Delivered:
    """Lines of spans, and before them those of pointers: in no bytes, with an unknown text."""
    spans, pointers = log.spans, log.pointers
    span = np.flatnonzero(of_call[spans.call])
    n = spans.n_lines[span].astype(np.int64)
    line = np.repeat(spans.offset[span], n) + _count_up(n)
    path = np.repeat(spans.path[span], n)
    number = np.repeat(spans.first_line[span], n) + _count_up(n)

    # Of a range only the lines that were served at some time: nothing is known of the others,
    # and a log may point at two billion of them.
    place = np.unique(_place(path, number))
    pointer = np.flatnonzero(of_call[pointers.call])
    begin = np.searchsorted(place, _place(pointers.path[pointer], pointers.first_line[pointer]))
    end = np.searchsorted(
        place, _place(pointers.path[pointer], pointers.last_line[pointer]), side="right"
    )
    m = np.maximum(end - begin, 0)
    pointed = place[np.repeat(begin, m) + _count_up(m)]

    call = np.concatenate([np.repeat(pointers.call[pointer], m), np.repeat(spans.call[span], n)])
    path = np.concatenate([np.repeat(pointers.path[pointer], m), path])
    unknown = np.zeros(len(pointed), np.uint32)
    return _Delivered(
        call=call,
        path=path,
        pair=call.astype(np.int64) * max(1, len(log.paths)) + path,
        number=np.concatenate([pointed % _NUMBERS, number]).astype(np.int32),
        text=np.concatenate([unknown.astype(np.uint64), log.lines.ids[line]]),
        text_chars=np.concatenate([unknown, log.lines.text_chars[line]]),
        delivered_bytes=np.concatenate([unknown, log.lines.delivered_bytes[line]]),
    )


_NUMBERS = 1 << 32


def _place(path: Ints, number: npt.NDArray[np.signedinteger]) -> Bigs:
    """One number for a path and a line, in the order of both."""
    return path.astype(np.int64) * _NUMBERS + number


def _count_up(n: Bigs) -> Bigs:
    """Count 0 … n[0]-1, 0 … n[1]-1, and so on."""
    counted: Bigs = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
    return counted
