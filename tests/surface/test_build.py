"""Answers to facts: what is measured of each, and what is told of bad ones."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ctxlab.errors import InputError, ParameterError
from ctxlab.log import ANSWER_FORMS
from ctxlab.surface import Surface, dumps
from ctxlab.surface.build import QuoteRow
from ctxlab.surface.decide import decide
from ctxlab.surface.facts import REQUERY_KINDS, TOKEN_KINDS, KeyFacts
from tests.surface.worlds import answer, facts_of

BITING = Surface(max_items=1, truncate_content=3, max_output_bytes=200)


def keys_of(facts) -> dict[str, tuple[int, int]]:
    found: KeyFacts = facts.key_facts
    return {
        facts.keys[key]: (rows, n_bytes)
        for key, rows, n_bytes in zip(
            found.key.tolist(), found.rows.tolist(), found.bytes.tolist(), strict=True
        )
    }


def test_an_answer_in_columns():
    text = '{ "results": [ {"id": "AB-12"}, 7 ], "of": 2 }\n[ 1, 2, 3 ]'
    row = answer(
        text,
        tool="beta",
        recorded_bytes=70,
        requests=5,
        is_error=True,
        requery="next_page",
        requery_after=2,
        quotes={"AB-12": QuoteRow(False, 4)},
    )
    facts = facts_of([answer("[]", tool="zeta"), row, answer("{}", tool="alpha")])
    found = facts.answers
    assert facts.tools == ("alpha", "beta", "zeta")
    assert found.tool.tolist() == [2, 1, 0]
    assert found.values.tolist() == [1, 2, 1]
    assert found.rows.tolist() == [0, 5, 0]
    assert found.canonical_bytes[1] == len('{"of":2,"results":[{"id":"AB-12"},7]}\n[1,2,3]')
    assert found.recorded_bytes[1] == 70
    assert found.requests[1] == 5
    assert found.is_error.tolist() == [False, True, False]
    assert [REQUERY_KINDS[n] for n in found.requery if n >= 0] == ["next_page"]
    assert found.requery_after.tolist() == [0, 2, 0]
    assert facts.quotes.answer.tolist() == [1]
    assert TOKEN_KINDS[facts.quotes.kind[0]] == "id"
    assert facts.quotes.after.tolist() == [4]
    assert not facts.quotes.is_witness[0]


@pytest.mark.parametrize("text", ["", "no JSON", '{"a": NaN}', "[1, 2", '"\\ud800"', "[" * 200])
def test_a_text_said_to_be_json_that_is_none_is_text(text):
    facts = facts_of([answer(text, ["AB-12"], recorded_bytes=9)])
    assert ANSWER_FORMS[facts.answers.form[0]] == "text"
    assert facts.answers.canonical_bytes[0] == 0
    assert facts.answers.values[0] == 0
    found = decide(facts, BITING)
    assert found.output_bytes.tolist() == [9]
    assert not found.lost.any()


@pytest.mark.parametrize("form", ["cut", "text"])
def test_what_is_no_json_keeps_its_bytes_and_loses_nothing(form):
    facts = facts_of([answer("", ["AB-12"], form=form, recorded_bytes=5000)])
    for params in (BITING, Surface()):
        found = decide(facts, params)
        assert found.output_bytes.tolist() == [5000]
        assert not found.lost.any()
        assert not found.grown.any()
        assert not found.over_budget.any()


def test_what_the_answer_never_showed_is_never_lost():
    facts = facts_of([answer('[{"id": "AB-12"}]', ["AB-12", "AB-13"])])
    assert decide(facts, Surface(max_output_bytes=1)).lost.tolist() == [True, False]


def test_without_any_knob_floats_stay_as_short_as_the_tool_printed_them():
    text = '{"results": [{"score": 0.42}]}'
    facts = facts_of([answer(text, command="recall")])
    assert facts.answers.canonical_bytes[0] == len(dumps(json.loads(text)))
    assert decide(facts, Surface()).output_bytes[0] == len(dumps(json.loads(text)))
    grown = decide(facts, Surface(max_items=9))
    assert grown.output_bytes[0] > len(dumps(json.loads(text))) + 53
    assert grown.grown[0]


def test_keys_of_rows_and_what_they_take():
    text = '{"results": [{"id": 1, "é": "x"}, {"id": 22}, [3], 4], "total": 4}'
    facts = facts_of([answer(text)], Surface(select=("id",)))
    assert keys_of(facts) == {"id": (2, len('"id":1,"id":22,')), "é": (1, len('"é":"x",'.encode()))}


def test_keys_of_an_answer_without_rows_are_its_own_but_for_an_earlier_record():
    text = '{"id": 1, "agent_surface": {"output_count": 1}}'
    assert keys_of(facts_of([answer(text)])) == {"id": (1, len('"id":1,'))}
    assert keys_of(facts_of([answer('{"error": true, "id": 1}')])) == {}
    assert keys_of(facts_of([answer('[[1], "x"]')])) == {}


def test_keys_that_hold_what_is_quoted():
    text = '[{"path": "src/a.py", "note": "in src/a.py"}, {"id": 1533, "tags": [["AB-12"]]}]'
    facts = facts_of([answer("[]"), answer(text, ["1533", "AB-12", "src/a.py"])])
    found = facts.key_facts
    pairs = zip(found.quote_key_quote.tolist(), found.quote_key_key.tolist(), strict=True)
    assert sorted((quote, facts.keys[key]) for quote, key in pairs) == [
        (0, "id"),
        (1, "tags"),
        (2, "note"),
        (2, "path"),
    ]


def test_rows_that_filters_leave_out_have_no_keys():
    text = '[{"id": 1}, {"id": 2, "name": "x"}]'
    assert keys_of(facts_of([answer(text)], Surface(filters=("id=1",)))) == {"id": (1, 7)}


def test_numeric_knobs_of_the_setting_are_not_looked_at():
    rows = [answer('{"results": [{"id": "AB-12 and more"}, 2]}', ["AB-12"])]
    plain, bitten = facts_of(rows), facts_of(rows, BITING)
    for name in plain.shapes.__slots__:
        np.testing.assert_array_equal(getattr(plain.shapes, name), getattr(bitten.shapes, name))


def test_an_answer_that_later_versions_refuse_is_left_as_it_is():
    setting = Surface(select=("never",), refuses_unresolved=True)
    facts = facts_of([answer('[{"id": "AB-12"}]', ["AB-12"])], setting)
    found = decide(facts, setting)
    assert found.output_bytes[0] == facts.answers.canonical_bytes[0]
    assert not found.lost[0]


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (
            {"form": "xml"},
            ParameterError,
            r"`form` must be one of json, cut, text, invalid, got 'xml'",
        ),
        ({"requery": "often"}, ParameterError, r"`requery` must be one of again, .*, got 'often'"),
        ({"quotes": {"a b": QuoteRow(True, 1)}}, InputError, r"`token` must be .*, got 'a b'"),
    ],
)
def test_a_row_of_no_known_kind_is_told(given, error, text):
    with pytest.raises(error, match=text):
        facts_of([answer("[]", **given)])


def test_a_bad_filter_is_told():
    with pytest.raises(ParameterError, match="invalid --filter expression 'a'"):
        facts_of([answer("[]")], Surface(filters=("a",)))
