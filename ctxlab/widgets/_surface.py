"""What an explorer shows of a sweep of surface: answers that are harmed before all else."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ctxlab.lab import SurfaceSweep
from ctxlab.plots import (
    Drawing,
    surface_budget,
    surface_frontier,
    surface_losses,
    surface_tools,
)
from ctxlab.surface.params import NUMERIC, Surface, arrangement
from ctxlab.surface.shape import has_knob
from ctxlab.widgets._controller import Controller, Figure, Kind
from ctxlab.widgets._words import band, few_families, share

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SURFACE"]


def _along(at: Controller[SurfaceSweep], *axes: str) -> pd.DataFrame:
    """Cells of one drawing; what ships, where nothing is cut, is marked."""
    frame = at.frame(*axes)
    params = at.grid.sweep.table.cells[at.cell].params
    is_off = (frame[list(NUMERIC)] == 0).all(axis=1)
    return frame.assign(shipped=is_off & (not has_knob(arrangement(params))))


def _limit(knob: str, at: Controller[SurfaceSweep]) -> Drawing:
    return surface_budget(_along(at, knob))


def _losses(at: Controller[SurfaceSweep]) -> Drawing:
    """Along the knob with the most values."""
    finest = max(NUMERIC, key=lambda knob: len(at.grid.swept.get(knob, ())))
    return surface_losses(_along(at, finest))


def _figures(at: Controller[SurfaceSweep]) -> tuple[Figure, ...]:
    row = at.row()
    answers = f"of {row.json_answers:,.0f} answers in JSON"
    results = at.grid.sweep.survey.transcripts.tool_result_bytes.sum()
    return (
        Figure(
            "Harmed answers",
            f"{row.harmed_answers:,.0f}",
            f"{answers} ({band(row.harmed_low, row.harmed_high, 1)}); what was needed later and "
            "known from that answer alone is gone",
            "bounded",
        ),
        Figure(
            "Lossy answers",
            f"{row.lossy_answers:,.0f}",
            f"{answers}; something that was quoted later is gone",
            "bounded",
        ),
        Figure(
            "Lost ids and names",
            f"{row.lost_ids + row.lost_names:,.0f}",
            f"of {row.witnesses:,.0f} quotes known from one answer alone; besides "
            f"{row.lost_paths:,.0f} paths and {row.lost_numbers:,.0f} numbers",
            "bounded",
        ),
        Figure(
            "Saved",
            share(row.saved_share, 1),
            f"of {row.canonical_bytes:,.0f} bytes printed compactly ({band(row.low, row.high, 1)})",
            "measured",
        ),
        Figure(
            "Saved",
            share(row.saved_share_of_recorded, 1),
            f"of {row.recorded_bytes:,.0f} bytes as recorded; compact printing alone saves "
            f"{share(row.compact_share_of_recorded, 1)}",
            "measured",
        ),
        Figure(
            "Saved",
            share(row.saved_share_of_results),
            f"of {results:,.0f} bytes of all tool results",
            "measured",
        ),
        Figure("Saved", share(row.saved_share_of_new_input), "of new input tokens", "modelled"),
        Figure(
            "Stubs",
            f"{row.stubs:,.0f}",
            "answers that hold a value of which nothing stays",
            "measured",
        ),
        Figure(
            "Carried",
            f"{row.priced_bytes:,.0f} bytes",
            "saved, priced as uncached input",
            "modelled",
        ),
    )


def _warnings(at: Controller[SurfaceSweep]) -> tuple[str, ...]:
    row = at.row()
    families = at.grid.sweep.table.by_family("json_answers")[0]
    return (
        _harm(row),
        _stubs(row),
        _growth(row),
        few_families(int((families > 0).sum()), "had an answer in JSON"),
    )


def _harm(row: pd.Series[float]) -> str:
    if not row.harmed_answers > 0:
        return ""
    kinds = {"ids": row.lost_ids, "names": row.lost_names}
    kinds |= {"paths": row.lost_paths, "numbers": row.lost_numbers}
    lost = ", ".join(f"{kind} {n:,.0f}" for kind, n in kinds.items() if n > 0)
    return (
        f"Harmed: {row.harmed_answers:,.0f} of {row.json_answers:,.0f} answers lose what the agent "
        f"later used and knew from nowhere else (lost {lost}); more may be harmed, unseen."
    )


def _stubs(row: pd.Series[float]) -> str:
    if not row.stubs > 0:
        return ""
    return (
        f"Stubs: {row.stubs:,.0f} answers hold a value of which nothing stays but a note of that."
    )


def _growth(row: pd.Series[float]) -> str:
    grown = f"{row.grown:,.0f} of {row.json_answers:,.0f} answers"
    if row.saved_bytes < 0:
        return f"A loss: {-row.saved_bytes:,.0f} bytes more are printed; {grown} get longer."
    return f"Longer than without any limit: {grown}." if row.grown > 0 else ""


_ALONG = dict(zip(("rows", "characters", "bytes"), NUMERIC, strict=True))

SURFACE: Kind[SurfaceSweep] = Kind(
    declared=Surface.params(),
    axes=NUMERIC,
    drawings={
        "frontier": lambda at: surface_frontier(_along(at, *NUMERIC)),
        **{name: partial(_limit, knob) for name, knob in _ALONG.items()},
        "losses": _losses,
        "tools": lambda at: surface_tools(at.grid.sweep.tools(**at.grid.values[at.cell])),
    },
    figures=_figures,
    warnings=_warnings,
    harmless="No answer loses what was needed later, as far as these transcripts show.",
    arguments=lambda sweep: {} if sweep.only is None else {"tool": list(sweep.only)},
    along=_ALONG,
)
