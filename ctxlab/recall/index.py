"""A graph's nodes to what a prompt finds in them: phrases, scored and ranked, as of any prompt."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ctxlab.errors import InputError
from ctxlab.recall.digest import Digest, compose
from ctxlab.recall.fields import index_fields
from ctxlab.recall.graph import FULLTEXT, Graph, Node, Version
from ctxlab.recall.params import MAX_HITS, Recall
from ctxlab.recall.pointers import Found, PointerLine, pointer_line
from ctxlab.recall.postings import Matches, PostingsAsOf
from ctxlab.recall.ranking import best_of, fused
from ctxlab.recall.terms import all_words, content_words, identifier_terms
from ctxlab.recall.tokens import stem, tokens

__all__ = ["Found", "GraphIndex", "PointerLine"]

Group = tuple[int, ...]
Find = Callable[[PostingsAsOf, Group], Matches | None]

_LONGEST_PHRASE = 250
"""No name has so many words. Each costs a pass over what is left, which in text that repeats
itself is all of it: a prompt of a megabyte without a space would take minutes."""


class GraphIndex:
    """Full-text indexes over the nodes of a graph, one a field, as each prompt could know them.

    Parameters
    ----------
    nodes
        Nodes, mappings of `label`, `key` and `props`, or `Version`s of nodes. A property is
        indexed if it is a string or a list, of whose elements the strings count.
    fulltext
        Pairs of label and field: the fields indexed, of nodes of which labels. Nodes of several
        labels share the index of a field.

    Raises
    ------
    InputError
        If a node or a pair is malformed, or a key stands twice at one time.

    Examples
    --------
    >>> node = {"label": "Symbol", "key": "a.py#load", "props": {"name": "load_all", "line": 7}}
    >>> index = GraphIndex([node], [("Symbol", "name")])
    >>> index.digest("why does load_all fail?").pointer_lines
    ('  a.py#load:7 load_all',)
    """

    def __init__(
        self,
        nodes: Iterable[Node | Version | Mapping[str, Any]],
        fulltext: Iterable[tuple[str, str]] = FULLTEXT,
    ) -> None:
        pairs = _pairs(fulltext)
        versions = [v for v in map(_version, nodes) if v.since < v.until]
        _check_keys(versions)
        versions.sort(key=lambda v: (v.since, v.node.key))
        place = {key: n for n, key in enumerate(sorted({v.node.key for v in versions}))}
        self._nodes = [v.node for v in versions]
        self._since = np.array([v.since for v in versions], np.int64)
        self._until = np.array([v.until for v in versions], np.int64)
        self._keys = np.array([place[node.key] for node in self._nodes], np.int64)
        self._field_names = sorted({name for _, name in pairs})
        self._vocabulary, self._fields = index_fields(self._nodes, self._since, self._until, pairs)

    @classmethod
    def of_graph(cls, graph: Graph) -> GraphIndex:
        """Index all versions of all nodes of a graph, once for all its prompts."""
        return cls(graph.versions, graph.fulltext)

    def known(self, at: int) -> Iterator[Node]:
        """Give the nodes that the prompt `at` could have known, in the state of then."""
        there = (self._since <= at) & (at < self._until)
        return (self._nodes[version] for version in np.flatnonzero(there))

    def phrase_score(self, phrase: str, at: int = 0) -> float | None:
        """Give the best BM25 score of a phrase in any field at any node, None without a match."""
        group = self._group(tokens(phrase))
        if group is None:
            return None
        found = [field.as_of(at).phrase(group) for field in self._fields]
        return max((float(f.scores.max()) for f in found if f is not None), default=None)

    def look_up(self, question: str, params: Recall, at: int = 0) -> Found:
        """Look a question up as of the prompt `at`.

        By the identifier gate each identifier is a phrase, and any of them finds; one of more
        than 250 words finds nothing. By the coverage gate each content word is; a question of
        stopwords alone is one group, found where all its words stand. No floor, number of lines
        or budget is applied: one result serves them all.

        Raises
        ------
        InputError
            If the question is no text.
        """
        terms, groups, find = self._asked(question, params)
        views = [field.as_of(int(at)) for field in self._fields]
        fields = [
            [None if group is None else find(view, group) for group in groups] for view in views
        ]
        matches = [
            (n, found) for n, field in enumerate(fields) for found in field if found is not None
        ]
        best = best_of(matches, self._keys)
        if best is None:
            return Found(terms, None, None, None, 0, ())
        hits = fused(fields, self._keys, MAX_HITS, by_coverage=params.gate == "coverage")
        return Found(
            terms,
            best.score,
            best.second,
            math.log((views[best.field].n + 1) / 1.5),
            hits.n,
            tuple(pointer_line(self._nodes[v], params.max_excerpt_bytes) for v in hits.ranked),
            tuple(
                (name, max(float(found.scores.max()) for found in field if found is not None))
                for name, field in zip(self._field_names, fields, strict=True)
                if any(found is not None for found in field)
            ),
        )

    def digest(
        self, prompt: str, params: Recall | None = None, store_label: str = "store", at: int = 0
    ) -> Digest:
        """Give what the hook prints for one prompt that stands alone, as of the prompt `at`.

        Errors as of `look_up`. See `Digest` for how to show its text.
        """
        params = Recall() if params is None else params
        return compose(self.look_up(prompt, params, at), params, store_label)

    def _asked(
        self, question: str, params: Recall
    ) -> tuple[tuple[str, ...], list[Group | None], Find]:
        """Give the terms of a question, the groups of tokens that may answer it, and how."""
        most = params.max_query_terms
        if params.gate == "identifier":
            terms = identifier_terms(question, most)
            return terms, [self._group(tokens(term)) for term in terms], PostingsAsOf.phrase
        if terms := content_words(question, most):
            return terms, [self._group([stem(word)]) for word in terms], PostingsAsOf.phrase
        terms = all_words(question, most)
        return terms, [self._group(map(stem, terms))], PostingsAsOf.all_of

    def _group(self, stems: Iterable[str]) -> Group | None:
        """Number the stems of a phrase, None if it cannot be found: one is in no node at all."""
        group: list[int] = []
        for each in stems:
            number = self._vocabulary.get(each)
            if number is None or len(group) == _LONGEST_PHRASE:
                return None
            group.append(number)
        return tuple(group) or None


def _version(node: Node | Version | Mapping[str, Any]) -> Version:
    """Take a node in any of its forms."""
    if isinstance(node, Version):
        return Version(_node(node.node), node.since, node.until)
    return Version(_node(node))


def _node(node: Node | Mapping[str, Any]) -> Node:
    if isinstance(node, Mapping):
        node = Node(node.get("label"), node.get("key"), node.get("props", {}))  # type: ignore[arg-type]
    if not (
        isinstance(node, Node)
        and isinstance(node.label, str)
        and isinstance(node.key, str)
        and isinstance(node.props, Mapping)
    ):
        raise InputError(
            "a node must be a Node, or a mapping of label and key, two strings, and props, "
            f"a mapping; got {str(node)[:200]}"
        )
    return node


def _check_keys(versions: Iterable[Version]) -> None:
    """Raise unless keys are unique at any one time."""
    last: dict[str, int] = {}
    for version in sorted(versions, key=lambda v: v.since):
        key = version.node.key
        if version.since < last.get(key, version.since):
            raise InputError(f"the key {key!r} stands for two nodes at once; keys must be unique")
        last[key] = version.until


def _pairs(fulltext: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    pairs = []
    for pair in fulltext:
        match pair:
            case [str(label), str(name)]:
                pairs.append((label, name))
            case _:
                raise InputError(
                    f"fulltext must be pairs of label and field, got {str(pair)[:200]}"
                )
    return pairs
