from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.dedup.params import PROFILES, Dedup
from ctxlab.errors import CtxlabError, ParameterError
from ctxlab.params import Param, ParamSet, param


@dataclass(frozen=True, kw_only=True, slots=True)
class Oven(ParamSet):
    heat: int = param(180, unit="degrees", low=50, high=250, doc="How hot.")
    minutes: int | None = param(30, low=1, high=600, optional=True, doc="How long; None: for ever.")
    mode: str = param("fan", choices=("fan", "grill"), doc="Where heat comes from.")
    light: bool = param(False, choices=(False, True), doc="Whether the light is on.")
    name: str = "oven"


NUMBERS = [(s, p) for s in (Dedup, Oven) for p in s.params().values() if not p.choices]
CHOICES = [(s, p) for s in (Dedup, Oven) for p in s.params().values() if p.choices]


def _id(value: Any) -> str:
    return value.name if isinstance(value, Param) else value.__name__


def test_declarations_stand_in_order_and_know_their_names() -> None:
    declared = Oven.params()
    assert list(declared) == ["heat", "minutes", "mode", "light"]
    assert [p.name for p in declared.values()] == list(declared)
    assert declared["heat"] == Param(
        default=180, doc="How hot.", unit="degrees", low=50, high=250, name="heat"
    )


def test_values_are_those_of_the_parameters_alone() -> None:
    assert Oven(heat=200).as_dict() == {"heat": 200, "minutes": 30, "mode": "fan", "light": False}


def test_a_set_is_frozen_equal_by_value_and_hashable() -> None:
    oven = Oven(heat=200)
    assert oven == Oven(heat=200)
    assert len({oven, Oven(heat=200), Oven()}) == 2
    with pytest.raises(FrozenInstanceError, match="heat"):
        oven.heat = 100  # type: ignore[misc]


def test_values_are_given_by_name() -> None:
    with pytest.raises(TypeError, match="positional"):
        Oven(200)  # type: ignore[misc]


@pytest.mark.parametrize(("parameters", "declared"), NUMBERS, ids=_id)
@given(data=st.data())
def test_numbers_pass_exactly_within_their_bounds(
    parameters: type[ParamSet], declared: Param, data: st.DataObject
) -> None:
    assert declared.low is not None
    assert declared.high is not None
    value = data.draw(
        st.sampled_from([declared.low - 1, declared.low, declared.high, declared.high + 1])
        | st.integers(declared.low - 50, declared.high + 50)
        | st.integers()
    )
    if declared.low <= value <= declared.high:
        assert getattr(parameters.of(**{declared.name: value}), declared.name) == value
        return
    with pytest.raises(ParameterError) as caught:
        parameters.of(**{declared.name: value})
    unit = f" {declared.unit}" if declared.unit else ""
    none = " or None" if declared.optional else ""
    bounds = f"[{declared.low}, {declared.high}]{unit}{none}"
    assert str(caught.value) == f"`{declared.name}` must be in {bounds}, got {value}"


@pytest.mark.parametrize(("parameters", "declared"), NUMBERS, ids=_id)
@pytest.mark.parametrize("value", [True, False, 8.0, "8", float("nan"), (8,)], ids=repr)
def test_only_whole_numbers_are_numbers(
    parameters: type[ParamSet], declared: Param, value: object
) -> None:
    with pytest.raises(ParameterError) as caught:
        parameters.of(**{declared.name: value})
    assert str(caught.value).startswith(f"`{declared.name}` must be a whole number in [")
    assert str(caught.value).endswith(f", got {value!r}")


@pytest.mark.parametrize(("parameters", "declared"), NUMBERS, ids=_id)
def test_none_passes_where_it_has_a_meaning(parameters: type[ParamSet], declared: Param) -> None:
    if declared.optional:
        assert getattr(parameters.of(**{declared.name: None}), declared.name) is None
        return
    with pytest.raises(ParameterError, match=f"`{declared.name}` must be a whole .*, got None"):
        parameters.of(**{declared.name: None})


