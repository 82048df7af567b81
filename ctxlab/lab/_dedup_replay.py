"""One dedup parameter set over all transcripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ctxlab.dedup.decide import HARM_CAUSES, Decisions
from ctxlab.dedup.facts import Facts
from ctxlab.lab._frames import cell_frame, score_frame
from ctxlab.lab._sweep import Replay
from ctxlab.log import TOOL_KINDS
from ctxlab.replay import DedupTable, Survey

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DedupReplay"]


class DedupReplay(Replay):
    """What one dedup parameter set does to the transcripts."""

    def __init__(
        self, table: DedupTable, row: int, facts: Facts, made: Decisions, survey: Survey
    ) -> None:
        self._row = row
        self.table, self.facts, self.made, self._survey = table, facts, made, survey

    def summary(self) -> pd.DataFrame:
        """Sums and shares: a row without the guard on pointer-only answers and one with it.

        Columns as in `Sweep.frame`.
        """
        return cell_frame(self.table, self._survey)

    def scores(self) -> pd.DataFrame:
        """One number a transcript and metric, in long form."""
        return score_frame(self.table.select([self._row]))

    def decisions(self) -> pd.DataFrame:
        """One row a (call, file) of the answers that were replayed.

        Columns: family, transcript, thread and call (numbered in the family), position of the
        result, tool kind, touched lines and bytes, covered lines, withheld, folded and pointer
        bytes, partial, folded, harm (the worst cause, "none" without).
        """
        import pandas as pd

        facts, made = self.facts, self.made
        calls, own, n = facts.calls, facts.sections.call, len(facts.sections.call)

        def of_runs(values: np.ndarray) -> np.ndarray:
            return np.bincount(facts.runs.section, weights=values, minlength=n).astype(np.int64)

        return pd.DataFrame(
            {
                "family": np.array(facts.families, dtype=object)[calls.family[own]],
                "transcript": np.array(facts.transcripts, dtype=object)[calls.transcript[own]],
                "thread": calls.log_thread[own],
                "call": calls.log_call[own],
                "position": calls.at[own],
                "tool_kind": np.array(TOOL_KINDS, dtype=object)[calls.kind[own]],
                "lines": of_runs(facts.runs.n_lines),
                "touched_bytes": of_runs(facts.runs.delivered_bytes),
                "covered_lines": made.covered_lines,
                "withheld_bytes": made.withheld_bytes,
                "folded_bytes": made.folded_bytes,
                "pointer_bytes": made.pointer_bytes,
                "partial": made.partial,
                "folded": made.folded_bytes > 0,
                "harm": np.array(HARM_CAUSES, dtype=object)[made.harm],
            }
        )
