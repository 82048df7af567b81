"""Limits of JSON answers to ship, in all or a tool: chosen on earlier families, judged on later.

What is promised rests on witnesses: what a later call quoted and the agent knew from that answer
alone. What an agent used without quoting it leaves no trace, so witnesses bound the harm from below
only. However many cells there are, they are compared on the earlier families alone, and the one
that wins there is judged once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError
from ctxlab.estimate import ShareInterval, share_interval, upper_rate
from ctxlab.replay import SurfaceCell, SurfaceTable
from ctxlab.surface.params import NUMERIC, Surface
from ctxlab.tune._choice import Aim, CellChoice, check, choose
from ctxlab.tune._halves import MIN_FAMILIES, Split, best_allowed, refuted_by_harm, unsure_saving
from ctxlab.words import counted

__all__ = [
    "SurfaceChoice",
    "SurfaceJudgement",
    "best_at_prices",
    "frontier",
    "recommend_by_tool",
    "recommend_surface",
]

_OBJECTIVES = ("saved_bytes", "priced_bytes")


@dataclass(frozen=True, slots=True)
class SurfaceJudgement:
    """What some families say of one cell.

    `saved_share` is saved bytes of the bytes of the answers printed compactly. `answers` are those
    that held JSON; of them `changed_answers` lose anything, `witnessed_answers` show something that
    a later call quoted and that the agent knew from them alone, and `harmed_answers` lose that.
    `harmed_families_upper` bounds, at 95 %, the share of the families with a witnessed answer in
    which at least one would be harmed; None without any. In the others harm cannot be seen.
    """

    saved_share: ShareInterval
    saved_bytes: float
    priced_bytes: float
    canonical_bytes: float
    answers: int
    changed_answers: int
    witnessed_answers: int
    lossy_answers: int
    harmed_answers: int
    families_with_changes: int
    families_with_witnesses: int
    harmed_families_upper: float | None


SurfaceChoice = CellChoice[SurfaceCell, SurfaceJudgement]
"""A cell of surface to ship, or none."""


def recommend_surface(
    table: SurfaceTable,
    started_ms: Sequence[int | None],
    *,
    objective: str = "saved_bytes",
    max_harmed: int = 0,
) -> SurfaceChoice:
    """Choose the cell with the largest objective among those within the constraint, and judge it.

    Where hardly a family quotes anything harm cannot be seen, and any cut would pass: then there is
    no choice. Each half needs `MIN_FAMILIES` that have answers, and as many with a witness. Among
    equals the more careful cell wins: the one that leaves rows as they are, then the larger
    byte ceiling, limit of rows and length of texts; 0, which is off, is the largest.

    Parameters
    ----------
    table : SurfaceTable
        The cells to choose among, of all tools or of one.
    started_ms : sequence of length n_families
        Start of each family, in the order of `table.families`.
    objective : {"saved_bytes", "priced_bytes"}
        What to make large.
    max_harmed : int
        Most harmed answers on the choosing families, and again on the judging ones.

    Raises
    ------
    ParameterError
        If there is no cell, the objective is unknown, the constraint negative, or the starts are
        not one a family.
    """
    if not table.cells:
        raise ParameterError("a choice needs at least one cell, got none")
    check("max_harmed", max_harmed, objective, _OBJECTIVES)
    if len(started_ms) != len(table.families):
        raise ParameterError(
            f"`started_ms` must have one start a family, got {len(started_ms)} for "
            f"{len(table.families)}"
        )
    return choose(_AIM, table, started_ms, objective, max_harmed)


def recommend_by_tool(
    table: SurfaceTable,
    started_ms: Sequence[int | None],
    *,
    objective: str = "saved_bytes",
    max_harmed: int = 0,
) -> dict[str, SurfaceChoice]:
    """Choose and judge for each tool by itself, in the order of `table.tools`.

    Only families that had an answer of the tool take part, so that its halves are its own. Each
    tool is one more chance to be confirmed by luck: of twenty tools with nothing to save, one
    saving in later families is to be expected at 95 %.

    Raises
    ------
    ParameterError
        As `recommend_surface`.
    """
    starts = dict(zip(table.families, started_ms, strict=True))
    choices = {}
    for tool in table.tools:
        own = table.by_tool(tool)
        choices[tool] = recommend_surface(
            own,
            [starts[family] for family in own.families],
            objective=objective,
            max_harmed=max_harmed,
        )
    return choices


def frontier(table: SurfaceTable) -> npt.NDArray[np.bool_]:
    """Tell which cells no other beats: none saves as much and harms less, or saves more for that.

    Cells that are equal in both stay together.

    Returns
    -------
    array of shape (n_cells,)
    """
    saved, harmed = (table.metric(name).sum(axis=1) for name in ("saved_bytes", "harmed_answers"))
    order = np.lexsort((harmed, -saved))
    best = np.minimum.accumulate(harmed[order])
    level = np.r_[True, np.diff(saved[order]) != 0][: len(order)]
    first = np.maximum.accumulate(np.where(level, np.arange(len(order)), 0))
    # The least harm of those that save more, which stand before the first that saves as much.
    before = np.where(first > 0, best[first - 1], np.inf)
    kept = np.empty(len(order), bool)
    kept[order] = (harmed[order] == best) & (harmed[order] < before)
    return kept


def best_at_prices(table: SurfaceTable, allowed: Sequence[int]) -> list[int | None]:
    """Find for each number of harmed answers the cell that saves most bytes and harms no more.

    All families choose and none judge: what is found shows a price, and is nothing to ship. Among
    equals the cell that harms fewest wins, then the more careful one.

    Returns
    -------
    list of int or None
        Indices of cells; None where none that harms so few saves anything.
    """
    saved, harmed = (table.metric(name).sum(axis=1) for name in ("saved_bytes", "harmed_answers"))

    def care(cell: int) -> tuple[float, ...]:
        return (-float(harmed[cell]), *_care(table.cells[cell]))

    return [best_allowed(saved, harmed, most, care) for most in allowed]


def _blind(table: SurfaceTable, split: Split) -> str:
    """Why these families cannot show harm, empty if they can."""
    witnessed = table.by_family("witnessed_answers")[0] > 0
    earlier, later = (int((witnessed & half).sum()) for half in (split.chooses, split.judges))
    if min(earlier, later) >= MIN_FAMILIES:
        return ""
    return (
        f"these logs cannot tell what would be missed: in {earlier} earlier and {later} later "
        "families a call quoted what the agent knew from such an answer alone, at least "
        f"{MIN_FAMILIES} each are needed"
    )


def _care(cell: SurfaceCell) -> tuple[float, ...]:
    """Order of care among equals."""
    params, declared = cell.params, Surface.params()
    arranged = sum(
        getattr(params, name) != declared[name].default for name in declared if name not in NUMERIC
    )
    limits = (params.max_output_bytes, params.max_items, params.truncate_content)
    return (-arranged, len(params.select), *(limit or float("inf") for limit in limits))


def _why_none(gain: npt.NDArray[Any], harm: npt.NDArray[Any], limit: int) -> str:
    is_one, saves = len(gain) == 1, gain > 0
    if not saves.any():
        nothing = "it saves nothing" if is_one else "no setting saves anything"
        return f"{nothing} on the earlier transcripts"
    every, least = ("it", "") if is_one else ("every setting that saves anything", "at the least ")
    return (
        f"{every} removes what was used later: {least}"
        f"{counted(harm[saves].min(), 'harmed answer')} on the earlier transcripts, "
        f"{limit} allowed"
    )


def _judge(table: SurfaceTable, cell: int, families: npt.NDArray[np.bool_]) -> SurfaceJudgement:
    one = table.select([cell])

    def by_family(name: str) -> npt.NDArray[np.float64]:
        scores: npt.NDArray[np.float64] = one.by_family(name)[0][families]
        return scores

    def total(name: str) -> int:
        return int(by_family(name).sum())

    saved, canonical = by_family("saved_bytes"), by_family("canonical_bytes")
    witnessed = int((by_family("witnessed_answers") > 0).sum())
    harmed = int((by_family("harmed_answers") > 0).sum())
    return SurfaceJudgement(
        saved_share=share_interval(saved, canonical),
        saved_bytes=float(saved.sum()),
        priced_bytes=float(by_family("priced_bytes").sum()),
        canonical_bytes=float(canonical.sum()),
        answers=total("json_answers"),
        changed_answers=total("changed_answers"),
        witnessed_answers=total("witnessed_answers"),
        lossy_answers=total("lossy_answers"),
        harmed_answers=total("harmed_answers"),
        families_with_changes=int((by_family("changed_answers") > 0).sum()),
        families_with_witnesses=witnessed,
        harmed_families_upper=upper_rate(harmed, witnessed),
    )


def _refutations(judged: SurfaceJudgement, max_harmed: int) -> tuple[str, ...]:
    of = counted(judged.changed_answers, "changed answer")
    return (
        *refuted_by_harm(judged.harmed_answers, of, "lack what was used later", max_harmed),
        *unsure_saving(judged.saved_share, "saved"),
    )


_AIM: Final = Aim(
    of="canonical_bytes",
    nothing="nothing answered in JSON here: there is nothing to cut",
    harm="harmed_answers",
    care=_care,
    judge=_judge,
    why_none=_why_none,
    refutations=_refutations,
    blind=_blind,
)
