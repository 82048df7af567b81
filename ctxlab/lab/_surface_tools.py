"""Only some of the tools that answer in JSON."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ctxlab.errors import ParameterError
from ctxlab.replay import SurfaceTable

__all__ = ["only_tools"]


def only_tools(table: SurfaceTable, tool: str | Iterable[str] | None) -> SurfaceTable:
    """Restrict a table to some tools, and the families that had an answer of one; None: all.

    Raises
    ------
    ParameterError
        A name is no tool's.
    """
    if tool is None:
        return table
    wanted = dict.fromkeys([tool] if isinstance(tool, str) else tool)
    for name in wanted:
        if name not in table.tools:
            known = (
                ", ".join(" ".join(known.split()) for known in table.tools)
                or "none, for no tool answers in JSON"
            )
            raise ParameterError(f"`tool` must be one of {known}, got {name!r}")
    codes = [table.tools.index(name) for name in wanted]
    return table.of_columns(np.flatnonzero(np.isin(table.tool_of, codes)))
