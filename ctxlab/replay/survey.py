"""What the logs themselves tell, before any policy: sizes, tokens, re-obtained lines, sufficiency.

One row a transcript, section or answer, of all families of a store; cached beside it by content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ctxlab.economics import TokenRate, calibrate, token_rate
from ctxlab.fallback import BUCKETS, reobtained, sufficiency
from ctxlab.log import TOOL_KINDS, FamilyLog
from ctxlab.replay._cache import UNREADABLE, cache_folder, discard, write_part
from ctxlab.replay.corpus import Advance, Logs, content_hashes
from ctxlab.residency import unrecorded_changes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SURVEY_VERSION", "Survey", "survey"]

SURVEY_VERSION = 6
"""Raised with any change of what a survey means: cached ones are then made anew."""

_PART_FAMILIES = 256
_OWN_KINDS = ("read", "grep", "shell")
_PARTS = ("transcripts", "changes", "reobtained", "sufficiency")


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """Frames over all families of a store.

    `transcripts` has one row a transcript: family, agent, started_ms, calls, calls and result
    bytes of each tool kind, tool_result_bytes, requests, new_input_tokens (uncached and written
    to the cache; null if unmeasured), delivered_pointers. `changes` counts changes of files that
    left no hunk, and the files, by family and evidence. `reobtained` has one row a served section,
    `sufficiency` one an answer (see `ctxlab.fallback`) of a context tool or, with `own`, of the
    agent's own tools, each judged as if it were one.
    """

    transcripts: pd.DataFrame
    changes: pd.DataFrame
    reobtained: pd.DataFrame
    sufficiency: pd.DataFrame
    tokens: TokenRate


def survey(store: Logs, advance: Advance = lambda families: None) -> Survey:
    """Survey all families of the store.

    Raises
    ------
    InputError
        If the store holds no family.
    """
    import pandas as pd

    hashes = content_hashes(store)
    folder = cache_folder(store, f"survey-{SURVEY_VERSION}")
    parts = _read(folder, hashes)
    known = {name for part in parts for name in part["transcripts"].family}
    missing = [name for name in hashes if name not in known]
    batch: list[dict[str, Any]] = []
    for log in store.iter_logs(missing) if missing else ():
        batch.append(_of_family(log))
        advance(1)
        if len(batch) == _PART_FAMILIES:
            parts.append(_write(folder, _joined(batch), hashes))
            batch = []
    if batch:
        parts.append(_write(folder, _joined(batch), hashes))
    order = {name: i for i, name in enumerate(hashes)}
    whole = {}
    for name in _PARTS:
        frame = pd.concat([part[name] for part in parts], ignore_index=True)
        ranked = frame.family.map(order)
        whole[name] = frame.iloc[np.argsort(ranked.to_numpy(), kind="stable")].reset_index(
            drop=True
        )
    # Parquet keeps no category that no row has.
    judged = whole["sufficiency"]
    judged["bucket"] = pd.Categorical(judged.bucket, categories=list(BUCKETS))
    per_family = whole["transcripts"].drop_duplicates("family")
    rate = token_rate(
        int(per_family.calibration_bytes.sum()), int(per_family.calibration_tokens.sum())
    )
    return Survey(**whole, tokens=rate)


def _of_family(log: FamilyLog) -> dict[str, pd.DataFrame]:
    import pandas as pd

    found = unrecorded_changes(log)
    changes = Counter(evidence for _, _, evidence in found)
    files = Counter(evidence for _, evidence in {(path, why) for _, path, why in found})
    return {
        "transcripts": _transcripts(log),
        "changes": pd.DataFrame(
            {
                "family": [log.family] * len(changes),
                "evidence": pd.array(list(changes), dtype="str"),
                "changes": np.array(list(changes.values()), np.int64),
                "files": np.array([files[why] for why in changes], np.int64),
            }
        ),
        "reobtained": reobtained(log).assign(family=log.family),
        "sufficiency": _sufficiency(log),
    }


def _sufficiency(log: FamilyLog) -> pd.DataFrame:
    """Answers of context tools, and apart those of the agent's own tools that show source."""
    import pandas as pd

    own = np.isin(log.calls.kind, [TOOL_KINDS.index(kind) for kind in _OWN_KINDS])
    names = [log.tools[tool] for tool in np.unique(log.calls.tool[own])]
    frames = [sufficiency(log).assign(own=False)]
    frames += [sufficiency(log, name).assign(own=True) for name in names]
    return pd.concat([f for f in frames if len(f)] or frames[:1]).assign(family=log.family)


