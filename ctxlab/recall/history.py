"""A project's own transcripts as a graph: the files and symbols that they had shown so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ctxlab.recall.graph import NEVER, Graph, Node, Version
from ctxlab.recall.project import Project, Revealed

__all__ = ["ORIGIN", "history_graph"]

ORIGIN = (
    "paths and symbols that earlier transcripts and turns of the project showed; "
    "bodies and headings of Markdown files are not in the logs, and files never shown are unknown"
)


def history_graph(project: Project) -> Graph:
    """Give the graph that a project's transcripts reveal, for users without its repository.

    Returns
    -------
    Graph
        A File node for each path, and a Symbol node `path#name` for each symbol, with its `doc`,
        and its `line` where that is known: a new state begins where one of them changed. A file or
        symbol that was removed stays, since no transcript tells that it is gone.

    Examples
    --------
    >>> from ctxlab.recall.project import Project, Revealed
    >>> shown = Revealed(0, "src/pump.py"), Revealed(0, "src/pump.py", "start", 7)
    >>> [v.node.key for v in history_graph(Project("pump", None, (), shown)).versions]
    ['src/pump.py', 'src/pump.py#start']
    """
    return Graph(tuple(_versions(project)), store_label="store", origin=ORIGIN)


def _versions(project: Project) -> Iterator[Version]:
    states: dict[tuple[str, str | None], list[Revealed]] = defaultdict(list)
    for revealed in project.revealed:
        known = states[revealed.path, revealed.name]
        if known and known[-1].since == revealed.since:
            known.pop()  # replaced before any prompt could see it
        if not known or (known[-1].line, known[-1].doc) != (revealed.line, revealed.doc):
            known.append(revealed)
    for known in states.values():
        ends = [state.since for state in known[1:]]
        for state, until in zip(known, [*ends, NEVER], strict=True):
            yield Version(_node(state), state.since, until)


def _node(state: Revealed) -> Node:
    if state.name is None:
        return Node("File", state.path, {"path": state.path})
    # An empty documentation is indexed too, as a document of no words: the field's N counts it.
    props: dict[str, object] = {"name": state.name, "path": state.path, "doc": state.doc}
    if state.line is not None:
        props["line"] = state.line
    return Node("Symbol", f"{state.path}#{state.name}", props)
