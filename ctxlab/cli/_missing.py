"""What a lab holds and answers cannot have, said in a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxlab.cli._text import count, printable

if TYPE_CHECKING:
    from ctxlab.lab import Lab

__all__ = ["unanswered_lines", "wordless_lines"]

_WORDLESS = """
SELECT agent, reader_version, count(*)
FROM transcripts
WHERE source_id IN (SELECT source_id FROM events WHERE kind = 'prompt' AND text_bytes > 0)
    AND source_id NOT IN (SELECT source_id FROM prompts)
GROUP BY ALL
"""


def unanswered_lines(paths: Sequence[str]) -> list[str]:
    """Name transcripts that only a much older ctxlab has read."""
    if not paths:
        return []
    more = f" and {count(len(paths) - 5)} more" if len(paths) > 5 else ""
    return [
        f"{count(len(paths))} transcripts were read by an older ctxlab and are in no answer until "
        f"they are ingested again: {', '.join(map(printable, paths[:5]))}{more}"
    ]


def wordless_lines(lab: Lab) -> list[str]:
    """Count transcripts that have prompts, but an older reader kept no words of them."""
    from ctxlab.transcripts import READERS

    n = sum(
        found
        for agent, version, found in lab.sql(_WORDLESS).fetchall()
        if agent in READERS and version < READERS[agent].version
    )
    if not n:
        return []
    return [
        f"{count(n)} transcripts were read by an older ctxlab, which kept no prompts: recall "
        "cannot use them until they are ingested again, as far as their files still stand"
    ]
