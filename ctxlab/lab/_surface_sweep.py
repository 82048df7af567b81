"""A grid of surface parameters over all JSON answers, and one parameter set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ctxlab.errors import ParameterError
from ctxlab.lab._surface_frames import (
    answer_frame,
    curve_frame,
    price_frame,
    quote_frame,
    surface_frame,
    surface_score_frame,
    tool_frame,
)
from ctxlab.lab._sweep import Replay, Sweep
from ctxlab.replay import SurfaceTable, Survey, hazards
from ctxlab.surface.decide import Decisions
from ctxlab.surface.facts import SurfaceFacts
from ctxlab.surface.params import NUMERIC, Surface
from ctxlab.tune import KeyChoice, key_uses, recommend_keys

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["SurfaceReplay", "SurfaceSweep"]


def _frontier(sweep: SurfaceSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    return plots.surface_frontier(sweep.frame(), ax)


def _budget(sweep: SurfaceSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    return plots.surface_budget(sweep.along_knob(), ax)


def _losses(sweep: SurfaceSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    return plots.surface_losses(sweep.along_knob(), ax)


def _tools(sweep: SurfaceSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    return plots.surface_tools(sweep.tools(), ax)


def _by_tool(sweep: SurfaceSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    return plots.surface_by_tool(sweep.tool_curves(), ax)


def _keys(sweep: SurfaceSweep, ax: Axes | None) -> Axes:
    from ctxlab import plots

    frame = sweep.keys()
    largest = next((tool for tool in sweep.table.tools if tool in set(frame.tool)), None)
    return plots.surface_keys(frame[frame.tool == largest], ax)


class SurfaceSweep(Sweep):
    """Scores of all cells of a grid of surface parameters.

    `plot` draws what each cell saves against what it harms, one knob with its hazards, what is lost
    along it, the largest tools along it, the tools under the first cell, or the keys of the largest
    tool.
    """

    drawings: ClassVar = {
        "frontier": _frontier,
        "budget": _budget,
        "losses": _losses,
        "by_tool": _by_tool,
        "tools": _tools,
        "keys": _keys,
    }

    def __init__(
        self,
        table: SurfaceTable,
        survey: Survey,
        facts_of: Callable[[Surface], SurfaceFacts],
        whole: SurfaceFacts,
        starts: Sequence[int | None],
    ) -> None:
        self.table: SurfaceTable = table
        self.survey, self._facts_of, self._whole, self._starts = survey, facts_of, whole, starts
        self._advice: dict[str, KeyChoice] | None = None
        self._tools: dict[int, pd.DataFrame] = {}

    @property
    def only(self) -> tuple[str, ...] | None:
        """Names of the tools that the sweep is of; None for all that there are."""
        named = self.table.tools
        return None if len(named) == len(self._whole.tools) else named

    def frame(self) -> pd.DataFrame:
        """One row a cell: parameters, counts, shares.

        An answer is a result of a tool that answers in JSON. A quote is an id, path, number or name
        of it in the input of a later call of its thread; a witness a quote that the agent knew from
        that answer alone. What is lost nothing left of the answer names. Witnesses bound the
        harm from below: what an agent read and did not write down leaves no trace. Everything is
        measured, along the course that was recorded, but for what is called modelled.

        The parameters of `Surface` come first, by name. What no parameter changes:

        ======================= ===================================================================
        answers                 results of tools that answer in JSON
        json_answers            of these, those that held JSON, whole
        cut_answers             of these, JSON that the harness cut short; in no other figure
        text_answers            of these, no JSON; in no other figure
        invalid_answers         of these, JSON but for a rule that they break (NaN, half of a
                                surrogate pair, a number beyond any, over 127 levels); in no other
        recorded_bytes          bytes of the JSON answers as the model saw them
        canonical_bytes         bytes of the same, printed compactly
        compact_bytes           recorded - canonical: what compact printing alone saves
        canonical_priced_bytes  bytes of uncached input that cost what carrying canonical_bytes
                                does; modelled
        rows                    rows of their main arrays; what other arrays beside these hold is
                                counted only where it is left out
        quotes, witnesses       of all JSON answers
        quoted_answers          JSON answers with a quote
        witnessed_answers       JSON answers with a witness
        requeries               answers after which the same was asked again within 10 calls
        larger_requeries        of these, with a larger limit or for the next page
        json_requeries          requeries after JSON answers alone
        json_fallbacks          of these, with a larger limit, for the next page or with a narrower
                                filter
        ======================= ===================================================================

        What the parameters change:

        ======================= ===================================================================
        output_bytes            bytes printed
        saved_bytes             canonical - output; below 0 where the answers grow
        priced_bytes            bytes of uncached input that cost what carrying those does; modelled
        kept_rows               rows of the main arrays that stay
        capped_rows             rows left out by `max_items`, those of other arrays too, so that
                                they may be more than `rows`
        dropped_rows            rows left out by `max_output_bytes`, those of other arrays too
        cut_texts, cut_names    texts cut by `truncate_content`: with white space, and of one word
        stubs                   answers that hold a value of which nothing stays
        grown                   answers that are longer than without
        over_budget             answers longer than `max_output_bytes` all the same
        changed_answers         answers that lack anything
        lost_quotes             quotes that are lost
        lost_witnesses          witnesses that are lost; lost_paths, lost_ids, lost_numbers and
                                lost_names are its parts
        lossy_answers           answers with a lost quote
        harmed_answers          answers with a lost witness
        ======================= ===================================================================

        Shares (0-1, null where there is nothing to be a share of):

        ========================= =================================================================
        saved_share               saved_bytes / canonical_bytes
        low, high                 its 95 % interval by family; band_low, band_high hold for all rows
        harmed_share              harmed_answers / json_answers, with harmed_low and harmed_high: no
                                  less than what few or none seen among the families allow to
                                  say, but 0 where nothing is cut
        lossy_share               lossy_answers / json_answers, with lossy_low and lossy_high
        priced_share              priced_bytes / canonical_priced_bytes; modelled
        saved_share_of_recorded   saved_bytes / recorded_bytes
        saved_share_of_results    saved_bytes / bytes of all tool results, of any tool and form
        saved_share_of_new_input  saved_bytes in tokens / input tokens that no cache held; modelled
        compact_share_of_recorded compact_bytes / recorded_bytes
        changed_share             changed_answers / json_answers
        requery_share             requeries / answers
        frontier                  whether no other row saves as much and harms less
        ========================= =================================================================
        """
        return super().frame()

    def _cells(self) -> pd.DataFrame:
        return surface_frame(self.table, self.survey)

    def scores(self) -> pd.DataFrame:
        """One row a cell, transcript, tool and metric (long; large for a large grid)."""
        return surface_score_frame(self.table)

    def tools(self, **params: object) -> pd.DataFrame:
        """One row a tool under the first cell that has these parameters, most bytes first.

        Columns are `tool` and those of `frame` but for the last.

        Raises
        ------
        ParameterError
            If no cell of the sweep has them.
        """
        cell = self.find(**params)
        if cell not in self._tools:
            self._tools[cell] = tool_frame(self.table, self.survey, cell)
        return self._tools[cell].copy()

    def tool_curves(self) -> pd.DataFrame:
        """One row a tool and cell, tools with the most bytes first.

        Columns are `tool`, parameters and sums as in `frame`, `saved_share`, `priced_share`,
        `harmed_share` and `lossy_share`, without intervals: most tools have too few families for
        one.
        """
        return curve_frame(self.table)

    def prices(self, allowed: Sequence[int] = (0, 1, 2, 5, 10)) -> pd.DataFrame:
        """What could have been saved, had one known: the best cell for so many harmed answers.

        One row each of `allowed` for which a cell saves anything, with that cell's columns as in
        `frame`. It is chosen with hindsight, on all transcripts, so that the next ones will be
        harmed more: it shows what care costs, and is nothing to ship. `Lab.recommend` judges.

        Raises
        ------
        ParameterError
            A number is below 0.
        """
        if any(most < 0 for most in allowed):
            raise ParameterError(f"`allowed` must be harmed answers, 0 or more, got {allowed}")
        return price_frame(self.table, self.frame(), allowed)

    def along_knob(self) -> pd.DataFrame:
        """The frame of a sweep of one numeric knob, with answers that keep fewer rows than before.

        `non_monotonic` counts, along `max_output_bytes`, answers that at some ceiling up to the
        row's, and above that of the row before, keep fewer rows than at a smaller one, swept or
        not: a search by halves would go wrong on them.

        Raises
        ------
        ParameterError
            If several knobs vary, or none.
        """
        varied = [n for n in NUMERIC if len({getattr(c.params, n) for c in self.table.cells}) > 1]
        frame = self.along(*(varied if len(varied) == 1 else NUMERIC[:1]))
        if not varied:
            raise ParameterError(
                "this figure needs a sweep of one knob with several values, got one value of each"
            )
        frame = frame.assign(non_monotonic=0)
        ceilings = np.unique(frame.max_output_bytes[frame.max_output_bytes > 0]).astype(int)
        if varied == ["max_output_bytes"]:
            base = self.table.cells[0].params
            told = hazards(self._facts_of(base), ceilings.tolist(), base, self.table.tools)
            of = dict(zip(told["max_output_bytes"].tolist(), told["non_monotonic"], strict=True))
            frame["non_monotonic"] = [of.get(int(m), 0) for m in frame.max_output_bytes]
        return frame

    def key_advice(self) -> dict[str, KeyChoice]:
        """Keys to select of each tool's rows: those quoted earlier, judged on later quotes."""
        if self._advice is None:
            advice = recommend_keys(self._whole, self._starts)
            self._advice = {tool: advice[tool] for tool in self.table.tools}
        return dict(self._advice)

    def keys(self) -> pd.DataFrame:
        """One row a tool and key of its rows: rows, bytes, share, quotes, witnesses, families.

        Tools with the most recorded bytes come first, and of each the largest keys.
        `kept` says whether the key is among those that the advice proposes, judged or not.
        """
        import pandas as pd

        frame = pd.DataFrame(key_uses(self._whole))
        place = {tool: at for at, tool in enumerate(self.table.tools)}
        frame = frame[frame.tool.isin(place)]
        frame = frame.iloc[np.argsort(frame.tool.map(place), kind="stable")].reset_index(drop=True)
        advice = self.key_advice()
        kept = [key in advice[tool].keys for tool, key in zip(frame.tool, frame.key, strict=True)]
        return frame.assign(kept=np.array(kept, dtype=bool))


