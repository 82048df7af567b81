"""Sweeps of surface over a few answers whose use is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from ctxlab.economics import TokenRate
from ctxlab.lab import SurfaceSweep
from ctxlab.lab._surface_tools import only_tools
from ctxlab.replay import Survey, surface_cells, sweep_surface
from ctxlab.surface.build import AnswerRow
from ctxlab.surface.params import Surface
from tests.replay.surface_worlds import GRAPH, answer, every_day, facts


def answers(n: int) -> list[AnswerRow]:
    """Families that each quote the first and the seventh of ten rows, and ask a second tool."""
    return [
        row
        for at in range(n)
        for row in (
            answer(2 * at, [0, 6], family=at, requests=3),
            answer(2 * at + 1, family=at, tool=GRAPH, rows=2),
        )
    ]


def surface_sweep(
    rows: Sequence[AnswerRow] | None = None,
    *,
    base: Surface | None = None,
    tool: str | None = None,
    **grid: Any,
) -> SurfaceSweep:
    """A sweep with one family a transcript; three of them unless given."""
    rows = answers(3) if rows is None else rows

    def facts_of(setting: Surface) -> Any:
        return facts(rows, setting)

    whole = facts_of(Surface())
    table = sweep_surface(facts_of, surface_cells(base or Surface(), grid))
    sizes = pd.DataFrame(
        {
            "transcript": whole.transcripts,
            "tool_result_bytes": 20_000,
            "new_input_tokens": 50_000,
        }
    )
    nothing = pd.DataFrame()
    survey = Survey(sizes, nothing, nothing, nothing, TokenRate(4.0, "modelled", 1000))
    return SurfaceSweep(
        only_tools(table, tool), survey, facts_of, whole, every_day(len(whole.families))
    )


def three_knobs(**changes: Any) -> SurfaceSweep:
    """Rows, characters and bytes."""
    grid = {
        "max_items": (0, 2, 8),
        "truncate_content": (0, 10),
        "max_output_bytes": (0, 64, 500),
    }
    return surface_sweep(**{**grid, **changes})
