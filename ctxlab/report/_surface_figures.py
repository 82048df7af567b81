"""The figures of a report on surface, each with the words that stand beside it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ctxlab import plots
from ctxlab.lab import SurfaceTuned
from ctxlab.report.content import Known, Picture
from ctxlab.surface.params import NUMERIC, Surface

__all__ = ["surface_pictures"]

_KNOBS = {
    "max_output_bytes": "a byte ceiling",
    "max_items": "a limit of rows",
    "truncate_content": "a limit of characters",
}
_EXAMPLE = 8192
"""A ceiling to show the tools under where no setting is recommended."""


_Drawn = tuple[str, str, str, Known, Any]
"""Title, words, frame of its figures, how these are known, and the drawing."""


def surface_pictures(tuned: SurfaceTuned) -> dict[str, Picture]:
    """Give the figures by file name."""
    frame = tuned.choices.frame()
    drawn: dict[str, _Drawn] = {
        "surface_frontier": (
            "What each setting saves, and what it harms",
            "Each point is one combination of the three limits. Harm is bounded from below by "
            "witnesses. The line joins settings that no other one beats.",
            "choices",
            "bounded",
            plots.surface_frontier(frame.assign(shipped=_is_default(frame))),
        ),
        "surface_tools": _tools(tuned),
    }
    for name, words in _KNOBS.items():
        swept = tuned.knobs[name].along_knob()
        drawn[f"surface_{name}"] = (
            f"What {words} saves and does",
            "Above: share of bytes saved and of answers harmed, with 95 % intervals by family. "
            "Below: answers on which it does what nobody wants.",
            name,
            "bounded",
            plots.surface_budget(swept),
        )
        drawn[f"surface_{name}_losses"] = (
            f"What {words} loses",
            "Witnesses that are lost, by kind; texts and names that are cut.",
            name,
            "bounded",
            plots.surface_losses(swept),
        )
        drawn[f"surface_{name}_tools"] = (
            f"What {words} saves and loses, tool by tool",
            "The largest tools: bytes saved, and what they cost carried "
            "along; answers that are harmed or lossy. The others stand in the table.",
            "tool_curves",
            "bounded",
            plots.surface_by_tool(tuned.knobs[name].tool_curves()),
        )
    keys = tuned.choices.keys()
    if len(keys):
        largest = keys[keys.tool == tuned.choices.table.tools[0]]
        drawn["surface_keys"] = (
            "Keys of the rows of the largest tool",
            "What each key takes, and how often a later call quoted something at it.",
            "keys",
            "measured",
            plots.surface_keys(largest),
        )
    return {
        name: Picture(
            title=title,
            caption=caption,
            alt=f"{title}. {caption} Its figures stand in frames/{of}.parquet.",
            known=known,
            drawing=axes,
        )
        for name, (title, caption, of, known, axes) in drawn.items()
    }


def _tools(tuned: SurfaceTuned) -> _Drawn:
    if tuned.recommended.params:
        removes, of, tools = "the recommended setting removes", "tools", tuned.tools()
    else:
        removes = f"a ceiling of {_EXAMPLE:,} bytes would remove (an example, not recommended)"
        of = "tool_curves"
        tools = tuned.knobs["max_output_bytes"].tools(max_output_bytes=_EXAMPLE)
    return (
        "Tools that answer in JSON",
        f"What compact printing saves, what {removes}, and what stays.",
        of,
        "measured",
        plots.surface_tools(tools),
    )


def _is_default(frame: Any) -> Any:
    default = Surface()
    return np.all([frame[name] == getattr(default, name) for name in NUMERIC], axis=0)
