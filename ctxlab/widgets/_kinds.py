"""Which sweeps can be explored: adding a policy is adding a line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.errors import ParameterError
from ctxlab.lab import DedupSweep, RecallSweep, SurfaceSweep, Sweep
from ctxlab.widgets._controller import Controller, Kind
from ctxlab.widgets._dedup import DEDUP
from ctxlab.widgets._recall import RECALL
from ctxlab.widgets._surface import SURFACE

__all__ = ["KINDS", "start"]

KINDS: Mapping[type[Sweep], Kind[Any]] = {
    DedupSweep: DEDUP,
    RecallSweep: RECALL,
    SurfaceSweep: SURFACE,
}


def start(sweep: Sweep) -> Controller[Any]:
    """Stand on the shipped setting of a sweep, or near it.

    Raises
    ------
    ParameterError
        If the sweep has no cell, or is of no policy that can be explored.
    """
    for known, kind in KINDS.items():
        if isinstance(sweep, known):
            return Controller.of(sweep, kind)
    names = " or ".join(known.__name__ for known in KINDS)
    raise ParameterError(f"`sweep` must be a {names}, as `lab.sweep` gives it, got {sweep!r}")
