"""Tokens: what counts, where it stands, and that the same thing is the same token everywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import InputError
from ctxlab.surface.canonical import Json
from ctxlab.surface.facts import TOKEN_KINDS
from ctxlab.surface.tokens import (
    MAX_TOKEN_CHARS,
    find_tokens,
    keys_of,
    known_by,
    parts_of,
    token_kind,
    tokens_of,
)

CODE = st.text('aB1_./:-%#=@ \n"`T0é\ud800', max_size=60)
THINGS = (
    *("src/pump.py", "/var/log/pump.log", "https://pump.example/runs/7", ".ci/steps.yml"),
    *("AB-12", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "9f86d081", "2031-04-05T10:30:00Z"),
    *("1533", "0.42", "start_pump", "startPump", "Pump::start", "pump.start", "pump-house-door"),
)
WRAPS = (
    *("{}", "`{}`", '"{}"', "'{}'", "({})", "[{}]", "{{{}}}", "<{}>", "{},", "{}.", "{}:", "{};"),
    *("--id={}", "ID={}", "--id {}", "?id={}&", "#{}", "@{}", "$({})", "…{}…", "{}!", "./{}"),
)


def texts(text: str) -> list[str]:
    return [token.text for token in find_tokens(text)]


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("thing", THINGS)
def test_a_thing_is_the_same_token_however_it_is_quoted(thing: str, wrap: str) -> None:
    if thing.startswith(("/", ".")) and wrap == "./{}":
        return
    text = wrap.format(thing)
    (token,) = find_tokens(text)
    assert token.text == thing
    assert text[token.start : token.end] == thing


@pytest.mark.parametrize(
    ("token", "kind"),
    [
        *((thing, "path") for thing in THINGS[:4]),
        *((thing, "id") for thing in THINGS[4:8]),
        *((thing, "number") for thing in THINGS[8:10]),
        *((thing, "name") for thing in THINGS[10:]),
        ("owner/repo/pulls", "path"),
        ("pump.rs", "path"),
        ("1.2.3", "number"),
        ("2031-04-05", "id"),
    ],
)
def test_kinds(token: str, kind: str) -> None:
    assert kind in TOKEN_KINDS
    assert token_kind(token) == kind


@pytest.mark.parametrize(
    "text",
    [
        *(
            "plain words, of prose. And ALL CAPS; URLs",
            "self-healing and/or Read/Write",
            "JSON-based, pre-JSON, URLs-first, AND/OR, CI/debugging, SDK-API",
            "e.g. i.e. a-b x.y",
            "12 7 99 0.5 24/7",
        ),
        *("--dry-run --no-color", "</div>", "/tmp", "../..", "---- ==== ....", "10:30:00", ""),
        "x1" * MAX_TOKEN_CHARS,
    ],
)
def test_what_anyone_may_write_by_chance_is_no_token(text: str) -> None:
    assert texts(text) == []


def test_a_line_number_behind_a_path_is_no_part_of_it_and_no_token() -> None:
    text = "src/pump.py:1200:17: error, port 8080"
    assert texts(text) == ["src/pump.py", "8080"]
    assert next(find_tokens(text)).end == len("src/pump.py")


def test_a_single_colon_parts_a_key_from_its_value() -> None:
    assert texts("run:AB-12 id:12345") == ["AB-12", "12345"]


def test_a_word_that_is_no_token_has_no_kind() -> None:
    with pytest.raises(InputError, match="`token` must be a path, id, number or name in code"):
        token_kind("pump")


@pytest.mark.parametrize(
    ("token", "parts"),
    [
        ("/home/src/pump.py", ["home/src/pump.py", "src/pump.py", "pump.py"]),
        ("src/pump.py", ["pump.py"]),
        ("repos/house/pulls/1533/comments/2031405", ["1533", "2031405"]),
        ("https://forge.example/pumps/AB-12.", ["forge.example", "AB-12"]),
        ("startPump/stopPump", ["startPump", "stopPump"]),
        ("src/12/door", []),
        ("AB-12", []),
        ("pump.startSlowly", []),
    ],
)
def test_a_path_says_its_parts_too(token: str, parts: list[str]) -> None:
    assert [*parts_of(token)] == parts


@pytest.mark.parametrize(
    ("token", "part"),
    [
        ("src/pump.py", "pump.py"),
        ("https://forge.example/pumps/", "pumps"),
        ("Pump.startSlowly", "startSlowly"),
        ("pumps::house::start_pump", "start_pump"),
        ("src/pumps.startSlowly", "startSlowly"),
        ("pump.start", "pump.start"),
        ("pump-house-door", "pump-house-door"),
        ("startPump.py", "startPump.py"),
        ("AB-12.1", "AB-12.1"),
        ("1.2.345", "1.2.345"),
    ],
)
def test_who_knows_a_part_may_know_the_whole(token: str, part: str) -> None:
    assert known_by(token) == part


def test_keys_of_a_value_are_those_at_any_depth() -> None:
    assert keys_of([{"a": [{"b": 1}]}, {"c": {"a": 2}}, "d", 3]) == {"a", "b", "c"}
    assert keys_of("a") == frozenset()


def test_tokens_of_a_value_are_of_texts_and_numbers_at_any_depth_without_keys() -> None:
    rows: list[Json] = [{"path": "src/pump.py"}, 1533, 0.42, -12.5, 7, True, None]
    value: Json = {"key_name": rows, "n": 2**40}
    assert tokens_of(value) == {"src/pump.py", "1533", "0.42", "12.5", "1099511627776"}


def test_a_deep_value_needs_no_stack() -> None:
    value: Json = "AB-12"
    for _ in range(5_000):
        value = [value]
    assert tokens_of(value) == {"AB-12"}


@given(CODE | st.text(max_size=60))
def test_tokens_stand_where_they_say_and_do_not_overlap(text: str) -> None:
    end = 0
    for token in find_tokens(text):
        assert token.start >= end
        assert text[token.start : token.end] == token.text
        assert token_kind(token.text) in TOKEN_KINDS
        end = token.end


@given(CODE, CODE)
def test_two_texts_in_lines_have_the_tokens_of_both(one: str, other: str) -> None:
    assert texts(f"{one}\n{other}") == texts(one) + texts(other)


@given(st.lists(CODE, max_size=4))
def test_a_value_has_the_tokens_of_its_texts(parts: list[str]) -> None:
    assert tokens_of({"a": [parts]}) == {token for part in parts for token in texts(part)}
