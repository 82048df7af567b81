"""Facts of the JSON answers of all families of a store, each family worked on once.

Kept beside the store by the content of the family's files and by what arranges rows: a second
sweep over any numbers reads arrays and touches no log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from ctxlab.errors import ParameterError
from ctxlab.fallback.quoted import quoted
from ctxlab.fallback.requery import requeries
from ctxlab.log import ANSWER_FORMS, FamilyLog
from ctxlab.replay._families import derive_missing
from ctxlab.replay.corpus import Advance, Logs, content_hashes
from ctxlab.replay.surface_cache import forget_others, read_parts, write_parts
from ctxlab.residency import requests_after, residence
from ctxlab.surface.build import AnswerRow, QuoteRow, build
from ctxlab.surface.commands import subcommand
from ctxlab.surface.facts import SurfaceFacts, concatenate
from ctxlab.surface.params import Surface, arrangement

__all__ = ["LogsWithAnswers", "answer_rows", "surface_corpus_facts", "surface_facts"]


class LogsWithAnswers(Logs, Protocol):
    """A store that gives logs with the JSON answers that they hold."""

    def iter_logs(self, families: Any = None, *, answers: bool = False) -> Iterator[FamilyLog]:
        """Logs of the named families."""


def surface_corpus_facts(
    store: LogsWithAnswers,
    settings: Iterable[Surface],
    advance: Advance = lambda families: None,
) -> Mapping[Surface, SurfaceFacts]:
    """Facts of all families of the store for each arrangement of rows.

    Parameters
    ----------
    settings : iterable of Surface
        Numeric knobs make no difference: parameters that differ in no other share facts.
    advance : callable
        Told of each family whose log was read.

    Returns
    -------
    mapping of Surface to SurfaceFacts
        By arrangement, families in the order of the store; those without answers count too.

    Raises
    ------
    InputError
        If the store holds no family.
    StoreError
        If the facts cannot be kept.
    """
    hashes = content_hashes(store)
    found = {
        setting: read_parts(store, setting, hashes)
        for setting in dict.fromkeys(map(arrangement, settings))
    }

    def logs(families: list[str]) -> Iterator[FamilyLog]:
        return store.iter_logs(families, answers=True)

    def keep(setting: Surface, parts: Mapping[str, SurfaceFacts]) -> None:
        write_parts(store, setting, parts, hashes)

    derive_missing(logs, list(hashes), found, _facts_of, keep, advance)
    forget_others(store, list(found))
    return {setting: concatenate([of[name] for name in hashes]) for setting, of in found.items()}


def surface_facts(log: FamilyLog, params: Surface) -> SurfaceFacts:
    """Facts of one family, for the arrangement of the parameters.

    Raises
    ------
    ParameterError
        If the log was read without answers.
    """
    return _facts_of(log)(arrangement(params))


def _facts_of(log: FamilyLog) -> Callable[[Surface], SurfaceFacts]:
    rows = tuple(answer_rows(log))
    owners = np.zeros(len(log.sources), np.int32)
    return lambda setting: build(rows, setting, (log.family,), log.sources, owners)


def answer_rows(log: FamilyLog) -> Iterator[AnswerRow]:
    """Give each answer of one family with what became of it: quotes, re-queries, requests.

    Transcript after transcript, and within one by position.

    Raises
    ------
    ParameterError
        If the log was read without answers.
    """
    answers = log.answers
    if answers is None:
        raise ParameterError(
            f"`log` must hold answers, got family {log.family!r} without: "
            "read it with iter_logs(answers=True)"
        )
    calls = log.calls
    carried = requests_after(
        log,
        calls.result_at[answers.call],
        calls.thread[answers.call],
        residence(log).until[answers.call],
    )
    quotes, again = quoted(log), requeries(log)
    for i in np.argsort(calls.source[answers.call], kind="stable").tolist():
        call, asked = int(answers.call[i]), again[i]
        yield AnswerRow(
            family=0,
            transcript=int(calls.source[call]),
            tool=answers.tool[i],
            command=subcommand(answers.command[i]),
            form=ANSWER_FORMS[answers.form[i]],
            is_error=bool(calls.is_error[call]),
            text=answers.text[i],
            recorded_bytes=int(answers.answer_bytes[i]),
            requests=int(carried[i]),
            requery=asked.kind if asked else None,
            requery_after=asked.after if asked else 0,
            quotes={token: QuoteRow(q.is_witness, q.after) for token, q in quotes[i].items()},
        )
