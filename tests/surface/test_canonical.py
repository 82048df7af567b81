"""JSON text to value and back."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import InputError
from ctxlab.surface.canonical import MAX_DEPTH, dumps, encode, parse, parse_values, plain, size
from tests.surface.values import VALUES


def naive(value: Any) -> str:
    """The printer once more, by the letter of its rules."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{naive(k)}:{naive(value[k])}" for k in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(naive, value)) + "]"
    if isinstance(value, float):
        return naive_float(value)
    return json.dumps(value, ensure_ascii=False)


def naive_float(number: float) -> str:
    sign = "-" if math.copysign(1, number) < 0 else ""
    if number == 0:
        return f"{sign}0.0"
    exact = Decimal(repr(abs(number))).normalize()  # repr gives the shortest digits
    digits = "".join(map(str, exact.as_tuple().digits))
    exponent = exact.adjusted()
    if -5 <= exponent < 16:
        plainly = f"{exact:f}"
        return f"{sign}{plainly}" if "." in plainly else f"{sign}{plainly}.0"
    rest = f".{digits[1:]}" if digits[1:] else ""
    return f"{sign}{digits[0]}{rest}e{'+' if exponent > 0 else '-'}{abs(exponent)}"


# Print --------------------------------------------------------------------------------------------


@given(VALUES)
def test_printing_follows_its_rules(value: Any) -> None:
    printed = dumps(value)
    assert printed == naive(value)
    assert (encode(value), size(value)) == (printed.encode(), len(printed.encode()))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_follow_their_rules(number: float) -> None:
    assert dumps(number) == naive_float(number)


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (1e-5, "0.00001"),
        (9.5e-6, "9.5e-6"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e+16"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (5e-324, "5e-324"),
        (2**64 - 1, "18446744073709551615"),
        (-(2**63), "-9223372036854775808"),
    ],
)
def test_numbers(number: float, printed: str) -> None:
    assert dumps(number) == printed


def test_escapes() -> None:
    assert dumps('\0\x1f\b\f\n\r\t"\\/\x7fé\u2028😀') == (
        '"\\u0000\\u001f\\b\\f\\n\\r\\t\\"\\\\/\x7fé\u2028😀"'
    )


def test_keys_are_sorted_by_code_point_at_every_depth() -> None:
    assert dumps([{"😀": 1, "\uffff": {"b": 1, "B": 2}, "": 0}]) == (
        '[{"":0,"\uffff":{"B":2,"b":1},"😀":1}]'
    )


@pytest.mark.parametrize("value", ["\ud800", {1: 2}, {"a": object()}, 2**64])
def test_what_json_does_not_hold_is_not_printed(value: Any) -> None:
    with pytest.raises(InputError, match="the value cannot be printed as JSON: "):
        dumps(value)


# Read ---------------------------------------------------------------------------------------------


