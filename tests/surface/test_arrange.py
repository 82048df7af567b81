"""Which rows an answer has, and in which order."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given

from ctxlab.errors import InputError, ParameterError
from ctxlab.surface import ALIASES, RESULT_KEYS, Arranged, Surface, arrange
from ctxlab.surface.arrange import MISSING, look_up, primary_key, project
from ctxlab.surface.filters import parse_filters
from tests.surface.values import answers

ROWS = [{"id": 1, "kind": "b"}, {"id": 2, "kind": "a"}, {"id": 3, "kind": "b"}]
LATER = {"refuses_unresolved": True}


def test_all_of_an_arrangement() -> None:
    value = {"results": ROWS, "graph_matches": [4], "direct_matches": 5, "took": 1, "more": [6]}
    kept = {"direct_matches": 5, "took": 1, "more": [6]}
    rows = [ROWS[1], ROWS[0]]
    params = Surface(
        filters=("id!=7",),
        sort="kind",
        dedupe_by="kind",
        select=("id",),
        max_items=1,
        count_only=True,
    )
    assert arrange(value, params, "recall") == Arranged(
        value={**kept, "results": rows},
        is_passthrough=False,
        primary="results",
        is_array=False,
        rows=rows,
        input_count=3,
        aliases_removed=("graph_matches",),
        others=kept,
        sort_undefined=False,
    )


def test_an_array_is_its_own_main_array() -> None:
    arranged = arrange(ROWS, Surface(filters=("kind=b",)), "list")
    assert (arranged.is_array, arranged.primary, arranged.input_count) == (True, None, 3)
    assert arranged.rows == arranged.value == [ROWS[0], ROWS[2]]


@pytest.mark.parametrize("value", ["text", 1, None, {}, {"a": {"rows": [1]}}])
def test_no_main_array(value: Any) -> None:
    arranged = arrange(value, Surface(sort="a", filters=("a=1",)))
    assert (arranged.rows, arranged.input_count, arranged.value) == (None, 1, value)
    assert arranged.others == (value if isinstance(value, dict) else {})


@pytest.mark.parametrize("value", [{"error": True}, {"ok": False, "rows": []}, {"$schema": None}])
def test_failures_and_schemas_pass(value: Any) -> None:
    assert arrange(value, Surface(sort="a", **LATER)) == Arranged(value, True)


def test_well_known_keys_come_in_their_order() -> None:
    value: dict[str, Any] = {"aaa": []}
    assert primary_key(value) == "aaa"
    for key in reversed(RESULT_KEYS):
        before = primary_key(value)
        assert primary_key({**value, key: {}}) == before
        value[key] = []
        assert primary_key(value) == key


@pytest.mark.parametrize(("command", "primary"), ALIASES)
def test_aliases_go_only_beside_their_main_array(command: str, primary: str) -> None:
    removed = ALIASES[command, primary]
    value = {primary: [1], **{key: [1] for key in removed}}
    assert arrange(value, Surface(), command).value == {primary: [1]}
    assert arrange(value, Surface(), command).aliases_removed == removed
    for other in (None, "stats"):
        assert arrange(value, Surface(), other).value == value
    other_rows = {"~": [1], **{key: [1] for key in removed}}
    assert arrange(other_rows, Surface(), command).aliases_removed == ()


@given(answers())
def test_without_knobs_only_aliases_go(value: Any) -> None:
    arranged = arrange(value, Surface())
    assert arranged.value == value
    if arranged.rows is not None:
        assert arranged.input_count == len(arranged.rows)


# Paths --------------------------------------------------------------------------------------------


def test_look_up_goes_through_objects_only() -> None:
    value: Any = {"a": {"b": {"c": 1}}, "a.b": 2, "list": [3], "null": None, "": {"": 4}}
    assert look_up(value, "a.b.c") == 1
    assert look_up(value, "null") is None
    assert look_up(value, ".") == 4
    for missing in ("a.b.d", "list.0", "null.x", "a.b.c.d", "A"):
        assert look_up(value, missing) is MISSING
    assert look_up([value], "a") is MISSING


def test_projection_keeps_paths_as_typed() -> None:
    row: Any = {"a": {"b": None}, "c": 1}
    assert project(row, ("a.b", "c", "d", "c")) == {"a.b": None, "c": 1}
    assert project(row, ("d",)) == {}
    assert [project(other, ("a",)) for other in (1, "a", None, [row])] == [1, "a", None, [row]]


def test_synonyms_of_later_versions() -> None:
    later = {"has_synonyms": True}
    for typed in ("type", "entity_type", "kind"):
        for present in ("type", "entity_type", "kind"):
            rows: Any = [{present: "x", "meta": {present: "y"}}, {"other": 1}]
            kept = arrange(rows, Surface(filters=(f"{typed}=x",), **later)).rows
            assert kept == rows[:1]
            assert look_up(rows[0], f"meta.{typed}", synonyms=True) == "y"
            assert project(rows[0], (typed,), synonyms=True) == {typed: "x"}
    assert look_up({"kind": 1, "type": 2}, "kind", synonyms=True) == 1
    assert look_up({"kind": 1, "type": 2}, "entity_type", synonyms=True) == 2
    assert look_up({"kind": 1}, "type") is MISSING


# Filters ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "read"),
    [
        ("a=b", ("a", "=", "b")),
        ("a==b", ("a", "=", "b")),
        ("a===b", ("a", "=", "=b")),
        ("a!=b", ("a", "!=", "b")),
        ("a~b=c", ("a", "~", "b=c")),
        ("a=b~c", ("a", "=", "b~c")),
        ("a=!=b", ("a", "=", "!=b")),
        ("a=", ("a", "=", "")),
        ("\u2003 a . b\x85=\tc ", ("a . b", "=", "\tc ")),
        ("a\x1f=b", ("a\x1f", "=", "b")),  # a separator, and no white space in Unicode
        ("a.b=c", ("a.b", "=", "c")),
    ],
)
def test_filters_are_read(expression: str, read: tuple[str, str, str]) -> None:
    (condition,) = parse_filters([expression])
    assert (condition.key, condition.operator, condition.wanted) == read


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("", "expected key=value, key!=value or key~substring"),
        ("plain", "expected key=value, key!=value or key~substring"),
        ("=x", "the key must not be empty"),
        (" \u3000!=x", "the key must not be empty"),
        ("==", "the key must not be empty"),
    ],
)
@pytest.mark.parametrize("value", [{"error": True}, [], 1])
def test_a_bad_filter_is_said_before_any_work(value: Any, expression: str, said: str) -> None:
    text = f"invalid --filter expression '{expression}': {said}"
    with pytest.raises(ParameterError, match=f"^{re.escape(text)}$"):
        arrange(value, Surface(filters=("a=b", expression)))


MEMBERS: list[Any] = [1, 1.0, "1", True, None, "", [1], {}]


@pytest.mark.parametrize(
    ("expression", "kept"),
    [
        ("k=1", "1 '1'"),
        ("k!=1", "1.0 True None '' [1] {} missing"),
        ("k=true", "True"),
        ("k=", "None ''"),
        ("k~", "1 1.0 '1' True None ''"),
        ("k~RU", "True"),
        ("k~.", "1.0"),
        ("k=[1]", ""),
    ],
)
def test_what_filters_keep(expression: str, kept: str) -> None:
    rows: list[Any] = [*({"k": member} for member in MEMBERS), {"other": 1}]
    found = arrange(rows, Surface(filters=(expression,))).rows or []
    shown = [repr(row["k"]) if "k" in row else "missing" for row in found]
    assert " ".join(shown) == kept


# Refusals of later versions -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("knobs", "said"),
    [
        (
            {"select": ("id", "none")},
            "`select` names the key 'none', which no row of the answer has",
        ),
        ({"sort": "none"}, "`sort` names the key 'none'"),
        ({"dedupe_by": "id.x"}, "`dedupe_by` names the key 'id.x'"),
        ({"filters": ("id=1", " none ~x")}, "`filters` names the key 'none'"),
        ({"count_only": True, "select": ("id",)}, "`select` has no effect on a count"),
        ({"count_only": True, "sort": "id"}, "`sort` has no effect on a count"),
    ],
)
def test_later_versions_refuse_what_does_nothing(knobs: dict[str, Any], said: str) -> None:
    for value in (ROWS, {"rows": ROWS}):
        assert arrange(value, Surface(**knobs)).rows is not None
        with pytest.raises(InputError, match=re.escape(said)):
            arrange(value, Surface(**knobs, **LATER))


@pytest.mark.parametrize(
    ("knobs", "said"),
    [
        ({"sort": "a"}, "`sort` has no effect on an answer without an array of rows"),
        ({"filters": ("a=1",)}, "`filters` has no effect"),
        ({"dedupe_by": "a"}, "`dedupe_by` has no effect"),
        ({"select": ("a", "b")}, "`select` names the key 'b', which the answer does not have"),
    ],
)
def test_later_versions_refuse_row_knobs_without_rows(knobs: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        arrange({"a": 1}, Surface(**knobs, **LATER))


@pytest.mark.parametrize(
    ("value", "knobs"),
    [
        (ROWS, {"select": ("id",), "sort": "kind", "dedupe_by": "id", "filters": ("kind=a",)}),
        (ROWS, {"count_only": True, "dedupe_by": "kind"}),
        ([*ROWS, {"rare": 1}], {"sort": "rare"}),
        ([], {"sort": "none"}),
        ({"a": 1}, {"select": ("a",), "max_items": 3, "count_only": False}),
        ({"error": True}, {"sort": "none"}),
    ],
)
def test_later_versions_take_what_does_something(value: Any, knobs: dict[str, Any]) -> None:
    assert arrange(value, Surface(**knobs, **LATER)) == arrange(value, Surface(**knobs))
