"""Keys that stand twice in one object of a JSON text: the tool takes the last, and one is lost."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["duplicate_key"]


class _Found(Exception):
    """Ends the reading at the first duplicate."""


def _once(pairs: list[tuple[str, Any]]) -> None:
    """Look at the members of one object, and let go of them."""
    names = {name for name, _ in pairs}
    if len(names) < len(pairs):
        seen: set[str] = set()
        raise _Found(next(name for name, _ in pairs if name in seen or seen.add(name)))  # type: ignore[func-returns-value]


_READ = json.JSONDecoder(object_pairs_hook=_once).raw_decode


def duplicate_key(text: str) -> str | None:
    """Give the first key that stands twice in an object of JSON values, None without.

    Parameters
    ----------
    text
        One or several values that `parse_values` takes.

    Examples
    --------
    >>> duplicate_key('{"a": 1, "b": {"c": 1, "c": 2}}')
    'c'
    """
    at, end = 0, len(text.rstrip())
    try:
        while at < end:
            if text[at].isspace():
                at += 1
            else:
                _, at = _READ(text, at)
    except _Found as found:
        return str(found.args[0])
    return None
