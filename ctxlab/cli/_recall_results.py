"""The results of the main job for recall as files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.cli._result_frames import signal_frame
from ctxlab.cli._results import now, write_results
from ctxlab.export.json import write

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.lab import Lab, RecallTuned

__all__ = ["write_recall_results"]


def write_recall_results(lab: Lab, tuned: RecallTuned, folder: Path) -> list[Path]:
    """Write recommendation, settings, frames, figures and report, as `write_results`."""
    from ctxlab.report import compose_recall, render_recall

    found, own = tuned.recommended, tuned.recommended_own
    content = compose_recall(lab, tuned, now())
    certificate = {
        **found.certificate,
        "own": {"parameters": own.params.as_dict() if own.params else None, **own.certificate},
    }
    return write_results(
        lab,
        folder,
        content,
        settings=lambda: [
            write(found.params, certificate, folder / "recommendation.json"),
            *found.export("mushroomdb", folder),
        ],
        frames=_frames(tuned),
        page=lambda pictures: render_recall(replace(content, pictures=pictures)),
    )


def _frames(tuned: RecallTuned) -> dict[str, pd.DataFrame]:
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
    }
