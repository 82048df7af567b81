"""The thresholds of the dedup policy, each declared once, and the profiles of real tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ctxlab.params import ParamSet, param

__all__ = ["PROFILES", "Dedup", "Proof", "RecordScope"]

RecordScope = Literal["connection", "thread"]
Proof = Literal["line_text", "hunks", "whole_file"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Dedup(ParamSet):
    """Parameters of cross-call source dedup; the defaults are codegraph 1.6.1's.

    Raises
    ------
    ParameterError
        If a value is outside its bounds.
    """

    min_covered_lines: int = param(
        8,
        unit="lines",
        low=1,
        high=64,
        log=True,
        sweep=tuple(range(1, 65)),
        doc="Shortest run of lines already sent that is withheld.",
    )
    view_calls: int | None = param(
        4,
        unit="calls",
        low=1,
        high=1000,
        log=True,
        optional=True,
        sweep=(1, 2, 3, 4, 6, 8, 16, None),
        doc="How many of the latest calls count as already sent; None is all of them.",
    )
    min_delta_chars: int = param(
        160,
        unit="UTF-16 units",
        low=0,
        high=1000,
        sweep=(160,),
        doc="A remainder shorter than this is dropped into the pointer (folded).",
    )
    record_scope: RecordScope = param(
        "connection",
        choices=("connection", "thread"),
        sweep=("connection", "thread"),
        doc="Who shares one record of what was sent: the whole connection, or each thread alone.",
    )
    reset_on_compaction: bool = param(
        False,
        choices=(False, True),
        sweep=(False, True),
        doc="Whether a thread's entries are forgotten when its context is compacted or cleared.",
    )
    guard: bool = param(
        True,
        choices=(True, False),
        sweep=(True,),
        doc="Whether an answer that would hold pointers only gets its first file back in full.",
    )
    max_spans_in_pointer: int = param(
        4,
        unit="spans",
        low=1,
        high=64,
        sweep=(4,),
        doc="Line ranges named in one pointer.",
    )
    max_symbols_in_pointer: int = param(
        5,
        unit="symbols",
        low=0,
        high=64,
        sweep=(5,),
        doc="Symbols named in one pointer.",
    )
    files_per_call: int = param(
        24,
        unit="files",
        low=1,
        high=1000,
        sweep=(24,),
        doc="Files remembered of one call.",
    )
    ranges_per_file: int = param(
        24,
        unit="ranges",
        low=1,
        high=1000,
        sweep=(24,),
        doc="Line ranges remembered of one file.",
    )
    full_pointer_chars: int = param(
        182,
        unit="UTF-16 units",
        low=0,
        high=2000,
        sweep=(182,),
        doc="Fixed length of a pointer that stands for the whole section.",
    )
    partial_pointer_chars: int = param(
        193,
        unit="UTF-16 units",
        low=0,
        high=2000,
        sweep=(193,),
        doc="Fixed length of a pointer that is followed by the remaining lines.",
    )


PROFILES: dict[str, Dedup] = {"codegraph 1.6.1": Dedup()}
"""Parameter defaults and wording lengths of real tools, by tool and version."""
