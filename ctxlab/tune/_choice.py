"""One cell of a sweep to ship, or none: chosen on the earlier families, judged on the later ones.

What a policy has of its own, what it makes large, what it must not harm and how it says so, is its
`Aim`. The judging families have no part in the choice. If they refute it the answer is "none";
nothing is chosen again with a look at them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError
from ctxlab.replay import SweepTable
from ctxlab.tune._halves import Split, best_allowed, split_by_time, undated

__all__ = ["Aim", "CellChoice", "check", "choose"]

ParamsT_co = TypeVar("ParamsT_co", covariant=True)


class _Cell(Protocol[ParamsT_co]):
    """One point of a sweep."""

    @property
    def params(self) -> ParamsT_co:
        """Parameters of the tool."""

    def as_dict(self) -> dict[str, Any]:
        """All that names the cell."""


CellT = TypeVar("CellT", bound=_Cell[Any])
CellT_co = TypeVar("CellT_co", bound=_Cell[Any], covariant=True)
TableT = TypeVar("TableT", bound=SweepTable[Any])
JudgementT = TypeVar("JudgementT")
JudgementT_co = TypeVar("JudgementT_co", covariant=True)


@dataclass(frozen=True)  # with slots an alias that fills in the types could not be called
class CellChoice(Generic[CellT_co, JudgementT_co]):
    """The answer: a cell to ship, or none, with the reasons.

    `cell` is the one chosen on the earlier families, None if no cell met the constraint there.
    `status` is "recommended" only if the later families confirm it.
    """

    status: Literal["recommended", "none"]
    cell: CellT_co | None
    chosen_on: JudgementT_co | None
    judged_on: JudgementT_co | None
    reasons: tuple[str, ...]

    @property
    def params(self: CellChoice[_Cell[ParamsT_co], Any]) -> ParamsT_co | None:
        """Parameters of the cell, recommended or not."""
        return self.cell.params if self.cell else None

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        chosen_on: Any = self.chosen_on
        judged_on: Any = self.judged_on
        return {
            "status": self.status,
            "parameters": self.cell.as_dict() if self.cell else None,
            "chosen_on": asdict(chosen_on) if chosen_on else None,
            "judged_on": asdict(judged_on) if judged_on else None,
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Aim(Generic[CellT, TableT, JudgementT]):
    """What a policy makes large and must not harm, and how it says so.

    Families with any of the metric `of` take part; `nothing` is said where none does. `care` orders
    cells that gain the same, the most careful last; `harm` is the metric that a limit is set to.
    `blind` says why the families cannot show harm, and `why_none` why no cell gains within the
    limit; `judge` looks at one cell on some families, `refutations` says what speaks against it.
    """

    of: str
    harm: str
    care: Callable[[CellT], tuple[float, ...]]
    judge: Callable[[TableT, int, npt.NDArray[np.bool_]], JudgementT]
    why_none: Callable[[npt.NDArray[Any], npt.NDArray[Any], int], str]
    refutations: Callable[[JudgementT, int], tuple[str, ...]]
    blind: Callable[[TableT, Split], str] = lambda table, split: ""
    nothing: str = ""

    def takes_part(self, table: TableT) -> npt.NDArray[np.bool_]:
        """Which families have anything to save, of shape (n_families,)."""
        part: npt.NDArray[np.bool_] = table.by_family(self.of)[0] > 0
        return part


def check(name: str, limit: int, objective: str, objectives: Sequence[str]) -> None:
    """Refuse an unknown objective, and a limit of harm below none."""
    if objective not in objectives:
        raise ParameterError(
            f"`objective` must be one of {', '.join(objectives)}, got {objective!r}"
        )
    if limit < 0:
        raise ParameterError(f"`{name}` must be 0 or more, got {limit}")


def choose(
    aim: Aim[CellT, TableT, JudgementT],
    table: TableT,
    started_ms: Sequence[int | None],
    objective: str,
    limit: int,
) -> CellChoice[CellT, JudgementT]:
    """Choose the cell with the largest objective among those within the limit, and judge it.

    A single cell is judged even where it would not be chosen.
    """
    takes_part = aim.takes_part(table)
    if aim.nothing and not takes_part.any():
        return _none(aim.nothing)
    split = split_by_time(started_ms, takes_part)
    if too_few := split.too_few():
        return _none(too_few + undated(started_ms, takes_part))
    if blind := aim.blind(table, split):
        return _none(blind)
    gain, harm = (
        table.by_family(name)[:, split.chooses].sum(axis=1) for name in (objective, aim.harm)
    )
    best = best_allowed(gain, harm, limit, lambda i: aim.care(table.cells[i]))
    why: tuple[str, ...] = ()
    if best is None:
        why = (aim.why_none(gain, harm, limit),)
        if len(table.cells) > 1:
            return _none(*why)
        best = 0  # nothing was chosen: the only cell is judged all the same
    chosen_on, judged_on = (aim.judge(table, best, half) for half in (split.chooses, split.judges))
    reasons = (*why, *aim.refutations(judged_on, limit))
    status: Literal["recommended", "none"] = "none" if reasons else "recommended"
    return CellChoice(status, table.cells[best], chosen_on, judged_on, reasons)


def _none(*reasons: str) -> CellChoice[Any, Any]:
    return CellChoice("none", None, None, None, reasons)
