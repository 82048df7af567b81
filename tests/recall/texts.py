"""Small graphs and prompts for property tests: few words, so that they meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from ctxlab.recall import Graph, Node, Version
from ctxlab.recall.graph import NEVER

WORDS = (
    "load",
    "loads",
    "Map",
    "tree",
    "the",
    "is",
    "file",
    "naïve",
    "ΣΑΣ",
    "İx",
    "Ⓐb",
    "字符",
    "x1",
)
FULLTEXT = (
    ("File", "path"),
    ("File", "body"),
    ("Symbol", "name"),
    ("Symbol", "doc"),
    ("Note", "doc"),
)

_joined = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3)
names = st.builds(lambda words, mark: mark.join(words), _joined, st.sampled_from("_/.#"))
texts = st.lists(st.sampled_from(WORDS) | names, max_size=6).map(" ".join)
values: st.SearchStrategy[Any] = (
    texts | st.lists(texts | st.integers(), max_size=3) | st.none() | st.integers()
)
prompts = st.lists(
    st.sampled_from(WORDS) | names | names.map(lambda name: f"`{name}`'s") | st.just("?"),
    max_size=8,
).map(" ".join)


@st.composite
def node(draw: st.DrawFn, key: str) -> Node:
    fields = ("path", "body", "name", "doc", "line", "role")
    chosen = draw(st.sets(st.sampled_from(fields)))
    label = draw(st.sampled_from(("File", "Symbol", "Note", "Other")))
    return Node(label, key, {name: draw(values) for name in sorted(chosen)})


@st.composite
def nodes(draw: st.DrawFn) -> Sequence[Node]:
    keys = draw(st.sets(st.sampled_from("abcdefghé字"), max_size=8))
    return draw(st.permutations([draw(node(key)) for key in sorted(keys)]))


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Nodes that begin, change, end and begin again, at prompts 0 to 6."""
    versions: list[Version] = []
    for key in draw(st.sets(st.sampled_from("abcdefgh"), max_size=6)):
        times = sorted(draw(st.sets(st.integers(0, 6), min_size=1, max_size=4)))
        for since, until in zip(times, [*times[1:], NEVER], strict=True):
            if draw(st.booleans()):
                versions.append(Version(draw(node(key)), since, until))
    return Graph(tuple(draw(st.permutations(versions))), FULLTEXT)
