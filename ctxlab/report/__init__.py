"""Finished figures and tables to one HTML file that needs nothing beside it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ctxlab.errors import CtxlabError
from ctxlab.report._page import render
from ctxlab.report._recall_page import render_recall
from ctxlab.report._surface_page import render_surface
from ctxlab.report.compose import compose
from ctxlab.report.content import (
    NOT_MEASURED,
    BaseRate,
    DataDescription,
    Known,
    Number,
    Outcome,
    Picture,
    Problems,
    RecommendationText,
    ReportContent,
    Sufficiency,
    UnrecordedChanges,
)
from ctxlab.report.recall import (
    FloorText,
    RecallContent,
    RecallOutcome,
    SignalRow,
    compose_recall,
)
from ctxlab.report.surface import (
    LimitText,
    SurfaceContent,
    SurfaceOutcome,
    SurfacePrice,
    compose_surface,
)

__all__ = [
    "NOT_MEASURED",
    "BaseRate",
    "DataDescription",
    "FloorText",
    "Known",
    "LimitText",
    "Number",
    "Outcome",
    "Picture",
    "Problems",
    "RecallContent",
    "RecallOutcome",
    "RecommendationText",
    "ReportContent",
    "SignalRow",
    "Sufficiency",
    "SurfaceContent",
    "SurfaceOutcome",
    "SurfacePrice",
    "UnrecordedChanges",
    "compose",
    "compose_recall",
    "compose_surface",
    "render",
    "render_recall",
    "render_surface",
    "write_recall_report",
    "write_report",
    "write_surface_report",
]


def write_recall_report(path: str | Path, content: RecallContent) -> None:
    """Write the report on recall, as `write_report` does."""
    _write(Path(path), render_recall(content))


def write_surface_report(path: str | Path, content: SurfaceContent) -> None:
    """Write the report on surface, as `write_report` does."""
    _write(Path(path), render_surface(content))


def write_report(path: str | Path, content: ReportContent) -> None:
    """Write the report; the file appears whole or not at all.

    Text from transcripts is escaped, and characters that hide or reorder text are written out, so
    that a hostile transcript can change nothing but the words it stands in.

    Raises
    ------
    CtxlabError
        If the file cannot be written.
    """
    _write(Path(path), render(content))


def _write(target: Path, text: str) -> None:
    page = text.encode("utf-8")
    try:
        handle, half = tempfile.mkstemp(dir=target.parent, prefix=".report-", suffix=".html")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(page)
            Path(half).replace(target)
        except OSError:
            Path(half).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CtxlabError(
            f"cannot write the report {target}: {error.strerror}; choose a file in a folder that "
            "exists, with room, and where you may write"
        ) from error
