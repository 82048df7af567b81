"""What is printed of each value under numeric knobs: items kept of each part, and bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxlab.log import Bigs, Bools, Ints
from ctxlab.surface._payload import NEW_FLAG_BYTES
from ctxlab.surface.budget import headroom, stub
from ctxlab.surface.canonical import size
from ctxlab.surface.facts import UNCUT
from ctxlab.surface.params import Surface
from ctxlab.surface.prepared import Prepared, Sizes

__all__ = ["Printed", "out_of_step", "print_values"]

_TENS = 10 ** np.arange(1, 19, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Printed:
    """`kept`, `capped` and `dropped` items, one entry a part; `bytes`, `is_stub`, one a value.

    Of what is overwritten nothing is kept. Only items of arrays are capped or dropped.
    """

    kept: Ints
    capped: Ints
    dropped: Ints
    bytes: Bigs
    is_stub: Bools


@dataclass(frozen=True, slots=True, eq=False)
class _Limited:
    """Values whose rows are limited and texts cut, without a ceiling.

    One entry a part: items `kept`, `contents` bytes of these, whether it `is_gone`, overwritten by
    the word that texts were cut. One entry a value: `count` of rows, whether a text `is_cut`, what
    is `written` into it but for that word, and `whole`, the size of all.
    """

    kept: Ints
    contents: Bigs
    is_gone: Bools
    count: Ints
    is_cut: Bools
    written: Bigs
    whole: Bigs


def print_values(made: Prepared, params: Surface) -> Printed:
    """Limit rows, cut texts and hold values under the ceiling."""
    shapes, sizes = made.shapes, made.sizes(params.truncate_content)
    limited = _limit(made, params, sizes)
    is_list = made.is_rows | made.is_other
    if params.max_output_bytes:
        kept, is_stub = _fit(made, params.max_output_bytes, sizes, limited)
    else:
        kept, is_stub = limited.kept, np.zeros(len(shapes.value_answer), bool)
    dropped = is_list * (limited.kept - kept)
    n_dropped = made.by_value(dropped)
    is_dropped = n_dropped > 0
    is_gone = shapes.part_is_flag & (limited.is_cut | is_dropped)[shapes.part_value]
    count = np.where(is_dropped, made.by_value(made.is_rows * kept), limited.count)
    told = _digits(count) - _digits(limited.count) + _digits(n_dropped)
    told += headroom(params.max_output_bytes, 0, adds_truncated=False) - 1
    whole = made.by_value(_contents(made, sizes, kept, is_gone)) + limited.written
    whole += (limited.is_cut | is_dropped) * shapes.value_flag_bytes
    whole += shapes.value_has_record * is_dropped * told
    return Printed(
        kept=kept * (made.is_shown & ~is_gone),
        capped=is_list * (shapes.part_items - limited.kept),
        dropped=dropped,
        bytes=np.where(is_stub, size(stub(params.max_output_bytes)), whole),
        is_stub=is_stub,
    )


def _limit(made: Prepared, params: Surface, sizes: Sizes) -> _Limited:
    shapes = made.shapes
    most = params.max_items or UNCUT
    kept = np.minimum(shapes.part_items, most)
    is_cut = made.by_value(made.items(sizes.names_to, kept) + made.items(sizes.texts_to, kept)) > 0
    is_gone = shapes.part_is_flag & is_cut[shapes.part_value]
    contents = _contents(made, sizes, kept, is_gone)
    count = np.where(shapes.value_rows < 0, 1, np.minimum(shapes.value_rows, most))
    written = shapes.value_record_bytes + _digits(count) * (1 + params.count_only)
    if params.max_items:
        written += size({"max_items": params.max_items}) - size({}) + 1
        listed = made.by_value((shapes.part_items > most) * shapes.part_listed_bytes)
        written += np.where(listed > 0, size({"secondary_capped": []}) - size({}) + listed, 0)
    if params.truncate_content:
        told = {"truncate_content": params.truncate_content, "content_truncated": True}
        written += is_cut * (size(told) - size({}) + 1)
    written *= shapes.value_has_record
    whole: Bigs = made.by_value(contents) + written + is_cut * shapes.value_flag_bytes
    return _Limited(kept, contents, is_gone, count, is_cut, written, whole)


def out_of_step(made: Prepared, params: Surface) -> tuple[Bigs, Bigs]:
    """Give the ceilings at which a value keeps fewer rows than at a smaller one: first, and behind.

    Under a small ceiling the arrays beside the rows are emptied. At the first that leaves room for
    them they stay, and the rows lose theirs: on either side a larger ceiling keeps no fewer rows.
    One entry a value; where both are equal there is no such ceiling.

    Parameters
    ----------
    params
        Its ceiling is not looked at.
    """
    sizes = made.sizes(params.truncate_content)
    limited = _limit(made, params, sizes)
    rows = np.maximum(made.rows_part, 0)
    apart = np.where(made.rows_part >= 0, limited.contents[rows], 0) if len(limited.contents) else 0
    room = limited.whole - apart + _taken(made, limited)
    # the least ceiling that leaves this room beside its own digits
    turn = np.maximum(room, 1)
    for digits in range(len(_TENS) + 1, 0, -1):
        turn = np.where(_digits(room + digits) <= digits, room + digits, turn)

    def kept(ceilings: Bigs) -> Bigs:
        found, _ = _fit(made, ceilings, sizes, limited)
        is_gone = made.shapes.part_is_flag & (found < limited.kept)
        return made.by_value(made.is_rows * found * ~is_gone)

    most = kept(turn - 1)
    low, high = turn - 1, limited.whole + _taken(made, limited) + len(_TENS)
    high = np.maximum(high, turn)  # there all is kept
    while (open_ := high - low > 1).any():
        middle = (low + high) // 2
        is_enough = kept(np.maximum(middle, turn)) >= most
        high = np.where(open_ & is_enough, middle, high)
        low = np.where(open_ & ~is_enough, middle, low)
    return turn, np.maximum(high, turn)


def _taken(made: Prepared, limited: _Limited) -> Bigs:
    """What the ceiling holds back of each value, but for its own digits."""
    shapes = made.shapes
    adds_flag = (shapes.value_flag_bytes == NEW_FLAG_BYTES) & ~limited.is_cut
    free = headroom(0, 0, adds_truncated=False) - 2 + _digits(shapes.value_inputs)
    taken: Bigs = free + adds_flag * NEW_FLAG_BYTES
    return taken


def _fit(made: Prepared, most: int | Bigs, sizes: Sizes, limited: _Limited) -> tuple[Ints, Bools]:
    """Items kept of each part under a ceiling, one for all or a value each, and which are stubs."""
    shapes = made.shapes
    ceilings = np.asarray(most, np.int64)
    allowed = np.maximum(1, ceilings - _digits(ceilings) - _taken(made, limited))
    is_over = (limited.whole > allowed) & ~shapes.value_is_untouched

    rows = made.rows_part
    has_rows = is_over & (rows >= 0) & ~limited.is_gone[rows]
    room = allowed - limited.whole + np.where(has_rows, limited.contents[rows], 0)
    is_drained = has_rows & (room < 0)
    room += is_drained * made.by_value(made.is_other * limited.contents)
    is_stub = is_over & ~(has_rows & (room >= 0))

    kept = limited.kept.copy()
    fitted = np.flatnonzero(has_rows & ~is_stub)
    part = rows[fitted]
    start = made.part_start[part]
    # each item counts with a comma, of which the first needs none
    end = np.searchsorted(sizes.bytes_to, sizes.bytes_to[start] + room[fitted] + 1, side="right")
    kept[part] = np.minimum(kept[part], end - 1 - start)
    is_emptied = made.is_other & ~limited.is_gone & is_drained[shapes.part_value]
    kept[is_emptied | is_stub[shapes.part_value]] = 0
    return kept, is_stub


def _contents(made: Prepared, sizes: Sizes, kept: Ints, is_gone: Bools) -> Bigs:
    """Bytes that the first items of each part take, commas between them."""
    commas = (made.is_rows | made.is_other) & (kept > 0)
    contents: Bigs = (made.items(sizes.bytes_to, kept) - commas) * (made.is_shown & ~is_gone)
    return contents


def _digits(numbers: Ints | Bigs) -> Bigs:
    """How many digits each of these numbers has; none is negative."""
    return np.searchsorted(_TENS, numbers, side="right") + 1
