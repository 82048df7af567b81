"""Only some of the tools that answer in JSON."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

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
            raise ParameterError(f"`tool` must be one of {_known(table, name)}, got {name!r}")
    codes = [table.tools.index(name) for name in wanted]
    return table.of_columns(np.flatnonzero(np.isin(table.tool_of, codes)))


def _known(table: SurfaceTable, name: str) -> str:
    """Names of some tools, those like `name` first."""
    near = [tool for tool in table.tools if name.lower() in tool.lower()]
    ranked = list(dict.fromkeys([*near, *get_close_matches(name, table.tools), *table.tools]))
    shown = ", ".join(" ".join(tool.split()) for tool in ranked[:_MOST_NAMED])
    more = len(ranked) - _MOST_NAMED
    if more > 0:
        shown += f" and {more:,} more"
    return shown or "none, for no tool answers in JSON"


_MOST_NAMED = 12
