"""Was an answer enough? What the agent did after it, and which lines it fetched again.

Two views of one question, both pure functions from a `ctxlab.log.FamilyLog` to a frame:
`sufficiency` judges each answer of a context tool by the next call of its thread, `reobtained`
follows the lines of each served section. Summaries turn frames of many families into rates.
Of a recalled pointer, `pointer_use` says whether the agent used what it points at. Of an answer in
JSON, `quoted` says what later calls took from it and `requeries` which of them asked for it again.
"""

from ctxlab.fallback.quoted import Quoted, quoted
from ctxlab.fallback.reobtained import outcome_column, reobtained
from ctxlab.fallback.requery import MAX_ACTIONS, Requery, requeries
from ctxlab.fallback.revealed import (
    BaseNames,
    KnownFiles,
    PointerUse,
    path_of,
    pointer_use,
    pointer_uses,
)
from ctxlab.fallback.sufficiency import BUCKETS, context_tools, sufficiency
from ctxlab.fallback.summary import (
    cumulative_incidence,
    reobtained_summary,
    sufficiency_statement,
    sufficiency_summary,
)

__all__ = [
    "BUCKETS",
    "MAX_ACTIONS",
    "BaseNames",
    "KnownFiles",
    "PointerUse",
    "Quoted",
    "Requery",
    "context_tools",
    "cumulative_incidence",
    "outcome_column",
    "path_of",
    "pointer_use",
    "pointer_uses",
    "quoted",
    "reobtained",
    "reobtained_summary",
    "requeries",
    "sufficiency",
    "sufficiency_statement",
    "sufficiency_summary",
]
