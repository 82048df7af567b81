"""Rows of one answer → which keys they have, what these take, and which hold a quoted token."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ctxlab.surface._payload import leaves
from ctxlab.surface._quoted import shown_by
from ctxlab.surface.arrange import Arranged
from ctxlab.surface.canonical import Json, size
from ctxlab.surface.facts import KeyFacts, columns
from ctxlab.surface.record import RECORD

__all__ = ["measure_keys"]

_COLON_AND_COMMA = 2


def measure_keys(
    arranged: Iterable[Arranged], tokens: Sequence[str]
) -> tuple[tuple[str, ...], KeyFacts]:
    """Measure the keys of an answer's rows; `select` is not looked at.

    Parameters
    ----------
    arranged
        The answer's values. One without rows is its own row, for that is what `select` projects;
        what passes untouched has none.
    tokens
        What later calls quote of the answer.

    Returns
    -------
    tuple
        The keys, sorted, and their facts, the answer being number 0.
    """
    members: defaultdict[str, list[Json]] = defaultdict(list)
    for value in arranged:
        for row in _rows(value):
            for key, member in row.items():
                members[key].append(member)
    keys = tuple(sorted(members))
    key_bytes = [
        sum(map(size, members[key])) + len(members[key]) * (size(key) + _COLON_AND_COMMA)
        for key in keys
    ]
    pairs = [
        (quote, number)
        for number, key in enumerate(keys if tokens else ())
        for quote in _quoted(tokens, members[key])
    ]
    return keys, KeyFacts(
        **columns(
            KeyFacts,
            {
                "answer": [0] * len(keys),
                "key": range(len(keys)),
                "rows": [len(members[key]) for key in keys],
                "bytes": key_bytes,
                "quote_key_quote": [quote for quote, _ in pairs],
                "quote_key_key": [number for _, number in pairs],
            },
        )
    )


def _rows(value: Arranged) -> list[dict[str, Json]]:
    if value.is_passthrough:
        return []
    if value.rows is not None:
        return [row for row in value.rows if isinstance(row, dict)]
    return [{k: v for k, v in value.others.items() if k != RECORD}]


def _quoted(tokens: Sequence[str], members: list[Json]) -> list[int]:
    """Numbers of the tokens that stand in the members."""
    shown = shown_by(tokens, leaves(members))
    return [number for number, token in enumerate(tokens) if token in shown]
