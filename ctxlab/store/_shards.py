"""Shards: folders of Parquet files, written once, put in place by a rename, removed when dead."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ctxlab.errors import StoreError
from ctxlab.schema import TABLES
from ctxlab.store._arrow import SCHEMAS
from ctxlab.store._files import private_file, sync_folder
from ctxlab.store._manifest import Manifest, Shard, nobody_reads

__all__ = [
    "Live",
    "collect",
    "compact",
    "live_sources",
    "read_shard",
    "shard_file",
    "unanswered",
    "write_shard",
]

_SMALL_BYTES = 1 << 20
_FULL_BYTES = 2 << 20  # about 80 MB of transcripts; a batch of logs decodes whole shards
_COMPACT_FROM = 16  # fewer small shards cost a query less than a rewrite costs an ingest
_ROWS = {"spans": 20_000, "edits": 50_000}  # rows that hold lists
_CODED = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True, slots=True)
class Live:
    """Which rows count: for each source its shard, and the rows of `transcripts` that do.

    `n_rows` and `n_valid` count the sources of each shard, and those of them that count.
    """

    shards: tuple[Shard, ...]
    transcripts: pa.Table
    shard_of: dict[str, Shard]
    n_rows: Mapping[Shard, int]
    n_valid: Mapping[Shard, int]


def shard_file(folder: Path, shard: Shard, table: str) -> Path:
    """Parquet file of one table of a shard."""
    return folder / "shards" / shard.name / f"{table}.parquet"


def write_shard(folder: Path, tables: Mapping[str, Iterable[pa.Table]]) -> Shard:
    """Write a shard from the pieces of each table. It does not count yet."""
    shard = Shard(secrets.token_hex(8))
    temporary = folder / "shards" / f".{shard.name}"
    temporary.mkdir(mode=0o700, parents=True)
    for name in TABLES:
        _write_table(temporary / f"{name}.parquet", name, tables[name])
    sync_folder(temporary)
    temporary.rename(folder / "shards" / shard.name)
    sync_folder(folder / "shards")
    return shard


def _write_table(path: Path, name: str, pieces: Iterable[pa.Table]) -> None:
    schema = SCHEMAS[name]
    texts = [f.name for f in schema if f.type == pa.string()]
    texts += [f"{f.name}.list.element" for f in schema if _is_text_list(f.type)]
    with (
        private_file(path) as file,
        pq.ParquetWriter(file, schema, use_dictionary=texts, compression="zstd") as writer,
    ):
        for piece in pieces:
            writer.write_table(piece, row_group_size=_ROWS.get(name, 200_000))


def _is_text_list(kind: pa.DataType) -> bool:
    return isinstance(kind, pa.ListType) and bool(kind.value_type == pa.string())


def read_shard(
    folder: Path,
    shard: Shard,
    table: str,
    columns: Sequence[str] | None = None,
    coded: Sequence[str] = (),
) -> pa.Table:
    """Read columns of one table of a shard; `coded` texts arrive as codes with their words.

    A table that the shard is too old to have is empty, such a column is null.

    Raises
    ------
    StoreError
        The file is damaged or gone.
    """
    fields = {
        field.name: field.with_type(_CODED) if field.name in coded else field
        for field in SCHEMAS[table]
        if columns is None or field.name in columns
    }
    held = [c.name for c in TABLES[table].columns_at(shard.schema) if c.name in fields]
    if not held:
        return pa.schema(list(fields.values())).empty_table()
    found = _read_file(folder, shard_file(folder, shard, table), held, coded)
    for name in fields.keys() - set(held):
        found = found.append_column(fields[name], pa.nulls(found.num_rows, fields[name].type))
    return found.select(list(fields))


def _read_file(
    folder: Path, path: Path, columns: Sequence[str], coded: Sequence[str] = ()
) -> pa.Table:
    try:
        # Not pq.read_table: it would take a folder named "a=b" on the way for a column.
        with pq.ParquetFile(path, read_dictionary=coded) as file:
            return file.read(columns)
    except (pa.ArrowInvalid, FileNotFoundError) as error:
        raise StoreError(
            f"the store {folder} is damaged: {path} cannot be read; move the store aside and "
            "ingest into a new one"
        ) from error


def live_sources(folder: Path, shards: Sequence[Shard]) -> Live:
    """Find the rows that count: of the same source, those of the last shard."""
    tables = [read_shard(folder, shard, "transcripts") for shard in shards]
    ids = [table.column("source_id").to_pylist() for table in tables]
    shard_of = {source: shard for shard, found in zip(shards, ids, strict=True) for source in found}
    kept = [
        table.filter(pa.array([shard_of[source] == shard for source in found], pa.bool_()))
        for shard, found, table in zip(shards, ids, tables, strict=True)
    ]
    return Live(
        shards=tuple(shards),
        transcripts=pa.concat_tables([SCHEMAS["transcripts"].empty_table(), *kept]),
        shard_of=shard_of,
        n_rows={shard: len(found) for shard, found in zip(shards, ids, strict=True)},
        n_valid=Counter(shard_of.values()),
    )


def unanswered(folder: Path, manifest: Manifest) -> tuple[str, ...]:
    """Paths of the transcripts that only outdated shards hold: no answer has them."""
    if not manifest.outdated:
        return ()
    answered = live_sources(folder, manifest.readable).shard_of
    paths = {}
    for shard in manifest.outdated:
        path = shard_file(folder, shard, "transcripts")
        for row in _read_file(folder, path, ["source_id", "path"]).to_pylist():
            paths[row["source_id"]] = row["path"]
    return tuple(sorted(path for source, path in paths.items() if source not in answered))


def compact(folder: Path, manifest: Manifest, many: int = _COMPACT_FROM) -> Manifest:
    """Leave out shards with no valid row, and merge small or half-dead ones if `many`.

    Merged shards are of the present version; outdated ones stay as they are.
    """
    readable = manifest.readable
    live = live_sources(folder, readable)
    dead = {shard for shard in readable if not live.n_valid[shard]}
    sizes = {shard: _size(folder, shard) for shard in readable if shard not in dead}
    loose = {
        shard: size
        for shard, size in sizes.items()
        if size < _SMALL_BYTES or 2 * live.n_valid[shard] <= live.n_rows[shard]
    }
    groups = list(_groups(loose)) if len(loose) >= many else []
    merged = tuple(write_shard(folder, _live_pieces(folder, live, group)) for group in groups)
    gone = dead.union(*groups)
    # Merged rows are the last of their sources wherever they stand, so they may come first.
    kept = (shard for shard in manifest.shards if shard not in gone)
    return replace(manifest, shards=(*merged, *kept))


def _groups(sizes: Mapping[Shard, int]) -> Iterator[list[Shard]]:
    """Share shards out into runs that make shards of a good size."""
    group: list[Shard] = []
    total = 0
    for shard, size in sizes.items():
        if group and total + size > _FULL_BYTES:
            yield group
            group, total = [], 0
        group.append(shard)
        total += size
    if group:
        yield group


def _size(folder: Path, shard: Shard) -> int:
    held = (name for name, table in TABLES.items() if table.columns_at(shard.schema))
    return sum(shard_file(folder, shard, name).stat().st_size for name in held)


def _live_pieces(
    folder: Path, live: Live, shards: Sequence[Shard]
) -> dict[str, Iterator[pa.Table]]:
    def pieces(name: str) -> Iterator[pa.Table]:
        for shard in shards:
            valid = pa.array([s for s, found in live.shard_of.items() if found == shard])
            table = read_shard(folder, shard, name)
            yield table.filter(pc.is_in(table.column("source_id"), value_set=valid))

    return {name: pieces(name) for name in TABLES}


def collect(folder: Path, manifest: Manifest) -> None:
    """Remove shards that do not count: dead ones, and what a killed ingest left behind.

    The caller holds the writers' lock. While anybody reads, nothing is removed.
    """
    names = {shard.name for shard in manifest.shards}
    with nobody_reads(folder) as free:
        if free:
            for path in (folder / "shards").iterdir():
                if path.name not in names:
                    shutil.rmtree(path, ignore_errors=True)
            for path in folder.glob(".store.json.*"):
                with contextlib.suppress(OSError):
                    path.unlink()
