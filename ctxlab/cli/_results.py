"""The results of the main job as files, whatever the policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.cli._result_frames import corpus_frame, save_frames
from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.lab import Lab
    from ctxlab.report import Content, Picture

__all__ = ["make_folder", "now", "write_results"]


def now() -> str:
    """The time, as a report says it."""
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"


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


def write_results(
    lab: Lab,
    folder: Path,
    content: Content,
    *,
    settings: Callable[[], list[Path]],
    frames: Mapping[str, pd.DataFrame],
    page: Callable[[Mapping[str, Picture]], str],
) -> list[Path]:
    """Write recommendation, settings, frames, figures and report; give the files.

    Frames and figures hold names of files, tools or words of prompts, so that all files are for
    their owner only.

    Parameters
    ----------
    settings
        Writes what to set and what speaks for it.
    frames
        By name; what was read and what could not be is added.
    page
        Makes the report of its figures, which are drawn once.

    Raises
    ------
    CtxlabError
        If a file cannot be written, with the system's reason.
    """
    from ctxlab.report import write_report

    read = {"problems": lab.problems(), "corpus": corpus_frame(content.data)}
    try:
        written = settings()
        written += save_frames({**frames, **read}, folder / "frames")
        figures, shown = _save_pictures(content.pictures, folder / "figures")
        written += figures
        written.append(write_report(folder / "report.html", page(shown)))
        for path in written:
            path.chmod(0o600)
        return written
    except OSError as error:
        raise CtxlabError(f"cannot write into {folder}: {error.strerror or error}") from error


def _save_pictures(
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
