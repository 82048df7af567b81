"""Quotes, requeries and carrying requests of real answers keep what is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ctxlab.fallback import MAX_ACTIONS, quoted, requeries
from ctxlab.log import Answers, FamilyLog
from ctxlab.residency import requests_after, residence
from ctxlab.store import open_store
from ctxlab.surface import parse_values
from ctxlab.surface.facts import REQUERY_KINDS
from ctxlab.surface.tokens import tokens_of
from ctxlab.transcripts.commands import program_of

Log = tuple[FamilyLog, Answers]


@pytest.fixture(scope="module")
def logs(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Log]:
    with open_store(tmp_path_factory.mktemp("real") / "store") as store:
        files = sorted((shared / "data" / "transcripts" / "claude_code").rglob("*.jsonl"))
        store.ingest(*files[:40], workers=1)
        read = list(store.iter_logs(answers=True))
    return [(log, log.answers) for log in read if log.answers is not None and len(log.answers)]


def shown(answers: Answers, row: int) -> frozenset[str]:
    values = parse_values(answers.text[row]) if answers.text[row] else []
    return frozenset[str]().union(*map(tokens_of, values))


def calls_after(log: FamilyLog, answers: Answers, row: int) -> list[int]:
    """Calls of the thread in later responses, made while the answer is in the context."""
    calls, call = log.calls, int(answers.call[row])
    done, until = calls.result_at[call], residence(log).until[call]
    mates = (calls.request == calls.request[call]) & (calls.request >= 0)
    later = (calls.thread == calls.thread[call]) & (calls.call_at > done) & ~mates
    return np.flatnonzero(later & (calls.call_at < until)).tolist()


def quotes(answers: Answers) -> Iterator[tuple[int, str, int, int]]:
    columns = (answers.quote_call, answers.quote_written_at, answers.quote_shown_at)
    for token, call, *places in zip(
        answers.quote_token, *(c.tolist() for c in columns), strict=True
    ):
        yield (call, token, *places)


def test_tokens_quoted_are_those_of_a_plain_walk(logs: list[Log]) -> None:
    n_quoted = n_witnesses = 0
    for log, answers in logs:
        tokens = [shown(answers, row) for row in range(len(answers))]
        arrived, thread = log.calls.result_at[answers.call], log.calls.thread[answers.call]
        for row, found in enumerate(quoted(log)):
            later = calls_after(log, answers, row)
            expected: dict[str, tuple[bool, int]] = {}
            for call, token, written, seen in quotes(answers):
                if call not in later or token not in tokens[row] or token in expected:
                    continue
                at = log.calls.call_at[call]
                others = np.flatnonzero((thread == thread[row]) & (arrived < at))
                alone = [other for other in others.tolist() if token in tokens[other]] == [row]
                knew = written < arrived[row] or 0 <= seen < at
                expected[token] = bool(alone and not knew), later.index(call) + 1
            assert {t: (one.is_witness, one.after) for t, one in found.items()} == expected
            n_quoted += len(found)
            n_witnesses += sum(one.is_witness for one in found.values())
    assert n_quoted > n_witnesses > 10


def test_requeries_ask_the_same_program_soon(logs: list[Log]) -> None:
    n_found = 0
    for log, answers in logs:
        tool_of = dict(zip(answers.call.tolist(), answers.tool, strict=True))
        for row, found in enumerate(requeries(log)):
            if found:
                call = calls_after(log, answers, row)[found.after - 1]
                assert program_of(tool_of[call]) == program_of(answers.tool[row])
                assert found.kind in REQUERY_KINDS
                assert found.after <= MAX_ACTIONS
                n_found += 1
    assert n_found > 0


def test_what_came_earlier_into_a_context_is_carried_by_no_fewer_requests(logs: list[Log]) -> None:
    for log, _ in logs:
        calls, kept = log.calls, residence(log)
        carried = requests_after(log, calls.result_at, calls.thread, kept.until)
        for thread in range(len(log.threads)):
            stays = (calls.thread == thread) & (kept.until == log.n_events)
            answered = np.flatnonzero(stays & (calls.result_at >= 0))
            order = answered[np.argsort(calls.result_at[answered])]
            assert (np.diff(carried[order]) <= 0).all()
            n_known = len(np.unique(calls.request[calls.thread == thread]))
            n_known += int((log.usage.thread == thread).sum())
            assert (carried[order] <= n_known).all()
