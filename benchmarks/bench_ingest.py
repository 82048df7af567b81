"""Ingest against a bare orjson loop over the same files, in one run: trust the ratios.

    python benchmarks/bench_ingest.py [FOLDER] [--megabytes 1000]

The files of FOLDER are repeated under new names and ids until they hold so many megabytes. Every
measurement runs in a process of its own, whose peak memory is shown. "of bare" compares the
processor time, which other work on the machine disturbs less.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT.parent / "shared/data/transcripts/claude_code"

_PEAK = """
import json, resource, sys, time
from pathlib import Path
def report(begun, start, **values):
    took = time.perf_counter() - start
    own, others = (resource.getrusage(who) for who in
                   (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime - begun
    peak = max(own.ru_maxrss, others.ru_maxrss) / 1e3
    print(json.dumps({"s": took, "cpu_s": cpu, "peak_mb": peak, **values}))
"""
BARE = (
    _PEAK
    + """
import orjson
begun, start = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]), time.perf_counter()
rejected = 0
for path in sorted(Path(sys.argv[1]).rglob("*.jsonl")):
    with open(path, "rb") as file:
        for line in file:
            try:
                orjson.loads(line)
            except orjson.JSONDecodeError:
                rejected += 1
report(begun, start, rejected=rejected)
"""
)
READERS = (
    _PEAK
    + """
from ctxlab.transcripts import stream
begun, start = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]), time.perf_counter()
items = 0
for path in sorted(Path(sys.argv[1]).rglob("*.jsonl")):
    for item in stream(path):
        items += 1
report(begun, start, items=items)
"""
)
INGEST = (
    _PEAK
    + """
from ctxlab.store import open_store
store = open_store(sys.argv[2])
begun, start = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]), time.perf_counter()
done = store.ingest(sys.argv[1], workers=int(sys.argv[3]))
report(begun, start, transcripts=done.transcripts, problems=done.problems)
"""
)
LOGS = (
    _PEAK
    + """
from ctxlab.store import open_store
store = open_store(sys.argv[2])
begun, start = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]), time.perf_counter()
families = store.families()
lines = sum(len(log.lines) for log in store.iter_logs())
report(begun, start, families=len(families), lines=lines)
"""
)


def repeated(folder: Path, target: Path, megabytes: int) -> int:
    """Copy the files again and again, each time with other sessions and responses."""
    files = sorted(folder.rglob("*.jsonl"))
    size = 0
    for turn in range(10_000):
        for path in files:
            mark = f"{turn:04}".encode()
            content = path.read_bytes()
            for name in (b'"sessionId":"', b'"id":"msg_', b'"uuid":"', b'"parentUuid":"'):
                content = content.replace(name, name + mark)
            copy = target / str(turn) / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
            size += len(content)
            if size >= megabytes * 1e6:
                return size
    return size


def measured(code: str, *args: object) -> dict[str, float]:
    run = subprocess.run(
        [sys.executable, "-c", code, *map(str, args)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return dict(json.loads(run.stdout))


def compared(folder: Path, megabytes: int) -> str:
    """Measure everything over so many megabytes of the folder's files; give the table."""
    with tempfile.TemporaryDirectory() as made:
        logs = Path(made) / "logs"
        size = repeated(folder, logs, megabytes)
        time.sleep(1)
        measured(BARE, logs)  # the first run finds the files on the disk
        runs = {
            "bare orjson loop": measured(BARE, logs),
            "readers alone": measured(READERS, logs),
            "ingest, 1 process": measured(INGEST, logs, Path(made) / "one", 1),
            "ingest, 2 processes": measured(INGEST, logs, Path(made) / "two", 2),
            "ingest, unchanged": measured(INGEST, logs, Path(made) / "one", 1),
            "family logs": measured(LOGS, logs, Path(made) / "one"),
        }
        stored = sum(path.stat().st_size for path in (Path(made) / "one").rglob("*.parquet"))
    bare = runs["bare orjson loop"]["cpu_s"]
    lines = [f"{size / 1e6:.0f} MB of transcripts, {stored / 1e6:.1f} MB stored"]
    lines.append(f"{'':22}{'s':>8}{'cpu s':>8}{'MB/s':>8}{'of bare':>9}{'peak MB':>9}")
    for name, run in runs.items():
        rate = size / 1e6 / run["s"]
        cpu, peak = run["cpu_s"], run["peak_mb"]
        rest = {k: v for k, v in run.items() if k not in ("s", "cpu_s", "peak_mb")}
        line = f"{name:22}{run['s']:8.2f}{cpu:8.2f}{rate:8.0f}{bare / cpu:9.2f}{peak:9.0f}"
        lines.append(f"{line} {rest}")
    speedup = runs["ingest, 1 process"]["s"] / runs["ingest, 2 processes"]["s"]
    return "\n".join([*lines, f"2 processes against 1: {speedup:.2f} times as fast"])


def test_ingest(sample: Path, show: Callable[[str], None]) -> None:
    if not any(sample.rglob("*.jsonl")):
        pytest.skip(f"no JSON lines under {sample}")
    show(compared(sample, megabytes=130))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=SAMPLE)
    parser.add_argument("--megabytes", type=int, default=1000)
    options = parser.parse_args()
    print(compared(options.folder, options.megabytes))


if __name__ == "__main__":
    main()
