"""Tune the context budgets of coding agents on your own recorded transcripts.

>>> import ctxlab
>>> lab = ctxlab.open("lab")                                        # doctest: +SKIP
>>> lab.ingest("~/.claude/projects")                                # doctest: +SKIP
>>> sweep = lab.sweep(ctxlab.Dedup, min_covered_lines=range(1, 65)) # doctest: +SKIP
>>> lab.recommend(sweep)                                            # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxlab import dedup, fallback, recall, surface
    from ctxlab.dedup import Dedup
    from ctxlab.errors import CtxlabError, InputError, ParameterError, StoreError
    from ctxlab.lab import Lab, Recommendation, Replay, Sweep
    from ctxlab.lab import open_lab as open
    from ctxlab.recall.params import Recall
    from ctxlab.surface.params import Surface
    from ctxlab.transcripts import detect, read

__all__ = [
    "CtxlabError",
    "Dedup",
    "InputError",
    "Lab",
    "ParameterError",
    "Recall",
    "Recommendation",
    "Replay",
    "StoreError",
    "Surface",
    "Sweep",
    "dedup",
    "detect",
    "fallback",
    "open",
    "read",
    "recall",
    "surface",
]

_HOME = {
    **{
        name: ("ctxlab.errors", name)
        for name in ("CtxlabError", "InputError", "ParameterError", "StoreError")
    },
    "Dedup": ("ctxlab.dedup.params", "Dedup"),
    "Lab": ("ctxlab.lab", "Lab"),
    "Recall": ("ctxlab.recall.params", "Recall"),
    "Recommendation": ("ctxlab.lab", "Recommendation"),
    "Replay": ("ctxlab.lab", "Replay"),
    "Surface": ("ctxlab.surface.params", "Surface"),
    "Sweep": ("ctxlab.lab", "Sweep"),
    "dedup": ("ctxlab.dedup", None),
    "detect": ("ctxlab.transcripts", "detect"),
    "fallback": ("ctxlab.fallback", None),
    "open": ("ctxlab.lab", "open_lab"),
    "read": ("ctxlab.transcripts", "read"),
    "recall": ("ctxlab.recall", None),
    "surface": ("ctxlab.surface", None),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import ctxlab` itself loads nothing heavy."""
    if name not in _HOME:
        raise AttributeError(f"module 'ctxlab' has no attribute {name!r}")
    module, attribute = _HOME[name]
    home = import_module(module)
    value = home if attribute is None else getattr(home, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
