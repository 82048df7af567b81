"""The store object: one folder, a snapshot of it to read from, and the ingest into it."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ctxlab.errors import StoreError
from ctxlab.log import FamilyLog
from ctxlab.paths import user_path
from ctxlab.schema import OLDEST_READABLE
from ctxlab.store._families import Family, find_families
from ctxlab.store._ingest import IngestReport, Progress, ingest
from ctxlab.store._logs import read_logs
from ctxlab.store._manifest import Manifest, create, hold_for_reading, load
from ctxlab.store._shards import Live, live_sources, unanswered

if TYPE_CHECKING:
    import duckdb

__all__ = ["Store", "open_store"]

_BATCH_BYTES = 64 << 20


class Store:
    """Transcripts read into a folder of Parquet files.

    What it answers from is a snapshot: that of the moment it was first asked after opening or
    after its own last ingest. Meanwhile others may ingest into the same folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._snapshot: _Snapshot | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({str(self.folder)!r})"

    def ingest(
        self,
        *paths: str | os.PathLike[str],
        progress: Progress | None = None,
        workers: int | None = None,
    ) -> IngestReport:
        """Read the transcripts under `paths` that are new or have changed.

        Parameters
        ----------
        *paths
            Files and folders; `~` is expanded.
        progress
            Called with the bytes read so far and in all.
        workers
            Processes that read: chosen by the amount unless given.

        Raises
        ------
        InputError
            A path does not exist or may not be read, no file under them is a transcript, or none
            that is could be read.
        StoreError
            Another process writes to the store, or it cannot be written.
        """
        self.close()
        return ingest(self.folder, paths, progress=progress, workers=workers)

    def families(self) -> list[Family]:
        """Families of transcripts: the unit that replays and resampling work on."""
        return self._open().families

    def unanswered(self) -> tuple[str, ...]:
        """Paths of transcripts that only a much older ctxlab has read: no answer has them."""
        with hold_for_reading(self.folder):
            return unanswered(self.folder, load(self.folder))

    def iter_logs(
        self,
        families: Collection[str] | None = None,
        batch_bytes: int = _BATCH_BYTES,
        texts: bool = False,
        answers: bool = False,
    ) -> Iterator[FamilyLog]:
        """Give the log of each family, or of those named, holding few at a time.

        Parameters
        ----------
        families
            Names of families; all unless given.
        batch_bytes
            Bytes of transcripts whose logs are read at once.
        texts
            Whether to read the words too: prompts, names and symbols.
        answers
            Whether to read the answers of tools in JSON too, and what was quoted of them.

        Raises
        ------
        StoreError
            A name is no family of this store.
        """
        snapshot = self._open()
        chosen = snapshot.families
        if families is not None:
            unknown = set(families) - {family.name for family in chosen}
            if unknown:
                raise StoreError(f"the store {self.folder} has no family {min(unknown)!r}")
            chosen = [family for family in chosen if family.name in families]
        key = snapshot.manifest.key
        return read_logs(self.folder, chosen, key, batch_bytes, texts=texts, answers=answers)

    def sql(
        self, text: str, params: Sequence[Any] | dict[str, Any] | None = None
    ) -> duckdb.DuckDBPyRelation:
        """Ask DuckDB; the tables are those of `ctxlab.schema`, and a few that derive from them.

        `families` (source_id, family, place, is_copy) unites files; `calls` joins calls with
        results; `tools` and `usage` count calls and tokens once, whatever copies there are.
        Fetch what the answer holds before the next ingest: it belongs to the snapshot. A query
        reads the store only: to write a file, take the answer as a frame first.

        Raises
        ------
        ParameterError
            DuckDB rejects the query, with its reason; or the query gives no rows.
        """
        from ctxlab.store._duck import query

        return query(self._open().connection, text, params)

    def to_duckdb(self, path: str | os.PathLike[str], overwrite: bool = False) -> Path:
        """Write all tables into one database file that any DuckDB since 1.0 opens.

        Only its owner may read the file, as it is with the store: it holds prompts, names and
        answers.

        Raises
        ------
        StoreError
            The file exists and `overwrite` is false, or it cannot be written.
        """
        from ctxlab.store._duck import write_database

        target = user_path(path)
        with closing(self._open().connect()) as con:
            write_database(con, target, overwrite)
        return target

    def cache(self, key: str) -> Path:
        """Folder for values derived from what `key` names; made if needed, safe to remove."""
        folder = self.folder / "cache" / key
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    def close(self) -> None:
        """Let go of the snapshot; the next question takes a new one."""
        if self._snapshot is not None:
            self._snapshot.close()
            self._snapshot = None

    def _open(self) -> _Snapshot:
        if self._snapshot is None:
            self._snapshot = _Snapshot(self.folder)
        return self._snapshot


class _Snapshot:
    """What counted in the store at one moment; its files stay until it is closed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held = ExitStack()
        self._held.enter_context(hold_for_reading(folder))
        self.manifest: Manifest = load(folder)
        if self.manifest.outdated and not self.manifest.readable:
            with self._held:
                raise StoreError(_outdated(folder, self.manifest))
        self.live: Live = live_sources(folder, self.manifest.readable)

    @cached_property
    def families(self) -> list[Family]:
        return find_families(self._folder, self.live)

    @cached_property
    def connection(self) -> duckdb.DuckDBPyConnection:
        from ctxlab.store._duck import confine

        con = self.connect()
        self._held.callback(con.close)
        confine(con, self._folder)
        return con

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Open a database of its own over the snapshot, which may reach every file."""
        from ctxlab.store._duck import connect  # DuckDB takes 0.2 s to import

        return connect(self._folder, self.live, self.families)

    def close(self) -> None:
        self._held.close()


def _outdated(folder: Path, manifest: Manifest) -> str:
    paths = unanswered(folder, manifest)
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return (
        f"the store {folder} was filled by an older ctxlab, with tables of version "
        f"{max(shard.schema for shard in manifest.outdated)}, and this one answers from version "
        f"{OLDEST_READABLE} on: ingest the same transcripts into it again "
        f"({len(paths)}: {', '.join(paths[:3])}{more})"
    )


def open_store(path: str | os.PathLike[str] | None = None) -> Store:
    """Open the store in a folder, made if it is not there; without a path a temporary one.

    Raises
    ------
    StoreError
        The folder cannot be made or read, holds other files, or is of a newer ctxlab.
    """
    if path is None:
        folder = Path(tempfile.mkdtemp(prefix="ctxlab-"))
        create(folder)
        store = Store(folder)
        weakref.finalize(store, shutil.rmtree, folder, ignore_errors=True)
        return store
    folder = user_path(path).absolute()
    create(folder)
    load(folder)
    return Store(folder)
