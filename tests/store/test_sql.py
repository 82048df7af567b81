from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ctxlab.errors import CtxlabError, StoreError
from ctxlab.schema import SCHEMA_VERSION, TABLES, VIEWS
from ctxlab.store import Store, _manifest, open_store

LINES = ("def f():", "    return 1")
UNEVEN = '{"format": 1, "key": "k", "shards": ["a", "b"], "schemas": [1], "touched": {}}'


@pytest.fixture
def filled(store: Store, tmp_path: Path, session: Any) -> Store:
    for name in "ab":
        made = session(f"session-{name}").prompt("do").read("/x.py", 1, LINES)
        made.read("/y.py", 1, LINES * (2 if name == "a" else 1))
        made.write(tmp_path / "logs" / f"{name}.jsonl")
    store.ingest(tmp_path / "logs")
    return store


def test_every_declared_table_and_view_with_its_types(filled: Store) -> None:
    declared = {**TABLES, **VIEWS}
    assert {name for (name,) in filled.sql("show tables").fetchall()} == set(declared)
    for name, table in declared.items():
        found = filled.sql(f'describe "{name}"').fetchall()
        assert [row[:2] for row in found] == [(c.name, c.type) for c in table.columns]


def test_no_view_is_null_where_it_says_it_is_not(filled: Store) -> None:
    for name, table in VIEWS.items():
        for column in table.columns:
            rows = filled.sql(f'select count(*), count("{column.name}") from "{name}"').fetchall()
            assert rows[0][0] > 0
            assert column.nullable or rows[0][0] == rows[0][1]


def test_an_empty_store_has_all_tables(store: Store) -> None:
    for name, table in {**TABLES, **VIEWS}.items():
        found = store.sql(f'describe "{name}"').fetchall()
        assert [row[:2] for row in found] == [(c.name, c.type) for c in table.columns]
        assert store.sql(f'select count(*) from "{name}"').fetchall() == [(0,)]


def test_parameters(filled: Store) -> None:
    rows = filled.sql("select family from families where family = ?", ["session-a"])
    assert rows.fetchall() == [("session-a",)]
    rows = filled.sql("select family from families where family = $name", {"name": "session-b"})
    assert rows.fetchall() == [("session-b",)]


def test_calls_and_tools(filled: Store) -> None:
    rows = filled.sql(
        "select family, tool, result_seq - seq, touch_paths from calls order by family, seq"
    ).fetchall()
    assert rows[:2] == [
        ("session-a", "Read", 1, ["/x.py"]),
        ("session-a", "Read", 1, ["/y.py"]),
    ]
    ((tool, kind, n_calls, n_results, n_errors, n_bytes),) = filled.sql("from tools").fetchall()
    assert (tool, kind, n_calls, n_results, n_errors) == ("Read", "read", 4, 4, 0)
    assert n_bytes > 0


def test_copies_are_counted_once(filled: Store, tmp_path: Path, session: Any) -> None:
    made = session("session-a").prompt("do").read("/x.py", 1, LINES)
    made.write(tmp_path / "logs" / "earlier.jsonl")
    (tmp_path / "logs" / "backup.jsonl").write_bytes((tmp_path / "logs" / "b.jsonl").read_bytes())
    filled.ingest(tmp_path / "logs")
    assert filled.sql("select n_calls, n_results from tools").fetchall() == [(4, 4)]
    assert filled.sql("select count(*), sum(output_tokens) from usage").fetchall() == [(4, 20)]
    assert filled.sql("select count(*) from calls where is_copy").fetchall() == [(3,)]
    logs = list(filled.iter_logs())
    assert sum(len(log.calls) for log in logs) == sum(len(log.usage) for log in logs) == 4


def test_frames_and_arrow(filled: Store) -> None:
    assert filled.sql("from transcripts").df().shape[0] == 2
    assert filled.sql("from spans").to_arrow_table().num_rows == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("select nothing from calls", 'rejected: .*"nothing" not found'),
        ("selec 1", "rejected: .*syntax error"),
        ("select * from nowhere", "rejected: .*nowhere does not exist"),
    ],
)
def test_a_rejected_query_says_why(filled: Store, text: str, message: str) -> None:
    with pytest.raises(CtxlabError, match=message):
        filled.sql(text)


