"""The objects people work with: a lab over a store, replays, sweeps and recommendations."""

from ctxlab.lab._dedup_replay import DedupReplay
from ctxlab.lab._dedup_sweep import DedupSweep
from ctxlab.lab._lab import Lab, open_lab
from ctxlab.lab._recall_sweep import RecallReplay, RecallSweep
from ctxlab.lab._recommendation import Recommendation
from ctxlab.lab._surface_sweep import SurfaceReplay, SurfaceSweep
from ctxlab.lab._sweep import Replay, Sweep
from ctxlab.lab._tune import Tuned
from ctxlab.lab._tune_recall import RecallTuned
from ctxlab.lab._tune_surface import SurfaceTuned

__all__ = [
    "DedupReplay",
    "DedupSweep",
    "Lab",
    "RecallReplay",
    "RecallSweep",
    "RecallTuned",
    "Recommendation",
    "Replay",
    "SurfaceReplay",
    "SurfaceSweep",
    "SurfaceTuned",
    "Sweep",
    "Tuned",
    "open_lab",
]
