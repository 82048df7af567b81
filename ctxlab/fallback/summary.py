"""From the frames of many families to rates with their counts."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ctxlab.fallback._judge import BUCKETS

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

__all__ = [
    "cumulative_incidence",
    "reobtained_summary",
    "sufficiency_statement",
    "sufficiency_summary",
]

CUT_SHARE = 0.1
"""Share of windows cut above which the cumulative incidence stands beside the plain rate."""

_READS = ("read_returned", "read_after_pointer", "read_missed")
_SUFFICIENCY = [
    "tool",
    "calls",
    "answered",
    "errors",
    "unanswered",
    "unjudged",
    *BUCKETS,
    "named",
    "fallbacks",
    "fallback_rate_share",
    "wider_fallbacks",
    "wider_rate_share",
]
_OUTCOME = re.compile(r"y_(any|r[\d.]+)_k(\d+)")


def _joined(frames: pd.DataFrame | Iterable[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    if isinstance(frames, pd.DataFrame):
        return frames
    parts = list(frames)
    filled = [part for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else pd.concat(parts[:1] or [_nothing()])


def _nothing() -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({"tool": [], "answered": [], "is_error": [], "bucket": [], "named": []})


def sufficiency_summary(frames: pd.DataFrame | Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Count the buckets of each tool and give its fallback rates.

    Parameters
    ----------
    frames
        What `sufficiency` gave, one frame or one a family.

    Returns
    -------
    pandas.DataFrame
        One row a tool, most answers first: `calls`, `answered`, `errors`, `unanswered`, `unjudged`
        (answers of which the log cannot tell what followed), a count for each of `BUCKETS`,
        `named` (missed files that the answer named), `fallbacks` (the three read buckets),
        `fallback_rate_share` of the judged answers, and with searches `wider_fallbacks` and
        `wider_rate_share`. A rate over no judged answer is null.
    """
    import pandas as pd

    rows = []
    for tool, group in _joined(frames).groupby("tool", sort=True):
        answered = group[group.answered.astype(bool)]
        counts = {bucket: int((answered.bucket == bucket).sum()) for bucket in BUCKETS}
        judged = sum(counts.values())
        errors = int(group.is_error.astype(bool).sum())
        reads = sum(counts[bucket] for bucket in _READS)
        rows.append(
            {
                "tool": tool,
                "calls": len(group),
                "answered": len(answered),
                "errors": errors,
                "unanswered": len(group) - len(answered) - errors,
                "unjudged": len(answered) - judged,
                **counts,
                "named": int(answered.named.sum()),
                "fallbacks": reads,
                "fallback_rate_share": reads / judged if judged else np.nan,
                "wider_fallbacks": reads + counts["search"],
                "wider_rate_share": (reads + counts["search"]) / judged if judged else np.nan,
            }
        )
    table = pd.DataFrame(rows, columns=_SUFFICIENCY)
    return table.sort_values("answered", ascending=False, kind="stable", ignore_index=True)


def sufficiency_statement(summary: pd.DataFrame) -> str:
    """Say in a sentence a tool what `sufficiency_summary` found, or that it found no tool.

    Returns
    -------
    str
        One line a tool. Without one: that these logs hold no context tool, and how to get the
        same buckets for a named tool.
    """
    if summary.empty:
        return (
            "No context tool answered in these transcripts: no result of a tool other than the "
            "agent's own read, search, shell and edit tools carried source or pointers. "
            'The same buckets can be had for a tool you name, for example sufficiency(log, "Read").'
        )
    return "\n".join(_sentence(row) for row in summary.itertuples(index=False))


def _sentence(row: Any) -> str:
    judged = row.answered - row.unjudged
    if not judged:
        return f"{row.tool}: no answer of {row.calls} calls could be judged."
    return (
        f"{row.tool}: after {row.fallbacks} of {judged} answers "
        f"({row.fallback_rate_share:.1%}) the agent went on to read a file, "
        f"after {row.wider_fallbacks} ({row.wider_rate_share:.1%}) to read or search, and after "
        f"{row.again} ({row.again / judged:.1%}) it called the same tool again."
    )


