"""The main job for surface: what limits on JSON answers save, what they lose, which to ship."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctxlab.lab._lab import Lab
from ctxlab.lab._recommendation import Recommendation
from ctxlab.lab._surface_sweep import SurfaceSweep
from ctxlab.replay import Survey
from ctxlab.surface.params import NUMERIC, Surface
from ctxlab.tune import KeyChoice, SurfaceChoice

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SurfaceTuned", "tune_surface"]


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceTuned:
    """All results of the main job for surface.

    `knobs` sweeps each numeric knob by itself, by name; `choices` all three together, with the
    shipped default, which cuts nothing, first. `recommended` is for all tools together, as the tool
    stores it; `by_tool` for each by itself, as its argument could have it; `key_advice` says which
    keys of each tool's rows to select.
    """

    survey: Survey
    knobs: Mapping[str, SurfaceSweep]
    choices: SurfaceSweep
    recommended: Recommendation[SurfaceChoice]
    by_tool: Mapping[str, Recommendation[SurfaceChoice]]
    key_advice: Mapping[str, KeyChoice]

    def tools(self) -> pd.DataFrame:
        """One row a tool under the recommended setting; without one nothing is cut."""
        params = self.recommended.params or Surface()
        return self.choices.tools(**{name: getattr(params, name) for name in NUMERIC})


def tune_surface(lab: Lab) -> SurfaceTuned:
    """Sweep and recommend.

    Raises
    ------
    InputError
        The store is empty.
    """
    declared = Surface.params()

    def swept(*names: str) -> SurfaceSweep:
        grid: dict[str, Any] = {name: declared[name].sweep for name in names}
        return lab.sweep(Surface, **grid)

    choices = swept(*NUMERIC)
    return SurfaceTuned(
        survey=choices.survey,
        knobs={name: swept(name) for name in NUMERIC},
        choices=choices,
        recommended=lab.recommend(choices),
        by_tool=lab.recommend_by_tool(choices),
        key_advice=choices.key_advice(),
    )
