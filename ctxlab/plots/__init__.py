"""Finished frames into axes; the only place that draws.

No figure computes an estimate, and none touches the state of pyplot.
"""

from ctxlab.plots._canvas import PLOTS, Plot
from ctxlab.plots._curve import savings_curve
from ctxlab.plots._heatmap import horizon_heatmap
from ctxlab.plots._save import Drawing, Png, png, save, svg_text
from ctxlab.plots._timeline import context_timeline
from ctxlab.plots._transcripts import transcript_distribution

__all__ = [
    "PLOTS",
    "Drawing",
    "Plot",
    "Png",
    "context_timeline",
    "horizon_heatmap",
    "png",
    "save",
    "savings_curve",
    "svg_text",
    "transcript_distribution",
]
