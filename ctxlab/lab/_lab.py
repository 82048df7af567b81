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
from ctxlab.lab._sweeps import Sweeps
from ctxlab.recall.sources import GraphNames
from ctxlab.store import open_store
from ctxlab.tune import Choice, FloorChoice, recommend

if TYPE_CHECKING:
    from ctxlab.lab._tune import Tuned
    from ctxlab.lab._tune_recall import RecallTuned

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
    def recommend(
        self,
        sweep: DedupSweep | RecallSweep,
        *,
        objective: str = "net_bytes",
        constraint: int = 0,
        keep: float = 0.95,
    ) -> Recommendation[Choice] | Recommendation[FloorChoice]:
        """Choose among the sweep's cells on earlier transcripts, judge the choice on later ones.

        Parameters
        ----------
        sweep
            The cells to choose among.
        objective : {"net_bytes", "withheld_bytes"}
            Dedup: what to make large.
        constraint : int
            Dedup: harmful pointers allowed, on the choosing and on the judging transcripts.
        keep : float
            Recall: share of the lines that the shipped default prints and agents used, to keep
            while printing less.

        Raises
        ------
        ParameterError
            An argument is out of bounds, or the sweep is of other transcripts or of a gate that
            has no floor.
        """
        if not isinstance(sweep, (DedupSweep, RecallSweep)):
            raise ParameterError(f"`sweep` must be what `lab.sweep` gives, got {sweep!r}")
        if set(sweep.table.families) != {family.name for family in self.store.families()}:
            raise ParameterError("`sweep` is of other transcripts than this lab holds: sweep again")
        from ctxlab.lab._certificate import dedup_certificate, recall_certificate

        starts = self.starts(sweep)
        if isinstance(sweep, RecallSweep):
            from ctxlab.lab._recall_recommend import choose_floor

            floor = choose_floor(sweep, starts, keep)
            return Recommendation(floor, recall_certificate(self.store, sweep, floor))
        choice = recommend(
            sweep.table, starts, objective=objective, max_harmful_pointers=constraint
        )
        return Recommendation(
            choice, dedup_certificate(self.store, sweep, choice, objective, constraint)
        )

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


def open_lab(path: str | os.PathLike[str] | None = None) -> Lab:
    """Open the lab in a store folder, made if it is not there; without a path a temporary one.

    Raises
    ------
    StoreError
        The folder cannot be made or read, holds other files, or is of a newer ctxlab.
    """
    return Lab(open_store(path))
