"""A 64 × 8 sweep against one replay: aim, under twice the time; with cached facts, under 1 s."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ctxlab.store import open_store

REPLAY = """
from ctxlab.dedup import Dedup
from ctxlab.dedup.decide import decide
from ctxlab.dedup.facts import concatenate
from ctxlab.dedup.walk import dedup_facts
from ctxlab.replay.scores import score
from ctxlab.store import open_store
store = open_store(sys.argv[1])
families = len(store.families())
start = time.process_time()
facts = concatenate([dedup_facts(log, proof="whole_file") for log in store.iter_logs()])
pointers = score(facts, decide(facts, Dedup())).total("pointers")
report(start, families=families, pointers=pointers)
"""
SWEEP = """
import shutil
from ctxlab.dedup import Dedup
from ctxlab.replay import Setting, cells, corpus_facts, sweep
from ctxlab.store import open_store
store = open_store(sys.argv[1])
store.families()
setting = Setting(("read",), "whole_file", "connection")
if sys.argv[2] == "derived":
    shutil.rmtree(store.cache(setting.key))
grid = {"min_covered_lines": range(1, 65), "view_calls": (1, 2, 3, 4, 6, 8, 16, None)}
start = time.process_time()
facts = corpus_facts(store, [setting])[setting]
table = sweep(lambda proof, scope: facts, cells(Dedup(), grid, ["whole_file"]))
report(start, cells=len(table.cells))
"""


def test_sweep(
    sample: Path,
    tmp_path: Path,
    measured: Callable[..., dict[str, float]],
    show: Callable[[str], None],
) -> None:
    store = tmp_path / "store"
    with open_store(store) as opened:
        opened.ingest(sample)
    runs = {
        "one replay": measured(REPLAY, store),
        "sweep, facts derived": measured(SWEEP, store, "derived"),
        "sweep, facts cached": measured(SWEEP, store, "cached"),
    }
    once = runs["one replay"]
    n_cells = int(runs["sweep, facts cached"]["cells"])
    lines = [f"{n_cells} cells over {once['families']} families of {sample.name}"]
    lines.append(f"{'':22}{'CPU s':>8}{'of replay':>11}{'peak MB':>9}")
    for name, run in runs.items():
        ratio = run["cpu_s"] / once["cpu_s"]
        lines.append(f"{name:22}{run['cpu_s']:8.2f}{ratio:11.2f}{run['peak_mb']:9.0f}")
    show("\n".join(lines))
