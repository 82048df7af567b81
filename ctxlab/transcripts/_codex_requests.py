"""Numbers of the model requests of a rollout, and the tokens that each took.

Pure bookkeeping over the order of records: no text, no files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctxlab.events import Usage

__all__ = ["Requests", "Tokens"]


@dataclass(frozen=True, slots=True)
class Tokens:
    """What one request took, by Codex's count; its input includes what came from the cache."""

    request: int
    model: str | None
    input: int | None
    cached: int | None
    cache_write: int | None
    output: int | None
    reasoning: int | None

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
    """The request in progress. `count` is the number of the latest, from 0; -1 before any."""

    model: str | None = None
    count: int = -1
    is_open: bool = False
    has_output: bool = False
    count_comes_first: bool | None = None
    total: object = None

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

    def close(self, info: Mapping[str, Any]) -> Tokens | None:
        """Take a token count; None if it is a repeat or holds no counts."""
        total, last = info.get("total_token_usage"), info.get("last_token_usage")
        if not isinstance(last, dict) or total == self.total:
            return None
        self.total = total
        if self.count_comes_first is None:
            self.count_comes_first = self.count < 0
        if self.count_comes_first or not self.is_open:
            self.count += 1
        self.is_open = self.count_comes_first
        self.has_output = False
        return Tokens(
            self.count,
            self.model,
            *(
                value if isinstance(value := last.get(name), int) else None
                for name in (
                    "input_tokens",
                    "cached_input_tokens",
                    "cache_write_input_tokens",
                    "output_tokens",
                    "reasoning_output_tokens",
                )
            ),
        )

    def _within(self, is_next: bool) -> int:
        if is_next:
            self.count += 1
            self.is_open, self.has_output = True, False
        return self.count
