"""Served lines that the agent obtains again: how soon, how often, by which route.

Reads the log of one family; no clock, no files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError
from ctxlab.fallback._clock import STOPS, actions_before, calls_before, clock_stops
from ctxlab.fallback._lines import (
    NEVER,
    Sections,
    deliveries,
    nth_steps,
    sections,
    share_steps,
)
from ctxlab.fallback._order import ThreadOrder, started_by, thread_order
from ctxlab.log import SPAN_ORIGINS, TOOL_KINDS, Bigs, FamilyLog, Ints

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["outcome_column", "reobtained"]

Since = Literal["served", "compaction"]


def outcome_column(k: int, rho: float) -> str:
    """Name the outcome column of a window of `k` actions and a share `rho` of the lines.

    Examples
    --------
    >>> outcome_column(10, 0.0), outcome_column(3, 0.5)
    ('y_any_k10', 'y_r50_k3')
    """
    return f"y_{_label(rho)}_k{k}"


def _label(rho: float) -> str:
    return "any" if rho == 0 else f"r{100 * rho:g}"


def reobtained(
    log: FamilyLog,
    K: Sequence[int] = (1, 3, 5, 10),
    rho: Sequence[float] = (0.0, 0.5),
    since: Since = "served",
) -> pd.DataFrame:
    """Follow each served section: are its lines obtained again within K actions.

    Parameters
    ----------
    log
        One family.
    K
        Window lengths in actions. An action is one call, of whatever tool, of the same thread in a
        later model response.
    rho
        Shares of the section's lines, 0 for any line, that make an outcome.
    since
        `"served"` starts the clock at the result: lines still resident, the base rate.
        `"compaction"` starts it at the first compaction after, for sections whose lines were in
        the context and unedited until then: the proxy for lines held no longer.

    Returns
    -------
    pandas.DataFrame
        One row a served section, the lines of one path in one result, in the order of the log;
        with `since="compaction"` only those that a compaction removed. `family`, `thread`, `call`,
        `path`, `tool`, `kind`, `origin` and `n_lines` (distinct lines) describe it; `clock_at` is
        the position at which the clock starts.

        `stopped_by` tells what ended the longest window: `edit` of the file anywhere in the family,
        `compaction` or `clear` of the thread, `microcompaction` or `rewind` that removed the
        section, `limit` (the actions of the longest window) or `end` of the transcript.
        `actions_seen` are the actions done before that. An outcome does not stop the clock.

        For each rho (`any`, `r50`, …): `step_any` is the action by which that share of the lines
        had been delivered again, null if none in the longest window; `step_any_2` and `step_any_3`
        the actions by which it had been a second and third time; `times_any` how many of the three
        there are; `route_any` the kind of tool of that action, `agent` for a sub-agent;
        `own_step_any` is the step without sub-agents, `same_text_step_any` the step counting only
        lines that came back with equal text. For each K and rho, `outcome_column(k, rho)` is
        true where the step is at most k.

    Raises
    ------
    ParameterError
        A window below one action, a share outside [0, 1], nothing given, or an unknown `since`.

    Notes
    -----
    A line is known by file and line number as served; numbers are not carried through edits, since
    an edit of the file stops the clock. Relative paths count as the one absolute path that ends
    with them. Lines that a sub-agent gets count at the action that started it. Routes that the log
    does not show are missed: in the traffic of one tool server the rate is a lower bound.
    """
    import pandas as pd

    _check(K, rho, since)
    order, served, limit = thread_order(log), sections(log), max(K)
    watched, clock, base = _started(log, order, served, since)
    stop, cause = clock_stops(log, watched, clock, removal=since == "served")
    seen = np.minimum(actions_before(log, order, watched.thread, base, stop), limit)
    starter = started_by(log)

    def line_steps(lines: Bigs, these: Bigs, starter: Ints | None, times: int) -> list[Ints]:
        found = deliveries(log, order, served, lines, starter)
        return list(nth_steps(found, watched, these, base, stop, limit, times))

    by_line = {
        "step": line_steps(served.place, watched.place, starter, _TIMES),
        "own_step": line_steps(served.place, watched.place, None, 1),
        "same_text_step": line_steps(served.worded, watched.worded, starter, 1),
    }
    columns = _described(log, watched)
    columns["clock_at"] = clock
    columns["stopped_by"] = _named(STOPS, np.where(seen == limit, STOPS.index("limit"), cause))
    columns["actions_seen"] = seen
    for share in rho:
        steps = {
            name: [share_steps(watched, lines, share) for lines in times]
            for name, times in by_line.items()
        }
        first = steps["step"][0]
        columns |= _step_columns(steps, _label(share))
        columns[f"route_{_label(share)}"] = _routes(log, order, watched.thread, base, first)
        columns |= {outcome_column(k, share): first <= k for k in K}
    return pd.DataFrame(columns)


_TIMES = 3


def _check(k: Sequence[int], rho: Sequence[float], since: str) -> None:
    if not k or min(k) < 1:
        raise ParameterError(f"`K` must hold whole numbers of at least 1 action, got {list(k)}")
    if not rho or not all(0 <= share <= 1 for share in rho):
        raise ParameterError(f"`rho` must hold shares in [0, 1], got {list(rho)}")
    if since not in get_args(Since):
        known = ", ".join(repr(name) for name in get_args(Since))
        raise ParameterError(f"`since` must be one of {known}, got {since!r}")


def _started(
    log: FamilyLog, order: ThreadOrder, served: Sections, since: Since
) -> tuple[Sections, Ints, Ints]:
    """Sections that are watched, the position their clocks start at, and the rank before it."""
    clock = order.done[served.call]
    if since == "served":
        return served, clock, order.last[served.call]
    stop, cause = clock_stops(log, served, clock, removal=True)
    compacted = cause == STOPS.index("compaction")
    watched, clock = served.only(compacted), stop[compacted]
    return watched, clock, calls_before(log, order, watched.thread, clock) - 1


def _described(log: FamilyLog, watched: Sections) -> dict[str, Any]:
    calls, call = log.calls, watched.call
    return {
        "family": _named((log.family,), np.zeros(len(call), np.int32)),
        "thread": watched.thread,
        "call": call,
        "path": log.spans.path[watched.span],
        "tool": _named(log.tools, calls.tool[call]),
        "kind": _named(TOOL_KINDS, calls.kind[call]),
        "origin": _named(SPAN_ORIGINS, log.spans.origin[watched.span]),
        "n_lines": watched.n_lines,
    }


def _step_columns(steps: dict[str, list[Ints]], label: str) -> dict[str, Any]:
    """Steps as nullable columns, and how many times the lines came again."""
    first, second, third = steps["step"]
    columns = {
        f"step_{label}": first,
        f"step_{label}_2": second,
        f"step_{label}_3": third,
        f"own_step_{label}": steps["own_step"][0],
        f"same_text_step_{label}": steps["same_text_step"][0],
    }
    times = sum((step < NEVER).astype(np.int32) for step in steps["step"])
    return {name: _nullable(step) for name, step in columns.items()} | {f"times_{label}": times}


def _routes(log: FamilyLog, order: ThreadOrder, thread: Ints, base: Ints, step: Ints) -> Any:
    """Name the tool kind of the action at each step, null where there is none."""
    reached = step < NEVER
    kind = np.full(len(step), -1)
    rank = (base + step)[reached]
    kind[reached] = log.calls.kind[order.by_rank[order.start[thread[reached]] + rank]]
    return _named(TOOL_KINDS, kind)


def _named(names: Sequence[str], codes: npt.NDArray[np.integer[Any]]) -> Any:
    """Look names up, as a column; -1 gives null."""
    import pandas as pd

    return pd.array(np.array([*names, None], dtype=object)[codes], dtype="string")


def _nullable(step: Ints) -> Any:
    """Steps as a column, null for `NEVER`."""
    import pandas as pd

    never = step == NEVER
    return pd.arrays.IntegerArray(np.where(never, 0, step).astype(np.int32), never)
