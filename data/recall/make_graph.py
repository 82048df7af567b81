"""Write graph.jsonl: this repository as it stood after each commit that the prompts may know.

    python data/recall/make_graph.py

The same history gives the same bytes. It needs the whole history. Who wrote a commit is left out.
"""

from __future__ import annotations

from pathlib import Path

from ctxlab.recall.git import git_history
from ctxlab.recall.graph import FULLTEXT
from ctxlab.recall.jsongraph import write_graph

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
LAST = "0099580"
"""The last commit that a prompt names."""


def write(path: Path) -> None:
    """Write the graph to a file."""
    states = git_history(ROOT, ref=LAST).states
    write_graph(
        (state for state in states if state.node.label != "Author"),
        path,
        fulltext=[pair for pair in FULLTEXT if pair[0] in ("File", "Symbol", "Commit")],
        store_label="ctxlab",
    )


def main() -> None:
    """Write the graph anew."""
    write(FOLDER / "graph.jsonl")


if __name__ == "__main__":
    main()
