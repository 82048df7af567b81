"""The main job for recall: how often a prompt hook would fire, what for, which floor to ship."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctxlab.lab._lab import Lab
from ctxlab.lab._recall_sweep import RecallSweep
from ctxlab.lab._recommendation import Recommendation
from ctxlab.recall.params import FLOORS, PROFILES, Recall
from ctxlab.recall.sources import GraphNames
from ctxlab.replay import Survey
from ctxlab.tune import FloorChoice, Signal

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RecallTuned", "tune_recall"]

_RELATIVE = FLOORS[1:]


@dataclass(frozen=True, slots=True, eq=False)
class RecallTuned:
    """All results of the main job for recall.

    `floors` sweeps `min_hit_score`, `budgets` lines and bytes, `relative` each relative floor by
    itself, `repeats` has the shipped default with and without suppression of repeats, and `later`
    the gate of the later profile. `choices` is what the recommendation for the tool as shipped was
    chosen among, `own` what that for a tool with relative floors and a memory of what it printed.
    """

    graph: str
    survey: Survey
    signal: Signal
    floors: RecallSweep
    budgets: RecallSweep
    relative: tuple[RecallSweep, ...]
    repeats: RecallSweep
    later: RecallSweep
    choices: RecallSweep
    own: RecallSweep
    recommended: Recommendation[FloorChoice]
    recommended_own: Recommendation[FloorChoice]

    @property
    def leaks(self) -> pd.DataFrame:
        """What the identifier gate let through or missed."""
        return self.floors.leaks()


def tune_recall(lab: Lab, graph: GraphNames = "history") -> RecallTuned:
    """Look up, sweep and recommend.

    Parameters
    ----------
    graph
        Where the graph is from, as for `Lab.sweep`.

    Raises
    ------
    InputError
        The store is empty, or the graph is no graph of its projects.
    """
    declared = Recall.params()

    def swept(*names: str) -> RecallSweep:
        grid: dict[str, Any] = {name: declared[name].sweep for name in names}
        return lab.sweep(Recall, graph=graph, **grid)

    floors = swept("min_hit_score")
    choices = swept("min_hit_score", "max_hits", "max_output_bytes")
    own = swept(*_RELATIVE, "suppress_repeats")
    return RecallTuned(
        graph=floors.graph,
        survey=floors.survey,
        signal=floors.signal(),
        floors=floors,
        budgets=swept("max_hits", "max_output_bytes"),
        relative=tuple(map(swept, _RELATIVE)),
        repeats=swept("suppress_repeats"),
        later=lab.sweep(Recall, base=PROFILES["mushroomdb 0.7"], graph=graph),
        choices=choices,
        own=own,
        recommended=lab.recommend(choices),
        recommended_own=lab.recommend(own),
    )
