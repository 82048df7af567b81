"""The lines of streamed model responses → one `Usage` a response.

A response stands in the log as several lines that each repeat its usage; only the output grows,
and in some versions it is a placeholder throughout. Numbers only are held, no text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from ctxlab.events import Usage

__all__ = ["UsageLog"]

_CHARS_PER_TOKEN = 4
_PLACEHOLDER_BELOW = 0.3
"""Tokens × 4 / characters: 0.002 to 0.04 where placeholders are logged, about 1.2 elsewhere."""
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
    n_chars: int = 0

    def count(self, name: str) -> int | None:
        """Give one of the logged counts; what is missing or no number is None, not 0."""
        value = self.counted.get(name) if isinstance(self.counted, dict) else None
        return value if type(value) is int else None

    def ratio(self) -> float | None:
        """Relate logged output to the characters written; None if too short to tell."""
        tokens = self.count("output_tokens")
        if tokens is None or self.n_chars < _MIN_CHARS:
            return None
        return tokens * _CHARS_PER_TOKEN / self.n_chars


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
    ) -> None:
        """Take one line of a response: its usage replaces that of earlier lines."""
        response = self._responses.get(request)
        if response is None:
            response = _Response(thread, request, uid, model, ts_ms, version)
            self._responses[request] = response
        if isinstance(counted, dict):
            response.counted = counted

    def wrote(self, request: int, n_chars: int) -> None:
        """Add characters that a response wrote."""
        self._responses[request].n_chars += n_chars

    def usages(self) -> Iterator[Usage]:
        """Give the responses in order, each judged by the median ratio of its version."""
        ratios: dict[str | None, list[float]] = {}
        for response in self._responses.values():
            ratio = response.ratio()
            if ratio is not None:
                ratios.setdefault(response.version, []).append(ratio)
        reliable = {version: median(seen) >= _PLACEHOLDER_BELOW for version, seen in ratios.items()}
        for response in self._responses.values():
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
                output_reliable=reliable.get(response.version, True),
            )
