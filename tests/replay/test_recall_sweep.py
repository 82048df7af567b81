"""Grids of recall's parameters: each cell is the replay of that cell, nothing is looked up."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from ctxlab.errors import ParameterError
from ctxlab.recall.decide import decide
from ctxlab.recall.facts import RecallFacts
from ctxlab.recall.params import PROFILES, Recall
from ctxlab.recall.sources import graph_source
from ctxlab.replay import (
    RECALL_METRICS,
    RecallSetting,
    look_up_all,
    observe_corpus,
    recall_cells,
    sweep_recall,
)
from ctxlab.replay.recall_scores import recall_scores
from tests.replay.recall_worlds import corpus_of


def facts_of(setting: RecallSetting, seed: int = 11) -> RecallFacts:
    corpus = observe_corpus(corpus_of(Random(seed), 30))
    source = graph_source(setting.graph, corpus.projects)
    return look_up_all(corpus, source, setting.params).facts


def test_a_cell_of_a_sweep_is_the_replay_of_that_cell() -> None:
    grid = recall_cells(
        Recall(max_query_terms=2),
        {
            "min_hit_score": [0, 0.05, 1.5],
            "max_hits": np.arange(1, 3),
            "suppress_repeats": [False, True],
            "min_unrelated_share": [0.0, 0.5],
        },
    )
    asked: list[RecallSetting] = []
    told: list[int] = []

    def facts(setting: RecallSetting) -> RecallFacts:
        asked.append(setting)
        return facts_of(setting)

    table = sweep_recall(facts, "history", grid, told.append)
    assert asked == [RecallSetting("history", "identifier", 2, 160)]
    assert told == [1] * len(grid) == [1] * 24
    for i, cell in enumerate(grid):
        alone = facts_of(asked[0])
        for name, values in recall_scores(alone, decide(alone, cell.params)).items():
            assert table.metric(name)[i].tolist() == values.tolist(), name
    assert len({tuple(row) for row in table.metric("output_bytes")}) > 6


MODELLED = ("carried_bytes", "priced_bytes")  # no log tells what later requests would have carried


def test_every_metric_has_a_sum_and_says_how_it_is_known() -> None:
    table = sweep_recall(facts_of, "history", recall_cells(Recall(), {"max_hits": [1, 6]}))
    totals = table.totals()
    assert set(totals) == {*Recall().as_dict(), *RECALL_METRICS}
    for name, metric in RECALL_METRICS.items():
        assert metric.name == name
        assert metric.known == ("modelled" if name in MODELLED else "measured"), name
        assert totals[name].tolist() == table.metric(name).sum(axis=1).tolist()
        assert np.isfinite(totals[name]).all()


def test_higher_floors_print_less() -> None:
    floors = np.linspace(0, 14, 29)
    table = sweep_recall(facts_of, "history", recall_cells(Recall(), {"min_hit_score": floors}))
    for name in ("fires", "pointers", "output_bytes", "used_pointers", "unrelated_fires"):
        assert (np.diff(table.metric(name).sum(axis=1)) <= 0).all(), name
    assert table.metric("fires")[0].sum() > 0
    assert table.metric("fires")[-1].sum() == 0


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"min_lines": [1]}, "Recall has no parameter `min_lines`; it has min_hit_score, max_hits"),
        ({"max_hits": []}, "`max_hits` needs at least one value to sweep over"),
        ({"max_hits": [6, 13]}, r"`max_hits` must be in \[1, 12\] lines, got 13"),
        ({"max_hits": [1.5]}, r"must be a whole number in \[1, 12\] lines, got 1.5"),
        ({"min_hit_score": ["high"]}, r"must be a number in \[0, 14\] BM25, got 'high'"),
        ({"min_hit_score": [float("nan")]}, "must be a number in .*, got nan"),
        ({"suppress_repeats": [1]}, "`suppress_repeats` must be one of False, True, got 1"),
        ({"min_hit_score": np.linspace(0, 14, 10**4), "max_hits": range(1, 12)}, "has 110,000 cel"),
    ],
)
def test_grids_that_cannot_be(grid: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        recall_cells(Recall(), grid)


@pytest.mark.parametrize(
    "values",
    [
        {"gate": ["identifier", "coverage"]},
        {"max_query_terms": [3, 24]},
        {"max_excerpt_bytes": [16, 160]},
    ],
)
def test_what_changes_the_facts_is_swept_by_itself(values: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="must have one value in a sweep: sweep each value by"):
        sweep_recall(facts_of, "history", recall_cells(Recall(), values))


def test_a_sweep_needs_a_cell_and_a_metric_its_name() -> None:
    with pytest.raises(ParameterError, match="a sweep needs at least one cell, got none"):
        sweep_recall(facts_of, "history", [])
    table = sweep_recall(facts_of, "history", recall_cells(PROFILES["mushroomdb 0.7"], {}))
    with pytest.raises(ParameterError, match="no metric `luck`; known: prompts, unanswerable"):
        table.metric("luck")
