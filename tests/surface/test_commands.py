"""What a command line says of an answer, and how its floats were printed."""

from __future__ import annotations

from typing import Any

import pytest

from ctxlab.surface import as_printed, dumps, parse, subcommand


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("sqlite-graphrag recall 'some words' --json", "recall"),
        ("./bin/sqlite-graphrag list --limit 5 | jq '.items[]'", "list"),
        ("cd notes && DB=a.db sqlite-graphrag graph; ls", "graph"),
        ("ls\nsqlite-graphrag related x", "related"),
        ("sqlite-graphrag --db notes.db hybrid-search x", "hybrid-search"),
        ("timeout 30s sudo sqlite-graphrag stats", "stats"),
        ("for x in 1 2; do sqlite-graphrag recall $x; done", "recall"),
        ("(sqlite-graphrag list) 2>/dev/null", "list"),
        ("sqlite-graphrag \\\n  recall x", "recall"),
        ("sqlite-graphrag list; sqlite-graphrag graph", "graph"),
        ("sqlite-graphrag remember x; sqlite-graphrag recall x", "recall"),
        ("sqlite-graphrag recall x > /dev/null; sqlite-graphrag list", "list"),
        ("sqlite-graphrag list; sqlite-graphrag recall x >out.json", "list"),
        ("sqlite-graphrag list 2>/dev/null; sqlite-graphrag --version", "list"),
        ("sqlite-graphrag --namespace global recall x", "recall"),
        ("sqlite-graphrag -n global --db notes recall x", "recall"),
        ("sqlite-graphrag --log-level warn list", "list"),
        ("sqlite-graphrag --db=notes recall x", "recall"),
        ("sqlite-graphrag --json recall x", "recall"),
        ("npx -y sqlite-graphrag recall x", "recall"),
        ("uv run sqlite-graphrag list", "list"),
        ("bash -lc 'cd notes && sqlite-graphrag recall x'", "recall"),
        ("bash script.sh -x; sh", None),
        ("bin/sqlite-graphrag.exe graph", "graph"),
        ("sqlite-graphrag recall it's", "recall"),  # a quote that does not close
        ("sqlite-graphrag", None),
        ("sqlite-graphrag --version", None),
        ("grep sqlite-graphrag list", None),
        ("echo 'sqlite-graphrag list'", None),
        ("other recall x", None),
        ("", None),
    ],
)
def test_subcommands(line: str, found: str | None) -> None:
    assert subcommand(line) == found


def test_the_subcommand_of_another_program() -> None:
    assert subcommand("gh api repos | jq .", "gh") == "api"
    assert subcommand("sqlite-graphrag list", "gh") is None


@pytest.mark.parametrize("key", ["direct_matches", "graph_matches", "results"])
def test_recall_prints_distances_and_scores_of_32_bits(key: str) -> None:
    row: Any = {"score": 0.42, "distance": 1.0, "weight": 0.42, "rank": 3, "meta": {"score": 0.42}}
    rounded: Any = {**row, "score": 0.41999998688697815}
    value: Any = {key: [row, 0.42, "text"], "score": 0.42}
    assert as_printed(value, "recall") == {key: [rounded, 0.42, "text"], "score": 0.42}
    assert as_printed(value, "list") == as_printed(value, None) == value


def test_hybrid_search_prints_matches_of_the_graph_and_weights_of_32_bits() -> None:
    value: Any = {
        "results": [{"score": 0.1}],
        "graph_matches": [{"score": 0.1, "distance": 2.5, "name": "n"}],
        "weights": {"text": 0.1, "vector": 1},
    }
    assert dumps(as_printed(value, "hybrid-search")) == (
        '{"graph_matches":[{"distance":2.5,"name":"n","score":0.10000000149011612}],'
        '"results":[{"score":0.1}],"weights":{"text":0.10000000149011612,"vector":1}}'
    )


def test_rounding_once_more_changes_nothing_and_no_input_changes() -> None:
    value: Any = {"results": [{"score": 0.42}], "direct_matches": 1}
    before = dumps(value)
    once = as_printed(value, "recall")
    assert as_printed(once, "recall") == once
    assert dumps(value) == before


@pytest.mark.parametrize("text", ["[1.1]", '"a"', "null", '{"results":7}', '{"results":[1e300]}'])
def test_other_values_pass(text: str) -> None:
    assert as_printed(parse(text), "recall") == parse(text)
    assert as_printed({"weights": 1e300}, "hybrid-search") == {"weights": 1e300}
