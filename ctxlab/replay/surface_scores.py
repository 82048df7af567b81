"""Decisions on JSON answers to scores: one number a transcript, tool, metric and parameter set.

Sizes are measured: what is printed follows from the recorded answer. Loss is what later calls of
the same log show to have been used; what an agent used without quoting it leaves no trace, and what
it would have done without the answer no log tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.economics import carried
from ctxlab.log import ANSWER_FORMS, Bigs, Bools, Ints
from ctxlab.replay.table import Metric, Table
from ctxlab.surface.decide import Decisions
from ctxlab.surface.facts import PART_KINDS, REQUERY_KINDS, TOKEN_KINDS, SurfaceFacts
from ctxlab.surface.params import Surface

__all__ = [
    "SURFACE_METRICS",
    "Columns",
    "changed_answers",
    "columns_of",
    "fixed_surface_scores",
    "rearranged",
    "surface_scores",
]

_LARGER = ("larger", "next_page")


def _saved(values: Mapping[str, Table]) -> Table:
    saved: Table = values["canonical_bytes"] - values["output_bytes"]
    return saved


def _lost(values: Mapping[str, Table]) -> Table:
    lost: Table = np.sum([values[f"lost_{kind}s"] for kind in TOKEN_KINDS], axis=0)
    return lost


_FIXED = (
    Metric("answers", "results of tools that answer in JSON", "measured"),
    Metric("json_answers", "of these, those that held JSON, whole", "measured"),
    Metric("cut_answers", "of these, JSON that the agent's harness cut short", "measured"),
    Metric("text_answers", "of these, no JSON: messages, errors, other output", "measured"),
    Metric("invalid_answers", "of these, JSON against a rule, such as NaN in it", "measured"),
    Metric("recorded_bytes", "bytes of the JSON answers as the model saw them", "measured"),
    Metric("canonical_bytes", "bytes of the same, printed compactly", "measured"),
    Metric("compact_bytes", "recorded minus canonical: what compact printing saves", "measured"),
    Metric(
        "canonical_priced_bytes",
        "bytes of uncached input that would cost what carrying canonical_bytes costs",
        "modelled",
    ),
    Metric("rows", "rows of the main arrays of the JSON answers", "measured"),
    Metric("quoted_answers", "JSON answers of which a later call quoted something", "measured"),
    Metric(
        "quotes", "ids, paths, numbers and names that later calls quoted, each once", "measured"
    ),
    Metric("witnesses", "of these, known to the agent from that answer alone", "measured"),
    Metric("witnessed_answers", "JSON answers with such a quote", "measured"),
    Metric("requeries", "answers after which the same tool was asked the like again", "measured"),
    Metric("larger_requeries", "of these, for a larger limit or the next page", "measured"),
    Metric("json_requeries", "JSON answers after which the like was asked again", "measured"),
    Metric(
        "json_fallbacks",
        "of these, with a larger limit, for the next page or with a narrower filter",
        "measured",
    ),
)
_CHANGING = (
    Metric("output_bytes", "bytes of the JSON answers as the setting prints them", "measured"),
    Metric("saved_bytes", "canonical minus output; may be negative", "measured", _saved),
    Metric(
        "priced_bytes",
        "bytes of uncached input that would cost what carrying the saved ones costs",
        "modelled",
    ),
    Metric("kept_rows", "rows of the main arrays that are printed", "measured"),
    Metric(
        "capped_rows",
        "rows left out by the limit, of other arrays too, which `rows` lacks",
        "measured",
    ),
    Metric("dropped_rows", "rows left out by the byte ceiling, of other arrays too", "measured"),
    Metric("cut_texts", "texts of more than one word that are cut", "measured"),
    Metric("cut_names", "texts of one word that are cut: ids, names, paths, dates", "measured"),
    Metric("stubs", "JSON answers that hold a value of which nothing stays", "measured"),
    Metric("grown", "JSON answers that are printed longer than they were", "measured"),
    Metric("over_budget", "JSON answers that are longer than the byte ceiling", "measured"),
    Metric("changed_answers", "JSON answers from which something was removed", "measured"),
    Metric("lost_quotes", "quotes that nothing printed names any more", "measured"),
    Metric("lost_witnesses", "witnesses that nothing printed names", "measured", _lost),
    Metric("lossy_answers", "JSON answers with a lost quote", "measured"),
    Metric("harmed_answers", "JSON answers with a lost witness", "measured"),
    *(Metric(f"lost_{kind}s", f"lost witnesses: {kind}s", "measured") for kind in TOKEN_KINDS),
)
SURFACE_METRICS: Mapping[str, Metric] = {m.name: m for m in (*_FIXED, *_CHANGING)}
"""All scores of surface by name."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns of a table: one a transcript and tool with answers, one a transcript without any.

    `transcript` and `tool` index those of the facts, in this order; -1 is no tool. `of_answer` is
    the column of each answer.
    """

    transcript: Ints
    tool: Ints
    of_answer: Ints


def columns_of(facts: SurfaceFacts) -> Columns:
    """Give the columns that the answers fall into."""
    n_codes = len(facts.tools) + 1
    own = facts.answers.transcript.astype(np.int64) * n_codes + facts.answers.tool + 1
    silent = np.ones(len(facts.transcripts), bool)
    silent[facts.answers.transcript] = False
    codes = np.unique(np.concatenate([own, np.flatnonzero(silent) * n_codes]))
    transcript, tool = np.divmod(codes, n_codes)
    return Columns(
        transcript.astype(np.int32),
        (tool - 1).astype(np.int32),
        np.searchsorted(codes, own).astype(np.int32),
    )


def fixed_surface_scores(facts: SurfaceFacts, columns: Columns) -> dict[str, Table]:
    """Scores that no parameter changes, of shape (n_columns,)."""
    a, summed = facts.answers, _summing(columns)
    form = {name: a.form == code for code, name in enumerate(ANSWER_FORMS)}
    quoted, witnessed = (_answers_with(facts, of) for of in (True, facts.quotes.is_witness))
    larger = np.isin(a.requery, [REQUERY_KINDS.index(kind) for kind in _LARGER])
    whole = form["json"]
    recorded, canonical = summed(a.recorded_bytes * whole), summed(a.canonical_bytes * whole)
    return {
        "answers": summed(np.ones(len(whole))),
        **{f"{name}_answers": summed(which) for name, which in form.items()},
        "recorded_bytes": recorded,
        "canonical_bytes": canonical,
        "compact_bytes": recorded - canonical,
        "canonical_priced_bytes": summed(_priced(facts, a.canonical_bytes * whole)),
        "rows": summed(a.rows * whole),
        "quoted_answers": summed(quoted > 0),
        "quotes": summed(quoted),
        "witnesses": summed(witnessed),
        "witnessed_answers": summed(witnessed > 0),
        "requeries": summed(a.requery >= 0),
        "larger_requeries": summed(larger),
        "json_requeries": summed(whole & (a.requery >= 0)),
        "json_fallbacks": summed(whole & (larger | (a.requery == REQUERY_KINDS.index("narrower")))),
    }


def surface_scores(
    facts: SurfaceFacts, made: Decisions, columns: Columns, is_rearranged: Bools
) -> dict[str, Table]:
    """Sum decisions up by transcript and tool.

    Parameters
    ----------
    is_rearranged : array of shape (n_answers,)
        What `rearranged` gives.

    Returns
    -------
    dict of str to array
        Of shape (n_columns,), those that follow from others left out.
    """
    a, q, summed = facts.answers, facts.quotes, _summing(columns)
    whole = a.form == ANSWER_FORMS.index("json")
    saved = (a.canonical_bytes - made.output_bytes) * whole
    lost = {
        kind: _answers_with(facts, made.lost & q.is_witness & (q.kind == code))
        for code, kind in enumerate(TOKEN_KINDS)
    }
    lost_quotes = _answers_with(facts, made.lost)
    counts = ("kept_rows", "capped_rows", "dropped_rows", "cut_texts", "cut_names")
    return {
        "output_bytes": summed(made.output_bytes * whole),
        "priced_bytes": summed(_priced(facts, saved)),
        **{name: summed(getattr(made, name) * whole) for name in (*counts, "grown", "over_budget")},
        "stubs": summed((made.stubs > 0) & whole),
        "changed_answers": summed(changed_answers(facts, made, is_rearranged)),
        "lost_quotes": summed(lost_quotes),
        "lossy_answers": summed(lost_quotes > 0),
        "harmed_answers": summed(np.sum(list(lost.values()), axis=0) > 0),
        **{f"lost_{kind}s": summed(values) for kind, values in lost.items()},
    }


def _priced(facts: SurfaceFacts, sizes: Bigs) -> Table:
    """Price bytes of each answer by the requests that carry them."""
    requests = facts.answers.requests.astype(np.float64)
    return np.asarray(carried(sizes.astype(np.float64), requests), np.float64)


def changed_answers(facts: SurfaceFacts, made: Decisions, is_rearranged: Bools) -> Bools:
    """Tell of each answer whether something was removed: rows, keys, ends of texts, or all."""
    a = facts.answers
    fewer = made.kept_rows < a.rows
    removed = made.capped_rows + made.dropped_rows + made.cut_texts + made.cut_names + made.stubs
    whole = a.form == ANSWER_FORMS.index("json")
    changed: Bools = whole & (fewer | (removed > 0) | is_rearranged)
    return changed


def rearranged(facts: SurfaceFacts, setting: Surface) -> Bools:
    """Tell of each answer whether `select` or `count_only` leave other bytes of it than it had."""
    a, shapes = facts.answers, facts.shapes
    if not (setting.select or setting.count_only):
        return np.zeros(len(a.form), bool)
    of_part = shapes.value_answer[shapes.part_value]
    of_item = np.repeat(of_part, shapes.part_items)
    left = np.bincount(of_item, weights=shapes.item_bytes, minlength=len(a.form))
    listed = np.isin(shapes.part_kind, [PART_KINDS.index(kind) for kind in ("rows", "array")])
    filled = of_part[listed & (shapes.part_items > 0)]
    spare_commas = np.bincount(filled, minlength=len(a.form))  # the last items need none
    is_less = left - spare_commas + a.values - 1 != a.canonical_bytes
    found: Bools = is_less & (a.form == ANSWER_FORMS.index("json"))
    return found


def _summing(columns: Columns) -> Callable[[npt.NDArray[Any]], Table]:
    """Sums by column of one number an answer."""

    def summed(values: npt.NDArray[Any]) -> Table:
        n = len(columns.transcript)
        return np.bincount(columns.of_answer, weights=values, minlength=n).astype(np.float64)

    return summed


def _answers_with(facts: SurfaceFacts, which: Bools | bool) -> npt.NDArray[np.float64]:
    """How many such quotes each answer has."""
    of = facts.quotes.answer if which is True else facts.quotes.answer[which]
    return np.bincount(of, minlength=len(facts.answers.form)).astype(np.float64)
