"""A recommendation as one JSON file: parameters, certificate, caveats."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxlab.export._files import write_json
from ctxlab.params import ParamSet

__all__ = ["export", "write"]


def export(
    params: ParamSet | None, certificate: Mapping[str, Any], folder: Path
) -> tuple[Path, ...]:
    """Write `recommendation.json`; its `parameters` are null when nothing is recommended."""
    return (write(params, certificate, folder / "recommendation.json"),)


def write(params: ParamSet | None, certificate: Mapping[str, Any], path: Path) -> Path:
    """Write the same into a file of any name."""
    content = {"parameters": params.as_dict() if params else None, **certificate}
    return write_json(path, content)
