"""Derived values are cached by content, and a bad cache costs time only."""

from __future__ import annotations

import errno
import importlib
import shutil
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from ctxlab.dedup.facts import Facts
from ctxlab.errors import InputError, StoreError
from ctxlab.replay import Setting, Survey, corpus, corpus_facts, survey
from ctxlab.store import Store, open_store
from tests.sessions import Session, write_logs

# The name stands for the function in the package.
survey_module = importlib.import_module("ctxlab.replay.survey")

READ = Setting(("read",), "line_text", "connection")
BY_THREAD = Setting(("read",), "hunks", "thread")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("logs")
    write_logs(made / "logs", 8)
    with open_store(made / "store") as store:
        store.ingest(made / "logs")
    return made


@pytest.fixture
def logs(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder / "logs", tmp_path / "logs"))


@pytest.fixture
def store(folder: Path, tmp_path: Path) -> Iterator[Store]:
    shutil.copytree(folder / "store", tmp_path / "store")
    with open_store(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def own(logs: Path, tmp_path: Path) -> Iterator[Store]:
    """A store of `logs`, which a test may change."""
    with open_store(tmp_path / "own") as opened:
        opened.ingest(logs)
        yield opened


def families_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the families whose log is read from now on."""
    read: list[str] = []
    real = store.iter_logs

    def iter_logs(families: Any = None) -> Iterator[Any]:
        for log in real(families):
            read.append(log.family)
            yield log

    monkeypatch.setattr(store, "iter_logs", iter_logs)
    return read


def same(one: Facts, other: Facts) -> bool:
    return (one.families, one.transcripts) == (other.families, other.transcripts) and all(
        np.array_equal(getattr(getattr(one, g), c.name), getattr(getattr(other, g), c.name))
        for g in ("calls", "sections", "runs")
        for c in fields(getattr(one, g))
    )


def same_survey(one: Survey, other: Survey) -> bool:
    for name in ("transcripts", "changes", "reobtained", "sufficiency"):
        left, right = (
            getattr(s, name).drop(columns="content_hash", errors="ignore") for s in (one, other)
        )
        assert_frame_equal(left, right)
    return one.tokens == other.tokens


def parts(store: Store, kind: str) -> list[Path]:
    return sorted(path for path in (store.folder / "cache").rglob("*") if path.suffix == kind)


def test_facts_are_in_the_order_of_the_families(store: Store) -> None:
    told: list[int] = []
    found = corpus_facts(store, [READ, BY_THREAD, READ], told.append)
    assert list(found) == [READ, BY_THREAD]
    assert found[READ].families == tuple(family.name for family in store.families())
    assert len(found[READ].families) == sum(told) == 8


def test_the_second_time_no_log_is_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    first, seen = corpus_facts(store, [READ, BY_THREAD]), survey(store)
    read = families_read(store, monkeypatch)
    again, seen_again = corpus_facts(store, [READ, BY_THREAD]), survey(store)
    assert read == []
    assert all(same(first[s], again[s]) for s in first)
    assert same_survey(seen, seen_again)
    corpus_facts(store, [READ, Setting(("read", "grep"), "line_text", "connection")])
    assert len(read) == 8


def test_only_a_changed_family_is_derived_again(
    own: Store, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus_facts(own, [READ])
    survey(own)
    Session("session-003", 3).prompt().read("/project/z.py").write(logs / "session-003.jsonl")
    own.ingest(logs)
    read = families_read(own, monkeypatch)
    found = corpus_facts(own, [READ])[READ]
    assert read == ["session-003"]
    seen = survey(own)
    assert read == ["session-003"] * 2
    assert seen.transcripts.family.unique().tolist() == [f.name for f in own.families()]
    monkeypatch.undo()
    shutil.rmtree(own.folder / "cache")
    assert same(found, corpus_facts(own, [READ])[READ])
    assert same_survey(seen, survey(own))


def test_parts_of_which_nothing_counts_are_removed(own: Store, logs: Path) -> None:
    corpus_facts(own, [READ])
    survey(own)
    old = {*parts(own, ".npz"), *parts(own, ".parquet")}
    for day in range(8):
        name = f"session-{day:03}"
        Session(name, day).prompt().read("/project/z.py", 1, day + 1).write(logs / f"{name}.jsonl")
    shutil.rmtree(logs / "session-007")
    own.ingest(logs)
    corpus_facts(own, [READ])
    survey(own)
    new = {*parts(own, ".npz"), *parts(own, ".parquet")}
    # The family with a sub-agent changed too: nothing of the old parts counts any more.
    assert not old & new


@pytest.mark.parametrize("what", ["empty", "cut", "words", "bits"])
def test_a_broken_part_is_made_anew(
    store: Store, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    first, seen = corpus_facts(store, [READ])[READ], survey(store)
    for path in [*parts(store, ".npz"), *parts(store, ".parquet")]:
        content = path.read_bytes()
        path.write_bytes(
            {"empty": b"", "cut": content[: len(content) // 2], "words": b"no zip file"}.get(
                what, bytes(b ^ (i % 7 == 3) for i, b in enumerate(content))
            )
        )
    read = families_read(store, monkeypatch)
    assert same(first, corpus_facts(store, [READ])[READ])
    assert len(read) == 8
    assert same_survey(seen, survey(store))
    assert len(read) == 16
    corpus_facts(store, [READ])
    survey(store)
    assert len(read) == 16


def test_no_single_changed_byte_changes_a_fact(store: Store) -> None:
    first = corpus_facts(store, [READ])[READ]
    (path,) = parts(store, ".npz")
    content, random = path.read_bytes(), Random(1)
    for _ in range(60):
        at = random.randrange(len(content))
        path.write_bytes(
            content[:at] + bytes([content[at] ^ 1 << random.randrange(8)]) + content[at + 1 :]
        )
        assert same(first, corpus_facts(store, [READ])[READ])


def test_another_version_is_another_cache(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus_facts(store, [READ])
    survey(store)
    read = families_read(store, monkeypatch)
    monkeypatch.setattr(corpus, "FACTS_VERSION", corpus.FACTS_VERSION + 1)
    monkeypatch.setattr(survey_module, "SURVEY_VERSION", 999)
    corpus_facts(store, [READ])
    survey(store)
    assert len(read) == 16


def test_parts_hold_few_families_each(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, seen = corpus_facts(store, [READ])[READ], survey(store)
    shutil.rmtree(store.folder / "cache")
    monkeypatch.setattr("ctxlab.replay._families.PART_FAMILIES", 3)
    monkeypatch.setattr(survey_module, "_PART_FAMILIES", 3)
    for _ in range(2):
        assert same(whole, corpus_facts(store, [READ])[READ])
        assert same_survey(seen, survey(store))
    assert len(parts(store, ".npz")) == 3
    # A second setting is cut into parts too, though the first is there already.
    corpus_facts(store, [READ, BY_THREAD])
    assert len(parts(store, ".npz")) == 6


@pytest.mark.parametrize("derive", [lambda s: corpus_facts(s, [READ]), survey])
def test_a_full_disk(store: Store, monkeypatch: pytest.MonkeyPatch, derive: Any) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("ctxlab.replay._cache.os.replace", full)
        with pytest.raises(StoreError, match=r"cannot write derived values .*: No space left"):
            derive(store)
    assert [p for p in (store.folder / "cache").rglob("*") if p.is_file()] == []
    with monkeypatch.context() as patch:
        patch.setattr(store, "cache", full)
        with pytest.raises(StoreError, match="No space left on device; free some space"):
            derive(store)
    derive(store)


@pytest.mark.parametrize("derive", [lambda s: corpus_facts(s, [READ]), survey])
def test_an_empty_store(tmp_path: Path, derive: Any) -> None:
    with (
        open_store(tmp_path / "empty") as empty,
        pytest.raises(InputError, match=r"the store .*empty is empty: ingest transcripts first"),
    ):
        derive(empty)


def test_what_a_survey_counts(store: Store) -> None:
    found = survey(store)
    rows = found.transcripts.set_index("transcript")
    assert len(rows) == 9  # eight sessions, one with a sub-agent in a file of its own
    assert rows.read_calls.sum() == rows.calls.sum() == 8 * 3 + 2 + 2
    assert (rows.read_bytes == rows.tool_result_bytes).all()
    assert (rows.new_input_tokens == 23 * rows.requests).all()
    assert rows.delivered_pointers.sum() == 0
    assert found.tokens.known == "modelled" or found.tokens.n_tokens < 10_000
    assert pd.isna(rows.started_ms).sum() == 0
