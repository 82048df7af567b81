"""Which delivered lines are still in the context that the model is sent, and still true.

Three questions, kept apart. *Residence*: until which position does the result of a call stay in the
context of its own thread, and what ends it. *Requests*: how many model requests carry it that long.
*Places*: which line of which state of a file a delivered line is, after the edits that the log
records, so that a later line can be compared with it.
"""

from ctxlab.residency._changes import Change, Numbering, changes
from ctxlab.residency._places import (
    Places,
    contradictions,
    places,
    previous,
    unrecorded_changes,
)
from ctxlab.residency._residence import END_CAUSES, Residence, residence
from ctxlab.residency._sections import Sections, sections
from ctxlab.residency.requests import leaves_at, requests_after

__all__ = [
    "END_CAUSES",
    "Change",
    "Numbering",
    "Places",
    "Residence",
    "Sections",
    "changes",
    "contradictions",
    "leaves_at",
    "places",
    "previous",
    "requests_after",
    "residence",
    "sections",
    "unrecorded_changes",
]
