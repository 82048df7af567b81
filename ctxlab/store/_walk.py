"""Paths that a user names → the regular files under them. Nothing here opens a file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ctxlab.errors import InputError

__all__ = ["FoundFile", "Walk", "find_files"]


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file. `named` is true where the user named the file itself.

    `agent` is the reader that knows it, once that is known.
    """

    path: str
    n_bytes: int
    mtime_ns: int
    named: bool = False
    agent: str = ""


@dataclass(slots=True)
class Walk:
    """What was found: files by path, the roots looked under, and what could not be entered."""

    files: dict[str, FoundFile] = field(default_factory=dict)
    roots: list[str] = field(default_factory=list)
    denied: list[tuple[str, str]] = field(default_factory=list)
    seen: set[tuple[int, int]] = field(default_factory=set)


def find_files(paths: Iterable[str | os.PathLike[str]], skip: Path) -> Walk:
    """Find every regular file, links followed, each folder entered once, in sorted order.

    Raises
    ------
    InputError
        A path does not exist, or a folder named by the user may not be read.
    """
    walk = Walk()
    store = os.stat(skip)
    walk.seen.add((store.st_dev, store.st_ino))
    for path in paths:
        root = os.path.abspath(os.path.expanduser(path))
        try:
            found = os.stat(root)
            walk.roots.append(root)
            if stat.S_ISDIR(found.st_mode):
                _enter(root, found, walk)
            elif stat.S_ISREG(found.st_mode):
                walk.files[root] = _file(root, found, named=True)
            else:
                raise InputError(f"{root} is neither a file nor a folder; name one of these")
        except FileNotFoundError as error:
            raise InputError(f"no such file or folder: {root}") from error
        except OSError as error:
            raise InputError(f"{root} cannot be read: {error.strerror}") from error
    walk.files = {path: walk.files[path] for path in sorted(walk.files)}
    return walk


def _file(path: str, found: os.stat_result, named: bool = False) -> FoundFile:
    return FoundFile(path, found.st_size, found.st_mtime_ns, named)


def _enter(folder: str, status: os.stat_result, walk: Walk) -> None:
    """Look at a folder and, without recursion, at all below it."""
    todo = [(folder, status)]
    while todo:
        folder, status = todo.pop()
        identity = (status.st_dev, status.st_ino)
        if identity in walk.seen:
            continue
        walk.seen.add(identity)
        try:
            entries = sorted(os.listdir(folder))
        except OSError as error:
            if folder == walk.roots[-1]:
                raise
            walk.denied.append((folder, error.strerror or str(error)))
            continue
        for name in entries:
            path = os.path.join(folder, name)
            try:
                found = os.stat(path)
            except OSError as error:
                walk.denied.append((path, error.strerror or str(error)))
                continue
            if stat.S_ISDIR(found.st_mode):
                todo.append((path, found))
            elif stat.S_ISREG(found.st_mode):
                walk.files.setdefault(path, _file(path, found))
