"""Settings of dedup to ship: chosen on earlier families, judged on later ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ctxlab.estimate import ShareInterval, share_interval, upper_rate
from ctxlab.replay import Cell, DedupTable
from ctxlab.tune._choice import Aim, CellChoice, check, choose
from ctxlab.tune._halves import refuted_by_harm, split_by_time, unsure_saving
from ctxlab.words import counted

__all__ = ["Choice", "Judgement", "gain_over", "recommend"]

_OBJECTIVES = ("net_bytes", "withheld_bytes")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What some families say of one cell.

    `net_share` is net bytes of touched bytes. `harmful_families_upper` bounds, at 95 %, the share
    of the families with a pointer in which at least one would be harmful; None without any.
    """

    net_share: ShareInterval
    net_bytes: float
    touched_bytes: float
    pointers: int
    harmful_pointers: int
    families_with_pointers: int
    harmful_families_upper: float | None


Choice = CellChoice[Cell, Judgement]
"""A cell of dedup to ship, or none."""


def recommend(
    table: DedupTable,
    started_ms: Sequence[int | None],
    *,
    objective: str = "net_bytes",
    max_harmful_pointers: int = 0,
) -> Choice:
    """Choose the cell with the largest objective among those within the constraint, and judge it.

    Among equals the more careful cell wins: the longer shortest run, then the shorter horizon.

    Parameters
    ----------
    table : DedupTable
        The cells to choose among.
    started_ms : sequence of length n_families
        Start of each family, in the order of `table.families`.
    objective : {"net_bytes", "withheld_bytes"}
        What to make large.
    max_harmful_pointers : int
        Constraint, on the choosing and again on the judging families.

    Raises
    ------
    ParameterError
        If the objective is unknown or the constraint negative.
    """
    check("max_harmful_pointers", max_harmful_pointers, objective, _OBJECTIVES)
    return choose(_AIM, table, started_ms, objective, max_harmful_pointers)


def gain_over(
    choice: Choice,
    table: DedupTable,
    other: Choice,
    other_table: DedupTable,
    started_ms: Sequence[int | None],
) -> ShareInterval | None:
    """How much more one recommendation nets than another, on the judging families.

    Paired by family: net bytes of the one less those of the other, of touched bytes. A choice
    that recommends nothing nets nothing.

    Parameters
    ----------
    table, other_table : DedupTable
        What was chosen among, over the same transcripts.

    Returns
    -------
    ShareInterval
        None if the families were too few to choose and judge at all.
    """
    touched = table.by_family("touched_bytes")[0]
    split = split_by_time(started_ms, _AIM.takes_part(table))
    if split.too_few():
        return None
    ours, theirs = (_recommended_net(c, t) for c, t in ((choice, table), (other, other_table)))
    return share_interval((ours - theirs)[split.judges], touched[split.judges])


def _recommended_net(choice: Choice, table: DedupTable) -> npt.NDArray[np.float64]:
    """Net bytes a family under what is recommended; 0 if that is nothing."""
    if choice.status != "recommended" or choice.cell is None:
        return np.zeros(len(table.families))
    at = table.cells.index(choice.cell)
    net: npt.NDArray[np.float64] = table.select([at]).by_family("net_bytes")[0]
    return net


def _care(cell: Cell) -> tuple[float, float]:
    """Order of care among equals."""
    view = cell.params.view_calls
    return cell.params.min_covered_lines, -(float("inf") if view is None else view)


def _why_none(gain: npt.NDArray[Any], harm: npt.NDArray[Any], limit: int) -> str:
    every = "it points" if len(harm) == 1 else "every setting points"
    least = "" if len(harm) == 1 else "at the least "
    if np.all(harm > limit):
        return (
            f"{every} at lines that are not in the context: {least}"
            f"{counted(harm.min(), 'harmful pointer')} on the earlier transcripts, {limit} allowed"
        )
    return "no setting within the constraint saves anything on the earlier transcripts"


def _judge(table: DedupTable, cell: int, families: npt.NDArray[np.bool_]) -> Judgement:
    one = table.select([cell])
    net, touched, pointers, harmful = (
        one.by_family(name)[0][families]
        for name in ("net_bytes", "touched_bytes", "pointers", "harmful_pointers")
    )
    pointed = int((pointers > 0).sum())
    return Judgement(
        net_share=share_interval(net, touched),
        net_bytes=float(net.sum()),
        touched_bytes=float(touched.sum()),
        pointers=int(pointers.sum()),
        harmful_pointers=int(harmful.sum()),
        families_with_pointers=pointed,
        harmful_families_upper=upper_rate(int((harmful > 0).sum()), pointed),
    )


def _refutations(judged: Judgement, max_harmful_pointers: int) -> tuple[str, ...]:
    of = counted(judged.pointers, "pointer")
    return (
        *refuted_by_harm(judged.harmful_pointers, of, "be harmful", max_harmful_pointers),
        *unsure_saving(judged.net_share, "net"),
    )


_AIM: Final = Aim(
    of="touched_bytes",
    harm="harmful_pointers",
    care=_care,
    judge=_judge,
    why_none=_why_none,
    refutations=_refutations,
)
