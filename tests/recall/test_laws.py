"""The law: facts and a decision give what the policy does online, on any world."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxlab.recall.build import JUDGED, QuestionRow
from ctxlab.recall.decide import decide
from ctxlab.recall.graph import Graph
from ctxlab.recall.index import GraphIndex
from ctxlab.recall.params import PROFILES, Recall
from ctxlab.recall.policy import RecallSession
from tests.recall.worlds import LineUse, facts_of, param_sets, random_graph, random_prompt, row

engines = st.sampled_from([{}, {"max_query_terms": 2}, {"max_excerpt_bytes": 16}])


class Asked(NamedTuple):
    """One question of a world: controls stand in no context, a compaction comes before it."""

    text: str
    at: int
    transcript: int
    compacted: bool
    share: float | None
    kind: str = "asked"


class Printed(NamedTuple):
    fires: bool
    lines: tuple[str, ...]
    n_bytes: int
    truncated: bool


def online(
    index: GraphIndex, questions: Sequence[Asked], params: Recall, label: str
) -> list[Printed]:
    """Ask one after the other, each transcript in its own session, each control in a new one."""
    sessions: dict[int, RecallSession] = {}
    made = []
    for asked in questions:
        session = RecallSession(index, params, label)
        if asked.kind == "asked":
            session = sessions.setdefault(asked.transcript, session)
            if asked.compacted:
                session.compacted()
        digest = session.prompt(asked.text, asked.at, asked.share)
        made.append(Printed(digest.fires, digest.pointer_lines, digest.n_bytes, digest.truncated))
    return made


def rows_of(
    index: GraphIndex, questions: Sequence[Asked], params: Recall, label: str
) -> list[QuestionRow]:
    contexts: dict[int, int] = {}
    rows = []
    for i, asked in enumerate(questions):
        if asked.kind == "asked" and (asked.compacted or asked.transcript not in contexts):
            contexts[asked.transcript] = i
        found = index.look_up(asked.text, params, asked.at)
        rows.append(
            row(
                found,
                kind=asked.kind,
                context=contexts.get(asked.transcript, 0),
                prompt=asked.at,
                label=label,
                unrelated_share=asked.share,
                uses=tuple(LineUse() for _ in found.lines) if asked.kind in JUDGED else (),
            )
        )
    return rows


def offline(rows: Sequence[QuestionRow], params: Recall) -> list[Printed]:
    facts = facts_of(rows)
    made = decide(facts, params)
    return [
        Printed(
            bool(made.fires[i]),
            tuple(
                rows[i].found.lines[rank].text
                for rank in facts.pointers.rank[(facts.pointers.question == i) & made.printed]
            ),
            int(made.output_bytes[i]),
            bool(made.truncated[i]),
        )
        for i in range(len(rows))
    ]


def questions_on(random: Random, prompts: Sequence[tuple[str, int]]) -> list[Asked]:
    return [
        Asked(
            text,
            at,
            random.randint(0, 1),
            random.random() < 0.15,
            random.choice([None, 0.0, 0.25, 0.5, 1.0]),
            random.choice(["asked", "asked", "asked", "unrelated", "joined", "absent"]),
        )
        for text, at in prompts
    ]


def with_engine(params: Recall, engine: dict[str, Any]) -> Recall:
    return Recall(**{**params.as_dict(), **engine})


@settings(max_examples=150)
@given(
    seed=st.integers(0, 2**32),
    params=param_sets,
    engine=engines,
    label=st.sampled_from(["s", "käse", "a\tb"]),
)
def test_decide_equals_the_online_run(
    seed: int, params: Recall, engine: dict[str, Any], label: str
) -> None:
    random = Random(seed)
    params = with_engine(params, engine)
    index = GraphIndex.of_graph(random_graph(random, n_prompts=12))
    questions = questions_on(random, [(random_prompt(random), at) for at in range(12)])
    expected = online(index, questions, params, label)
    assert offline(rows_of(index, questions, params, label), params) == expected


def corpora(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "conformance" / "recall.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def conformance(shared: Path) -> list[tuple[GraphIndex, list[str]]]:
    made = []
    for case in corpora(shared):
        corpus = case["corpus"]
        index = GraphIndex(corpus["nodes"], [tuple(pair) for pair in corpus["fulltext"]])
        made.append((index, [asked["prompt"] for asked in case["cases"]]))
    return made


@settings(max_examples=25)
@given(corpus=st.integers(0, 7), seed=st.integers(0, 2**32), params=param_sets, engine=engines)
def test_decide_equals_the_online_run_on_the_conformance_corpora(
    conformance: list[tuple[GraphIndex, list[str]]],
    corpus: int,
    seed: int,
    params: Recall,
    engine: dict[str, Any],
) -> None:
    random = Random(seed)
    params = with_engine(params, engine)
    index, prompts = conformance[corpus]
    questions = questions_on(random, [(text, 0) for text in random.choices(prompts, k=25)])
    expected = online(index, questions, params, "store")
    assert offline(rows_of(index, questions, params, "store"), params) == expected


@pytest.mark.parametrize("profile", PROFILES)
def test_profiles_answer_the_conformance_corpora_alike(
    conformance: list[tuple[GraphIndex, list[str]]], profile: str
) -> None:
    params = PROFILES[profile]
    for index, prompts in conformance:
        questions = [Asked(text, 0, 0, False, None) for text in prompts]
        expected = online(index, questions, params, "store")
        assert any(printed.fires for printed in expected)
        assert offline(rows_of(index, questions, params, "store"), params) == expected


@given(seed=st.integers(0, 2**32))
def test_a_session_that_suppresses_repeats_prints_each_line_once_a_context(seed: int) -> None:
    random = Random(seed)
    index = GraphIndex.of_graph(random_graph(random, n_prompts=8))
    texts = [random_prompt(random) for _ in range(8)]
    plain = RecallSession(index, Recall())
    session = RecallSession(index, Recall(suppress_repeats=True))
    every = [line for text in texts for line in plain.prompt(text).pointer_lines]
    once = [line for text in texts for line in session.prompt(text).pointer_lines]
    assert once == list(dict.fromkeys(every))
    assume(every)
    session.compacted()
    again = [line for text in texts for line in session.prompt(text).pointer_lines]
    assert again == once


def test_a_graph_without_nodes_answers_nothing() -> None:
    session = RecallSession(GraphIndex.of_graph(Graph(())))
    assert not session.prompt("Why does load_all fail?").fires
