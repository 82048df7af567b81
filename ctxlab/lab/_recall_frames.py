"""Scores of recall to the frames that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ctxlab.economics import TokenRate
from ctxlab.estimate import ShareInterval, floor_grid, precision_recall
from ctxlab.lab._frames import part_intervals
from ctxlab.recall.decide import Decisions, decide
from ctxlab.recall.facts import QUESTION_KINDS, RecallFacts
from ctxlab.recall.params import Recall, without_floors
from ctxlab.replay import CONTROLS, RecallTable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["pointer_frame", "pointer_scores", "precision_intervals", "prompt_frame", "recall_frame"]

_SHARES = {
    "fire_share": ("fires", "prompts"),
    "used_fire_share": ("used_fires", "fires"),
    "precision": ("used_pointers", "pointers"),
    "told_share": ("told_pointers", "pointers"),
    "named_used_share": ("named_used_pointers", "pointers"),
    "named_share": ("named_pointers", "pointers"),
    "averted_share": ("averted_pointers", "pointers"),
    "repeat_share": ("repeats", "pointers"),
    "used_share": ("used_pointers", "used_candidates"),
    "reached_share": ("reached_files", "used_files"),
    "missed_share": ("missed", "prompts"),
    "chance_share": ("unrelated_used_pointers", "unrelated_pointers"),
    "nothing_right_share": ("nothing_right", "prompts"),
    **{f"false_fire_{kind}": (f"{kind}_fires", f"{kind}_questions") for kind in CONTROLS},
}
"""Shares of two sums, null where the second is 0."""


def recall_frame(table: RecallTable, tokens: TokenRate) -> pd.DataFrame:
    """One row a cell: the columns that `RecallSweep.frame` lists."""
    import pandas as pd

    frame = pd.DataFrame(table.totals())
    for name, (part, whole) in _SHARES.items():
        frame[name] = (frame[part] / frame[whole]).where(frame[whole] > 0)
    intervals = precision_intervals(table)
    frame["low"] = [np.nan if i.low is None else i.low for i in intervals]
    frame["high"] = [np.nan if i.high is None else i.high for i in intervals]
    fires = frame.fires.where(frame.fires > 0)
    frame["bytes_per_fire"] = frame.output_bytes / fires
    frame["bytes_per_prompt"] = frame.output_bytes / frame.prompts.where(frame.prompts > 0)
    frame["tokens_per_fire"] = frame.bytes_per_fire / tokens.bytes_per_token
    frame["carried_tokens_per_fire"] = frame.priced_bytes / fires / tokens.bytes_per_token
    return frame


def precision_intervals(table: RecallTable) -> list[ShareInterval]:
    """Interval by family of the precision of each cell."""
    return part_intervals(table.by_family("used_pointers"), table.by_family("pointers"))


def prompt_frame(facts: RecallFacts, params: Recall, kind: str = "asked") -> pd.DataFrame:
    """One row a question of one kind: its scores, and whether a line that it ranked was used.

    `used` looks at the first `max_hits` lines; of controls only unrelated ones have any, by
    chance. `score` is the best of the scores by field, `score_…`.
    """
    import pandas as pd

    q, p = facts.questions, facts.pointers
    which = q.kind == QUESTION_KINDS.index(kind)
    first = p.rank < params.max_hits
    n = len(q.kind)

    def any_of(lines: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        hits = np.bincount(p.question, weights=lines & first, minlength=n)
        found: npt.NDArray[np.bool_] = hits[which] > 0
        return found

    return pd.DataFrame(
        {
            "family": np.array(facts.families, dtype=object)[q.family[which]],
            "transcript": np.array(facts.transcripts, dtype=object)[q.transcript[which]],
            "project": np.array(facts.projects, dtype=object)[q.project[which]],
            "prompt": q.prompt[which],
            "prompt_bytes": q.prompt_bytes[which],
            "terms": q.terms[which],
            "score": q.best_score[which],
            "second_score": q.second_score[which],
            "ceiling": q.ceiling[which],
            "unrelated_share": q.unrelated_share[which],
            "hits": q.hits[which],
            "used": any_of(p.used),
            "told": any_of(p.used & ~p.named),
            "requests": q.requests[which],
            **{f"score_{name}": found[which] for name, found in _by_field(facts).items()},
        }
    )


def _by_field(facts: RecallFacts) -> dict[str, npt.NDArray[np.float64]]:
    """Best score of a phrase of each question in each field, NaN where none was found."""
    found, n = facts.field_scores, len(facts.questions.kind)
    columns = {name: np.full(n, np.nan) for name in facts.fields}
    for code, name in enumerate(facts.fields):
        at = found.field == code
        columns[name][found.question[at]] = found.score[at]
    return columns


def pointer_frame(facts: RecallFacts, made: Decisions) -> pd.DataFrame:
    """One row a printed pointer: the columns that `RecallReplay.pointers` lists."""
    import pandas as pd

    q, p, printed = facts.questions, facts.pointers, made.printed
    question = p.question[printed]
    outcomes = ("opened", "edited", "quoted", "used", "averted", "named")
    return pd.DataFrame(
        {
            "kind": np.array(QUESTION_KINDS, dtype=object)[q.kind[question]],
            "family": np.array(facts.families, dtype=object)[q.family[question]],
            "transcript": np.array(facts.transcripts, dtype=object)[q.transcript[question]],
            "project": np.array(facts.projects, dtype=object)[q.project[question]],
            "prompt": q.prompt[question],
            "rank": p.rank[printed] + 1,
            "node": p.node[printed],
            "bytes": p.line_bytes[printed],
            "repeat": made.repeat[printed],
            **{column: getattr(p, column)[printed] for column in outcomes},
        }
    )


def pointer_scores(facts: RecallFacts, params: Recall) -> pd.DataFrame:
    """One row a floor: precision and recall of lines whose prompt scores that much, or more.

    Lines are those that `params` prints without a floor. Floors lie between observed scores, at
    most 50 of them; `shipped` marks the default of `Recall`. `low` and `high` are the interval of
    the precision by family. Of `frame.attrs`, "base_rate" is the precision without a floor, and
    "average_precision" the area under the curve of all floors: the two are about equal for a score
    that says nothing. Both are None if nothing was used.
    """
    import pandas as pd

    q, p = facts.questions, facts.pointers
    printed = decide(facts, without_floors(params)).printed & (q.kind[p.question] == 0)
    question = p.question[printed]
    score, used, family = q.best_score[question], p.used[printed], q.family[question]
    default = Recall.params()["min_hit_score"].default
    made = precision_recall(score, used, family, floor_grid(score, keep=[default]))
    frame = pd.DataFrame(
        {
            "floor": made.floor,
            "precision": made.precision,
            "low": made.precision_low,
            "high": made.precision_high,
            "recall": made.recall,
            "recall_low": made.recall_low,
            "recall_high": made.recall_high,
            "pointers": made.printed,
            "used_pointers": made.used,
            "shipped": made.floor == default,
        }
    )
    frame.attrs.update(base_rate=made.used_share, average_precision=made.average_precision)
    return frame
