"""What the dedup policy would see at each call, before any threshold is applied.

Delivered lines become *runs*: consecutive lines of one (call, path) section with the same history.
Two links tell the history of a run: `prev`, the run that delivered these lines last, whatever
their text, and `same`, the run that delivered them last with this text. Which of those deliveries
the record of the tool holds (horizon, compaction, folding, caps) is decided later, from the links
alone; so one pass over a log serves every threshold, horizon and reset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ctxlab.log import Bigs, Bools, Codes, Ints

__all__ = ["CallFacts", "Facts", "RunFacts", "SectionFacts", "concatenate"]


@dataclass(frozen=True, slots=True, eq=False)
class CallFacts:
    """One entry a call of the replayed tools, in the order the record appends them.

    `record` says whose memory the call meets; it is the `index`-th call of that record and sees
    the first `seen` of them. Its result stands at position `at` of its family, stays in its
    thread's context until position `until` (`cause`: what ends it, `residency.END_CAUSES`), and
    its entries are forgotten at `forgotten_at` by a record that resets on compaction.
    `touched_bytes` are all lines it delivered, with their printed prefixes. `log_thread` and
    `log_call` are its numbers in the family's log.
    """

    family: Ints
    transcript: Ints
    thread: Ints
    record: Ints
    log_thread: Ints
    log_call: Ints
    kind: Codes
    index: Ints
    seen: Ints
    at: Ints
    until: Ints
    cause: Codes
    forgotten_at: Ints
    touched_bytes: Bigs
    result_bytes: Bigs


@dataclass(frozen=True, slots=True, eq=False)
class SectionFacts:
    """One entry a (call, path): UTF-8 bytes and UTF-16 length of the path."""

    call: Ints
    path_bytes: Ints
    path_chars: Ints


@dataclass(frozen=True, slots=True, eq=False)
class RunFacts:
    r"""One entry a run of consecutive lines with the same history, in line order.

    `touches` is true where the run continues the one before it in the same section.
    `rendered_chars` is the UTF-16 length of the lines as `<n>\t<text>` with newlines. A run that
    was only pointed at has neither bytes nor rendered characters.
    """

    section: Ints
    first_line: Ints
    n_lines: Ints
    delivered_bytes: Bigs
    text_chars: Bigs
    rendered_chars: Bigs
    prev: Ints
    same: Ints
    touches: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Facts of one or more families.

    `transcripts` are source ids, `families` family names; `family_of_transcript` joins them.
    """

    families: tuple[str, ...]
    transcripts: tuple[str, ...]
    family_of_transcript: Ints
    calls: CallFacts
    sections: SectionFacts
    runs: RunFacts


def concatenate(parts: Sequence[Facts]) -> Facts:
    """Put the facts of several families into one, renumbering what refers to other rows."""
    families = tuple(f for part in parts for f in part.families)
    transcripts = tuple(t for part in parts for t in part.transcripts)

    def offsets(size: Callable[[Facts], int]) -> list[int]:
        return [0, *np.cumsum([size(part) for part in parts]).tolist()]

    n_calls = offsets(lambda f: len(f.calls.index))
    n_sections = offsets(lambda f: len(f.sections.call))
    n_runs = offsets(lambda f: len(f.runs.section))
    shifts: dict[str, list[int]] = {
        "family": offsets(lambda f: len(f.families)),
        "transcript": offsets(lambda f: len(f.transcripts)),
        "thread": offsets(lambda f: int(f.calls.thread.max(initial=-1)) + 1),
        "record": offsets(lambda f: int(f.calls.record.max(initial=-1)) + 1),
        "call": n_calls,
        "section": n_sections,
        "prev": n_runs,
        "same": n_runs,
    }

    def join(kind: type[Any], name: str) -> Any:
        columns = {}
        for column in fields(kind):
            arrays = [getattr(getattr(part, name), column.name) for part in parts]
            if column.name in shifts:
                arrays = [
                    np.where(a >= 0, a + by, a).astype(np.int32)
                    for a, by in zip(arrays, shifts[column.name], strict=False)
                ]
            columns[column.name] = np.concatenate(arrays)
        return kind(**columns)

    n_families = [len(part.families) for part in parts]
    first_family = np.repeat(
        np.cumsum([0, *n_families[:-1]]), [len(part.transcripts) for part in parts]
    )
    return Facts(
        families,
        transcripts,
        np.concatenate([part.family_of_transcript for part in parts]) + first_family,
        join(CallFacts, "calls"),
        join(SectionFacts, "sections"),
        join(RunFacts, "runs"),
    )
