"""Arranged values of one answer → `ShapeFacts` of it: what is printed, before numbers cut it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ctxlab.surface._payload import in_one, leaves, take_apart
from ctxlab.surface._quoted import Places, shown_by
from ctxlab.surface._texts import wide_characters
from ctxlab.surface.arrange import Arranged
from ctxlab.surface.canonical import Json, size
from ctxlab.surface.facts import ShapeFacts, columns
from ctxlab.surface.params import Surface

__all__ = ["measure"]

Lists = defaultdict[str, list[Any]]


def measure(
    values: Sequence[Json], arranged: Sequence[Arranged], setting: Surface, tokens: Sequence[str]
) -> ShapeFacts:
    """Measure the values of one answer, and find the quoted tokens in them.

    Parameters
    ----------
    values
        As recorded.
    arranged
        As many: each value as the tool reshapes it, arranged by the setting.
    setting
        Its numeric knobs are not looked at.
    tokens
        What later calls quote of the answer.
    """
    lists: Lists = defaultdict(list)
    texts: list[str] = []
    places = Places(tokens)
    stands: set[str] = set()
    for number, (value, how) in enumerate(zip(values, arranged, strict=True)):
        if tokens:
            stands |= shown_by(tokens, leaves(value))
        payload = in_one(value) if how.is_passthrough else take_apart(how, setting)
        _append(
            lists,
            value_answer=0,
            value_bytes=size(value),
            value_is_untouched=how.is_passthrough,
            value_has_record=payload.has_record,
            value_inputs=how.input_count,
            value_rows=-1 if how.rows is None else len(how.rows),
            value_record_bytes=payload.record_bytes,
            value_flag_bytes=payload.flag_bytes,
            value_sort_undefined=how.sort_undefined,
        )
        for part in payload.parts:
            _add_part(lists, number, part)
            texts += _add_items(lists, part, places, is_cut=not how.is_passthrough)
    lists["shown_quote"], lists["shown_part"], lists["shown_item"] = [], [], []
    for place in places.rows():
        for column, entry in zip(_SHOWN, place, strict=True):
            lists[column].append(entry)
    lists["quote_stands"] = [token in stands for token in tokens]
    wide_at, wide_more = wide_characters(texts)
    return ShapeFacts(**columns(ShapeFacts, lists | {"wide_at": wide_at, "wide_more": wide_more}))
