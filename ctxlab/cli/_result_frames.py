"""Frames of what a report shows and no sweep holds: what was read, and whether the score tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.report import DataDescription
    from ctxlab.tune import Signal

__all__ = ["corpus_frame", "save_frames", "signal_frame"]

_AUC = {"value": "auc", "n_positive": "used", "n_negative": "unused", "n_families": "families"}


def corpus_frame(data: DataDescription) -> pd.DataFrame:
    """One row a figure of what was read: what it counts, of which kind or cause, and how many.

    What is no count, such as dates and the hash, stands in `text`.
    """
    import pandas as pd

    rows: list[tuple[str, str | None, int | None, str | None]] = []
    for field in fields(data):
        value = getattr(data, field.name)
        if isinstance(value, Mapping):
            rows += [(field.name, of, n, None) for of, n in value.items()]
            rows += [] if value else [(field.name, None, 0, None)]
        elif isinstance(value, int):
            rows.append((field.name, None, value, None))
        else:
            rows.append((field.name, None, None, value))
    frame = pd.DataFrame(rows, columns=["what", "of", "n", "text"])
    return frame.astype({"what": "string", "of": "string", "n": "Int64", "text": "string"})


def signal_frame(signal: Signal) -> pd.DataFrame:
    """One row a comparison of the score: its AUC with the interval, and what it rests on."""
    import pandas as pd

    rows = [{"name": name, **found} for name, found in signal.as_dict().items()]
    frame = pd.DataFrame(rows).rename(columns=_AUC)
    return frame.astype({"auc": float, "low": float, "high": float})


def save_frames(frames: Mapping[str, pd.DataFrame], folder: Path) -> list[Path]:
    """Save each frame as Parquet under its name; give the files."""
    folder.mkdir(exist_ok=True)
    written = []
    for name, frame in frames.items():
        path = folder / f"{name}.parquet"
        frame.attrs.clear()
        frame.to_parquet(path, index=False)
        written.append(path)
    return written
