"""The byte ceiling: an answer with its record → the longest prefix of its rows that fits.

The reference keeps room for what it will add to the record of a shortened answer and takes it off
the ceiling whether or not anything is dropped. So an answer needs more than its own size to pass
whole, and a larger ceiling may keep fewer rows: once the other arrays fit beside no row, they stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ctxlab.surface.canonical import Json, size
from ctxlab.surface.record import TRUNCATED

__all__ = ["Fitted", "allowed_bytes", "fit", "fitting_rows", "headroom", "stub"]

_RECORD_BYTES = len(',"dropped":,"max_output_bytes":,"output_truncated":true')
_TRUNCATED_BYTES = len(',"truncated":true')


class Fitted(NamedTuple):
    """An answer under its ceiling, its record not yet rewritten.

    `kept` counts the rows of the main array that are left, `dropped` those of all arrays that are
    not; 0 dropped rows: the answer is untouched. A stub has no rows and no record.
    """

    value: Json
    kept: int
    dropped: int
    is_stub: bool


def headroom(max_output_bytes: int, input_count: int, adds_truncated: bool) -> int:
    """Bytes kept free for what the record gains when rows are dropped.

    Examples
    --------
    >>> headroom(450, 30, adds_truncated=True)
    77
    """
    return (
        _RECORD_BYTES
        + len(str(input_count))
        + len(str(max_output_bytes))
        + (_TRUNCATED_BYTES if adds_truncated else 0)
    )


def allowed_bytes(max_output_bytes: int, input_count: int, adds_truncated: bool) -> int:
    """Bytes that an answer may have with its record before rows are dropped; at least 1."""
    return max(1, max_output_bytes - headroom(max_output_bytes, input_count, adds_truncated))


def stub(max_output_bytes: int) -> dict[str, Json]:
    """Write what takes the place of an answer that no dropped row makes small enough."""
    return {
        "max_output_bytes": max_output_bytes,
        TRUNCATED: True,
        "truncated_reason": "max_output_bytes",
    }


def fitting_rows(row_bytes: Iterable[int], room: int) -> int:
    """Count the first rows that fit, a comma before each but the first.

    Examples
    --------
    >>> fitting_rows([2, 3, 9, 1], 6), fitting_rows([7, 1], 6)
    (2, 0)
    """
    kept = 0
    for n_bytes in row_bytes:
        room -= n_bytes + (kept > 0)
        if room < 0:
            break
        kept += 1
    return kept


def fit(payload: Json, primary: str | None, max_output_bytes: int, input_count: int) -> Fitted:
    """Drop rows from the end of an answer until it fits, or put the stub in its place.

    Parameters
    ----------
    payload
        The answer, in an object its record included.
    primary
        Key of the main array; an answer that is an array is its own.
    max_output_bytes
        The ceiling, not 0.
    input_count
        Rows before filters, as the record has them.
    """
    adds_truncated = isinstance(payload, dict) and TRUNCATED not in payload
    allowed = allowed_bytes(max_output_bytes, input_count, adds_truncated)
    rows = payload.get(primary) if isinstance(payload, dict) and primary is not None else payload
    if size(payload) <= allowed:
        return Fitted(payload, len(rows) if isinstance(rows, list) else 0, 0, False)
    replaced = Fitted(stub(max_output_bytes), 0, 0, True)
    if not isinstance(rows, list):
        return replaced
    if not isinstance(payload, dict) or primary is None:
        kept = fitting_rows(map(size, rows), allowed - len("[]"))
        whole: Json = rows[:kept]
        return Fitted(whole, kept, len(rows) - kept, False) if allowed >= len("[]") else replaced
    skeleton: dict[str, Json] = {**payload, primary: []}
    drained = 0
    if size(skeleton) > allowed:
        others = {k: v for k, v in skeleton.items() if isinstance(v, list)}
        drained = sum(map(len, others.values()))
        skeleton |= {key: [] for key in others}
    room = allowed - size(skeleton)
    if room < 0:
        return replaced
    kept = fitting_rows(map(size, rows), room)
    skeleton[primary] = rows[:kept]
    return Fitted(skeleton, kept, len(rows) - kept + drained, False)