@pytest.mark.parametrize(("parameters", "declared"), CHOICES, ids=_id)
@given(data=st.data())
def test_choices_pass_and_nothing_else(
    parameters: type[ParamSet], declared: Param, data: st.DataObject
) -> None:
    choice = data.draw(st.sampled_from(declared.choices))
    assert getattr(parameters.of(**{declared.name: choice}), declared.name) == choice
    other = data.draw(st.none() | st.integers() | st.floats() | st.text(max_size=9))
    if other in declared.choices and type(other) is type(choice):
        return
    with pytest.raises(ParameterError, match=f"`{declared.name}` must be one of .*, got "):
        parameters.of(**{declared.name: other})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"heat": 20}, "`heat` must be in [50, 250] degrees, got 20"),
        ({"heat": True}, "`heat` must be a whole number in [50, 250] degrees, got True"),
        ({"heat": "hot"}, "`heat` must be a whole number in [50, 250] degrees, got 'hot'"),
        ({"minutes": 0}, "`minutes` must be in [1, 600] or None, got 0"),
        ({"mode": "steam"}, "`mode` must be one of 'fan', 'grill', got 'steam'"),
        ({"light": 1}, "`light` must be one of False, True, got 1"),
        ({"light": 0}, "`light` must be one of False, True, got 0"),
        ({"haet": 200}, "Oven has no parameter `haet`; it has heat, minutes, mode, light"),
        ({"name": "stove"}, "Oven has no parameter `name`; it has heat, minutes, mode, light"),
    ],
)
def test_error_texts(values: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Oven.of(**values)
    assert str(caught.value) == message


def test_a_bad_parameter_is_a_bad_argument_and_exits_with_2() -> None:
    assert issubclass(ParameterError, ValueError)
    assert issubclass(ParameterError, CtxlabError)
    assert ParameterError.exit_code == 2


def test_the_constructor_checks_as_of_does() -> None:
    with pytest.raises(ParameterError, match=r"`min_covered_lines` must be in \[1, 64\] lines"):
        Dedup(min_covered_lines=0)
    with pytest.raises(ParameterError, match=r"`min_covered_lines` must be in \[1, 64\] lines"):
        replace(Dedup(), min_covered_lines=65)


def test_of_takes_back_what_as_dict_gives() -> None:
    changed = Dedup(min_covered_lines=12, view_calls=None, record_scope="thread")
    assert Dedup.of(**changed.as_dict()) == changed
    assert Dedup.of() == Dedup()


@pytest.mark.parametrize("declared", Dedup.params().values(), ids=_id)
def test_declarations_of_dedup_agree_with_themselves(declared: Param) -> None:
    declared.check(declared.default)
    for value in declared.sweep:
        declared.check(value)
    assert declared.default in declared.sweep
    assert declared.doc.endswith(".")
    assert bool(declared.unit) != bool(declared.choices)


@pytest.mark.parametrize("profile", PROFILES)
def test_profiles_name_tool_and_version(profile: str) -> None:
    tool, version = profile.split()
    assert tool
    assert version[0].isdigit()


def test_changed_is_what_is_not_the_default() -> None:
    assert Oven().changed() == {}
    assert Oven(heat=200, minutes=None, mode="fan").changed() == {"heat": 200, "minutes": None}


KEYS = Param((), "Keys.", many=True, name="keys")
KEY = Param(None, "Key.", text=True, optional=True, name="key")
ROWS = Param(0, "Rows.", low=0, high=9, name="rows")


@pytest.mark.parametrize(
    ("declared", "given_values", "values"),
    [
        (ROWS, 5, [5]),
        (ROWS, [0, 5], [0, 5]),
        (ROWS, range(3), [0, 1, 2]),
        (KEY, "id", ["id"]),
        (KEY, None, [None]),
        (KEY, [None, "id"], [None, "id"]),
        (KEYS, (), [()]),
        (KEYS, ("id", "title"), [("id", "title")]),
        (KEYS, [("id", "title")], [("id", "title")]),
        (KEYS, [("id",), ["title"]], [("id",), ("title",)]),
        (KEYS, ((), ("id",)), [(), ("id",)]),
        (KEYS, [], []),
    ],
)
def test_one_value_or_several(declared: Param, given_values: Any, values: list[Any]) -> None:
    assert list(declared.several(given_values)) == values


def test_what_could_be_one_set_of_texts_or_several_is_refused() -> None:
    with pytest.raises(ParameterError) as caught:
        KEYS.several(["id", "title"])
    assert str(caught.value) == (
        "`keys` takes tuples of texts, a list is of several: write [('id', 'title')] for one or "
        "[('id',), ('title',)] for one of each, got ['id', 'title']"
    )
    for alone in KEYS.several("id"):
        with pytest.raises(ParameterError, match=r"a tuple of texts such as \('id',\), got 'id'"):
            KEYS.check(alone)
