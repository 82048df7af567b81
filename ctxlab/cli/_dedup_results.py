"""The results of the main job for dedup as files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxlab.cli._results import now, write_results
from ctxlab.export._files import write_json

if TYPE_CHECKING:
    from ctxlab.lab import Lab, Tuned

__all__ = ["write_dedup_results"]


def write_dedup_results(lab: Lab, tuned: Tuned, folder: Path) -> list[Path]:
    """Write recommendation, settings, frames, figures and report, as `write_results`."""
    from ctxlab.report import compose, render

    content = compose(lab, tuned, now())
    return write_results(
        lab,
        folder,
        content,
        settings=lambda: [
            write_json(folder / "recommendation.json", _recommendation(tuned)),
            *tuned.recommended_shipped.export("codegraph", folder),
        ],
        frames={
            "overview": tuned.overview.frame(),
            "sweep_shipped": tuned.shipped.frame(),
            "sweep_own": tuned.own.frame(),
            "transcripts": tuned.survey.transcripts,
            "reobtained": tuned.survey.reobtained,
            "sufficiency": tuned.survey.sufficiency,
            "unrecorded_changes": tuned.survey.changes,
        },
        page=lambda pictures: render(replace(content, pictures=pictures)),
    )


def _recommendation(tuned: Tuned) -> dict[str, Any]:
    def part(found: Any) -> dict[str, Any]:
        return {
            "parameters": found.params.as_dict() if found.params else None,
            **found.certificate,
        }

    return {
        "tools": list(tuned.tools),
        "proof": tuned.proof,
        "shipped": part(tuned.recommended_shipped),
        "shipped_switch": part(tuned.default),
        "own": part(tuned.recommended_own),
        "difference": tuned.difference,
    }
