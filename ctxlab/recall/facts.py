"""What the recall policy would see at each prompt, before any threshold is applied.

Beside the prompts that were asked stand *controls*, to which silence would have been the right
answer: each question is one row, of the kind that `QUESTION_KINDS` names. One engine run a
question serves every floor, number of lines and budget, which only cut a prefix of one ranked list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.log import Bigs, Bools, Codes, Ints

__all__ = [
    "QUESTION_KINDS",
    "FieldFacts",
    "PointerFacts",
    "QuestionFacts",
    "RecallFacts",
    "concatenate",
]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

QUESTION_KINDS = ("asked", "unrelated", "joined", "absent")
"""Asked: a recorded prompt. Unrelated: a prompt of another project. Joined: two real topics of the
project put into a question that nobody asked. Absent: a recorded prompt whose subject the graph
does not hold."""


@dataclass(frozen=True, slots=True, eq=False)
class QuestionFacts:
    """One entry a question put to a graph, projects one after the other, in the order asked.

    `kind` indexes `QUESTION_KINDS`; `family` and `transcript` those of the facts; controls belong
    to those of the prompt they stand beside. `prompt` is the prompt's number in the project,
    `context` numbers the contexts of all transcripts: repeats are counted within one. `terms` are
    the identifiers in it. `best_score` is the best score of a single phrase in a field (NaN:
    nothing matched), `second_score` the best of another node (NaN: none), `ceiling` is
    ln((N + 1) / 1.5) of the field of the best, `unrelated_share` the share of unrelated prompts
    that score lower in the same graph (NaN: there are none). `hits` are all nodes found;
    `label_bytes` is the length of the store's name in the header. `requests` would have carried
    what is printed. For asked questions `known_files` counts the files that the graph held then,
    `used_files` those of them that the agent opened or edited before the next prompt.
    """

    kind: Codes
    family: Ints
    transcript: Ints
    project: Ints
    prompt: Ints
    context: Ints
    prompt_bytes: Bigs
    terms: Ints
    best_score: Floats
    second_score: Floats
    ceiling: Floats
    unrelated_share: Floats
    hits: Ints
    label_bytes: Ints
    requests: Ints
    known_files: Ints
    used_files: Ints


@dataclass(frozen=True, slots=True, eq=False)
class PointerFacts:
    """One entry a ranked line, at most `MAX_HITS` of a question, ordered by question and rank.

    `node` numbers the nodes of all graphs by project and key: equal numbers are repeats.
    `line_bytes` is its UTF-8 length with its newline. The outcome stands beside it, for asked
    questions and, as what happens by chance, for unrelated ones: `opened`, `edited` and `quoted`
    say how the agent used what it points at before the next prompt, `averted` that it opened the
    path without a search in between, `named` that the prompt itself holds the path or name.
    `used_file` numbers the prompt's used files: the one that the line points at or into, -1 for
    none.
    """

    question: Ints
    rank: Ints
    node: Ints
    line_bytes: Ints
    opened: Bools
    edited: Bools
    quoted: Bools
    averted: Bools
    named: Bools
    used_file: Ints

    @property
    def used(self) -> Bools:
        """Revealed use: opened, edited or quoted."""
        used: Bools = self.opened | self.edited | self.quoted
        return used


@dataclass(frozen=True, slots=True, eq=False)
class FieldFacts:
    """One entry a question and field in which a phrase of it was found, ordered by both.

    `field` indexes the fields of the facts; `score` is the best of a single phrase there.
    """

    question: Ints
    field: Ints
    score: Floats


@dataclass(frozen=True, slots=True, eq=False)
class RecallFacts:
    """Facts of some projects, whole.

    `transcripts` stand family by family; `family_of_transcript` indexes `families`.
    `unanswerable` counts, for each transcript, prompts that came before there was a graph.
    `fields` are the names of the indexed fields in which anything was found, sorted.
    """

    families: tuple[str, ...]
    transcripts: tuple[str, ...]
    family_of_transcript: Ints
    projects: tuple[str, ...]
    unanswerable: Ints
    questions: QuestionFacts
    pointers: PointerFacts
    fields: tuple[str, ...]
    field_scores: FieldFacts


def concatenate(parts: Sequence[RecallFacts]) -> RecallFacts:
    """Join facts of several projects, renumbered; a family or transcript stands in one alone."""
    shifted_questions: list[dict[str, Array]] = []
    shifted_pointers: list[dict[str, Array]] = []
    shifted_fields: list[dict[str, Array]] = []
    names = sorted({name for part in parts for name in part.fields})
    owners: list[Ints] = []
    n_families = n_transcripts = n_projects = n_questions = n_contexts = n_nodes = 0
    for part in parts:
        q, p = part.questions, part.pointers
        shift = {
            "family": n_families,
            "transcript": n_transcripts,
            "project": n_projects,
            "context": n_contexts,
            "question": n_questions,
            "node": n_nodes,
        }
        for group, into in ((q, shifted_questions), (p, shifted_pointers)):
            into.append(
                {
                    c.name: (getattr(group, c.name) + shift.get(c.name, 0)).astype(
                        getattr(group, c.name).dtype
                    )
                    if c.name in shift
                    else getattr(group, c.name)
                    for c in fields(group)
                }
            )
        number = np.array([names.index(name) for name in part.fields], np.int32)
        found = part.field_scores
        shifted_fields.append(
            {
                "question": found.question + np.int32(n_questions),
                "field": number[found.field],
                "score": found.score,
            }
        )
        owners.append(part.family_of_transcript + np.int32(n_families))
        n_families += len(part.families)
        n_transcripts += len(part.transcripts)
        n_projects += len(part.projects)
        n_questions += len(q.kind)
        n_contexts += int(q.context.max(initial=-1)) + 1
        n_nodes += int(p.node.max(initial=-1)) + 1
    return RecallFacts(
        tuple(name for part in parts for name in part.families),
        tuple(name for part in parts for name in part.transcripts),
        np.concatenate([np.empty(0, np.int32), *owners]),
        tuple(name for part in parts for name in part.projects),
        np.concatenate([np.empty(0, np.int32), *(part.unanswerable for part in parts)]),
        QuestionFacts(**_joined(QuestionFacts, shifted_questions)),
        PointerFacts(**_joined(PointerFacts, shifted_pointers)),
        tuple(names),
        FieldFacts(**_joined(FieldFacts, shifted_fields)),
    )


_DTYPES: dict[str, type[np.generic]] = {
    "Codes": np.int8,
    "Ints": np.int32,
    "Bigs": np.int64,
    "Floats": np.float64,
    "Bools": np.bool_,
}


def _joined(kind: type[Any], parts: list[dict[str, Array]]) -> dict[str, Array]:
    return {
        c.name: np.concatenate(
            [np.empty(0, _DTYPES[str(c.type)]), *(part[c.name] for part in parts)]
        )
        for c in fields(kind)
    }
