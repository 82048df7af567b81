"""The lines of streamed model responses → one `Usage` a response.

A response stands in the log as several lines that each repeat its usage; only the output grows,
and in some versions it is a placeholder throughout. Numbers only are held, no text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ctxlab.events import Usage
from ctxlab.transcripts._claude_line import as_count, as_dict

__all__ = ["UsageLog"]

_CHARS_PER_TOKEN = 4
_PLACEHOLDER_BELOW = 0.5
"""Tokens × 4 / characters: 0.002 to 0.04 for a placeholder, about 1.2 for a true count, and
between them for a count that was taken while the response was still being streamed."""
_MIN_CHARS = 40
"""Shorter responses tell nothing: a placeholder of a few tokens may fit them."""


@dataclass(slots=True)
class _Response:
    """What is known so far of one response."""

    thread: str
    request: int
    uid: str | None
    model: str | None
    ts_ms: int | None
    version: str | None
    counted: object = None
    is_finished: bool = False
    n_chars: int = 0

    def count(self, name: str) -> int | None:
        """Give one of the logged counts; what is missing or no number is None, not 0."""
        return as_count(as_dict(self.counted).get(name), below=2**63)

    def is_reliable(self) -> bool | None:
        """Judge the logged output by what was written; None if that is too short to tell."""
        if self.is_finished:
            return True
        tokens = self.count("output_tokens")
        if tokens is None or self.n_chars < _MIN_CHARS:
            return None
        return tokens * _CHARS_PER_TOKEN >= _PLACEHOLDER_BELOW * self.n_chars


class UsageLog:
    """Gathers the responses of one file."""

    def __init__(self) -> None:
        self._responses: dict[int, _Response] = {}

    def see(
        self,
        thread: str,
        request: int,
        uid: str | None,
        model: str | None,
        ts_ms: int | None,
        version: str | None,
        counted: object,
        is_finished: bool,
    ) -> None:
        """Take one line of a response: its usage replaces that of earlier lines."""
        response = self._responses.get(request)
        if response is None:
            response = _Response(thread, request, uid, model, ts_ms, version)
            self._responses[request] = response
        if isinstance(counted, dict):
            response.counted = counted
            response.is_finished = is_finished

    def wrote(self, request: int, n_chars: int) -> None:
        """Add characters that a response wrote."""
        self._responses[request].n_chars += n_chars

    def usages(self) -> Iterator[Usage]:
        """Give the responses in order, each judged by itself or, if short, by its version's."""
        judged: dict[str | None, list[bool]] = {}
        for response in self._responses.values():
            verdict = response.is_reliable()
            if verdict is not None:
                judged.setdefault(response.version, []).append(verdict)
        mostly = {version: 2 * sum(seen) > len(seen) for version, seen in judged.items()}
        for response in self._responses.values():
            verdict = response.is_reliable()
            if verdict is None:
                verdict = mostly.get(response.version, False)
            yield Usage(
                thread=response.thread,
                request=response.request,
                uid=response.uid,
                model=response.model,
                ts_ms=response.ts_ms,
                uncached_input_tokens=response.count("input_tokens"),
                cache_read_tokens=response.count("cache_read_input_tokens"),
                cache_write_tokens=response.count("cache_creation_input_tokens"),
                output_tokens=response.count("output_tokens"),
                output_reliable=verdict,
            )
