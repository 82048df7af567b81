"""One thread of one transcript in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ctxlab.dedup.decide import decide
from ctxlab.dedup.facts import Facts
from ctxlab.dedup.params import Dedup
from ctxlab.errors import ParameterError
from ctxlab.replay.corpus import family_facts
from ctxlab.store import Store

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["busiest_thread"]


def busiest_thread(store: Store, facts: Facts, params: Dedup, transcript: str) -> pd.DataFrame:
    """Timeline of the thread that was served most, of those that a transcript holds."""
    from ctxlab.replay.timeline import timeline

    if transcript not in facts.transcripts:
        raise ParameterError(
            f"the lab has no transcript {transcript!r}; `lab.survey().transcripts` names them"
        )
    at = facts.transcripts.index(transcript)
    family = int(facts.family_of_transcript[at])
    own = family_facts(facts, family)
    (log,) = store.iter_logs([own.families[0]])
    here = own.calls.transcript == own.transcripts.index(transcript)
    served = np.bincount(
        own.calls.log_thread[here], own.calls.touched_bytes[here], minlength=len(log.threads)
    )
    return timeline(log, own, decide(own, params), int(served.argmax()))
