"""Transcripts kept as immutable Parquet files in one folder, and the logs and SQL over them."""

from ctxlab.store._families import Family
from ctxlab.store._ingest import IngestReport, Progress
from ctxlab.store._store import Store, open_store

__all__ = ["Family", "IngestReport", "Progress", "Store", "open_store"]
