"""Scores of surface to the frames that people read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ctxlab.estimate import ShareInterval, share_bands, upper_shares
from ctxlab.lab._frames import part_intervals, score_frame, shares_of_all
from ctxlab.log import ANSWER_FORMS
from ctxlab.replay import SurfaceTable, Survey
from ctxlab.surface.decide import Decisions
from ctxlab.surface.facts import REQUERY_KINDS, TOKEN_KINDS, SurfaceFacts
from ctxlab.surface.shape import has_knob
from ctxlab.tune import best_at_prices, frontier

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "answer_frame",
    "curve_frame",
    "price_frame",
    "quote_frame",
    "surface_frame",
    "surface_score_frame",
    "tool_frame",
]


def surface_frame(table: SurfaceTable, survey: Survey) -> pd.DataFrame:
    """One row a cell: the columns that `SurfaceSweep.frame` lists."""
    import pandas as pd

    frame = pd.DataFrame(_plain(table.totals()))
    canonical = table.by_family("canonical_bytes")[0]
    saved = share_bands(table.by_family("saved_bytes"), canonical)
    frame["saved_share"] = saved.share
    frame["low"], frame["high"] = saved.low, np.minimum(saved.high, 1)
    frame["band_low"], frame["band_high"] = saved.band_low, np.minimum(saved.band_high, 1)
    answered = np.broadcast_to(
        table.by_family("json_answers")[0], (len(table.cells), len(canonical))
    )
    cuts = np.array([has_knob(cell.params) for cell in table.cells], dtype=bool)
    for name, of in (("harmed", "harmed_answers"), ("lossy", "lossy_answers")):
        found = part_intervals(table.by_family(of), answered)
        frame[f"{name}_share"] = _column(found, "value")
        frame[f"{name}_low"] = _column(found, "low")
        # Where hardly a family has any, resampling would bound the share at what was seen.
        rare = upper_shares(table.by_family(of), answered[0]) if len(answered) else np.empty(0)
        high = np.fmax(_column(found, "high"), rare)
        frame[f"{name}_high"] = np.where(cuts | np.isnan(high), high, 0)  # whole answers lose none
    for name, part, whole in (
        ("priced_share", "priced_bytes", "canonical_priced_bytes"),
        ("saved_share_of_recorded", "saved_bytes", "recorded_bytes"),
        ("compact_share_of_recorded", "compact_bytes", "recorded_bytes"),
        ("changed_share", "changed_answers", "json_answers"),
        ("requery_share", "requeries", "answers"),
    ):
        frame[name] = (frame[part] / frame[whole]).where(frame[whole] > 0)
    for of, share in shares_of_all(table, survey, "saved_bytes").items():
        frame[f"saved_share_of_{of}"] = share
    return frame.assign(frontier=frontier(table))


def tool_frame(table: SurfaceTable, survey: Survey, cell: int) -> pd.DataFrame:
    """One row a tool under one cell, most recorded bytes first: columns as in `surface_frame`."""
    import pandas as pd

    one = table.select([cell])
    rows = [
        surface_frame(one.by_tool(tool), survey).assign(tool=tool).drop(columns="frontier")
        for tool in one.tools
    ]
    if not rows:
        return surface_frame(one, survey).drop(columns="frontier").assign(tool="").iloc[:0]
    frame = pd.concat(rows, ignore_index=True)
    return frame[["tool", *(name for name in frame.columns if name != "tool")]]


def curve_frame(table: SurfaceTable) -> pd.DataFrame:
    """One row a tool and cell, most recorded bytes first: sums, and shares without intervals."""
    import pandas as pd

    frames = [pd.DataFrame(_plain(table.by_tool(tool).totals())) for tool in table.tools]
    named = [frame.assign(tool=tool) for frame, tool in zip(frames, table.tools, strict=True)]
    frame = pd.concat(named, ignore_index=True) if named else _without_rows(table).assign(tool="")
    for name, part, whole in (
        ("saved_share", "saved_bytes", "canonical_bytes"),
        ("priced_share", "priced_bytes", "canonical_priced_bytes"),
        ("harmed_share", "harmed_answers", "json_answers"),
        ("lossy_share", "lossy_answers", "json_answers"),
    ):
        frame[name] = (frame[part] / frame[whole]).where(frame[whole] > 0)
    return frame[["tool", *(name for name in frame.columns if name != "tool")]]


def price_frame(table: SurfaceTable, frame: pd.DataFrame, allowed: Sequence[int]) -> pd.DataFrame:
    """One row a number of harmed answers: the rows of `frame` that `best_at_prices` chooses."""
    chosen = [(most, at) for most, at in zip(allowed, best_at_prices(table, allowed), strict=True)]
    found = frame.iloc[[at for _, at in chosen if at is not None]].reset_index(drop=True)
    found.insert(0, "allowed", [most for most, at in chosen if at is not None])
    return found


def _without_rows(table: SurfaceTable) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(_plain(table.totals())).iloc[:0]


def surface_score_frame(table: SurfaceTable) -> pd.DataFrame:
    """Long form as `score_frame`, with the tool beside the transcript; null for those without."""
    frame = score_frame(table)
    for name in table.cells[0].as_dict() if table.cells else ():
        frame[name] = _plain({name: frame[name].to_numpy()})[name]
    each = np.repeat(_named(table.tools, table.tool_of), len(table.metrics))
    place = list(frame.columns).index("family")
    frame.insert(place, "tool", np.tile(each, len(table.cells)))
    return frame


def answer_frame(facts: SurfaceFacts, made: Decisions) -> pd.DataFrame:
    """One row an answer: the columns that `SurfaceReplay.decisions` lists."""
    import pandas as pd

    a, q = facts.answers, facts.quotes
    n = len(a.tool)

    def of_answer(which: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        return np.bincount(q.answer[which], minlength=n)

    return pd.DataFrame(
        {
            "family": _named(facts.families, a.family),
            "transcript": _named(facts.transcripts, a.transcript),
            "tool": _named(facts.tools, a.tool),
            "form": _named(ANSWER_FORMS, a.form),
            "is_error": a.is_error,
            "recorded_bytes": a.recorded_bytes,
            "canonical_bytes": a.canonical_bytes,
            "values": a.values,
            "rows": a.rows,
            "requests": a.requests,
            "requery": _named((*REQUERY_KINDS, None), a.requery),
            "requery_after": pd.array(np.where(a.requery < 0, -1, a.requery_after)),
            "output_bytes": made.output_bytes,
            "kept_rows": made.kept_rows,
            "capped_rows": made.capped_rows,
            "dropped_rows": made.dropped_rows,
            "cut_texts": made.cut_texts,
            "cut_names": made.cut_names,
            "stubs": made.stubs,
            "grown": made.grown,
            "over_budget": made.over_budget,
            "sort_undefined": made.sort_undefined,
            "quotes": of_answer(np.ones(len(q.answer), np.bool_)),
            "witnesses": of_answer(q.is_witness),
            "lost_quotes": of_answer(made.lost),
            "lost_witnesses": of_answer(made.lost & q.is_witness),
        }
    )


def quote_frame(facts: SurfaceFacts, made: Decisions) -> pd.DataFrame:
    """One row an answer and a quoted token of it: the columns that `SurfaceReplay.quotes` lists."""
    import pandas as pd

    a, q = facts.answers, facts.quotes
    return pd.DataFrame(
        {
            "family": _named(facts.families, a.family[q.answer]),
            "transcript": _named(facts.transcripts, a.transcript[q.answer]),
            "tool": _named(facts.tools, a.tool[q.answer]),
            "answer": q.answer,
            "kind": _named(TOKEN_KINDS, q.kind),
            "is_witness": q.is_witness,
            "after": q.after,
            "lost": made.lost,
        }
    )


def _named(names: tuple[Any, ...], codes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = np.array([*names, None], dtype=object)[codes]
    return found


def _column(found: list[ShareInterval], name: str) -> list[float]:
    return [np.nan if getattr(i, name) is None else getattr(i, name) for i in found]


def _plain(columns: dict[str, Any]) -> dict[str, Any]:
    """Sets of texts as one text: a column of tuples cannot be kept as Parquet."""
    return {
        name: [", ".join(value) if isinstance(value, tuple) else value for value in values]
        if len(values) and isinstance(values[0], tuple)
        else values
        for name, values in columns.items()
    }
