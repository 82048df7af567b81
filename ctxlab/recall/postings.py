"""The documents of one field and where each token stands in them, as of any prompt.

A document is one state of a node: the prompts from its `since` to before its `until` see it.
Documents are numbered by `since`: those that had begun at a prompt are a prefix of every list, and
those that had ended are counted in sorted ends. So N, df and the average length as of a prompt
cost a few binary searches and no pass over a list.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.recall.graph import NEVER

__all__ = ["Matches", "Postings", "PostingsAsOf"]

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int32]
Bigs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

K1 = 1.2
B = 0.75


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Versions that something was found in, ascending, and the score of each."""

    versions: Ints
    scores: Floats


class Postings:
    """One field's documents and the places of each token in them.

    Parameters
    ----------
    versions
        The version that each document is of, ascending by `since`.
    since, until
        Of each document, in prompts.
    piece_document, piece_tokens
        Each piece of text (a string, or an element of a list): its document, ascending, and how
        many tokens it has.
    tokens
        Tokens of all pieces, in order.
    """

    def __init__(
        self,
        versions: Ints,
        since: Bigs,
        until: Bigs,
        piece_document: Ints,
        piece_tokens: Ints,
        tokens: Ints,
    ) -> None:
        self.versions = versions
        self.since = since
        self.until = until
        document, position = _places(piece_document, piece_tokens, len(versions))
        self.length: Bigs = np.bincount(document, minlength=len(versions))
        self.begun_length = _running(self.length)
        by_end = np.argsort(until, kind="stable")
        self.ends = until[by_end]
        self.ended_length = _running(self.length[by_end])

        # A spot is a document and a position in it; a phrase never runs over the stride.
        self.stride = int(position.max(initial=0)) + 1
        order = np.argsort(tokens, kind="stable")
        tokens, document = tokens[order], document[order]
        self._spots = document.astype(np.int64) * self.stride + position[order]
        first_of_token = _changes(tokens)
        self.tokens = tokens[first_of_token]
        self._spot_starts = np.append(first_of_token, len(tokens))
        first_of_pair = _changes(self._spots // self.stride, tokens)
        self._documents = document[first_of_pair]
        self._counts = np.diff(np.append(first_of_pair, len(tokens))).astype(np.int32)
        self._starts = np.searchsorted(first_of_pair, self._spot_starts)

        row = np.repeat(np.arange(len(self.tokens)), np.diff(self._starts))
        pair_end = until[self._documents]
        ended = np.flatnonzero(pair_end < NEVER)
        ended = ended[np.lexsort((pair_end[ended], row[ended]))]
        self._pair_ends = pair_end[ended]
        self._end_starts = np.searchsorted(row[ended], np.arange(len(self.tokens) + 1))

    def row(self, token: int) -> int | None:
        """Give the place of a token in the lists, None where no document has it."""
        at = _before(self.tokens, token)
        return at if at < len(self.tokens) and self.tokens[at] == token else None

    def spots(self, row: int) -> Bigs:
        """Give the spots of a token, ascending."""
        spots: Bigs = self._spots[self._spot_starts[row] : self._spot_starts[row + 1]]
        return spots

    def documents(self, row: int) -> Ints:
        """Give the documents of a token, ascending."""
        documents: Ints = self._documents[self._starts[row] : self._starts[row + 1]]
        return documents

    def counts(self, row: int) -> Ints:
        """Give how often a token stands in each of its documents."""
        counts: Ints = self._counts[self._starts[row] : self._starts[row + 1]]
        return counts

    def pair_ends(self, row: int) -> Bigs:
        """Give the ends of those documents of a token that end, ascending."""
        ends: Bigs = self._pair_ends[self._end_starts[row] : self._end_starts[row + 1]]
        return ends

    def as_of(self, at: int) -> PostingsAsOf:
        """Give the field as the prompt `at` could have known it."""
        begun, ended = _before(self.since, at + 1), _before(self.ends, at + 1)
        n = begun - ended
        length = int(self.begun_length[begun] - self.ended_length[ended])
        return PostingsAsOf(self, at, begun, n, length / n if n else 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class PostingsAsOf:
    """One field as a prompt could have known it; `begun` documents had begun, `n` were there."""

    postings: Postings
    at: int
    begun: int
    n: int
    average_length: float

    def phrase(self, tokens: Sequence[int]) -> Matches | None:
        """Score the documents where the tokens stand at consecutive positions, by BM25.

        The score is the sum of the tokens' own, each for every time it stands in the phrase.

        References
        ----------
        S. Robertson and H. Zaragoza, *The probabilistic relevance framework: BM25 and beyond*
        (2009), https://doi.org/10.1561/1500000019
        """
        rows = self._rows(tokens)
        if rows is None:
            return None
        if len(rows) == 1:
            return self._matches(rows, self.postings.documents(rows[0]))
        spots = self._phrase_spots(rows)
        documents = (spots // self.postings.stride).astype(np.int32)
        return self._matches(rows, documents[_changes(documents)])

    def all_of(self, tokens: Sequence[int]) -> Matches | None:
        """Score the documents that hold all tokens, wherever they stand."""
        rows = self._rows(tokens)
        if rows is None:
            return None
        rarest, *others = sorted((self.postings.documents(row) for row in rows), key=len)
        for documents in others:
            rarest = rarest[_is_in(rarest, documents)]
        return self._matches(rows, rarest)

    def _rows(self, tokens: Sequence[int]) -> list[int] | None:
        rows = []
        for token in tokens:
            row = self.postings.row(token)
            if row is None:
                return None
            rows.append(row)
        return rows

    def _phrase_spots(self, rows: Sequence[int]) -> Bigs:
        """Give the spots at which the phrase begins, from its rarest token on."""
        field, n = self.postings, len(rows)
        rarest, *others = sorted(range(n), key=lambda i: len(field.spots(rows[i])))
        spots = field.spots(rows[rarest])
        spots = spots[: _before(spots, self.begun * field.stride)] - rarest
        # Whole within its document: no neighbour's spot is taken for the next position.
        position = (spots + rarest) % field.stride - rarest
        spots = spots[(position >= 0) & (position + n <= field.stride)]
        for i in others:
            if not len(spots):
                break
            spots = spots[_is_in(spots + i, field.spots(rows[i]))]
        return spots

    def _matches(self, rows: Sequence[int], documents: Ints) -> Matches | None:
        """Score those of the documents, ascending, that the prompt could have known."""
        field = self.postings
        documents = documents[: _before(documents, self.begun)]
        if len(field.ends) and field.ends[0] <= self.at:
            documents = documents[field.until[documents] > self.at]
        if not len(documents):
            return None
        norm = K1 * ((1 - B) + B * field.length[documents] / self.average_length)
        scores = np.zeros(len(documents))
        for row in rows:
            count = field.counts(row)[field.documents(row).searchsorted(documents)]
            scores += self._idf(row) * (count * (K1 + 1) / (count + norm))
        return Matches(field.versions[documents], scores)

    def _idf(self, row: int) -> float:
        begun = _before(self.postings.documents(row), self.begun)
        holding = begun - _before(self.postings.pair_ends(row), self.at + 1)
        return math.log((self.n + 1) / (holding + 0.5))


def _places(piece_document: Ints, piece_tokens: Ints, n_documents: int) -> tuple[Ints, Ints]:
    """Give each token's document and position; between two pieces one position stays empty."""
    piece = np.repeat(np.arange(len(piece_document), dtype=np.int32), piece_tokens)
    document = piece_document[piece]
    first_piece = np.searchsorted(piece_document, np.arange(n_documents, dtype=np.int32))
    first_token = _running(piece_tokens)[first_piece]
    position = np.arange(len(piece)) - first_token[document] + piece - first_piece[document]
    return document, position.astype(np.int32)


def _running(values: Array) -> Bigs:
    """Give the sums of the first 0, 1, 2, … values."""
    return np.append(0, np.cumsum(values, dtype=np.int64))


def _changes(*columns: Array) -> Bigs:
    """Give the places at which any of the columns, of equal length, has another value."""
    if not len(columns[0]):
        return np.empty(0, np.int64)
    changed = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.append(0, np.flatnonzero(changed) + 1)


def _before(ascending: Array, value: int) -> int:
    """Count the values below one."""
    # In the list's own type: of another one the whole list would be converted first.
    return int(ascending.searchsorted(ascending.dtype.type(value)))


def _is_in(wanted: Array, ascending: Array) -> npt.NDArray[np.bool_]:
    """Tell which wanted values are in a list that is not empty."""
    found: npt.NDArray[np.bool_] = (
        ascending.take(ascending.searchsorted(wanted), mode="clip") == wanted
    )
    return found
