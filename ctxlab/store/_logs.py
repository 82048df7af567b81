"""Families → logs, some at a time: never the whole store in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ctxlab.log import FamilyLog
from ctxlab.store._answer_log import ANSWER_COLUMNS
from ctxlab.store._assemble import COLUMNS, assemble
from ctxlab.store._columns import read_rows
from ctxlab.store._families import Family
from ctxlab.store._manifest import Shard, hold_for_reading
from ctxlab.store._texts import TEXT_COLUMNS

__all__ = ["read_logs"]


def read_logs(
    folder: Path,
    families: Sequence[Family],
    key: str,
    batch_bytes: int,
    *,
    texts: bool,
    answers: bool,
) -> Iterator[FamilyLog]:
    """Give the log of each family in turn; about `batch_bytes` of source files are read at once.

    The tables that hold words are opened only if `texts` or `answers` are asked for.
    """
    columns = COLUMNS | (TEXT_COLUMNS if texts else {}) | (ANSWER_COLUMNS if answers else {})
    with hold_for_reading(folder):
        for batch in _batches(families, batch_bytes):
            yield from _read_batch(folder, batch, key, columns)


def _batches(families: Sequence[Family], batch_bytes: int) -> Iterator[list[Family]]:
    batch: list[Family] = []
    size = 0
    for family in families:
        if batch and size + family.file_bytes > batch_bytes:
            yield batch
            batch, size = [], 0
        batch.append(family)
        size += family.file_bytes
    if batch:
        yield batch


def _read_batch(
    folder: Path, batch: list[Family], key: str, columns: Mapping[str, tuple[str, ...]]
) -> Iterator[FamilyLog]:
    """Number all members of the batch in order; copies of equal bytes keep a number, no rows."""
    bounds = [0]
    sources: list[tuple[str, Shard]] = []
    for family in batch:
        sources += [(m.source_id if m.copy_of < 0 else "", m.shard) for m in family.members]
        bounds.append(len(sources))
    tables = {name: read_rows(folder, name, sources, wanted) for name, wanted in columns.items()}
    for family, first, last in zip(batch, bounds[:-1], bounds[1:], strict=True):
        rows = {name: table.of_sources(first, last) for name, table in tables.items()}
        yield assemble(family, rows, key)
