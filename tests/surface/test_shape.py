"""Whole answers: what the cases of the reference leave open."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import InputError, ParameterError
from ctxlab.surface import NUMERIC, PROFILES, Surface, dumps, shape, shape_text, shape_values
from ctxlab.surface.shape import cut_texts, has_knob

ROWS: list[Any] = [{"id": "a", "kind": "x", "text": "long text"}, {"id": "b", "kind": None}]


def test_the_package_gives_functions_where_modules_have_their_names() -> None:
    for module in ("arrange", "shape"):
        import_module(f"ctxlab.surface.{module}")
    assert ctxlab.surface.shape([1, 2], ctxlab.Surface(max_items=1)) == [1]
    assert ctxlab.surface.arrange([1, 2], ctxlab.Surface()).rows == [1, 2]


@pytest.mark.parametrize("name", ["max_items", "truncate_content", "max_output_bytes"])
def test_each_number_is_a_knob(name: str) -> None:
    assert name in NUMERIC
    assert has_knob(Surface.of(**{name: 1}))


@pytest.mark.parametrize(
    ("knobs", "expected"),
    [
        ({}, False),
        ({"refuses_unresolved": True, "has_synonyms": True, "overwrites_truncated": True}, False),
        ({"select": (), "filters": ()}, False),
        ({"sort": ""}, True),
        ({"dedupe_by": ""}, True),
        ({"select": ("",)}, True),
        ({"filters": ("a=",)}, True),
        ({"count_only": True}, True),
    ],
)
def test_what_is_a_knob(knobs: dict[str, Any], expected: bool) -> None:
    assert has_knob(Surface(**knobs)) is expected


def test_a_value_is_left_as_it_was() -> None:
    value = {"results": ROWS, "truncated": False, "agent_surface": {}}
    before = dumps(value)
    shape(value, Surface(max_items=1, truncate_content=1, select=("id",), max_output_bytes=150))
    assert dumps(value) == before


def test_python_values_become_those_of_json() -> None:
    assert shape({"rows": (1, 2)}, Surface()) == {"rows": [1, 2]}
    with pytest.raises(InputError, match="cannot be printed as JSON"):
        shape([float("nan")], Surface())


def test_several_values_are_reshaped_one_by_one() -> None:
    params = Surface(max_items=1)
    assert shape_values("[1,2]\n\n[3]", params) == "[1]\n[3]"
    assert shape_values(b"[1,2][3, 4]", params) == "[1]\n[3]"
    assert shape_values('{"ok": false}\n7', params) == '{"ok":false}\n7'
    with pytest.raises(InputError, match="line 2, column 2"):
        shape_values("[1]\n[", params)


def test_bad_filters_are_errors_of_parameters() -> None:
    assert issubclass(ParameterError, ValueError)
    for text in ("[]", '{"error":true}'):
        with pytest.raises(ParameterError, match="invalid --filter expression 'x': expected key="):
            shape_text(text, Surface(filters=("x",)))


def test_texts_are_cut_by_characters_at_any_depth() -> None:
    value: Any = {"key": ["日本語", {"deeper": "😀😀"}], "n": 12345, "none": None}
    assert cut_texts(value, 1) == {"key": ["日", {"deeper": "😀"}], "n": 12345, "none": None}


# Later versions -----------------------------------------------------------------------------------


def test_profiles_differ_in_switches_alone() -> None:
    assert next(iter(PROFILES)) == "sqlite-graphrag 1.2.5"
    assert PROFILES["sqlite-graphrag 1.2.5"] == Surface()
    for params in PROFILES.values():
        assert not has_knob(params)
    assert PROFILES["sqlite-graphrag 1.2.8"].has_synonyms
    assert not PROFILES["sqlite-graphrag 1.2.7"].has_synonyms


@pytest.mark.parametrize("stands", [False, None, "no", True])
@pytest.mark.parametrize("knobs", [{"truncate_content": 2}, {"max_output_bytes": 170}])
def test_later_versions_overwrite_truncated(stands: Any, knobs: dict[str, Any]) -> None:
    value = {"rows": ["text"] * 20, "truncated": stands}
    first: Any = shape(value, Surface(**knobs))
    later: Any = shape(value, Surface(**knobs, overwrites_truncated=True))
    assert first["truncated"] == (stands[:2] if isinstance(stands, str) else stands)
    assert later["truncated"] is True
    whole: Any = shape(value, Surface(max_items=99, overwrites_truncated=True))
    assert whole["truncated"] == stands


def test_later_versions_find_synonyms_and_refuse_the_rest() -> None:
    params = Surface.of(**{**PROFILES["sqlite-graphrag 1.2.8"].as_dict(), "select": ("type", "id")})
    assert shape(ROWS, params) == [{"type": "x", "id": "a"}, {"type": None, "id": "b"}]
    older = Surface.of(**{**PROFILES["sqlite-graphrag 1.2.7"].as_dict(), "select": ("type",)})
    with pytest.raises(InputError, match="`select` names the key 'type', which no row"):
        shape(ROWS, older)
    assert InputError.exit_code == ParameterError.exit_code == 2


def test_parameters_of_another_policy_are_refused() -> None:
    with pytest.raises(ParameterError, match="`params` must be a Surface, such as"):
        shape([1], ctxlab.Recall())  # type: ignore[arg-type]