def test_a_variable_of_the_caller_is_no_table(filled: Store) -> None:
    mine = filled.sql("from transcripts").df()
    with pytest.raises(CtxlabError, match="mine does not exist"):
        filled.sql("select * from mine")
    assert len(mine) == 2


def test_no_extension_is_fetched(filled: Store) -> None:
    rows = filled.sql(
        "select name, value from duckdb_settings() where name in "
        "('autoinstall_known_extensions', 'autoload_known_extensions')"
    )
    assert {value for _, value in rows.fetchall()} == {"false"}


@pytest.mark.parametrize("name", ["it's", "a[b]c", "w*ld?", "year=2026", 'quo"te', "späce d"])
def test_any_folder_name(tmp_path: Path, session: Any, name: str) -> None:
    log = session().prompt("do").read("/x.py", 1, LINES).write(tmp_path / "a.jsonl")
    with open_store(tmp_path / name / "store") as store:
        store.ingest(log)
        assert store.sql("select count(*) from events").fetchall() == [(3,)]
        assert store.sql("select * from transcripts").columns[-1] == "reader_version"
        assert [len(found.lines) for found in store.iter_logs()] == [2]
        store.to_duckdb(tmp_path / f"{name}.duckdb")
    with duckdb.connect(str(tmp_path / f"{name}.duckdb"), read_only=True) as con:
        assert con.execute("select count(*) from events").fetchall() == [(3,)]


