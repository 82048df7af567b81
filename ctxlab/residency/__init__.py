"""Which delivered lines are still in the context that the model is sent, and still true.

Two questions, kept apart. *Residence*: until which position does the result of a call stay in the
context of its own thread, and what ends it. *Places*: which line of which state of a file a
delivered line is, after the edits that the log records, so that a later line can be compared with
it.
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

__all__ = [
    "END_CAUSES",
    "Change",
    "Numbering",
    "Places",
    "Residence",
    "Sections",
    "changes",
    "contradictions",
    "places",
    "previous",
    "residence",
    "sections",
    "unrecorded_changes",
]
