"""Facts kept beside the store: read when nothing changed, derived anew when anything did."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ctxlab
from ctxlab.errors import StoreError
from ctxlab.lab import Lab
from ctxlab.recall.facts import RecallFacts
from ctxlab.recall.graph import Node
from ctxlab.recall.jsongraph import Dated, write_graph
from ctxlab.recall.params import Recall
from ctxlab.recall.sources import graph_source
from ctxlab.replay import LookedUp, RecallSetting, cached, facts_key, look_up_all, observe_corpus
from tests.builders import call, lines, prompt, says, symbol
from tests.replay.recall_worlds import Memory, family
from tests.repositories import commit
from tests.sessions import START, Session


@pytest.fixture
def store(tmp_path: Path) -> Memory:
    shown = call("Read", lines("/src/pumps/pump.py", 1, "x"), symbol("/src/pumps/pump.py", "run"))
    logs = [
        family("one", prompt("\ud800 no start_pump"), shown, prompt("`run` it"), says("run")),
        family("é", prompt("start_pump, pump.py"), cwd="/src/valves", day=1),
        family("silent", shown),
    ]
    return Memory(logs, tmp_path)


def derived(store: Memory) -> LookedUp:
    corpus = observe_corpus(store)
    return look_up_all(corpus, graph_source("history", corpus.projects), Recall())


def never() -> LookedUp:
    raise AssertionError("derived again")


def same(one: RecallFacts, other: RecallFacts) -> bool:
    def arrays(facts: RecallFacts) -> list[Any]:
        groups = [facts, facts.questions, facts.pointers]
        return [getattr(group, c.name) for group in groups for c in fields(group)]

    return all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f") and a.dtype == b.dtype
        if isinstance(a, np.ndarray)
        else a == b or not isinstance(a, tuple)
        for a, b in zip(arrays(one), arrays(other), strict=True)
    )


def parts(store: Memory) -> list[Path]:
    return sorted((store.folder / "cache").rglob("*.*"))


def test_a_second_call_reads_what_the_first_kept(store: Memory) -> None:
    first = cached(store, "key", lambda: derived(store))
    again = cached(store, "key", never)
    assert same(first.facts, again.facts)
    assert again.leaks.equals(first.leaks)
    assert again.leaks.dtypes.equals(first.leaks.dtypes)
    assert again.graphs.equals(first.graphs)
    assert {path.suffix for path in parts(store)} == {".npz", ".parquet"}


def test_facts_of_nothing_are_kept_too(tmp_path: Path) -> None:
    store = Memory([family("silent", call("Read"))], tmp_path)
    corpus = observe_corpus(store)
    assert corpus.projects == ()

    def nothing() -> LookedUp:
        return look_up_all(corpus, None, Recall())  # type: ignore[arg-type]  # never asked

    first = cached(store, "key", nothing)
    assert same(first.facts, cached(store, "key", never).facts)
    assert first.facts.families == ("silent",)


@pytest.mark.parametrize("n", range(3))
@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"words\n"),
        lambda path: path.write_bytes(path.read_bytes()[:-40]),
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        lambda path: path.unlink(),
    ],
)
def test_what_is_damaged_is_derived_anew(
    store: Memory, n: int, damage: Callable[[Path], object]
) -> None:
    first = cached(store, "key", lambda: derived(store))
    damage(parts(store)[n])
    told: list[int] = []
    again = cached(store, "key", lambda: (told.append(1), derived(store))[1])
    assert told == [1]
    assert same(first.facts, again.facts)
    assert same(first.facts, cached(store, "key", never).facts)


def test_every_flipped_byte_is_found_or_does_no_harm(store: Memory) -> None:
    first = cached(store, "key", lambda: derived(store))
    path = next(path for path in parts(store) if path.suffix == ".npz")
    whole = path.read_bytes()
    for at in range(0, len(whole), 97):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        again = cached(store, "key", lambda: first)
        assert same(first.facts, again.facts), at
        path.write_bytes(whole)


def test_a_frame_that_cannot_be_read_is_no_error(store: Memory) -> None:
    first = cached(store, "key", lambda: derived(store))
    for path in [path for path in parts(store) if path.suffix == ".parquet"]:
        whole = path.read_bytes()
        for at in [*range(0, len(whole), 211), *range(len(whole) - 60, len(whole), 7)]:
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
            assert same(first.facts, cached(store, "key", lambda: first).facts), at
            path.write_bytes(whole)


def test_facts_that_serve_no_more_are_dropped(store: Memory) -> None:
    found = derived(store)
    for n in range(20):
        cached(store, f"key{n:02}", lambda: found)
        for path in parts(store):
            if path.name.startswith(f"key{n:02}"):
                os.utime(path, (n, n))
    kept = {path.name.partition(".")[0] for path in parts(store)}
    assert kept == {f"key{n:02}" for n in range(4, 20)}
    assert len(parts(store)) == 16 * 3


def test_a_full_disk_is_said(store: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    found = derived(store)
    with monkeypatch.context() as patch:
        patch.setattr("ctxlab.replay._cache.os.replace", full)
        with pytest.raises(
            StoreError, match=r"cannot write .*: No space left on device; free some"
        ):
            cached(store, "key", lambda: found)
        assert parts(store) == []
    assert same(cached(store, "key", lambda: found).facts, found.facts)


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_said(store: Memory) -> None:
    store.folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(StoreError, match="cannot write derived values"):
        cached(store, "key", lambda: derived(store))


def test_a_key_changes_with_all_that_facts_depend_on(store: Memory) -> None:
    plain = facts_key(store, RecallSetting(), "graph")
    grown = replace(store, logs=[replace(store.logs[0], content_hash="new"), *store.logs[1:]])
    others = [
        facts_key(grown, RecallSetting(), "graph"),
        facts_key(replace(store, logs=store.logs[1:]), RecallSetting(), "graph"),
        facts_key(store, RecallSetting(), "other"),
        *(
            facts_key(store, RecallSetting.of(params, graph), "graph")
            for params, graph in [
                (Recall(gate="coverage"), "history"),
                (Recall(max_query_terms=3), "history"),
                (Recall(max_excerpt_bytes=99), "history"),
                (Recall(), "git"),
            ]
        ),
    ]
    assert len({plain, *others}) == 1 + len(others)
    assert facts_key(store, RecallSetting.of(Recall(min_hit_score=4), "history"), "graph") == plain
    mixed = replace(store, logs=store.logs[::-1])
    assert facts_key(mixed, RecallSetting(), "graph") == plain


def test_a_setting_looks_up_without_floors_and_with_the_most_lines() -> None:
    strict = Recall(min_hit_score=9, max_hits=2, min_margin=2, gate="coverage", max_query_terms=5)
    setting = RecallSetting.of(strict, "git")
    assert setting.params == Recall(gate="coverage", max_query_terms=5)


# Through the lab ----------------------------------------------------------------------------------


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry each time that prompts are looked up."""
    import ctxlab.lab._recall as lab_recall

    told: list[int] = []
    real = lab_recall.look_up_all

    def counted(*given: Any) -> LookedUp:
        told.append(1)
        return real(*given)

    monkeypatch.setattr(lab_recall, "look_up_all", counted)
    return told


