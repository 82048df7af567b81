"""Sufficiency of one answer, judged by the next call of its thread.

Reads the log of one family; no clock, no files.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from ctxlab.fallback._judge import BUCKETS, Judge
from ctxlab.log import MARK_KINDS, SPAN_ORIGINS, TOOL_KINDS, FamilyLog

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BUCKETS", "context_tools", "sufficiency"]

_OWN_KINDS = ("read", "grep", "glob", "shell", "edit", "agent", "bookkeeping")
_ECHOES = ("edit_echo", "diff")


def context_tools(log: FamilyLog) -> tuple[str, ...]:
    """Name the tools whose results carried source spans or pointers, the agent's own excepted.

    The agent's own are its read-like tools, searches, listings, shell and edit tools: what an
    edit echoes is no answer to a question.
    """
    echo = np.isin(log.spans.origin, [SPAN_ORIGINS.index(o) for o in _ECHOES])
    serving = np.union1d(log.spans.call[~echo], log.pointers.call)
    own = np.isin(log.calls.kind[serving], [TOOL_KINDS.index(k) for k in _OWN_KINDS])
    return tuple(sorted({log.tools[tool] for tool in log.calls.tool[serving[~own]]}))


def sufficiency(log: FamilyLog, tool: str | Collection[str] | None = None) -> pd.DataFrame:
    """Judge every call of a context tool by the next call made in a later response of its thread.

    Parameters
    ----------
    log
        One family.
    tool
        Name, or names, of the tools to judge, as the agent wrote them. Without it,
        `context_tools(log)`. A corpus is best judged by the union over its families.

    Returns
    -------
    pandas.DataFrame
        One row a call of those tools, in the order of the log. `family`, `thread`, `call` and
        `position` (of the call) place it; `tool` names it. `answered` is false, and `bucket` null,
        for a call that failed (`is_error`) or never came back. `bucket` is one of `BUCKETS`, null
        also where the log cannot tell: the next call started a sub-agent whose calls are not in
        it, or it is the traffic of one tool server, without the other tools. `named`: the answer
        named the missed file. `concurrent` counts the other calls of the same response.
        `next_call` is the call that was judged (-1: none, a final answer) and `next_tool` its
        tool; `by_subagent`: it is a sub-agent's. `prompt_between` and `reset_between` tell that a
        user's prompt, or a compaction, clear or rewind, came before it.

    Notes
    -----
    Bookkeeping calls are skipped throughout. `again` is a call of any of the judged tools. A file
    counts as returned when an answer of these tools in this thread, up to and including the
    judged response, carried its source or pointed at it. A read is `read_after_pointer` when the
    latest answer about that file pointed at a line that was read and served none of the lines
    read; where the lines read are unknown, when it served no line of the file. A call that
    started a sub-agent is judged by the first call of that sub-agent.

    Examples
    --------
    >>> from ctxlab.fallback import sufficiency
    >>> sufficiency(log, tool="Read").bucket.value_counts()  # doctest: +SKIP
    """
    import pandas as pd

    tools = context_tools(log) if tool is None else (tool,) if isinstance(tool, str) else tool
    judge = Judge.of(log, tools)
    rows = [_row(judge, int(call)) for call in np.flatnonzero(judge.is_context)]
    columns = zip(*rows, strict=True) if rows else ((),) * len(_DTYPES)
    made: dict[str, Any] = {}
    # Column by column: `astype` of a frame costs more than all the judging.
    for (name, kind), values in zip(_DTYPES.items(), columns, strict=True):
        if kind == "category":
            made[name] = pd.Categorical(values, categories=BUCKETS)
        elif kind == "string":
            made[name] = pd.array(values, dtype=pd.StringDtype())
        else:
            made[name] = np.array(values, dtype=kind)
    return pd.DataFrame(made)


_DTYPES = {
    "family": "string",
    "thread": "int32",
    "call": "int32",
    "position": "int32",
    "tool": "string",
    "answered": "bool",
    "is_error": "bool",
    "bucket": "category",
    "named": "bool",
    "concurrent": "int32",
    "next_call": "int32",
    "next_tool": "string",
    "by_subagent": "bool",
    "prompt_between": "bool",
    "reset_between": "bool",
}


def _row(judge: Judge, call: int) -> tuple[object, ...]:
    log, calls = judge.log, judge.log.calls
    following = judge.following(call)
    judged = judge.first_act(following)
    answered = judge.answered(call)
    bucket, named = judge.bucket(call, following, judged) if answered else (None, False)
    until = int(calls.call_at[following]) if following >= 0 else log.n_events
    return (
        log.family,
        calls.thread[call],
        call,
        calls.call_at[call],
        log.tools[calls.tool[call]],
        answered,
        calls.is_error[call],
        bucket,
        named,
        judge.concurrent(call),
        judged,
        log.tools[calls.tool[judged]] if judged >= 0 else None,
        judged != following and judged >= 0,
        _marked(log, call, until, ("prompt",)),
        _marked(log, call, until, ("compaction", "clear", "rewind")),
    )


def _marked(log: FamilyLog, call: int, until: int, kinds: Collection[str]) -> bool:
    """Whether a mark of these kinds stands in the call's thread between it and a position."""
    marks = log.marks
    here = (marks.thread == log.calls.thread[call]) & (marks.at < until)
    here &= marks.at > log.calls.call_at[call]
    return any(MARK_KINDS[kind] in kinds for kind in marks.kind[here])
