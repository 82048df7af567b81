"""A lab: a store of transcripts, and the questions asked of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

from ctxlab.dedup.decide import decide
from ctxlab.dedup.params import Dedup, Proof
from ctxlab.errors import ParameterError
from ctxlab.events import ToolKind
from ctxlab.lab._corpus import tool_kinds
from ctxlab.lab._dedup_replay import DedupReplay
from ctxlab.lab._dedup_sweep import DedupSweep
from ctxlab.lab._recall_sweep import RecallReplay, RecallSweep
from ctxlab.lab._recommendation import Recommendation
from ctxlab.lab._timeline import telling_thread
from ctxlab.lab._transcripts import Transcripts
from ctxlab.recall.params import Recall
from ctxlab.recall.sources import GraphNames, graph_words
from ctxlab.replay import Cell, RecallCell, RecallSetting, cells, recall_cells
from ctxlab.store import open_store
from ctxlab.tune import Choice, FloorChoice, recommend

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.lab._tune import Tuned
    from ctxlab.lab._tune_recall import RecallTuned

__all__ = ["Lab", "open_lab"]

_PROOF: Proof = "whole_file"  # nearest to the tool, which compares a hash of the whole file


class Lab(Transcripts):
    """Transcripts in a store folder, to replay, sweep and query.

    It answers from the store as it was when first asked, or after its own last ingest; `refresh`
    takes in what other processes have ingested. Use it as a context manager or call `close`; a
    temporary lab is removed at the end of the process.
    """

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
    def replay(
        self,
        params: Dedup | Recall | None = None,
        *,
        tools: Iterable[ToolKind] | None = None,
        proof: Proof | None = None,
        guard: bool | None = None,
        graph: GraphNames | None = None,
    ) -> DedupReplay | RecallReplay:
        """Run one parameter set over all transcripts.

        Parameters
        ----------
        params : Dedup or Recall
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

        Raises
        ------
        ParameterError
            A tool kind or proof is unknown, or an argument is of another policy.
        InputError
            The store is empty, or the graph is no graph of its projects.
        """
        if isinstance(params, Recall):
            _of_dedup(tools=tools, proof=proof, guard=guard)
            return self._replay_recall(params, "history" if graph is None else graph)
        if params is not None and not isinstance(params, Dedup):
            raise ParameterError(
                f"`params` must be a Dedup or a Recall, such as Dedup(), got {params!r}"
            )
        _of_recall(graph=graph)
        params, kinds, proof = params or Dedup(), tool_kinds(tools), proof or _PROOF
        if guard is None:
            guard = _guard_fits(params, kinds).guard
        both = [_guarded(params, on) for on in (False, True)]
        table = self._corpus.table([Cell(p, proof) for p in both], kinds)
        facts = self.facts(kinds, proof, params.record_scope)
        return DedupReplay(table, int(guard), facts, decide(facts, both[guard]), self.survey())

    def _replay_recall(self, params: Recall, graph: GraphNames) -> RecallReplay:
        from ctxlab.recall.decide import decide as decide_recall

        table = self._prompts.table([RecallCell(params)], graph)
        facts = self._prompts.found(RecallSetting.of(params, graph_words(graph))).facts
        return RecallReplay(table, facts, decide_recall(facts, params), self.survey())

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
    def sweep(
        self,
        policy: type[Dedup | Recall] = Dedup,
        *,
        base: Any = None,
        tools: Iterable[ToolKind] | None = None,
        proof: Proof | Iterable[Proof] | None = None,
        graph: GraphNames | None = None,
        **grid: Any,
    ) -> DedupSweep | RecallSweep:
        """Run every combination of the given values over all transcripts.

        Parameters
        ----------
        policy
            The policy's parameter set.
        base
            The other parameters; the shipped defaults if not given, without the guard for Read.
        tools, proof, graph
            As for `replay`; several proofs make cells of their own.
        **grid
            Parameter names with one value or several.

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
        """
        if policy not in (Dedup, Recall):
            raise ParameterError(f"`policy` must be Dedup or Recall, got {policy!r}")
        if base is not None and not isinstance(base, policy):
            raise ParameterError(f"`base` must be a {policy.__name__}, got {base!r}")
        named: Mapping[str, Iterable[Any]] = {
            name: (value,) if isinstance(value, str) or not isinstance(value, Iterable) else value
            for name, value in grid.items()
        }
        if policy is Recall:
            _of_dedup(tools=tools, proof=proof)
            given = "history" if graph is None else graph
            return self._sweep_recall(Recall() if base is None else base, named, given)
        _of_recall(graph=graph)
        kinds, proof = tool_kinds(tools), proof or _PROOF
        proofs = (proof,) if isinstance(proof, str) else tuple(proof)
        if base is None:
            base = _guard_fits(Dedup(), kinds)
        table = self._corpus.table(cells(base, named, proofs), kinds)
        return DedupSweep(table, self.survey(), kinds)

    def _sweep_recall(
        self, base: Any, grid: Mapping[str, Iterable[Any]], graph: GraphNames
    ) -> RecallSweep:
        points, named = recall_cells(base, grid), graph_words(graph)
        table = self._prompts.table(points, named)
        found = self._prompts.found(RecallSetting.of(points[0].params, named))
        return RecallSweep(table, self.survey(), found, named)

    def timeline(
        self,
        transcript: str,
        params: Dedup | None = None,
        *,
        tools: Iterable[ToolKind] | None = None,
        proof: Proof = _PROOF,
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
        params = _guard_fits(params or Dedup(), kinds)
        facts = self.facts(kinds, proof, params.record_scope)
        return telling_thread(self.store, facts, params, transcript)

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

    def tune(self, *, tools: Iterable[ToolKind] | None = None, proof: Proof = _PROOF) -> Tuned:
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


def _guard_fits(params: Dedup, tools: tuple[ToolKind, ...]) -> Dedup:
    """Take the guard off where each answer holds one file: it would undo every full pointer."""
    if tools != ("read",):
        return params
    return _guarded(params, False)


def _guarded(params: Dedup, guard: bool) -> Dedup:
    return Dedup.of(**{**params.as_dict(), "guard": guard})


def _of_dedup(**given: object) -> None:
    """Refuse arguments of dedup beside a Recall."""
    _refuse("Dedup", given)


def _of_recall(**given: object) -> None:
    """Refuse arguments of recall beside a Dedup."""
    _refuse("Recall", given)


def _refuse(owner: str, given: Mapping[str, object]) -> None:
    for name, value in given.items():
        if value is not None:
            raise ParameterError(f"`{name}` is an argument of {owner} alone, got {value!r}")
