"""What the explorer shows of surface, as plain values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest

from ctxlab.estimate import FEW_FAMILIES
from ctxlab.lab import SurfaceSweep
from ctxlab.plots import svg_text
from ctxlab.replay import SurfaceCell, surface_cells
from ctxlab.surface.params import PROFILES, Surface
from ctxlab.widgets import explore
from ctxlab.widgets._kinds import start
from tests.replay.surface_worlds import TRACKER, answer
from tests.widgets.surface_sweeps import answers, surface_sweep, three_knobs
from tests.widgets.sweeps import rerun_at_the_end


def test_starts_where_nothing_is_cut() -> None:
    at = start(three_knobs())
    assert at.policy == Surface()
    assert at.values == {"max_items": 0, "truncate_content": 0, "max_output_bytes": 0}
    assert at.grid.fixed == {}


def test_starts_near_what_ships_where_that_was_not_swept() -> None:
    assert start(surface_sweep(max_items=(5, 20))).values == {"max_items": 5}
    assert start(surface_sweep(select=[("id",), ("title",)])).values == {"select": ("id",)}


def test_texts_and_lists_of_texts_are_moved_as_values() -> None:
    at = start(surface_sweep(select=[("id", "title"), (), ("id",)], sort=[None, "title", "id"]))
    assert at.grid.swept == {
        "select": ((), ("id",), ("id", "title")),
        "sort": ("id", "title", None),
    }
    assert at.policy == Surface()
    assert at.choose("select", ("id",)).policy == Surface(select=("id",))


def test_each_knob_has_a_drawing_of_its_own_cells() -> None:
    at = start(three_knobs()).choose("truncate_content", 10)
    assert len(at.frame()) == 18
    assert at.frame("max_items").max_items.tolist() == [0, 2, 8]
    for name in at.kind.drawings:
        svg_text(at.draw(name))
    for name, label in (("rows", "max_items"), ("bytes", "max_output_bytes")):
        assert label in at.draw(name).figure.axes[-1].get_xlabel()  # type: ignore[union-attr]


def test_only_knobs_that_were_swept_have_a_drawing() -> None:
    at = start(surface_sweep(max_items=(0, 2), select=[(), ("id",)]))
    assert at.drawings == ("frontier", "rows", "losses", "tools")
    assert start(surface_sweep()).drawings == ("frontier", "losses", "tools")


def test_losses_go_along_the_knob_with_most_values() -> None:
    at = start(surface_sweep(max_items=(0, 2), truncate_content=(0, 5, 10)))
    assert "truncate_content" in at.draw("losses").figure.axes[-1].get_xlabel()  # type: ignore[union-attr]


def rings(at: Any, drawing: str) -> dict[str, int]:
    """How many points of each mark are drawn."""
    lines = {line.get_label(): len(line.get_xdata()) for line in at.draw(drawing).lines}
    return {name: lines.get(f"_{name}", 0) for name in ("shipped", "selected")}


@pytest.mark.parametrize(
    ("base", "moved", "shipped"),
    [
        (Surface(), {}, 1),
        (PROFILES["sqlite-graphrag 1.2.8"], {}, 1),
        (Surface(), {"truncate_content": 10}, 0),
        (Surface(select=("id",)), {}, 0),
    ],
    ids=["default", "later version", "beside another limit", "keys chosen"],
)
def test_only_where_nothing_is_cut_is_marked_as_shipped(
    base: Surface, moved: dict[str, int], shipped: int
) -> None:
    at = start(three_knobs(base=base))
    for name, value in moved.items():
        at = at.choose(name, value)
    assert rings(at, "rows") == {"shipped": shipped, "selected": 1}


def test_the_frontier_always_has_what_ships_and_what_is_selected() -> None:
    at = start(three_knobs()).choose("max_items", 2)
    assert rings(at, "frontier") == {"shipped": 1, "selected": 1}


def test_tools_are_drawn_under_the_selected_cell() -> None:
    at = start(three_knobs())
    for moved in (at, at.choose("max_items", 2)):
        bars = {group.get_label(): group[0].get_width() for group in moved.draw("tools").containers}  # type: ignore[union-attr]
        own = moved.grid.sweep.tools(**moved.grid.values[moved.cell])
        assert bars["_output_bytes"] == own.output_bytes.iloc[0]


def test_figures_name_their_denominators_and_how_they_are_known() -> None:
    figures = start(three_knobs()).choose("max_items", 2).figures()
    assert [(f.name, f.known) for f in figures] == [
        ("Harmed answers", "bounded"),
        ("Lossy answers", "bounded"),
        ("Lost ids and names", "bounded"),
        ("Saved", "measured"),
        ("Saved", "measured"),
        ("Saved", "measured"),
        ("Saved", "modelled"),
        ("Stubs", "measured"),
        ("Carried", "modelled"),
    ]
    said = {f.name: f"{f.value} {f.of}" for f in figures}
    assert said["Harmed answers"].startswith("3 of 6 answers in JSON (")
    assert said["Lost ids and names"].startswith("3 of 6 quotes known from one answer alone")
    saved = [figure.of for figure in figures if figure.name == "Saved"]
    parts = ("printed compactly", "compact printing alone saves", "all tool results", "new input")
    assert all(part in of for part, of in zip(parts, saved, strict=True))


def test_what_was_not_measured_is_said_so() -> None:
    figures = start(surface_sweep([], max_items=(0, 5))).figures()
    assert [f.value for f in figures if f.name == "Saved"] == ["not measured"] * 4
    assert "(no band)" in figures[0].of


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ({"max_items": 2}, r"^Harmed: 3 of 6 answers lose .* \(lost ids 3\); more may be harmed"),
        ({"max_output_bytes": 64}, "^Stubs: [0-9]+ answers hold a value of which nothing stays"),
        ({"max_items": 8}, "^Longer than without any limit: 3 of 6 answers|^A loss: "),
        ({}, f"^Few transcripts: 3 families had an answer in JSON.* fewer than {FEW_FAMILIES}"),
    ],
)
def test_warns(cell: dict[str, int], said: str) -> None:
    warnings = start(surface_sweep(base=Surface(**cell))).warnings()
    assert sum(bool(re.search(said, words)) for words in warnings) == 1


def test_a_limit_that_only_adds_is_called_a_loss() -> None:
    rows = [answer(at, family=at, rows=1) for at in range(FEW_FAMILIES)]
    [words] = start(surface_sweep(rows, base=Surface(max_items=5))).warnings()
    assert words.startswith("A loss: ")
    assert f"{FEW_FAMILIES} of {FEW_FAMILIES} answers get longer" in words


def test_many_families_without_harm_give_no_warning() -> None:
    at = start(surface_sweep(answers(FEW_FAMILIES)))
    assert at.warnings() == ()
    assert "No answer loses what was needed later" in at.kind.harmless


@dataclass
class Asked:
    """Keeps what a lab was asked for."""

    swept: tuple[SurfaceCell, ...] = ()
    replayed: tuple[Surface, Any] | None = None
    tool: Any = None

    def sweep(self, policy: Any, *, base: Surface, tool: Any = None, **grid: Any) -> None:
        assert policy is Surface
        self.swept, self.tool = surface_cells(base, grid), tool

    def replay(self, params: Surface, *, tool: Any = None) -> None:
        self.replayed = params, tool


@pytest.mark.parametrize(
    ("sweep", "tool"),
    [
        (three_knobs(), None),
        (surface_sweep(select=[(), ("id",)], sort=[None, "title"]), None),
        (surface_sweep(base=PROFILES["sqlite-graphrag 1.2.8"], max_items=(0, 5)), None),
        (surface_sweep(tool=TRACKER, max_items=(0, 5)), [TRACKER]),
    ],
    ids=["knobs", "texts", "later version", "one tool"],
)
def test_code_makes_the_same_cells_and_policy(sweep: SurfaceSweep, tool: Any) -> None:
    lab = Asked()
    at, policy = rerun_at_the_end(sweep, lab)
    assert set(lab.swept) == set(sweep.table.cells)
    assert policy == at.policy
    assert lab.replayed == (at.policy, tool)
    assert lab.tool == tool
    assert all(len(line) < 100 for line in at.code().splitlines())


def test_the_explorer_has_a_list_for_texts_and_shows_them_safely() -> None:
    hostile = "<b>\x1b[31m\u202e"
    explorer = explore(
        surface_sweep(select=[(), ("id", hostile)], sort=[None, "id"], max_items=[0, 5])
    )
    kinds = {name: type(control).__name__ for name, control in explorer.controls.items()}
    assert kinds == {"max_items": "SelectionSlider", "select": "Dropdown", "sort": "Dropdown"}
    assert explorer.controls["select"].options[0] == ("none", 0)
    assert explorer.controls["sort"].options[-1] == ("none", 1)
    explorer.controls["select"].value = 1
    assert explorer.policy == Surface(select=("id", hostile))
    page = explorer._repr_mimebundle_()["text/html"]
    for text in (page, repr(explorer)):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "<b>\\x1b" not in page
