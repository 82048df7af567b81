"""What a lab holds and answers cannot have, said in a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.cli._text import count, printable
from ctxlab.words import counted

if TYPE_CHECKING:
    from ctxlab.lab import Lab
    from ctxlab.replay import SweepTable

__all__ = ["answerless_lines", "nothing_lines", "unanswered_lines", "wordless_lines"]

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


_RESULTS = """
SELECT coalesce(tool_kind, 'other'), sum(n_results)::BIGINT AS n
FROM tools
WHERE n_results > 0
GROUP BY ALL
ORDER BY n DESC, 1
"""


def nothing_lines(
    lab: Lab, policy: str, table: SweepTable[Any], kinds: Sequence[str] | None = None
) -> list[str]:
    """Say that a policy found nothing to work on, and what there is instead.

    Of recall the library itself says so.
    """
    totals = table.totals()
    if policy == "surface" and not totals["json_answers"][0]:
        why, how = "no answer is JSON: there is nothing to cut", ""
    elif policy == "dedup" and not totals["touched_bytes"][0]:
        why = f"{' and '.join(kinds or ('read',))} delivered no source: there is nothing to replay"
        how = "; name others with --tools"
    else:
        return []
    results = dict(lab.sql(_RESULTS).fetchall())
    of_each = ", ".join(f"{count(n)} of {kind}" for kind, n in results.items()) or "none"
    held = counted(sum(results.values()), "result")
    return [f"{why}; the lab holds {held} of tools ({of_each}){how}"]


def unanswered_lines(paths: Sequence[str]) -> list[str]:
    """Name transcripts that only a much older ctxlab has read."""
    if not paths:
        return []
    more = f" and {count(len(paths) - 5)} more" if len(paths) > 5 else ""
    return [
        f"{_read_before(len(paths))} and left out of all answers until ingested again: "
        f"{', '.join(map(printable, paths[:5]))}{more}"
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
        f"{_read_before(n)}, {lacking} cannot use {'it' if n == 1 else 'them'} until ingested "
        "again, as far as the files still stand"
    ]


def _read_before(n: int) -> str:
    return f"{counted(n, 'transcript was', 'transcripts were')} read by an older ctxlab"
