"""A grid of surface parameters over facts. A sweep never shapes anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError
from ctxlab.log import ANSWER_FORMS, Bigs, Ints
from ctxlab.replay.surface_scores import (
    SURFACE_METRICS,
    changed_answers,
    columns_of,
    fixed_surface_scores,
    rearranged,
    surface_scores,
)
from ctxlab.replay.table import SweepTable, Table, grid_points
from ctxlab.surface.decide import decide, out_of_step, prepare
from ctxlab.surface.facts import SurfaceFacts
from ctxlab.surface.params import Surface, arrangement

__all__ = ["SurfaceCell", "SurfaceTable", "hazards", "surface_cells", "sweep_surface"]


@dataclass(frozen=True, slots=True)
class SurfaceCell:
    """One point of a sweep: the tool's parameters."""

    params: Surface

    def as_dict(self) -> dict[str, Any]:
        """Parameters by name."""
        return self.params.as_dict()


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceTable(SweepTable[SurfaceCell]):
    """Scores of all cells by transcript and tool: a column each, one if it has no answer.

    `tools` are all tools, those with the most recorded bytes first; `tool_of` gives each column's
    index among them, -1 without any.
    """

    tools: tuple[str, ...]
    tool_of: Ints

    def of_columns(self, keep: Sequence[int] | npt.NDArray[np.integer]) -> Self:
        """Only some of the columns, in their order, the families and the tools that have one."""
        at = np.unique(np.array(keep, dtype=np.int64))
        tools = np.unique(self.tool_of[at])
        tools = tools[tools >= 0]
        tool_of = np.where(self.tool_of[at] < 0, -1, np.searchsorted(tools, self.tool_of[at]))
        return replace(
            SweepTable.of_columns(self, at),
            tools=tuple(self.tools[i] for i in tools),
            tool_of=tool_of.astype(np.int32),
        )

    def by_tool(self, tool: str) -> Self:
        """Only one tool's columns, and the families that had an answer of it.

        Raises
        ------
        ParameterError
            If there is no such tool.
        """
        if tool not in self.tools:
            raise ParameterError(f"no tool `{tool}`; known: {', '.join(self.tools) or 'none'}")
        return self.of_columns(np.flatnonzero(self.tool_of == self.tools.index(tool)))


def surface_cells(base: Surface, grid: Mapping[str, Iterable[Any]]) -> tuple[SurfaceCell, ...]:
    """All combinations of the grid's values, the other parameters as in `base`.

    Raises
    ------
    ParameterError
        If a name is no parameter of the policy, a value is out of bounds, or a list is empty.
    """
    return tuple(
        SurfaceCell(Surface.of(**{**base.as_dict(), **point})) for point in grid_points(grid)
    )


def sweep_surface(
    facts_of: Callable[[Surface], SurfaceFacts],
    grid: Sequence[SurfaceCell],
    advance: Callable[[int], None] = lambda cells: None,
) -> SurfaceTable:
    """Score each cell; what does not depend on a number is found once an arrangement of rows.

    Parameters
    ----------
    facts_of : callable
        Gives the facts for an arrangement, of the same answers for all.
    grid : sequence of SurfaceCell
        At least one.
    advance : callable
        Told of each cell that is done.

    Raises
    ------
    ParameterError
        If there is no cell.
    """
    if not grid:
        raise ParameterError("a sweep needs at least one cell, got none")
    places: dict[Surface, list[int]] = {}
    for at, cell in enumerate(grid):
        places.setdefault(arrangement(cell.params), []).append(at)
    values: dict[str, Table] = {}
    for setting, own in places.items():
        facts = facts_of(setting)
        prepared, columns, moved = prepare(facts), columns_of(facts), rearranged(facts, setting)
        for at in own:
            made = decide(facts, grid[at].params, prepared)
            for name, scores in surface_scores(facts, made, columns, moved).items():
                if name not in values:
                    values[name] = np.empty((len(grid), len(scores)))
                values[name][at] = scores
            advance(1)
    fixed = fixed_surface_scores(facts, columns)
    order = _by_size(columns.tool, fixed["recorded_bytes"], len(facts.tools))
    rank = np.append(np.argsort(order), -1).astype(np.int32)  # the last is that of no tool
    return SurfaceTable(
        tuple(grid),
        tuple(facts.transcripts[i] for i in columns.transcript),
        facts.families,
        facts.family_of_transcript[columns.transcript],
        fixed,
        values,
        SURFACE_METRICS,
        tuple(facts.tools[i] for i in order),
        rank[columns.tool],
    )


def _by_size(tool_of: Ints, sizes: Table, n_tools: int) -> npt.NDArray[np.int64]:
    """Tools by the size of their columns, largest first."""
    own = tool_of >= 0
    total = np.bincount(tool_of[own], weights=sizes[own], minlength=n_tools)
    return np.argsort(-total, kind="stable")


def hazards(
    facts: SurfaceFacts,
    budgets: Sequence[int],
    base: Surface,
    tools: Sequence[str] | None = None,
) -> dict[str, Bigs]:
    """Count what a byte ceiling does to answers beside saving, at each of some ceilings.

    Parameters
    ----------
    facts : SurfaceFacts
        For the arrangement of `base`.
    budgets : sequence of int
        Values of `max_output_bytes`, each larger than the one before.
    base : Surface
        The other parameters.
    tools : sequence of str, optional
        Count answers of these alone.

    Returns
    -------
    dict of str to array
        One entry a budget: `max_output_bytes`, `json_answers`, and how many of them are changed,
        stubs or hold one, have grown, or are over the budget. `non_monotonic` holds for all
        ceilings up to the budget that the one before has not reached, swept or not: it counts
        answers of which at one of them a value keeps fewer rows than at some smaller ceiling,
        where a search by halves would go wrong.

    Raises
    ------
    ParameterError
        If there is no budget, one is 0 (off), or they do not ascend.
    """
    if not budgets or budgets[0] < 1 or any(b <= a for a, b in pairwise(budgets)):
        raise ParameterError(
            "`budgets` must be byte ceilings of 1 or more, each larger than the one before, got "
            f"{list(budgets)}"
        )
    prepared, moved = prepare(facts), rearranged(facts, base)
    whole = facts.answers.form == ANSWER_FORMS.index("json")
    if tools is not None:
        own = [i for i, name in enumerate(facts.tools) if name in tools]
        whole &= np.isin(facts.answers.tool, own)
    turns, ends = out_of_step(prepared, base)
    before = 0
    columns: dict[str, list[int]] = {}
    for budget in budgets:
        params = Surface.of(**{**base.as_dict(), "max_output_bytes": budget})
        made = decide(facts, params, prepared)
        counted = {
            "changed_answers": changed_answers(facts, made, moved),
            "stubs": made.stubs > 0,
            "grown": made.grown,
            "over_budget": made.over_budget,
            "non_monotonic": np.bincount(
                facts.shapes.value_answer,
                weights=(turns < ends) & (turns <= budget) & (ends - 1 > before),
                minlength=len(whole),
            )
            > 0,
        }
        before = budget
        row = {name: int((which & whole).sum()) for name, which in counted.items()}
        found = {"max_output_bytes": budget, "json_answers": int(whole.sum()), **row}
        for name, count in found.items():
            columns.setdefault(name, []).append(count)
    return {name: np.array(counts, np.int64) for name, counts in columns.items()}
