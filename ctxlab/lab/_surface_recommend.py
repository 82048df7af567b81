"""From a sweep of surface to limits to ship, for all tools together and for each, or none."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.export.sqlite_graphrag import BY_TOOL
from ctxlab.lab._certificate import surface_certificate
from ctxlab.lab._recommendation import Recommendation
from ctxlab.lab._surface_sweep import SurfaceSweep
from ctxlab.store import Store
from ctxlab.tune import SurfaceChoice, recommend_by_tool, recommend_surface

__all__ = ["choose_limits", "choose_limits_by_tool"]

Starts = Sequence[int | None]


def choose_limits(
    store: Store, sweep: SurfaceSweep, starts: Starts, objective: str, max_harmed: int
) -> Recommendation[SurfaceChoice]:
    """Choose for all tools of the sweep; the certificate holds the choices for each beside it.

    Raises
    ------
    ParameterError
        The objective is unknown or the constraint negative.
    """
    choice = recommend_surface(sweep.table, starts, objective=objective, max_harmed=max_harmed)
    certificate = surface_certificate(store, sweep, choice, objective, max_harmed)
    each = recommend_by_tool(sweep.table, starts, objective=objective, max_harmed=max_harmed)
    certificate[BY_TOOL] = {
        tool: {
            "parameters": of_tool.params.as_dict()
            if of_tool.status == "recommended" and of_tool.params
            else None,
            "result": of_tool.as_dict(),
        }
        for tool, of_tool in each.items()
    }
    certificate["key_advice"] = {
        tool: advice.as_dict() for tool, advice in sweep.key_advice().items()
    }
    return Recommendation(choice, certificate)


def choose_limits_by_tool(
    store: Store, sweep: SurfaceSweep, starts: Starts, objective: str, max_harmed: int
) -> dict[str, Recommendation[SurfaceChoice]]:
    """Choose for each tool by itself.

    Raises
    ------
    ParameterError
        The objective is unknown or the constraint negative.
    """
    each = recommend_by_tool(sweep.table, starts, objective=objective, max_harmed=max_harmed)
    return {
        tool: Recommendation(
            choice, surface_certificate(store, sweep, choice, objective, max_harmed, tool)
        )
        for tool, choice in each.items()
    }
