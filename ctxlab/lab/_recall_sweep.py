"""A grid of recall parameters over all prompts, and one parameter set."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ctxlab.lab._frames import score_frame
from ctxlab.lab._recall_frames import pointer_frame, pointer_scores, prompt_frame, recall_frame
from ctxlab.lab._sweep import Replay, Sweep
from ctxlab.recall.decide import Decisions
from ctxlab.recall.facts import QUESTION_KINDS, RecallFacts
from ctxlab.replay import LookedUp, RecallTable, Survey
from ctxlab.tune import Signal, score_signal

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["RecallReplay", "RecallSweep"]


def _floor(sweep: RecallSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    return plots.floor_curve(sweep.along("min_hit_score"), ax)


def _precision(sweep: RecallSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    return plots.precision_recall(sweep.precision_recall(), ax)


def _budget(sweep: RecallSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    return plots.budget_curve(sweep.along("max_hits", "max_output_bytes"), ax)


def _scores(sweep: RecallSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    return plots.score_distribution(sweep.prompts(), ax)


def _leaks(sweep: RecallSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    return plots.gate_leaks(sweep.leaks(), ax)


class RecallSweep(Sweep):
    """Scores of all cells of a grid of recall parameters.

    `graph` says where the graph is from. `plot` draws the floors, precision against recall, the
    budgets, the scores of used and unused prompts, or what the identifier gate lets through.
    """

    drawings: ClassVar = {
        "floor": _floor,
        "precision": _precision,
        "budget": _budget,
        "scores": _scores,
        "leaks": _leaks,
    }

    def __init__(self, table: RecallTable, survey: Survey, found: LookedUp, graph: str) -> None:
        self.table: RecallTable = table
        self.survey, self.found, self.graph = survey, found, graph
        self._signal: Signal | None = None

    def frame(self) -> pd.DataFrame:
        """One row a cell: parameters, counts, shares, sizes.

        A pointer is one printed line; a digest is what is printed at one prompt. A pointer was
        used if the agent opened, edited or quoted what it points at before the next prompt.
        Everything is measured, along the course that was recorded, but for what is called modelled.

        The parameters of `Recall` come first, by name. What no parameter changes:

        ======================= ===================================================================
        prompts                 prompts that had a graph to be looked up in
        unanswerable            prompts without a graph; in no other figure
        with_identifier         prompts that name an identifier
        matched                 prompts of which a phrase was found in the graph
        empty_graph             prompts whose graph held no file yet
        nothing_right           prompts after which nothing that the graph held was used
        missed                  prompts after which a file of the graph was used, no ranked pointer
        used_files              files of the graph opened or edited, summed over prompts
        candidates              pointers ranked for all prompts, 12 at most a prompt
        used_candidates         of these, used
        unrelated_questions     negative controls: prompts of other projects
        joined_questions        negative controls: two topics that nobody joined
        absent_questions        negative controls: no name of the prompt is in the graph
        ======================= ===================================================================

        What the parameters change:

        ======================= ===================================================================
        fires                   prompts at which a digest is printed
        used_fires              of these, with a pointer that was used
        output_bytes            bytes printed, framing included
        carried_bytes           bytes printed times the requests that carry them; modelled
        priced_bytes            bytes of uncached input that cost what carrying costs; modelled
        pointers                pointers printed
        used_pointers           of these, used
        named_pointers          of these, path or name in the prompt itself
        named_used_pointers     of these, both
        told_pointers           of these, used and not named by the prompt
        averted_pointers        of these, the file opened with no search before
        repeats                 of these, printed before in the same context
        reached_files           used files that a printed pointer names, each once a prompt
        truncated               digests that left out pointers for want of bytes
        unrelated_fires         controls of that kind that fire; so joined_fires, absent_fires
        unrelated_pointers      pointers printed at unrelated prompts
        unrelated_used_pointers of these, used after the prompt that they stand beside
        ======================= ===================================================================

        Shares (0-1, null where there is nothing to be a share of) and sizes:

        ======================= ===================================================================
        precision               used_pointers / pointers
        low, high               its 95 % interval by family
        chance_share            unrelated_used_pointers / unrelated_pointers: use by chance
        told_share              told_pointers / pointers
        named_used_share        named_used_pointers / pointers
        named_share             named_pointers / pointers
        averted_share           averted_pointers / pointers
        repeat_share            repeats / pointers
        used_share              used_pointers / used_candidates: what the budget and floors keep
        fire_share              fires / prompts
        used_fire_share         used_fires / fires
        nothing_right_share     nothing_right / prompts
        missed_share            missed / prompts
        reached_share           reached_files / used_files: recall of what was used
        false_fire_unrelated    unrelated_fires / unrelated_questions; so the other two kinds
        bytes_per_fire          output_bytes / fires
        bytes_per_prompt        output_bytes / prompts, silent ones included
        tokens_per_fire         bytes_per_fire in tokens; modelled
        carried_tokens_per_fire priced_bytes / fires in tokens of uncached input; modelled
        ======================= ===================================================================
        """
        return super().frame()

    def _cells(self) -> pd.DataFrame:
        return recall_frame(self.table, self.survey.tokens)

    def signal(self) -> Signal:
        """Whether the score tells what will be used."""
        if self._signal is None:
            self._signal = score_signal(self.found.facts)
        return self._signal

    def prompts(self) -> pd.DataFrame:
        """One row a recorded prompt: its scores, and whether a line ranked for it was used."""
        frame = prompt_frame(self.found.facts, self.table.cells[0].params)
        auc = self.signal().within
        if auc.value is not None:
            frame.attrs["auc"] = (auc.value, auc.low, auc.high)
        return frame

    def precision_recall(self) -> pd.DataFrame:
        """One row a floor that tells prompts apart: precision and recall of the lines printed.

        `frame.attrs` holds "base_rate", the precision without a floor, and "average_precision", the
        area under the curve; about equal if the score says nothing, None if nothing was used.
        """
        return pointer_scores(self.found.facts, self.table.cells[0].params)

    def leaks(self) -> pd.DataFrame:
        """What the identifier gate let through or missed, most frequent first."""
        return self.found.leaks.copy()

    def graphs(self) -> pd.DataFrame:
        """One row a project: prompts, prompts without a graph, states of nodes, origin."""
        return self.found.graphs.copy()


class RecallReplay(Replay):
    """What one recall parameter set does at the prompts."""

    def __init__(
        self,
        table: RecallTable,
        facts: RecallFacts,
        made: Decisions,
        survey: Survey,
    ) -> None:
        self.table, self.facts, self.made, self._survey = table, facts, made, survey

    def summary(self) -> pd.DataFrame:
        """One row, columns as in `Sweep.frame`."""
        return recall_frame(self.table, self._survey.tokens)

    def scores(self) -> pd.DataFrame:
        """One number a transcript and metric, in long form."""
        return score_frame(self.table)

    def decisions(self) -> pd.DataFrame:
        """One row a question: recorded prompts and negative controls.

        Columns: those of `RecallSweep.prompts`, and kind, fires, pointers, used pointers,
        output bytes, truncated, repeats left out.
        """
        import pandas as pd

        made, p = self.made, self.facts.pointers
        [cell] = self.table.cells
        n = len(self.facts.questions.kind)
        frames = []
        for kind in QUESTION_KINDS:
            which = self.facts.questions.kind == QUESTION_KINDS.index(kind)
            used = np.bincount(p.question, weights=made.printed & p.used, minlength=n)
            lines = np.bincount(p.question, weights=made.printed, minlength=n)
            frames.append(
                prompt_frame(self.facts, cell.params, kind).assign(
                    kind=kind,
                    fires=made.fires[which],
                    pointers=lines[which].astype(np.int64),
                    used_pointers=used[which].astype(np.int64),
                    output_bytes=made.output_bytes[which],
                    truncated=made.truncated[which],
                    repeats_left_out=made.repeats_left_out[which],
                )
            )
        return pd.concat(frames, ignore_index=True)

    def pointers(self) -> pd.DataFrame:
        """One row a printed pointer, in the order of questions and ranks.

        ================ ==========================================================================
        kind             of the question: asked, or a negative control
        family, project  of the prompt; of a control those of the prompt that it stands beside
        transcript       of the prompt, as in other frames
        prompt           number of the prompt in its project, from 0
        rank             place among the lines ranked for the question, from 1
        node             number of the node pointed at: the same in all rows that point at it
        bytes            of the printed line, its newline included
        repeat           printed before in the same context
        opened           the file was opened before the next prompt
        edited           the file was edited before the next prompt
        quoted           the agent wrote the path or name before the next prompt
        used             one of these three
        averted          the file was opened with no search before
        named            the prompt itself holds the path or name
        ================ ==========================================================================

        At unrelated prompts the outcome is what happened by chance after the prompt beside them; at
        other controls nothing is known, and all of it is false.
        """
        return pointer_frame(self.facts, self.made)
