"""The value that a decision about one file in one answer comes to."""

from __future__ import annotations

from dataclasses import dataclass

from ctxlab.dedup.ranges import Ranges

__all__ = ["Section"]


@dataclass(frozen=True, slots=True)
class Section:
    """What became of one file in one answer. Lengths are in UTF-16 code units.

    Attributes
    ----------
    path, fingerprint
        The file and the identity of its bytes.
    served
        Lines that counted as sent when the section was made.
    emit
        Lines to send, span by span, before any folding.
    covered
        Lines withheld as already sent.
    folded
        Whether a remainder too short to be worth it was dropped into the pointer.
    body_chars_before_fold, body_chars
        Rendered `emit`, and what of it is sent: the same, or 0.
    full_body_chars
        Rendered wanted lines, had nothing been withheld.
    withheld_source_chars
        Covered runs, each joined by newlines, without line numbers.
    pointer_chars
        Price of the pointer, 0 where nothing is withheld.
    recorded_spans, recorded_bytes
        What the record will hold of it; a folded remainder is not in it.
    """

    path: str
    fingerprint: str
    served: Ranges
    emit: Ranges
    covered: Ranges
    folded: bool
    body_chars_before_fold: int
    body_chars: int
    full_body_chars: int
    withheld_source_chars: int
    pointer_chars: int
    recorded_spans: Ranges
    recorded_bytes: int
