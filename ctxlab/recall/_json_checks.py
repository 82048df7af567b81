"""Values of a graph's JSON file → header and nodes, or an error with the place and the cause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ctxlab.errors import InputError
from ctxlab.recall._dated import Dated
from ctxlab.recall.graph import FULLTEXT, Node

__all__ = ["Header", "Placed", "check_keys", "dated", "header_of"]

_NODE_KEYS = ("label", "key", "props", "since_ms", "until_ms")


class Header(NamedTuple):
    """What a file says of its graph as a whole."""

    fulltext: tuple[tuple[str, str], ...]
    store_label: str
    exported_ms: int | None


class Placed(NamedTuple):
    """A value, and where it stands, in words."""

    place: str
    value: Any


def header_of(placed: Placed) -> Header:
    """What a document says beside its nodes, checked."""
    place, value = placed
    label = value.get("store_label", "store")
    if not isinstance(label, str):
        raise _wrong(place, "store_label", "a string", label)
    pairs = value.get("fulltext", FULLTEXT)
    if not isinstance(pairs, (list, tuple)) or not all(map(_is_pair, pairs)):
        raise _wrong(place, "fulltext", "a list of pairs of a label and a field", pairs)
    if not pairs:
        raise _wrong(place, "fulltext", "at least one pair, for nothing could be found", pairs)
    fulltext = tuple((label, field) for label, field in pairs)
    return Header(fulltext, label, _ms(placed, "exported_ms"))


def _is_pair(pair: object) -> bool:
    return (
        isinstance(pair, (list, tuple))
        and len(pair) == 2
        and all(isinstance(part, str) and part for part in pair)
    )


def dated(placed: Placed, exported_ms: int | None) -> Dated:
    """One node, checked."""
    place, value = placed
    if not isinstance(value, dict):
        raise InputError(f"{place}: a node must be an object, got {_kind(value)}")
    unknown = sorted(set(value) - set(_NODE_KEYS))
    if unknown:
        raise InputError(f"{place}: unknown key {unknown[0]!r}; a node has {', '.join(_NODE_KEYS)}")
    for name in ("label", "key"):
        if name not in value:
            raise InputError(f"{place}: `{name}` is missing; a node needs `label` and `key`")
        if not isinstance(value[name], str) or not value[name]:
            raise _wrong(place, name, "a string that is not empty", value[name])
    props = value.get("props", {})
    if not isinstance(props, dict):
        raise _wrong(place, "props", "an object", props)
    since, until = _ms(placed, "since_ms"), _ms(placed, "until_ms")
    if since is not None and until is not None and until <= since:
        raise InputError(f"{place}: `until_ms` must be after `since_ms`, got {until} and {since}")
    node = Node(value["label"], value["key"], props)
    return Dated(node, exported_ms if since is None else since, until)


def _ms(placed: Placed, name: str) -> int | None:
    ms = placed.value.get(name)
    if ms is not None and type(ms) is not int:
        raise _wrong(placed.place, name, "a whole number of Unix milliseconds", ms)
    return ms


def _wrong(place: str, name: str, wanted: str, value: object) -> InputError:
    return InputError(f"{place}: `{name}` must be {wanted}, got {_kind(value)}")


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", type(None): "null"}
    return names.get(type(value)) or repr(value)[:80]


def check_keys(placed: Sequence[tuple[str, Dated]]) -> None:
    """Raise if a key stands for two nodes at one time."""
    until_of: dict[str, float] = {}
    for place, state in sorted(placed, key=lambda p: (p[1].node.key, _start(p[1]))):
        key = state.node.key
        if key in until_of and _start(state) < until_of[key]:
            raise InputError(
                f"{place}: the key {key!r} stands for another node at the same time; "
                "keys must be unique"
            )
        until_of[key] = float("inf") if state.until_ms is None else state.until_ms


def _start(state: Dated) -> float:
    return float("-inf") if state.since_ms is None else state.since_ms
