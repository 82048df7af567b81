"""The record `agent_surface`: what of an answer was left out, by which knob."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.surface.arrange import Arranged
from ctxlab.surface.canonical import Json
from ctxlab.surface.params import Surface

__all__ = ["RECORD", "TRUNCATED", "mark_truncated", "record", "record_dropped"]

RECORD = "agent_surface"
"""Member of an answer that holds its record."""

TRUNCATED = "truncated"
"""Member that says that something was cut or dropped."""


def record(
    arranged: Arranged,
    params: Surface,
    output_count: int,
    capped: Sequence[str] = (),
    is_cut: bool = False,
) -> dict[str, Json]:
    """Write the record of an answer before its byte ceiling.

    Parameters
    ----------
    arranged, params
        The answer, and the knobs as they were set.
    output_count
        Rows that are left.
    capped
        Keys of the other arrays that `max_items` shortened, in code-point order.
    is_cut
        Whether `truncate_content` cut a text.
    """
    members: dict[str, Json] = {
        "aliases_removed": list(arranged.aliases_removed),
        "count_only": params.count_only,
        "dedupe_by": params.dedupe_by,
        "filters": len(params.filters),
        "max_items": params.max_items,
        "secondary_capped": list(capped),
        "select": list(params.select),
        "sort": params.sort,
        "truncate_content": params.truncate_content if is_cut else 0,
        "content_truncated": is_cut,
    }
    told = {key: member for key, member in members.items() if member or member == ""}
    return {"input_count": arranged.input_count, "output_count": output_count, **told}


def record_dropped(
    written: dict[str, Json], output_count: int, dropped: int, max_output_bytes: int
) -> dict[str, Json]:
    """Add to a record which rows the byte ceiling dropped."""
    return {
        **written,
        "output_count": output_count,
        "output_truncated": True,
        "dropped": dropped,
        "max_output_bytes": max_output_bytes,
    }


def mark_truncated(payload: dict[str, Json], overwrites: bool) -> dict[str, Json]:
    """Say in the answer itself that it is not whole; what it says already is kept, or not."""
    return payload if TRUNCATED in payload and not overwrites else {**payload, TRUNCATED: True}
