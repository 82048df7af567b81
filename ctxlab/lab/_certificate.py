"""Everything that a reader of a recommendation needs to doubt it."""

from __future__ import annotations

import platform
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

from ctxlab.lab._dedup_sweep import DedupSweep
from ctxlab.store import Store
from ctxlab.tune import MIN_FAMILIES, Choice

__all__ = ["certificate"]

CAVEATS = (
    "A replay bounds what could be banked; it does not show what the agent would have done.",
    "No certificate of task quality: fewer bytes may still cost answers.",
    "A tool that spends the freed characters on other files keeps its answers' size.",
    "Names of symbols in a pointer are not in the logs: pointers cost up to five names more.",
    "Only what the replayed tools delivered counts as held; copies by other tools are ignored.",
)


def certificate(
    store: Store, sweep: DedupSweep, choice: Choice, objective: str, constraint: int
) -> dict[str, Any]:
    """Data, method and result as plain values.

    The data hash changes with the content of any transcript.
    """
    families = store.families()
    hashes = sorted(family.content_hash for family in families)
    table = sweep.table
    transcripts = sweep.survey.transcripts
    return {
        "result": choice.as_dict(),
        "data": {
            "hash": blake2b("\n".join(hashes).encode(), digest_size=16).hexdigest(),
            "transcripts": len(table.transcripts),
            "families": len(table.families),
            "agents": sorted(transcripts.agent.unique().tolist()),
            "touched_bytes": float(table.metric("touched_bytes")[0].sum()),
            "tool_result_bytes": int(transcripts.tool_result_bytes.sum()),
        },
        "method": {
            "split": "earlier half of the dated families and all undated choose, later half judges",
            "objective": objective,
            "harmful_pointers_allowed": constraint,
            "families_needed_in_each_half": MIN_FAMILIES,
            "tools": list(sweep.tools),
            "cells": len(table.cells),
            "proofs": sorted({cell.proof for cell in table.cells}),
            "interval": "95 %, bootstrap-t over families; t interval below 40 of them",
            "known": "bounded: replay of recorded transcripts",
        },
        "versions": {
            "ctxlab": version("ctxlab"),
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "duckdb", "pyarrow")},
        },
        "caveats": list(CAVEATS),
    }
