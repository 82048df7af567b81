"""Scores of recall against a count by hand, and the law: a replay is the policy online."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.recall.decide import decide
from ctxlab.recall.facts import QUESTION_KINDS
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
from tests.builders import call, later, lines, mark, prompt, says, symbol
from tests.recall.worlds import param_sets
from tests.replay.recall_worlds import Answer, Memory, corpus_of, family, run_online


def table_of(store: Memory, *cells: Recall):  # type: ignore[no-untyped-def]
    corpus = observe_corpus(store)
    source = graph_source("history", corpus.projects)
    found = look_up_all(corpus, source, RecallSetting.of(cells[0], "history").params)
    grid = [recall_cells(cell, {})[0] for cell in cells]
    return corpus, source, found, sweep_recall(lambda setting: found.facts, "history", grid)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), params=param_sets)
def test_every_metric_is_what_a_count_by_hand_gives(seed: int, params: Recall) -> None:
    store = corpus_of(Random(seed))
    if not observe_corpus(store).projects:
        return
    corpus, source, _, table = table_of(store, params)
    counted, _ = run_online(corpus.projects, source, params)
    assert sorted(table.transcripts) == sorted(s for log in store.logs for s in log.sources)
    assert set(counted) <= set(RECALL_METRICS)
    for metric in RECALL_METRICS:
        expected = [counted[metric][name] for name in table.transcripts]
        assert table.metric(metric)[0].tolist() == pytest.approx(expected), metric


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), params=param_sets)
def test_a_replay_is_the_policy_online(seed: int, params: Recall) -> None:
    store = corpus_of(Random(seed))
    if not observe_corpus(store).projects:
        return
    corpus, source, found, _ = table_of(store, params)
    _, answers = run_online(corpus.projects, source, params)
    facts = found.facts
    made = decide(facts, params)
    n_lines = np.bincount(
        facts.pointers.question, weights=made.printed, minlength=len(facts.questions.kind)
    )
    replayed = {
        (facts.projects[project], int(at), QUESTION_KINDS[kind]): Answer(
            bool(made.fires[i]),
            int(n_lines[i]),
            int(made.output_bytes[i]),
            bool(made.truncated[i]),
            int(made.repeats_left_out[i]),
        )
        for i, (project, at, kind) in enumerate(
            zip(facts.questions.project, facts.questions.prompt, facts.questions.kind, strict=True)
        )
    }
    assert replayed == answers


@given(seed=st.integers(0, 2**32))
@settings(max_examples=10)
def test_sums_of_families_and_what_holds_between_metrics(seed: int) -> None:
    store = corpus_of(Random(seed), 6)
    if not observe_corpus(store).projects:
        return
    grid = [Recall(), Recall(suppress_repeats=True, max_hits=1), Recall(min_hit_score=1)]
    _, _, _, table = table_of(store, *grid)
    for metric in RECALL_METRICS:
        by_family = dict(zip(table.families, table.by_family(metric).T, strict=True))
        for log in store.logs:
            mine = [table.transcripts.index(name) for name in log.sources]
            assert by_family[log.family] == pytest.approx(
                table.metric(metric)[:, mine].sum(axis=1)
            ), metric
    get = table.metric
    assert {*table.fixed, *table.values, "told_pointers"} == set(RECALL_METRICS)
    assert (get("used_fires") <= get("fires")).all()
    assert (get("fires") <= get("matched")).all()
    assert (get("matched") <= get("with_identifier")).all()
    assert (get("used_pointers") <= get("used_candidates")).all()
    assert (get("pointers") <= get("candidates")).all()
    assert np.array_equal(get("told_pointers"), get("used_pointers") - get("named_used_pointers"))
    assert (get("repeats")[1] == 0).all()
    for kind in QUESTION_KINDS[1:]:
        assert (get(f"{kind}_fires") <= get(f"{kind}_questions")).all()


# One corpus, worked out on paper ------------------------------------------------------------------

PUMP = symbol("/src/pumps/pump.py", "start_pump", 1)


def paper() -> Memory:
    """The first prompt comes before anything was shown; the fourth in a new context."""
    first = family(
        "first",
        prompt("start_pump please"),
        call("Read", lines("/src/pumps/pump.py", 1, "x"), PUMP),
        prompt("Where is start_pump?"),
        call("Grep"),
        call("Read", lines("/src/pumps/pump.py", 1, "x")),
        says("done"),
        prompt("start_pump once more, in pump.py"),
        says("start_pump"),
        mark("compaction"),
        prompt("and start_pump now"),
    )
    return Memory([first])


def test_numbers_on_paper() -> None:
    _, _, _, table = table_of(paper(), Recall(), Recall(suppress_repeats=True))
    frame = 75 + 40 + 1 + len("store")
    line = len("  pump.py:1 start_pump\n")
    file_line = len("  pump.py\n")
    score = {name: table.metric(name)[:, 0].tolist() for name in RECALL_METRICS}
    assert score["prompts"] == [4, 4]
    assert score["with_identifier"] == [4, 4]
    assert score["matched"] == [3, 3]
    assert score["candidates"] == [1 + 2 + 1] * 2
    assert score["used_candidates"] == [1 + 1] * 2  # read after a search; its name written
    # At the first prompt nothing is known yet; at the second the file is read, at none of the
    # others; the third writes its name.
    assert score["empty_graph"] == [1, 1]
    assert score["nothing_right"] == [2, 2]
    assert score["missed"] == [0, 0]
    assert score["used_files"] == [1, 1]
    assert score["reached_files"] == [1, 1]
    assert score["fires"] == [3, 3]
    assert score["used_fires"] == [2, 1]
    assert score["pointers"] == [4, 3]
    assert score["repeats"] == [1, 0]
    assert score["used_pointers"] == [2, 1]
    assert score["named_pointers"] == [4, 3]
    assert score["told_pointers"] == [0, 0]
    assert score["averted_pointers"] == [0, 0]
    assert score["output_bytes"] == [
        3 * frame + 3 * line + file_line,
        3 * frame + 2 * line + file_line,
    ]
    # Two calls and an answer, then the third prompt and an answer, then the context is gone.
    second, third = frame + line, frame + line + file_line
    assert score["carried_bytes"][0] == 4 * second + third
    assert score["priced_bytes"][0] == pytest.approx((1.25 + 3 * 0.1) * second + 1.25 * third)
    for kind in ("unrelated", "joined"):
        assert score[f"{kind}_questions"] == [0, 0]  # no other project, no other transcript
    assert score["absent_questions"] == [3, 3]
    assert score["unanswerable"] == [0, 0]


def test_the_coverage_gate_counts_words() -> None:
    _, _, _, table = table_of(paper(), PROFILES["mushroomdb 0.7"])
    assert table.metric("fires")[0, 0] == 3
    assert table.metric("matched")[0, 0] == 3


def test_families_without_prompts_count_and_are_last() -> None:
    silent = family("a silent one", call("Read", lines("/src/pumps/pump.py", 1, "x")))
    one = family("one", prompt("go on"), day=1)
    _, _, _, table = table_of(Memory([silent, one]), Recall())
    assert table.families == ("one", "a silent one")
    assert table.metric("prompts")[0].tolist() == [1, 0]
    assert all(table.by_family(name).shape == (1, 2) for name in RECALL_METRICS)


def test_an_undated_family_is_a_project_by_itself() -> None:
    dated = family("dated", prompt("x"), call("Read", lines("/src/pumps/pump.py", 1, "x"), PUMP))
    undated = family("undated", prompt("start_pump"), later(0), prompt("start_pump"), day=None)
    corpus, _, _, table = table_of(Memory([dated, undated]), Recall())
    assert [p.name for p in corpus.projects] == ["pumps", "pumps (undated)"]
    assert table.by_family("matched")[0].tolist() == [0, 0]


def test_facts_of_another_order_of_logs_are_the_same_scores() -> None:
    store = corpus_of(Random(3), 6)
    mixed = replace(store, logs=list(reversed(store.logs)))
    for params in (Recall(), Recall(suppress_repeats=True)):
        one, other = (table_of(each, params)[3] for each in (store, mixed))
        order = [other.transcripts.index(name) for name in one.transcripts]
        for metric in RECALL_METRICS:
            assert one.metric(metric)[0].tolist() == other.metric(metric)[0][order].tolist(), metric
