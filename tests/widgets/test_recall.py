"""What the explorer shows of recall, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest

from ctxlab.errors import ParameterError
from ctxlab.estimate import FEW_FAMILIES
from ctxlab.lab import RecallSweep
from ctxlab.recall.build import QuestionRow
from ctxlab.recall.params import PROFILES, Recall
from ctxlab.replay import RecallCell, recall_cells
from ctxlab.widgets import explore
from ctxlab.widgets._kinds import KINDS, start
from tests.widgets.recall_sweeps import (
    NAMED,
    UNUSED,
    USED,
    all_axes,
    asked,
    control,
    prompts,
    recall_sweep,
)
from tests.widgets.sweeps import rerun_at_the_end


def test_starts_at_the_shipped_setting() -> None:
    at = start(all_axes())
    assert at.policy == Recall()
    assert at.values == {
        "min_hit_score": 0.05,
        "max_hits": 6,
        "max_output_bytes": 1200,
        "suppress_repeats": False,
    }
    assert at.grid.fixed == {}


def test_starts_near_the_shipped_setting_where_that_was_not_swept() -> None:
    at = start(recall_sweep(min_hit_score=(1.0, 3.0), max_hits=(4, 12)))
    assert at.values == {"min_hit_score": 1.0, "max_hits": 4}


def test_the_later_gate_is_said_as_fixed() -> None:
    at = start(recall_sweep(base=PROFILES["mushroomdb 0.7"], max_hits=(1, 6)))
    assert at.grid.fixed == {"min_hit_score": 0.0, "gate": "coverage"}


def test_a_drawing_has_its_own_cells_and_the_frame_those_of_all() -> None:
    at = start(all_axes()).choose("max_hits", 1)
    assert len(at.frame()) == 12
    floors = at.frame("min_hit_score")
    assert floors.min_hit_score.tolist() == [0.05, 2.0, 4.0]
    assert set(floors.max_hits) == {1}
    assert floors.selected.tolist() == [True, False, False]
    assert len(at.frame("max_hits", "max_output_bytes")) == 4


@pytest.mark.parametrize(("max_hits", "n"), [(6, 1), (1, 0)])
def test_only_what_ships_as_a_whole_is_marked_as_shipped(max_hits: int, n: int) -> None:
    at = start(all_axes()).choose("max_hits", max_hits)
    panel = at.draw("floors")
    [ring] = [line for line in panel.lines if line.get_label() == "_shipped"]
    assert len(ring.get_xdata()) == n
    [ring] = [line for line in panel.lines if line.get_label() == "_selected"]
    assert len(ring.get_xdata()) == 1


def test_figures_name_their_denominators_and_how_they_are_known() -> None:
    figures = start(all_axes()).figures()
    assert [(f.name, f.value, f.of.split(" (")[0], f.known) for f in figures] == [
        ("Precision", "66.7 %", "of 18 lines printed, used before the next prompt", "measured"),
        (
            "Used and new",
            "33.3 %",
            "of lines printed, not named by the prompt itself",
            "measured",
        ),
        ("Used lines kept", "100.0 %", "of 12 used lines that were found", "measured"),
        ("Fires", "6", "of 6 prompts", "measured"),
        ("False fires", "0", "of 0 prompts of other projects", "measured"),
        ("False fires", "1", "of 3 questions that join two topics", "measured"),
        ("False fires", "0", "of 0 prompts about something absent", "measured"),
        ("Printed", "166 bytes", "a prompt", "measured"),
        ("Carried", "68 tokens", "a fire, priced as uncached input", "modelled"),
    ]
    assert "95 % interval 66.7 % to 66.7 %" in figures[0].of


def test_what_was_not_measured_is_said_so() -> None:
    figures = {f.name: f for f in start(recall_sweep([], max_hits=(1, 6))).figures()}
    assert figures["Precision"].value == "not measured"
    assert figures["Precision"].of.endswith("(no band)")
    assert figures["Printed"].value == figures["Carried"].value == "not measured"


def said_of(rows: list[QuestionRow], **cell: Any) -> pd.Series[str]:
    """Warnings of one cell."""
    at = start(recall_sweep(rows, base=Recall(**cell)))
    return pd.Series(at.warnings(), dtype=str)


def scored(*scores: float, used: bool) -> list[QuestionRow]:
    return [
        question
        for i, score in enumerate(scores)
        for question in asked(i, score, USED if used else UNUSED)
    ]


@pytest.mark.parametrize(
    ("rows", "cell", "said"),
    [
        (scored(1.0, used=True), {"min_hit_score": 4.0}, "^Nothing is printed at these prompts"),
        (
            [*scored(1.0, used=True), control("absent", 0, 3.0), control("joined", 0, 3.0)],
            {},
            "^Fires where silence is right: at 1 of 1 questions that join two topics, "
            "1 of 1 prompts about something absent",
        ),
        (scored(5.0, used=True), {"min_hit_score": 4.0}, r"no signal .* \(cannot be tested\)"),
        (
            [*scored(5.0, 7.0, used=True), *asked(2, 6.0, UNUSED)],
            {"min_hit_score": 4.0},
            r"no signal .* \(over all prompts AUC 0.50, ",
        ),
        (asked(0, 5.0, NAMED, NAMED, USED), {}, "^Of 6 used lines 4 were named by the prompt"),
        (prompts(3), {}, f"^Few transcripts: 3 families had .* fewer than {FEW_FAMILIES}"),
    ],
)
def test_warns(rows: list[QuestionRow], cell: dict[str, Any], said: str) -> None:
    assert said_of(rows, **cell).str.contains(said).sum() == 1


@pytest.mark.parametrize("cell", [{}, {"gate": "coverage", "min_hit_score": 4.0}])
def test_the_shipped_floor_and_a_gate_without_one_need_no_signal(cell: dict[str, Any]) -> None:
    assert not said_of(scored(5.0, used=True), **cell).str.contains("no signal").any()


def test_many_families_and_silent_controls_give_no_warning() -> None:
    rows = scored(*[5.0] * FEW_FAMILIES, used=True)
    assert said_of([*rows, control("joined", 0, 0.01)]).tolist() == []


@dataclass
class Asked:
    """Keeps what a lab was asked for."""

    swept: tuple[RecallCell, ...] = ()
    replayed: tuple[Recall, str] | None = None

    def sweep(self, policy: Any, *, base: Recall, graph: str, **grid: Any) -> None:
        assert (policy, graph) == (Recall, "history")
        self.swept = recall_cells(base, grid)

    def replay(self, params: Recall, *, graph: str) -> None:
        self.replayed = params, graph


@pytest.mark.parametrize(
    "sweep",
    [
        all_axes(),
        recall_sweep(min_hit_score=Recall.params()["min_hit_score"].sweep, max_hits=range(1, 13)),
        recall_sweep(base=PROFILES["mushroomdb 0.7"]),
    ],
)
def test_code_makes_the_same_cells_and_policy(sweep: RecallSweep) -> None:
    lab = Asked()
    at, policy = rerun_at_the_end(sweep, lab)
    assert lab.swept == sweep.table.cells
    assert policy == at.policy
    assert lab.replayed == (at.policy, "history")
    assert all(len(line) < 100 for line in at.code().splitlines())


def test_every_policy_that_is_swept_can_be_explored() -> None:
    from ctxlab import lab

    assert set(KINDS) == set(lab.Sweep.__subclasses__())


@pytest.mark.parametrize("sweep", [None, "sweep", Recall()])
def test_what_is_no_sweep_is_refused(sweep: Any) -> None:
    with pytest.raises(
        ParameterError,
        match=r"must be a DedupSweep or RecallSweep or SurfaceSweep, as `lab.sweep` gives it, got",
    ):
        explore(sweep)
