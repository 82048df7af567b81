"""What every report reads alike: what was ingested, what could not be, figures of a row."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ctxlab.lab import Lab
from ctxlab.replay import Survey
from ctxlab.report.content import (
    DataDescription,
    Known,
    Number,
    Problems,
    Unit,
    UnrecordedChanges,
)

__all__ = ["changes_of", "data_of", "figure", "problems_of"]

_THREADS = """
select count(*) from (
    select family, thread from calls where not is_copy union select family, thread from usage)
"""


def data_of(lab: Lab, survey: Survey, data_hash: str) -> DataDescription:
    """Describe the transcripts of a lab."""
    t = survey.transcripts
    wrong = lab.sql(
        "select cause, n_bytes > 0, count(*) from problems group by all order by 3 desc"
    ).fetchall()
    unknown = lab.sql("select name, sum(n) from unknown_kinds group by 1 order by 2").fetchall()
    [(threads,)] = lab.sql(_THREADS).fetchall()
    # A content-free set has ranks where others have times.
    [(lines, first, last, undated)] = lab.sql(
        "select sum(n_lines), min(started_ms) filter (agent <> 'content_free'),"
        " max(ended_ms) filter (agent <> 'content_free'),"
        " count(*) filter (agent = 'content_free') from transcripts"
    ).fetchall()
    return DataDescription(
        transcripts=len(t),
        families=t.family.nunique(),
        threads=int(threads),
        agents={str(agent): int(n) for agent, n in t.agent.value_counts().items()},
        lines=int(lines),
        rejected={str(cause): int(n) for cause, left_out, n in wrong if left_out},
        noted={str(cause): int(n) for cause, left_out, n in wrong if not left_out},
        unknown_kinds={str(name): int(n) for name, n in unknown},
        first=_day(first),
        last=_day(last),
        undated=int(undated),
        data_hash=data_hash,
    )


def figure(
    row: Any,
    name: str,
    unit: Unit,
    of: str = "",
    known: Known = "measured",
    ends: tuple[str, str] | None = None,
) -> Number:
    """Give a column of a frame's row as a figure, with the columns of its interval's ends."""
    low, high = (_value(row[end]) for end in ends) if ends else (None, None)
    return Number(_value(row[name]), unit, known, of, low, high)


def _value(number: Any) -> float | None:
    return None if number is None or number != number else float(number)


def _day(ms: int | None) -> str | None:
    if ms is None:
        return None
    try:
        return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d}"
    except (OverflowError, ValueError, OSError):
        return None  # a log may claim any number


def changes_of(survey: Survey) -> tuple[UnrecordedChanges, ...]:
    """Changes of files that left no hunk, by what showed them."""
    changes = survey.changes
    return tuple(
        UnrecordedChanges(
            evidence=str(evidence), changes=int(group.changes.sum()), files=int(group.files.sum())
        )
        for evidence, group in changes.groupby("evidence")
    )


def problems_of(lab: Lab) -> tuple[Problems, ...]:
    """Records with something wrong, by cause."""
    frame = lab.problems()
    return tuple(
        Problems(
            cause=str(cause),
            count=len(group),
            n_bytes=int(group.n_bytes.sum()),
            example=f"{group.path.iloc[0]}, line {group.line_number.iloc[0]}, "
            f"byte {group.byte_offset.iloc[0]}",
        )
        for (cause, _), group in frame.groupby(["cause", frame.n_bytes > 0], sort=False)
    )
