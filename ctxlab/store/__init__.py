"""Folder of immutable Parquet files with DuckDB in memory over them."""
