"""One value → its parts as they stand when no number has cut anything: frame, rows, other arrays.

What a number cuts is the items of these parts and the texts in them; so their sizes are all that
is to be known.
"""

from __future__ import annotations

from dataclasses import dataclass

from ctxlab.surface.arrange import Arranged
from ctxlab.surface.canonical import Json, size
from ctxlab.surface.params import Surface
from ctxlab.surface.paths import project
from ctxlab.surface.record import RECORD, TRUNCATED, record

__all__ = ["NEW_FLAG_BYTES", "Part", "Payload", "in_one", "leaves", "take_apart"]

NEW_FLAG_BYTES = size({TRUNCATED: True}) - size({}) + 1
"""What the word that an answer is not whole adds to one without it, a comma included."""


@dataclass(frozen=True, slots=True)
class Part:
    """Items of one of `PART_KINDS`; a frame is one item.

    `listed_as` is the key that the record lists it under if it is shortened, None for what it does
    not list. `sizes` are the printed bytes of each item, a comma included in arrays. `is_flag`: it
    is overwritten as soon as something is cut or dropped.
    """

    kind: str
    listed_as: str | None
    items: list[Json]
    sizes: list[int]
    is_flag: bool = False


@dataclass(frozen=True, slots=True)
class Payload:
    """A value taken apart, its frame first.

    `record_bytes` is what the record takes with its name and comma, but for numeric knobs and the
    count of rows. `flag_bytes` is what the word that the value is not whole adds.
    """

    parts: tuple[Part, ...]
    has_record: bool = False
    record_bytes: int = 0
    flag_bytes: int = 0


def take_apart(arranged: Arranged, setting: Surface) -> Payload:
    """Project the rows of an answer, or count them, and take it apart.

    Parameters
    ----------
    arranged
        An answer that does not pass untouched.
    setting
        The knobs that it was arranged with; numeric ones are not looked at.
    """
    select, synonyms = setting.select, setting.has_synonyms
    if setting.count_only:
        return _object({"count": None}, None, arranged, setting)
    if arranged.rows is None:
        value = project(arranged.value, select, synonyms) if select else arranged.value
        if isinstance(value, dict):
            return _object(value, None, arranged, setting)
        return in_one(value)
    rows = [project(row, select, synonyms) for row in arranged.rows] if select else arranged.rows
    if arranged.primary is None:
        return Payload((Part("frame", None, [None], [size([])]), _array("rows", None, rows)))
    return _object({**arranged.others, arranged.primary: rows}, arranged.primary, arranged, setting)


def in_one(value: Json) -> Payload:
    """Give a value that carries no record and has no part but itself."""
    return Payload((Part("frame", None, [value], [size(value)]),))


def _object(
    value: dict[str, Json], primary: str | None, arranged: Arranged, setting: Surface
) -> Payload:
    """Take an object apart; only one with a main array has others that are cut like it."""
    frame: dict[str, Json] = {}
    shown: dict[str, Json] = {}
    parts: list[Part] = []
    flag_bytes = 0 if TRUNCATED in value else NEW_FLAG_BYTES
    for key, member in value.items():
        is_array = primary is not None and isinstance(member, list)
        is_flag = key == TRUNCATED and setting.overwrites_truncated
        listed_as = key if is_array and key != primary else None
        if key == RECORD:
            items = member if isinstance(member, list) and is_array else [member]
            parts.append(Part("overwritten", listed_as, items, [size(item) for item in items]))
            continue
        frame[key] = shown[key] = member
        if isinstance(member, list) and is_array:
            frame[key] = shown[key] = []
            parts.append(_array("rows" if key == primary else "array", listed_as, member, is_flag))
        elif is_flag:
            frame[key], shown[key] = 0, None
            parts.append(Part("frame", None, [member], [size(member) - size(0)], is_flag))
        if is_flag:
            flag_bytes = size(True) - size(frame[key])
    frame_bytes = size(frame)
    if setting.count_only:  # how long the count is depends on how many rows there may be
        frame_bytes -= size(None)
    told = record(arranged, setting, output_count=0)
    return Payload(
        parts=(Part("frame", None, [None if setting.count_only else shown], [frame_bytes]), *parts),
        has_record=True,
        record_bytes=size({RECORD: told}) - size({}) + bool(frame) - size(0),
        flag_bytes=flag_bytes,
    )


def _array(kind: str, listed_as: str | None, items: list[Json], is_flag: bool = False) -> Part:
    return Part(kind, listed_as, items, [size(item) + 1 for item in items], is_flag)


def leaves(value: Json) -> list[Json]:
    """List the texts, numbers and other scalars in a value, at any depth, keys exempt."""
    found: list[Json] = []
    rest = [value]
    while rest:
        inner = rest.pop()
        if isinstance(inner, dict):
            rest.extend(inner.values())
        elif isinstance(inner, list):
            rest.extend(inner)
        else:
            found.append(inner)
    return found
