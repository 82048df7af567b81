"""Prompts of one store: their projects, facts and sweeps, each made once, with progress."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.lab._progress import advancing
from ctxlab.recall.sources import GraphNames, GraphSource, graph_source, graph_words
from ctxlab.replay import (
    LookedUp,
    RecallCell,
    RecallCorpus,
    RecallSetting,
    RecallTable,
    cached,
    facts_key,
    look_up_all,
    observe_corpus,
    sweep_recall,
)
from ctxlab.store import Store

__all__ = ["Prompts"]


class Prompts:
    """What was derived of the store's prompts so far."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._corpus: RecallCorpus | None = None
        self._found: dict[RecallSetting, LookedUp] = {}

    def forget(self) -> None:
        """Derive anew from now on: the store has changed."""
        self._corpus = None
        self._found.clear()

    def corpus(self) -> RecallCorpus:
        """All projects, with their prompts and what was revealed."""
        if self._corpus is None:
            with advancing("reading prompts", len(self.store.families())) as advance:
                self._corpus = observe_corpus(self.store, advance)
        return self._corpus

    def found(self, setting: RecallSetting) -> LookedUp:
        """Facts, leaks and graphs for one setting, cached by content."""
        if setting not in self._found:
            corpus = self.corpus()
            source = graph_source(setting.graph, corpus.projects)
            key = facts_key(self.store, setting, source.fingerprint(corpus.projects))
            self._found[setting] = cached(
                self.store, key, lambda: self._look_up(corpus, source, setting)
            )
        return self._found[setting]

    def _look_up(
        self, corpus: RecallCorpus, source: GraphSource, setting: RecallSetting
    ) -> LookedUp:
        n_prompts = sum(len(project.prompts) for project in corpus.projects)
        with advancing("looking prompts up", n_prompts) as advance:
            return look_up_all(corpus, source, setting.params, advance)

    def table(self, grid: Sequence[RecallCell], graph: GraphNames) -> RecallTable:
        """Scores of a grid of cells."""
        with advancing("sweeping", len(grid)) as advance:
            return sweep_recall(
                lambda setting: self.found(setting).facts, graph_words(graph), grid, advance
            )
