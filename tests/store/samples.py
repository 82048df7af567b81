"""Results that show a little source."""

from __future__ import annotations

from ctxlab.events import Event, LineIds, Prefix, Span, SpanOrigin

CODE = ("class Pump:", "    # Fills it.", "    def fill(self):", "        return 1")


def shown(
    lines: tuple[str, ...] | LineIds = CODE,
    first: int = 1,
    path: str = "/a.py",
    origin: SpanOrigin = "read",
) -> Event:
    span = Span(path, first, lines, origin, Prefix(0, 1))
    return Event("main", "result", call_id="c", spans=(span,))
