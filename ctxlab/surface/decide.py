"""Facts and parameters to decisions: what the policy would have printed. Pure and exact.

A number of rows cuts a prefix of each array, a length cuts each text, and the ceiling first empties
the other arrays, then keeps the longest prefix of rows that fits. So with sizes summed up to each
item any setting is sums, differences and one search a value, for all values at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxlab.log import ANSWER_FORMS, Bigs, Bools, Ints
from ctxlab.surface._printed import out_of_step, print_values
from ctxlab.surface.facts import UNCUT, SurfaceFacts
from ctxlab.surface.params import Surface
from ctxlab.surface.prepared import Prepared, prepare
from ctxlab.surface.shape import has_knob

__all__ = ["Decisions", "Prepared", "decide", "out_of_step", "prepare"]


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """What the policy does with each answer of `SurfaceFacts`.

    One entry an answer, of all its values: `output_bytes` as printed, newlines between values
    included; an answer whose form is not json keeps its `recorded_bytes`. `kept_rows` of the main
    arrays are printed; `capped_rows` are left out by `max_items`, `dropped_rows` by the ceiling,
    those of other arrays included. `cut_texts` and `cut_names` are printed texts that were cut:
    those that hold white space, and those of one word, such as ids, names, paths and dates. `stubs`
    are values of which nothing is left. `grown`: printed longer than before. `over_budget`: a value
    is longer than the ceiling all the same. `sort_undefined`: the reference's order is unknown.

    One entry a quote: `lost` tells that nothing printed names its token any more, be it in a longer
    path or URL, by its last part, or in a key (`ctxlab.surface.mentions`): who reads the rest
    cannot know it. What the policy itself writes (record, count, stub) names nothing of the answer.
    """

    output_bytes: Bigs
    kept_rows: Ints
    capped_rows: Ints
    dropped_rows: Ints
    cut_texts: Ints
    cut_names: Ints
    stubs: Ints
    grown: Bools
    over_budget: Bools
    sort_undefined: Bools
    lost: Bools


def decide(facts: SurfaceFacts, params: Surface, prepared: Prepared | None = None) -> Decisions:
    """Run the policy on facts.

    Parameters
    ----------
    facts : SurfaceFacts
        Built with `arrangement(params)`: what chooses and orders rows changes what is measured, the
        numeric knobs what is printed of it.
    params : Surface
        The knobs.
    prepared : Prepared, optional
        `prepare(facts)`, to share it between parameter sets; the sizes at each `truncate_content`
        are worked out once in it.

    Returns
    -------
    Decisions
        For each answer what `shape` gives of its values. Without any knob an answer is printed as
        it is.
    """
    made = prepare(facts) if prepared is None else prepared
    if not has_knob(params):
        return _unchanged(facts)
    shapes, sizes = facts.shapes, made.sizes(params.truncate_content)
    printed = print_values(made, params)
    per_value = {
        "output_bytes": printed.bytes,
        "kept_rows": made.by_value(made.is_rows * printed.kept),
        "capped_rows": made.by_value(printed.capped),
        "dropped_rows": made.by_value(printed.dropped),
        "cut_texts": made.by_value(made.items(sizes.texts_to, printed.kept)),
        "cut_names": made.by_value(made.items(sizes.names_to, printed.kept)),
        "stubs": printed.is_stub,
        "over_budget": (printed.bytes > params.max_output_bytes) & (params.max_output_bytes > 0),
        "sort_undefined": shapes.value_sort_undefined,
    }
    n = len(facts.answers.family)
    sums = {
        name: np.bincount(shapes.value_answer, weights=of_values, minlength=n).astype(np.int64)
        for name, of_values in per_value.items()
    }
    counts = {name: sums[name].astype(np.int32) for name in _COUNTS}
    output_bytes = _of_answers(facts, sums["output_bytes"])
    return Decisions(
        output_bytes=output_bytes,
        **counts,
        grown=_is_json(facts) & (output_bytes > facts.answers.canonical_bytes),
        over_budget=sums["over_budget"] > 0,
        sort_undefined=sums["sort_undefined"] > 0,
        lost=_lost(facts, params, printed.kept),
    )


_COUNTS = ("kept_rows", "capped_rows", "dropped_rows", "cut_texts", "cut_names", "stubs")


def _unchanged(facts: SurfaceFacts) -> Decisions:
    """Give what is printed where no knob is set."""
    answers = facts.answers
    n = len(answers.family)
    nothing, never = np.zeros(n, np.int32), np.zeros(n, bool)
    return Decisions(
        output_bytes=np.where(_is_json(facts), answers.canonical_bytes, answers.recorded_bytes),
        **dict.fromkeys(_COUNTS, nothing) | {"kept_rows": answers.rows},
        grown=never,
        over_budget=never,
        sort_undefined=never,
        lost=np.zeros(len(facts.quotes.answer), bool),
    )


def _is_json(facts: SurfaceFacts) -> Bools:
    is_json: Bools = facts.answers.form == ANSWER_FORMS.index("json")
    return is_json


def _of_answers(facts: SurfaceFacts, printed: Bigs) -> Bigs:
    """Bytes of answers, given those of all their values."""
    answers = facts.answers
    newlines = np.maximum(answers.values.astype(np.int64) - 1, 0)
    return np.where(_is_json(facts), printed + newlines, answers.recorded_bytes)


def _lost(facts: SurfaceFacts, params: Surface, kept: Ints) -> Bools:
    shapes = facts.shapes
    length = params.truncate_content or UNCUT
    stands = (shapes.shown_from <= length) & (length <= shapes.shown_to)
    stands &= shapes.shown_item < kept[shapes.shown_part]
    lost: Bools = shapes.quote_stands.copy()
    lost[shapes.shown_quote[stands]] = False
    return lost