def test_a_portable_database(filled: Store, tmp_path: Path) -> None:
    made = filled.to_duckdb(tmp_path / "all.duckdb")
    moved = made.rename(tmp_path / "moved.duckdb")
    with duckdb.connect(str(moved), read_only=True) as con:
        for name, table in TABLES.items():
            found = con.execute(f'describe "{name}"').fetchall()
            assert [row[:2] for row in found] == [(c.name, c.type) for c in table.columns]
            assert [row[2] == "YES" for row in found] == [c.nullable for c in table.columns]
            rows = con.execute(f'select * from "{name}"').fetchall()
            assert rows == filled.sql(f'select * from "{name}"').fetchall()
        assert con.execute("select n_calls from tools").fetchall() == [(4,)]
    assert moved.read_bytes()[12:20] == (64).to_bytes(8, "little")  # storage of DuckDB 1.0 to 1.1


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_portable_database_is_private(filled: Store, tmp_path: Path, overwrite: bool) -> None:
    path = tmp_path / "all.duckdb"
    if overwrite:
        path.write_text("mine")
        path.chmod(0o644)
    assert filled.to_duckdb(path, overwrite=overwrite).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text",
    [
        "copy (select 1) to '{}/evil.csv'",
        "copy (select 1) to '{}/evil.parquet' (format parquet)",
        "copy (select 1) to 'evil.csv'",
        "copy (select 1) to '{}/store/../evil.csv'",
        "explain analyze copy (select 1) to '{}/evil.csv'",
        "attach '{}/evil.db'",
        "export database '{}/evil'",
        "select 1; copy (select 1) to '{}/evil.csv'",
        "select * from read_text('{}/other.txt')",
        "select * from read_csv('{}/other.txt')",
        "select * from glob('{}/*')",
        "select * from '{}/other.txt'",
        "set enable_external_access = true",
        "set allowed_directories = ['/']",
        "reset lock_configuration",
        "install httpfs",
    ],
)
def test_a_query_reads_the_store_only(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (tmp_path / "other.txt").write_text("a\n1\n")
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(CtxlabError, match="rejected"):
        filled.sql(text.format(tmp_path))
    assert sorted(tmp_path.rglob("*")) == before
    assert filled.sql("select count(*) from calls").fetchall() == [(4,)]


def test_a_store_behind_a_link(filled: Store, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(filled.folder)
    with open_store(tmp_path / "link") as store:
        assert store.sql("select count(*) from calls").fetchall() == [(4,)]
        assert store.to_duckdb(tmp_path / "all.duckdb").exists()


def test_a_database_is_not_overwritten_unasked(filled: Store, tmp_path: Path) -> None:
    path = tmp_path / "all.duckdb"
    path.write_text("mine")
    with pytest.raises(StoreError, match=r"all.duckdb exists; .* overwrite=True"):
        filled.to_duckdb(path)
    assert path.read_text() == "mine"
    filled.to_duckdb(path, overwrite=True)
    with duckdb.connect(str(path), read_only=True) as con:
        assert con.execute("select count(*) from transcripts").fetchall() == [(2,)]
    with pytest.raises(StoreError, match="cannot be written: No such file or directory"):
        filled.to_duckdb(tmp_path / "none" / "all.duckdb")


def test_the_key_leaves_the_store_in_no_table(filled: Store, tmp_path: Path) -> None:
    key = _manifest.load(filled.folder).key.encode()
    made = filled.to_duckdb(tmp_path / "all.duckdb")
    assert key not in made.read_bytes()
    assert not [p for p in (filled.folder / "shards").rglob("*.parquet") if key in p.read_bytes()]


def changed(store: Store, **values: Any) -> None:
    path = store.folder / "store.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_a_store_of_a_newer_layout(filled: Store) -> None:
    changed(filled, format=_manifest.FORMAT_VERSION + 1)
    with pytest.raises(StoreError, match=r"has format 2, and this ctxlab knows 1; update ctxlab"):
        open_store(filled.folder)


def test_a_store_of_newer_tables(filled: Store) -> None:
    changed(filled, schemas=[SCHEMA_VERSION + 1])
    told = f"tables of version {SCHEMA_VERSION + 1}, and this ctxlab knows {SCHEMA_VERSION}; update"
    with pytest.raises(StoreError, match=told):
        open_store(filled.folder)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 1}', '{"format": "x"}', UNEVEN])
def test_a_broken_manifest(filled: Store, content: str) -> None:
    (filled.folder / "store.json").write_text(content)
    with pytest.raises(StoreError, match="is no manifest of a store; move the folder aside"):
        open_store(filled.folder)


def test_a_damaged_shard_is_named(filled: Store) -> None:
    damaged = sorted((filled.folder / "shards").glob("*/transcripts.parquet"))[0]
    damaged.chmod(0o600)
    damaged.write_bytes(damaged.read_bytes()[:20])
    with (
        pytest.raises(StoreError, match=r"is damaged: .*transcripts\.parquet cannot be read; move"),
        open_store(filled.folder) as store,
    ):
        store.families()


@pytest.mark.parametrize("table", ["events", "spans", "problems"])
def test_damage_to_any_table_is_trouble_with_the_store(filled: Store, table: str) -> None:
    damaged = sorted((filled.folder / "shards").glob(f"*/{table}.parquet"))[0]
    damaged.chmod(0o600)
    damaged.write_bytes(b"no table")
    with (
        open_store(filled.folder) as store,
        pytest.raises(StoreError, match=f"is damaged: a file of its table {table} cannot be read"),
    ):
        store.sql("select 1")


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="is a file; name a folder for the store"):
        open_store(tmp_path / "file")
    with pytest.raises(StoreError, match="file/store is no folder; name a folder"):
        open_store(tmp_path / "file" / "store")
    with pytest.raises(StoreError, match="holds other files and no store; name an empty"):
        open_store(tmp_path)


def test_a_temporary_store_goes_with_its_process(tmp_path: Path) -> None:
    code = "from ctxlab.store import open_store; s = open_store(); print(s.folder)"
    root = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root)
    folder = Path(run.stdout.strip())
    assert folder.name.startswith("ctxlab-")
    assert not folder.exists()


def test_the_cache_is_a_folder_of_the_store(filled: Store) -> None:
    folder = filled.cache("facts-1")
    assert folder == filled.cache("facts-1")
    assert folder.is_dir()
    assert folder.is_relative_to(filled.folder)
