"""Stores that an older ctxlab filled: what was read stays, whatever was added to the tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from ctxlab.errors import StoreError
from ctxlab.schema import OLDEST_READABLE, SCHEMA_VERSION, TABLES, VIEWS
from ctxlab.store import Store, _families, _manifest, _shards, open_store
from ctxlab.store._arrow import SCHEMAS
from ctxlab.transcripts import READERS
from tests.store.older import age, written_with

LINES = ("def f():", "    return 1")
LATER = [name for name, table in TABLES.items() if table.since > 1]


@pytest.fixture
def logs(tmp_path: Path, session: Any) -> Path:
    for name in "ab":
        made = session(f"session-{name}").prompt(f"say {name}").read("/x.py", 1, LINES)
        made.write(tmp_path / "logs" / f"{name}.jsonl")
    return tmp_path / "logs"


@pytest.fixture
def older(store: Store, logs: Path) -> Store:
    store.ingest(logs)
    age(store)
    return store


def prompts(store: Store) -> dict[str, tuple[str, ...]]:
    found = {log.family: log.texts for log in store.iter_logs(texts=True)}
    return {family: texts.prompt_text for family, texts in found.items() if texts}


def counts(store: Store) -> dict[str, int]:
    return {
        name: store.sql(f'select count(*) from "{name}"').fetchall()[0][0]
        for name in (*TABLES, *VIEWS)
    }


def test_later_columns_are_nullable_and_of_a_known_version() -> None:
    for table in TABLES.values():
        assert 1 <= table.since <= SCHEMA_VERSION
        for column in table.columns:
            assert 1 <= column.since <= SCHEMA_VERSION
            assert column.nullable or column.since == 1, f"{table.name}.{column.name}"
    assert 1 <= OLDEST_READABLE <= SCHEMA_VERSION
    assert LATER


def test_columns_of_a_version() -> None:
    assert TABLES["prompts"].columns_at(1) == ()
    assert TABLES["prompts"].columns_at(2) == TABLES["prompts"].columns
    names = [column.name for column in TABLES["transcripts"].columns]
    held = [column.name for column in TABLES["transcripts"].columns_at(1)]
    assert set(names) - set(held) == {"cwd"}


def test_logs_are_as_they_were(store: Store, logs: Path, plain: Callable[[Any], Any]) -> None:
    store.ingest(logs)
    before = [plain(replace(log, content_hash="")) for log in store.iter_logs()]
    age(store)
    assert [plain(replace(log, content_hash="")) for log in store.iter_logs()] == before
    assert prompts(store) == {"session-a": (), "session-b": ()}
    for log in store.iter_logs(texts=True):
        assert log.texts is not None
        assert (log.texts.names, log.texts.symbol_name) == ((), ())
        assert log.texts.source_cwd == (None,)


@pytest.mark.parametrize("version", range(OLDEST_READABLE, SCHEMA_VERSION))
def test_older_tables_hold_no_answers(store: Store, logs: Path, version: int) -> None:
    store.ingest(logs)
    age(store, version)
    for log in store.iter_logs(answers=True):
        assert log.answers is not None
        assert (len(log.answers), log.answers.quote_token) == (0, ())


def test_all_tables_and_views_are_there(older: Store) -> None:
    for name, table in {**TABLES, **VIEWS}.items():
        found = older.sql(f'describe "{name}"').fetchall()
        assert [row[:2] for row in found] == [(c.name, c.type) for c in table.columns]
    n = counts(older)
    assert {name for name in TABLES if not n[name]} >= set(LATER)
    assert (n["transcripts"], n["events"], n["calls"], n["usage"], n["tools"]) == (2, 6, 2, 2, 1)
    assert older.sql("select path, cwd from transcripts where cwd is null").df().shape == (2, 2)


def test_a_portable_database(older: Store, tmp_path: Path, logs: Path, session: Any) -> None:
    session("session-c").prompt("say c").write(logs / "c.jsonl")
    (logs / "a.jsonl").unlink()
    older.ingest(logs / "c.jsonl")
    with duckdb.connect(str(older.to_duckdb(tmp_path / "all.duckdb")), read_only=True) as con:
        for name in (*TABLES, *VIEWS):
            rows = con.execute(f'select * from "{name}"').fetchall()
            assert sorted(map(repr, rows)) == sorted(
                map(repr, older.sql(f'select * from "{name}"').fetchall())
            )
        assert con.execute("select text from prompts").fetchall() == [("say c",)]


def test_files_that_stand_are_read_again_and_the_others_stay(
    older: Store, logs: Path, session: Any
) -> None:
    (logs / "a.jsonl").unlink()
    session("session-c").prompt("say c").write(logs / "c.jsonl")
    report = older.ingest(logs)
    assert (report.read, report.unchanged, report.vanished) == (2, 0, 1)
    assert report.unanswered == ()
    assert prompts(older) == {"session-a": (), "session-b": ("say b",), "session-c": ("say c",)}
    n = counts(older)
    assert (n["transcripts"], n["events"], n["prompts"], n["families"]) == (3, 7, 2, 3)
    assert older.sql("select count(*) from transcripts where cwd is null").fetchall() == [(1,)]
    schemas = {shard.schema for shard in _manifest.load(older.folder).shards}
    assert schemas == {1, SCHEMA_VERSION}
    assert older.ingest(logs).read == 0


def test_one_family_in_shards_of_two_versions(older: Store, logs: Path, session: Any) -> None:
    made = session("session-a", start=50).prompt("say more").read("/y.py", 1, LINES)
    made.write(logs / "later.jsonl")
    older.ingest(logs / "later.jsonl")
    assert prompts(older)["session-a"] == ("say more",)
    (log, _) = older.iter_logs(texts=True)
    assert log.texts is not None
    assert log.texts.source_cwd == (None, "/project")
    assert log.texts.symbol_name == ("f",)
    assert len(log.calls) == 2


def test_merging_writes_the_present_version(
    older: Store, logs: Path, session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (logs / "a.jsonl").unlink()
    before = counts(older)
    merged = _shards.compact(older.folder, _manifest.load(older.folder), many=1)
    assert [shard.schema for shard in merged.shards] == [SCHEMA_VERSION]
    _manifest.save(older.folder, merged)
    older.close()
    assert counts(older) == before
    assert prompts(older) == {"session-a": (), "session-b": ()}
    (transcripts,) = older.folder.glob(f"shards/{merged.shards[0].name}/transcripts.parquet")
    assert pq.read_schema(transcripts).equals(SCHEMAS["transcripts"])
    older.ingest(logs)  # its reader is newer, whatever shard its rows stand in
    assert prompts(older) == {"session-a": (), "session-b": ("say b",)}


def test_many_small_shards_of_two_versions_become_one(
    older: Store, logs: Path, session: Any
) -> None:
    (logs / "a.jsonl").unlink()
    for i in range(17):
        session(f"session-{i:02}").prompt(f"say {i}").write(logs / f"n{i:02}.jsonl")
        older.ingest(logs / f"n{i:02}.jsonl")
    shards = _manifest.load(older.folder).shards
    assert len(shards) < 5
    assert {shard.schema for shard in shards} == {SCHEMA_VERSION}
    assert len(older.families()) == 19
    assert prompts(older)["session-a"] == ()
    assert prompts(older)["session-16"] == ("say 16",)


def test_hashes_change_with_what_is_read_and_not_with_what_is_added(
    store: Store, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.ingest(logs)
    before = [family.content_hash for family in store.families()]
    written_with(store, 1)
    store.close()
    assert [family.content_hash for family in store.families()] == before
    with monkeypatch.context() as patch:
        patch.setattr(_families, "OLDEST_READABLE", SCHEMA_VERSION)
        assert not {family.content_hash for family in store.families()} & set(before)
    written_with(store, SCHEMA_VERSION)
    age(store)
    aged = [family.content_hash for family in store.families()]
    assert not set(aged) & set(before)
    store.ingest(logs)
    assert [family.content_hash for family in store.families()] == before


def test_every_reader_whose_files_hold_words_is_newer_than_the_first_tables() -> None:
    for name in ("claude_code", "codex", "mcp"):
        assert READERS[name].version > 2, name


def test_a_missing_file_of_the_present_version_is_damage(older: Store, logs: Path) -> None:
    older.ingest(logs)
    (path,) = older.folder.glob("shards/*/prompts.parquet")
    path.unlink()
    with pytest.raises(StoreError, match=r"prompts\.parquet cannot be read"):
        prompts(older)
    with pytest.raises(StoreError, match="a file of its table prompts cannot be read"):
        older.sql("select 1")


# Tables whose meaning changed ---------------------------------------------------------------------


def test_what_cannot_be_read_is_counted_and_named(store: Store, logs: Path) -> None:
    store.ingest(logs)
    written_with(store, OLDEST_READABLE - 1)
    (logs / "a.jsonl").unlink()
    gone = str(logs / "a.jsonl")
    with open_store(store.folder) as opened:
        with pytest.raises(
            StoreError,
            match=rf"tables of version 0, .* from version 1 on: ingest .* again \(2: {gone}, .*b",
        ):
            opened.families()
        assert opened.unanswered() == (gone, str(logs / "b.jsonl"))
        report = opened.ingest(logs)
        assert (report.read, report.unanswered) == (1, (gone,))
        assert [family.name for family in opened.families()] == ["session-b"]
        assert opened.unanswered() == (gone,)
        assert opened.ingest(logs).unanswered == (gone,)


def test_nothing_is_unanswered_in_a_store_that_is_read(older: Store) -> None:
    assert older.unanswered() == ()
