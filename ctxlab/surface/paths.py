"""Dotted paths into a value: look a member up, project a row, read a scalar as text."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final

from ctxlab.surface.canonical import Json, dumps

__all__ = ["MISSING", "SYNONYMS", "Missing", "look_up", "project", "scalar_text"]


class Missing(Enum):
    """What a look-up gives where no member stands; null is a member like any other."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING

SYNONYMS = ("type", "entity_type", "kind")
"""Keys that stand for one another in later versions: the one as typed first, then the others."""


def look_up(value: Json, dotted: str, synonyms: bool = False) -> Json | Missing:
    """Find the member at a dotted path, through objects only; a key with a dot is never found.

    Examples
    --------
    >>> look_up({"a": {"b": None}}, "a.b"), look_up({"a": [1]}, "a.0")
    (None, <Missing.MISSING: 'missing'>)
    """
    found: Json | Missing = value
    for key in dotted.split("."):
        if not isinstance(found, dict):
            return MISSING
        found = _member(found, key, synonyms)
    return found


def _member(parent: dict[str, Json], key: str, synonyms: bool) -> Json | Missing:
    if key in parent:
        return parent[key]
    if synonyms and key in SYNONYMS:
        for other in SYNONYMS:
            if other in parent:
                return parent[other]
    return MISSING


def project(row: Json, select: Sequence[str], synonyms: bool = False) -> Json:
    """Keep the selected members of an object under their paths as typed; others pass unchanged.

    Examples
    --------
    >>> project({"a": {"b": 1}, "c": 2}, ("a.b", "d"))
    {'a.b': 1}
    """
    if not isinstance(row, dict):
        return row
    found = {dotted: look_up(row, dotted, synonyms) for dotted in select}
    return {dotted: member for dotted, member in found.items() if not isinstance(member, Missing)}


def scalar_text(value: Json | Missing) -> str | None:
    """Text that a scalar is compared by; None for containers and what is missing.

    Examples
    --------
    >>> scalar_text(1.0), scalar_text(True), scalar_text(None), scalar_text([])
    ('1.0', 'true', '', None)
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, (dict, list, Missing)):
        return None
    return dumps(value)
