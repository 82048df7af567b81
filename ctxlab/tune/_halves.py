"""What the choices of all policies share: who chooses, who judges, what refutes a saving.

The judging families have no part in the choice, whatever is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.estimate import ShareInterval
from ctxlab.words import counted

__all__ = [
    "MIN_FAMILIES",
    "Split",
    "best_allowed",
    "refuted_by_harm",
    "split_by_time",
    "undated",
    "unsure_saving",
]

MIN_FAMILIES = 10
"""Families with something to replay that each half needs before anything is recommended."""


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Which families choose and which judge: masks of shape (n_families,)."""

    chooses: npt.NDArray[np.bool_]
    judges: npt.NDArray[np.bool_]

    def too_few(self) -> str:
        """Why these families cannot tell, empty if they can."""
        choosing, judging = int(self.chooses.sum()), int(self.judges.sum())
        if min(choosing, judging) >= MIN_FAMILIES:
            return ""
        return (
            f"these logs cannot tell: {counted(choosing, 'family', 'families')} to choose on and "
            f"{judging} dated later ones to judge by, at least {MIN_FAMILIES} each are needed"
        )


def split_by_time(started_ms: Sequence[int | None], takes_part: npt.NDArray[np.bool_]) -> Split:
    """Earlier half of the families that take part to choose, later half to judge.

    Families without a date choose, for nothing may be judged by what could be older. Families of
    one date are not torn apart.

    Parameters
    ----------
    started_ms : sequence of length n_families
        Start of each family, Unix milliseconds.
    takes_part : array of shape (n_families,)
        Families with something to replay; the others neither choose nor judge.
    """
    starts = np.array([-1 if start is None else start for start in started_ms], np.int64)
    dated = np.sort(starts[takes_part & (starts >= 0)])
    if not len(dated):
        return Split(takes_part.copy(), np.zeros(len(starts), bool))
    judges = takes_part & (starts >= dated[len(dated) // 2]) & (starts > dated[0])
    return Split(takes_part & ~judges, judges)


def undated(started_ms: Sequence[int | None], takes_part: npt.NDArray[np.bool_]) -> str:
    """How many of the families that take part have no date, as the end of a reason."""
    n = sum(start is None for start, part in zip(started_ms, takes_part, strict=True) if part)
    return f"; {n} have no date in their log" if n else ""


def best_allowed(
    gain: npt.NDArray[Any],
    harm: npt.NDArray[Any],
    limit: int,
    care: Callable[[int], tuple[float, ...]],
) -> int | None:
    """Cell with the largest gain of those within the limit that gain at all; ties go to care."""
    allowed = np.flatnonzero((harm <= limit) & (gain > 0))
    if not len(allowed):
        return None
    return int(max(allowed, key=lambda i: (round(float(gain[i]), 6), *care(int(i)))))


def unsure_saving(share: ShareInterval, name: str) -> tuple[str, ...]:
    """Why the judging families do not show a saving: one reason, or none if they do."""
    if share.excludes_zero():
        return ()
    low, high = share.low, share.high
    interval = "unknown" if low is None or high is None else f"{low:.2%} to {high:.2%}"
    return (f"the later transcripts cannot tell its saving from nothing: {name} share {interval}",)


def refuted_by_harm(harmed: int, of: str, would: str, limit: int) -> tuple[str, ...]:
    """Why the judging families show too much harm: one reason, or none if they do not."""
    if harmed <= limit:
        return ()
    return (f"the later transcripts refute it: {harmed} of {of} would {would}, {limit} allowed",)
