"""What the figures rest on: how agents act without a policy, and what was read."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.report._html import Html, element, join, untrusted
from ctxlab.report._tables import Column, counts, table
from ctxlab.report._words import BUCKETS
from ctxlab.report.content import Number, ReportContent

__all__ = ["NOT_COUNTED", "again", "data"]

NOT_COUNTED = "Not measured in this run."


def again(content: ReportContent) -> Html:
    """How often agents go back to lines or files when nothing is held back."""
    return join(
        [
            element("h3", "Lines obtained again, without any policy"),
            element(
                "p",
                "Agents read the same lines twice for reasons of their own. Without this base rate "
                "no later rate can be judged.",
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


def data(content: ReportContent) -> Html:
    """What was read, what changed unseen, and what could not be read."""
    given = content.data
    span = f"{given.first or 'not recorded'} to {given.last or 'not recorded'}"
    rejected = sum(given.rejected.values())
    facts: list[tuple[str, str]] = [
        ("Transcripts", f"{given.transcripts:,}"),
        ("Families (units of resampling)", f"{given.families:,}"),
        ("Threads (context windows)", f"{given.threads:,}"),
        ("By agent", counts(given.agents) or "none"),
        ("Time span", untrusted(span)),
        ("Records read", f"{given.lines:,}"),
        ("Records rejected", f"{rejected:,}"),
        ("… by cause", counts(given.rejected) or "none"),
        ("Records of kinds nobody knows", counts(given.unknown_kinds) or "none"),
        ("Data hash", untrusted(given.data_hash or "not computed")),
    ]
    description = table(
        "The transcripts behind every figure of this page (measured)",
        [Column("What", [name for name, _ in facts]), Column("Value", [v for _, v in facts])],
    )
    return join([description, _changes(content), _problems(content)])


def _changes(content: ReportContent) -> Html:
    head = element("h3", "Changes of files that the log does not spell out")
    rows = content.unrecorded_changes
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


def _problems(content: ReportContent) -> Html:
    head, rows = element("h3", "Records that could not be read"), content.problems
    if rows is None or not rows:
        none = "Every record could be read."
        return join([head, element("p", NOT_COUNTED if rows is None else none)])
    return join(
        [
            head,
            table(
                "Rejected records by cause; none of them enters a figure",
                [
                    Column("Cause", [untrusted(row.cause) for row in rows]),
                    Column("Records", _counted([row.count for row in rows])),
                    Column("Size", [Number(row.n_bytes, "bytes", "measured") for row in rows]),
                    Column("First met at", [untrusted(row.example) for row in rows]),
                ],
            ),
        ]
    )
