"""Arranged values of one answer → `ShapeFacts` of it: what is printed, before numbers cut it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from ctxlab.surface._payload import Part, Payload, in_one, leaves, take_apart
from ctxlab.surface._quoted import Places, named_in
from ctxlab.surface._texts import is_name, wide_characters
from ctxlab.surface.arrange import Arranged
from ctxlab.surface.canonical import Json, size
from ctxlab.surface.facts import PART_KINDS, ShapeFacts, columns
from ctxlab.surface.params import Surface

__all__ = ["measure"]


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
    lists: dict[str, list[Any]] = {column.name: [] for column in fields(ShapeFacts)}
    texts: list[str] = []
    places = Places(tokens)
    for number, how in enumerate(arranged):
        payload = in_one(how.value) if how.is_passthrough else take_apart(how, setting)
        _append(lists, _of_value(how, payload))
        for part in payload.parts:
            _append(lists, _of_part(number, part))
            at = len(lists["part_value"]) - 1
            for item, value in enumerate(part.items):
                inside = leaves(value)
                places.look(value, inside, at, item, may_be_cut=not how.is_passthrough)
                if not how.is_passthrough:
                    item_texts = [text for text in inside if isinstance(text, str) and text[1:]]
                    lists["text_item"] += [len(lists["item_bytes"]) + item] * len(item_texts)
                    texts += item_texts
            lists["item_bytes"] += part.sizes
    lists["text_chars"] = [len(text) for text in texts]
    lists["text_is_name"] = [is_name(text) for text in texts]
    for column, entries in zip(_SHOWN, zip(*places.rows(), strict=True), strict=False):
        lists[column] = list(entries)
    named = named_in(tokens, list(values))
    lists["quote_stands"] = [token in named for token in tokens]
    wide_at, wide_more = wide_characters(texts)
    wide: dict[str, Any] = {"wide_at": wide_at, "wide_more": wide_more}
    return ShapeFacts(**columns(ShapeFacts, lists | wide))


_SHOWN = ("shown_quote", "shown_part", "shown_item", "shown_from", "shown_to")


def _append(lists: dict[str, list[Any]], entry: dict[str, Any]) -> None:
    for column, value in entry.items():
        lists[column].append(value)


def _of_value(how: Arranged, payload: Payload) -> dict[str, Any]:
    return {
        "value_answer": 0,
        "value_is_untouched": how.is_passthrough,
        "value_has_record": payload.has_record,
        "value_inputs": how.input_count,
        "value_rows": -1 if how.rows is None else len(how.rows),
        "value_record_bytes": payload.record_bytes,
        "value_flag_bytes": payload.flag_bytes,
        "value_sort_undefined": how.sort_undefined,
    }


def _of_part(value: int, part: Part) -> dict[str, Any]:
    return {
        "part_value": value,
        "part_kind": PART_KINDS.index(part.kind),
        "part_items": len(part.items),
        "part_listed_bytes": 0 if part.listed_as is None else size(part.listed_as) + 1,
        "part_is_flag": part.is_flag,
    }
