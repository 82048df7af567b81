"""Transcript files → one shard. Runs in the ingesting process or in a worker, alike."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import pyarrow as pa

from ctxlab.errors import CtxlabError
from ctxlab.schema import TABLES
from ctxlab.store._identity import well_formed
from ctxlab.store._manifest import Shard
from ctxlab.store._shards import write_shard
from ctxlab.store._tabulate import Source, tabulate, unreadable
from ctxlab.store._walk import FoundFile
from ctxlab.transcripts import READERS

__all__ = ["BatchDone", "content_hash", "read_batch", "source_id"]

_BLOCK = 1 << 20
_CAUSE_CHARS = 300


@dataclass(frozen=True, slots=True)
class BatchDone:
    """What became of a batch: its shard, and what the files held."""

    shard: Shard
    n_files: int
    n_bytes: int
    n_problems: int
    unreadable: tuple[tuple[str, str], ...]


def source_id(path: str) -> str:
    """Name a source by its path: the same file has the same name in every store."""
    return blake2b(os.fsencode(path), digest_size=8).hexdigest()


def content_hash(path: str) -> str:
    """Hash the bytes of a file."""
    found = blake2b(digest_size=16)
    with open(path, "rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


def read_batch(
    folder: Path,
    key: str,
    files: Sequence[FoundFile],
    after_file: Callable[[FoundFile], None] = lambda file: None,
) -> BatchDone:
    """Read files into a new shard, which does not count until the manifest names it."""
    pieces: dict[str, list[pa.Table]] = {name: [] for name in TABLES}
    failed: list[tuple[str, str]] = []
    with ThreadPoolExecutor(1) as pool:  # hashing lets go of the interpreter
        hashes = [pool.submit(content_hash, file.path) for file in files]
        for file, found in zip(files, hashes, strict=True):
            tables, cause = _read_file(file, found, key)
            for name, table in tables.items():
                pieces[name].append(table)
            if cause:
                failed.append((file.path, cause))
            after_file(file)
    shard = write_shard(folder, {name: [pa.concat_tables(p)] for name, p in pieces.items()})
    return BatchDone(
        shard=shard,
        n_files=len(files),
        n_bytes=sum(file.n_bytes for file in files),
        n_problems=sum(table.num_rows for table in pieces["problems"]),
        unreadable=tuple(failed),
    )


def _read_file(
    file: FoundFile, hashed: Future[str], key: str
) -> tuple[dict[str, pa.Table], str | None]:
    """Give a file's tables; if its reader fails, those of an unreadable file and the cause."""
    reader = READERS[file.agent]
    source = Source(
        source_id=source_id(file.path),
        path=well_formed(file.path),
        file_bytes=file.n_bytes,
        mtime_ns=file.mtime_ns,
        content_hash="",
        reader_version=reader.version,
    )
    try:
        source = replace(source, content_hash=hashed.result())
        return tabulate(reader.stream(file.path), source, key), None
    except Exception as error:  # whatever one file does to its reader, the others are read
        cause = well_formed(_cause(error))[:_CAUSE_CHARS]
        return unreadable(source, cause), cause


def _cause(error: Exception) -> str:
    """Say why a file was not read: only a defect of ctxlab is named by its type."""
    if isinstance(error, CtxlabError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"{type(error).__name__}: {error}"
