"""What a project's transcripts revealed, as a graph."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxlab.recall.graph import NEVER, Graph, Node, Version
from ctxlab.recall.history import history_graph
from ctxlab.recall.project import Project, Revealed


def graph_of(*revealed: Revealed) -> Graph:
    return history_graph(Project("repo", "/repo", (), revealed))


def test_files_and_symbols_become_nodes() -> None:
    graph = graph_of(
        Revealed(1, "src/a.py"),
        Revealed(2, "src/a.py", "Pump.start", 7, "Start it."),
        Revealed(2, "src/a.py", "stop"),
    )
    assert graph.versions == (
        Version(Node("File", "src/a.py", {"path": "src/a.py"}), 1),
        Version(
            Node(
                "Symbol",
                "src/a.py#Pump.start",
                {"name": "Pump.start", "path": "src/a.py", "line": 7, "doc": "Start it."},
            ),
            2,
        ),
        Version(
            Node("Symbol", "src/a.py#stop", {"name": "stop", "path": "src/a.py", "doc": ""}), 2
        ),
    )
    assert graph.store_label == "store"
    assert "Markdown" in graph.origin
    assert graph.answerable_from == 0


def test_a_new_state_begins_only_where_line_or_doc_changes() -> None:
    states = (
        Revealed(0, "a.py", "run", 1),
        Revealed(1, "a.py", "run", 1),
        Revealed(2, "a.py", "run", 2),
        Revealed(3, "a.py", "run", 2, "Run."),
    )
    found = [(v.since, v.until, v.node.props.get("line")) for v in graph_of(*states).versions]
    assert found == [(0, 2, 1), (2, 3, 2), (3, NEVER, 2)]


def test_a_state_that_was_replaced_before_any_prompt_is_never_known() -> None:
    states = (
        Revealed(0, "a.py", "run", 1),
        Revealed(2, "a.py", "run", 5),
        Revealed(2, "a.py", "run", 1),
    )
    assert [(v.since, v.until) for v in graph_of(*states).versions] == [(0, NEVER)]


REVEALED = st.lists(
    st.builds(
        Revealed,
        st.integers(0, 4),
        st.sampled_from(["a.py", "b.py"]),
        st.sampled_from(["run", "Pump.run"]),
        st.sampled_from([None, 1, 2]),
        st.sampled_from(["", "Run."]),
    ),
    max_size=12,
).map(lambda revealed: sorted(revealed, key=lambda r: r.since))


@given(REVEALED, st.integers(0, 5))
def test_each_prompt_sees_the_last_state_revealed_to_it(revealed: list[Revealed], at: int) -> None:
    latest = {f"{r.path}#{r.name}": (r.line, r.doc) for r in revealed if r.since <= at}
    known = [v.node for v in graph_of(*revealed).versions if v.since <= at < v.until]
    assert len({node.key for node in known}) == len(known)
    assert {
        node.key: (node.props.get("line"), node.props.get("doc", "")) for node in known
    } == latest


@given(REVEALED, st.integers(0, 5))
def test_what_is_revealed_later_changes_nothing(revealed: list[Revealed], at: int) -> None:
    def seen(graph: Graph) -> set[tuple[str, str]]:
        return {(v.node.key, str(v.node.props)) for v in graph.versions if v.since <= at < v.until}

    now = [r for r in revealed if r.since <= at]
    assert seen(graph_of(*now)) == seen(graph_of(*revealed))