@given(VALUES)
def test_a_value_survives_its_print(value: Any) -> None:
    printed = dumps(value)
    assert parse(printed) == value
    assert parse(printed.encode()) == value
    assert dumps(parse(printed)) == printed


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_any_layout_gives_the_value_that_python_reads(
    value: Any, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert parse(text) == json.loads(text)


@given(st.text('0123456789+-.eE[]{},:" \\ntrufalse\n', max_size=12))
def test_a_text_is_read_as_python_reads_it_or_refused(text: str) -> None:
    try:
        read = json.loads(text)
    except ValueError:
        with pytest.raises(InputError, match="invalid JSON at line "):
            parse(text)
    else:
        assert parse(text) == read


@pytest.mark.parametrize("number", ["-0", "[1, -0]", '{"a":-0}', "[-0\n,1]", "[-0e5]"])
def test_negative_zero_keeps_its_sign(number: str) -> None:
    assert "-0.0" in dumps(parse(number))


@pytest.mark.parametrize("text", ['"a -0 b"', '"2026-01-01"', "[10,-0.5]", '["x,-0,"]'])
def test_what_only_looks_like_negative_zero(text: str) -> None:
    assert parse(text) == json.loads(text)


def test_large_whole_numbers_become_floats() -> None:
    large = f"[{2**64 - 1},{2**64},{-(2**63)},{-(2**63) - 1},1{'0' * 300}]"
    expected = [2**64 - 1, float(2**64), -(2**63), float(-(2**63) - 1), 1e300]
    for text in (large, large[:-1] + ",-0]"):  # the second is read on the slower way
        read = parse(text)
        assert isinstance(read, list)
        assert read[:5] == expected
        assert [type(number) for number in read[:5]] == [int, float, int, float, float]


def test_floats_are_rounded_correctly() -> None:
    halfway = "9007199254740993.0"
    assert parse(f"[{halfway},1e-400,2.2250738585072011e-308]") == [
        9007199254740992.0,
        0.0,
        2.2250738585072011e-308,
    ]


def test_the_last_of_equal_keys_wins() -> None:
    assert parse('{"a":1,"b":2,"a":{"a":3}}') == {"a": {"a": 3}, "b": 2}
    assert dumps(parse('{"a":1,"b":-0,"a":3}')) == '{"a":3,"b":-0.0}'


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
def test_depth(opening: str, closing: str) -> None:
    levels = len(re.findall(r"[\[{]", opening))
    most = MAX_DEPTH // levels
    parse(f"{opening * most}1{closing * most}")
    parse('["' + "[" * 1000 + '"]')
    for deep in (most + 1, 5_000, 500_000):
        with pytest.raises(InputError, match="more than 127 levels of arrays and objects"):
            parse(f"{opening * deep}1{closing * deep}")
    with pytest.raises(InputError, match="line 1, column 128: more than 127 levels"):
        parse("[" * 128 + "]" * 128)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, column 1: there is no value"),
        (" \n ", "line 1, column 1: there is no value"),
        ('["é",\n NaN]', "line 2, column 2: NaN is no JSON number"),
        ("[-Infinity]", "line 1, column 3: Infinity is no JSON number"),
        ("[1e400]", "line 1, column 2: "),
        ('["\\ud800"]', "line 1, column "),
        ('["\ud800"]', "line 1, column 3: a lone surrogate is no character"),
        ("[1] x", "line 1, column 5: "),
        ("[1,]", "line 1, column "),
        ('{"a" 1}', "line 1, column "),
        ('["\t"]', "line 1, column "),
        ("\ufeff[]", "line 1, column 1: "),
        ("[1", "line 1, column 3: "),
        ("[1," * 100 + "1", "line 1, column "),
    ],
)
def test_faults_are_said_with_their_place(text: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"invalid JSON at {said}")):
        parse(text)
    with pytest.raises(InputError, match=re.escape(f"invalid JSON at {said}")):
        parse_values(text)


def test_bytes_that_are_not_utf8() -> None:
    for read in (parse, parse_values):
        with pytest.raises(
            InputError, match=r"not UTF-8: byte 3 of the text \(invalid start byte\)"
        ):
            read(b'["a\xff"]')


# Several values -----------------------------------------------------------------------------------


@given(st.lists(VALUES, min_size=1, max_size=4), st.sampled_from(["\n", "\n\n", "\r\n", " \n\t"]))
def test_values_one_a_line(values: list[Any], between: str) -> None:
    assert parse_values(between.join(map(dumps, values))) == values


@given(
    st.lists(VALUES.filter(lambda v: isinstance(v, (dict, list))), min_size=1, max_size=4),
    st.sampled_from(["", "\n", " "]),
    st.sampled_from([None, 2]),
)
def test_values_one_after_the_other(values: list[Any], between: str, indent: int | None) -> None:
    assert parse_values(between.join(json.dumps(v, indent=indent) for v in values)) == values


def test_scalars_one_after_the_other() -> None:
    assert parse_values('1 "a b" null\n[2]true') == [1, "a b", None, [2], True]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("some words", "line 1, column 1: "),
        ('{"a":1},{"a":2}', "line 1, column 8: "),
        ("[1]]", "line 1, column 4: "),
        ('[1]\n{"b":', "line 2, column 6: "),
        ('[1]\n["open', "line 2, column "),
        ("[1\n][2,\nNaN]", "line 3, column 1: NaN is no JSON number"),
        ("[1]" + "[" * 200, "line 1, column 131: more than 127 levels"),
    ],
)
def test_a_fault_among_several_values(text: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"invalid JSON at {said}")):
        parse_values(text)


# Values of Python ---------------------------------------------------------------------------------


def test_values_of_python_become_plain() -> None:
    value = {"a": (1, 2**70), 3: [-0.0]}
    assert plain(value) == {"a": [1, float(2**70)], "3": [-0.0]}
    assert value["a"] == (1, 2**70)


@pytest.mark.parametrize("value", [math.nan, [math.inf], {"a": object()}, {(1,): 2}])
def test_values_that_json_does_not_hold(value: Any) -> None:
    with pytest.raises(InputError, match="the value cannot be printed as JSON: "):
        plain(value)


def test_a_value_inside_itself() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(InputError, match="cannot be printed as JSON: Circular reference"):
        plain(value)
