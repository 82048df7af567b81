"""JSON answers of one store: their facts and sweeps, each made once, with progress."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxlab.lab._progress import advancing
from ctxlab.replay import SurfaceCell, SurfaceTable, surface_corpus_facts, sweep_surface
from ctxlab.store import Store
from ctxlab.surface.facts import SurfaceFacts
from ctxlab.surface.filters import parse_filters
from ctxlab.surface.params import Surface, arrangement

__all__ = ["JsonAnswers"]


class JsonAnswers:
    """What was derived of the store's JSON answers so far."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._facts: dict[Surface, SurfaceFacts] = {}

    def forget(self) -> None:
        """Derive anew from now on: the store has changed."""
        self._facts.clear()

    def facts(self, params: Surface) -> SurfaceFacts:
        """Facts for the arrangement of a parameter set, cached by content.

        Raises
        ------
        ParameterError
            A filter is malformed.
        """
        self._derive([params])
        return self._facts[arrangement(params)]

    def table(self, grid: Sequence[SurfaceCell]) -> SurfaceTable:
        """Scores of a grid of cells."""
        self._derive([cell.params for cell in grid])
        with advancing("sweeping", len(grid)) as advance:
            return sweep_surface(self.facts, grid, advance)

    def _derive(self, params: Iterable[Surface]) -> None:
        new = [s for s in dict.fromkeys(map(arrangement, params)) if s not in self._facts]
        for setting in new:
            parse_filters(setting.filters)  # a bad one is refused before any work
        if new:
            with advancing("reading answers", len(self.store.families())) as advance:
                self._facts.update(surface_corpus_facts(self.store, new, advance))
