"""Laws of a reshaped answer that hold whatever it holds and whatever is asked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxlab.surface import Surface, dumps, shape, shape_text
from ctxlab.surface.arrange import arrange, is_passthrough
from ctxlab.surface.budget import stub
from ctxlab.surface.params import PROFILES, arrangement
from ctxlab.surface.record import RECORD
from ctxlab.surface.shape import has_knob
from tests.surface.values import VALUES, answers, knobs

COMMANDS = st.sampled_from([None, "list", "recall", "stats"])
MOST_OVER = 4  # digits that emptied arrays may add to `dropped`


def without(params: Surface, *names: str) -> Surface:
    return Surface.of(**{n: v for n, v in params.as_dict().items() if n not in names})


def arrays(value: Any) -> dict[str, list[Any]]:
    """Top-level arrays by key; of an array itself under no key."""
    if isinstance(value, list):
        return {"": value}
    return (
        {k: v for k, v in value.items() if isinstance(v, list)} if isinstance(value, dict) else {}
    )


def texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for child in inner for text in texts(child)]


@given(VALUES | answers(), st.sampled_from(list(PROFILES.values())), COMMANDS)
def test_without_a_knob_nothing_changes(value: Any, profile: Surface, command: str | None) -> None:
    assert not has_knob(profile)
    assert shape(value, profile, command) == value
    assert shape_text(dumps(value), profile, command) == dumps(value)


@given(
    answers(), knobs(), COMMANDS, st.sampled_from([{"error": True}, {"ok": False}, {"$schema": 1}])
)
def test_failures_and_schemas_are_untouched(
    value: Any, drawn: dict[str, Any], command: str | None, mark: dict[str, Any]
) -> None:
    assume(isinstance(value, dict))
    assert shape({**value, **mark}, Surface(**drawn), command) == {**value, **mark}


@given(answers(), knobs(), COMMANDS)
def test_text_and_value_give_the_same_and_neither_is_changed(
    value: Any, drawn: dict[str, Any], command: str | None
) -> None:
    before = dumps(value)
    shaped = shape(value, Surface(**drawn), command)
    assert dumps(value) == before
    assert shape_text(before, Surface(**drawn), command) == dumps(shaped)


@settings(max_examples=300)
@given(answers(), knobs(), COMMANDS, st.integers(1, 600))
def test_an_answer_is_never_larger_than_its_ceiling(
    value: Any, drawn: dict[str, Any], command: str | None, most: int
) -> None:
    params = Surface(**{**drawn, "max_output_bytes": most})
    shaped = shape(value, params, command)
    over = len(dumps(shaped).encode()) - most
    if over > 0 and not is_passthrough(value) and shaped != stub(most):
        assert over <= MOST_OVER
        whole = shape(value, without(params, "max_output_bytes"), command)
        primary = arrange(value, params, command).primary
        assert any(rows for key, rows in arrays(whole).items() if key != primary)


@settings(max_examples=300)
@given(answers(), knobs(), COMMANDS)
def test_the_record_tells_the_truth(value: Any, drawn: dict[str, Any], command: str | None) -> None:
    params = Surface(**drawn)
    shaped: Any = shape(value, params, command)
    if not has_knob(params) or is_passthrough(value) or not isinstance(shaped, dict):
        return
    if shaped == stub(params.max_output_bytes):
        return
    told = shaped[RECORD]
    arranged = arrange(value, params, command)
    primary = arranged.primary
    input_rows = value[primary] if primary is not None else value
    assert told["input_count"] == (len(input_rows) if isinstance(input_rows, list) else 1)
    assert told.get("aliases_removed", []) == list(arranged.aliases_removed)
    assert not set(arranged.aliases_removed) & set(shaped)
    said = {"select": list(params.select), "filters": len(params.filters), "sort": params.sort}
    said |= {"dedupe_by": params.dedupe_by, "max_items": params.max_items}
    said |= {"count_only": params.count_only}
    for name, member in said.items():
        assert (told[name] == member) if member or member == "" else (name not in told)

    if params.count_only:
        assert told["output_count"] == shaped["count"]
        assert set(shaped) == {"count", RECORD}
        return
    assert told["output_count"] == (1 if primary is None else len(shaped[primary]))

    shown: Any = shape(value, without(params, "max_output_bytes"), command)
    gone = {k: rows[len(arrays(shaped)[k]) :] for k, rows in arrays(shown).items()}
    assert told.get("dropped", 0) == sum(map(len, gone.values()))
    assert ("output_truncated" in told) == ("max_output_bytes" in told) == ("dropped" in told)
    assert all(arrays(shown)[k][: len(arrays(shaped)[k])] == arrays(shaped)[k] for k in gone)

    uncut: Any = shape(value, without(params, "max_output_bytes", "truncate_content"), command)
    was_cut = [
        len(text) > params.truncate_content > 0
        for text in texts({k: v for k, v in uncut.items() if k != RECORD})
    ]
    assert told.get("content_truncated", False) == ("truncate_content" in told) == any(was_cut)
    if any(was_cut) or told.get("dropped"):
        assert "truncated" in shaped

    others = arrays(arranged.others) if primary is not None else {}
    long = sorted(k for k, rows in others.items() if len(rows) > params.max_items > 0)
    assert told.get("secondary_capped", []) == long


IDEMPOTENT = [
    {"max_items": 2},
    {"truncate_content": 2},
    {"max_items": 1, "truncate_content": 3},
    {"filters": ("id!=1",)},
    {"dedupe_by": "id"},
    {"select": ("id", "name")},
    {"select": ("id",), "filters": ("id~1",), "dedupe_by": "id", "max_items": 3},
]


@pytest.mark.parametrize("drawn", IDEMPOTENT, ids=str)
@given(value=answers(), command=COMMANDS)
def test_what_is_reshaped_once_stays_so(
    drawn: dict[str, Any], value: Any, command: str | None
) -> None:
    """But for the record, which then tells of a smaller answer.

    Not so: a ceiling (it keeps room for a longer record, so that what fits may be shortened once
    more), a count (it becomes an answer without rows), a dotted `select` (its keys are then never
    matched), a filter by a key that is not selected, a key for dedupe that was cut, and the order
    of numbers and texts mixed.
    """
    params = Surface(**drawn)

    def payload(shaped: Any) -> Any:
        if not isinstance(shaped, dict) or is_passthrough(value):
            return shaped
        return {k: v for k, v in shaped.items() if k not in (RECORD, "truncated")}

    once = shape(value, params, command)
    assume(not is_passthrough(once) or is_passthrough(value))
    assert payload(shape(once, params, command)) == payload(once)


@given(answers(), knobs())
def test_numbers_do_not_change_the_arrangement(value: Any, drawn: dict[str, Any]) -> None:
    params = Surface(**drawn)
    assert arrange(value, params) == arrange(value, arrangement(params))


@given(answers(), knobs(), st.integers(1, 20))
def test_rows_left_are_the_first_of_those_arranged(
    value: Any, drawn: dict[str, Any], most: int
) -> None:
    params = Surface(**{**drawn, "max_items": most, "truncate_content": 0, "count_only": False})
    params = without(params, "select", "max_output_bytes")
    arranged = arrange(value, params)
    assume(arranged.rows is not None and arranged.primary is not None)
    assert arranged.rows is not None
    shaped: Any = shape(value, params)
    assert shaped[arranged.primary] == arranged.rows[:most]
