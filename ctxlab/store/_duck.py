"""DuckDB in memory over the shards that count: views of the declared tables, and a few more."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from ctxlab.errors import ParameterError, StoreError
from ctxlab.schema import TABLES
from ctxlab.store._families import Family
from ctxlab.store._manifest import Shard
from ctxlab.store._shards import Live, shard_file

__all__ = ["confine", "connect", "query", "write_database"]

_PRIVATE = 0o600
_VIEWS = {
    "calls": """
SELECT
    c.source_id, f.family, c.thread, c.seq, r.seq AS result_seq, c.ts_ms, c.request, c.call_id,
    c.tool, c.tool_kind, r.is_error, r.text_bytes AS result_bytes, c.touch_paths, c.touch_kinds,
    f.is_copy OR (c.uid IS NOT NULL AND 1 < row_number() OVER (
        PARTITION BY f.family, c.thread, c.uid, c.call_id
        ORDER BY f.is_copy, r.seq IS NULL, f.place)) AS is_copy
FROM (SELECT * FROM events WHERE kind = 'call') AS c
JOIN families AS f ON f.source_id = c.source_id
LEFT JOIN (SELECT * FROM events WHERE kind = 'result') AS r
    ON r.source_id = c.source_id AND r.thread = c.thread AND r.call_id = c.call_id
""",
    "tools": """
SELECT
    tool, any_value(tool_kind) AS tool_kind, count(*) AS n_calls, count(result_seq) AS n_results,
    count(*) FILTER (WHERE is_error) AS n_errors, sum(result_bytes)::BIGINT AS result_bytes
FROM calls WHERE NOT is_copy GROUP BY tool
""",
    "usage": """
SELECT f.family, r.*
FROM requests AS r JOIN families AS f ON f.source_id = r.source_id
WHERE NOT f.is_copy
QUALIFY r.uid IS NULL OR 1 = row_number() OVER (
    PARTITION BY f.family, r.uid ORDER BY r.output_tokens DESC NULLS LAST, f.place)
""",
}


def connect(folder: Path, live: Live, families: Sequence[Family]) -> duckdb.DuckDBPyConnection:
    """Open a database in memory with one view a table, and four more tables.

    `families` says which family each source belongs to, its place in it, and whether its bytes
    are those of an earlier file. `calls` joins each call with its result; `is_copy` marks those
    that stand in another file too. `tools` sums calls, errors and result bytes by tool, and
    `usage` has the tokens of each model response, both without copies.

    Raises
    ------
    StoreError
        A file of the store is damaged or gone.
    """
    con = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        },
    )
    con.execute("SET python_enable_replacements = false")
    con.execute("CREATE SCHEMA shards")
    _load(con, "families", _family_table(families))
    _load(con, "shards.valid", _valid_table(live))
    for name in TABLES:
        try:
            con.execute(f'CREATE VIEW "{name}" AS {_rows(folder, live, name)}')
        except duckdb.Error as error:
            con.close()
            raise StoreError(
                f"the store {folder} is damaged: a file of its table {name} cannot be read "
                f"({str(error).splitlines()[0]}); move the store aside and ingest into a new one"
            ) from error
    for name, text in _VIEWS.items():
        con.execute(f"CREATE VIEW {name} AS {text}")
    return con


def confine(con: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Let queries reach no file outside the store in `folder`, for good.

    The shards are named as they are and as a pattern: views name them the second way. What does
    not fit into memory goes into the store's cache, else it would go into the working folder.
    """
    shards, spilled = folder / "shards", folder / "cache" / f"spilled-{secrets.token_hex(4)}"
    allowed = ", ".join(_quoted(path) for path in (str(shards), _without_glob(str(shards))))
    con.execute(f"SET temp_directory = {_quoted(str(spilled))}")
    con.execute(f"SET allowed_directories = [{allowed}]")
    con.execute("SET enable_external_access = false")
    con.execute("SET lock_configuration = true")


