"""Claude Code's JSON lines (`~/.claude/projects/<folder>/<session>.jsonl`) → items.

Text is held for the line in hand only; of earlier lines ids and numbers stay, and of calls that
wait for their result the path or command. Nothing here opens a file that a transcript names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ctxlab.events import Item, Problem
from ctxlab.transcripts._claude_session import ClaudeSession
from ctxlab.transcripts._claude_shapes import is_odd
from ctxlab.transcripts._lines import open_binary, read_lines
from ctxlab.transcripts._placed import placed

__all__ = ["NAME", "VERSION", "sniff", "stream"]

NAME = "claude_code"
VERSION = 6
"""Raised whenever the same file gives other items: stores then read it again."""

_MARKS = {
    "file-history-snapshot": "snapshot",
    "queue-operation": "operation",
    "summary": "leafUuid",
}


def sniff(records: Sequence[dict[str, Any]]) -> bool:
    """Tell whether the first records of a file are Claude Code's.

    Other agents have taken over its envelope, so the shape of a message counts too.
    """
    return any(map(_is_ours, records))


def _is_ours(record: dict[str, Any]) -> bool:
    kind, message = record.get("type"), record.get("message")
    if kind in ("user", "assistant"):
        return "timestamp" in record and isinstance(message, dict) and "content" in message
    if kind in ("progress", "system", "attachment"):
        return "sessionId" in record and "isSidechain" in record
    return isinstance(kind, str) and _MARKS.get(kind, "") in record


def stream(path: str | Path) -> Iterator[Item]:
    """Read a file item by item: events and problems in file order, then what sums it up.

    Raises
    ------
    InputError
        If the file cannot be opened.
    """
    session = ClaudeSession(Path(path).stem)
    n_lines = n_bytes = 0
    with open_binary(path) as file:
        for record in read_lines(file):
            if isinstance(record, Problem):
                yield record
                continue
            n_lines += 1
            found = session.read(record.value)
            yield from placed(found, record, is_odd=is_odd(record.value))
        n_bytes = file.tell()
    yield from session.close(NAME, n_lines, n_bytes)
