"""What was found for each question to the arrays of `RecallFacts`; nothing is looked up here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np

from ctxlab.errors import ParameterError
from ctxlab.log import Ints
from ctxlab.recall.facts import QUESTION_KINDS, FieldFacts, PointerFacts, QuestionFacts, RecallFacts
from ctxlab.recall.params import MAX_HITS
from ctxlab.recall.pointers import Found

__all__ = ["JUDGED", "QuestionRow", "build"]


class _PointerUse(Protocol):
    """How the agent used what a line points at, before the next prompt."""

    @property
    def opened(self) -> bool: ...
    @property
    def edited(self) -> bool: ...
    @property
    def quoted(self) -> bool: ...
    @property
    def averted(self) -> bool: ...
    @property
    def named(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question and what was found for it.

    `family`, `transcript` and `project` are numbers in the lists given to `build`, `context` is
    one among the contexts of all transcripts. `label` is the store's name in the header;
    `unrelated_share` is None where there is nothing to compare with. `uses` has one entry a line
    of `found`: for asked questions, and for unrelated ones, which are judged by what the agent did
    at the prompt beside them: that is use by chance. The other controls share its subject, and
    have none. `known_files` and `used_files` are counts; `points_at` numbers, for each line of an
    asked question, the used file that it points at, -1 for none.
    """

    kind: str
    family: int
    transcript: int
    project: int
    prompt: int
    context: int
    prompt_bytes: int
    requests: int
    label: str
    unrelated_share: float | None
    found: Found
    uses: Sequence[_PointerUse] = ()
    known_files: int = 0
    used_files: int = 0
    points_at: Sequence[int] = ()


def build(
    rows: Sequence[QuestionRow],
    families: Sequence[str],
    transcripts: Sequence[str],
    family_of_transcript: Sequence[int] | Ints,
    projects: Sequence[str],
    unanswerable: Sequence[int] | Ints,
) -> RecallFacts:
    """Put questions into columns.

    Parameters
    ----------
    rows
        Projects one after the other, each in the order asked: suppression of repeats goes by it.
    families, transcripts, projects
        Names, in the order that the rows' numbers mean.
    family_of_transcript, unanswerable
        One entry a transcript, as in `RecallFacts`.

    Raises
    ------
    ParameterError
        If a row is of no known kind, has more lines than `MAX_HITS`, or is asked and has not one
        use a line.
    """
    for row in rows:
        _check(row)
    kinds = [QUESTION_KINDS.index(row.kind) for row in rows]
    names = sorted({name for row in rows for name, _ in row.found.field_scores})
    questions = {
        "kind": kinds,
        **{name: [getattr(row, name) for row in rows] for name in _AS_THEY_ARE},
        "terms": [len(row.found.terms) for row in rows],
        "best_score": [_number(row.found.best_score) for row in rows],
        "second_score": [_number(row.found.second_score) for row in rows],
        "ceiling": [_number(row.found.ceiling) for row in rows],
        "unrelated_share": [_number(row.unrelated_share) for row in rows],
        "hits": [row.found.n_hits for row in rows],
        "label_bytes": [len(row.label.encode("utf-8", "surrogatepass")) for row in rows],
    }
    return RecallFacts(
        families=tuple(families),
        transcripts=tuple(transcripts),
        family_of_transcript=np.asarray(family_of_transcript, np.int32),
        projects=tuple(projects),
        unanswerable=np.asarray(unanswerable, np.int32),
        questions=QuestionFacts(**_columns(QuestionFacts, questions)),
        pointers=PointerFacts(**_columns(PointerFacts, _pointers(rows))),
        fields=tuple(names),
        field_scores=FieldFacts(**_columns(FieldFacts, _fields(rows, names))),
    )


def _fields(rows: Sequence[QuestionRow], names: Sequence[str]) -> dict[str, list[Any]]:
    """Columns of the best scores by field."""
    found = [
        (question, names.index(name), score)
        for question, row in enumerate(rows)
        for name, score in sorted(row.found.field_scores)
    ]
    columns = zip(*found, strict=True) if found else ((), (), ())
    return dict(zip(("question", "field", "score"), map(list, columns), strict=True))


_AS_THEY_ARE = (
    "family",
    "transcript",
    "project",
    "prompt",
    "context",
    "prompt_bytes",
    "requests",
    "known_files",
    "used_files",
)
JUDGED = ("asked", "unrelated")
"""Kinds of questions whose lines are judged by what the agent did."""

_OUTCOMES = ("opened", "edited", "quoted", "averted", "named")


def _check(row: QuestionRow) -> None:
    if row.kind not in QUESTION_KINDS:
        known = ", ".join(QUESTION_KINDS)
        raise ParameterError(f"`kind` must be one of {known}, got {row.kind!r}")
    n_lines = len(row.found.lines)
    if n_lines > MAX_HITS:
        raise ParameterError(f"`found` must have at most {MAX_HITS} lines, got {n_lines}")
    wanted = n_lines if row.kind in JUDGED else 0
    if len(row.uses) != wanted:
        raise ParameterError(
            f"`uses` must have {wanted} entries (one a line of an asked or unrelated question, "
            f"none of another), got {len(row.uses)}"
        )


def _pointers(rows: Sequence[QuestionRow]) -> dict[str, list[Any]]:
    """Columns of all lines, nodes numbered in the order of their first one."""
    numbers: dict[tuple[int, str], int] = {}
    columns: dict[str, list[Any]] = {column.name: [] for column in fields(PointerFacts)}
    for question, row in enumerate(rows):
        for rank, line in enumerate(row.found.lines):
            columns["question"].append(question)
            columns["rank"].append(rank)
            columns["node"].append(numbers.setdefault((row.project, line.node.key), len(numbers)))
            columns["line_bytes"].append(line.n_bytes)
            columns["used_file"].append(row.points_at[rank] if row.points_at else -1)
            for outcome in _OUTCOMES:
                use = row.uses[rank] if row.uses else None
                columns[outcome].append(use is not None and bool(getattr(use, outcome)))
    return columns


_DTYPES = {
    "Codes": np.int8,
    "Ints": np.int32,
    "Bigs": np.int64,
    "Floats": np.float64,
    "Bools": np.bool_,
}


def _columns(kind: type[Any], values: dict[str, list[Any]]) -> dict[str, Any]:
    return {c.name: np.array(values[c.name], _DTYPES[str(c.type)]) for c in fields(kind)}


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
