"""Cross-call source dedup: the policy, its facts and its decisions."""

from __future__ import annotations

from ctxlab.dedup.identity import file_fingerprint, utf16_chars
from ctxlab.dedup.params import PROFILES, Dedup, Proof, RecordScope
from ctxlab.dedup.pointer import (
    Symbol,
    format_spans,
    pointer_chars,
    pointer_text,
    symbols_in_spans,
)
from ctxlab.dedup.policy import GAP_MARKER, Wanted, answer, guard, serve
from ctxlab.dedup.ranges import (
    Coalesced,
    Deduped,
    Range,
    Ranges,
    coalesce_ranges,
    dedupe_range,
    intersect_range,
    merge_ranges,
    subtract_range,
)
from ctxlab.dedup.record import ServedFile, SessionRecord, served_ranges_for_file
from ctxlab.dedup.section import Section

__all__ = [
    "GAP_MARKER",
    "PROFILES",
    "Coalesced",
    "Dedup",
    "Deduped",
    "Proof",
    "Range",
    "Ranges",
    "RecordScope",
    "Section",
    "ServedFile",
    "SessionRecord",
    "Symbol",
    "Wanted",
    "answer",
    "coalesce_ranges",
    "dedupe_range",
    "file_fingerprint",
    "format_spans",
    "guard",
    "intersect_range",
    "merge_ranges",
    "pointer_chars",
    "pointer_text",
    "serve",
    "served_ranges_for_file",
    "subtract_range",
    "symbols_in_spans",
    "utf16_chars",
]
