"""Sweeps of a lab: every combination of some values over all transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, overload

from ctxlab.dedup.params import Dedup, Proof
from ctxlab.errors import ParameterError
from ctxlab.events import ToolKind
from ctxlab.lab._corpus import tool_kinds
from ctxlab.lab._dedup_sweep import DedupSweep
from ctxlab.lab._owned import USUAL_PROOF, guard_fits, refuse_others
from ctxlab.lab._recall_sweep import RecallSweep
from ctxlab.lab._replays import Replays
from ctxlab.lab._surface_sweep import SurfaceSweep
from ctxlab.lab._surface_tools import only_tools
from ctxlab.recall.params import Recall
from ctxlab.recall.sources import GraphNames, graph_words
from ctxlab.replay import RecallSetting, cells, recall_cells, surface_cells
from ctxlab.surface.params import Surface

__all__ = ["Sweeps"]


class Sweeps(Replays):
    """What a grid of parameter sets does; `Lab` says how it is used."""

    @overload
    def sweep(
        self,
        policy: type[Dedup] = Dedup,
        *,
        base: Dedup | None = None,
        tools: Iterable[ToolKind] | None = None,
        proof: Proof | Iterable[Proof] = ...,
        **grid: Any,
    ) -> DedupSweep: ...
    @overload
    def sweep(
        self,
        policy: type[Recall],
        *,
        base: Recall | None = None,
        graph: GraphNames = "history",
        **grid: Any,
    ) -> RecallSweep: ...
    @overload
    def sweep(
        self,
        policy: type[Surface],
        *,
        base: Surface | None = None,
        tool: str | Iterable[str] = ...,
        **grid: Any,
    ) -> SurfaceSweep: ...
    def sweep(
        self,
        policy: type[Dedup | Recall | Surface] = Dedup,
        *,
        base: Any = None,
        tools: Iterable[ToolKind] | None = None,
        proof: Proof | Iterable[Proof] | None = None,
        graph: GraphNames | None = None,
        tool: str | Iterable[str] | None = None,
        **grid: Any,
    ) -> DedupSweep | RecallSweep | SurfaceSweep:
        """Run every combination of the given values over all transcripts.

        Parameters
        ----------
        policy
            The policy's parameter set.
        base
            The other parameters; the shipped defaults if not given, without the guard for Read.
        tools, proof, graph, tool
            As for `replay`; several proofs make cells of their own.
        **grid
            Parameter names with one value or a list of several. A value is what the parameter set
            itself takes: of `select` and `filters` a tuple of texts, so that `("id", "title")` is
            one value and `[("id",), ("title",)]` are two; a list of bare texts is refused.

        Raises
        ------
        ParameterError
            A parameter, value, tool kind or proof is unknown or out of bounds, or an argument is
            of another policy.
        InputError
            The store is empty, or the graph is no graph of its projects.

        Examples
        --------
        >>> lab.sweep(ctxlab.Dedup, min_covered_lines=range(1, 65), view_calls=[4, None])
        ... # doctest: +SKIP
        >>> lab.sweep(ctxlab.Recall, min_hit_score=[0.05, 2, 4, 8], graph="git")
        ... # doctest: +SKIP
        >>> lab.sweep(ctxlab.Surface, max_items=[0, 5, 20], select=[(), ("id", "title")])
        ... # doctest: +SKIP
        """
        if policy not in (Dedup, Recall, Surface):
            raise ParameterError(f"`policy` must be Dedup, Recall or Surface, got {policy!r}")
        if base is not None and not isinstance(base, policy):
            raise ParameterError(f"`base` must be a {policy.__name__}, got {base!r}")
        declared = policy.params()
        policy.of(**{name: None for name in grid if name not in declared})  # refused by their name
        named: Mapping[str, Iterable[Any]] = {
            name: declared[name].several(given) for name, given in grid.items()
        }
        if policy is Surface:
            refuse_others(Surface, tools=tools, proof=proof, graph=graph)
            return self._sweep_surface(Surface() if base is None else base, named, tool)
        if policy is Recall:
            refuse_others(Recall, tools=tools, proof=proof, tool=tool)
            given = "history" if graph is None else graph
            return self._sweep_recall(Recall() if base is None else base, named, given)
        refuse_others(Dedup, graph=graph, tool=tool)
        kinds, proof = tool_kinds(tools), proof or USUAL_PROOF
        proofs = (proof,) if isinstance(proof, str) else tuple(proof)
        if base is None:
            base = guard_fits(Dedup(), kinds)
        table = self._corpus.table(cells(base, named, proofs), kinds)
        return DedupSweep(table, self.survey(), kinds)

    def _sweep_recall(
        self, base: Any, grid: Mapping[str, Iterable[Any]], graph: GraphNames
    ) -> RecallSweep:
        points, named = recall_cells(base, grid), graph_words(graph)
        table = self._prompts.table(points, named)
        found = self._prompts.found(RecallSetting.of(points[0].params, named))
        return RecallSweep(table, self.survey(), found, named)

    def _sweep_surface(
        self, base: Any, grid: Mapping[str, Iterable[Any]], tool: str | Iterable[str] | None
    ) -> SurfaceSweep:
        points = surface_cells(base, grid)
        table = only_tools(self._answers.table(points), tool)
        whole = self._answers.facts(Surface())
        starts = self._corpus.starts(whole.families)
        return SurfaceSweep(table, self.survey(), self._answers.facts, whole, starts)
