"""What holds for every figure; a new one is tested by standing in the registry."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from ctxlab.errors import CtxlabError, ParameterError
from ctxlab.plots import PLOTS, Plot, save, savings_curve, svg_text
from tests.plots.frames import (
    FRAMES,
    HOSTILE,
    budgets,
    by_tool,
    ceilings,
    floors,
    keys,
    leaks,
    pointers,
    scores,
    served,
    settings,
    surface,
    thread,
    tools,
    transcripts,
)

every_figure = pytest.mark.parametrize(("name", "plot"), PLOTS.items(), ids=PLOTS)


def words(ax: object) -> str:
    """All text of the figure that the axes stand in, its line breaks as spaces."""
    figure = ax.figure  # type: ignore[attr-defined]
    figure.draw_without_rendering()
    found = [t.get_text() for t in figure.findobj(match=lambda a: hasattr(a, "get_text"))]
    return " ".join(found).replace("\n", " ")


def test_every_figure_has_a_frame_here() -> None:
    assert set(FRAMES) == set(PLOTS)


@every_figure
def test_draws_on_given_axes_and_changes_no_frame(name: str, plot: Plot) -> None:
    ax, frame = Figure().add_subplot(), FRAMES[name].copy()
    assert plot(frame, ax) is ax
    pd.testing.assert_frame_equal(frame, FRAMES[name])


@every_figure
def test_draws_on_axes_placed_by_hand(name: str, plot: Plot) -> None:
    ax = Figure().add_axes((0.1, 0.1, 0.8, 0.8))
    assert plot(FRAMES[name], ax) is ax
    svg_text(ax)


@every_figure
def test_says_how_it_is_known_and_has_units(name: str, plot: Plot) -> None:
    said = words(plot(FRAMES[name]))
    assert re.search("[Mm]easured|[Ii]dentified|[Bb]ounded|[Mm]odelled", said)
    ax = plot(FRAMES[name])
    assert ax.get_title(loc="left")
    labels = " ".join(axes.get_xlabel() + axes.get_ylabel() for axes in ax.figure.axes)
    assert re.search(r"%|lines|bytes|BM25|number", labels)


@pytest.mark.parametrize("inches", [6.4, 4.0])
@every_figure
def test_nothing_stands_outside_the_picture(name: str, plot: Plot, inches: float) -> None:
    figure = plot(FRAMES[name]).figure
    figure = Figure(figsize=(inches, figure.get_size_inches()[1]), layout="constrained")
    plot(FRAMES[name], figure.add_subplot())
    svg_text(figure)  # lays it out
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert box.x0 > -0.05
    assert box.y0 > -0.05
    assert box.x1 < width + 0.05
    assert box.y1 < height + 0.05


@every_figure
def test_empty_frame_gives_a_message(name: str, plot: Plot) -> None:
    ax = plot(FRAMES[name][:0])
    assert re.search("nothing to draw", words(ax))
    assert not ax.axison
    svg_text(ax)


@every_figure
def test_one_row_is_enough(name: str, plot: Plot) -> None:
    svg_text(plot(FRAMES[name][:1]))


@every_figure
def test_missing_columns_are_named(name: str, plot: Plot) -> None:
    last = plot.columns[-1]
    with pytest.raises(ParameterError, match=f"missing: {last}$"):
        plot(FRAMES[name].drop(columns=last))


@every_figure
def test_is_documented_and_called_as_promised(name: str, plot: Plot) -> None:
    assert plot.__name__ == name
    assert "Parameters" in str(plot.__doc__)
    assert list(inspect.signature(Plot.__call__).parameters)[1:] == ["frame", "ax"]


@every_figure
def test_same_frame_gives_the_same_svg(name: str, plot: Plot) -> None:
    first, second = svg_text(plot(FRAMES[name])), svg_text(plot(FRAMES[name]))
    assert first == second
    assert "<dc:date>" not in first


@pytest.mark.parametrize(
    ("name", "frame"),
    [
        ("savings_curve", settings(net_share=-0.3, low=-0.5, high=-0.1)),
        ("savings_curve", settings(net_share=np.nan, low=np.nan, high=np.nan)),
        ("savings_curve", settings(harmful_pointers=10**9, net_share=1e6)),
        ("horizon_heatmap", settings(net_share=-0.3)),
        ("horizon_heatmap", settings(net_share=0.0)),
        ("horizon_heatmap", settings(net_share=np.nan)),
        ("horizon_heatmap", settings(harmful_pointers=10**9, net_share=1e6)),
        ("transcript_distribution", transcripts(net_share=-0.2)),
        ("transcript_distribution", transcripts(net_share=np.nan)),
        ("transcript_distribution", transcripts(touched_bytes=0)),
        ("transcript_distribution", transcripts(touched_bytes=10**15)),
        ("context_timeline", thread(served("a", 10**6, "sent", 10**7))),
        ("score_distribution", scores(score=np.nan)),
        ("score_distribution", scores(score=0.0)),
        ("score_distribution", scores(score=1e9)),
        ("score_distribution", scores(n_used=0)),
        ("score_distribution", scores(n_unused=0)),
        ("precision_recall", pointers(precision=np.nan)),
        ("precision_recall", pointers(low=np.nan, high=np.nan, base_rate=np.nan)),
        ("precision_recall", pointers(precision=0.0, recall=0.0, low=0.0, high=0.0)),
        ("precision_recall", pointers(precision=1.0, recall=1.0, low=0.9, high=1.0)),
        ("precision_recall", pointers(floor=range(30), shipped=True, recommended=True)),
        ("budget_curve", budgets(max_output_bytes=np.nan)),
        ("budget_curve", budgets(bytes_per_prompt=np.nan, used_share=np.nan)),
        ("budget_curve", budgets(bytes_per_prompt=10**9, used_share=0.0)),
        ("floor_curve", floors(min_hit_score=np.nan)),
        ("floor_curve", floors(precision=np.nan, low=np.nan, high=np.nan)),
        ("floor_curve", floors(fire_share=np.nan, false_fire_unrelated=np.nan)),
        ("gate_leaks", leaks().assign(prompts=0)),
        ("gate_leaks", leaks().assign(prompts=10**9, matched=np.nan)),
        ("gate_leaks", leaks().assign(matched=10**12, **{"class": "$\x1b" * 500})),
        ("gate_leaks", leaks(**{str(i): i for i in range(1, 3000)})),
        ("gate_leaks", leaks(**dict.fromkeys(HOSTILE.values(), 3))),
        ("surface_frontier", surface(saved_share=np.nan)),
        ("surface_frontier", surface(harmed_high=np.nan)),
        ("surface_frontier", surface(frontier=False)),
        ("surface_frontier", surface(frontier=pd.NA, shipped=None)),
        ("surface_frontier", surface(saved_share=0.0, harmed_share=0.0, harmed_high=0.0)),
        ("surface_frontier", surface(saved_share=-50.0, harmed_share=1.0, harmed_high=1.0)),
        ("surface_budget", ceilings(max_output_bytes=np.nan)),
        ("surface_budget", ceilings(saved_share=np.nan, low=np.nan, harmed_share=np.nan)),
        ("surface_budget", ceilings(saved_share=0.0, harmed_share=0.0, low=0.0, high=0.0)),
        ("surface_budget", ceilings(saved_share=-50.0, stubs=10**9, grown=10**15)),
        ("surface_budget", ceilings(outputs=tuple(range(3000)))),
        ("surface_by_tool", by_tool(max_output_bytes=np.nan)),
        ("surface_by_tool", by_tool(saved_share=np.nan, harmed_share=np.nan)),
        ("surface_by_tool", by_tool(saved_share=-50.0, lossy_share=1.0)),
        ("surface_by_tool", by_tool(json_answers=0, canonical_bytes=0)),
        ("surface_by_tool", by_tool(n=40)),
        ("surface_losses", surface((0,), (0,), (0,))),
        ("surface_losses", ceilings(truncate_content=np.nan)),
        ("surface_losses", ceilings(cut_names=np.nan, lost_ids=np.nan)),
        ("surface_losses", ceilings(cut_names=10**15, lost_ids=10**15)),
        ("surface_losses", ceilings(outputs=tuple(range(200)))),
        ("surface_tools", tools(recorded_bytes=0, output_bytes=0, saved_bytes=0, compact_bytes=0)),
        ("surface_tools", tools(saved_bytes=-(10**15), compact_bytes=-(10**12))),
        ("surface_tools", tools(harmed_answers=np.nan, saved_bytes=np.nan)),
        ("surface_tools", tools(3000)),
        ("surface_keys", keys(bytes_share=0.0)),
        ("surface_keys", keys(bytes_share=np.nan)),
        ("surface_keys", keys(3000)),
    ],
)
def test_draws_extreme_frames(name: str, frame: pd.DataFrame) -> None:
    svg_text(PLOTS[name](frame))


def test_save_writes_png_and_svg_the_same_each_time(tmp_path: object) -> None:
    written = [
        [
            path.read_bytes()
            for path in save(PLOTS["savings_curve"](settings()), f"{tmp_path}/{i}.x")
        ]
        for i in range(2)
    ]
    assert written[0] == written[1]
    assert written[0][0].startswith(b"\x89PNG")
    assert b"<svg" in written[0][1]


def test_a_saved_figure_is_laid_out_anew_when_it_changes(tmp_path: Path) -> None:
    ax = savings_curve(settings())
    figure = ax.figure
    assert isinstance(figure, Figure)
    engine, dpi = figure.get_layout_engine(), figure.dpi
    save(ax, tmp_path / "a")
    assert figure.get_layout_engine() is engine
    assert figure.dpi == dpi
    before = ax.get_position().bounds
    ax.set_ylabel("a label\nof three\nlines")
    svg_text(ax)
    assert ax.get_position().x0 > before[0]


def test_saved_figures_are_for_their_owner_only(tmp_path: Path) -> None:
    old = tmp_path / "a.png"
    old.touch(0o644)
    for path in save(PLOTS["savings_curve"](settings()), tmp_path / "a"):
        assert path.stat().st_mode & 0o777 == 0o600


def test_save_says_where_it_could_not_write(tmp_path: object) -> None:
    with pytest.raises(CtxlabError, match=r"cannot write the figure .*a\.png: No such file"):
        save(PLOTS["savings_curve"](settings()), f"{tmp_path}/missing/a")


def test_pyplot_is_never_loaded() -> None:
    code = (
        "import sys; from ctxlab.plots import PLOTS, svg_text; "
        "from tests.plots.frames import FRAMES; "
        "[svg_text(plot(FRAMES[name])) for name, plot in PLOTS.items()]; "
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
