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

__all__ = ["telling_thread"]


def telling_thread(store: Store, facts: Facts, params: Dedup, transcript: str) -> pd.DataFrame:
    """Timeline of a transcript's thread with most harmful pointers, of equals of the busiest."""
    from ctxlab.replay.timeline import timeline

    if transcript not in facts.transcripts:
        raise ParameterError(
            f"the lab has no transcript {transcript!r}; `lab.survey().transcripts` names them"
        )
    at = facts.transcripts.index(transcript)
    family = int(facts.family_of_transcript[at])
    own = family_facts(facts, family)
    (log,) = store.iter_logs([own.families[0]])
    made = decide(own, params)
    call, n = own.sections.call, len(log.threads)
    here = own.calls.transcript == own.transcripts.index(transcript)
    harmful = here[call] & (made.harm > 0)
    harm = np.bincount(own.calls.log_thread[call[harmful]], minlength=n)
    served = np.bincount(own.calls.log_thread[here], own.calls.touched_bytes[here], minlength=n)
    return timeline(log, own, made, int(np.lexsort((served, harm))[-1]))
