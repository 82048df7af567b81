from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ctxlab.economics import ASSUMED_BYTES_PER_TOKEN, calibrate, token_rate
from ctxlab.log import FamilyLog, UsageRows
from tests.builders import agent, call, lines, log_of, mark

READ = call("Read", lines("a.py", 1, "x" * 299))  # 300 bytes
TOKENS = 100


def with_usage(log: FamilyLog, rows: Sequence[tuple[int, int, int, int, int, int, bool]]) -> Any:
    """Rows of (request, thread, uncached, read from cache, written to it, output, reliable)."""
    columns = list(zip(*rows, strict=True))
    n = len(rows)
    return replace(
        log,
        usage=UsageRows(
            np.array(columns[0], np.int32),
            np.zeros(n, np.int32),
            np.array(columns[1], np.int32),
            np.full(n, -1, np.int32),
            *(np.array(column, np.int64) for column in columns[2:6]),
            np.array(columns[6], bool),
        ),
    )


def grown(n: int, output: int = 7, reliable: bool = True, **other: int) -> list[Any]:
    """`n` requests whose context grows by the output and by 100 tokens of results."""
    return [
        (i, 0, 5, i * (TOKENS + output), other.get("written", 10), output, reliable)
        for i in range(n)
    ]


def test_the_rate_of_a_log_is_found() -> None:
    log = with_usage(log_of([READ] * 5), grown(5))
    assert calibrate(log) == (4 * 300, 4 * TOKENS)


def test_written_cache_without_an_account_of_its_own_is_uncached_input() -> None:
    log = with_usage(log_of([READ] * 5), grown(5, written=-1))
    assert calibrate(log) == (4 * 300, 4 * TOKENS)


@pytest.mark.parametrize(
    ("what", "rows"),
    [
        ("placeholders as output", grown(3, reliable=False)),
        ("no output at all", grown(3, output=0)),
        ("output unmeasured", [(*r[:5], -1, True) for r in grown(3)]),
        ("input unmeasured", [(*r[:2], -1, *r[3:]) for r in grown(3)]),
        ("cache reads unmeasured", [(*r[:3], -1, *r[4:]) for r in grown(3)]),
        ("a context that shrinks", [(i, 0, 5, 1000 - i, 0, 7, True) for i in range(3)]),
        ("one request", grown(1)),
        ("requests of no number", [(-1, *r[1:]) for r in grown(3)]),
    ],
)
def test_steps_that_tell_nothing_are_left_out(what: str, rows: list[Any]) -> None:
    assert calibrate(with_usage(log_of([READ] * 3), rows)) == (0, 0), what


@pytest.mark.parametrize("kind", ["prompt", "compaction", "microcompaction", "clear", "rewind"])
def test_a_step_with_anything_else_in_between_is_left_out(kind: Any) -> None:
    log = with_usage(log_of([READ, mark(kind), READ, READ]), grown(3))
    assert calibrate(log) == (300, TOKENS)


def test_a_response_without_calls_has_no_known_place() -> None:
    log = with_usage(log_of([READ, READ, mark("prompt")]), grown(3))
    assert calibrate(log) == (300, TOKENS)


def test_calls_without_a_result_bring_nothing() -> None:
    log = with_usage(log_of([call("Bash", answered=False), READ, READ]), grown(3))
    assert calibrate(log) == (300, TOKENS)


def test_threads_do_not_mix() -> None:
    log = log_of([READ, agent("helper", READ, READ), READ])
    # Requests 0 main, 1 the agent's call, 2 and 3 its own, 4 main.
    rows = [
        (0, 0, 0, 1000, 0, 7, True),
        (1, 0, 0, 1107, 0, 7, True),
        (2, 1, 0, 50, 0, 7, True),
        (3, 1, 0, 157, 0, 7, True),
        (4, 0, 0, 9999, 0, 7, True),
    ]
    assert calibrate(with_usage(log, rows)) == (600, 200)


def test_logs_without_calls_or_usage() -> None:
    assert calibrate(log_of([])) == (0, 0)
    assert calibrate(log_of([READ])) == (0, 0)


def test_a_rate_says_how_it_is_known() -> None:
    assert token_rate(35_000, 10_000).known == "modelled"
    assert token_rate(35_000, 10_000).bytes_per_token == 3.5
    few = token_rate(35_000, 9_999)
    assert (few.bytes_per_token, few.known) == (ASSUMED_BYTES_PER_TOKEN, "assumed")
    assert few.n_tokens == 9_999
    assert token_rate(0, 0).known == "assumed"
