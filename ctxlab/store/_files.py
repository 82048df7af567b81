"""The only places where the store writes bytes: private, synced, whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["private_file", "replace_file", "sync_folder"]


@contextlib.contextmanager
def private_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file for its owner only; its bytes are on the disk when the block ends."""
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that others see either the old content or all of the new."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with private_file(temporary) as file:
        file.write(content)
    temporary.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
