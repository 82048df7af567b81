"""Replays of a lab: one parameter set over all transcripts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, overload

from ctxlab.dedup.decide import decide
from ctxlab.dedup.params import Dedup, Proof
from ctxlab.errors import ParameterError
from ctxlab.events import ToolKind
from ctxlab.lab._corpus import tool_kinds
from ctxlab.lab._dedup_replay import DedupReplay
from ctxlab.lab._owned import USUAL_PROOF, guard_fits, guarded, refuse_others
from ctxlab.lab._recall_sweep import RecallReplay
from ctxlab.lab._surface_sweep import SurfaceReplay
from ctxlab.lab._surface_tools import only_tools
from ctxlab.lab._timeline import telling_thread
from ctxlab.lab._transcripts import Transcripts
from ctxlab.recall.params import Recall
from ctxlab.recall.sources import GraphNames, graph_words
from ctxlab.replay import Cell, RecallCell, RecallSetting, SurfaceCell
from ctxlab.surface.params import Surface

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Replays"]


class Replays(Transcripts):
    """What one parameter set does; `Lab` says how it is used."""

    @overload
    def replay(
        self,
        params: Dedup | None = None,
        *,
        tools: Iterable[ToolKind] | None = None,
        proof: Proof = ...,
        guard: bool | None = None,
    ) -> DedupReplay: ...
    @overload
    def replay(self, params: Recall, *, graph: GraphNames = "history") -> RecallReplay: ...
    @overload
    def replay(self, params: Surface, *, tool: str | Iterable[str] = ...) -> SurfaceReplay: ...
    def replay(
        self,
        params: Dedup | Recall | Surface | None = None,
        *,
        tools: Iterable[ToolKind] | None = None,
        proof: Proof | None = None,
        guard: bool | None = None,
        graph: GraphNames | None = None,
        tool: str | Iterable[str] | None = None,
    ) -> DedupReplay | RecallReplay | SurfaceReplay:
        """Run one parameter set over all transcripts.

        Parameters
        ----------
        params : Dedup, Recall or Surface
            The shipped defaults of codegraph if not given.
        tools : iterable of tool kinds
            Dedup: whose calls meet the record: "read" unless given; "grep", "shell", "mcp".
        proof : {"line_text", "hunks", "whole_file"}
            Dedup: what proves that a line is unchanged; "whole_file" unless given.
        guard : bool, optional
            Dedup: whether pointer-only answers get their first file back, in scores and decisions.
            By default as in `params`, but off for Read alone: its answers hold one file each. The
            summary shows both.
        graph
            Recall: where the graph is from: "history" (unless given) is what earlier transcripts
            and turns revealed, "git" the repository in each project's own directory, a path that
            of a repository or of a JSON export.
        tool
            Surface: tools whose answers are reshaped, by the names that `SurfaceReplay.tools`
            shows; all unless given.

        Raises
        ------
        ParameterError
            A tool kind or proof is unknown, or an argument is of another policy.
        InputError
            The store is empty, or the graph is no graph of its projects.
        """
        if isinstance(params, Surface):
            refuse_others(Surface, tools=tools, proof=proof, guard=guard, graph=graph)
            return self._replay_surface(params, tool)
        if isinstance(params, Recall):
            refuse_others(Recall, tools=tools, proof=proof, guard=guard, tool=tool)
            return self._replay_recall(params, "history" if graph is None else graph)
        if params is not None and not isinstance(params, Dedup):
            raise ParameterError(
                f"`params` must be a Dedup, Recall or Surface, such as Dedup(), got {params!r}"
            )
        refuse_others(Dedup, graph=graph, tool=tool)
        params, kinds, proof = params or Dedup(), tool_kinds(tools), proof or USUAL_PROOF
        if guard is None:
            guard = guard_fits(params, kinds).guard
        both = [guarded(params, on) for on in (False, True)]
        table = self._corpus.table([Cell(p, proof) for p in both], kinds)
        facts = self.facts(kinds, proof, params.record_scope)
        return DedupReplay(table, int(guard), facts, decide(facts, both[guard]), self.survey())

    def _replay_recall(self, params: Recall, graph: GraphNames) -> RecallReplay:
        from ctxlab.recall.decide import decide as decide_recall

        table = self._prompts.table([RecallCell(params)], graph)
        facts = self._prompts.found(RecallSetting.of(params, graph_words(graph))).facts
        return RecallReplay(table, facts, decide_recall(facts, params), self.survey())

    def _replay_surface(self, params: Surface, tool: str | Iterable[str] | None) -> SurfaceReplay:
        from ctxlab.surface.decide import decide as decide_surface

        table = only_tools(self._answers.table([SurfaceCell(params)]), tool)
        facts = self._answers.facts(params)
        return SurfaceReplay(table, facts, decide_surface(facts, params), self.survey())

    def timeline(
        self,
        transcript: str,
        params: Dedup | None = None,
        *,
        tools: Iterable[ToolKind] | None = None,
        proof: Proof = USUAL_PROOF,
    ) -> pd.DataFrame:
        """What one thread of a transcript was served, and what would have become of it.

        It is the thread with most harmful pointers, of equals the one that was served most.

        Parameters
        ----------
        transcript
            As named in the frames of a replay or sweep.
        params, tools, proof
            As for `replay`.

        Returns
        -------
        pandas.DataFrame
            As `ctxlab.replay.timeline.timeline` gives it, for `ctxlab.plots.context_timeline`.

        Raises
        ------
        ParameterError
            There is no such transcript, or another argument is unknown.
        InputError
            The store is empty.
        """
        kinds = tool_kinds(tools)
        params = guard_fits(params or Dedup(), kinds)
        facts = self.facts(kinds, proof, params.record_scope)
        return telling_thread(self.store, facts, params, transcript)
