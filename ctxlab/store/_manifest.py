"""The one file that says which shards of a store count, and the locks around it.

`store.json` is replaced as a whole; that replacement is the only moment at which anything read
becomes part of the store. Writers exclude each other; readers only keep files from being removed.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ctxlab.errors import StoreError
from ctxlab.schema import OLDEST_READABLE, SCHEMA_VERSION
from ctxlab.store._files import replace_file
from ctxlab.store._identity import new_key

__all__ = [
    "FORMAT_VERSION",
    "Manifest",
    "Shard",
    "create",
    "hold_for_reading",
    "load",
    "lock_for_writing",
    "nobody_reads",
    "save",
]

FORMAT_VERSION = 1
"""Raised when the folder's layout changes."""

_MANIFEST = "store.json"
_WRITERS = "writer.lock"
_READERS = "readers.lock"
_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class Shard:
    """Name of a shard's folder, and the version of `ctxlab.schema` it was written with."""

    name: str
    schema: int = SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class Manifest:
    """Shards that count, oldest first: of a file's rows, those in the last shard are valid.

    `touched` holds modification times found later on files whose bytes had not changed.
    """

    key: str
    shards: tuple[Shard, ...] = ()
    touched: dict[str, int] = field(default_factory=dict)

    @property
    def readable(self) -> tuple[Shard, ...]:
        """Shards whose columns mean what they mean now."""
        return tuple(shard for shard in self.shards if shard.schema >= OLDEST_READABLE)

    @property
    def outdated(self) -> tuple[Shard, ...]:
        """Shards that nothing can be answered from; their files are to be read again."""
        return tuple(shard for shard in self.shards if shard.schema < OLDEST_READABLE)


def create(folder: Path) -> None:
    """Make `folder` an empty store, private to its owner, unless it is one already."""
    try:
        if (folder / _MANIFEST).exists():
            return
        if folder.is_dir() and any(map(_is_foreign, folder.iterdir())):
            raise StoreError(
                f"{folder} holds other files and no store; name an empty or a new folder"
            )
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        for name in ("shards", "cache"):
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        for name in (_WRITERS, _READERS):
            os.close(os.open(folder / name, os.O_CREAT | os.O_RDWR, 0o600))
        save(folder, Manifest(new_key()))
    except NotADirectoryError as error:
        raise StoreError(f"{folder} is no folder; name a folder for the store") from error
    except FileExistsError as error:
        raise StoreError(f"{folder} is a file; name a folder for the store") from error
    except OSError as error:
        raise StoreError(f"no store can be made in {folder}: {error.strerror}") from error


def _is_foreign(path: Path) -> bool:
    """Whether a file is not one of those that a store left behind when its making was cut off."""
    own = {"shards", "cache", _WRITERS, _READERS}
    return path.name not in own and not path.name.startswith(f".{_MANIFEST}.")


def load(folder: Path) -> Manifest:
    """Read the manifest.

    Raises
    ------
    StoreError
        It cannot be read, is none, or was written by a newer ctxlab.
    """
    path = folder / _MANIFEST
    try:
        values = json.loads(path.read_bytes())
        found = int(values["format"])
        if found <= FORMAT_VERSION:
            manifest = Manifest(
                key=values["key"],
                shards=tuple(
                    Shard(name, int(schema))
                    for name, schema in zip(values["shards"], values["schemas"], strict=True)
                ),
                touched=dict(values["touched"]),
            )
    except OSError as error:
        raise StoreError(f"the store {folder} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"{path} is no manifest of a store; move the folder aside, for it may hold the only "
            "copy of transcripts that are gone, and ingest into a new one"
        ) from error
    if found > FORMAT_VERSION:
        raise StoreError(_newer(folder, "format", found, FORMAT_VERSION))
    newest = max((shard.schema for shard in manifest.shards), default=0)
    if newest > SCHEMA_VERSION:
        raise StoreError(_newer(folder, "tables of version", newest, SCHEMA_VERSION))
    return manifest


def _newer(folder: Path, what: str, found: int, known: int) -> str:
    return (
        f"the store {folder} has {what} {found}, and this ctxlab knows {known}; "
        "update ctxlab, or name another folder and ingest again"
    )


def save(folder: Path, manifest: Manifest) -> None:
    """Put a new manifest in place."""
    values = {
        "key": manifest.key,
        "shards": [shard.name for shard in manifest.shards],
        "schemas": [shard.schema for shard in manifest.shards],
        "touched": manifest.touched,
        "format": FORMAT_VERSION,
    }
    replace_file(folder / _MANIFEST, json.dumps(values, indent=1).encode())


@contextlib.contextmanager
def lock_for_writing(folder: Path) -> Iterator[None]:
    """Hold the right to write; the lock ends with its process, however that ends.

    Raises
    ------
    StoreError
        Another process writes, and still did after a while; or the folder is not writable.
    """
    path = folder / _WRITERS
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise StoreError(f"the store {folder} cannot be written: {error.strerror}") from error
    with open(descriptor, "r+") as file:
        until = time.monotonic() + _WAIT_S
        while not _locked(file.fileno(), fcntl.LOCK_EX):
            if time.monotonic() >= until:
                raise StoreError(
                    f"process {file.read().strip() or 'unknown'} is writing to the store {folder}; "
                    "wait until it has ended, or name another folder"
                )
            time.sleep(0.05)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


@contextlib.contextmanager
def hold_for_reading(folder: Path) -> Iterator[None]:
    """Keep every file that the manifest names from being removed meanwhile."""
    try:
        descriptor = os.open(folder / _READERS, os.O_RDONLY)
    except OSError as error:
        raise StoreError(f"the store {folder} cannot be read: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def nobody_reads(folder: Path) -> Iterator[bool]:
    """Tell whether no reader holds the store; while true, new readers wait."""
    descriptor = os.open(folder / _READERS, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        yield _locked(descriptor, fcntl.LOCK_EX)
    finally:
        os.close(descriptor)


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
