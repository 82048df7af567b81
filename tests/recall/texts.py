"""Small graphs and prompts for property tests: few words, so that they meet."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
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
    st.sampled_from(WORDS)
    | names
    | st.sampled_from(WORDS).map("`{}`".format)
    | names.map(lambda name: f"`{name}`'s")
    | st.just("?"),
    max_size=8,
).map(" ".join)


@st.composite
def node(draw: st.DrawFn, key: str) -> Node:
    fields = ("path", "body", "name", "doc", "line", "role")
    chosen = draw(st.sets(st.sampled_from(fields)))
    label = draw(st.sampled_from(("File", "Symbol", "Note", "Other")))
    return Node(label, key, {name: draw(values) for name in sorted(chosen)})


@st.composite
def few_nodes(draw: st.DrawFn) -> Sequence[Node]:
    keys = draw(st.sets(st.sampled_from("abcdefghé字"), max_size=8))
    return draw(st.permutations([draw(node(key)) for key in sorted(keys)]))


@st.composite
def few_versions(draw: st.DrawFn) -> Graph:
    """Nodes that begin, change, end and begin again, at prompts 0 to 6."""
    versions: list[Version] = []
    for key in draw(st.sets(st.sampled_from("abcdefgh"), max_size=6)):
        times = sorted(draw(st.sets(st.integers(0, 6), min_size=1, max_size=4)))
        for since, until in zip(times, [*times[1:], NEVER], strict=True):
            if draw(st.booleans()):
                versions.append(Version(draw(node(key)), since, until))
    return Graph(tuple(draw(st.permutations(versions))), FULLTEXT)


# What is drawn choice by choice stays small, and little is found in it: these are full.


def full_node(random: Random, key: str) -> Node:
    def text() -> str:
        return " ".join(
            random.choice(" _/").join(random.choices(WORDS[:6], k=random.randrange(1, 4)))
            for _ in range(random.randrange(6))
        )

    fields = random.sample(("path", "body", "name", "doc"), k=3)
    props = {name: random.choice((text(), text(), [text(), text()])) for name in fields}
    return Node(random.choice(("File", "Symbol", "Symbol", "Note")), key, props)


def many_nodes(random: Random) -> Sequence[Node]:
    keys = random.sample([f"{a}{b}" for a in "abé字" for b in "0123456789"], k=30)
    return [full_node(random, key) for key in keys]


def many_versions(random: Random) -> Graph:
    versions = []
    for number in range(20):
        times = sorted(random.sample(range(7), k=random.randrange(1, 4)))
        for since, until in zip(times, [*times[1:], NEVER], strict=True):
            if random.random() < 0.8:
                versions.append(Version(full_node(random, f"k{number}"), since, until))
    random.shuffle(versions)
    return Graph(tuple(versions), FULLTEXT)


def nodes() -> st.SearchStrategy[Sequence[Node]]:
    return few_nodes() | st.randoms(use_true_random=True).map(many_nodes)


def graphs() -> st.SearchStrategy[Graph]:
    return few_versions() | st.randoms(use_true_random=True).map(many_versions)
