"""The transcripts of a lab: read into its store, asked for what every policy needs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ctxlab.dedup.params import Proof, RecordScope
from ctxlab.errors import ParameterError
from ctxlab.events import ToolKind
from ctxlab.lab._corpus import Corpus
from ctxlab.lab._progress import progress
from ctxlab.lab._recall import Prompts
from ctxlab.lab._surface import JsonAnswers
from ctxlab.lab._sweep import Sweep
from ctxlab.replay import Facts, Survey
from ctxlab.store import IngestReport, Store

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

    from ctxlab.recall.project import Project

__all__ = ["Transcripts"]


class Transcripts:
    """What a lab can tell before any policy; `Lab` says how it is used."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._corpus = Corpus(store)
        self._prompts = Prompts(store)
        self._answers = JsonAnswers(store)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Lab({str(self.store.folder)!r})"

    def close(self) -> None:
        """Let go of the store's files."""
        self.store.close()

    def ingest(self, *paths: str | os.PathLike[str], workers: int | None = None) -> IngestReport:
        """Read transcripts that are new or have changed, with a progress bar.

        Parameters
        ----------
        *paths
            Files and folders; `~` is expanded.
        workers
            Processes that read; chosen by the amount unless given.

        Raises
        ------
        InputError
            A path does not exist or may not be read, or no file is a transcript.
        StoreError
            Another process writes to the store, or it cannot be written.
        """
        if not paths:
            raise ParameterError("`paths` needs at least one file or folder of transcripts")
        self._forget()
        with progress("reading transcripts", in_bytes=True) as show:
            return self.store.ingest(*paths, progress=show, workers=workers)

    def sql(
        self, text: str, params: Sequence[Any] | dict[str, Any] | None = None
    ) -> duckdb.DuckDBPyRelation:
        """Ask DuckDB; tables are those of docs/tables.md, values go into `params`.

        Raises
        ------
        ParameterError
            DuckDB rejects the query, with its reason.
        """
        return self.store.sql(text, params)

    def to_duckdb(self, path: str | os.PathLike[str], overwrite: bool = False) -> Path:
        """Write all tables into one database file that any DuckDB since 1.0 opens.

        Raises
        ------
        StoreError
            The file exists and `overwrite` is false, or it cannot be written.
        """
        return self.store.to_duckdb(path, overwrite)

    def survey(self) -> Survey:
        """What the logs tell before any policy: sizes, tokens, re-obtained lines, sufficiency.

        Raises
        ------
        InputError
            The store is empty.
        """
        return self._corpus.survey()

    def projects(self) -> tuple[Project, ...]:
        """Directories that agents were started in, each with its prompts in the order asked."""
        return self._prompts.corpus().projects

    def problems(self) -> pd.DataFrame:
        """Every record that could not be read: file, line, byte offset, size and cause."""
        frame: pd.DataFrame = self.sql(
            "select t.path, p.line_number, p.byte_offset, p.n_bytes, p.cause"
            " from problems p join transcripts t using (source_id) order by all"
        ).df()
        return frame

    def refresh(self) -> None:
        """Answer from the store as it is now: what other processes ingested meanwhile counts."""
        self.store.close()
        self._forget()

    def _forget(self) -> None:
        self._corpus.forget()
        self._prompts.forget()
        self._answers.forget()

    def starts(self, sweep: Sweep) -> list[int | None]:
        """First time stamp of each family of a sweep, Unix milliseconds."""
        return self._corpus.starts(sweep.table.families)

    def facts(self, tools: tuple[ToolKind, ...], proof: Proof, record_scope: RecordScope) -> Facts:
        """Facts of all transcripts, derived once and cached by content."""
        return self._corpus.facts(tools, proof, record_scope)
