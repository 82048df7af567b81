"""What must be said of a record beside its items: that a part of it could not be taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ctxlab.events import Edit, Event, Item, Problem, Span
from ctxlab.transcripts._lines import Record

__all__ = ["beyond", "fitted_edits", "is_text_or_parts", "placed"]

_ODD_SHAPE = "message of an unexpected shape"
_LAST_LINE = 2**31 - 2  # the number behind the last line must fit into 32 bits too
_BEYOND = f"line numbers beyond {_LAST_LINE}"


def placed(items: Iterable[Item], record: Record, *, is_odd: bool) -> Iterator[Item]:
    """Give the items of a record, and a problem at its place for what of it is left out."""
    for item in items:
        fitted = _fitted(item) if isinstance(item, Event) else item
        yield fitted
        if fitted is not item:
            yield beyond(record)
    if is_odd:
        yield Problem(_ODD_SHAPE, record.byte_offset, record.line_number, record.n_bytes)


def beyond(record: Record) -> Problem:
    """Say that lines of a record are numbered higher than any table can tell."""
    return Problem(_BEYOND, record.byte_offset, record.line_number, record.n_bytes)


def fitted_edits(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Take the place from changes that are numbered too high; equal edits if there are none."""
    return tuple(map(_fitted_edit, edits))


def is_text_or_parts(value: object) -> bool:
    """Tell whether a value is a text, or a list of texts and objects."""
    return isinstance(value, str) or (
        isinstance(value, list) and all(isinstance(part, (str, dict)) for part in value)
    )


def _fitted(event: Event) -> Event:
    """Leave out what no table can number; the very same event if that is nothing."""
    spans = tuple(span for span in event.spans if _fits(span))
    edits = fitted_edits(event.edits)
    if len(spans) == len(event.spans) and edits == event.edits:
        return event
    return replace(event, spans=spans, edits=edits)


def _fits(span: Span) -> bool:
    return span.first_line + len(span.lines) - 1 <= _LAST_LINE


def _fitted_edit(edit: Edit) -> Edit:
    """A change whose place cannot be told is one of the whole file."""
    ends = (max(h.old_start, h.new_start) + len(h.lines) for h in edit.hunks)
    if all(end <= _LAST_LINE for end in ends):
        return edit
    return replace(edit, kind="unknown", hunks=())
