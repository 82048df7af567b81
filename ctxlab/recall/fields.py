"""The texts of nodes to the postings of each indexed field."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.recall._characters import words
from ctxlab.recall.graph import Node
from ctxlab.recall.postings import Postings
from ctxlab.recall.tokens import stem

__all__ = ["index_fields"]

Bigs = npt.NDArray[np.int64]


def index_fields(
    nodes: Sequence[Node], since: Bigs, until: Bigs, fulltext: Iterable[tuple[str, str]]
) -> tuple[dict[str, int], tuple[Postings, ...]]:
    """Index nodes, ordered by `since`, in the fields that pairs of label and field enable.

    Returns
    -------
    The number of each token, and the postings of the fields, ordered by the fields' names.
    """
    enabled = sorted(set(fulltext), key=lambda pair: pair[1])
    texts = {name: _Texts() for _, name in enabled}
    of_label: defaultdict[str, dict[str, _Texts]] = defaultdict(dict)
    for label, name in enabled:
        of_label[label][name] = texts[name]

    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    for version, node in enumerate(nodes):
        for name, into in of_label.get(node.label, {}).items():
            into.add(version, node.props.get(name), numbers)

    vocabulary: dict[str, int] = {}
    token_of_word = np.array(
        [vocabulary.setdefault(stem(word), len(vocabulary)) for word in numbers], np.int32
    )
    return vocabulary, tuple(t.postings(since, until, token_of_word) for t in texts.values())


@dataclass(slots=True)
class _Texts:
    """Words of one field, gathered node by node."""

    versions: array[int] = field(default_factory=lambda: array("i"))
    piece_document: array[int] = field(default_factory=lambda: array("i"))
    piece_words: array[int] = field(default_factory=lambda: array("i"))
    words: array[int] = field(default_factory=lambda: array("i"))

    def add(self, version: int, value: Any, numbers: Mapping[str, int]) -> None:
        """Add a node's property, if it is text: a string or a list that may hold some."""
        pieces = _pieces(value)
        if pieces is None:
            return
        for piece in pieces:
            n_before = len(self.words)
            self.words.extend(map(numbers.__getitem__, words(piece)))
            self.piece_document.append(len(self.versions))
            self.piece_words.append(len(self.words) - n_before)
        self.versions.append(version)

    def postings(self, since: Bigs, until: Bigs, token_of_word: npt.NDArray[np.int32]) -> Postings:
        """Number the words by their stems and sort them into lists."""
        versions, document, n_words, of_text = (
            np.array(column, np.int32)
            for column in (self.versions, self.piece_document, self.piece_words, self.words)
        )
        tokens = token_of_word[of_text]
        return Postings(versions, since[versions], until[versions], document, n_words, tokens)


def _pieces(value: Any) -> Collection[str] | None:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple):
        return [item for item in value if isinstance(item, str)]
    return None
