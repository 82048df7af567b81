"""What is to be known about the graphs, as terminal lines: a shallow clone, what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.cli._text import printable
from ctxlab.recall.history import ORIGIN

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["graph_note_lines", "under_graph"]

_AT_MOST = 8


def graph_note_lines(graphs: pd.DataFrame) -> list[str]:
    """One line a note, with the projects of whose graph it holds.

    Parameters
    ----------
    graphs
        As `RecallSweep.graphs` gives it: notes stand behind the origin, after semicolons. Origins
        of projects without any graph are causes, and left out.
    """
    projects: dict[str, list[str]] = {}
    for row in graphs[graphs.node_states > 0].itertuples():
        for note in str(row.origin).removeprefix(ORIGIN).split("; ")[1:]:
            projects.setdefault(note, []).append(str(row.project))
    lines = []
    for note, names in list(projects.items())[:_AT_MOST]:
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        lines.append(f"  {printable(note)} ({printable(', '.join(names[:3]))}{more})")
    if len(projects) > _AT_MOST:
        lines.append(f"  and {len(projects) - _AT_MOST} more; see frames/graphs.parquet")
    return lines


def under_graph(lines: list[str], graphs: pd.DataFrame) -> list[str]:
    """Put the notes below the line that names the graph."""
    at = next((n for n, line in enumerate(lines, 1) if line.startswith("graph: ")), len(lines))
    return [*lines[:at], *graph_note_lines(graphs), *lines[at:]]
