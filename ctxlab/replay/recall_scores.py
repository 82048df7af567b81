"""Decisions of recall to scores: one number a transcript, metric and parameter set.

They are measured where those of dedup are bounded: what a hook prints at a recorded prompt follows
from the prompt and the graph, and what was used afterwards is what the log shows. None of them says
what the agent would have done with the pointers before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.economics import carried
from ctxlab.recall.decide import Decisions
from ctxlab.recall.facts import QUESTION_KINDS, RecallFacts
from ctxlab.replay.table import Metric, Table

__all__ = ["CONTROLS", "RECALL_METRICS", "fixed_scores", "recall_scores"]

CONTROLS = QUESTION_KINDS[1:]
"""Kinds of questions to which silence is the right answer."""


def _told(values: Mapping[str, Table]) -> Table:
    told: Table = values["used_pointers"] - values["named_used_pointers"]
    return told


_FIXED = (
    Metric("prompts", "prompts that had a graph to be looked up in", "measured"),
    Metric(
        "unanswerable",
        "prompts without a graph: asked before there was one, or of another project",
        "measured",
    ),
    Metric(
        "with_identifier",
        "prompts that name an identifier, or hold a word that the coverage gate looks up",
        "measured",
    ),
    Metric("matched", "prompts of which a phrase was found in the graph", "measured"),
    Metric("empty_graph", "prompts whose graph held no file yet", "measured"),
    Metric(
        "nothing_right",
        "prompts after which nothing that the graph held was used: no file of it was opened or "
        "edited, no ranked pointer used",
        "measured",
    ),
    Metric(
        "missed",
        "prompts after which a file of the graph was opened or edited, but no ranked pointer used",
        "measured",
    ),
    Metric(
        "used_files",
        "files of the graph that were opened or edited, summed over the prompts",
        "measured",
    ),
    Metric("candidates", "pointers ranked for all prompts, 12 at most a prompt", "measured"),
    Metric("used_candidates", "of these, used afterwards", "measured"),
    *(
        Metric(f"{kind}_questions", f"negative controls, {kind}: silence is right", "measured")
        for kind in CONTROLS
    ),
)
_CHANGING = (
    Metric("fires", "prompts at which pointers are printed", "measured"),
    Metric("used_fires", "of these, with a pointer that was used afterwards", "measured"),
    Metric("output_bytes", "bytes printed, framing included", "measured"),
    Metric("carried_bytes", "bytes printed times the requests that carry them", "modelled"),
    Metric(
        "priced_bytes", "bytes of uncached input that would cost what carrying costs", "modelled"
    ),
    Metric("pointers", "pointers printed, a line each", "measured"),
    Metric(
        "used_pointers", "pointers whose file or symbol was used by the next prompt", "measured"
    ),
    Metric("named_pointers", "pointers whose path or name the prompt itself holds", "measured"),
    Metric("named_used_pointers", "pointers both used and named by the prompt", "measured"),
    Metric("told_pointers", "pointers used that the prompt did not name", "measured", _told),
    Metric("averted_pointers", "pointers whose file was opened with no search before", "measured"),
    Metric("reached_files", "used files that a printed pointer names, each once", "measured"),
    Metric(
        "repeats", "pointers printed that an earlier digest of the same context held", "measured"
    ),
    Metric("truncated", "digests that left out pointers for want of bytes", "measured"),
    *(
        Metric(f"{kind}_fires", f"of the negative controls, {kind}: those that fire", "measured")
        for kind in CONTROLS
    ),
    Metric("unrelated_pointers", "pointers printed at unrelated prompts", "measured"),
    Metric(
        "unrelated_used_pointers",
        "of these, used after the prompt that they stand beside: use by chance",
        "measured",
    ),
)
RECALL_METRICS: Mapping[str, Metric] = {m.name: m for m in (*_FIXED, *_CHANGING)}
"""All scores of recall by name."""


def fixed_scores(facts: RecallFacts) -> dict[str, Table]:
    """Scores that no threshold changes, of shape (n_transcripts,)."""
    q, p = facts.questions, facts.pointers
    asked = q.kind == 0
    used = np.bincount(p.question, weights=p.used, minlength=len(q.kind))
    lines = np.bincount(p.question, minlength=len(q.kind))

    def count(which: npt.NDArray[np.bool_], weights: npt.NDArray[Any] | None = None) -> Table:
        return _by_transcript(facts, which, weights)

    return {
        "prompts": count(asked),
        "unanswerable": facts.unanswerable.astype(np.float64),
        "with_identifier": count(asked & (q.terms > 0)),
        "matched": count(asked & ~np.isnan(q.best_score)),
        "empty_graph": count(asked & (q.known_files == 0)),
        "nothing_right": count(asked & (used == 0) & (q.used_files == 0)),
        "missed": count(asked & (used == 0) & (q.used_files > 0)),
        "used_files": count(asked, q.used_files),
        "candidates": count(asked, lines),
        "used_candidates": count(asked, used),
        **{
            f"{kind}_questions": count(q.kind == code)
            for code, kind in enumerate(QUESTION_KINDS)
            if kind in CONTROLS
        },
    }


def recall_scores(facts: RecallFacts, made: Decisions) -> dict[str, Table]:
    """Sum decisions up by transcript.

    Returns
    -------
    dict of str to array
        Of shape (n_transcripts,), in the order of `facts.transcripts`.
    """
    q, p = facts.questions, facts.pointers
    asked = q.kind == 0
    printed = made.printed & asked[p.question]
    n = len(q.kind)

    def lines(which: npt.NDArray[np.bool_]) -> Table:
        per_question = np.bincount(p.question, weights=printed & which, minlength=n)
        return _by_transcript(facts, asked, per_question)

    def count(which: npt.NDArray[np.bool_], weights: npt.NDArray[Any] | None = None) -> Table:
        return _by_transcript(facts, which & asked, weights)

    used = np.bincount(p.question, weights=printed & p.used, minlength=n) > 0
    by_chance = made.printed & (q.kind == QUESTION_KINDS.index("unrelated"))[p.question]

    def chance(which: npt.NDArray[np.bool_]) -> Table:
        per_question = np.bincount(p.question, weights=by_chance & which, minlength=n)
        return _by_transcript(facts, np.ones(n, bool), per_question)

    priced = carried(made.output_bytes.astype(np.float64), q.requests.astype(np.float64))
    return {
        "fires": count(made.fires),
        "used_fires": count(made.fires & used),
        "output_bytes": count(made.fires, made.output_bytes),
        "carried_bytes": count(made.fires, made.output_bytes * q.requests.astype(np.int64)),
        "priced_bytes": count(made.fires, priced),
        "pointers": lines(printed),
        "used_pointers": lines(p.used),
        "named_pointers": lines(p.named),
        "named_used_pointers": lines(p.named & p.used),
        "averted_pointers": lines(p.averted),
        "reached_files": _by_transcript(facts, asked, _distinct_files(facts, printed)),
        "repeats": lines(made.repeat),
        "truncated": count(made.fires & made.truncated),
        "unrelated_pointers": chance(by_chance),
        "unrelated_used_pointers": chance(p.used),
        **{
            f"{kind}_fires": _by_transcript(facts, (q.kind == code) & made.fires, None)
            for code, kind in enumerate(QUESTION_KINDS)
            if kind in CONTROLS
        },
    }


def _by_transcript(
    facts: RecallFacts, which: npt.NDArray[np.bool_], weights: npt.NDArray[Any] | None
) -> Table:
    of = facts.questions.transcript[which]
    given = None if weights is None else weights[which]
    summed = np.bincount(of, weights=given, minlength=len(facts.transcripts))
    return summed.astype(np.float64)


def _distinct_files(facts: RecallFacts, printed: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """How many used files the printed lines of each question point at, several into one once."""
    p, n = facts.pointers, len(facts.questions.kind)
    at = printed & (p.used_file >= 0)
    pairs = np.unique(np.stack([p.question[at], p.used_file[at]]), axis=1)
    return np.bincount(pairs[0], minlength=n)
