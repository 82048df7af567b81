"""What is to be known about the graphs is told where the graph is named."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pandas as pd

from ctxlab.cli._graph_notes import graph_note_lines, under_graph
from ctxlab.recall.history import ORIGIN
from tests.commands import Run
from tests.repositories import commit, git
from tests.sessions import START, write_prompts


def graphs(**origins: str) -> pd.DataFrame:
    return pd.DataFrame(
        [(name, 3, 0, 9, origin) for name, origin in origins.items()],
        columns=["project", "prompts", "prompts_without_graph", "node_states", "origin"],
    )


def test_a_note_is_told_once_with_its_projects() -> None:
    origin = "git repository r: 2 commits of HEAD"
    shallow = f"{origin}; the clone is shallow"
    made = graphs(a=f"{shallow}; submodules left out: 1", b=origin, c=ORIGIN, d=shallow)
    assert graph_note_lines(made) == [
        "  the clone is shallow (a, d)",
        "  submodules left out: 1 (a)",
    ]
    assert graph_note_lines(graphs(**dict.fromkeys("abcde", shallow))) == [
        "  the clone is shallow (a, b, c and 2 more)"
    ]
    many = graphs(a="; ".join([origin, *map(str, range(10))]))
    assert graph_note_lines(many)[-1] == "  and 2 more; see frames/graphs.parquet"


def test_causes_are_no_notes_and_nothing_steers_the_terminal() -> None:
    none = graphs(a="no such folder; name a git repository").assign(node_states=0)
    assert graph_note_lines(none) == []
    assert graph_note_lines(graphs(**{"a\x1b[31m": "x; \x1b[2Jnote"})) == [
        "  \\x1b[2Jnote (a\\x1b[31m)"
    ]


def test_notes_stand_below_the_graph() -> None:
    made = graphs(a="x; note")
    assert under_graph(["n", "graph: git", "more"], made) == [
        "n",
        "graph: git",
        "  note (a)",
        "more",
    ]


def test_tune_tells_what_a_repository_lacks(run: Run, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "pumps"
    files = {"pump.py": "def start_pump(): ...\n", "big.py": "#" * 600_000}
    sha = commit(whole, files, at=START - timedelta(days=2))
    git(whole, "update-index", "--add", "--cacheinfo", f"160000,{sha},sub")
    git(whole, "commit", "--quiet", "-m", "Sub", at=START - timedelta(days=1))
    git(tmp_path, "clone", "--quiet", "--depth=1", whole.as_uri(), str(cut))
    write_prompts(tmp_path / "logs", 2, pumps=str(cut))
    done = run("tune", "logs", "--policy", "recall", "--graph", "git", "--out", "out")
    assert (done.code, done.err) == (0, "")
    lines = [line for line in done.out.splitlines() if line.strip()]
    at = next(n for n, line in enumerate(lines) if line.startswith("graph: git, "))
    told = " ".join(" ".join(lines[at : at + 12]).split())
    assert "the clone is shallow: prompts before its oldest commit have no graph" in told
    assert "submodules left out: 1 (pumps)" in told
    assert "Markdown over 1000 kB no text): 1 (pumps)" in told
