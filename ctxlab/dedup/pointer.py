"""The line that stands for withheld source: its length by formula, and a wording of its own.

The length is that of the real tool's pointer (`Dedup.full_pointer_chars` and
`partial_pointer_chars` plus the parts that vary), so a replay prices what that tool would send.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ctxlab.dedup.identity import utf16_chars
from ctxlab.dedup.params import Dedup
from ctxlab.dedup.ranges import Range

__all__ = ["Symbol", "format_spans", "pointer_chars", "pointer_text", "symbols_in_spans"]

_DEFAULTS = Dedup()
_UNNAMED_KINDS = frozenset({"import", "export"})


class Symbol(NamedTuple):
    """A named piece of a file; `end` is 0 or None where only its first line is known."""

    name: str
    kind: str
    start: int
    end: int | None = None


def format_spans(spans: Sequence[Range], limit: int = _DEFAULTS.max_spans_in_pointer) -> str:
    """Name line ranges as a pointer does.

    Examples
    --------
    >>> format_spans([(12, 12), (20, 40), (50, 60)], limit=2)
    'L12, L20-40, +1 more span'
    """
    names = [f"L{start}" if start == end else f"L{start}-{end}" for start, end in spans[:limit]]
    more = len(spans) - limit
    if more > 0:
        names.append(f"+{more} more span{'s' if more > 1 else ''}")
    return ", ".join(names)


def symbols_in_spans(
    symbols: Iterable[tuple[str, str, int, int | None]], spans: Sequence[Range]
) -> tuple[str, ...]:
    """Find the names whose lines overlap a span: unique, in the order given, no im- or exports.

    Examples
    --------
    >>> symbols_in_spans([("f", "function", 1, 9), ("g", "function", 30, None)], [(5, 20)])
    ('f',)
    """
    overlapping = (
        name
        for name, kind, first, last in symbols
        if kind not in _UNNAMED_KINDS
        and any(first <= end and (last or first) >= start for start, end in spans)
    )
    return tuple(dict.fromkeys(overlapping))


def _format_symbols(names: Sequence[str], limit: int) -> str:
    if not names:
        return ""
    shown = [*names[:limit], *([f"+{len(names) - limit} more"] if len(names) > limit else [])]
    return f" ({', '.join(shown)})"


def pointer_chars(
    path: str,
    spans: Sequence[Range],
    symbols: Sequence[str] = (),
    *,
    partial: bool = False,
    params: Dedup = _DEFAULTS,
) -> int:
    """Price a pointer in UTF-16 code units.

    Parameters
    ----------
    path
        File pointed at.
    spans
        Withheld runs, in line order.
    symbols
        Names that stand in those runs.
    partial
        Whether the section's remaining lines follow.
    params
        Fixed lengths, and how many spans and symbols are named.
    """
    fixed = params.partial_pointer_chars if partial else params.full_pointer_chars
    return (
        fixed
        + utf16_chars(path)
        + len(format_spans(spans, params.max_spans_in_pointer))
        + utf16_chars(_format_symbols(symbols, params.max_symbols_in_pointer))
    )


def pointer_text(
    path: str,
    spans: Sequence[Range],
    symbols: Sequence[str] = (),
    *,
    partial: bool = False,
    params: Dedup = _DEFAULTS,
) -> str:
    """Word a pointer for a tool of one's own; arguments as for `pointer_chars`.

    It says where the lines are and that they still hold. It neither calls them missing nor names
    a way to fetch them, since either makes the agent fetch what it has. The length of
    `pointer_text("", ())` is this wording's `full_pointer_chars`.

    Examples
    --------
    >>> pointer_text("a.py", [(12, 40)], ["parse"]).splitlines()[0][:33]
    '> `a.py` L12-40 (parse): you have'
    """
    what = format_spans(spans, params.max_spans_in_pointer)
    names = _format_symbols(symbols, params.max_symbols_in_pointer)
    rest = " The other lines follow." if partial else ""
    return (
        f"> `{path}` {what}{names}: you have these lines from this conversation, unchanged since."
        f" Use that copy.{rest}"
    )
