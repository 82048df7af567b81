"""What one tool result brought into the context, whichever agent recorded it."""

from __future__ import annotations

from dataclasses import dataclass

from ctxlab.events import Edit, Pointer, Span

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One result: what it showed in `words`, what its harness put behind them `aside`.

    `shell_session` names a shell that goes on running.
    """

    text_bytes: int
    is_error: bool
    spans: tuple[Span, ...] = ()
    pointers: tuple[Pointer, ...] = ()
    edits: tuple[Edit, ...] = ()
    mentions: tuple[str, ...] = ()
    shell_session: str | None = None
    words: str = ""
    aside: str = ""
