"""The results of the main job as files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxlab.cli._result_frames import corpus_frame, save_frames
from ctxlab.errors import CtxlabError
from ctxlab.export._files import write_json

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.lab import Lab, Tuned
    from ctxlab.report import Picture, ReportContent

__all__ = ["make_folder", "save_pictures", "write_results"]


def write_results(lab: Lab, tuned: Tuned, folder: Path) -> list[Path]:
    """Write recommendation, settings, frames, figures and report; give the files.

    Frames and figures hold names of files, so that all files are for their owner only.

    Raises
    ------
    CtxlabError
        If a file cannot be written, with the system's reason.
    """
    from ctxlab.report import compose

    try:
        written = [_recommendation(tuned, folder / "recommendation.json")]
        written += tuned.recommended_shipped.export("codegraph", folder)
        content, pictures = compose(lab, tuned, f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
        written += save_frames(_frames(lab, tuned, content), folder / "frames")
        written += _report(content, pictures, folder)
        for path in written:
            path.chmod(0o600)
        return written
    except OSError as error:
        raise CtxlabError(f"cannot write into {folder}: {error.strerror or error}") from error


def make_folder(folder: Path) -> None:
    """Make the folder for the results.

    Raises
    ------
    CtxlabError
        If it cannot be made, with the system's reason.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CtxlabError(f"cannot write into {folder}: {error.strerror or error}") from error


def _recommendation(tuned: Tuned, path: Path) -> Path:
    def part(found: Any) -> dict[str, Any]:
        return {
            "parameters": found.params.as_dict() if found.params else None,
            **found.certificate,
        }

    content = {
        "tools": list(tuned.tools),
        "proof": tuned.proof,
        "shipped": part(tuned.recommended_shipped),
        "shipped_switch": part(tuned.default),
        "own": part(tuned.recommended_own),
        "difference": tuned.difference,
    }
    return write_json(path, content)


def _report(content: ReportContent, pictures: Mapping[str, Picture], folder: Path) -> list[Path]:
    from ctxlab.report import write_report

    written, shown = save_pictures(pictures, folder / "figures")
    write_report(folder / "report.html", replace(content, pictures=tuple(shown.values())))
    return [*written, folder / "report.html"]


def save_pictures(
    pictures: Mapping[str, Picture], folder: Path
) -> tuple[list[Path], dict[str, Picture]]:
    """Save figures as PNG and SVG; give the files, and the figures with their SVG for a report."""
    from ctxlab.plots import save

    folder.mkdir(exist_ok=True)
    written: list[Path] = []
    shown = {}
    for name, picture in pictures.items():
        if not isinstance(picture.drawing, str):
            png, svg = save(picture.drawing, folder / name)
            written += png, svg
            picture = replace(picture, drawing=svg.read_text("utf-8"))  # drawn once
        shown[name] = picture
    return written, shown


def _frames(lab: Lab, tuned: Tuned, content: ReportContent) -> dict[str, pd.DataFrame]:
    return {
        "overview": tuned.overview.frame(),
        "sweep_shipped": tuned.shipped.frame(),
        "sweep_own": tuned.own.frame(),
        "transcripts": tuned.survey.transcripts,
        "reobtained": tuned.survey.reobtained,
        "sufficiency": tuned.survey.sufficiency,
        "unrecorded_changes": tuned.survey.changes,
        "problems": lab.problems(),
        "corpus": corpus_frame(content.data),
    }