def cumulative_incidence(
    step: npt.NDArray[np.integer[Any]], cause: npt.NDArray[np.integer[Any]], k: int
) -> float:
    """Estimate the probability of the outcome within `k` actions, in the presence of other ends.

    Parameters
    ----------
    step
        Action at which each window ended, from 1; for a censored one the last action seen, from 0.
    cause
        Why: 1 the outcome, 2 a competing event, 0 censored.
    k
        Actions of the window.

    Returns
    -------
    float
        Share in [0, 1] by the estimator of Aalen and Johansen; NaN if no window saw an action.

    Notes
    -----
    Aalen, O. O. and Johansen, S. (1978). An empirical transition matrix for non-homogeneous Markov
    chains based on censored observations. Scandinavian Journal of Statistics 5, 141-150.

    Examples
    --------
    >>> import numpy as np
    >>> cumulative_incidence(np.array([1, 2, 1, 2]), np.array([1, 1, 2, 0]), k=2)
    0.5
    """
    if not (step >= 1).any():
        return float("nan")
    free, incidence = 1.0, 0.0
    for action in range(1, k + 1):
        at_risk = int((step >= action).sum())
        if not at_risk:
            break
        ended = step == action
        outcomes = int((ended & (cause == 1)).sum())
        incidence += free * outcomes / at_risk
        free *= 1 - int((ended & (cause > 0)).sum()) / at_risk
    return incidence


def reobtained_summary(
    frames: pd.DataFrame | Iterable[pd.DataFrame], by: Sequence[str] = ()
) -> pd.DataFrame:
    """Give the rate of re-obtained sections for each window and share of lines.

    Parameters
    ----------
    frames
        What `reobtained` gave, one frame or one a family.
    by
        Columns to group by first, such as `kind` or `origin`.

    Returns
    -------
    pandas.DataFrame
        One row for each group, `rho` (`any`, `r50`, …) and `k`: `sections`; `outcomes` (Y = 1) and
        their `rate_share`; of them `by_subagent_only`, and `same_text` (enough lines came back with
        equal text); `second` and `third`, the sections obtained that often in the window;
        `cut_short` windows without outcome that ended before k actions, by `competing` events
        (edit, compaction, clear, removal) or `censored` by the end of the transcript, and their
        `cut_share`. `incidence_share` is `cumulative_incidence` where more than a tenth of the
        windows is cut, else null. Rates over no section are null.
    """
    import pandas as pd

    frame = _joined(frames)
    outcomes = [found for column in frame.columns if (found := _OUTCOME.fullmatch(column))]
    groups: Iterable[tuple[tuple[Hashable, ...], pd.DataFrame]] = (
        frame.groupby(list(by), sort=True) if by else [((), frame)]
    )
    rows = [
        dict(zip(by, names, strict=True)) | _window(group, found[1], int(found[2]))
        for names, group in groups
        for found in outcomes
    ]
    return pd.DataFrame(rows)


def _window(frame: pd.DataFrame, rho: str, k: int) -> dict[str, Any]:
    def within(column: str) -> npt.NDArray[np.bool_]:
        return frame[column].le(k).fillna(False).to_numpy(bool)

    n = len(frame)
    outcome = frame[f"y_{rho}_k{k}"].to_numpy(bool)
    seen = frame.actions_seen.to_numpy()
    cut = ~outcome & (seen < k)
    censored = cut & (frame.stopped_by == "end").to_numpy()
    step = np.where(
        outcome, frame[f"step_{rho}"].fillna(0), np.minimum(seen, k) + (cut & ~censored)
    )
    cause = np.where(outcome, 1, np.where(cut & ~censored, 2, 0))
    cut_share = cut.sum() / n if n else np.nan
    return {
        "rho": rho,
        "k": k,
        "sections": n,
        "outcomes": int(outcome.sum()),
        "rate_share": outcome.sum() / n if n else np.nan,
        "by_subagent_only": int((outcome & ~within(f"own_step_{rho}")).sum()),
        "same_text": int(within(f"same_text_step_{rho}").sum()),
        "second": int(within(f"step_{rho}_2").sum()),
        "third": int(within(f"step_{rho}_3").sum()),
        "cut_short": int(cut.sum()),
        "competing": int((cut & ~censored).sum()),
        "censored": int(censored.sum()),
        "cut_share": cut_share,
        "incidence_share": (
            cumulative_incidence(step, cause, k) if cut_share > CUT_SHARE else np.nan
        ),
    }
