"""Finished figures and tables to one HTML file that needs nothing beside it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ctxlab.errors import CtxlabError
from ctxlab.report._page import render
from ctxlab.report._recall_page import render_recall
from ctxlab.report._surface_page import render_surface
from ctxlab.report._surface_said import against_rules, nothing_to_cut
from ctxlab.report.compose import compose
from ctxlab.report.content import (
    NOT_MEASURED,
    Advice,
    BaseRate,
    Content,
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
    RecallContent,
    RecallOutcome,
    SignalRow,
    compose_recall,
)
from ctxlab.report.surface import (
    SurfaceContent,
    SurfaceOutcome,
    SurfacePrice,
    compose_surface,
)

__all__ = [
    "NOT_MEASURED",
    "Advice",
    "BaseRate",
    "Content",
    "DataDescription",
    "Known",
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
    "against_rules",
    "compose",
    "compose_recall",
    "compose_surface",
    "nothing_to_cut",
    "render",
    "render_recall",
    "render_surface",
    "write_report",
]


def write_report(path: str | Path, page: str) -> Path:
    """Write the page of a report; the file appears whole or not at all.

    Raises
    ------
    CtxlabError
        If the file cannot be written.
    """
    target = Path(path)
    try:
        handle, half = tempfile.mkstemp(dir=target.parent, prefix=".report-", suffix=".html")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(page.encode("utf-8"))
            Path(half).replace(target)
        except OSError:
            Path(half).unlink(missing_ok=True)
            raise
        return target
    except OSError as error:
        raise CtxlabError(
            f"cannot write the report {target}: {error.strerror}; choose a file in a folder that "
            "exists, with room, and where you may write"
        ) from error
