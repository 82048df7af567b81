"""The index against a naive oracle, its law of time, and odd nodes and questions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import InputError
from ctxlab.recall import Found, Graph, GraphIndex, Node, Recall, Version

from . import oracle
from .texts import FULLTEXT, graphs, names, nodes, prompts

gates = st.sampled_from([Recall(), Recall(gate="coverage"), Recall(max_query_terms=1)])


def keys(found: Found) -> list[str]:
    return [line.node.key for line in found.lines]


def symbols(**docs: Any) -> list[Node]:
    return [Node("Symbol", key, {"doc": doc}) for key, doc in docs.items()]


# --- the oracle ----------------------------------------------------------------------------


@given(nodes(), prompts, gates)
def test_a_question_finds_what_the_oracle_finds(
    world: Sequence[Node], question: str, params: Recall
) -> None:
    expected = oracle.look_up(world, FULLTEXT, question, params)
    found = GraphIndex(world, FULLTEXT).look_up(question, params)
    assert found.terms == expected.terms
    assert found.n_hits == expected.n_hits
    for name in ("best_score", "second_score"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-9)
    assert keys(found) == expected.ranked
    assert found.ceiling == pytest.approx(expected.ceiling, abs=1e-9)


@given(nodes(), prompts)
def test_scores_by_field_are_those_of_an_index_of_that_field(
    world: Sequence[Node], question: str
) -> None:
    found = GraphIndex(world, FULLTEXT).look_up(question, Recall())
    assert [name for name, _ in found.field_scores] == sorted(dict(found.field_scores))
    assert max((score for _, score in found.field_scores), default=None) == found.best_score
    for field in {name for _, name in FULLTEXT}:
        alone = GraphIndex(world, [pair for pair in FULLTEXT if pair[1] == field])
        assert dict(found.field_scores).get(field) == alone.look_up(question, Recall()).best_score


@given(nodes(), names)
def test_a_phrase_scores_as_in_its_best_field(world: Sequence[Node], phrase: str) -> None:
    scores = [
        score
        for field in {name for _, name in FULLTEXT}
        for score in oracle.scored(
            oracle.documents(world, FULLTEXT, field), oracle.stems(phrase), adjacent=True
        ).values()
    ]
    best = GraphIndex(world, FULLTEXT).phrase_score(phrase)
    assert best == pytest.approx(max(scores, default=None), abs=1e-9)


# --- time ----------------------------------------------------------------------------------


@given(graphs(), prompts, gates)
def test_a_prompt_sees_the_graph_of_its_time_and_nothing_else(
    graph: Graph, question: str, params: Recall
) -> None:
    index = GraphIndex.of_graph(graph)
    for at in range(-1, 8):
        there = [v.node for v in graph.versions if v.since <= at < v.until]
        assert sorted(n.key for n in index.known(at)) == sorted(n.key for n in there)
        alone = GraphIndex(there, graph.fulltext)
        assert index.look_up(question, params, at) == alone.look_up(question, params)


@given(graphs(), graphs(), prompts, gates, st.integers(0, 6))
def test_later_versions_change_nothing(
    graph: Graph, later: Graph, question: str, params: Recall, at: int
) -> None:
    seen = [v for v in graph.versions if v.since <= at]
    ended = [replace(v, until=min(v.until, at + 1)) for v in seen]
    shift = at + 1
    new = [Version(v.node, v.since + shift, v.until + shift) for v in later.versions]
    before = GraphIndex(seen, FULLTEXT).look_up(question, params, at)
    assert GraphIndex([*new, *ended], FULLTEXT).look_up(question, params, at) == before


def test_a_changed_node_is_found_by_the_text_of_the_time_alone() -> None:
    old, new = symbols(a="old_name"), symbols(a="new_name")
    index = GraphIndex([Version(old[0], 0, 3), Version(new[0], 3)], FULLTEXT)
    texts = {
        at: [line.node for line in index.look_up("old_name new_name", Recall(), at).lines]
        for at in (-1, 0, 2, 3)
    }
    assert texts == {-1: [], 0: old, 2: old, 3: new}
    assert [index.phrase_score("old name", at) is None for at in (2, 3)] == [False, True]


def test_a_version_that_no_prompt_saw_is_left_out() -> None:
    node, other = symbols(a="a_b", b="c_d")
    index = GraphIndex([Version(node, 3, 3), Version(other)], FULLTEXT)
    assert list(index.known(3)) == [other]
    assert index.phrase_score("a b", 3) is None


# --- rules, one by one ---------------------------------------------------------------------


def test_a_score_is_the_sum_of_the_tokens_of_a_phrase() -> None:
    index = GraphIndex(symbols(a="load tree load", b="tree", c=""), FULLTEXT)
    load = math.log(4 / 1.5) * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / (4 / 3)))
    tree = math.log(4 / 2.5) * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / (4 / 3)))
    assert index.phrase_score("load tree load") == pytest.approx(2 * load + tree, abs=1e-12)
    assert index.phrase_score("tree tree") is None


def test_elements_of_a_list_are_no_neighbours() -> None:
    index = GraphIndex(symbols(a=["one map", "two"], b="map two"), FULLTEXT)
    assert keys(index.look_up("map_two", Recall())) == ["b"]
    assert keys(index.look_up("one_map", Recall())) == ["a"]


def test_a_phrase_does_not_run_on_into_the_next_document() -> None:
    index = GraphIndex(symbols(a="one two", b="three four", c="one"), FULLTEXT)
    assert keys(index.look_up("two_three one_three", Recall())) == []


def test_empty_text_counts_as_a_document_and_other_values_do_not() -> None:
    with_empty = GraphIndex(symbols(a="map", b="", c=[]), FULLTEXT)
    others: dict[str, Any] = {"b": None, "c": 3, "d": {"map": "map"}, "e": True}
    without = GraphIndex(symbols(a="map", **others), FULLTEXT)
    assert with_empty.look_up("`map`", Recall()).ceiling == math.log(4 / 1.5)
    assert without.look_up("`map`", Recall()).ceiling == math.log(2 / 1.5)


def test_equal_scores_stand_by_the_bytes_of_their_keys() -> None:
    index = GraphIndex(symbols(b="a_b", é="a_b", B="a_b", a="a_b", 字="a_b"), FULLTEXT)
    found = index.look_up("a_b", Recall())
    assert keys(found) == ["B", "a", "b", "é", "字"]
    assert found.second_score == found.best_score


def test_the_second_score_is_of_another_node() -> None:
    pair = [Node("Symbol", "a", {"name": "map", "doc": "map"}), Node("Symbol", "b", {"doc": "x"})]
    assert GraphIndex(pair, FULLTEXT).look_up("`map`", Recall()).second_score is None


def test_hits_beyond_the_lines_are_counted() -> None:
    index = GraphIndex(symbols(**{f"k{n:02}": "a_b" for n in range(40)}), FULLTEXT)
    found = index.look_up("a_b", Recall(max_hits=1))
    assert (found.n_hits, len(found.lines)) == (40, 12)


def test_a_field_serves_the_labels_that_enable_it() -> None:
    both = [Node("Symbol", "a", {"doc": "a_b"}), Node("Other", "b", {"doc": "a_b"})]
    assert keys(GraphIndex(both, [("Symbol", "doc")]).look_up("a_b", Recall())) == ["a"]
    for gate in ("identifier", "coverage"):
        assert keys(GraphIndex(both, []).look_up("a_b", Recall(gate=gate))) == []


def test_half_of_the_words_cover_a_question() -> None:
    coverage = Recall(gate="coverage")
    index = GraphIndex(
        [
            Node("Symbol", "half", {"name": "merge", "doc": "trees"}),
            Node("Symbol", "most", {"doc": "merging a tree of ranges"}),
            Node("Symbol", "less", {"doc": "ranges"}),
        ],
        FULLTEXT,
    )
    found = index.look_up("where do we merge ranges of absent trees", coverage)
    assert found.terms == ("merge", "ranges", "absent", "trees")
    assert keys(found) == ["most", "half"]
    assert found.n_hits == 2


def test_a_question_of_stopwords_is_found_where_all_of_them_stand() -> None:
    coverage = Recall(gate="coverage")
    index = GraphIndex(symbols(a="what is it", b="it is", c="it"), FULLTEXT)
    assert keys(index.look_up("is it?", coverage)) == ["b", "a"]
    assert keys(index.look_up("it", coverage)) == ["c", "b", "a"]
    assert index.look_up("is it?", Recall()).n_hits == 0
    assert index.look_up("?!", coverage).n_hits == 0


# --- odd input -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    ["", "\0", "\ud800_x", "`\ud800`", "_", "::", "`" * 9, "x" * 5000 + "_y", "y" * 2000 + "/"],
)
def test_odd_questions_find_nothing(question: str) -> None:
    index = GraphIndex(symbols(a="y" * 3000, b="\ud800 z", c="\0"), FULLTEXT)
    for gate in ("identifier", "coverage"):
        assert not index.digest(question, Recall(gate=gate)).fires


def test_odd_names_are_found_and_printed() -> None:
    long = "y" * 3000
    odd = Node("Symbol", "k\ud800\x1b[2J", {"name": f"a_\udc00\0{long}", "doc": f"b\x7fc_d {long}"})
    digest = GraphIndex([odd], FULLTEXT).digest("c_d", Recall(max_output_bytes=4000))
    assert digest.pointer_lines[0].startswith("  k\ufffd [2J a_\ufffd yyy")
    assert len(digest.text.encode()) == digest.n_bytes
    assert GraphIndex([odd], FULLTEXT).phrase_score(long) is not None


def test_a_prompt_of_a_megabyte_is_cut_after_its_first_terms() -> None:
    index = GraphIndex(symbols(a="a_b", b="a a a"), FULLTEXT)
    many = " ".join(f"a_{n}" for n in range(200_000))
    assert len(index.look_up(many, Recall()).terms) == 24
    assert len(index.look_up(many, Recall(gate="coverage")).terms) == 24
    assert index.look_up("a/" * 500_000, Recall()).n_hits == 0


def test_a_phrase_of_more_words_than_any_name_has_finds_nothing() -> None:
    index = GraphIndex(symbols(a="map " * 300), FULLTEXT)
    assert [index.look_up("map/" * n, Recall()).n_hits for n in (250, 251)] == [1, 0]


def test_an_empty_graph_answers_nothing() -> None:
    for index in (GraphIndex([], FULLTEXT), GraphIndex.of_graph(Graph(()))):
        found = index.look_up("a_b", Recall())
        assert found == Found(("a_b",), None, None, None, 0, ())
        assert list(index.known(0)) == []
        assert index.phrase_score("a") is None


@pytest.mark.parametrize(
    "node",
    [
        {"label": "File"},
        {"key": "a"},
        {"label": "File", "key": 3},
        {"label": "File", "key": "a", "props": None},
        Node("File", "a", []),  # type: ignore[arg-type]
        "File",
        None,
    ],
)
def test_a_malformed_node_is_named(node: Any) -> None:
    with pytest.raises(InputError, match="a node must be a Node, or a mapping of label and key"):
        GraphIndex([node], FULLTEXT)


@pytest.mark.parametrize("pair", ["ab", ("File",), ("File", 1), None, 3])
def test_a_malformed_pair_is_named(pair: Any) -> None:
    with pytest.raises(InputError, match="fulltext must be pairs of label and field, got"):
        GraphIndex([], [pair])


def test_a_key_that_stands_twice_is_named() -> None:
    with pytest.raises(InputError, match="the key 'a' stands for two nodes at once"):
        GraphIndex([*symbols(a="x"), *symbols(a="y")], FULLTEXT)
    with pytest.raises(InputError, match="the key 'a' stands for two nodes at once"):
        GraphIndex([Version(symbols(a="x")[0], 0, 5), Version(symbols(a="y")[0], 4)], FULLTEXT)


@pytest.mark.parametrize("question", [None, 3, b"a_b"])
def test_a_question_must_be_text(question: Any) -> None:
    index = GraphIndex(symbols(a="x"), FULLTEXT)
    for gate in ("identifier", "coverage"):
        with pytest.raises(InputError, match="a prompt must be a string, got"):
            index.look_up(question, Recall(gate=gate))