def _load(con: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
    con.register("arriving", table)
    con.execute(f"CREATE TABLE {name} AS SELECT * FROM arriving")
    con.unregister("arriving")


def _family_table(families: Sequence[Family]) -> pa.Table:
    rows = [
        (member.source_id, family.name, place, member.copy_of >= 0)
        for family in families
        for place, member in enumerate(family.members)
    ]
    kinds = {
        "source_id": pa.string(),
        "family": pa.string(),
        "place": pa.int32(),
        "is_copy": pa.bool_(),
    }
    return pa.table(
        {
            name: pa.array([row[i] for row in rows], kind)
            for i, (name, kind) in enumerate(kinds.items())
        }
    )


def _valid_table(live: Live) -> pa.Table:
    text = pa.string()
    sources, shards = list(live.shard_of), [shard.name for shard in live.shard_of.values()]
    return pa.table({"source_id": pa.array(sources, text), "shard": pa.array(shards, text)})


def _rows(folder: Path, live: Live, name: str) -> str:
    """Select a table's valid rows; only shards with dead rows pay for leaving them out."""
    held = [s for s in live.shards if live.n_valid[s] and TABLES[name].columns_at(s.schema)]
    whole: dict[int, list[Shard]] = {}
    for shard in held:
        if live.n_valid[shard] == live.n_rows[shard]:
            whole.setdefault(shard.schema, []).append(shard)
    parts = [_scan(folder, shards, name, schema) for schema, shards in whole.items()]
    parts += [
        f"{_scan(folder, [shard], name, shard.schema)} WHERE source_id IN "
        f"(SELECT source_id FROM shards.valid WHERE shard = {_quoted(shard.name)})"
        for shard in held
        if live.n_valid[shard] < live.n_rows[shard]
    ]
    return " UNION ALL ".join(parts) or f"SELECT {_columns(name, 0)} WHERE false"


def _scan(folder: Path, shards: Sequence[Shard], name: str, schema: int) -> str:
    paths = (_quoted(_without_glob(str(shard_file(folder, s, name)))) for s in shards)
    files = f"read_parquet([{', '.join(paths)}], hive_partitioning = false)"
    return f"SELECT {_columns(name, schema)} FROM {files}"


def _columns(name: str, schema: int) -> str:
    """List a table's columns, null where files of this version have none."""
    held = TABLES[name].columns_at(schema)
    return ", ".join(
        f'"{column.name}"' if column in held else f'NULL::{column.type} AS "{column.name}"'
        for column in TABLES[name].columns
    )


def _without_glob(path: str) -> str:
    """Make DuckDB take a path by letter: it would read *, ? and [ in it as a pattern."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in path)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def query(
    con: duckdb.DuckDBPyConnection, text: str, params: Sequence[Any] | dict[str, Any] | None
) -> duckdb.DuckDBPyRelation:
    """Run the user's own question.

    Raises
    ------
    ParameterError
        DuckDB rejects it, with DuckDB's reason; or it gives no rows.
    """
    try:
        relation = con.sql(text, params=params) if params is not None else con.sql(text)
    except duckdb.Error as error:
        raise ParameterError(f"the query was rejected: {_in_one_line(error)}") from error
    if relation is None:
        raise ParameterError("the query gives no rows; ask with SELECT")
    return relation


def _in_one_line(error: duckdb.Error) -> str:
    """The reason without the drawing of the place, which would need lines of its own."""
    reason = str(error).split("\n\nLINE ")[0]
    return " ".join(reason.split())


def write_database(con: duckdb.DuckDBPyConnection, path: Path, overwrite: bool) -> None:
    """Write all tables and `families` into one private database file, whole or not at all.

    `con` must not be confined.
    """
    if path.exists() and not overwrite:
        raise StoreError(f"{path} exists; name another file, or pass overwrite=True")
    try:
        with tempfile.TemporaryDirectory(prefix=".ctxlab-", dir=path.parent) as temporary:
            made = Path(temporary) / "database"
            _fill(con, made)
            made.chmod(_PRIVATE)
            os.replace(made, path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    except duckdb.IOException as error:
        raise StoreError(f"{path} cannot be written: {error}") from error


def _fill(con: duckdb.DuckDBPyConnection, made: Path) -> None:
    # Storage version 1.0 is what every client since DuckDB 1.0 opens.
    con.execute(f"ATTACH {_quoted(str(made))} AS portable (STORAGE_VERSION 'v1.0.0')")
    try:
        for name, table in TABLES.items():
            con.execute(table.ddl().replace(f'TABLE "{name}"', f'TABLE portable."{name}"', 1))
            con.execute(f'INSERT INTO portable."{name}" SELECT * FROM "{name}"')
        con.execute("CREATE TABLE portable.families AS SELECT * FROM families")
        con.execute("USE portable")
        for name, text in _VIEWS.items():
            con.execute(f"CREATE VIEW {name} AS {text}")
    finally:
        con.execute("USE memory")
        con.execute("DETACH portable")
