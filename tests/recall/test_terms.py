"""The identifier gate, the OR query and the content words, against rules and an oracle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import InputError, ParameterError
from ctxlab.recall import (
    CODE_WORDS,
    STOPWORDS,
    content_words,
    identifier_terms,
    is_code_shaped,
    or_query,
    split_pieces,
)

from . import oracle

characters = (
    st.sampled_from("aBzÉßK_:/#.,`\"'’s \t\x1c\u2003\u3000;()[]?!Ⓐ字\ud800") | st.characters()
)
texts = st.text(characters, max_size=40)
GATES = (identifier_terms, content_words)


@pytest.mark.parametrize(
    ("prompt", "terms"),
    [
        ("fix `serve`, then parse_args.", ("serve", "parse_args")),
        ("a\x1cb_c\x1fd e_f", ("a\x1cb_c\x1fd", "e_f")),
        ("a_b\u2003c_d\u3000e_f\x85g_h", ("a_b", "c_d", "e_f", "g_h")),
        ("\"'`a_b`'\".,: ..a_b.. .env", ("a_b", "..a_b", ".env")),
        ("a_b's c_d’s e_f's. g_h.'s i_j'S", ("a_b", "c_d", "e_f", "g_h.", "i_j'S")),
        ("core::load src/x #42 and/or I/O", ("core::load", "src/x", "#42", "and/or", "I/O")),
        ("a.b .b 3.14 é.b a:b", ("3.14", "é.b")),
        ("GitHub loadMap éÉ HTTPServer Loadmap ǅx", ("GitHub", "loadMap", "éÉ")),
        ("foo() foo-bar --flag foo", ()),
        ("`the` `FILE` `codebase's` `K` `ſo`", ("K", "ſo")),
        ("` `` `' `x b`", ("x",)),
        ("a_b A_b a_b", ("a_b", "A_b")),
        ("\ud800_a", ("\ufffd_a",)),
        ("", ()),
    ],
)
def test_identifiers_of_a_prompt(prompt: str, terms: tuple[str, ...]) -> None:
    assert identifier_terms(prompt) == terms


@given(texts)
def test_identifiers_are_those_of_the_oracle(prompt: str) -> None:
    expected = oracle.identifiers(prompt.replace("\ud800", "\ufffd"))
    if not any("\ud800" <= c <= "\udfff" for c in prompt.replace("\ud800", "")):
        assert identifier_terms(prompt) == expected


@given(st.lists(texts, max_size=60).map(" ".join), st.integers(1, 100))
def test_terms_are_few_each_once_and_a_prefix_of_more(prompt: str, most: int) -> None:
    for gate in GATES:
        some, more = gate(prompt, most), gate(prompt, 100)
        assert len(set(some)) == len(some) <= most
        assert more[: len(some)] == some
        assert len(gate(prompt)) <= 24
        "".join(some).encode()


@given(texts)
def test_terms_are_the_code_shaped_pieces(prompt: str) -> None:
    shaped = (term for raw, term in split_pieces(prompt) if is_code_shaped(raw, term))
    assert identifier_terms(prompt) == tuple(dict.fromkeys(shaped))[:24]


def test_pieces_show_what_the_gate_missed() -> None:
    assert split_pieces("Why `is` foo() so HTTPServer's, foo?") == [
        ("foo", "foo"),
        ("HTTPServer's", "HTTPServer"),
        ("foo", "foo"),
    ]


@pytest.mark.parametrize(
    ("prompt", "query"),
    [
        ("Where is loadMap's _cache_ of the files?", "loadmap OR s OR cache"),
        ("load LOAD load's", "load OR s"),
        ("ΣΑΣ İx", "σασ OR i̇x"),
        ("the file", None),
        ("?!", None),
    ],
)
def test_words_that_any_of_answers(prompt: str, query: str | None) -> None:
    assert or_query(prompt) == query


def test_the_query_is_cut_after_its_first_words() -> None:
    prompt = " ".join(f"w{n}" for n in range(50))
    assert or_query(prompt, 2) == "w0 OR w1"
    assert str(or_query(prompt)).count(" OR ") == 23


@given(texts.filter(str.isprintable))
def test_content_words_are_those_of_the_oracle(prompt: str) -> None:
    marks = [c for c in prompt if not c.isalnum() and c not in oracle.MARKS]
    for mark in marks:  # every other mark is taken for a separator by the oracle
        prompt = prompt.replace(mark, " ")
    assert content_words(prompt) == oracle.content(prompt, STOPWORDS)


def test_content_words_keep_code_words_and_one_of_each_stem() -> None:
    assert content_words("Which lines do loaded files load? The file loads.") == (
        "lines",
        "loaded",
        "files",
    )


def test_stopwords_are_those_of_the_reference(shared: Path) -> None:
    stop, code = (shared / "conformance/stopwords.txt").read_text(encoding="utf-8").split("\n\n")
    assert frozenset(stop.split()) == STOPWORDS
    assert frozenset(code.split()) == CODE_WORDS


def test_stopwords_are_ascii_and_146() -> None:
    assert (len(STOPWORDS), len(CODE_WORDS)) == (146, 6)
    assert all(word.isascii() and word.islower() for word in STOPWORDS | CODE_WORDS)


@pytest.mark.parametrize("prompt", [None, 3, b"a_b"])
@pytest.mark.parametrize("gate", [*GATES, or_query, split_pieces])
def test_a_prompt_must_be_text(gate: Any, prompt: Any) -> None:
    with pytest.raises(InputError, match="a prompt must be a string, got"):
        gate(prompt)


@pytest.mark.parametrize("gate", [*GATES, or_query])
def test_the_number_of_terms_is_bounded(gate: Any) -> None:
    with pytest.raises(ParameterError, match=r"`max_query_terms` must be in \[1, 100\] terms"):
        gate("a_b", 0)
