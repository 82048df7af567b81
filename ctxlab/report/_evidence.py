"""What the figures rest on: how agents act without a policy, and what was read."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.report._html import Html, element, join, untrusted
from ctxlab.report._tables import Column, counts, table
from ctxlab.report._words import BUCKETS
from ctxlab.report.content import (
    DataDescription,
    Number,
    Problems,
    ReportContent,
    UnrecordedChanges,
)

__all__ = ["NOT_COUNTED", "again", "changes", "described", "problems"]

NOT_COUNTED = "Not measured in this run."


def again(content: ReportContent) -> Html:
    """How often agents go back to lines or files when nothing is held back."""
    return join(
        [
            element("h3", "Lines obtained again, without any policy"),
            element(
                "p",
                "Agents read the same lines twice for reasons of their own. Without this base rate "
                "no later rate can be judged. A window is cut short if lines were edited or "
                "compacted away, or the transcript ended, before so many actions were seen. The "
                "plain rate counts such a window as one in which the lines were not obtained "
                "again. Where more than a tenth is cut, the cumulative incidence (Aalen and "
                "Johansen) stands beside it: it takes windows that the end cut for windows like "
                "the others, which no log can check.",
            ),
            _base_rates(content),
            element("h3", "What agents did after an answer"),
            _sufficiency(content),
        ]
    )


def _base_rates(content: ReportContent) -> Html:
    rows = content.base_rates
    if rows is None or not rows:
        return element("p", NOT_COUNTED if rows is None else "No lines were served.")
    return table(
        "Lines obtained again within so many actions",
        [
            Column("Tool", [untrusted(row.tool) for row in rows]),
            Column("Lines", [untrusted(row.lines) for row in rows]),
            Column("Within actions", [f"{row.within:,}" for row in rows]),
            Column("Sections served", _counted([row.served for row in rows])),
            Column("Obtained again", [row.reobtained for row in rows]),
            Column("Windows cut short", [row.cut for row in rows]),
            Column("Cumulative incidence", [row.incidence for row in rows]),
        ],
    )


def _counted(values: Sequence[int]) -> list[Number]:
    return [Number(value, "count", "measured") for value in values]


def _sufficiency(content: ReportContent) -> Html:
    rows = content.sufficiency
    if rows is None or not rows:
        return element("p", NOT_COUNTED if rows is None else "No call of a context tool.")
    buckets = {name: BUCKETS.get(name, name) for row in rows for name in row.buckets}
    return table(
        "The next substantive call after each answer, by tool",
        [
            Column("Tool", [untrusted(row.tool) for row in rows]),
            Column("Went back to the file", [row.fallback for row in rows]),
            Column("… or searched", [row.wider for row in rows]),
            Column("Answered calls", _counted([row.answered for row in rows])),
            *(
                Column(
                    untrusted(BUCKETS.get(name, name)),
                    _counted([row.buckets.get(name, 0) for row in rows]),
                )
                for name in buckets
            ),
            Column("In the same response", _counted([row.concurrent for row in rows])),
            Column("Error or no answer", _counted([row.errored for row in rows])),
        ],
    )


def described(given: DataDescription) -> Html:
    """What was read."""
    facts: list[tuple[str, str]] = [
        ("Transcripts", f"{given.transcripts:,}"),
        ("Families (units of resampling)", f"{given.families:,}"),
        (
            "Threads (context windows) with a call or a response, without copies",
            f"{given.threads:,}",
        ),
        ("By agent", counts(given.agents) or "none"),
        ("Time span", untrusted(_span(given))),
        ("Records read", f"{given.lines:,}"),
        ("Records rejected", f"{sum(given.rejected.values()):,}"),
        ("… by cause", counts(given.rejected) or "none"),
        ("Records read with a note", f"{sum(given.noted.values()):,}"),
        ("… by cause", counts(given.noted) or "none"),
        ("Records of kinds nobody knows", counts(given.unknown_kinds) or "none"),
        ("Data hash", untrusted(given.data_hash or "not computed")),
    ]
    return table(
        "The transcripts behind every figure of this page (measured)",
        [Column("What", [name for name, _ in facts]), Column("Value", [v for _, v in facts])],
    )


def _span(given: DataDescription) -> str:
    """First and last day; content-free sets have ranks in place of dates."""
    if given.undated >= given.transcripts > 0:
        return "not in a content-free set"
    span = f"{given.first or 'not recorded'} to {given.last or 'not recorded'}"
    some = f" ({given.undated:,} transcripts of a content-free set have no dates)"
    return span + (some if given.undated else "")


def changes(rows: Sequence[UnrecordedChanges] | None) -> Html:
    """Changes of files that left no hunk."""
    head = element("h3", "Changes of files that the log does not spell out")
    if rows is None or not rows:
        none = "None was noticed; there may be others."
        return join([head, element("p", NOT_COUNTED if rows is None else none)])
    return join(
        [
            head,
            table(
                "Noticed changes without a recorded hunk; there may be others",
                [
                    Column("Shown by", [untrusted(row.evidence.replace("_", " ")) for row in rows]),
                    Column("Changes", _counted([row.changes for row in rows])),
                    Column("Files", _counted([row.files for row in rows])),
                ],
            ),
        ]
    )


def problems(rows: Sequence[Problems] | None) -> Html:
    """Records that could not be read, or not quite."""
    head = element("h3", "Records with something wrong")
    if rows is None or not rows:
        none = "Every record could be read."
        return join([head, element("p", NOT_COUNTED if rows is None else none)])
    rejected = [row for row in rows if row.n_bytes]
    noted = [row for row in rows if not row.n_bytes]
    parts = [head]
    if rejected:
        size = Column("Size", [Number(row.n_bytes, "bytes", "measured") for row in rejected])
        parts.append(_by_cause("Rejected records; none of them enters a figure", rejected, size))
    if noted:
        parts.append(
            _by_cause("Records read with a note; what was read of them enters the figures", noted)
        )
    return join(parts)


def _by_cause(caption: str, rows: Sequence[Problems], *more: Column) -> Html:
    return table(
        caption,
        [
            Column("Cause", [untrusted(row.cause) for row in rows]),
            Column("Records", _counted([row.count for row in rows])),
            *more,
            Column("First met at", [untrusted(row.example) for row in rows]),
        ],
    )
