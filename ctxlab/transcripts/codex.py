"""Codex CLI rollouts (`rollout-<time>-<id>.jsonl`) → items.

What entered the context is in the `response_item` records. The `event_msg` records repeat it for
the interface and are passed over, but for token counts, exact patches, aborts and compactions.

A *request* is one model response: reasoning, text and calls up to the token count that closes it.
Outputs of its calls stand between its calls and that count, so they share its number. Where no
count closes it, text or reasoning behind an output opens the next request; so does a further
call, unless this file has token counts, because old versions log parallel calls as call, output,
call, output. Versions in which the count stands before the items of its response are known by
the first count of the file, which then precedes every item. A request without a count (an aborted
one, an old log) has a `Usage` all the same, with its tokens unmeasured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ctxlab.events import Item, Problem, Thread
from ctxlab.transcripts._codex_records import ENVELOPES
from ctxlab.transcripts._codex_rollout import THREAD, Rollout
from ctxlab.transcripts._codex_shapes import is_odd
from ctxlab.transcripts._lines import open_binary, read_lines
from ctxlab.transcripts._placed import placed

__all__ = ["NAME", "VERSION", "sniff", "stream"]

NAME = "codex"
VERSION = 6
"""Raised whenever the same file gives other items: stores then read it again."""


def sniff(records: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether the first records of a file are a Codex rollout.

    A history file or the stream of `codex exec --json` is none: those hold no context.
    """
    return any(
        isinstance(kind := record.get("type"), str)
        and kind in ENVELOPES
        and isinstance(record.get("payload"), dict)
        for record in records
    )


def stream(path: str | Path) -> Iterator[Item]:
    """Read one rollout file.

    Parameters
    ----------
    path
        The file; `~` is expanded.

    Yields
    ------
    Item
        One `Thread`, then `Event`s, `Usage`s and `Problem`s in file order, then one
        `UnknownKind` a name, and the `Transcript` last. A rollout holds one thread: a sub-agent
        has a file of its own, which names its parent.

    Raises
    ------
    InputError
        If the file cannot be opened.
    """
    rollout = Rollout(NAME)
    yield Thread(THREAD)
    with open_binary(path) as file:
        for record in read_lines(file):
            rollout.n_lines = record.line_number
            if isinstance(record, Problem):
                yield record
            else:
                yield from placed(rollout.read(record), record, is_odd=is_odd(record.value))
        n_bytes = file.tell()
    yield from rollout.end(n_bytes)
