"""Settings in the form each real tool reads. One module a target; each entry writes its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ctxlab.dedup.params import Dedup
from ctxlab.export import codegraph, json

__all__ = ["TARGETS", "Export"]

Export = Callable[[Dedup | None, Mapping[str, Any], Path], tuple[Path, ...]]
"""(parameters or None for "none", certificate, folder) → files written."""

TARGETS: Mapping[str, Export] = {"codegraph": codegraph.export, "json": json.export}
"""All export targets by name."""
