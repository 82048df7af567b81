"""The vectorised measure equals the plain walk on real transcripts."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd

from ctxlab.fallback import reobtained
from ctxlab.log import MARK_KINDS, FamilyLog
from ctxlab.store import open_store

Served = dict[tuple[int, int], set[int]]


def test_steps_equal_a_walk_through_real_logs(shared: Path, tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        files = sorted((shared / "data" / "transcripts" / "claude_code").rglob("*.jsonl"))
        store.ingest(*files[:40], workers=1)
        logs = list(store.iter_logs())
    n_sections = 0
    for log in logs:
        served = _served(log)
        frame = reobtained(log, K=(10,))
        assert set(zip(frame.call, frame.path, strict=True)) == set(served)
        assert len(frame) == len(served)
        for row in frame.itertuples():
            steps = [None if pd.isna(s) else s for s in (row.own_step_any, row.own_step_r50)]
            assert steps == _walk(log, served, int(row.call), int(row.path))
        n_sections += len(frame)
    assert n_sections > 100


def _served(log: FamilyLog) -> Served:
    served: Served = defaultdict(set)
    spans = log.spans
    for call, path, first, n in zip(
        spans.call.tolist(), spans.path.tolist(), spans.first_line, spans.n_lines, strict=True
    ):
        if n:
            served[call, path] |= set(range(first, first + n))
    return served


def _walk(log: FamilyLog, served: Served, call: int, path: int) -> list[int | None]:
    """Actions at which any and half of a section's lines had come again in its own thread."""
    calls = log.calls
    done = np.where(calls.result_at >= 0, calls.result_at, calls.call_at)
    thread = np.flatnonzero(calls.thread == calls.thread[call])
    mates = np.flatnonzero(calls.request[thread] == calls.request[call])
    stop = min(_stops(log, call, path, int(done[call])), default=log.n_events)
    wanted, again = served[call, path], set[int]()
    steps: list[int | None] = [None, None]
    for step, action in enumerate(thread[mates[-1] + 1 :][:10].tolist(), start=1):
        if done[action] < stop:
            again |= wanted & served.get((action, path), set())
        for i, needed in enumerate((1, len(wanted) / 2)):
            if steps[i] is None and len(again) >= max(1, needed):
                steps[i] = step
    return steps


def _stops(log: FamilyLog, call: int, path: int, after: int) -> list[int]:
    stops = [int(at) for at in log.edits.at[log.edits.path == path] if at > after]
    marks = log.marks
    for i in np.flatnonzero((marks.thread == log.calls.thread[call]) & (marks.at > after)):
        kind = MARK_KINDS[marks.kind[i]]
        if (
            kind in ("compaction", "clear")
            or (kind == "microcompaction" and call in marks.cleared[i])
            or (kind == "rewind" and log.calls.call_at[call] > marks.rewind_to[i])
        ):
            stops.append(int(marks.at[i]))
    return stops
