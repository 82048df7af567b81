"""Each reader against a bare orjson loop over the same files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FORMATS = ("claude_code", "codex_cli", "mcp_code_context")

FILES = """
from pathlib import Path
paths = sorted(Path(sys.argv[1]).rglob("*.jsonl"))
"""
BARE = (
    FILES
    + """
import orjson
start = time.process_time()
n_bytes = 0
for path in paths:
    with open(path, "rb") as file:
        for line in file:
            n_bytes += len(line)
            try:
                orjson.loads(line)
            except orjson.JSONDecodeError:
                pass
report(start, n_bytes=n_bytes)
"""
)
READ = (
    FILES
    + """
from ctxlab.errors import InputError
from ctxlab.transcripts import stream
start = time.process_time()
n_items = 0
for path in paths:
    try:
        for item in stream(path):
            n_items += 1
    except InputError:
        pass
report(start, n_items=n_items)
"""
)


def test_readers(
    sample: Path, measured: Callable[..., dict[str, float]], show: Callable[[str], None]
) -> None:
    folders = [
        sample.parent / name for name in FORMATS if any((sample.parent / name).rglob("*.jsonl"))
    ]
    if not folders:
        pytest.skip(f"no JSON lines under {sample.parent}")
    lines = [f"{'':22}{'MB':>6}{'items':>9}{'bare s':>8}{'reader s':>10}{'of bare':>9}"]
    for folder in folders:
        bare, read = measured(BARE, folder), measured(READ, folder)
        lines.append(
            f"{folder.name:22}{bare['n_bytes'] / 1e6:6.0f}{read['n_items']:9}"
            f"{bare['cpu_s']:8.2f}{read['cpu_s']:10.2f}{bare['cpu_s'] / read['cpu_s']:9.2f}"
        )
    show("\n".join(lines))
