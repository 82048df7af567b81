"""Whether the agent used what a pointer points at."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.fallback import BaseNames, PointerUse, pointer_use, pointer_uses
from ctxlab.recall.graph import Graph, Node, Version
from ctxlab.recall.project import Prompt, Use

FILE = Node("File", "src/store/open.py", {"path": "src/store/open.py"})
ROOT = Node("File", "README.md")
METHOD = Node("Symbol", "src/pump.py#Pump.start", {"name": "Pump.start", "path": "src/pump.py"})
FUNCTION = Node("Symbol", "src/pump.py#drain", {"name": "drain"})
COMMIT = Node("Commit", "0123abc4567def", {"message": "Open the store"})
NOTE = Node("Note", "note:0123abc", {"text": "Open the store"})


def judged(
    node: Node, text: str = "", ambiguous: Container[str] = frozenset(), **use: Any
) -> PointerUse:
    return pointer_use(node, Prompt("family", "source", 0, 0, 0, 1, text, Use(**use)), ambiguous)


def quoted(node: Node, *names: str, ambiguous: Container[str] = frozenset()) -> bool:
    return judged(node, ambiguous=ambiguous, quoted=frozenset(names)).quoted


def named(node: Node, text: str, ambiguous: Container[str] = frozenset()) -> bool:
    return judged(node, text, ambiguous).named


def test_nothing_done_is_no_use() -> None:
    assert judged(FILE) == PointerUse(False, False, False, False, False)


@pytest.mark.parametrize(
    ("path", "is_same"),
    [
        ("src/store/open.py", True),
        ("/repo/src/store/open.py", True),
        ("C:/repo/src/store/open.py", True),
        ("/repo/mysrc/store/open.py", False),
        ("store/open.py", False),
        ("lib/src/store/open.py", False),
        ("open.py", False),
    ],
)
def test_a_path_is_opened_or_edited_as_itself_or_as_the_end_of_an_absolute_one(
    path: str, is_same: bool
) -> None:
    assert judged(FILE, opened={path: True}).opened is is_same
    assert judged(FILE, edited=frozenset({path})).edited is is_same


def test_an_absolute_pointer_ends_with_the_path_opened() -> None:
    node = Node("Concept", "opening", {"path": "/repo/src/store/open.py"})
    assert judged(node, opened={"src/store/open.py": True}).opened
    assert not judged(node, opened={"lib/open.py": True}).opened


def test_a_symbol_is_used_by_its_path() -> None:
    for node in (METHOD, FUNCTION):
        use = judged(node, opened={"src/pump.py": False}, edited=frozenset({"src/pump.py"}))
        assert (use.opened, use.edited, use.averted) == (True, True, True)


def test_a_search_is_averted_where_a_path_was_opened_without_one_before() -> None:
    assert not judged(FILE, opened={FILE.key: True}).averted
    assert judged(FILE, opened={FILE.key: False}).averted
    assert not judged(FILE, edited=frozenset({FILE.key})).averted


@pytest.mark.parametrize(
    ("name", "is_quoted"),
    [
        ("src/store/open.py", True),
        ("store/open.py", True),
        ("open.py", True),
        ("/repo/src/store/open.py", True),
        ("lib/open.py", False),
        ("pen.py", False),
        ("src/store", False),
        ("open", False),
    ],
)
def test_a_path_is_quoted_as_written_or_by_an_end_of_it(name: str, is_quoted: bool) -> None:
    assert quoted(FILE, name) is is_quoted


def test_an_ambiguous_base_name_quotes_no_file_but_one_at_the_root() -> None:
    assert not quoted(FILE, "open.py", ambiguous={"open.py"})
    assert quoted(FILE, "store/open.py", ambiguous={"open.py"})
    assert quoted(ROOT, "README.md", ambiguous={"README.md"})


@pytest.mark.parametrize(
    ("names", "is_quoted"),
    [
        (("Pump.start",), True),
        (("Pump::start",), True),
        (("start", "Pump"), True),
        (("start",), False),
        (("Pump",), False),
        (("src/pump.py",), True),
    ],
)
def test_a_qualified_symbol_is_quoted_whole_or_by_all_its_parts(
    names: tuple[str, ...], is_quoted: bool
) -> None:
    assert quoted(METHOD, *names) is is_quoted


def test_a_plain_symbol_is_quoted_as_it_stands() -> None:
    assert quoted(FUNCTION, "drain")
    assert not quoted(FUNCTION, "Drain", "drain_all", "pump.drain_all")


def test_a_commit_is_quoted_by_seven_digits_of_its_hash() -> None:
    assert quoted(COMMIT, "0123abc")
    assert quoted(COMMIT, "0123ABC4567DEF")
    assert not quoted(COMMIT, "0123ab")
    assert not quoted(COMMIT, "0123abd")
    assert not quoted(COMMIT, "0123abc4567def0")


def test_other_nodes_have_no_rule() -> None:
    assert not quoted(NOTE, "note:0123abc", "0123abc", "Open the store")
    assert not quoted(Node("Symbol", "#", {"name": ""}), "", "#")
    assert not quoted(Node("Symbol", "a.py#x", {"name": 7, "path": 8}), "7", "8")


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("see `src/store/open.py:12`, please", True),
        ("look at @src/store/open.py.", True),
        ("in ./store/open.py#L3-L9", True),
        (r"in c:\repo\src\store\open.py", True),
        ("open.py fails", True),
        ("open the store", False),
        ("src/store", False),
    ],
)
def test_a_prompt_names_a_path_that_it_holds(text: str, is_named: bool) -> None:
    assert named(FILE, text) is is_named


def test_a_prompt_names_a_symbol_by_words() -> None:
    assert named(METHOD, "why does Pump.start() hang?")
    assert named(METHOD, "start of Pump")
    assert not named(METHOD, "start the pump")
    assert named(FUNCTION, "drain it")
    assert not named(FUNCTION, "drained")
    assert named(COMMIT, "revert 0123abc4")
    assert not named(FILE, "open.py fails", ambiguous={"open.py"})


def test_a_huge_prompt_is_no_problem() -> None:
    text = "a/" * 300_000 + " :1" * 100_000 + " src/pump.py"
    assert [use.named for use in pointer_uses((METHOD, FILE), _asked(text))] == [True, False]


def _asked(text: str) -> Prompt:
    return Prompt("family", "source", 0, 0, 0, 1, text, Use())


def test_base_names_are_ambiguous_while_several_files_bear_them() -> None:
    graph = Graph(
        (
            Version(Node("File", "a/open.py"), 0, 4),
            Version(Node("File", "b/open.py"), 2, 3),
            Version(Node("File", "b/open.py", {"body": "new"}), 3),
            Version(Node("File", "open.py"), 6),
            Version(Node("Symbol", "c.py#open.py"), 0),
            Version(Node("File", "c.py"), 0),
        )
    )
    names = BaseNames(graph)
    assert ["open.py" in names.ambiguous(at) for at in range(8)] == [
        *(False, False, True, True),
        *(False, False, True, True),
    ]
    assert "c.py" not in names.ambiguous(7)
    assert "unknown.py" not in names.ambiguous(7)


PARTS = st.sampled_from(["a", "b", "x.py", "y.py"])
RELATIVE = st.lists(PARTS, min_size=1, max_size=3).map("/".join)
ANY_PATH = st.one_of(RELATIVE, RELATIVE.map(lambda path: "/" + path))


@given(
    st.lists(ANY_PATH, max_size=6),
    st.dictionaries(ANY_PATH, st.booleans(), max_size=4),
    st.frozensets(ANY_PATH, max_size=4),
    st.frozensets(PARTS, max_size=2),
)
def test_judging_many_equals_comparing_each(
    paths: list[str], opened: dict[str, bool], names: frozenset[str], ambiguous: frozenset[str]
) -> None:
    use = Use(opened=opened, edited=names, quoted=names)
    prompt = Prompt("family", "source", 0, 0, 0, 1, "", use)
    found = pointer_uses([Node("File", path) for path in paths], prompt, ambiguous)
    for path, one in zip(paths, found, strict=True):
        assert one.opened == any(_same(path, other) for other in opened)
        assert one.averted == any(_same(path, other) and not opened[other] for other in opened)
        assert one.edited == any(_same(path, other) for other in names)
        assert one.quoted == any(
            _same(path, name)
            or (path.endswith(f"/{name}") and ("/" in name or name not in ambiguous))
            for name in names
        )


def _same(one: str, other: str) -> bool:
    return (
        one == other
        or (one.startswith("/") and one.endswith(f"/{other}"))
        or (other.startswith("/") and other.endswith(f"/{one}"))
    )
