"""Prompt recall: a prompt's identifiers, looked up in a repository's graph, printed as pointers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxlab.recall.digest import Digest, compose
    from ctxlab.recall.graph import FULLTEXT, Graph, Node, Version
    from ctxlab.recall.index import GraphIndex
    from ctxlab.recall.params import MAX_HITS, PROFILES, Gate, Recall
    from ctxlab.recall.pointers import Found, PointerLine
    from ctxlab.recall.terms import (
        CODE_WORDS,
        STOPWORDS,
        content_words,
        identifier_terms,
        is_code_shaped,
        or_query,
        split_pieces,
    )

__all__ = [
    "CODE_WORDS",
    "FULLTEXT",
    "MAX_HITS",
    "PROFILES",
    "STOPWORDS",
    "Digest",
    "Found",
    "Gate",
    "Graph",
    "GraphIndex",
    "Node",
    "PointerLine",
    "Recall",
    "Version",
    "compose",
    "content_words",
    "identifier_terms",
    "is_code_shaped",
    "or_query",
    "split_pieces",
]

_NAMES = {
    "digest": ("Digest", "compose"),
    "graph": ("FULLTEXT", "Graph", "Node", "Version"),
    "index": ("GraphIndex",),
    "params": ("MAX_HITS", "PROFILES", "Gate", "Recall"),
    "pointers": ("Found", "PointerLine"),
    "terms": (
        "CODE_WORDS",
        "STOPWORDS",
        "content_words",
        "identifier_terms",
        "is_code_shaped",
        "or_query",
        "split_pieces",
    ),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: parameters alone need neither index nor stems."""
    if name not in _HOME:
        raise AttributeError(f"module 'ctxlab.recall' has no attribute {name!r}")
    value = getattr(import_module(f"ctxlab.recall.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
