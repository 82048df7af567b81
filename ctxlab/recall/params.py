"""The thresholds of the recall policy, each declared once, and the profiles of real tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ctxlab.params import ParamSet, param

__all__ = ["FLOORS", "MAX_HITS", "PROFILES", "Gate", "Recall", "without_floors"]

Gate = Literal["identifier", "coverage"]

MAX_HITS = 12
"""No digest prints more lines; facts hold so many ranked ones of each prompt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recall(ParamSet):
    """Parameters of prompt recall; the defaults are mushroomdb 0.6.12's.

    A prompt must pass every floor. Those of the relative forms are off by default: no tool ships
    them yet.

    Raises
    ------
    ParameterError
        If a value is outside its bounds.
    """

    min_hit_score: float = param(
        0.05,
        unit="BM25",
        low=0,
        high=14,
        real=True,
        sweep=(0.0, 0.05, *(n / 2 for n in range(1, 29))),
        doc="Least score that a single phrase must reach in some field, else nothing is printed.",
    )
    max_hits: int = param(
        6,
        unit="lines",
        low=1,
        high=MAX_HITS,
        sweep=tuple(range(1, MAX_HITS + 1)),
        doc="Most pointer lines printed.",
    )
    max_output_bytes: int = param(
        1200,
        unit="bytes",
        low=150,
        high=4000,
        sweep=(200, 300, 400, 600, 800, 1200, 1600, 2400, 4000),
        doc="Most bytes printed, framing included.",
    )
    min_ceiling_share: float = param(
        0.0,
        low=0,
        high=1,
        real=True,
        sweep=(0.0, 0.25, 0.5, 0.75, 1.0),
        doc="Relative floor: least best score as a share of ln((N + 1) / 1.5), what a word found "
        "in one of N documents weighs.",
    )
    min_margin: float = param(
        1.0,
        low=1,
        high=10,
        real=True,
        sweep=(1.0, 1.05, 1.25, 1.5, 2.0),
        doc="Relative floor: least ratio of the best score to the best of any other node.",
    )
    min_unrelated_share: float = param(
        0.0,
        low=0,
        high=1,
        real=True,
        sweep=(0.0, 0.5, 0.8, 0.9, 1.0),
        doc="Relative floor: least share of unrelated prompts that score lower in the same graph.",
    )
    gate: Gate = param(
        "identifier",
        choices=("identifier", "coverage"),
        sweep=("identifier",),
        doc="What decides: a phrase of the prompt's identifiers, or how many of its words a node "
        "holds (then no floor applies).",
    )
    suppress_repeats: bool = param(
        False,
        choices=(False, True),
        sweep=(False, True),
        doc="Whether a line is left out that an earlier digest printed in the same context.",
    )
    max_query_terms: int = param(
        24, unit="terms", low=1, high=100, sweep=(24,), doc="Most identifiers or words looked up."
    )
    max_excerpt_bytes: int = param(
        160,
        unit="bytes",
        low=16,
        high=1000,
        sweep=(160,),
        doc="Most bytes of a line's documentation.",
    )
    framing_bytes: int = param(
        75, unit="bytes", low=0, high=1000, sweep=(75,), doc="Fixed text around the lines."
    )
    header_bytes: int = param(
        40,
        unit="bytes",
        low=0,
        high=1000,
        sweep=(40,),
        doc="Fixed text of the header, beside the number of lines and the store's name.",
    )
    elision_bytes: int = param(
        6, unit="bytes", low=0, high=100, sweep=(6,), doc="Mark that lines were left out."
    )


PROFILES: dict[str, Recall] = {
    "mushroomdb 0.6.12": Recall(),
    "mushroomdb 0.7": Recall(gate="coverage", min_hit_score=0.0),
}
"""Parameter defaults and wording lengths of real tools, by tool and version."""

FLOORS = ("min_hit_score", "min_ceiling_share", "min_margin", "min_unrelated_share")
"""Parameters that a prompt must reach; each admits all at its lower bound."""


def without_floors(params: Recall) -> Recall:
    """Give the same parameters with every floor off."""
    declared = Recall.params()
    return Recall.of(**{**params.as_dict(), **{name: declared[name].low for name in FLOORS}})
