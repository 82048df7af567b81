"""Stored rows of some sources → NumPy columns, in the order of those sources.

A source lies whole in one shard, so the order of its rows there is their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ctxlab.store._arrow import SCHEMAS
from ctxlab.store._manifest import Shard
from ctxlab.store._shards import read_shard

__all__ = ["Ragged", "Rows", "Words", "ragged_index", "read_rows"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Words:
    """A column of texts: `codes` index `words`, -1 is null."""

    codes: npt.NDArray[np.int32]
    words: Sequence[str]

    def __getitem__(self, rows: Any) -> Words:
        return Words(self.codes[rows], self.words)


@dataclass(frozen=True, slots=True)
class Ragged:
    """A column of lists: list i is `values[start[i] : start[i] + counts[i]]`."""

    start: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    values: Array | Words

    def __getitem__(self, rows: Any) -> Ragged:
        return Ragged(self.start[rows], self.counts[rows], self.values)

    def flat(self) -> Any:
        """All values of all lists, one after the other."""
        return self.values[ragged_index(self.start, self.counts)]

    def tuples(self) -> tuple[tuple[int, ...], ...]:
        """Each list as a tuple."""
        values = self.values.codes if isinstance(self.values, Words) else self.values
        pairs = zip(self.start.tolist(), self.counts.tolist(), strict=True)
        return tuple(tuple(values[a : a + n].tolist()) if n else () for a, n in pairs)


Column = Array | Words | Ragged


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one table: `source` numbers the sources asked for, then the columns by name."""

    source: npt.NDArray[np.int32]
    columns: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    def __len__(self) -> int:
        return len(self.source)

    def take(self, rows: Any) -> Rows:
        """Choose rows by a slice, a mask or indices."""
        return Rows(self.source[rows], {name: c[rows] for name, c in self.columns.items()})

    def of_sources(self, first: int, last: int) -> Rows:
        """Rows of the sources first … last - 1, numbered from 0."""
        a, b = np.searchsorted(self.source, [first, last])
        chosen = self.take(slice(a, b))
        return Rows(chosen.source - np.int32(first), chosen.columns)


def ragged_index(
    start: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Indices of start[0], start[0] + 1, … (counts[0] of them), start[1], …."""
    before = np.cumsum(counts) - counts
    return np.repeat(start - before, counts) + np.arange(int(counts.sum()))


def read_rows(
    folder: Path, table: str, sources: Sequence[tuple[str, Shard]], columns: Sequence[str]
) -> Rows:
    """Read the rows of `sources` (source_id, shard), ordered as given, then as stored.

    Null is -1 in whole numbers and codes, 0 in identities, False in truth values.
    """
    schema = SCHEMAS[table]
    wanted = ["source_id", *columns]
    texts = [name for name in wanted if schema.field(name).type == pa.string()]
    numbers: dict[Shard, dict[str, int]] = {}
    for i, (source, shard) in enumerate(sources):
        numbers.setdefault(shard, {})[source] = i
    pieces, found = [], []
    for shard, number in numbers.items():
        piece = read_shard(folder, shard, table, wanted, coded=texts)
        ids = _to_numpy(piece.column("source_id"))
        of_row = np.array([*(number.get(s, -1) for s in ids.words), -1], np.int32)[ids.codes]
        pieces.append(piece.drop_columns("source_id").filter(pa.array(of_row >= 0)))
        found.append(of_row[of_row >= 0])
    whole = pa.concat_tables(pieces).unify_dictionaries()
    number_of_row = np.concatenate(found)
    rows = Rows(number_of_row, {name: _to_numpy(whole.column(name)) for name in columns})
    return rows.take(np.argsort(number_of_row, kind="stable"))


def _to_numpy(column: pa.ChunkedArray | pa.Array) -> Any:
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # combine_chunks keeps an empty column chunked
        array = array.chunk(0) if array.num_chunks else pa.array([], array.type)
    kind = array.type
    if pa.types.is_string(kind):
        array = array.dictionary_encode()
    if pa.types.is_dictionary(array.type):
        codes = array.indices.fill_null(-1).to_numpy().astype(np.int32)
        return Words(codes, array.dictionary.to_pylist())
    if pa.types.is_list(kind):
        counts = pc.list_value_length(array).to_numpy().astype(np.int64)
        return Ragged(np.cumsum(counts) - counts, counts, _to_numpy(array.flatten()))
    if array.null_count:
        null = 0 if pa.types.is_uint64(kind) or pa.types.is_boolean(kind) else -1
        array = array.fill_null(pa.scalar(null, pa.int8()).cast(kind))
    return array.to_numpy(zero_copy_only=False)