def _transcripts(log: FamilyLog) -> pd.DataFrame:
    """Sizes by transcript; a request or pointer belongs to the transcript of its thread or call."""
    import pandas as pd

    n, calls, usage = len(log.sources), log.calls, log.usage

    def count(of: Any, weights: Any = None) -> Any:
        return np.bincount(of, weights=weights, minlength=n).astype(np.int64)

    measured = usage.uncached_input_tokens >= 0
    source = log.thread_source[usage.thread]
    # Agents whose provider does not bill cache writes apart have them in the uncached input.
    new_input = usage.uncached_input_tokens + np.maximum(usage.cache_write_tokens, 0)
    in_all = count(source[measured], new_input[measured]).astype(np.float64)
    in_all[count(source[measured]) == 0] = np.nan
    _, first = np.unique(log.pointers.pointer, return_index=True)
    n_bytes, n_tokens = calibrate(log)
    columns: dict[str, Any] = {
        "transcript": list(log.sources),
        "family": [log.family] * n,
        "agent": [log.recorded_by] * n,
        "started_ms": np.full(n, np.nan if log.started_ms is None else log.started_ms),
        "calls": count(calls.source),
        "tool_result_bytes": count(calls.source, calls.result_bytes),
        "requests": count(source),
        "new_input_tokens": in_all,
        "delivered_pointers": count(calls.source[log.pointers.call[first]]),
        "calibration_bytes": np.full(n, n_bytes, np.int64),
        "calibration_tokens": np.full(n, n_tokens, np.int64),
    }
    for code, kind in enumerate(TOOL_KINDS):
        own = calls.kind == code
        columns[f"{kind}_calls"] = count(calls.source[own])
        columns[f"{kind}_bytes"] = count(calls.source[own], calls.result_bytes[own])
    return pd.DataFrame(columns)


def _joined(batch: Iterable[Mapping[str, pd.DataFrame]]) -> dict[str, pd.DataFrame]:
    import pandas as pd

    batch = list(batch)
    return {name: pd.concat([part[name] for part in batch], ignore_index=True) for name in _PARTS}


def _write(
    folder: Path, part: dict[str, pd.DataFrame], hashes: Mapping[str, str]
) -> dict[str, pd.DataFrame]:
    names = part["transcripts"].family.unique().tolist()
    content = "\n".join(hashes[name] for name in names)
    part["transcripts"]["content_hash"] = part["transcripts"].family.map(dict(hashes))
    stem = blake2b(content.encode(), digest_size=12).hexdigest()
    # "transcripts" last: a part counts only when all of it is there.
    for name in (*_PARTS[1:], _PARTS[0]):
        frame = part[name]
        write_part(folder / f"{stem}.{name}.parquet", partial(frame.to_parquet, index=False))
    return part


def _read(folder: Path, hashes: Mapping[str, str]) -> list[dict[str, pd.DataFrame]]:
    """Parts of earlier surveys, cut to the families whose content has not changed."""
    import pandas as pd

    parts: list[dict[str, pd.DataFrame]] = []
    seen: set[str] = set()
    for path in sorted(folder.glob("*.transcripts.parquet")):
        stem = path.name.removesuffix(".transcripts.parquet")
        files = {name: folder / f"{stem}.{name}.parquet" for name in _PARTS}
        try:
            part = {name: pd.read_parquet(file) for name, file in files.items()}
            rows = part["transcripts"]
            current = set(rows.family[rows.content_hash == rows.family.map(dict(hashes))])
            kept = {name: frame[frame.family.isin(current - seen)] for name, frame in part.items()}
        except (*UNREADABLE, AttributeError):
            # A cache that cannot be read is no loss: its families are surveyed anew.
            current = set()
        if current:
            parts.append(kept)
            seen |= current
        else:
            for file in files.values():
                discard(file)
    return parts
