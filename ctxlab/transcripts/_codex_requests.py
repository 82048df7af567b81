"""Numbers of the model requests of a rollout, and the tokens that each took.

Pure bookkeeping over the order of records: no text, no files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ctxlab.events import Usage

__all__ = ["Requests", "Tokens"]

_FIELDS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What one request took, by Codex's count; its input includes what came from the cache."""

    request: int
    model: str | None
    input: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None

    def at(self, thread: str, uid: str | None, ts_ms: int | None) -> Usage:
        """Say the same in ctxlab's meaning, in which input excludes the cache."""
        beside = (self.cached or 0) + (self.cache_write or 0)
        return Usage(
            thread=thread,
            request=self.request,
            uid=uid,
            model=self.model,
            ts_ms=ts_ms,
            uncached_input_tokens=None if self.input is None else max(self.input - beside, 0),
            cache_read_tokens=self.cached,
            cache_write_tokens=self.cache_write,
            output_tokens=self.output,
            reasoning_tokens=self.reasoning,
        )


@dataclass(slots=True)
class Requests:
    """The request in progress. `latest` is its number, from 0; -1 before any.

    `uncounted` are the requests with their models that no token count has told of yet.
    """

    model: str | None = None
    latest: int = -1
    is_open: bool = False
    has_output: bool = False
    count_comes_first: bool | None = None
    total: Mapping[str, Any] | None = None
    uncounted: list[tuple[int, str | None]] = field(default_factory=list)

    def of_text(self) -> int:
        """Request of a text or of reasoning, which a response holds before its calls."""
        return self._within(not self.is_open or self.has_output)

    def of_call(self) -> int:
        """Request of a call."""
        is_next = self.has_output and self.count_comes_first is None
        return self._within(not self.is_open or is_next)

    def see_output(self) -> None:
        """Note that a call was answered."""
        self.has_output = True

    def see_input(self) -> None:
        """Note what ends a response at the latest: a message to the model, an abort."""
        self.is_open = self.has_output = False

    def close(self, info: Mapping[str, Any]) -> Iterator[Tokens]:
        """Take a token count, which tells of one request unless it repeats an earlier one.

        A request before it that was never counted (an aborted one) is told of too, unmeasured:
        the running total may have grown by more than that request.
        """
        total, last = info.get("total_token_usage"), info.get("last_token_usage")
        if not isinstance(last, dict) or not isinstance(total, dict) or total == self.total:
            return
        if self.count_comes_first is None:
            self.count_comes_first = self.latest < 0
        if self.count_comes_first or not self.is_open:
            self._open()
        number, model = self.uncounted.pop()
        yield from self.rest()
        yield _tokens(number, model, last)
        self.total = total
        self.is_open, self.has_output = self.count_comes_first, False

    def rest(self) -> Iterator[Tokens]:
        """Tell of the requests that no token count told of."""
        for number, model in self.uncounted:
            yield Tokens(number, model)
        self.uncounted.clear()

    def _within(self, is_next: bool) -> int:
        if is_next:
            self._open()
        return self.latest

    def _open(self) -> None:
        self.latest += 1
        self.is_open, self.has_output = True, False
        self.uncounted.append((self.latest, self.model))


def _tokens(request: int, model: str | None, counts: Mapping[str, Any]) -> Tokens:
    values = (counts.get(name) for name in _FIELDS)
    return Tokens(request, model, *(v if isinstance(v, int) else None for v in values))
