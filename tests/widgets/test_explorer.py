"""The view without a browser: every control is moved, and what is shown follows."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import ipywidgets
import pytest

from ctxlab.errors import ParameterError
from ctxlab.lab import DedupSweep, Sweep
from ctxlab.recall.params import PROFILES
from ctxlab.widgets import Explorer, explore
from ctxlab.widgets._kinds import start
from tests.replay.surface_worlds import TRACKER
from tests.widgets.recall_sweeps import all_axes, recall_sweep
from tests.widgets.surface_sweeps import surface_sweep, three_knobs
from tests.widgets.sweeps import sweep_of, two_axes

SWEEPS = {
    "everything": two_axes(
        record_scope=("connection", "thread"),
        reset_on_compaction=(False, True),
        proof=("line_text", "hunks", "whole_file"),
    ),
    "two axes": two_axes(),
    "one number": sweep_of(view_calls=(1, None)),
    "one choice": sweep_of(record_scope=("connection", "thread")),
    "a single cell": sweep_of(min_covered_lines=(8,)),
    "nothing served": sweep_of(transcripts=(), min_covered_lines=(4, 8)),
    "recall": all_axes(),
    "recall, another floor": recall_sweep(min_margin=(1.0, 1.5)),
    "recall, a single cell": recall_sweep(),
    "recall, coverage gate": recall_sweep(base=PROFILES["mushroomdb 0.7"], max_hits=(1, 6)),
    "recall, nothing asked": recall_sweep([], min_hit_score=(0.05, 4.0)),
    "surface": three_knobs(),
    "surface, texts": surface_sweep(
        select=[(), ("id",), ("id", "title")], sort=[None, "title"], count_only=[False, True]
    ),
    "surface, one tool": surface_sweep(tool=TRACKER, max_items=(0, 5)),
    "surface, a single cell": surface_sweep(),
    "surface, nothing answered": surface_sweep([], max_output_bytes=(0, 500)),
}


def shown(explorer: Explorer) -> list[str]:
    """All HTML of the explorer."""
    return [w.value for w in parts(explorer._box) if isinstance(w, ipywidgets.HTML)]


def parts(widget: Any) -> list[Any]:
    return [widget, *(p for child in getattr(widget, "children", ()) for p in parts(child))]


def still(explorer: Explorer) -> str:
    return str(explorer._repr_mimebundle_()["text/html"])


CASES = [
    pytest.param(sweep, figure, id=f"{name}, {figure}")
    for name, sweep in SWEEPS.items()
    for figure in start(sweep).drawings
]


@pytest.mark.parametrize(("sweep", "figure"), CASES)
def test_every_control_moves_to_both_ends(sweep: Sweep, figure: str) -> None:
    explorer = explore(sweep)
    explorer.figure.value = figure
    states = [(explorer.code(), still(explorer), shown(explorer))]
    for name, control in explorer.controls.items():
        ends = (len(control.options) - 1, 0)
        for place in ends if control.value == 0 else ends[::-1]:
            control.value = place
            value = explorer.controller.grid.swept[name][place]
            assert explorer.controller.values[name] == value
            assert explorer.controller.grid.values[explorer.controller.cell][name] == value
            states.append((explorer.code(), still(explorer), shown(explorer)))
    for before, after in pairwise(states):
        for of_before, of_after in zip(before, after, strict=True):
            assert of_before != of_after


@pytest.mark.parametrize("sweep", SWEEPS.values(), ids=SWEEPS)
def test_every_figure_is_drawn(sweep: Sweep) -> None:
    explorer = explore(sweep)
    pictures = set()
    for name in explorer.figure.options:
        explorer.figure.value = name
        found = re.findall(r'<img alt="([^"]+)" width="\d+" src="(data:[^"]+)">', still(explorer))
        assert len(found) == 1
        pictures.add(found[0])
    assert len(pictures) == len(explorer.figure.options)


def test_controls_follow_the_declarations() -> None:
    controls = explore(SWEEPS["everything"]).controls
    assert {name: type(control).__name__ for name, control in controls.items()} == {
        "min_covered_lines": "SelectionSlider",
        "view_calls": "SelectionSlider",
        "record_scope": "ToggleButtons",
        "reset_on_compaction": "ToggleButtons",
        "proof": "ToggleButtons",
    }
    assert [label for label, _ in controls["view_calls"].options] == ["1", "4", "all"]
    assert [label for label, _ in controls["reset_on_compaction"].options] == ["no", "yes"]
    assert all(control.description == name for name, control in controls.items())


def test_numbers_of_controls_are_short() -> None:
    controls = explore(SWEEPS["recall"]).controls
    assert [label for label, _ in controls["min_hit_score"].options] == ["0.05", "2", "4"]
    assert [label for label, _ in controls["max_output_bytes"].options] == ["200", "1200"]


def test_a_control_that_others_depend_on_moves_them() -> None:
    whole = sweep_of(min_covered_lines=(1, 4, 8), view_calls=(1, 4))
    keep = [
        i
        for i, cell in enumerate(whole.table.cells)
        if (cell.params.view_calls, cell.params.min_covered_lines) != (1, 8)
    ]
    explorer = explore(DedupSweep(whole.table.select(keep), whole.survey))
    assert explorer.controls["min_covered_lines"].label == "8"
    explorer.controls["view_calls"].value = 0
    assert explorer.controls["min_covered_lines"].label == "4"
    assert explorer.policy.min_covered_lines == 4


def test_hands_back_what_was_found() -> None:
    explorer = explore(two_axes())
    explorer.controls["view_calls"].value = 2
    assert explorer.policy.view_calls is None
    frame = explorer.frame()
    assert frame[frame.selected].view_calls.tolist() == [None]
    assert "policy = ctxlab.Dedup(view_calls=None, guard=False)" in explorer.code()


def test_harmful_pointers_stand_before_all_else() -> None:
    explorer = explore(two_axes())
    assert "No harmful pointer" not in shown(explorer)[0]  # three families: there is a warning
    explorer.controls["view_calls"].value = 2
    assert re.search(r"<li>Harmful: 3 of 6 pointers", shown(explorer)[0])
    page = still(explorer)
    assert page.index("Harmful: 3 of 6") < page.index("Net saving")
    assert repr(explorer).splitlines()[1].startswith("! Harmful: 3 of 6 pointers")


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_text_of_transcripts_stays_text() -> None:
    hostile = '<img src=x onerror="alert(1)">\x1b[31m\u202e</td><script>'
    sweep = sweep_of(
        lambda cell, t: {"withheld_bytes": 100.0 * (t == 0) + 1, "pointers": 1.0},
        transcripts=(hostile, "t1", "t2"),
        min_covered_lines=(4, 8),
    )
    explorer = explore(sweep)
    tags = Tags()
    tags.feed("".join([*shown(explorer), still(explorer)]))
    assert 'onerror="alert(1)"' in tags.text
    assert r"\x1b[31m\u202e" in tags.text
    assert not {"script", "onerror"} & (tags.seen | tags.attributes)
    assert "\x1b" not in repr(explorer)


def test_shows_a_still_page_where_no_widget_runs() -> None:
    explorer = explore(two_axes())
    bundle = explorer._repr_mimebundle_()
    assert set(bundle) >= {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert "min_covered_lines = 8" in bundle["text/html"]
    assert "min_covered_lines = 8" in bundle["text/plain"]
    assert "<table>" in bundle["text/html"]


def test_an_empty_sweep_is_refused() -> None:
    sweep = two_axes()
    with pytest.raises(ParameterError, match="at least one cell to explore, got none"):
        explore(DedupSweep(sweep.table.select([]), sweep.survey))
