"""What the surface policy would see of each JSON answer, before any number cuts it.

Facts depend on what arranges rows (select, filters, sort, dedupe_by, count_only) and on no numeric
knob: any of those is arithmetic over them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ctxlab.log import Bigs, Bools, Codes, Ints

__all__ = ["REQUERY_KINDS", "TOKEN_KINDS", "AnswerFacts", "KeyFacts", "QuoteFacts"]

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
