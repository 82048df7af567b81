"""Make a store what an older ctxlab would have left."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq

from ctxlab.schema import TABLES
from ctxlab.store import Store

__all__ = ["age", "written_with"]


def age(store: Store, version: int = 1) -> None:
    """Make the store as a ctxlab with `version` of the tables, and older readers, wrote it."""
    store.close()
    for folder in (store.folder / "shards").iterdir():
        for name, table in TABLES.items():
            path = folder / f"{name}.parquet"
            held = [column.name for column in table.columns_at(version)]
            if held:
                rows = pq.ParquetFile(path).read(held)
                if name == "transcripts":
                    at = held.index("reader_version")
                    older = pa.array([1] * rows.num_rows, pa.int32())
                    rows = rows.set_column(at, rows.schema.field(at), older)
                pq.write_table(rows, path)
            else:
                path.unlink()
    written_with(store, version)


def written_with(store: Store, version: int) -> None:
    path = store.folder / "store.json"
    values = json.loads(path.read_text())
    path.write_text(json.dumps({**values, "schemas": [version] * len(values["shards"])}))
