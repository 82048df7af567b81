"""What a lab holds and answers cannot have, said in a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxlab.cli._text import count, printable

if TYPE_CHECKING:
    from ctxlab.lab import Lab

__all__ = ["answerless_lines", "unanswered_lines", "wordless_lines"]

_WORDLESS = """
SELECT agent, reader_version, count(*)
FROM transcripts
WHERE source_id IN (SELECT source_id FROM events WHERE kind = 'prompt' AND text_bytes > 0)
    AND source_id NOT IN (SELECT source_id FROM prompts)
GROUP BY ALL
"""

_ANSWERLESS = """
SELECT agent, reader_version, count(*)
FROM transcripts
WHERE source_id IN (
        SELECT source_id FROM events
        WHERE kind = 'result' AND tool_kind IN ('shell', 'mcp', 'web', 'other'))
    AND source_id NOT IN (SELECT source_id FROM answers)
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
    return _older_lines(lab, _WORDLESS, "which kept no prompts: recall")


def answerless_lines(lab: Lab) -> list[str]:
    """Count transcripts whose tools may have answered in JSON, but an older reader kept none."""
    return _older_lines(lab, _ANSWERLESS, "which kept no answers: surface")


def _older_lines(lab: Lab, query: str, lacking: str) -> list[str]:
    from ctxlab.transcripts import READERS

    n = sum(
        found
        for agent, version, found in lab.sql(query).fetchall()
        if agent in READERS and version < READERS[agent].version
    )
    if not n:
        return []
    return [
        f"{count(n)} transcripts were read by an older ctxlab, {lacking} "
        "cannot use them until they are ingested again, as far as their files still stand"
    ]
