from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxlab.surface.mentions import Mentions
from ctxlab.surface.tokens import find_tokens

texts = st.text(st.sampled_from("aB_1./-: \n"), max_size=60)


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


def test_part_of_a_word_names_nothing() -> None:
    assert Mentions(["start_pump", "AB-12"]).within("restart_pump AB-123 AB-1 2") == set()


def test_nothing_is_asked_and_nothing_found() -> None:
    assert Mentions([]).within("AB-12") == set()
    assert Mentions(["AB-12"]).within("") == set()
