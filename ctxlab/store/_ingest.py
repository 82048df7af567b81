"""Files and folders → shards: only what is new or has changed is read.

Each shard counts as soon as it is written, so a kill at any moment leaves the store valid: it
holds what the last manifest put in place says.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol

from ctxlab.errors import InputError, StoreError
from ctxlab.store._manifest import Manifest, load, lock_for_writing, save
from ctxlab.store._plan import Plan, make_plan
from ctxlab.store._read import BatchDone, read_batch, source_id
from ctxlab.store._shards import collect, compact, live_sources, unanswered
from ctxlab.store._walk import FoundFile, find_files
from ctxlab.store._worker import Worker
from ctxlab.transcripts import READERS

__all__ = ["IngestReport", "Progress", "ingest"]

_BATCH_BYTES = 32 << 20
_BATCH_FILES = 1000
_MOST_WORKERS = 8
_WORTH_WORKERS = 256 << 20  # a worker needs one to two seconds to start


class Progress(Protocol):
    """Called as an ingest goes on."""

    def __call__(self, done: int, total: int, /) -> None:
        """Take the bytes read so far, and those to be read in all."""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest looked at, and what became of it.

    `files` were looked at; of these `transcripts` were understood: `read` just now, the others
    `unchanged` since. `unrecognised` are no transcripts of a known kind. `unreadable` and
    `denied` name files, or folders, with the cause; `vanished` counts transcripts that no longer
    stand where they were read and stay in the store. `problems` are what the store holds of
    records rejected in the files looked at, whenever they were read; `new_problems` are those of
    the files read now. `unanswered` are the paths of transcripts that the store keeps as a much
    older ctxlab wrote them: no answer has them until their files are read again.
    """

    files: int
    transcripts: int
    read: int
    unchanged: int
    unrecognised: int
    vanished: int
    problems: int
    new_problems: int
    bytes: int
    unreadable: tuple[tuple[str, str], ...]
    denied: tuple[tuple[str, str], ...]
    unanswered: tuple[str, ...]


def ingest(
    folder: Path,
    paths: Iterable[str | os.PathLike[str]],
    *,
    progress: Progress | None = None,
    workers: int | None = None,
) -> IngestReport:
    """Bring the store up to date with the transcripts under `paths`.

    Raises
    ------
    InputError
        A path does not exist or may not be read, no file under them is a transcript, or none
        that is could be read.
    StoreError
        Another process writes to the store, or it cannot be written; what was committed before
        stays valid.
    """
    with lock_for_writing(folder):
        manifest = load(folder)
        try:
            collect(folder, manifest)
            walk = find_files(paths, skip=folder)
            plan = make_plan(folder, manifest, walk)
            _refuse_nothing(plan, len(walk.files))
            if plan.touched:
                manifest = replace(manifest, touched=manifest.touched | plan.touched)
                save(folder, manifest)
            manifest, done = _read_all(folder, manifest, plan, progress, workers)
            manifest = _tidied(folder, manifest)
            n_problems = _n_problems(folder, manifest, walk.files)
            without_answer = unanswered(folder, manifest)
        except OSError as error:
            raise StoreError(
                f"the store {folder} cannot be written: {error.strerror or error}; what was read "
                "before is kept: free some space and ingest again"
            ) from error
    unread = tuple(failure for batch in done for failure in batch.unreadable)
    n_read = sum(batch.n_files for batch in done) - len(unread)
    if unread and not n_read and not plan.n_unchanged:
        raise InputError(_nothing_read(unread))
    return IngestReport(
        files=len(walk.files),
        transcripts=n_read + plan.n_unchanged,
        read=n_read,
        unchanged=plan.n_unchanged,
        unrecognised=plan.n_foreign,
        vanished=plan.n_vanished,
        problems=n_problems,
        new_problems=sum(batch.n_problems for batch in done),
        bytes=sum(batch.n_bytes for batch in done),
        unreadable=unread,
        denied=(*walk.denied, *plan.denied),
        unanswered=without_answer,
    )


