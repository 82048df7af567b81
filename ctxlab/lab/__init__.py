"""The objects people work with: a lab over a store, replays, sweeps and recommendations."""

from ctxlab.lab._lab import Lab, open_lab
from ctxlab.lab._recommendation import Recommendation
from ctxlab.lab._replay import Replay
from ctxlab.lab._sweep import Sweep
from ctxlab.lab._tune import Tuned

__all__ = ["Lab", "Recommendation", "Replay", "Sweep", "Tuned", "open_lab"]
