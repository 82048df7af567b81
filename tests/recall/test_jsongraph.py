"""Graphs as JSON files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import InputError, ParameterError
from ctxlab.recall.git import git_graph, git_history
from ctxlab.recall.graph import FULLTEXT, NEVER, Graph, Node, Version
from ctxlab.recall.jsongraph import Dated, read_graph, write_graph
from tests.recall.repositories import A, Repo

FILE = {"label": "File", "key": "a.py", "props": {"path": "a.py"}}
NODE = Node("File", "a.py", {"path": "a.py"})


def _read(tmp_path: Path, content: Any, *prompts_ms: int) -> Graph:
    file = tmp_path / "graph.json"
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        file.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_graph(file, prompts_ms)


def test_a_document(tmp_path: Path) -> None:
    content = {
        "store_label": "mine",
        "exported_ms": 10,
        "fulltext": [["File", "path"], ["Unheard", "of"]],
        "nodes": [FILE, {"label": "Symbol", "key": "s", "since_ms": 20, "until_ms": 30}],
        "edges": [],
    }
    assert _read(tmp_path, content, 10, 11, 20, 21, 30, 31) == Graph(
        versions=(Version(NODE, 1, NEVER), Version(Node("Symbol", "s", {}), 3, 5)),
        fulltext=(("File", "path"), ("Unheard", "of")),
        store_label="mine",
        answerable_from=1,
        origin="export graph.json: 2 states of nodes",
    )


def test_a_document_over_several_lines(tmp_path: Path) -> None:
    graph = _read(tmp_path, json.dumps({"exported_ms": 1, "nodes": [FILE]}, indent=2), 2)
    assert graph.versions == (Version(NODE),)
    assert (graph.fulltext, graph.store_label) == (FULLTEXT, "store")


def test_lines_with_and_without_a_header(tmp_path: Path) -> None:
    line = json.dumps({**FILE, "since_ms": 1})
    header = json.dumps({"store_label": "mine", "fulltext": [["File", "path"]]})
    graph = _read(tmp_path, f"{header}\n\n{line}\n", 2)
    assert graph.versions == (Version(NODE),)
    assert (graph.fulltext, graph.store_label) == ((("File", "path"),), "mine")
    assert _read(tmp_path, f"{line}\n", 2).versions == (Version(NODE),)


def test_nodes_without_any_time_are_noted(tmp_path: Path) -> None:
    graph = _read(tmp_path, {"nodes": [FILE]}, -1, 5)
    assert graph.versions == (Version(NODE),)
    assert graph.answerable_from == 0
    assert graph.notes == (
        "1 nodes have no `since_ms` and the export no `exported_ms`: prompts may be answered with "
        "later knowledge",
    )


def test_lone_surrogates_become_question_marks(tmp_path: Path) -> None:
    graph = _read(tmp_path, '{"nodes":[{"label":"File","key":"a\\ud800"}]}', 5)
    assert graph.versions[0].node.key == "a?"


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("", "no JSON"),
        ("nonsense", r"graph.json: no JSON \(Expecting value at line 1, column 1\); export"),
        (b'{"nodes": ["\xff"]}', "invalid UTF-8 at byte 12"),
        ('{"nodes": [{"label":', "no JSON"),
        ("[" * 100_000, "nested too deep"),
        ("[]", "must be an object with `nodes`, a list, or JSON lines"),
        ({"nodes": {}}, "must be an object with `nodes`"),
        ({"nodes": []}, "holds no nodes; export the graph again"),
        ({"fulltext": []}, "`fulltext` must be at least one pair, for nothing could be found"),
        ({"store_label": "store"}, "holds no nodes"),
        ({"nodes": [FILE, 3]}, "graph.json, node 2: a node must be an object, got 3"),
        ({"nodes": [{"key": "a"}]}, "node 1: `label` is missing"),
        ({"nodes": [{"label": "File"}]}, "node 1: `key` is missing"),
        ({"nodes": [FILE | {"key": ""}]}, "`key` must be a string that is not empty, got ''"),
        ({"nodes": [FILE | {"label": None}]}, "`label` must be a string .*, got null"),
        ({"nodes": [FILE | {"props": []}]}, "`props` must be an object, got a list"),
        ({"nodes": [FILE | {"since_ms": 1.5}]}, "`since_ms` must be a whole number .*, got 1.5"),
        ({"nodes": [FILE | {"until_ms": True}]}, "`until_ms` must be a whole number .*, got True"),
        (
            {"nodes": [FILE | {"since_ms": 5, "until_ms": 5}]},
            "`until_ms` must be after `since_ms`, got 5 and 5",
        ),
        ({"nodes": [FILE | {"since": 5}]}, "unknown key 'since'; a node has label, key, props"),
        ({"nodes": [FILE], "store_label": 1}, "`store_label` must be a string, got 1"),
        ({"nodes": [FILE], "exported_ms": "x"}, "`exported_ms` must be a whole number .* got 'x'"),
        ({"nodes": [FILE], "fulltext": [["File"]]}, "`fulltext` must be a list of pairs"),
        ({"nodes": [FILE], "fulltext": {}}, "`fulltext` must be a list of pairs .* an object"),
        ({"nodes": [FILE, FILE]}, "node 2: the key 'a.py' stands for another node at the same"),
        (
            {"nodes": [FILE | {"since_ms": 5}, FILE | {"since_ms": 1, "until_ms": 6}]},
            "node 1: the key 'a.py' stands for another node at the same time",
        ),
        ('{"store_label": "x"}\n{"label": "File"}\n', "line 2: `key` is missing"),
        ('{"label":"File","key":"a"}\n{"label"\n', "line 2: no JSON"),
        ({"nodes": [FILE], "exported_ms": 10}, "no prompt comes after this graph was made"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, content: Any, error: str) -> None:
    with pytest.raises(InputError, match=error):
        _read(tmp_path, content, 10)


def test_states_that_follow_one_another_share_a_key(tmp_path: Path) -> None:
    nodes = [FILE | {"since_ms": 5}, FILE | {"since_ms": 1, "until_ms": 5}]
    assert _read(tmp_path, {"nodes": nodes}, 2, 6).versions == (Version(NODE),)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="absent: no such file; name an exported graph"):
        read_graph(tmp_path / "absent", ())
    with pytest.raises(InputError, match="cannot be read"):
        read_graph(tmp_path, ())


def test_prompts_out_of_order(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="`prompts_ms` must be ascending"):
        read_graph(tmp_path / "absent", (2, 1))


def test_no_place_to_write(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be written .*; name another place"):
        write_graph([Dated(NODE)], tmp_path / "absent" / "graph.json")


def test_properties_that_are_no_json_leave_no_file(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="`props` must be JSON values"):
        write_graph([Dated(Node("File", "a", {"path": object()}))], tmp_path / "graph.json")
    assert list(tmp_path.iterdir()) == []


TIMES = st.one_of(st.none(), st.integers(0, 50))
STATES = st.lists(
    st.builds(
        lambda key, since, length, text: Dated(
            Node("File", key, {"path": text}), since, None if length is None else since + length
        ),
        st.text(st.characters(codec="utf-8"), min_size=1),
        st.integers(0, 50),
        st.one_of(st.none(), st.integers(1, 20)),
        st.text(st.characters(codec="utf-8")),
    ),
    min_size=1,
    unique_by=lambda state: state.node.key,
)


@pytest.mark.parametrize("name", ["graph.json", "graph.jsonl"])
@given(states=STATES)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, name: str, states: list[Dated]
) -> None:
    file = write_graph(states, tmp_path_factory.mktemp("graph") / name, store_label="mine")
    prompts = range(0, 75)
    graph = read_graph(file, prompts)
    assert graph.store_label == "mine"
    for ms in prompts:
        expected = {
            s.node.key: s.node.props
            for s in states
            if (s.since_ms or 0) < ms and (s.until_ms is None or ms <= s.until_ms)
        }
        assert expected == {
            v.node.key: v.node.props for v in graph.versions if v.since <= ms < v.until
        }


@pytest.mark.parametrize("name", ["graph.json", "graph.jsonl"])
def test_a_repository_that_was_written_answers_any_prompts(tmp_path: Path, name: str) -> None:
    repo = Repo(tmp_path / "project")
    first = repo.commit({"a.py": A, "m.md": "# One\n"}, 10)
    repo.commit({"a.py": "\n" + A, "b.py": A}, 20)
    repo.git("notes", "add", "-m", "a note", first, at=25)
    repo.commit({"a.py": A, "b.py": None}, 30)
    repo.commit({"m.md": "# Two\n"}, 15, "From a clock that is slow")
    file = write_graph(git_history(repo.folder).states, tmp_path / name)
    for prompts in [
        (11_000,),
        (10_000, 15_000, 31_000),
        (21_000, 22_000),
        (11_000, 26_000, 99_000),
    ]:
        direct, stored = git_graph(repo.folder, prompts), read_graph(file, prompts)
        assert stored.versions == direct.versions
        assert stored.answerable_from == direct.answerable_from
