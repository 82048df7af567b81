"""What the explorer shows, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.dedup.params import Dedup
from ctxlab.errors import ParameterError
from ctxlab.estimate import FEW_FAMILIES
from ctxlab.lab import DedupSweep
from ctxlab.replay import Cell, cells
from ctxlab.widgets._dedup import _transcripts
from ctxlab.widgets._kinds import start
from ctxlab.widgets._words import band
from tests.widgets.sweeps import Scores, rerun_at_the_end, sweep_of, two_axes

EVERYTHING = two_axes(
    record_scope=("connection", "thread"),
    reset_on_compaction=(False, True),
    proof=("line_text", "whole_file"),
)


def part_of(sweep: DedupSweep, *keep: int) -> DedupSweep:
    return DedupSweep(sweep.table.select(keep), sweep.survey, sweep.tools)


def test_starts_at_the_shipped_setting() -> None:
    at = start(EVERYTHING)
    assert at.values == {
        "min_covered_lines": 8,
        "view_calls": 4,
        "record_scope": "connection",
        "reset_on_compaction": False,
        "proof": "whole_file",
    }
    assert at.policy == Dedup(guard=False)
    assert at.grid.fixed == {"guard": False}


def test_starts_near_the_shipped_setting_where_that_was_not_swept() -> None:
    at = start(sweep_of(min_covered_lines=(1, 6, 30), view_calls=(1, 3, None)))
    assert at.values == {"min_covered_lines": 6, "view_calls": 3}


def test_values_stand_in_order_with_all_last() -> None:
    at = start(sweep_of(view_calls=(None, 8, 2), reset_on_compaction=(True, False)))
    assert at.grid.swept == {"view_calls": (2, 8, None), "reset_on_compaction": (False, True)}


def test_a_move_changes_one_parameter_and_leaves_the_controller_alone() -> None:
    at = start(EVERYTHING)
    moved = at.choose("view_calls", None)
    assert moved.values == {**at.values, "view_calls": None}
    assert at.values["view_calls"] == 4
    assert moved.policy.view_calls is None


@given(st.data())
def test_every_cell_is_reached_and_shown_as_its_own(data: st.DataObject) -> None:
    at = start(EVERYTHING)
    wanted = {name: data.draw(st.sampled_from(v)) for name, v in at.grid.swept.items()}
    for name, value in wanted.items():
        at = at.choose(name, value)
    assert at.values == wanted
    cell = EVERYTHING.table.cells[at.cell]
    assert (at.policy, at.grid.values[at.cell]) == (cell.params, cell.as_dict())
    frame = at.frame()
    assert len(frame) == 12
    assert frame.selected.sum() == 1
    row = frame[frame.selected].iloc[0]
    assert row.net_bytes == at.row().net_bytes == _transcripts(at).net_bytes.sum()
    assert set(frame.record_scope) == {cell.params.record_scope}
    assert set(frame.proof) == {cell.proof}


def test_a_move_to_where_the_sweep_has_a_hole_moves_others_as_little_as_it_can() -> None:
    whole = sweep_of(min_covered_lines=(1, 4, 8, 16), view_calls=(1, 4))
    holed = part_of(whole, *(i for i, c in enumerate(whole.table.cells) if _kept(c)))
    at = start(holed).choose("min_covered_lines", 16)
    assert at.choose("view_calls", 1).values == {"min_covered_lines": 4, "view_calls": 1}


def _kept(cell: Cell) -> bool:
    return cell.params.view_calls == 4 or cell.params.min_covered_lines <= 4


def test_a_single_cell_has_nothing_to_move() -> None:
    at = start(sweep_of(min_covered_lines=(12,)))
    assert at.values == {}
    assert at.grid.fixed == {"guard": False, "min_covered_lines": 12}
    assert len(at.frame()) == 1
    with pytest.raises(ParameterError, match="`view_calls` was not swept; swept are: none"):
        at.choose("view_calls", 4)


def test_cells_given_twice_are_shown_once() -> None:
    at = start(sweep_of(min_covered_lines=(8, 8, 4)))
    assert at.frame().min_covered_lines.tolist() == [8, 4]
    assert at.frame().selected.sum() == 1


def test_bad_moves_and_empty_sweeps_are_refused() -> None:
    at = start(two_axes())
    with pytest.raises(ParameterError, match="`guard` was not swept; swept are: min_covered_li"):
        at.choose("guard", True)
    with pytest.raises(ParameterError, match=r"must be one of the swept 1, 4, None, got 5"):
        at.choose("view_calls", 5)
    with pytest.raises(ParameterError, match="`sweep` needs at least one cell to explore"):
        start(part_of(two_axes()))


def test_harmful_pointers_come_first() -> None:
    at = start(two_axes()).choose("view_calls", None)
    assert at.warnings()[0] == (
        "Harmful: 3 of 6 pointers lead to lines that are not in the context "
        "(worst cause: compaction 3)."
    )
    first = at.figures()[0]
    assert (first.name, first.value, first.of) == ("Harmful pointers", "3", "of 6 pointers")


def test_a_setting_without_harm_has_no_warning_of_it() -> None:
    assert not any("Harmful" in said for said in start(two_axes()).warnings())


def rule(**scores: float) -> Any:
    return lambda cell, transcript: scores


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (rule(withheld_bytes=5.0, pointer_bytes=20.0, pointers=1.0), "A loss: 45 bytes more"),
        (rule(), "Nothing is replaced in these transcripts"),
        (
            lambda cell, t: {"withheld_bytes": 100.0 * (t == 0), "pointers": 1.0},
            "cannot be told from nothing",
        ),
        (
            lambda cell, t: {"withheld_bytes": 100.0 * (t == 1) + 1, "pointers": 1.0},
            "Transcript t1 alone carries 98 % of the net saving",
        ),
        (rule(withheld_bytes=5.0, pointers=1.0), f"3 families were .* fewer than {FEW_FAMILIES}"),
    ],
)
def test_warns(scores: Any, said: str) -> None:
    at = start(sweep_of(scores, min_covered_lines=(4, 8)))
    assert pd.Series(at.warnings()).str.contains(said).sum() == 1


def test_many_families_that_agree_give_no_warning() -> None:
    names = tuple(f"t{i}" for i in range(FEW_FAMILIES))
    at = start(sweep_of(transcripts=names, min_covered_lines=(4, 8)))
    assert at.warnings() == ()


def test_figures_name_their_denominators_and_how_they_are_known() -> None:
    at = start(two_axes())
    assert {f.known for f in at.figures()} == {"bounded", "modelled"}
    shares = [f for f in at.figures() if f.value.endswith("%")]
    assert [f.of.split(" (")[0] for f in shares] == [
        "of 30,000 bytes of source served",
        "of 60,000 bytes of all tool results",
        "of new input tokens",
    ]
    net = 3 * (125 - 20) + 3
    assert at.figures()[1].value == f"{net:,} bytes"
    assert [f.value for f in shares] == [
        f"{net / 300:.2f} %",
        f"{net / 600:.2f} %",
        f"{net / 600:.2f} %",
    ]


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.1, 0.2, "95 % interval 10.0 % to 20.0 %"),
        (0.1, float("nan"), "95 % interval 10.0 % to unknown"),
        (float("nan"), float("nan"), "no band"),
    ],
)
def test_an_interval_without_an_end_is_said_so(low: float, high: float, said: str) -> None:
    assert band(low, high, 1) == said


def test_what_was_not_measured_is_said_so() -> None:
    at = start(two_axes(new_input_tokens=float("nan")))
    assert at.figures()[-1].value == "not measured"


@dataclass
class Asked:
    """Keeps what a lab was asked for."""

    swept: tuple[Cell, ...] = ()
    tools: list[str] = field(default_factory=list)
    replayed: tuple[Any, ...] = ()

    def sweep(self, policy: Any, *, base: Dedup, tools: Any, proof: Any, **grid: Any) -> None:
        self.swept, self.tools = cells(base, grid, proof), tools

    def replay(self, params: Dedup, *, tools: Any, proof: Any) -> None:
        self.replayed = params, tools, proof


@pytest.mark.parametrize(
    "sweep",
    [
        EVERYTHING,
        two_axes(),
        sweep_of(min_covered_lines=range(1, 65)),
        sweep_of(min_covered_lines=(12,), base=Dedup(guard=False, record_scope="thread")),
    ],
)
def test_code_makes_the_same_cells_and_policy(sweep: DedupSweep) -> None:
    lab = Asked()
    at, policy = rerun_at_the_end(sweep, lab)
    assert lab.swept == sweep.table.cells
    assert tuple(lab.tools) == sweep.tools
    assert policy == at.policy
    assert lab.replayed == (at.policy, ["read"], at.grid.values[at.cell]["proof"])


def test_code_is_short_for_values_without_a_gap() -> None:
    code = start(sweep_of(min_covered_lines=range(1, 65))).code()
    assert "min_covered_lines=range(1, 65)," in code
    assert all(len(line) < 100 for line in code.splitlines())


def test_scores_of_the_helper_are_those_asked_for() -> None:
    scores: Scores = {"withheld_bytes": 7.0}
    assert sweep_of(rule(**scores), view_calls=(1, 2)).frame().net_bytes.tolist() == [21.0, 21.0]
