"""Recorded answers and what was quoted of them to the arrays of `SurfaceFacts`; reads no file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ctxlab.errors import InputError, ParameterError
from ctxlab.log import ANSWER_FORMS, Ints
from ctxlab.surface._keys import measure_keys
from ctxlab.surface._sizes import measure
from ctxlab.surface.arrange import Arranged, arrange
from ctxlab.surface.canonical import Json, parse_values, size
from ctxlab.surface.commands import as_printed
from ctxlab.surface.facts import (
    REQUERY_KINDS,
    TOKEN_KINDS,
    AnswerFacts,
    QuoteFacts,
    SurfaceFacts,
    columns,
    concatenate,
)
from ctxlab.surface.params import Surface, arrangement
from ctxlab.surface.tokens import token_kind

__all__ = ["AnswerRow", "QuoteRow", "build"]


@dataclass(frozen=True, slots=True)
class QuoteRow:
    """How a later call quotes a token of an answer; see `QuoteFacts`."""

    is_witness: bool
    after: int


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer and what became of it.

    `family` and `transcript` are numbers in the lists given to `build`. `command` is the
    sub-command of the profile's program that printed it, None for any other. `text` is the JSON,
    "" unless `form` is json. `requery` is one of `REQUERY_KINDS`, None if nothing asked again, and
    then `requery_after` is 0. `quotes` are keyed by token.
    """

    family: int
    transcript: int
    tool: str
    command: str | None
    form: str
    is_error: bool
    text: str
    recorded_bytes: int
    requests: int
    requery: str | None
    requery_after: int
    quotes: Mapping[str, QuoteRow]


def build(
    rows: Iterable[AnswerRow],
    setting: Surface,
    families: Sequence[str],
    transcripts: Sequence[str],
    family_of_transcript: Sequence[int] | Ints,
) -> SurfaceFacts:
    """Measure answers and put them into columns.

    Parameters
    ----------
    rows
        Transcripts one after the other, each in order.
    setting
        What arranges rows; numeric knobs are not looked at.
    families, transcripts
        Names, in the order that the rows' numbers mean.
    family_of_transcript
        One entry a transcript.

    Returns
    -------
    SurfaceFacts
        A text that is said to be JSON and is none counts as text. An answer that later versions
        refuse, because no row of it has a key of the setting, is left as it is. What an answer
        does not show is no loss: a quote of it is never lost.

    Raises
    ------
    ParameterError
        If a row's form or requery is none of the known, or a filter is malformed.
    InputError
        If what is quoted is no token.
    """
    setting = arrangement(setting)
    parts = [_facts_of(row, setting) for row in rows]
    return replace(
        concatenate(parts),
        families=tuple(families),
        transcripts=tuple(transcripts),
        family_of_transcript=np.asarray(family_of_transcript, np.int32),
    )


def _facts_of(row: AnswerRow, setting: Surface) -> SurfaceFacts:
    """Give facts of one answer by itself, in which it is number 0; of no family."""
    _check(row)
    values = _values(row)
    tokens = tuple(row.quotes)
    arranged = [_arranged(as_printed(v, row.command), setting, row.command) for v in values or ()]
    keys, key_facts = measure_keys(arranged, tokens)
    return SurfaceFacts(
        families=(),
        transcripts=(),
        family_of_transcript=np.empty(0, np.int32),
        tools=(row.tool,),
        keys=keys,
        answers=_answer(row, values, arranged),
        quotes=_quotes(row),
        key_facts=key_facts,
        shapes=measure(values or [], arranged, setting, tokens),
    )


def _check(row: AnswerRow) -> None:
    for name, value, known in (
        ("form", row.form, ANSWER_FORMS),
        ("requery", row.requery, (*REQUERY_KINDS, None)),
    ):
        if value not in known:
            listed = ", ".join(map(str, known))
            raise ParameterError(f"`{name}` must be one of {listed}, got {value!r}")


def _values(row: AnswerRow) -> list[Json] | None:
    """Give the values of an answer, None if it is no JSON."""
    if row.form != "json":
        return None
    try:
        return parse_values(row.text)
    except InputError:
        return None


def _arranged(value: Json, setting: Surface, command: str | None) -> Arranged:
    """Arrange a value; one that the tool refuses passes as it is."""
    try:
        return arrange(value, setting, command)
    except InputError:
        return Arranged(value, is_passthrough=True)


def _answer(
    row: AnswerRow, values: Sequence[Json] | None, arranged: Sequence[Arranged]
) -> AnswerFacts:
    form = "text" if values is None and row.form == "json" else row.form
    canonical = sum(size(value) + 1 for value in values) - 1 if values else 0
    return AnswerFacts(
        **columns(
            AnswerFacts,
            {
                "family": [row.family],
                "transcript": [row.transcript],
                "tool": [0],
                "form": [ANSWER_FORMS.index(form)],
                "is_error": [row.is_error],
                "recorded_bytes": [row.recorded_bytes],
                "canonical_bytes": [canonical],
                "values": [len(values or ())],
                "rows": [sum(part.input_count for part in arranged if part.rows is not None)],
                "requests": [row.requests],
                "requery": [-1 if row.requery is None else REQUERY_KINDS.index(row.requery)],
                "requery_after": [row.requery_after],
            },
        )
    )


def _quotes(row: AnswerRow) -> QuoteFacts:
    return QuoteFacts(
        **columns(
            QuoteFacts,
            {
                "answer": [0] * len(row.quotes),
                "kind": [TOKEN_KINDS.index(token_kind(token)) for token in row.quotes],
                "is_witness": [quote.is_witness for quote in row.quotes.values()],
                "after": [quote.after for quote in row.quotes.values()],
            },
        )
    )
