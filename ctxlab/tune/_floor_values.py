"""What is put into the choice of a floor, and what comes out of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError
from ctxlab.estimate import AucInterval, ShareInterval
from ctxlab.recall.params import Recall

__all__ = ["FloorChoice", "FloorJudgement", "FloorTable"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class FloorTable:
    """What each cell prints in each family.

    Arrays of shape (n_cells, n_families): bytes printed, questions that fire, pointers printed,
    and those of them that were used. `shipped` is the place of the shipped default among `cells`.

    Raises
    ------
    ParameterError
        If the shapes disagree, or `shipped` is not a place among the cells.
    """

    cells: tuple[Recall, ...]
    output_bytes: Floats
    fires: Floats
    printed: Floats
    used: Floats
    shipped: int

    def __post_init__(self) -> None:
        """Check the shapes."""
        shape = (len(self.cells), *self.output_bytes.shape[1:])
        for name in ("output_bytes", "fires", "printed", "used"):
            given = getattr(self, name).shape
            if given != shape or len(given) != 2:
                raise ParameterError(
                    f"`{name}` must have a row for each of the {len(self.cells)} cells and a "
                    f"column for each family, got shape {given}"
                )
        if not 0 <= self.shipped < len(self.cells):
            raise ParameterError(
                f"`shipped` must be the place of the shipped default in [0, {len(self.cells) - 1}],"
                f" got {self.shipped}"
            )

    @property
    def saved_bytes(self) -> Floats:
        """Bytes that each cell prints less than the shipped default: (n_cells, n_families)."""
        saved: Floats = self.output_bytes[self.shipped] - self.output_bytes
        return saved

    @property
    def lost(self) -> Floats:
        """Used pointers of the shipped default that each cell misses: (n_cells, n_families).

        More of them in one family make up for no loss in another. Exact for cells that print a
        part of what the shipped default prints, a lower bound for those that print other lines.
        """
        lost: Floats = np.maximum(self.used[self.shipped] - self.used, 0.0)
        return lost


@dataclass(frozen=True, slots=True)
class FloorJudgement:
    """What some families say of one cell beside the shipped default.

    `saved_share` is of the bytes that the shipped default prints. `lost_share` is of its used
    pointers; `lost_share_upper` bounds it, one-sided at 95 %, None where nothing bounds it.
    `families_with_use` have such a pointer.
    """

    saved_share: ShareInterval
    lost_share: ShareInterval
    lost_share_upper: float | None
    families_with_use: int
    output_bytes: float
    shipped_output_bytes: float
    fires: float
    shipped_fires: float
    printed: float
    shipped_printed: float
    used: float
    shipped_used: float


@dataclass(frozen=True, slots=True)
class FloorChoice:
    """The answer: a setting to ship, the shipped default, or none, with the reasons.

    "default" means that no setting within the promise prints less than the shipped default, "none"
    that these logs do not support any floor. `params` is what was chosen on the earlier families;
    it is recommended only if the later ones confirm it. `auc` is the comparison that decides.
    """

    status: Literal["recommended", "default", "none"]
    params: Recall | None
    chosen_on: FloorJudgement | None
    judged_on: FloorJudgement | None
    auc: AucInterval
    keep: float
    reasons: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "status": self.status,
            "parameters": self.params.as_dict() if self.params else None,
            "chosen_on": asdict(self.chosen_on) if self.chosen_on else None,
            "judged_on": asdict(self.judged_on) if self.judged_on else None,
            "auc": asdict(self.auc),
            "keep": self.keep,
            "reasons": list(self.reasons),
        }
