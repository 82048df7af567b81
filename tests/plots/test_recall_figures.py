"""What each figure of recall draws, read from its artists instead of its pixels."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from ctxlab.errors import ParameterError
from ctxlab.plots import (
    PLOTS,
    Plot,
    budget_curve,
    floor_curve,
    gate_leaks,
    precision_recall,
    score_distribution,
    svg_text,
)
from tests.plots.frames import HOSTILE, budgets, floors, leaks, pointers, scores
from tests.plots.test_contract import words
from tests.plots.test_figures import curve, legend, note

MARKS = ("shipped", "recommended", "selected")


def line(ax: Any, label: str) -> Any:
    (found,) = (line for line in ax.lines if label in (line.get_label(), line.get_gid()))
    return found


def flagged(ax: Any) -> dict[str, float]:
    """Words of each flag and where it stands."""
    return {t.get_text(): t.xy[0] for t in ax.texts if t.get_text().startswith(MARKS)}


def strip(ax: Any) -> Any:
    return ax.figure.axes[1]


# Scores


def few_scores() -> pd.DataFrame:
    frame = pd.DataFrame(
        {"score": [1.0, 2.0, 4.0, 3.0, np.nan], "family": ["a", "b", "b", "b", "b"]}
    )
    return frame.assign(used=[False, False, True, True, True])


def test_scores_are_drawn_as_the_share_of_a_group_that_reaches_them() -> None:
    ax = score_distribution(few_scores())
    used, unused = line(ax, "_used"), line(ax, "_unused")
    np.testing.assert_allclose(used.get_xdata(), [0, 3, 4])
    np.testing.assert_allclose(used.get_ydata(), [1, 0.5, 0])
    np.testing.assert_allclose(unused.get_xdata(), [0, 1, 2])
    assert used.get_linestyle() != unused.get_linestyle()
    assert legend(strip(ax)) == ["used (2 prompts)", "unused (2 prompts)"]


def test_score_histograms_stand_back_to_back_and_sum_to_all_of_each_group() -> None:
    parts = [patch.get_data().values for patch in strip(score_distribution(scores())).patches]
    assert [round(part.sum(), 9) for part in parts] == [1, 1, -1, -1]


def test_scores_that_found_nothing_are_counted() -> None:
    said = note(score_distribution(few_scores()))
    assert "4 prompts of 2 families" in said
    assert "1 more found nothing" in said
    assert "found nothing" not in note(score_distribution(few_scores()[:4]))


def test_scores_of_unknown_use_are_counted_apart() -> None:
    frame = few_scores().assign(used=pd.array([False, None, True, pd.NA, True], dtype="boolean"))
    ax = score_distribution(frame)
    assert legend(strip(ax)) == ["used (1 prompt)", "unused (1 prompt)"]
    assert "1 more found nothing and are not drawn. 2 more are of unknown use" in note(ax)


def test_scores_without_one_group_show_the_other() -> None:
    ax = score_distribution(scores(used=False))
    assert legend(strip(ax))[0] == "used (0 prompts)"
    assert [line.get_label() for line in ax.lines if line.get_label()[:3] in ("_us", "_un")] == [
        "_unused"
    ]


def test_scores_mark_the_floor_that_is_shipped() -> None:
    assert flagged(score_distribution(scores())) == {"shipped: floor 0.05": 0.05}


@pytest.mark.parametrize(
    ("auc", "said"),
    [
        (
            (0.71, 0.63, 0.78),
            "AUC 0.71, interval 0.63 to 0.78: above 0.5, so used ones score higher",
        ),
        ((0.55, 0.48, 0.62), "interval 0.48 to 0.62: includes 0.5, so the score may not tell"),
        ((0.4, 0.3, 0.49), "below 0.5, so used ones score lower"),
        ((0.55, float("nan"), float("nan")), "AUC 0.55, no interval"),
        ((0.55, None, None), "AUC 0.55, no interval"),
    ],
)
def test_scores_say_what_the_auc_means(auc: tuple[float | None, ...], said: str) -> None:
    frame = scores()
    frame.attrs["auc"] = auc
    assert said in note(score_distribution(frame))
    frame.attrs.clear()
    assert "AUC" not in note(score_distribution(frame))


# Precision and recall


def test_precision_is_drawn_against_recall_with_its_interval() -> None:
    frame = pointers(floors=(0.0, 4.0, 8.0))
    ax = precision_recall(frame[::-1])
    (drawn,) = curve(ax)
    np.testing.assert_allclose(drawn.get_xdata(), frame["recall"])
    np.testing.assert_allclose(drawn.get_ydata(), frame["precision"])
    assert len(ax.collections) == 1
    assert "BM25): 0 at the right to 8 at the left." in note(ax)
    assert "No interval" in note(precision_recall(pointers(low=np.nan)))


def test_precision_shows_the_base_rate_from_a_column_or_the_frame() -> None:
    ax = precision_recall(pointers())
    assert set(line(ax, "_base").get_ydata()) == {0.2}
    assert "base rate (20 %)" in legend(ax)
    bare = pointers().drop(columns="base_rate")
    assert legend(precision_recall(bare)) == ["one floor each", "interval"]
    bare.attrs["base_rate"] = 0.125
    assert "base rate (12.5 %)" in legend(precision_recall(bare))
    assert "Average" not in note(precision_recall(bare))
    bare.attrs["average_precision"] = 0.25
    assert "Average precision 25 %." in note(precision_recall(bare))


def test_precision_marks_the_shipped_and_the_recommended_floor() -> None:
    frame = pointers()
    ax = precision_recall(frame)
    at = frame.set_index("floor")["recall"]
    assert flagged(ax) == {
        "shipped: floor 0.05": at[0.05],
        "recommended: floor 5": at[5],
    }
    assert line(ax, "_recommended").get_xdata() == [at[5]]


# Marks, as in all figures over settings


@pytest.mark.parametrize("plot", [precision_recall, floor_curve, budget_curve])
def test_each_setting_stands_once(plot: Plot) -> None:
    frame = {"precision_recall": pointers, "floor_curve": floors, "budget_curve": budgets}
    rows = frame[plot.__name__]()
    with pytest.raises(ParameterError, match=r"`frame` must have one row for each .*, got several"):
        plot(pd.concat([rows, rows]))


def test_marks_of_one_setting_share_a_flag() -> None:
    frame = floors().assign(shipped=floors()["min_hit_score"] == 5)
    assert flagged(floor_curve(frame)) == {"shipped and recommended: 5": 5}


def test_marks_may_be_missing_cells_or_none() -> None:
    marks = pd.array([True, None, False] + [pd.NA] * 27, dtype="object")
    assert flagged(floor_curve(floors(shipped=False, recommended=marks))) == {"recommended: 0": 0}
    assert flagged(floor_curve(floors(shipped=False, recommended=False))) == {}


@pytest.mark.parametrize("inches", [4.0, 6.4])
@pytest.mark.parametrize("recommended", [0.0, 3.0, 7.0, 12.0])
@pytest.mark.parametrize("shipped", [0.05, 6.5, 13.5])
def test_words_of_marks_never_touch(shipped: float, recommended: float, inches: float) -> None:
    score = floors()["min_hit_score"]
    frame = floors(shipped=score == shipped, recommended=score == recommended, selected=score == 9)
    figure = Figure(figsize=(inches, 5.6), layout="constrained")
    ax = floor_curve(frame, figure.add_subplot())
    figure.draw_without_rendering()
    boxes = [t.get_window_extent() for t in ax.texts if t.get_text().startswith(MARKS)]
    boxes += [t.get_window_extent() for t in ax.texts if t.get_text().startswith("Measured")]
    boxes += [ax.get_window_extent()]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])


# Budgets


def test_budgets_have_cost_above_and_kept_use_below() -> None:
    frame = budgets(hits=(1, 6))
    ax = budget_curve(frame)
    rows = frame[frame["max_hits"] == 6]
    np.testing.assert_allclose(curve(ax)[1].get_xdata(), rows["max_output_bytes"])
    np.testing.assert_allclose(curve(ax)[1].get_ydata(), rows["bytes_per_prompt"])
    np.testing.assert_allclose(curve(strip(ax))[1].get_ydata(), rows["used_share"])
    assert legend(strip(ax)) == ["1 line", "6 lines"]
    assert ax.get_xscale() == "log"


def test_budgets_show_few_lines_and_always_the_marked_ones() -> None:
    ax = budget_curve(budgets(hits=tuple(range(1, 13))))
    assert legend(strip(ax)) == ["1 line", "3 lines", "6 lines", "12 lines"]
    assert "4 of 12 numbers of lines shown" in note(ax)
    assert flagged(ax) == {"shipped: 1,200 B, 6 lines": 1200, "recommended: 600 B, 3 lines": 600}


def test_budget_ticks_stand_at_swept_values_and_their_labels_apart() -> None:
    figure = Figure(figsize=(4.0, 5.4), layout="constrained")
    axis = strip(budget_curve(budgets(), figure.add_subplot())).xaxis
    named, all_of_them = axis.get_majorticklocs(), [*axis.get_majorticklocs()]
    all_of_them += [*axis.get_minorticklocs()]
    assert sorted(all_of_them) == sorted(set(budgets()["max_output_bytes"]))
    assert {200, 600, 1200, 4000} <= set(named)
    figure.draw_without_rendering()
    boxes = [t.get_window_extent() for t in axis.get_ticklabels() if t.get_text()]
    assert not any(a.overlaps(b) for a, b in pairwise(boxes))


# Floors


def test_floors_have_precision_above_and_fires_below() -> None:
    frame = floors()
    ax = floor_curve(frame[::-1])
    np.testing.assert_allclose(curve(ax)[0].get_ydata(), frame["precision"])
    for name in ("fire_share", "false_fire_unrelated", "false_fire_joined", "false_fire_absent"):
        np.testing.assert_allclose(line(strip(ax), name).get_ydata(), frame[name])
    assert len({a.get_linestyle() for a in strip(ax).lines[:4]}) == 4


def test_floors_leave_out_controls_that_there_are_none_of() -> None:
    ax = floor_curve(floors(false_fire_absent=np.nan))
    assert "subject not in the graph" not in legend(strip(ax))
    assert "without any are left out" in note(ax)
    assert "left out" not in note(floor_curve(floors()))


# Leaks


def rows_of(ax: Any) -> list[str]:
    return [t.get_text() for t in ax.get_yticklabels()]


def test_leaks_have_a_panel_a_kind_most_frequent_first() -> None:
    ax = gate_leaks(leaks()[::-1])
    assert rows_of(ax)[:3] == ["GitHub", "and/or", "3.14"]
    assert rows_of(strip(ax)) == ["HTTPServer", "foo()", "read-file", "--verbose"]
    assert [axes.get_ylabel() for axes in ax.figure.axes] == ["Let through", "Missed"]
    widths = {bars.get_label(): [b.get_width() for b in bars] for bars in ax.containers}
    assert widths["_all"][:2] == [41, 30]
    assert widths["_matched"][:2] == [13, 10]


def test_leaks_show_the_first_ten_and_say_of_how_many() -> None:
    ax = gate_leaks(leaks(**{f"w{i}": i for i in range(1, 31)}))
    assert rows_of(ax) == [f"w{i}" for i in range(30, 20, -1)]
    assert "30 words let through, 10 shown." in note(ax)
    assert len(ax.figure.axes) == 1


def test_leaks_of_another_kind_are_refused() -> None:
    with pytest.raises(ParameterError, match="must be one of let through, missed; got 'leaked'"):
        gate_leaks(leaks().assign(kind="leaked"))


SHOWN = {
    "long": "a" * 27 + "…",
    "formula": r"\$x^2\$ and \$",
    "terminal": r"\x1b[31mred\x1b[0m",
    "direction": r"\u202egpj.py",
    "surrogate": r"\ud800.py",
    "no glyph": "□□",
    "emoji": r"□□\u200d□",
    "newline": r"two\x0alines",
    "blank": "(blank)",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_leaks_show_hostile_words_as_text(name: str) -> None:
    frame = leaks(**{HOSTILE[name]: 3})
    frame["class"] = pd.Series([HOSTILE[name]], dtype=object)
    ax = gate_leaks(frame)
    assert rows_of(ax) == [SHOWN[name]]
    assert "<text" not in svg_text(ax)
    assert HOSTILE["terminal"] not in words(ax)


def test_every_figure_of_recall_has_a_name_in_the_registry() -> None:
    assert {"score_distribution", "precision_recall", "budget_curve", "floor_curve"} <= set(PLOTS)
