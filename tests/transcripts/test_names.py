from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.transcripts._names import MAX_NAME_CHARS, MAX_NAMES, names_in, names_in_input

CASES = {
    "paths": ("src/pump.py, ./a/b and ~/x.d/y", ["src/pump.py", "./a/b", "~/x.d/y"]),
    "file names": ("see pump.py or my-file.vue", ["pump.py", "my-file.vue"]),
    "line numbers": ("src/a.py:12 b.rs:3:4: c.go:5-9", ["src/a.py", "b.rs", "c.go"]),
    "punctuation": (
        "(src/a.py). 'b.py'; <c/d.ts>, *e.py*!",
        ["src/a.py", "b.py", "c/d.ts", "e.py"],
    ),
    "folders": ("in src/lib/ and src/ and my_lib/", ["src/lib", "my_lib"]),
    "numbers": ("3.14 1/2 2024-01-02 1.2.3 42 12:30 0x", []),
    "hashes and versions": ("a3f9c2e v1.2.3", ["a3f9c2e", "v1"]),
    "URLs": ("https://pump.example/a_b/c.py?d_e=1#f_g then git+ssh://h/i.git", []),
    "closing tags": ("<b>x</b> <br/> </div>", []),
    "comments": (
        "//some_name /* other_name */ #third_name",
        ["some_name", "other_name", "third_name"],
    ),
    "words": ("Plain words, API and I or e.g. Words.", ["e.g"]),
    "underscore": ("min_hits __init__ _ __", ["min_hits", "__init__"]),
    "inner capital": ("fooBar HTTPServer Foo", ["fooBar", "HTTPServer"]),
    "digits": ("utf8 3rd", ["utf8"]),
    "joined": ("self.items a::B::c", ["self.items", "items", "a::B::c"]),
    "called": ("run(x) if a.b(c) else f()", ["run", "a.b"]),
    "backticks": ("`run` and `two words` and ``x`` `Pump.fill`", ["run", "Pump.fill", "fill"]),
    "options": ("--max-hits --min_score -v", ["min_score"]),
    "sigils": ("@route $fooBar ${BAZ_1} @a/b", ["fooBar", "BAZ_1", "@a/b"]),
    "address": ("me@pump_host.example", ["me@pump_host.example", "pump_host.example", "example"]),
    "test id": ("tests/test_a.py::TestA::test_b", ["tests/test_a.py", "TestA::test_b", "test_b"]),
    "patch": ("*** Update File: a-b/c.rs\n-use old_one;\n+fn go(", ["a-b/c.rs", "old_one", "go"]),
    "regular expression": (r"\bmy_name\b|def run\(|\.py$", ["my_name", "run"]),
    "Windows": (
        r"C:\x\a_b.py D:\y src\main.py src\store.rs",
        [r"C:\x\a_b.py", r"D:\y", r"src\main.py", r"src\store.rs"],
    ),
    "other scripts": ("größe_x → ü/ß.py — a_b├──c/d", ["größe_x", "ü/ß.py", "a_b", "c/d"]),
    "once": ("a_b c_d a_b `a_b`", ["a_b", "c_d"]),
}


@pytest.mark.parametrize("case", CASES)
def test_names(case: str) -> None:
    text, names = CASES[case]
    assert list(names_in(text)) == names


def test_names_of_an_input_at_any_depth_in_order() -> None:
    given = {"not_me": ["a_1", {"b": {"c": "d_2"}}], "e": [None, 5, True, ["f_3"]]}
    assert names_in_input(given) == ("a_1", "d_2", "f_3")
    assert names_in_input("plain_text") == ("plain_text",)
    assert names_in_input(None) == ()
    deep: object = "deep_down"
    for _ in range(5000):
        deep = [deep]
    assert names_in_input(deep) == ("deep_down",)


def test_names_are_few_and_short() -> None:
    many = names_in(" ".join(f"name_{n}" for n in range(3 * MAX_NAMES)))
    assert many == tuple(f"name_{n}" for n in range(MAX_NAMES))
    assert names_in(f"{'a_' * 100} {'b_' * 101} c_d") == ("a_" * 100, "c_d")
    assert names_in(f"`{'a_' * 100}`") == ("a_" * 100,)


@pytest.mark.parametrize("piece", ["a", "a/", "`", "a::", "://", "a:\\", "</", "(a", "a ", "a."])
def test_no_text_takes_more_than_its_length(piece: str) -> None:
    assert len(names_in(piece * (2_000_000 // len(piece)))) <= 1


TEXTS = st.text() | st.text("aB_1.:/\\`(@$~+-<>#= \n\ud800é…").map(str)


@given(TEXTS)
def test_any_text(text: str) -> None:
    names = names_in(text)
    assert len(names) == len(set(names)) <= MAX_NAMES
    assert all(0 < len(name) <= MAX_NAME_CHARS for name in names)
    assert all(name in text for name in names)
    assert not any("\ud800" <= char <= "\udfff" for name in names for char in name)
    again = names_in(" ".join(f"`{name}`" for name in names))
    assert set(again) == set(names)
