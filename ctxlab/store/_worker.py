"""A process that reads batches for an ingest: one JSON line in, one out, until its input ends.

Own processes instead of `multiprocessing`: spawned ones would run a user's unguarded script again,
and forked ones would keep the writers' lock after their parent was killed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Self

from ctxlab.errors import StoreError
from ctxlab.store._manifest import Shard
from ctxlab.store._read import BatchDone, read_batch
from ctxlab.store._walk import FoundFile

__all__ = ["Worker", "main"]

_PROGRAM = "from ctxlab.store._worker import main; main()"


class Worker:
    """The parent's end of one such process."""

    def __init__(self, folder: Path, key: str) -> None:
        self._head = {"folder": str(folder), "key": key}
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def read(self, files: Sequence[FoundFile]) -> BatchDone:
        """Have a batch read.

        Raises
        ------
        OSError
            The shard could not be written.
        StoreError
            The process died.
        """
        request = {**self._head, "files": [asdict(file) for file in files]}
        stdin, stdout = self._process.stdin, self._process.stdout
        answer = ""
        if stdin is not None and stdout is not None:
            try:
                stdin.write(json.dumps(request) + "\n")
                stdin.flush()
                answer = stdout.readline()
            except BrokenPipeError:
                answer = ""
        if not answer:
            names = ", ".join(file.path for file in files[:3])
            raise StoreError(
                f"a reading process ended early (out of memory?) in a batch that begins with "
                f"{names}; ingest again with workers=1 to go on"
            )
        found = json.loads(answer)
        if "errno" in found:
            raise OSError(found["errno"], found["strerror"])
        found["shard"] = Shard(**found["shard"])
        found["unreadable"] = tuple((path, cause) for path, cause in found["unreadable"])
        return BatchDone(**found)


def main() -> None:
    """Answer requests until standard input ends, as it does when the parent dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        request = json.loads(line)
        files = [FoundFile(**file) for file in request["files"]]
        try:
            answer = asdict(read_batch(Path(request["folder"]), request["key"], files))
        except OSError as error:
            answer = {"errno": error.errno, "strerror": error.strerror}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
