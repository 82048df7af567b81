"""Settings in the form each real tool reads. One module a target; each entry writes its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ctxlab.dedup.params import Dedup
from ctxlab.export import codegraph, json, mushroomdb, sqlite_graphrag
from ctxlab.params import ParamSet
from ctxlab.recall.params import Recall
from ctxlab.surface.params import Surface

__all__ = ["TARGETS", "TOOLS", "Export"]

Export = Callable[[ParamSet | None, Mapping[str, Any], Path], tuple[Path, ...]]
"""(parameters or None for "none", certificate, folder) → files written."""

TARGETS: Mapping[str, Export] = {
    "codegraph": codegraph.export,
    "json": json.export,
    "mushroomdb": mushroomdb.export,
    "sqlite-graphrag": sqlite_graphrag.export,
}
"""All export targets by name; those of a tool refuse the parameters of another policy."""

TOOLS: Mapping[type[ParamSet], str] = {
    Dedup: "codegraph",
    Recall: "mushroomdb",
    Surface: "sqlite-graphrag",
}
"""The target that is the real tool of each policy."""