def fires(lab: Lab, graph: str | Path) -> float:
    return float(lab.replay(Recall(), graph=graph).summary().fires[0])


def test_a_change_of_transcripts_or_graph_is_looked_up_anew(
    tmp_path: Path, looked: list[int]
) -> None:
    logs, pumps, export = tmp_path / "logs", tmp_path / "pumps", tmp_path / "g.json"
    commit(pumps, {"a.py": "def start_pump(): ...\n"}, at=START - timedelta(days=1))
    write_graph([Dated(Node("Symbol", "a#b", {"name": "start_pump"}))], export)
    Session("one", cwd=str(pumps)).prompt("start_pump").says("x").write(logs / "1.jsonl")
    sources: dict[str, str | Path] = {"git": "git", "path": pumps, "export": export}
    with ctxlab.open(tmp_path / "lab") as lab:
        lab.ingest(logs)
        for graph in sources.values():
            assert fires(lab, graph) == fires(lab, graph) == 1
        assert len(looked) == 3
    with ctxlab.open(tmp_path / "lab") as lab:  # another process, much later
        for graph in sources.values():
            lab.sweep(Recall, min_hit_score=[0.05, 8], graph=graph)
        assert len(looked) == 3

        commit(pumps, {"b.py": "stop_pump = 1\n"}, at=START - timedelta(hours=1))
        lab.refresh()
        for graph in sources.values():
            fires(lab, graph)
        assert len(looked) == 5  # the export is as it was

        write_graph([Dated(Node("Symbol", "a#b", {"name": "open_valve"}))], export)
        lab.refresh()
        assert [fires(lab, graph) for graph in sources.values()] == [1, 1, 0]
        assert len(looked) == 6

        Session("two", 1, cwd=str(pumps)).prompt("start_pump").says("x").write(logs / "2.jsonl")
        lab.ingest(logs)
        assert [fires(lab, graph) for graph in sources.values()] == [2, 2, 0]
        assert len(looked) == 9
