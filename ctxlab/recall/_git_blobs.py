"""Names of blobs → their texts; big ones are not read, and broken ones are data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ctxlab.recall._git_plumbing import Repository

__all__ = ["MAX_BLOB_BYTES", "Blob", "Fault", "read_blobs"]

MAX_BLOB_BYTES = 1_000_000
_MAX_BATCH_BYTES = 16 * 2**20
_PROBE_BYTES = 8192

Fault: TypeAlias = Literal["", "big", "unreadable"]


class Blob(NamedTuple):
    """A blob by name, and its text; "" if it is binary, or was not read for the `fault`."""

    name: str
    text: str
    fault: Fault = ""


def read_blobs(repository: Repository, names: Sequence[str]) -> Iterator[Blob]:
    """Give each blob; "big" ones were not read, "unreadable" ones git cannot read."""
    batch: list[str] = []
    n_bytes = 0
    for name, size in zip(names, _sizes(repository, names), strict=True):
        if size is None:
            yield Blob(name, "", "unreadable")
        elif size > MAX_BLOB_BYTES:
            yield Blob(name, "", "big")
        else:
            batch.append(name)
            n_bytes += size
            if n_bytes > _MAX_BATCH_BYTES:
                yield from _contents(repository, batch)
                batch, n_bytes = [], 0
    yield from _contents(repository, batch)


def _sizes(repository: Repository, names: Sequence[str]) -> Iterator[int | None]:
    """The size of each blob; None for one that is missing or broken."""
    waiting = list(names)
    while waiting:
        printed = repository.attempt(
            "cat-file", "--batch-check=%(objectsize)", given=_lines(waiting)
        )
        answers = printed.splitlines()[: len(waiting)]
        for answer in answers:
            yield int(answer) if answer.isdigit() else None
        waiting = waiting[len(answers) :]
        if waiting:  # git gave up at the first without an answer
            yield None
            waiting = waiting[1:]


def _contents(repository: Repository, names: Sequence[str]) -> Iterator[Blob]:
    waiting = list(names)
    while waiting:
        printed = repository.attempt("cat-file", "--batch", given=_lines(waiting))
        start = n_read = 0
        while n_read < len(waiting):
            line_end = printed.find(b"\n", start)
            heading = printed[start:line_end].split(b" ")
            if line_end < 0:
                break
            if len(heading) != 3 or not heading[2].isdigit():
                yield Blob(waiting[n_read], "", "unreadable")
                start = line_end + 1
            else:
                end = line_end + 1 + int(heading[2])
                if len(printed) <= end:
                    break
                yield Blob(waiting[n_read], _text(printed[line_end + 1 : end]))
                start = end + 1
            n_read += 1
        waiting = waiting[n_read:]
        if waiting:  # git gave up within the first without an answer
            yield Blob(waiting[0], "", "unreadable")
            waiting = waiting[1:]


def _lines(names: Sequence[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode("ascii")


def _text(content: bytes) -> str:
    return "" if b"\0" in content[:_PROBE_BYTES] else content.decode("utf-8", "replace")
