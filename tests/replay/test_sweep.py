from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.dedup.decide import HARM_CAUSES, decide
from ctxlab.dedup.facts import concatenate
from ctxlab.dedup.params import Dedup
from ctxlab.dedup.walk import dedup_facts
from ctxlab.errors import ParameterError
from ctxlab.replay import METRICS, cells, harm_metric, score, sweep
from tests.dedup.worlds import log_of, world


def facts_of(seed: int, proof: str, scope: str) -> Any:
    parts = [
        dedup_facts(log_of(world(Random(seed + i))), proof=proof, record_scope=scope)
        for i in range(3)
    ]
    return concatenate(parts)


@settings(max_examples=6)
@given(seed=st.integers(0, 2**32))
def test_a_cell_of_a_sweep_is_the_replay_of_that_cell(seed: int) -> None:
    grid = cells(
        Dedup(guard=False),
        {
            "min_covered_lines": [1, 4],
            "min_delta_chars": [0, 160],
            "record_scope": ["connection", "thread"],
            "reset_on_compaction": [False, True],
        },
        ["line_text", "whole_file"],
    )
    known: dict[Any, Any] = {}

    def facts(proof: str, scope: str) -> Any:
        return known.setdefault((proof, scope), facts_of(seed, proof, scope))

    told: list[int] = []
    table = sweep(facts, grid, told.append)
    assert len(told) == len(grid) == 32
    for i in Random(seed).sample(range(32), 6):
        cell = grid[i]
        alone_facts = facts_of(seed, cell.proof, cell.params.record_scope)
        alone = score(alone_facts, decide(alone_facts, cell.params))
        for name in METRICS:
            assert table.metric(name)[i].tolist() == alone.values[name].tolist(), name


def test_scores_add_up() -> None:
    facts = facts_of(7, "line_text", "connection")
    table = sweep(lambda proof, scope: facts, cells(Dedup(), {"min_covered_lines": [1, 2, 4]}))
    causes = sum(table.metric(harm_metric(cause)) for cause in HARM_CAUSES[1:])
    assert np.array_equal(table.metric("harmful_pointers"), causes)
    net = table.metric("withheld_bytes") + table.metric("folded_bytes")
    assert np.array_equal(table.metric("net_bytes"), net - table.metric("pointer_bytes"))
    assert table.metric("touched_bytes").shape == (3, 3)
    totals = table.totals()
    assert set(METRICS) < set(totals)
    assert totals["withheld_bytes"].tolist() == table.metric("withheld_bytes").sum(1).tolist()
    some = table.select([2, 0])
    assert [cell.params.min_covered_lines for cell in some.cells] == [4, 1]
    assert np.array_equal(some.metric("pointers"), table.metric("pointers")[[2, 0]])


def test_transcripts_of_a_family_are_summed() -> None:
    facts = facts_of(7, "line_text", "connection")
    table = sweep(lambda proof, scope: facts, cells(Dedup(), {"view_calls": [1, None]}))
    one = replace(table, families=("x", "y"), family_of=np.array([0, 0, 1], np.int32))
    withheld, summed = table.metric("withheld_bytes"), one.by_family("withheld_bytes")
    assert summed[:, 0].tolist() == (withheld[:, 0] + withheld[:, 1]).tolist()
    assert summed[:, 1].tolist() == withheld[:, 2].tolist()


def test_numbers_of_numpy_are_numbers() -> None:
    made = cells(Dedup(), {"min_covered_lines": np.arange(1, 4)})
    assert [cell.params.min_covered_lines for cell in made] == [1, 2, 3]
    assert all(type(cell.params.min_covered_lines) is int for cell in made)


@pytest.mark.parametrize(
    ("grid", "proofs", "message"),
    [
        ({"min_lines": [1]}, ["hunks"], "Dedup has no parameter `min_lines`; it has min_covered"),
        ({"view_calls": []}, ["hunks"], "`view_calls` needs at least one value to sweep over"),
        ({}, [], "`proof` needs at least one value to sweep over, got none"),
        ({}, ["faith"], "`proof` must be one of line_text, hunks, whole_file, got 'faith'"),
        ({"min_covered_lines": [8, 65]}, ["hunks"], r"must be in \[1, 64\] lines, got 65"),
        ({"min_covered_lines": [8.5]}, ["hunks"], "must be a whole number in .*, got 8.5"),
        ({"min_covered_lines": [np.float64(8)]}, ["hunks"], "must be a whole number in"),
    ],
)
def test_grids_that_cannot_be(grid: dict[str, Any], proofs: list[Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        cells(Dedup(), grid, proofs)


def test_a_sweep_needs_a_cell_and_a_metric_its_name() -> None:
    facts = facts_of(7, "line_text", "connection")
    with pytest.raises(ParameterError, match="a sweep needs at least one cell, got none"):
        sweep(lambda proof, scope: facts, [])
    table = sweep(lambda proof, scope: facts, cells(Dedup(), {}))
    with pytest.raises(ParameterError, match="no metric `luck`; known: calls, sections"):
        table.metric("luck")
