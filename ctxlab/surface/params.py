"""The knobs of the surface policy, each declared once, and the profiles of real tools."""

from __future__ import annotations

from dataclasses import dataclass

from ctxlab.params import ParamSet, param

__all__ = ["NUMERIC", "PROFILES", "Surface", "arrangement"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Surface(ParamSet):
    """Parameters of JSON output; the defaults are those of sqlite-graphrag 1.2.5: nothing is cut.

    Raises
    ------
    ParameterError
        If a value is outside its bounds.
    """

    max_items: int = param(
        0,
        unit="rows",
        low=0,
        high=1_000_000_000,
        log=True,
        sweep=(0, 1, 3, 5, 10, 20, 50, 100, 200),
        doc="Most rows of the answer's main array, and of every other one beside it; 0 is off.",
    )
    truncate_content: int = param(
        0,
        unit="characters",
        low=0,
        high=1_000_000_000,
        log=True,
        sweep=(0, 40, 80, 160, 320, 640, 1280, 4000),
        doc="Most characters of every text in the answer, ids and dates too; 0 is off.",
    )
    max_output_bytes: int = param(
        0,
        unit="bytes",
        low=0,
        high=1_000_000_000,
        log=True,
        sweep=(0, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536),
        doc="Most bytes of the answer: rows are dropped from its end; 0 is off.",
    )
    select: tuple[str, ...] = param(
        (), many=True, sweep=((),), doc="Keys of each row that stay, in dotted form; none: all."
    )
    filters: tuple[str, ...] = param(
        (),
        many=True,
        verbatim=True,
        sweep=((),),
        doc="Conditions that rows must meet: key=value, key!=value or key~part.",
    )
    sort: str | None = param(
        None, text=True, optional=True, sweep=(None,), doc="Key that rows are sorted by."
    )
    dedupe_by: str | None = param(
        None,
        text=True,
        optional=True,
        sweep=(None,),
        doc="Key of whose values each keeps its first row.",
    )
    count_only: bool = param(
        False,
        choices=(False, True),
        sweep=(False,),
        doc="Whether the number of rows takes the place of the answer.",
    )
    refuses_unresolved: bool = param(
        False,
        choices=(False, True),
        sweep=(False,),
        doc="Whether a key that no row has is an error, and select, filters, sort or dedupe_by "
        "without effect (1.2.6 on).",
    )
    overwrites_truncated: bool = param(
        False,
        choices=(False, True),
        sweep=(False,),
        doc="Whether `truncated` becomes true where the answer has it already (1.2.6 on).",
    )
    has_synonyms: bool = param(
        False,
        choices=(False, True),
        sweep=(False,),
        doc="Whether type, entity_type and kind stand for one another in keys (1.2.8 on).",
    )


PROFILES: dict[str, Surface] = {
    "sqlite-graphrag 1.2.5": Surface(),
    "sqlite-graphrag 1.2.6": Surface(refuses_unresolved=True, overwrites_truncated=True),
    "sqlite-graphrag 1.2.7": Surface(refuses_unresolved=True, overwrites_truncated=True),
    "sqlite-graphrag 1.2.8": Surface(
        refuses_unresolved=True, overwrites_truncated=True, has_synonyms=True
    ),
}
"""Parameter defaults of real tools, by tool and version.

Later versions differ in the three switches at the end of `Surface`. What else they write into the
record (`key_resolution`, `db_path_*`, `count_scope`, …) has no form that could be measured: records
are printed without it and so are shorter than the tool's; nor is a count or a filter over a page
refused, for what a page is only the tool knows.
"""

NUMERIC = ("max_items", "truncate_content", "max_output_bytes")
"""Knobs that facts leave open, and the only ones that the tool stores."""


def arrangement(params: Surface) -> Surface:
    """Give the same parameters with the numeric knobs off: what facts depend on."""
    return Surface.of(**{**params.as_dict(), **dict.fromkeys(NUMERIC, 0)})
