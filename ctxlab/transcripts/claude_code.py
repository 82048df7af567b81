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
from ctxlab.transcripts._lines import open_binary, read_lines

__all__ = ["NAME", "VERSION", "sniff", "stream"]

NAME = "claude_code"
VERSION = 1
"""Raised whenever the same file gives other items: stores then read it again."""


def sniff(records: Sequence[dict[str, Any]]) -> bool:
    """Tell whether the first records of a file are Claude Code's."""
    return any(
        ("sessionId" in record and ("parentUuid" in record or "operation" in record))
        or (record.get("type") == "summary" and "leafUuid" in record)
        or (record.get("type") == "file-history-snapshot" and "snapshot" in record)
        for record in records
    )


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
            yield from session.read(record.value)
        n_bytes = file.tell()
    yield from session.close(NAME, n_lines, n_bytes)
