"""From logs to facts: what each question may know, and that it never knows anything later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.recall.facts import QUESTION_KINDS, RecallFacts
from ctxlab.recall.params import PROFILES, Recall
from ctxlab.recall.sources import graph_source
from ctxlab.replay import LookedUp, look_up_all, observe_corpus
from tests.builders import call, edit, lines, prompt, says, symbol
from tests.replay.recall_worlds import NAMES, START_MS, Memory, corpus_of, family
from tests.repositories import commit, git
from tests.sessions import START

DAY = timedelta(days=1)


def look_up(store: Memory, graph: str | Path = "history", params: Recall | None = None) -> LookedUp:
    corpus = observe_corpus(store)
    return look_up_all(corpus, graph_source(graph, corpus.projects), params or Recall())


Known = dict[tuple[str, int, str], Any]


def known(found: LookedUp, kinds: Sequence[str] = QUESTION_KINDS) -> Known:
    """What the policy saw at each question, by transcript, prompt and kind; no outcomes."""
    facts, seen = found.facts, {}
    q, p = facts.questions, facts.pointers
    for i, code in enumerate(q.kind):
        if QUESTION_KINDS[code] in kinds:
            mine = p.question == i
            seen[facts.transcripts[q.transcript[i]], int(q.prompt[i]), QUESTION_KINDS[code]] = (
                *(getattr(q, name)[i].item() for name in ("prompt_bytes", "terms", "hits")),
                *(
                    repr(getattr(q, name)[i].item())  # NaN is not equal to itself
                    for name in ("best_score", "second_score", "ceiling", "unrelated_share")
                ),
                int(q.label_bytes[i]),
                tuple(p.line_bytes[mine].tolist()),
                tuple(p.named[mine].tolist()),
            )
    return seen


def same_node(facts: RecallFacts) -> set[tuple[tuple[str, int, int], ...]]:
    """Which lines of which questions point at one node: (transcript, prompt, rank), of asked."""
    q, p = facts.questions, facts.pointers
    groups: dict[int, list[tuple[str, int, int]]] = {}
    for question, rank, node in zip(p.question, p.rank, p.node, strict=True):
        if q.kind[question] == 0:
            place = facts.transcripts[q.transcript[question]], int(q.prompt[question]), int(rank)
            groups.setdefault(int(node), []).append(place)
    return {tuple(sorted(group)) for group in groups.values()}


# Never later knowledge ----------------------------------------------------------------------------


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), gate=st.sampled_from(["identifier", "coverage"]))
def test_later_transcripts_change_nothing_that_an_earlier_prompt_sees(seed: int, gate: Any) -> None:
    random = Random(seed)
    store = corpus_of(random)
    if not observe_corpus(store).projects:
        return
    end = max(
        (int(log.texts.event_ms.max(initial=0)) for log in store.logs if log.texts), default=0
    )
    after = (end - START_MS) / 86_400_000 + 1
    more = [
        family(
            f"later{i}",
            prompt(f"{random.choice(NAMES)} and {random.choice(NAMES)}, once more"),
            call(
                "Read",
                lines(f"{cwd}/src/pump.py", 1, "x"),
                symbol(f"{cwd}/src/pump.py", random.choice(NAMES), 9, "Something new."),
                symbol(f"{cwd}/src/new.py", random.choice(NAMES), 1),
            ),
            says("src/pump.py"),
            prompt("what of pump.py"),
            cwd=cwd,
            day=after + i,
        )
        for i, cwd in enumerate(("/src/pumps", "/src/valves", "/old/tanks"))
    ]
    params = PROFILES["mushroomdb 0.7"] if gate == "coverage" else Recall()
    before, grown = (
        look_up(each, params=params) for each in (store, replace(store, logs=[*store.logs, *more]))
    )
    earlier, now = known(before), known(grown)
    assert {place: now[place] for place in earlier} == earlier
    added = {place for place in now if place not in earlier}
    assert all(place[0].startswith("later") for place in added)
    # Deleting them again is the first state, to the last bit.
    assert repr(look_up(store, params=params).facts) == repr(before.facts)


def turns(n: int) -> list[Any]:
    """Turns of one transcript, each of which shows something that the next ones may know."""
    steps: list[Any] = []
    for i in range(n):
        path = f"/src/pumps/file{i % 3}.py"
        steps += [
            prompt(f"start_pump{i - 1} and start_pump{i} in file{i % 3}.py"),
            call("Read", lines(path, 1, "x"), symbol(path, f"start_pump{i}", i + 1)),
            call("Edit", edit(path), symbol(path, f"start_pump{max(0, i - 1)}", i + 7)),
            says(f"start_pump{i}"),
        ]
    return steps


@pytest.mark.parametrize("graph", ["history", "git"])
def test_later_turns_change_nothing_that_an_earlier_prompt_sees(graph: str, tmp_path: Path) -> None:
    cwd = "/src/pumps"
    if graph == "git":
        cwd = str(tmp_path / "pumps")
        commit(tmp_path / "pumps", {"file0.py": "def start_pump0(): ..."}, at=START - DAY)
    wholes = []
    for n in range(1, 6):
        one = family("one", *turns(n), cwd=cwd)
        wholes.append(known(look_up(Memory([one]), graph)))
    assert any(seen[2] for seen in wholes[-1].values())
    for shorter, longer in pairwise(wholes):
        assert shorter == {place: longer[place] for place in shorter}
        assert len(longer) > len(shorter)


def test_later_commits_change_nothing_that_an_earlier_prompt_sees(tmp_path: Path) -> None:
    folder = tmp_path / "pumps"
    files = {
        "pump.py": "def start_pump():\n    '''Start it.'''\n",
        "README.md": "# Pumps\n\ngauge\n",
    }
    commit(folder, files, "Add start_pump", at=START - DAY)
    asks = [prompt(f"{name} in pump.py, README.md, gauge_reader") for name in NAMES[:3]]
    store = Memory(
        [family("one", *asks, cwd=str(folder)), family("two", *asks, cwd=str(folder), day=1.5)]
    )
    before = known(look_up(store, "git"))
    assert all(seen[2] > 0 for place, seen in before.items() if place[2] == "asked")
    tip = git(folder, "rev-parse", "HEAD")

    commit(folder, {"pump.py": "def stop_pump(): ...\n"}, "stop_pump", at=START + 3 * DAY)
    commit(folder, {"gauge.py": "gauge_reader = open_valve = 1\n"}, at=START + 4 * DAY)
    commit(folder, {"README.md": None}, "No more start_pump", at=START + 5 * DAY)
    git(folder, "notes", "add", "-m", "start_pump is gone", tip, at=START + 6 * DAY)
    assert known(look_up(store, "git")) == before

    git(folder, "reset", "--quiet", "--hard", tip)
    git(folder, "update-ref", "-d", "refs/notes/commits")
    assert known(look_up(store, "git")) == before

    commit(folder, {"pump.py": "def stop_pump(): ...\n"}, at=START + DAY / 2)  # between the two
    after = known(look_up(store, "git"))
    changed = {place[0] for place in before if after.get(place) != before[place]}
    assert changed == {"two/source"}


def test_what_a_repository_and_a_history_know_at_the_first_prompt(tmp_path: Path) -> None:
    folder = tmp_path / "pumps"
    commit(folder, {"pump.py": "def start_pump(): ...\n"}, at=START - DAY)
    one = family("one", prompt("start_pump"), cwd=str(folder))
    hits = {
        graph: look_up(Memory([one]), graph).facts.questions.hits.tolist()[0]
        for graph in ("history", "git")
    }
    assert hits["history"] == 0
    assert hits["git"] > 0


# What there is to be measured ---------------------------------------------------------------------


def test_a_lone_project_has_nothing_to_compare_with() -> None:
    one = family("one", *turns(3))
    facts = look_up(Memory([one])).facts
    assert set(facts.questions.kind) == {0, QUESTION_KINDS.index("absent")}
    assert all(share != share for share in facts.questions.unrelated_share)


def test_prompts_before_a_graph_are_counted_and_no_questions(tmp_path: Path) -> None:
    folder = tmp_path / "pumps"
    commit(folder, {"pump.py": "def start_pump(): ...\n"}, at=START + DAY)
    early = family("early", prompt("start_pump"), prompt("start_pump"), cwd=str(folder))
    late = family("late", prompt("start_pump"), cwd=str(folder), day=2)
    other = family("other", prompt("stop"), cwd="/gone")
    found = look_up(Memory([early, late, other]), "git")
    by_name = dict(zip(found.facts.transcripts, found.facts.unanswerable.tolist(), strict=True))
    assert by_name == {"early/source": 2, "late/source": 0, "other/source": 1}
    assert known(found).keys() == {("late/source", 2, "asked"), ("late/source", 2, "absent")}
    rows = found.graphs.set_index("project")
    assert rows.prompts.to_dict() == {"gone": 1, "pumps": 3}
    assert rows.prompts_without_graph.to_dict() == {"gone": 1, "pumps": 2}
    assert rows.node_states["gone"] == 0
    assert "no such folder" in rows.origin["gone"]
    assert rows.origin["pumps"].startswith("git repository pumps: 1 commits of HEAD")
    assert found.leaks.prompts.sum() == 0  # the one name that passed names something


def test_contexts_of_transcripts_are_numbered_apart() -> None:
    store = corpus_of(Random(11), 8)
    q = look_up(store).facts.questions
    owners: dict[int, set[int]] = {}
    for context, one in zip(q.context.tolist(), q.family.tolist(), strict=True):
        owners.setdefault(context, set()).add(one)
    assert all(len(of) == 1 for of in owners.values())


@pytest.mark.parametrize("change", [lambda logs: logs[::-1], lambda logs: logs[2:] + logs[:2]])
def test_the_order_of_logs_changes_no_fact(change: Callable[[Any], Any]) -> None:
    store = corpus_of(Random(5), 7)
    one, other = look_up(store), look_up(replace(store, logs=change(store.logs)))
    assert known(one, QUESTION_KINDS) == known(other, QUESTION_KINDS)
    assert same_node(one.facts) == same_node(other.facts)
    assert one.leaks.equals(other.leaks)
    assert one.graphs.equals(other.graphs)


def test_progress_counts_every_prompt() -> None:
    store = corpus_of(Random(5), 7)
    told: list[int] = []
    corpus = observe_corpus(store, told.append)
    assert told == [1] * 7
    told.clear()
    look_up_all(corpus, graph_source("history", corpus.projects), Recall(), told.append)
    assert sum(told) == sum(len(project.prompts) for project in corpus.projects)
