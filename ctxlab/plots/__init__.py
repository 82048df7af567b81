"""Finished frames into axes; the only place that draws.

No figure computes an estimate, and none touches the state of pyplot.
"""

from ctxlab.plots._budget import budget_curve
from ctxlab.plots._canvas import PLOTS, Plot
from ctxlab.plots._curve import savings_curve
from ctxlab.plots._floor import floor_curve
from ctxlab.plots._heatmap import horizon_heatmap
from ctxlab.plots._leaks import gate_leaks
from ctxlab.plots._precision import precision_recall
from ctxlab.plots._save import Drawing, Png, png, save, svg_text
from ctxlab.plots._scores import score_distribution
from ctxlab.plots._surface_budget import surface_budget
from ctxlab.plots._surface_by_tool import surface_by_tool
from ctxlab.plots._surface_frontier import surface_frontier
from ctxlab.plots._surface_keys import surface_keys
from ctxlab.plots._surface_losses import surface_losses
from ctxlab.plots._surface_tools import surface_tools
from ctxlab.plots._timeline import context_timeline
from ctxlab.plots._transcripts import transcript_distribution

__all__ = [
    "PLOTS",
    "Drawing",
    "Plot",
    "Png",
    "budget_curve",
    "context_timeline",
    "floor_curve",
    "gate_leaks",
    "horizon_heatmap",
    "png",
    "precision_recall",
    "save",
    "savings_curve",
    "score_distribution",
    "surface_budget",
    "surface_by_tool",
    "surface_frontier",
    "surface_keys",
    "surface_losses",
    "surface_tools",
    "svg_text",
    "transcript_distribution",
]
