"""What each figure draws, read from its artists instead of its pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from ctxlab.errors import ParameterError
from ctxlab.plots import (
    Plot,
    context_timeline,
    horizon_heatmap,
    savings_curve,
    svg_text,
    transcript_distribution,
)
from tests.plots.frames import event, served, settings, thread, transcripts


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def curve(ax: Any) -> list[Any]:
    return [line for line in ax.lines if line.get_label() == "_line"]


def note(ax: Any) -> str:
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


@pytest.mark.parametrize("plot", [savings_curve, horizon_heatmap])
def test_rows_of_several_scopes_are_not_mixed(plot: Plot) -> None:
    with pytest.raises(ParameterError, match="got several for 1 and None; keep the rows of one"):
        plot(settings(horizons=(4, None, None)))


def test_curve_has_a_line_a_horizon_through_the_rows() -> None:
    ax = savings_curve(settings())
    assert legend(ax.figure.axes[1]) == ["latest call", "latest 4 calls", "all earlier calls"]
    assert len(curve(ax)) == 3
    np.testing.assert_allclose(curve(ax)[0].get_xdata(), [1, 4, 8, 16])
    np.testing.assert_allclose(curve(ax)[0].get_ydata(), [0.01, 0.0025, 0.00125, 0.000625])
    assert len({(line.get_color(), line.get_linestyle()) for line in curve(ax)}) == 3


def test_curve_draws_bands_where_there_are_intervals() -> None:
    assert len(savings_curve(settings()).collections) == 3
    bare = savings_curve(settings(low=np.nan))
    assert len(bare.collections) == 0
    assert "No interval was given" in note(bare)
    half = settings()
    half.loc[half["view_calls"] == 4, "low"] = np.nan
    assert len(savings_curve(half).collections) == 2


def test_curve_hollows_points_with_harmful_pointers_and_counts_them() -> None:
    ax = savings_curve(settings())
    hollow = [line for line in ax.lines if line.get_label() == "_hollow" and len(line.get_xdata())]
    assert len(hollow) == 1
    assert hollow[0].get_markerfacecolor() == "white"
    counts = [line.get_ydata().tolist() for line in ax.figure.axes[1].lines]
    assert counts == [[0] * 4, [0] * 4, [3] * 4]
    assert ax.figure.axes[1].get_ylabel() == "Harmful\npointers"


def test_curve_marks_the_shipped_and_the_recommended_setting() -> None:
    frame = settings()
    picked = (frame["min_covered_lines"] == 16) & (frame["view_calls"] == 1)
    ax = savings_curve(frame.assign(recommended=picked))
    at = {text.get_text(): text.xy for text in ax.texts if hasattr(text, "xy")}
    assert at["shipped"] == (8, 0.00125)
    assert at["recommended"] == (16, 0.000625)
    assert "shipped" not in {t.get_text() for t in savings_curve(settings(shipped=False)).texts}


def test_curve_shows_few_horizons_and_always_the_marked_ones() -> None:
    frame = settings(horizons=(1, 2, 3, 4, 6, 8, 16, None))
    picked = (frame["min_covered_lines"] == 8) & (frame["view_calls"] == 6)
    ax = savings_curve(frame.assign(recommended=picked))
    shown = legend(ax.figure.axes[1])
    assert shown == ["latest call", "latest 4 calls", "latest 6 calls", "all earlier calls"]
    assert "4 of 8 horizons shown" in note(ax)


def test_curve_below_zero_keeps_zero_in_sight() -> None:
    ax = savings_curve(settings(net_share=-0.3, low=-0.4, high=-0.2))
    low, high = ax.get_ylim()
    assert low < -0.3
    assert high >= 0


def cells(ax: Any) -> Any:
    return ax.images[0].get_array()


def test_heat_map_has_a_cell_a_setting_with_white_at_zero() -> None:
    ax = horizon_heatmap(settings())
    assert cells(ax).shape == (3, 4)
    np.testing.assert_allclose(cells(ax)[0], [0.01, 0.0025, 0.00125, 0.000625])
    assert ax.images[0].norm(0.0) == 0.5
    assert [t.get_text() for t in ax.get_yticklabels()] == ["1", "4", "all"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["1", "4", "8", "16"]


def test_heat_map_colours_a_loss_red_and_a_gain_blue() -> None:
    image = horizon_heatmap(settings()).images[0]
    red, _, blue, _ = image.cmap(image.norm(-0.01))
    assert red > blue
    red, _, blue, _ = image.cmap(image.norm(0.01))
    assert blue > red


def test_heat_map_hatches_and_counts_harm() -> None:
    ax = horizon_heatmap(settings())
    hatched = [p for p in ax.patches if p.get_gid() == "harmful"]
    assert [(p.get_xy(), p.get_width()) for p in hatched] == [((0, 2), 4)]
    assert [t.get_text() for t in ax.texts].count("3") == 4
    wide = horizon_heatmap(settings(thresholds=tuple(range(1, 65))))
    assert "3" not in [t.get_text() for t in wide.texts]
    assert [p.get_width() for p in wide.patches if p.get_gid() == "harmful"] == [64]


def outlines(ax: Any, colour: str) -> list[tuple[float, float]]:
    return [
        p.get_xy()
        for p in ax.patches
        if isinstance(p, Rectangle)
        and p.get_gid() != "harmful"
        and to_hex(p.get_edgecolor()) == colour
    ]


def test_heat_map_outlines_the_shipped_and_the_recommended_setting() -> None:
    frame = settings()
    picked = (frame["min_covered_lines"] == 16) & frame["view_calls"].isna()
    ax = horizon_heatmap(frame.assign(recommended=picked))
    assert outlines(ax, "#222222") == [(2, 1)]
    assert outlines(ax, "#e69f00") == [(3, 2)]
    assert "recommended" in legend(ax)
    assert "recommended" not in legend(horizon_heatmap(frame))


def test_heat_map_names_the_shipped_setting_only_where_it_stands() -> None:
    assert "shipped setting" in legend(horizon_heatmap(settings()))
    assert "shipped setting" not in legend(horizon_heatmap(settings(shipped=False)))


def test_heat_map_leaves_missing_settings_grey() -> None:
    ax = horizon_heatmap(settings()[1:])
    assert np.argwhere(np.ma.getmaskarray(cells(ax))).tolist() == [[0, 0]]
    assert "not measured" in legend(ax)


def test_distribution_cumulates_over_transcripts_and_over_bytes() -> None:
    ax = transcript_distribution(transcripts())
    of_transcripts, of_bytes = (line for line in ax.lines if len(line.get_xdata()) == 6)
    np.testing.assert_allclose(of_transcripts.get_ydata(), [0, 0.2, 0.4, 0.6, 0.8, 1])
    touched = np.array([1, 4, 16, 64, 256])
    np.testing.assert_allclose(of_bytes.get_ydata()[1:], np.cumsum(touched) / touched.sum())
    np.testing.assert_allclose(of_bytes.get_xdata()[1:], [-0.01, 0, 0.01, 0.02, 0.03])
    assert "One of them holds half of the bytes" in note(ax)


def test_distribution_marks_each_transcript_by_size_and_harm() -> None:
    strip = transcript_distribution(transcripts()).figure.axes[1]
    plain, harmful = (c for c in strip.collections if isinstance(c, PathCollection))
    assert len(plain.get_offsets()) == 4
    np.testing.assert_allclose(harmful.get_offsets(), [[0.03, 256_000]])
    assert legend(strip) == ["no harmful pointer (4)", "harmful pointers (1)"]


def test_distribution_names_its_setting() -> None:
    assert "Setting" not in note(transcript_distribution(transcripts()))
    named = transcript_distribution(transcripts().assign(setting="≥ 8 lines, 4 calls"))
    assert "Setting: ≥ 8 lines, 4 calls. Bounded" in note(named)


def test_distribution_says_what_it_leaves_out() -> None:
    frame = transcripts()
    frame.loc[0, "net_share"] = np.nan
    assert "1 served no source" in note(transcript_distribution(frame))


def test_timeline_has_a_row_a_file_most_bytes_first() -> None:
    ax = context_timeline(thread())
    assert [t.get_text() for t in ax.get_yticklabels()] == ["src/a.py", "src/b.py"]
    drawn = {c.get_gid(): c.get_offsets().tolist() for c in ax.collections if c.get_gid()}
    assert drawn == {
        "sent": [[1, 0], [2, 1]],
        "pointer": [[3, 0]],
        "compaction": [[5, 0]],
    }
    sizes = next(c for c in ax.collections if c.get_gid() == "sent").get_sizes()
    assert sizes[0] > sizes[1]


def test_timeline_draws_events_and_names_only_what_is_there() -> None:
    ax = context_timeline(thread())
    at = [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 2]
    assert at == [3.5, 4.5]
    assert legend(ax) == [
        "sent (2)",
        "pointer, true (1)",
        "harmful: compacted (1)",
        "compaction",
        "some results cleared",
        "file edited",
    ]


def test_timeline_gathers_small_files_in_the_last_row() -> None:
    rows = [served(f"f{i:02}.py", 1, "sent", 100 - i) for i in range(20)]
    ax = context_timeline(thread(*rows))
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert names[:2] == ["f00.py", "f01.py"]
    assert names[-1] == "8 other files"
    assert ax.collections[0].get_offsets()[:, 1].max() == len(names) - 1


def test_timeline_of_events_alone_is_drawn() -> None:
    svg_text(context_timeline(thread(event("compaction", 1), event("resume", 2))))


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a" * 10_000 + "/end.py", "…" + "a" * 18 + "/end.py"),
        ("cost$x$.py", r"cost\$x\$.py"),
        ("\x1b[31mred\x1b[0m.py", r"\x1b[31mred\x1b[0m.py"),
        ("\u202egpj.py", r"\u202egpj.py"),
        ("\ud800.py", r"\ud800.py"),
        ("\u4e2d\u6587.py", "□□.py"),
        ("two\nlines.py", r"two\x0alines.py"),
    ],
    ids=["long", "formula", "terminal", "direction", "surrogate", "no glyph", "newline"],
)
def test_timeline_shows_hostile_paths_as_text(path: str, shown: str) -> None:
    ax = context_timeline(thread(served(path, 1, "sent")))
    assert [t.get_text() for t in ax.get_yticklabels()] == [shown]
    svg_text(ax)
