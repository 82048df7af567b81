"""A repository's graph as each prompt of a project could have known it.

The clock of a project is the number of its prompts, in the order they were asked: a node is known
to the prompts `since` … `until` - 1. Whatever gives a graph (a git repository, earlier transcripts,
an export) says of each state of each node which prompts may see it, and nothing later exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["FULLTEXT", "NEVER", "Graph", "Node", "Version"]

NEVER = 2**31 - 1
"""`until` of a state that no prompt saw replaced."""

FULLTEXT: tuple[tuple[str, str], ...] = (
    ("File", "path"),
    ("File", "body"),
    ("File", "headings"),
    ("Symbol", "name"),
    ("Symbol", "doc"),
    ("Commit", "message"),
    ("Author", "name"),
    ("Concept", "name"),
    ("PR", "title"),
    ("Note", "text"),
)
"""(label, field) pairs that mushroomdb indexes."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node: keys are unique within a graph, at any one time."""

    label: str
    key: str
    props: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Version:
    """One state of a node, known to the prompts `since` … `until` - 1."""

    node: Node
    since: int = 0
    until: int = NEVER


@dataclass(frozen=True, slots=True)
class Graph:
    """All states of all nodes, in any order.

    `answerable_from` is the first prompt that has a graph at all: earlier ones came before the
    first commit, or before the export was made, and are left out of every figure and counted.
    `store_label` is the name printed in the header. `origin` says in words where it is from,
    `notes` what is to be known about it: what was left out, and why.
    """

    versions: tuple[Version, ...]
    fulltext: tuple[tuple[str, str], ...] = FULLTEXT
    store_label: str = "store"
    answerable_from: int = 0
    origin: str = ""
    notes: tuple[str, ...] = ()
