"""What the surface policy would see of each JSON answer, before any number cuts it.

Facts depend on what arranges rows (select, filters, sort, dedupe_by, count_only) and on no numeric
knob: any of those is arithmetic over them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.log import Bigs, Bools, Codes, Ints

__all__ = [
    "PART_KINDS",
    "REQUERY_KINDS",
    "TOKEN_KINDS",
    "UNCUT",
    "AnswerFacts",
    "KeyFacts",
    "QuoteFacts",
    "ShapeFacts",
    "SurfaceFacts",
    "columns",
    "concatenate",
]

Array = npt.NDArray[Any]

TOKEN_KINDS = ("path", "id", "number", "name")
"""Kinds of tokens that a later call may quote of an answer."""

REQUERY_KINDS = ("again", "larger", "next_page", "narrower", "other_fields")
"""How a later call asks the same tool again: word for word, with a larger limit, for the next page,
with a filter more, or for other fields."""


@dataclass(frozen=True, slots=True, eq=False)
class AnswerFacts:
    """One entry a result of a tool that answers in JSON, transcripts one after the other.

    `family`, `transcript` and `tool` index those of the facts; `form` indexes `ANSWER_FORMS`.
    `recorded_bytes` is what the model saw of it, as its harness showed it; `canonical_bytes` its
    JSON printed compactly and not cut (several values: a newline between two), 0 unless it is
    whole. `values` counts its JSON values, `rows` the rows of their main arrays. `requests` would
    have carried it. `requery` indexes `REQUERY_KINDS` and says how the first later call within
    `MAX_ACTIONS` asked the same again (-1: none did), `requery_after` which one it was, 1 the next.
    """

    family: Ints
    transcript: Ints
    tool: Ints
    form: Codes
    is_error: Bools
    recorded_bytes: Bigs
    canonical_bytes: Bigs
    values: Ints
    rows: Ints
    requests: Ints
    requery: Codes
    requery_after: Ints


@dataclass(frozen=True, slots=True, eq=False)
class QuoteFacts:
    """One entry an answer and a token of it that a later call of its thread quotes, in order.

    `kind` indexes `TOKEN_KINDS`. `is_witness` says that the thread knew it from this answer alone:
    neither the model had written it nor anything else shown it before. `after` counts the calls
    from the answer to the first that quotes it, 1 the next.
    """

    answer: Ints
    kind: Codes
    is_witness: Bools
    after: Ints


@dataclass(frozen=True, slots=True, eq=False)
class KeyFacts:
    """One entry an answer and a key of its rows, ordered by both; of an envelope without rows, its.

    `key` indexes the keys of the facts. `rows` counts the rows that have it, `bytes` what it and
    its values take in all of them when printed, the colon and one comma included. Pairs of
    `quote_key_quote` and `quote_key_key` say which keys hold a quoted token.
    """

    answer: Ints
    key: Ints
    rows: Ints
    bytes: Bigs
    quote_key_quote: Ints
    quote_key_key: Ints


PART_KINDS = ("frame", "rows", "array", "overwritten")
"""Frame: what stands around the arrays of a value, whole. Rows: its main array. Array: another one
at its top. Overwritten: an earlier record, which is cut like the rest and then replaced."""

UNCUT = int(np.iinfo(np.int32).max)
"""A length at which no text is cut, and a number of items at which none is left out."""


@dataclass(frozen=True, slots=True, eq=False)
class ShapeFacts:
    """Sizes of all JSON values of all answers, arranged: six tables side by side.

    Values, in the order printed: `value_answer` is the answer. `value_is_untouched` ones pass
    through, `value_has_record` ones are objects, which carry one. `value_inputs` counts the rows
    before filters (1 if there are none), `value_rows` after them (-1: no main array).
    `value_record_bytes` is what the record takes with its name, all that follows from numeric knobs
    and the count of its rows left out. `value_flag_bytes` is what the word `truncated` adds to it
    as soon as something is cut or dropped: less than a new member if it is there already.

    Parts of a value, its frame first: `part_kind` indexes `PART_KINDS`, `part_items` counts its
    items (a frame is one), `part_listed_bytes` is what its key and a comma take where the
    record lists shortened arrays (0: it never does). `part_is_flag` marks an earlier member
    `truncated` that said word replaces.

    Items, part by part: `item_bytes` is the printed size, a comma included but in frames.

    Texts, item by item, those of two characters and more: `text_chars` is the length in code
    points, `is_name` tells that no white space stands in it. Laid end to end they are one long
    text: `wide_at` are the places in it of characters that print as more than one byte, `wide_more`
    how many more.

    Places of quotes: item `shown_item` of `shown_part`, counted from 0, names `shown_quote`, as
    `ctxlab.surface.mentions` asks it, if texts are cut at no fewer than `shown_from` characters and
    no more than `shown_to`. `quote_stands`, one entry a quote, tells that the uncut answer names
    it. Keys name as texts do.
    """

    value_answer: Ints
    value_is_untouched: Bools
    value_has_record: Bools
    value_inputs: Ints
    value_rows: Ints
    value_record_bytes: Ints
    value_flag_bytes: Ints
    value_sort_undefined: Bools
    part_value: Ints
    part_kind: Codes
    part_items: Ints
    part_listed_bytes: Ints
    part_is_flag: Bools
    item_bytes: Bigs
    text_item: Ints
    text_chars: Ints
    text_is_name: Bools
    wide_at: Bigs
    wide_more: Codes
    shown_quote: Ints
    shown_part: Ints
    shown_item: Ints
    shown_from: Ints
    shown_to: Ints
    quote_stands: Bools


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceFacts:
    """Facts of some families, whole.

    `transcripts` stand family by family; `family_of_transcript` indexes `families`. `tools` are the
    names of tools, `keys` those of keys, both sorted.
    """

    families: tuple[str, ...]
    transcripts: tuple[str, ...]
    family_of_transcript: Ints
    tools: tuple[str, ...]
    keys: tuple[str, ...]
    answers: AnswerFacts
    quotes: QuoteFacts
    key_facts: KeyFacts
    shapes: ShapeFacts


_GROUPS: dict[str, type[Any]] = {
    "answers": AnswerFacts,
    "quotes": QuoteFacts,
    "key_facts": KeyFacts,
    "shapes": ShapeFacts,
}
_COUNTED_BY = {
    "family": "family",
    "transcript": "transcript",
    "answer": "answer",
    "quote_key_quote": "quote",
    "value_answer": "answer",
    "part_value": "value",
    "text_item": "item",
    "wide_at": "character",
    "shown_quote": "quote",
    "shown_part": "part",
}
"""What the numbers of a column count: when facts are joined, those of earlier ones come first."""

_DTYPES: dict[str, type[np.generic]] = {
    "Codes": np.int8,
    "Ints": np.int32,
    "Bigs": np.int64,
    "Bools": np.bool_,
}


def columns(group: type[Any], values: Mapping[str, Sequence[Any] | Array]) -> dict[str, Array]:
    """Put the columns of a group of facts into arrays of their declared types.

    Examples
    --------
    >>> columns(QuoteFacts, dict(answer=[0], kind=[1], is_witness=[True], after=[2]))["kind"]
    array([1], dtype=int8)
    """
    return {name: np.array(values[name], kind) for name, kind in _types(group).items()}


def concatenate(parts: Sequence[SurfaceFacts]) -> SurfaceFacts:
    """Join facts of several families, renumbered; a family or transcript stands in one alone."""
    tools = sorted({name for part in parts for name in part.tools})
    keys = sorted({name for part in parts for name in part.keys})
    before = dict.fromkeys(_COUNTED_BY.values(), 0)
    owners: list[Ints] = [np.empty(0, np.int32)]
    joined: dict[str, dict[str, list[Array]]] = {
        name: {column: [np.empty(0, kind)] for column, kind in _types(group).items()}
        for name, group in _GROUPS.items()
    }
    tool_number = {name: number for number, name in enumerate(tools)}
    key_number = {name: number for number, name in enumerate(keys)}
    for part in parts:
        of_keys = np.array([key_number[name] for name in part.keys], np.int32)
        of_tools = np.array([tool_number[name] for name in part.tools], np.int32)
        numbers = {"tool": of_tools, "key": of_keys, "quote_key_key": of_keys}
        owners.append(part.family_of_transcript + np.int32(before["family"]))
        for name, arrays_of in joined.items():
            for column, arrays in arrays_of.items():
                array = getattr(getattr(part, name), column)
                if column in numbers:
                    array = numbers[column][array]
                elif column in _COUNTED_BY:
                    array = array + array.dtype.type(before[_COUNTED_BY[column]])
                arrays.append(array)
        for counted, n in _counts(part).items():
            before[counted] += n
    return SurfaceFacts(
        families=tuple(name for part in parts for name in part.families),
        transcripts=tuple(name for part in parts for name in part.transcripts),
        family_of_transcript=np.concatenate(owners),
        tools=tuple(tools),
        keys=tuple(keys),
        **{
            name: group(**{c: np.concatenate(arrays) for c, arrays in joined[name].items()})
            for name, group in _GROUPS.items()
        },
    )


def _types(group: type[Any]) -> dict[str, type[np.generic]]:
    """Types of the columns of a group of facts."""
    return {column.name: _DTYPES[str(column.type)] for column in fields(group)}


def _counts(part: SurfaceFacts) -> dict[str, int]:
    shapes = part.shapes
    return {
        "family": len(part.families),
        "transcript": len(part.transcripts),
        "answer": len(part.answers.family),
        "quote": len(part.quotes.answer),
        "value": len(shapes.value_answer),
        "part": len(shapes.part_value),
        "item": len(shapes.item_bytes),
        "character": int(shapes.text_chars.sum(dtype=np.int64)),
    }
