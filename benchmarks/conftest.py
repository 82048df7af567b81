"""What the benchmarks share: data to run on, processes to measure in, a way past the capture.

`make bench` runs them all. Nothing asserts a time: trust the ratios within one run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_PLACES = (ROOT.parent / "shared/data/transcripts/claude_code", ROOT / "data/claude_code")
_AROUND = """
import json, resource, sys, time
def report(start, **values):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(json.dumps({"cpu_s": time.process_time() - start, "peak_mb": peak, **values}))
"""


@pytest.fixture(scope="session")
def sample() -> Path:
    """Real transcripts beside the repository, else the bundled ones."""
    for folder in _PLACES:
        if folder.is_dir():
            return folder
    pytest.skip("neither real transcripts beside the repository nor bundled ones in data/")


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Print although pytest captures."""

    def put(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}")

    return put


@pytest.fixture(scope="session")
def measured() -> Callable[..., dict[str, float]]:
    """Run code in processes of its own and give what it reports, at the least CPU time of three.

    The code calls `report(start, …)` last, `start` being an earlier `time.process_time()`.
    """

    def run(code: str, *args: object) -> dict[str, float]:
        found = [
            subprocess.run(
                [sys.executable, "-c", _AROUND + code, *map(str, args)],
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout
            for _ in range(3)
        ]
        return min(map(json.loads, found), key=lambda run: run["cpu_s"])

    return run
