"""The git source of recall: many small files at once, many small steps, and symbols a second."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

N_FILES, N_STEPS = 10_000, 200

GRAPH = """
from pathlib import Path
from ctxlab.recall.git import git_graph
folder, *prompts = sys.argv[1:]
start = time.process_time()
wall = time.perf_counter()
graph = git_graph(Path(folder), [int(ms) for ms in prompts])
report(start, wall_s=time.perf_counter() - wall, n_versions=len(graph.versions))
"""

SYMBOLS = """
from pathlib import Path
from ctxlab.recall.symbols import definitions
files = sorted(Path(sys.argv[1]).rglob("*.py"))
texts = [(str(file), file.read_text("utf-8")) for file in files]
definitions("a.py", "x = 1")
start = time.process_time()
n_definitions = sum(len(definitions(path, text)) for path, text in texts)
whole = time.process_time() - start
stretches = [
    (path, "\\n".join(lines[first : first + 40]))
    for path, lines in ((path, text.splitlines()) for path, text in texts)
    for first in range(5, len(lines), 40)
]
begun = time.process_time()
for path, text in stretches:
    definitions(path, text)
n_bytes, n_stretched = (sum(len(text) for _, text in some) for some in (texts, stretches))
stretched_mb_s = n_stretched / (time.process_time() - begun) / 1e6
values = {"whole_s": whole, "n_bytes": n_bytes, "stretched_mb_s": stretched_mb_s}
report(start, n_definitions=n_definitions, **values)
"""


def _git(folder: Path, *arguments: str, given: str = "") -> None:
    subprocess.run(("git", *arguments), cwd=folder, input=given, text=True, check=True)


def _import(folder: Path) -> None:
    """Make a repository of many small files, then many commits that change ten each."""
    lines: list[str] = []

    def commit(at: int, numbers: range) -> None:
        lines.append(
            f"commit refs/heads/main\ncommitter Bench <bench@example.org> {at} +0000\ndata 1\nx"
        )
        for n in numbers:
            body = f'class C{n}:\n    def m{n}(self):\n        "Do {n} at {at}."\n' * 3
            lines.append(f"M 100644 inline d{n % 97}/f{n}.py\ndata {len(body)}\n{body}")

    commit(1, range(N_FILES))
    for step in range(N_STEPS):
        commit(step + 2, range(step * 10, step * 10 + 10))
    _git(folder, "init", "--quiet", "--initial-branch=main")
    _git(folder, "fast-import", "--quiet", given="\n".join(lines) + "\n")


def test_graph(
    tmp_path: Path, measured: Callable[..., dict[str, float]], show: Callable[[str], None]
) -> None:
    if not any((Path(folder) / "git").exists() for folder in os.get_exec_path()):
        pytest.skip("git is not installed")
    _import(tmp_path)
    whole = measured(GRAPH, tmp_path, 1500)
    steps = measured(GRAPH, tmp_path, *(1500 + 1000 * n for n in range(N_STEPS + 1)))
    symbols = measured(SYMBOLS, Path(__file__).parents[1] / "ctxlab")
    show(
        f"{'':34}{'wall s':>8}{'CPU s':>8}{'MB':>6}{'states':>9}\n"
        f"{f'{N_FILES} files':34}{whole['wall_s']:8.2f}{whole['cpu_s']:8.2f}"
        f"{whole['peak_mb']:6.0f}{whole['n_versions']:9.0f}\n"
        f"{f'… and {N_STEPS} commits of ten files':34}{steps['wall_s']:8.2f}{steps['cpu_s']:8.2f}"
        f"{steps['peak_mb']:6.0f}{steps['n_versions']:9.0f}\n"
        f"symbols of this package: {symbols['n_bytes'] / symbols['whole_s'] / 1e6:.1f} MB/s, "
        f"{symbols['n_definitions'] / symbols['whole_s']:.0f} definitions/s; "
        f"of stretches of 40 lines: {symbols['stretched_mb_s']:.1f} MB/s"
    )
