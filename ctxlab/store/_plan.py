"""Files found and a store → which of them must be read.

A file whose size and time are known costs no more than its stat. One whose time alone changed
costs a hash. Others are looked into, and read when a reader knows them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ctxlab.errors import InputError
from ctxlab.store._manifest import Manifest
from ctxlab.store._read import content_hash, source_id
from ctxlab.store._shards import live_sources
from ctxlab.store._walk import FoundFile, Walk
from ctxlab.transcripts import READERS, detect

__all__ = ["Plan", "make_plan"]


@dataclass(slots=True)
class Plan:
    """What an ingest has to do, and what it found on the way.

    `refused` says of each file that the user named why it cannot be read.
    """

    files: list[FoundFile] = field(default_factory=list)
    touched: dict[str, int] = field(default_factory=dict)
    n_unchanged: int = 0
    n_foreign: int = 0
    n_vanished: int = 0
    refused: list[str] = field(default_factory=list)
    denied: list[tuple[str, str]] = field(default_factory=list)


def make_plan(folder: Path, manifest: Manifest, walk: Walk) -> Plan:
    """Compare the files found with what the store holds."""
    rows = live_sources(folder, manifest.readable).transcripts.to_pylist()
    known = {row["source_id"]: row for row in rows}
    plan = Plan()
    present = set()
    for file in walk.files.values():
        source = source_id(file.path)
        present.add(source)
        _plan_file(file, known.get(source), manifest.touched.get(source), plan)
    plan.n_vanished = sum(
        1
        for source, row in known.items()
        if source not in present and any(_under(row["path"], root) for root in walk.roots)
    )
    return plan


def _under(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _plan_file(
    file: FoundFile, row: dict[str, Any] | None, touched_ns: int | None, plan: Plan
) -> None:
    same = row is not None and row["file_bytes"] == file.n_bytes and _up_to_date(row)
    try:
        if row is not None and same and file.mtime_ns in (row["mtime_ns"], touched_ns):
            plan.n_unchanged += 1
        elif row is not None and same and content_hash(file.path) == row["content_hash"]:
            plan.touched[row["source_id"]] = file.mtime_ns
            plan.n_unchanged += 1
        else:
            plan.files.append(replace(file, agent=_recognised(file.path)))
    except OSError as error:
        plan.denied.append((file.path, error.strerror or str(error)))
        if file.named:
            plan.refused.append(f"{file.path} cannot be read: {error.strerror or error}")
    except InputError as error:
        plan.n_foreign += 1
        if file.named:
            plan.refused.append(str(error))


def _up_to_date(row: dict[str, Any]) -> bool:
    """Whether this version of the reader read it; what was unreadable is tried again."""
    reader = READERS.get(row["agent"])
    return reader is not None and row["reader_version"] >= reader.version


def _recognised(path: str) -> str:
    os.close(os.open(path, os.O_RDONLY))  # raises OSError if the file may not be read
    return detect(path)
