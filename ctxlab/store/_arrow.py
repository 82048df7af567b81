"""Declared tables → Arrow schemas and tables.

The types of `ctxlab.schema` are DuckDB's; this is the only place that knows Arrow's names for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ctxlab.schema import TABLES
from ctxlab.store._identity import well_formed

__all__ = ["SCHEMAS", "as_table", "lists", "strings"]

_TYPES = {
    "VARCHAR": pa.string(),
    "BIGINT": pa.int64(),
    "INTEGER": pa.int32(),
    "UBIGINT": pa.uint64(),
    "UINTEGER": pa.uint32(),
    "BOOLEAN": pa.bool_(),
}


def _arrow_type(name: str) -> pa.DataType:
    if name.endswith("[]"):
        return pa.list_(pa.field("item", _TYPES[name[:-2]], nullable=False))
    return _TYPES[name]


SCHEMAS: dict[str, pa.Schema] = {
    name: pa.schema(
        [pa.field(c.name, _arrow_type(c.type), nullable=c.nullable) for c in table.columns]
    )
    for name, table in TABLES.items()
}
"""Arrow schema of each stored table."""


def lists(counts: Sequence[int] | npt.NDArray[np.int64], values: pa.Array) -> pa.Array:
    """Cut `values` into consecutive lists of the given lengths."""
    offsets = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=offsets[1:])
    kind = pa.list_(pa.field("item", values.type, nullable=False))
    return pa.ListArray.from_arrays(pa.array(offsets), values, type=kind)


def strings(values: Sequence[str]) -> pa.Array:
    """Build a column of texts, lone surrogates spelled out."""
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError:
        return pa.array(list(map(well_formed, values)), pa.string())


def as_table(name: str, columns: Mapping[str, Any]) -> pa.Table:
    """Build the table `name` from its columns: Arrow or NumPy arrays, or sequences."""
    schema = SCHEMAS[name]
    return pa.Table.from_arrays([_column(columns[f.name], f.type) for f in schema], schema=schema)


def _column(values: Any, kind: pa.DataType) -> pa.Array:
    if isinstance(values, pa.Array):
        return values
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        return pa.array([_without_surrogates(value) for value in values], kind)


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(value)
    return [well_formed(v) for v in value] if isinstance(value, (list, tuple)) else value
