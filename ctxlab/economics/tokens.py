"""Bytes to tokens by the log's own accounts: bytes are the exact currency, tokens an estimate.

Between two requests of one thread the context grows by the first one's output and by what its
tool calls returned. Where the log tells both sizes, the growth that is not output belongs to the
results: summed over many steps it gives bytes a token of tool results.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from ctxlab.log import FamilyLog

__all__ = ["ASSUMED_BYTES_PER_TOKEN", "TokenRate", "calibrate", "token_rate"]

ASSUMED_BYTES_PER_TOKEN = 4.0
"""Used where the logs tell nothing; off by up to 1.7 times on JSON."""

_MIN_TOKENS = 10_000


@dataclass(frozen=True, slots=True)
class TokenRate:
    """UTF-8 bytes of tool results a token, and how it is known.

    "modelled" rests on `n_tokens` of the logs' own accounts, "assumed" on nothing.
    """

    bytes_per_token: float
    known: Literal["modelled", "assumed"]
    n_tokens: int


def calibrate(log: FamilyLog) -> tuple[int, int]:
    """Tool-result bytes and the tokens the context grew by for them, over all usable steps.

    Usable is a step between two requests of a thread with tool results and no prompt or
    compaction in between, and a reliable count of the first one's output. Reminders that the
    harness adds are in the growth too, so the rate errs towards few bytes a token. Both issued
    calls, whose places in the log show what stands in between.
    """
    usage, calls = log.usage, log.calls
    written = np.maximum(usage.cache_write_tokens, 0)  # no account of its own: in the uncached
    context = usage.uncached_input_tokens + usage.cache_read_tokens + written
    known = (
        (usage.request >= 0) & (usage.uncached_input_tokens >= 0) & (usage.cache_read_tokens >= 0)
    )
    last = int(max(calls.request.max(initial=-1), usage.request.max(initial=-1))) + 1
    issued = calls.request >= 0
    answered = issued & (calls.result_at >= 0)
    n_bytes = np.bincount(
        calls.request[answered], weights=calls.result_bytes[answered], minlength=last
    )
    begin = np.full(last, log.n_events)
    np.minimum.at(begin, calls.request[issued], calls.call_at[issued])
    total_bytes = total_tokens = 0
    for thread in np.unique(usage.thread):
        marks = np.sort(log.marks.at[log.marks.thread == thread])
        for a, b in pairwise(np.flatnonzero((usage.thread == thread) & (usage.request >= 0))):
            ra, rb = usage.request[a], usage.request[b]
            # A response without a call has no place in the log: a prompt may stand before it.
            if not (known[a] and known[b]) or n_bytes[ra] == 0 or begin[rb] == log.n_events:
                continue
            quiet = np.searchsorted(marks, begin[ra]) == np.searchsorted(marks, begin[rb])
            growth = int(context[b] - context[a] - usage.output_tokens[a])
            told = usage.output_reliable[a] and usage.output_tokens[a] > 0
            if quiet and told and growth > 0:
                total_bytes += int(n_bytes[ra])
                total_tokens += growth
    return total_bytes, total_tokens


def token_rate(n_bytes: int, n_tokens: int) -> TokenRate:
    """Rate from summed calibrations; the assumed one where they hold under 10,000 tokens."""
    if n_tokens < _MIN_TOKENS:
        return TokenRate(ASSUMED_BYTES_PER_TOKEN, "assumed", n_tokens)
    return TokenRate(n_bytes / n_tokens, "modelled", n_tokens)
