"""Values derived from a store, kept beside it: written whole or not at all, safe to remove."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa

from ctxlab.errors import StoreError

if TYPE_CHECKING:
    from ctxlab.replay.corpus import Logs

__all__ = ["UNREADABLE", "cache_folder", "discard", "write_part"]


UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    TypeError,
    RuntimeError,  # NotImplementedError among them: a flipped bit asks for what zip files may do
    zipfile.BadZipFile,
    zlib.error,
    pa.ArrowException,
)
"""What NumPy, zipfile and Parquet raise for files that were cut or changed."""


def cache_folder(store: Logs, key: str) -> Path:
    """Folder of one kind of derived values.

    Raises
    ------
    StoreError
        If it cannot be made.
    """
    try:
        return store.cache(key)
    except OSError as error:
        raise _failed(store.folder, error) from error


def write_part(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file that is there whole, or not at all.

    Raises
    ------
    StoreError
        If it cannot be written, with the system's reason.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            write(file)
        os.replace(draft, path)
    except OSError as error:
        discard(draft)
        raise _failed(path.parent, error) from error


def discard(path: Path) -> None:
    """Remove a file that serves no more; one that may not be removed does no harm."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return


def _failed(folder: Path, error: OSError) -> StoreError:
    return StoreError(
        f"cannot write derived values into {folder}: {error.strerror or error}; free some space "
        "or make the folder writable"
    )
