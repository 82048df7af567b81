"""Keys that stand twice in one object of a JSON text: the tool takes the last, and one is lost."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

__all__ = ["duplicate_key"]


class _Found(Exception):
    """Ends the reading at the first duplicate."""


def _once(pairs: list[tuple[str, Any]]) -> None:
    """Look at the members of one object, and let go of them."""
    if len(dict(pairs)) < len(pairs):
        [(name, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise _Found(name)


_READ = json.JSONDecoder(object_pairs_hook=_once).raw_decode


def duplicate_key(text: str) -> str | None:
    """Give a key that stands twice in the first such object of JSON values, None without.

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
