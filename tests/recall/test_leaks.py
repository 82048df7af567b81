"""What the identifier gate lets through or misses: classes, names, counts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ctxlab.recall.graph import NEVER, Graph, Node, Version
from ctxlab.recall.index import GraphIndex
from ctxlab.recall.leaks import (
    LEAK_CLASSES,
    MISS_CLASSES,
    Names,
    gate_leaks,
    leak_class,
    miss_class,
)
from ctxlab.recall.project import Project
from ctxlab.recall.terms import identifier_terms
from tests.recall.worlds import asked, project_of

NODES = (
    Node("File", "src/cart.py", {"path": "src/cart.py", "body": "read/write and 3.14 of GitHub"}),
    Node("Symbol", "src/cart.py#Cart.load", {"name": "Cart.load", "path": "src/cart.py"}),
    Node("Symbol", "src/cart.py#HTTPServer", {"name": "HTTPServer", "path": "src/cart.py"}),
    Node("Symbol", "src/cart.py#max_hits", {"name": "max_hits", "path": "src/cart.py"}),
    Node("Concept", "dry-run", {"name": "dry-run"}),
)


def graph_of(*nodes: Node, since: int = 0, until: int = NEVER) -> Graph:
    return Graph(tuple(Version(node, since, until) for node in nodes))


def leaks_of(*texts: str, graph: Graph | None = None) -> list[tuple[object, ...]]:
    graph = graph_of(*NODES) if graph is None else graph
    frame = gate_leaks([(project_of(*map(asked, texts)), graph, GraphIndex.of_graph(graph))])
    return list(frame.itertuples(index=False, name=None))


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("https://example.org/a#b", "url"),
        ("www.example.org", "url"),
        ("#42", "issue number"),
        ("cart/shop#42", "issue number"),
        ("and/or", "fraction or and/or"),
        ("I/O", "fraction or and/or"),
        ("3/4", "fraction or and/or"),
        ("3.14", "number"),
        ("1.2.3", "number"),
        ("v0.6.12", "number"),
        ("$1_000", "number"),
        ("2.5GB", "number"),
        ("GitHub", "product word"),
        ("JavaScript", "product word"),
        ("src/gone", "fraction or and/or"),
        ("src/gone_too", "path"),
        ("/etc/hosts", "path"),
        ("gone.py:12", "path"),
        ("gone_name", "other"),
        ("self.gone", "other"),
        ("goneName", "other"),
        ("##", "marks"),
        ("//", "marks"),
        ("gone", "quoted word"),
    ],
)
def test_what_let_through_looks_like(term: str, expected: str) -> None:
    assert leak_class(term) == expected
    assert expected in LEAK_CLASSES


@pytest.mark.parametrize(
    ("term", "called", "expected"),
    [
        ("load", True, "call"),
        ("--max-hits", False, "flag"),
        ("dry-run", False, "hyphenated"),
        ("HTTPServer", False, "capitals"),
        ("load", False, "plain word"),
        ("Cart", False, "plain word"),
        ("$x", False, "other"),
    ],
)
def test_what_was_missed_looks_like(term: str, called: bool, expected: str) -> None:
    assert miss_class(term, called) == expected
    assert expected in MISS_CLASSES


@pytest.mark.parametrize(
    ("term", "borne"),
    [
        ("src/cart.py", True),
        ("cart.py", True),
        ("src", True),
        ("src/", True),
        ("./src/cart.py", True),
        ("@src/cart.py", True),
        ("src/cart.py:12", True),
        ("src/cart.py:12-14", True),
        ("/home/a/src/cart.py", True),
        ("/home/b/src/cart.py", False),
        ("src/cart", False),
        ("art.py", False),
        ("rc/cart.py", False),
        ("Cart.load", True),
        ("load", True),
        ("src/cart.py#Cart.load", True),
        ("Cart.LOAD", False),
        ("Cart", False),
        ("py", False),
        ("", False),
    ],
)
def test_which_names_are_borne(term: str, borne: bool) -> None:
    assert Names(graph_of(*NODES), "/home/a").bears(term, 0) is borne


def test_names_are_borne_while_their_node_is_known() -> None:
    names = Names(graph_of(NODES[0], since=2, until=5))
    for term in ("src/cart.py", "cart.py", "src"):
        assert [names.bears(term, at) for at in (1, 2, 4, 5)] == [False, True, True, False]


def test_a_directory_is_known_while_any_of_its_files_is() -> None:
    versions = (Version(Node("File", "a/x.py"), 3, 5), Version(Node("File", "a/y.py"), 1, 3))
    assert [Names(Graph(versions)).bears("a", at) for at in range(6)] == [
        *(False, True, True, True, True, False)
    ]


def test_a_term_that_names_something_is_no_leak() -> None:
    assert leaks_of("fix src/cart.py and Cart.load and max_hits") == []


def test_let_through_though_it_names_nothing() -> None:
    assert leaks_of("GitHub or 3.14 or #42") == [
        ("#42", "let through", "issue number", 1, 0),
        ("3.14", "let through", "number", 1, 1),
        ("GitHub", "let through", "product word", 1, 1),
    ]


def test_missed_though_a_node_bears_the_name() -> None:
    text = "does HTTPServer call load() on dry-run with --max-hits?"
    assert leaks_of(text) == [
        ("--max-hits", "missed", "flag", 1, 1),
        ("HTTPServer", "missed", "capitals", 1, 1),
        ("dry-run", "missed", "hyphenated", 1, 1),
        ("load", "missed", "call", 1, 1),
    ]


def test_a_plural_in_parentheses_is_no_call() -> None:
    assert leaks_of("the load(s)") == [("load", "missed", "plain word", 1, 1)]


def test_what_was_quoted_elsewhere_in_the_prompt_was_not_missed() -> None:
    assert leaks_of("why load, I mean `load`?") == []


def test_stopwords_are_not_missed() -> None:
    node = Node("Symbol", "a.py#get", {"name": "once"})
    assert leaks_of("run it once", graph=graph_of(node)) == []


def test_most_frequent_first_counted_once_a_prompt() -> None:
    rows = leaks_of("#1 #2 #2", "#2", "#2 and load")
    assert [(term, prompts) for term, _, _, prompts, _ in rows] == [
        ("#2", 3),
        ("#1", 1),
        ("load", 1),
    ]


def test_matches_are_counted_as_of_each_prompt() -> None:
    graph = graph_of(NODES[0], since=1)
    assert leaks_of("see GitHub", "see GitHub", graph=graph) == [
        ("GitHub", "let through", "product word", 2, 1)
    ]


def test_prompts_before_there_was_a_graph_are_left_out() -> None:
    graph = Graph((Version(NODES[0], 1),), answerable_from=1)
    assert leaks_of("#1", "#2", graph=graph) == [("#2", "let through", "issue number", 1, 0)]


def test_terms_of_several_projects_are_counted_together() -> None:
    graph = graph_of(*NODES)
    index = GraphIndex.of_graph(graph)
    both: Sequence[Project] = [project_of(asked("see #1"), directory=d) for d in ("/a", "/b")]
    frame = gate_leaks([(project, graph, index) for project in both])
    assert frame[["term", "prompts"]].to_numpy().tolist() == [["#1", 2]]


def test_no_prompts() -> None:
    frame = gate_leaks([])
    assert list(frame) == ["term", "kind", "class", "prompts", "matched"]
    assert frame.empty
    assert [str(frame[c].dtype) for c in ("prompts", "matched")] == ["int64", "int64"]


@pytest.mark.parametrize("part", ["1.", "a/", "#1", ":1", "-", "A", "x("])
def test_a_long_term_takes_no_long_time(part: str) -> None:
    text = "_" + part * 100_000
    assert all(leak_class(term) in LEAK_CLASSES for term in identifier_terms(text))
    assert all(row[3] == 1 for row in leaks_of(text, part * 100_000))
