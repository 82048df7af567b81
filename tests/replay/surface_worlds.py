"""Small worlds of JSON answers whose use is known, as facts and as sweeps.

An answer lists things of a tracker, each with an id and a title. A family quotes the ids of some of
its rows later, each known from that answer alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ctxlab.surface.build import AnswerRow, QuoteRow, build
from ctxlab.surface.facts import SurfaceFacts
from ctxlab.surface.params import Surface, arrangement

TRACKER, GRAPH = "tracker list", "graph find"
N_ROWS = 10


def thing(at: int, row: int) -> dict[str, Any]:
    """One row: some 70 bytes, its id unlike any other."""
    return {"id": f"item-{at:04}-{row:02}", "title": f"what is to be done as number {100 + row}"}


def answer(
    at: int,
    quotes: Sequence[int | str] = (),
    *,
    family: int = 0,
    transcript: int | None = None,
    tool: str = TRACKER,
    rows: int = N_ROWS,
    form: str = "json",
    requests: int = 1,
    requery: str | None = None,
    known_before: Sequence[int | str] = (),
    value: Any = None,
) -> AnswerRow:
    """An answer with `rows` things; quoted are rows by number, or other texts of it."""
    if value is None:
        value = {"items": [thing(at, row) for row in range(rows)]}
    text = json.dumps(value, indent=1)

    def token(quote: int | str) -> str:
        return quote if isinstance(quote, str) else str(thing(at, quote)["id"])

    return AnswerRow(
        family=family,
        transcript=family if transcript is None else transcript,
        tool=tool,
        command=None,
        form=form,
        is_error=False,
        text=text if form == "json" else "",
        recorded_bytes=len(text),
        requests=requests,
        requery=requery,
        requery_after=1 if requery else 0,
        quotes={
            token(quote): QuoteRow(is_witness=quote not in known_before, after=1)
            for quote in quotes
        },
    )


def facts(
    rows: Sequence[AnswerRow],
    setting: Surface | None = None,
    n_families: int | None = None,
    transcripts_of: Mapping[int, int] | None = None,
) -> SurfaceFacts:
    """Facts of families of one transcript each, or of as many as `transcripts_of` says."""
    n = 1 + max((row.family for row in rows), default=-1) if n_families is None else n_families
    owners = [f for f in range(n) for _ in range((transcripts_of or {}).get(f, 1))]
    names = tuple(f"family{i:03}" for i in range(n))
    return build(
        rows,
        arrangement(setting or Surface()),
        names,
        tuple(f"transcript{i:03}" for i in range(len(owners))),
        np.array(owners, np.int32),
    )


def every_day(n: int) -> list[int | None]:
    """Starts of families, a day apart."""
    return [86_400_000 * (day + 1) for day in range(n)]