def _refuse_nothing(plan: Plan, n_files: int) -> None:
    known = ", ".join(READERS)
    if plan.refused:
        raise InputError(plan.refused[0])
    if not plan.files and not plan.n_unchanged and not plan.n_vanished:
        raise InputError(
            f"none of the {n_files} files looked at is a transcript of a known kind ({known})"
        )


def _nothing_read(unread: Sequence[tuple[str, str]]) -> str:
    """Say why no transcript could be read, by the first of them."""
    path, cause = unread[0]
    first = cause if path in cause else f"{path}: {cause}"
    if len(unread) == 1:
        return f"{first}; nothing was read"
    return f"none of the {len(unread)} transcripts could be read; the first: {first}"


def _n_problems(folder: Path, manifest: Manifest, paths: Iterable[str]) -> int:
    """Count what the store holds of records rejected in these files."""
    looked_at = set(map(source_id, paths))
    rows = live_sources(folder, manifest.readable).transcripts
    counts = rows.select(["source_id", "n_problems"]).to_pylist()
    return sum(row["n_problems"] for row in counts if row["source_id"] in looked_at)


def _read_all(
    folder: Path,
    manifest: Manifest,
    plan: Plan,
    progress: Progress | None,
    workers: int | None,
) -> tuple[Manifest, list[BatchDone]]:
    total = sum(file.n_bytes for file in plan.files)
    n_workers = _n_workers(total, workers)
    batches = list(_batches(plan.files, n_workers, total))
    n_done = 0
    done: list[BatchDone] = []

    def advance(n_bytes: int) -> None:
        nonlocal n_done
        n_done += n_bytes
        if progress is not None:
            progress(n_done, total)

    found = (
        _with_workers(folder, manifest.key, batches, n_workers, advance)
        if n_workers > 1
        else (
            read_batch(folder, manifest.key, batch, lambda file: advance(file.n_bytes))
            for batch in batches
        )
    )
    for batch in found:
        manifest = replace(manifest, shards=(*manifest.shards, batch.shard))
        save(folder, manifest)
        done.append(batch)
    return manifest, done


def _n_workers(total: int, asked: int | None) -> int:
    if asked is not None:
        return asked
    return 1 if total < _WORTH_WORKERS else min(os.cpu_count() or 1, _MOST_WORKERS)


def _batches(files: Sequence[FoundFile], n_workers: int, total: int) -> Iterator[list[FoundFile]]:
    """Cut the files into runs small enough to lose, and to share out evenly."""
    most = _BATCH_BYTES if n_workers == 1 else min(_BATCH_BYTES, total // (6 * n_workers) + 1)
    batch: list[FoundFile] = []
    size = 0
    for file in files:
        if batch and (size + file.n_bytes > most or len(batch) >= _BATCH_FILES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.n_bytes
    if batch:
        yield batch


def _with_workers(
    folder: Path,
    key: str,
    batches: Sequence[list[FoundFile]],
    n_workers: int,
    advance: Callable[[int], None],
) -> Iterator[BatchDone]:
    """Read batches in this process and in others, each fed by a thread that only waits for it."""
    todo = deque(batches)
    done: SimpleQueue[BatchDone] = SimpleQueue()

    def serve(worker: Worker) -> None:
        while batch := _next(todo):
            done.put(worker.read(batch))

    def arrived() -> Iterator[BatchDone]:
        while not done.empty():
            batch = done.get()
            advance(batch.n_bytes)
            yield batch

    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(n_workers))
        others = min(n_workers, len(batches)) - 1
        workers = [stack.enter_context(Worker(folder, key)) for _ in range(others)]
        stack.callback(todo.clear)
        serving = [pool.submit(serve, worker) for worker in workers]
        while batch := _next(todo):
            yield read_batch(folder, key, batch, lambda file: advance(file.n_bytes))
            yield from arrived()
        for served in as_completed(serving):
            served.result()
        yield from arrived()


def _next(todo: deque[list[FoundFile]]) -> list[FoundFile] | None:
    """Take a batch; taking from a deque is atomic, asking for its length first is not."""
    try:
        return todo.popleft()
    except IndexError:
        return None


def _tidied(folder: Path, manifest: Manifest) -> Manifest:
    tidy = compact(folder, manifest)
    if tidy != manifest:
        save(folder, tidy)
        collect(folder, tidy)
    return tidy
