from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxlab.surface.mentions import Mentions, fold
from ctxlab.surface.tokens import find_tokens

texts = st.text(st.sampled_from("aB_1./-: \nΣ"), max_size=60)


@given(texts, texts, texts)
def test_a_text_names_every_token_in_it_whatever_stands_around(
    before: str, text: str, behind: str
) -> None:
    tokens = {token.text for token in find_tokens(text)}
    assert Mentions(tokens).within(f"{before} {text.swapcase()} {behind}") == tokens


def test_a_path_is_named_by_its_last_part() -> None:
    mentions = Mentions(["src/pump.py", "https://forge.example/pumps/", "AB-12"])
    assert mentions.within("…/pump.py") == {"src/pump.py"}
    assert mentions.within("all pumps, AB and 12") == {"https://forge.example/pumps/"}
    assert mentions.within("src") == set()


def test_a_name_in_code_is_named_by_its_last_member_if_that_is_a_token() -> None:
    mentions = Mentions(["Pump.startSlowly", "pumps::start_pump", "pump.start"])
    assert mentions.within("self.startSlowly()") == {"Pump.startSlowly"}
    assert mentions.within("def start_pump():") == {"pumps::start_pump"}
    assert mentions.within("start the pump") == set()
    assert mentions.within("pump.start") == {"pump.start"}


def test_each_text_is_asked_by_itself() -> None:
    assert Mentions(["AB-12"]).within("AB", "12") == set()
    assert Mentions(["AB-12", "AB-13"]).within("AB-13", "ab/12") == {"AB-12", "AB-13"}


@given(st.text(max_size=20), st.text(max_size=20))
def test_small_letters_do_not_depend_on_what_stands_around(text: str, behind: str) -> None:
    assert len(fold(text)) == len(text)
    assert fold(text + behind) == fold(text) + fold(behind)


def test_every_letter_has_one_small_one() -> None:
    assert {len(fold(chr(code))) for code in range(0x110000)} == {1}
    assert fold("ΑΣ ας İ É") == "ασ ασ i é"


def test_part_of_a_word_names_nothing() -> None:
    assert Mentions(["start_pump", "AB-12"]).within("restart_pump AB-123 AB-1 2") == set()


def test_nothing_is_asked_and_nothing_found() -> None:
    assert Mentions([]).within("AB-12") == set()
    assert Mentions(["AB-12"]).within("") == set()
