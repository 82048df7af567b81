"""The results of the main job for surface as files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.cli._results import now, write_results
from ctxlab.export.json import write

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.lab import Lab, SurfaceTuned

__all__ = ["write_surface_results"]


def write_surface_results(lab: Lab, tuned: SurfaceTuned, folder: Path) -> list[Path]:
    """Write recommendation, settings, frames, figures and report, as `write_results`."""
    from ctxlab.report import compose_surface, render_surface

    found = tuned.recommended
    content = compose_surface(lab, tuned, now())
    return write_results(
        lab,
        folder,
        content,
        settings=lambda: [
            write(found.params, found.certificate, folder / "recommendation.json"),
            *found.export("sqlite-graphrag", folder),
        ],
        frames=_frames(lab, tuned),
        page=lambda pictures: render_surface(replace(content, pictures=pictures)),
    )


def _frames(lab: Lab, tuned: SurfaceTuned) -> dict[str, pd.DataFrame]:
    import pandas as pd

    from ctxlab.surface.params import NUMERIC, Surface

    recommended = tuned.recommended.params
    whole = lab.replay(recommended if isinstance(recommended, Surface) else Surface())
    return {
        **{name: sweep.along_knob() for name, sweep in tuned.knobs.items()},
        "choices": tuned.choices.frame(),
        "prices": tuned.choices.prices(),
        "tools": tuned.tools(),
        "tool_curves": pd.concat([s.tool_curves() for s in tuned.knobs.values()], ignore_index=True)
        .drop_duplicates(["tool", *NUMERIC])
        .reset_index(drop=True),
        "keys": tuned.choices.keys(),
        "answers": whole.decisions(),
        "quotes": whole.quotes(),
        "transcripts": tuned.survey.transcripts,
    }
