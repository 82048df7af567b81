"""Small invented frames, one for each figure."""

from __future__ import annotations

from typing import Any

import pandas as pd


def settings(
    thresholds: tuple[int, ...] = (1, 4, 8, 16),
    horizons: tuple[int | None, ...] = (1, 4, None),
    **changes: Any,
) -> pd.DataFrame:
    """A sweep that saves 1 % at most, with harm at unlimited horizons."""
    rows = [
        {
            "min_covered_lines": m,
            "view_calls": v,
            "net_share": 0.01 / m,
            "low": 0.005 / m,
            "high": 0.02 / m,
            "harmful_pointers": 3 if v is None else 0,
            "pointers": 10,
        }
        for v in horizons
        for m in thresholds
    ]
    return pd.DataFrame(rows).assign(**changes)


def transcripts(n: int = 5, **changes: Any) -> pd.DataFrame:
    """Transcripts of growing size and share; the last has harmful pointers."""
    return pd.DataFrame(
        {
            "transcript": [f"t{i}" for i in range(n)],
            "family": [f"f{i // 2}" for i in range(n)],
            "touched_bytes": [1000 * 4**i for i in range(n)],
            "net_bytes": [10 * i for i in range(n)],
            "net_share": [0.01 * (i - 1) for i in range(n)],
            "harmful_pointers": [0] * (n - 1) + [2] if n else [],
        }
    ).assign(**changes)


def served(path: str, request: int, outcome: str, lines: int = 10) -> dict[str, Any]:
    return {
        "what": "served",
        "at": 10 * request,
        "request": request,
        "path": path,
        "outcome": outcome,
        "lines": lines,
        "touched_bytes": 40 * lines,
    }


def event(what: str, request: int, path: str | None = None) -> dict[str, Any]:
    return {"what": what, "at": 10 * request + 5, "request": request, "path": path}


def thread(*rows: dict[str, Any]) -> pd.DataFrame:
    """A timeline; without rows, one of each kind of event."""
    given = rows or (
        served("src/a.py", 1, "sent", 100),
        served("src/b.py", 2, "sent"),
        event("edit", 2, "src/b.py"),
        served("src/a.py", 3, "pointer"),
        event("compaction", 3),
        event("microcompaction", 4),
        served("src/a.py", 5, "compaction"),
    )
    columns = ["what", "at", "request", "path", "outcome", "lines", "touched_bytes"]
    types = {"request": "int64", "at": "int64", "lines": "Int64", "touched_bytes": "Int64"}
    return pd.DataFrame(
        {c: pd.Series([r.get(c) for r in given], dtype=types.get(c, "object")) for c in columns}
    )


FRAMES = {
    "savings_curve": settings(),
    "horizon_heatmap": settings(),
    "transcript_distribution": transcripts(),
    "context_timeline": thread(),
}
