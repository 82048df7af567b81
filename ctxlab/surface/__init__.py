"""The output surface: a tool's JSON answer, reshaped for an agent, with a record of what went.

Imported at once, not when first used: `arrange` and `shape` are functions in modules of the same
names, which would take their places here; nothing heavy comes along.
"""

from __future__ import annotations

from ctxlab.surface.arrange import ALIASES, RESULT_KEYS, Arranged, arrange
from ctxlab.surface.budget import headroom, stub
from ctxlab.surface.canonical import Json, dumps, parse, parse_values
from ctxlab.surface.commands import as_printed, subcommand
from ctxlab.surface.params import NUMERIC, PROFILES, Surface
from ctxlab.surface.shape import shape, shape_text, shape_values

__all__ = [
    "ALIASES",
    "NUMERIC",
    "PROFILES",
    "RESULT_KEYS",
    "Arranged",
    "Json",
    "Surface",
    "arrange",
    "as_printed",
    "dumps",
    "headroom",
    "parse",
    "parse_values",
    "shape",
    "shape_text",
    "shape_values",
    "stub",
    "subcommand",
]
