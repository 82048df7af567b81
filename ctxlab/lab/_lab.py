"""A lab: a store of transcripts, and the questions asked of it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, overload

from ctxlab.dedup.params import Proof
from ctxlab.errors import ParameterError
from ctxlab.events import ToolKind
from ctxlab.lab._dedup_sweep import DedupSweep
from ctxlab.lab._owned import USUAL_PROOF
from ctxlab.lab._recall_sweep import RecallSweep
from ctxlab.lab._recommendation import Recommendation
from ctxlab.lab._surface_sweep import SurfaceSweep
from ctxlab.lab._sweep import Sweep
from ctxlab.lab._sweeps import Sweeps
from ctxlab.recall.sources import GraphNames
from ctxlab.store import open_store
from ctxlab.tune import Choice, FloorChoice, SurfaceChoice, recommend

if TYPE_CHECKING:
    from ctxlab.lab._tune import Tuned
    from ctxlab.lab._tune_recall import RecallTuned
    from ctxlab.lab._tune_surface import SurfaceTuned

__all__ = ["Lab", "open_lab"]


class Lab(Sweeps):
    """Transcripts in a store folder, to replay, sweep and query.

    It answers from the store as it was when first asked, or after its own last ingest; `refresh`
    takes in what other processes have ingested. Use it as a context manager or call `close`; a
    temporary lab is removed at the end of the process.
    """

    @overload
    def recommend(
        self, sweep: DedupSweep, *, objective: str = "net_bytes", constraint: int = 0
    ) -> Recommendation[Choice]: ...
    @overload
    def recommend(
        self, sweep: RecallSweep, *, keep: float = 0.95
    ) -> Recommendation[FloorChoice]: ...
    @overload
    def recommend(
        self, sweep: SurfaceSweep, *, objective: str = "saved_bytes", constraint: int = 0
    ) -> Recommendation[SurfaceChoice]: ...
    def recommend(
        self,
        sweep: DedupSweep | RecallSweep | SurfaceSweep,
        *,
        objective: str | None = None,
        constraint: int = 0,
        keep: float = 0.95,
    ) -> Recommendation[Choice] | Recommendation[FloorChoice] | Recommendation[SurfaceChoice]:
        """Choose among the sweep's cells on earlier transcripts, judge the choice on later ones.

        Parameters
        ----------
        sweep
            The cells to choose among.
        objective : {"net_bytes", "withheld_bytes", "saved_bytes", "priced_bytes"}
            What to make large: one of the first two for dedup, of the last two for surface.
        constraint : int
            Dedup: harmful pointers allowed, on the choosing and on the judging transcripts.
            Surface: harmed answers allowed.
        keep : float
            Recall: share of the lines that the shipped default prints and agents used, to keep
            while printing less.

        Raises
        ------
        ParameterError
            An argument is out of bounds, or the sweep is of other transcripts or of a gate that
            has no floor.
        """
        if not isinstance(sweep, (DedupSweep, RecallSweep, SurfaceSweep)):
            raise ParameterError(f"`sweep` must be what `lab.sweep` gives, got {sweep!r}")
        self._check_own(sweep)
        from ctxlab.lab._certificate import dedup_certificate, recall_certificate

        starts = self.starts(sweep)
        if isinstance(sweep, SurfaceSweep):
            from ctxlab.lab._surface_recommend import choose_limits

            return choose_limits(self.store, sweep, starts, objective or "saved_bytes", constraint)
        if isinstance(sweep, RecallSweep):
            from ctxlab.lab._recall_recommend import choose_floor

            floor = choose_floor(sweep, starts, keep)
            return Recommendation(floor, recall_certificate(self.store, sweep, floor))
        choice = recommend(
            sweep.table,
            starts,
            objective=objective or "net_bytes",
            max_harmful_pointers=constraint,
        )
        return Recommendation(
            choice,
            dedup_certificate(self.store, sweep, choice, objective or "net_bytes", constraint),
        )

    def recommend_by_tool(
        self, sweep: SurfaceSweep, *, objective: str = "saved_bytes", constraint: int = 0
    ) -> dict[str, Recommendation[SurfaceChoice]]:
        """Choose and judge for each tool by itself, largest first; arguments as for `recommend`.

        Raises
        ------
        ParameterError
            An argument is out of bounds, or the sweep is of other transcripts.
        """
        from ctxlab.lab._surface_recommend import choose_limits_by_tool

        if not isinstance(sweep, SurfaceSweep):
            raise ParameterError(f"`sweep` must be a sweep of Surface, got {sweep!r}")
        self._check_own(sweep)
        return choose_limits_by_tool(self.store, sweep, self.starts(sweep), objective, constraint)

    def _check_own(self, sweep: Sweep) -> None:
        """Refuse sweeps of other transcripts; one of some tools may hold some families alone."""
        own, swept = {family.name for family in self.store.families()}, set(sweep.table.families)
        if not swept <= own or (swept != own and not isinstance(sweep, SurfaceSweep)):
            raise ParameterError("`sweep` is of other transcripts than this lab holds: sweep again")

    def tune(self, *, tools: Iterable[ToolKind] | None = None, proof: Proof = USUAL_PROOF) -> Tuned:
        """Do the main job: survey, sweep, and recommend for the tool as shipped and for its own.

        Parameters
        ----------
        tools, proof
            As for `replay`.

        Raises
        ------
        ParameterError
            A tool kind or proof is unknown.
        InputError
            The store is empty.
        """
        from ctxlab.lab._tune import tune

        return tune(self, tools=tools, proof=proof)

    def tune_recall(self, *, graph: GraphNames = "history") -> RecallTuned:
        """Do the main job for recall: look up, sweep, test the score, recommend a floor or none.

        Parameters
        ----------
        graph
            As for `replay`.

        Raises
        ------
        InputError
            The store is empty, or the graph is no graph of its projects.
        """
        from ctxlab.lab._tune_recall import tune_recall

        return tune_recall(self, graph)

    def tune_surface(self) -> SurfaceTuned:
        """Do the main job for surface: sweep the limits on JSON answers, recommend some or none.

        Raises
        ------
        InputError
            The store is empty.
        """
        from ctxlab.lab._tune_surface import tune_surface

        return tune_surface(self)


def open_lab(path: str | os.PathLike[str] | None = None) -> Lab:
    """Open the lab in a store folder, made if it is not there; without a path a temporary one.

    Raises
    ------
    StoreError
        The folder cannot be made or read, holds other files, or is of a newer ctxlab.
    """
    return Lab(open_store(path))
