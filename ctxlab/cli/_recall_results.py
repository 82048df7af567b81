"""The results of the main job for recall as files."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.cli._result_frames import corpus_frame, save_frames, signal_frame
from ctxlab.cli._results import save_pictures
from ctxlab.errors import CtxlabError
from ctxlab.export.json import write

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.lab import Lab, RecallTuned
    from ctxlab.report import RecallContent

__all__ = ["write_recall_results"]


def write_recall_results(lab: Lab, tuned: RecallTuned, folder: Path) -> list[Path]:
    """Write recommendation, settings, frames, figures and report; give the files.

    Frames and figures hold words of prompts, so that all files are for their owner only.

    Raises
    ------
    CtxlabError
        If a file cannot be written, with the system's reason.
    """
    from ctxlab.report import compose_recall

    found = tuned.recommended
    try:
        own = tuned.recommended_own
        certificate = {
            **found.certificate,
            "own": {"parameters": own.params.as_dict() if own.params else None, **own.certificate},
        }
        written = [write(found.params, certificate, folder / "recommendation.json")]
        written += found.export("mushroomdb", folder)
        content = compose_recall(lab, tuned, f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
        written += save_frames(_frames(lab, tuned, content), folder / "frames")
        written += _report(content, folder)
        for path in written:
            path.chmod(0o600)
        return written
    except OSError as error:
        raise CtxlabError(f"cannot write into {folder}: {error.strerror or error}") from error


def _frames(lab: Lab, tuned: RecallTuned, content: RecallContent) -> dict[str, pd.DataFrame]:
    import pandas as pd

    curve = tuned.floors.precision_recall()
    return {
        "floors": tuned.floors.frame(),
        "budgets": tuned.budgets.frame(),
        "relative_floors": pd.concat([sweep.frame() for sweep in tuned.relative]),
        "repeats": tuned.repeats.frame(),
        "coverage_gate": tuned.later.frame(),
        "choices": tuned.choices.frame(),
        "own": tuned.own.frame(),
        "signal": signal_frame(tuned.signal),
        "prompts": tuned.floors.prompts(),
        "precision_recall": curve.assign(
            **{str(name): value for name, value in curve.attrs.items()}
        ),
        "gate_leaks": tuned.leaks,
        "graphs": tuned.floors.graphs(),
        "transcripts": tuned.survey.transcripts,
        "problems": lab.problems(),
        "corpus": corpus_frame(content.data),
    }


def _report(content: RecallContent, folder: Path) -> list[Path]:
    from ctxlab.report import write_recall_report

    written, shown = save_pictures(content.pictures, folder / "figures")
    write_recall_report(folder / "report.html", replace(content, pictures=shown))
    return [*written, folder / "report.html"]