class SurfaceReplay(Replay):
    """What one surface parameter set does to the JSON answers."""

    def __init__(
        self, table: SurfaceTable, facts: SurfaceFacts, made: Decisions, survey: Survey
    ) -> None:
        self.table, self.facts, self.made, self._survey = table, facts, made, survey

    def summary(self) -> pd.DataFrame:
        """One row, columns as in `SurfaceSweep.frame` but for `frontier`, which compares rows."""
        return surface_frame(self.table, self._survey).drop(columns="frontier")

    def tools(self) -> pd.DataFrame:
        """One row a tool, columns as in `SurfaceSweep.tools`."""
        return tool_frame(self.table, self._survey, 0)

    def scores(self) -> pd.DataFrame:
        """One number a transcript, tool and metric, in long form."""
        return surface_score_frame(self.table)

    def decisions(self) -> pd.DataFrame:
        """One row an answer.

        ================== ========================================================================
        family, transcript of the answer; `tool` that gave it
        form               json, cut (by the agent's harness), text, or invalid (as NaN makes it)
        is_error           whether the log calls it an error
        recorded_bytes     as the model saw it
        canonical_bytes    printed compactly, 0 unless it is JSON and whole
        values, rows       JSON values in it, and rows of their main arrays
        requests           model requests that carried it
        requery            how the same was asked again within 10 calls, null if it was not;
                           `requery_after` says by which one, -1 for none
        output_bytes, …    what is printed and what is left out, as in `SurfaceSweep.frame`; but
                           `stubs` counts the values of which nothing stays
        sort_undefined     sorted by a key of mixed types in more than 20 rows
        quotes, …          quotes and witnesses of it, and those that are lost
        ================== ========================================================================
        """
        return self._own(answer_frame(self.facts, self.made))

    def quotes(self) -> pd.DataFrame:
        """One row an answer and a token of it that a later call quoted, without the token itself.

        `kind` is path, id, number or name; `after` counts the calls from the answer to the first
        that quotes it; `lost` says that the shaped answer does not hold it.
        """
        return self._own(quote_frame(self.facts, self.made))

    def _own(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows of the tools that are replayed."""
        return frame[frame.tool.isin(self.table.tools)].reset_index(drop=True)
