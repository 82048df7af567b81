"""Everything that a reader of a recommendation needs to doubt it."""

from __future__ import annotations

import platform
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

from ctxlab.export import mushroomdb, sqlite_graphrag
from ctxlab.lab._dedup_sweep import DedupSweep
from ctxlab.lab._recall_sweep import RecallSweep
from ctxlab.lab._surface_sweep import SurfaceSweep
from ctxlab.lab._sweep import Sweep
from ctxlab.store import Store
from ctxlab.tune import MIN_FAMILIES, Choice, FloorChoice, SurfaceChoice, families_with_use_needed

__all__ = ["CAVEATS", "dedup_certificate", "recall_certificate", "surface_certificate"]

CAVEATS = (
    "A replay bounds what could be banked; it does not show what the agent would have done.",
    "No certificate of task quality: fewer bytes may still cost answers.",
    "A tool that spends the freed characters on other files keeps its answers' size.",
    "Names of symbols in a pointer are not in the logs: pointers cost up to five names more.",
    "Only what the replayed tools delivered counts as held; copies by other tools are ignored.",
)


def dedup_certificate(
    store: Store, sweep: DedupSweep, choice: Choice, objective: str, constraint: int
) -> dict[str, Any]:
    """Data, method and result of a choice of dedup parameters, as plain values."""
    table = sweep.table
    transcripts = sweep.survey.transcripts
    return {
        "policy": "dedup",
        "result": choice.as_dict(),
        "data": {
            **_data(store, sweep),
            "touched_bytes": float(table.metric("touched_bytes")[0].sum()),
            "tool_result_bytes": int(transcripts.tool_result_bytes.sum()),
        },
        "method": {
            "split": _SPLIT,
            "objective": objective,
            "harmful_pointers_allowed": constraint,
            "families_needed_in_each_half": MIN_FAMILIES,
            "tools": list(sweep.tools),
            "cells": len(table.cells),
            "proofs": sorted({cell.proof for cell in table.cells}),
            "interval": _INTERVAL,
            "known": "bounded: replay of recorded transcripts",
        },
        "versions": _versions(),
        "caveats": list(CAVEATS),
    }


def recall_certificate(store: Store, sweep: RecallSweep, choice: FloorChoice) -> dict[str, Any]:
    """Data, method and result of a choice of recall parameters, as plain values."""
    fixed = {name: int(values.sum()) for name, values in sweep.table.fixed.items()}
    return {
        "policy": "recall",
        "result": choice.as_dict(),
        "signal": sweep.signal().as_dict(),
        "warnings": list(sweep.signal().warnings),
        "data": {
            **_data(store, sweep),
            "graph": sweep.graph,
            "graphs": sweep.graphs().to_dict("records"),
            "prompts": fixed["prompts"],
            "prompts_before_a_graph": fixed["unanswerable"],
        },
        "method": {
            "split": _SPLIT,
            "keep_used_pointers_share": choice.keep,
            "families_that_print_needed_in_each_half": MIN_FAMILIES,
            "families_with_use_needed_in_each_half": families_with_use_needed(choice.keep),
            "cells": len(sweep.table.cells),
            "interval": _INTERVAL,
            "signal_interval": "95 %, jackknife over families, t on the logit scale",
            "used": "opened, edited or quoted by the agent before the next prompt",
            "known": "measured: replay of recorded prompts, and use as the logs show it",
        },
        "versions": _versions(),
        "caveats": list(mushroomdb.CAVEATS),
    }


def surface_certificate(
    store: Store,
    sweep: SurfaceSweep,
    choice: SurfaceChoice,
    objective: str,
    max_harmed: int,
    tool: str | None = None,
) -> dict[str, Any]:
    """Data, method and result of a choice of limits on JSON answers, as plain values.

    Of `tool` alone if it is given, else of all tools of the sweep.
    """
    table = sweep.table if tool is None else sweep.table.by_tool(tool)
    fixed = {name: int(values.sum()) for name, values in table.fixed.items()}
    return {
        "policy": "surface",
        "result": choice.as_dict(),
        "data": {
            **_data(store, sweep),
            "tools": list(table.tools),
            "is_of_all_tools": tool is None and sweep.only is None,
            **fixed,
        },
        "method": {
            "split": _SPLIT,
            "objective": objective,
            "harmed_answers_allowed": max_harmed,
            "families_needed_in_each_half": MIN_FAMILIES,
            "cells": len(table.cells),
            "interval": _INTERVAL,
            "witness": "id, path, number or name that a later call of the thread quotes and that "
            "the agent knew from the answer alone",
            "known": "measured: recorded answers reshaped; harm is bounded from below by witnesses",
        },
        "versions": _versions(),
        "caveats": list(sqlite_graphrag.CAVEATS),
    }


_SPLIT = "earlier half of the dated families and all undated choose, later half judges"
_INTERVAL = "95 %, bootstrap-t over families; t interval below 40 of them"


def _data(store: Store, sweep: Sweep) -> dict[str, Any]:
    """What was replayed; the hash changes with the content of any transcript."""
    hashes = sorted(family.content_hash for family in store.families())
    return {
        "hash": blake2b("\n".join(hashes).encode(), digest_size=16).hexdigest(),
        "transcripts": len(set(sweep.table.transcripts)),
        "families": len(sweep.table.families),
        "agents": sorted(sweep.survey.transcripts.agent.unique().tolist()),
    }


def _versions() -> dict[str, str]:
    return {
        "ctxlab": version("ctxlab"),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "duckdb", "pyarrow")},
    }
