"""The results of the main job for surface as files."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.cli._result_frames import corpus_frame, save_frames
from ctxlab.cli._results import save_pictures
from ctxlab.errors import CtxlabError
from ctxlab.export.json import write

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.lab import Lab, SurfaceTuned
    from ctxlab.report import SurfaceContent

__all__ = ["write_surface_results"]


def write_surface_results(lab: Lab, tuned: SurfaceTuned, folder: Path) -> list[Path]:
    """Write recommendation, settings, frames, figures and report; give the files.

    Frames and figures hold names of tools and keys, so that all files are for their owner only.

    Raises
    ------
    CtxlabError
        If a file cannot be written, with the system's reason.
    """
    from ctxlab.report import compose_surface

    found = tuned.recommended
    try:
        written = [write(found.params, found.certificate, folder / "recommendation.json")]
        written += found.export("sqlite-graphrag", folder)
        content = compose_surface(lab, tuned, f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
        written += save_frames(_frames(lab, tuned, content), folder / "frames")
        written += _report(content, folder)
        for path in written:
            path.chmod(0o600)
        return written
    except OSError as error:
        raise CtxlabError(f"cannot write into {folder}: {error.strerror or error}") from error


def _frames(lab: Lab, tuned: SurfaceTuned, content: SurfaceContent) -> dict[str, pd.DataFrame]:
    from ctxlab.surface.params import Surface

    recommended = tuned.recommended.params
    whole = lab.replay(recommended if isinstance(recommended, Surface) else Surface())
    return {
        **{name: sweep.along_knob() for name, sweep in tuned.knobs.items()},
        "choices": tuned.choices.frame(),
        "prices": tuned.choices.prices(),
        "tools": tuned.tools(),
        "tool_curves": tuned.knobs["max_output_bytes"].tool_curves(),
        "keys": tuned.choices.keys(),
        "answers": whole.decisions(),
        "quotes": whole.quotes(),
        "transcripts": tuned.survey.transcripts,
        "problems": lab.problems(),
        "corpus": corpus_frame(content.data),
    }


def _report(content: SurfaceContent, folder: Path) -> list[Path]:
    from ctxlab.report import write_surface_report

    written, shown = save_pictures(content.pictures, folder / "figures")
    write_surface_report(folder / "report.html", replace(content, pictures=shown))
    return [*written, folder / "report.html"]
