"""What each figure of surface draws, read from its artists instead of its pixels."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from ctxlab.errors import ParameterError
from ctxlab.plots import (
    Plot,
    surface_budget,
    surface_by_tool,
    surface_frontier,
    surface_keys,
    surface_losses,
    surface_tools,
    svg_text,
)
from ctxlab.plots._ticks import apart, percent, short
from tests.plots.frames import CEILINGS, HOSTILE, by_tool, ceilings, cuts, keys, surface, tools
from tests.plots.test_contract import words
from tests.plots.test_figures import curve, legend, note
from tests.plots.test_recall_figures import SHOWN, flagged, line

NBSP = "\N{NO-BREAK SPACE}"


def plain(text: str) -> str:
    return text.replace(NBSP, " ")


def flags(ax: Any) -> list[str]:
    return [plain(text) for text in flagged(ax)]


def named(ax: Any) -> list[str]:
    """Words beside points of the frontier."""
    return [plain(t.get_text()) for t in ax.texts if t.get_fontsize() == 7.5]


def panels(ax: Any) -> list[Any]:
    return list(ax.figure.axes)


# Frontier


def settings(*rows: tuple[int, int, int, float, float, bool], **changes: Any) -> pd.DataFrame:
    """Rows, characters, bytes, saved share, harmed share, on the frontier."""
    columns = ["max_items", "truncate_content", "max_output_bytes"]
    columns += ["saved_share", "harmed_share", "frontier"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(harmed_high=frame["harmed_share"] + 0.02).assign(**changes)


FIVE = (
    (0, 0, 0, 0.0, 0.0, True),
    (20, 0, 0, 0.2, 0.01, True),
    (0, 80, 0, 0.1, 0.05, False),
    (0, 0, 4096, 0.5, 0.04, True),
    (5, 80, 0, 0.6, 0.10, True),
)


def test_frontier_has_a_point_a_setting_and_tells_which_knob_acts() -> None:
    ax = surface_frontier(settings(*FIVE))
    for name, at in (
        ("_nothing cut", (0.0, 0.0)),
        ("_rows only", (0.2, 0.01)),
        ("_texts only", (0.1, 0.05)),
        ("_bytes only", (0.5, 0.04)),
        ("_several", (0.6, 0.10)),
    ):
        assert line(ax, name).get_xydata().tolist() == [list(at)]
    styles = {(m.get_color(), m.get_marker()) for m in ax.lines if m.get_linestyle() == "None"}
    assert len(styles) > 5
    assert legend(ax)[-2:] == ["best for its saving", "up to the 95 % end"]


@pytest.mark.parametrize(
    ("name", "cell", "acts"),
    [
        ("select", ("id", "name"), "keys or filters only"),
        ("select", "id,name", "keys or filters only"),
        ("select", (), "nothing cut"),
        ("select", np.array([]), "nothing cut"),
        ("sort", None, "nothing cut"),
        ("sort", float("nan"), "nothing cut"),
        ("count_only", True, "keys or filters only"),
        ("count_only", False, "nothing cut"),
        ("refuses_unresolved", True, "nothing cut"),
    ],
)
def test_frontier_knows_what_else_acts(name: str, cell: object, acts: str) -> None:
    frame = settings((0, 0, 0, 0.3, 0.1, False))
    frame[name] = pd.Series([cell], dtype=object)
    assert legend(surface_frontier(frame)) == [acts]
    frame["max_items"] = 5
    both = "rows only" if acts == "nothing cut" else "several"
    assert legend(surface_frontier(frame)) == [both]


def test_frontier_steps_up_where_more_saving_begins() -> None:
    step = line(surface_frontier(settings(*FIVE)[::-1]), "_frontier")
    assert step.get_drawstyle() == "steps-pre"
    np.testing.assert_allclose(step.get_xdata(), [0, 0.2, 0.5, 0.6])
    np.testing.assert_allclose(step.get_ydata(), [0, 0.01, 0.04, 0.1])


def test_frontier_has_whiskers_up_to_the_end_of_the_interval() -> None:
    [whiskers] = surface_frontier(settings(*FIVE)).collections
    ends = [segment[:, 1].tolist() for segment in whiskers.get_segments()]
    np.testing.assert_allclose(ends, [[0, 0.02], [0.01, 0.03], [0.04, 0.06], [0.1, 0.12]])
    bare = surface_frontier(settings(*FIVE, harmed_high=None))
    assert len(bare.collections) == 0
    assert "No interval was given" in note(bare)


def test_frontier_marks_what_ships_and_names_other_settings() -> None:
    frame = settings(*FIVE)
    ax = surface_frontier(frame)
    assert flags(ax) == ["shipped: nothing cut"]
    assert sorted(named(ax)) == ["20 rows", "4,096 B", "5 rows · 80 chars"]
    frame["recommended"] = frame["max_output_bytes"] == 4096
    ax = surface_frontier(frame)
    assert flags(ax) == ["shipped: nothing cut", "recommended: 4,096 B"]
    assert "4,096 B" not in named(ax)
    frame["shipped"] = False
    assert flags(surface_frontier(frame)) == ["recommended: 4,096 B"]


def test_frontier_keeps_apart_rows_of_one_index() -> None:
    frame = settings(*FIVE)
    ax = surface_frontier(frame.set_index(pd.Index([0] * len(frame))))
    assert len(named(ax)) == 3


def test_frontier_shows_longer_answers_left_of_zero() -> None:
    frame = settings((0, 0, 100, -0.05, 0.0, False), (9, 0, 0, 0.4, 0.1, True))
    ax = surface_frontier(frame)
    assert "Left of zero answers get longer." in note(ax)
    assert "edge" not in note(ax)
    assert [patch.get_label() for patch in ax.patches] == ["_longer"]
    assert ax.get_xlim()[0] < -0.05
    far = settings((0, 0, 100, -4.0, 0.0, False), (9, 0, 0, 0.4, 0.1, True))
    ax = surface_frontier(far)
    assert "1 stands at the left edge, in truth down to −400 %." in note(ax)
    np.testing.assert_allclose(line(ax, "_bytes only").get_xdata(), [-0.2])
    assert "Left of zero" not in note(surface_frontier(settings(*FIVE)))


@pytest.mark.parametrize("inches", [4.0, 6.4])
@pytest.mark.parametrize("frame", [surface(), settings(*FIVE)], ids=["many", "few"])
def test_names_on_the_frontier_never_touch(frame: pd.DataFrame, inches: float) -> None:
    figure = Figure(figsize=(inches, 5.4), layout="constrained")
    ax = surface_frontier(frame, figure.add_subplot())
    figure.draw_without_rendering()
    texts = [t for t in ax.texts if t.get_fontsize() == 7.5]
    assert 2 <= len(texts) <= 6
    boxes = [t.get_window_extent() for t in texts]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    inside = ax.get_window_extent().padded(1)
    assert all(inside.x0 <= box.x0 and box.x1 <= inside.x1 for box in boxes)
    step = ax.transData.transform(line(ax, "_frontier").get_xydata())
    assert not any(box.contains(*at) for box in boxes for at in step)


def test_frontier_of_thousands_of_settings_stays_small() -> None:
    items, chars = tuple(range(40)), tuple(range(0, 1200, 40))
    frame = surface(items, chars, (0, 2000, 4000))
    assert len(frame) == 3600
    ax = surface_frontier(frame)
    assert line(ax, "_several").get_rasterized()
    assert len(svg_text(ax)) < 500_000
    [whiskers] = ax.collections
    assert len(whiskers.get_segments()) < 30


# Along a knob


def test_budget_has_saving_above_and_harm_below_with_bands() -> None:
    frame = ceilings()
    ax = surface_budget(frame)
    saved, off = curve(ax)
    harmed, _ = curve(panels(ax)[1])
    rows = frame[frame["max_output_bytes"] > 0]
    np.testing.assert_allclose(10 ** saved.get_xdata(), rows["max_output_bytes"])
    np.testing.assert_allclose(saved.get_ydata(), rows["saved_share"])
    np.testing.assert_allclose(harmed.get_ydata(), rows["harmed_share"])
    assert off.get_xdata()[0] > saved.get_xdata()[-1]
    assert off.get_ydata().tolist() == [0]
    assert "Shaded: 95 % interval" in note(ax)


def test_budget_without_intervals_has_no_bands() -> None:
    nothing = dict.fromkeys(("low", "high", "harmed_low", "harmed_high"))
    ax = surface_budget(ceilings(**nothing))
    assert "No interval was given" in note(ax)
    assert [len(panel.collections) for panel in panels(ax)[:2]] == [0, 0]


def test_budget_writes_how_many_of_each_hazard_there_are() -> None:
    ax = surface_budget(ceilings(outputs=(0, 256, 1024, 4096)))
    rug = panels(ax)[2]
    assert [t.get_text() for t in rug.get_yticklabels()] == [
        "only a stub",
        "longer",
        "over limit",
        "out of step",
    ]
    assert [t.get_text() for t in rug.texts] == ["24", "5", "79", "54", "12", "3", "2", "2"]
    assert "Out of step: a smaller limit kept more" in note(ax)
    assert "left out" not in note(ax)


def test_budget_leaves_out_hazards_that_do_not_occur() -> None:
    some = surface_budget(ceilings(stubs=0, over_budget=0))
    assert [t.get_text() for t in panels(some)[2].get_yticklabels()] == ["longer", "out of step"]
    assert "Hazards without any are left out" in note(some)
    none = surface_budget(ceilings(stubs=0, grown=0, over_budget=0, non_monotonic=None))
    assert len(panels(none)) == 2
    assert "No answer is only a stub, longer, over limit or out of step." in note(none)
    bare = ceilings(stubs=0, grown=0, over_budget=0).drop(columns="non_monotonic")
    assert "No answer is only a stub, longer or over limit." in note(surface_budget(bare))
    assert len(panels(surface_budget(ceilings().drop(columns="non_monotonic")))) == 3


def test_numbers_of_hazards_never_touch() -> None:
    figure = Figure(figsize=(4.0, 5.8), layout="constrained")
    ax = surface_budget(ceilings(outputs=tuple(range(200, 9000, 200))), figure.add_subplot())
    figure.draw_without_rendering()
    boxes = [t.get_window_extent() for t in panels(ax)[2].texts]
    assert len(boxes) > 4
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    marks = [m for m in panels(ax)[2].lines if m.get_label() == "_grown"]
    assert len(marks[0].get_xdata()) > 10


@pytest.mark.parametrize("plot", [surface_budget, surface_losses])
@pytest.mark.parametrize(
    ("frame", "said", "flag"),
    [
        (ceilings(), "max_output_bytes, bytes", "shipped: off"),
        (cuts(), "truncate_content, characters", "shipped: off"),
        (surface((0, 1, 20), (0,), (0,)), "max_items, rows", "shipped: off"),
        (surface((5,), (0,), (0,)), "max_items, rows", None),
        (surface((0,), (0,), (0,)), "max_output_bytes, bytes", "shipped: off"),
        (surface((1, 20), (80,), (0,)), "max_items, rows", None),
    ],
    ids=["bytes", "characters", "rows", "one", "off", "beside another"],
)
def test_the_knob_that_varies_is_the_axis(
    plot: Plot, frame: pd.DataFrame, said: str, flag: str | None
) -> None:
    ax = plot(frame)
    assert said in panels(ax)[-1].get_xlabel()
    assert [text for text in flags(ax) if "shipped" in text] == ([flag] if flag else [])


@pytest.mark.parametrize("plot", [surface_budget, surface_losses])
def test_knobs_that_vary_together_are_refused(plot: Plot) -> None:
    with pytest.raises(ParameterError, match=r"must vary in one of .*, got max_items and max_out"):
        plot(surface(truncate_content=(0,)))
    twice = pd.concat([ceilings(), ceilings()])
    with pytest.raises(ParameterError, match="must have one row for each max_output_bytes, got"):
        plot(twice)


@pytest.mark.parametrize("plot", [surface_budget, surface_losses])
def test_ticks_along_a_knob_stand_at_swept_values_and_their_labels_apart(plot: Plot) -> None:
    figure = Figure(figsize=(4.0, 5.4), layout="constrained")
    axis = panels(plot(ceilings(), figure.add_subplot()))[-1].xaxis
    all_of_them = [*axis.get_majorticklocs(), *axis.get_minorticklocs()]
    assert len(all_of_them) == len(CEILINGS)
    figure.draw_without_rendering()
    texts = [t for t in axis.get_ticklabels() if t.get_text()]
    assert {"256", "4,096", "off"} <= {t.get_text() for t in texts}
    assert not any(a.overlaps(b) for a, b in pairwise(t.get_window_extent() for t in texts))


# Losses


def test_losses_are_stacked_by_kind_and_sum_to_all() -> None:
    frame = cuts().sort_values("truncate_content")
    ax = surface_losses(frame)
    kinds = {bars.get_label(): [b.get_height() for b in bars] for bars in ax.containers}
    assert list(kinds) == ["_lost_paths", "_lost_ids", "_lost_numbers", "_lost_names"]
    assert kinds["_lost_ids"][:-1] == frame["lost_ids"].tolist()[1:]
    top = [b.get_y() + b.get_height() for b in ax.containers[-1]]
    lost = frame[[name[1:] for name in kinds]].sum(axis=1).tolist()
    assert top == [*lost[1:], lost[0]]
    assert "(of 450 in all)" in note(ax)
    assert "in all" not in note(surface_losses(frame.drop(columns="witnesses")))


def test_cut_names_stand_apart_from_cut_texts() -> None:
    frame = cuts().sort_values("truncate_content")[1:]
    ax = surface_losses(frame)
    strip = panels(ax)[1]
    for name in ("cut_names", "cut_texts"):
        swept, _ = (drawn for drawn in strip.lines if drawn.get_label() == f"_{name}")
        np.testing.assert_allclose(swept.get_ydata(), frame[name])
    assert strip.get_yscale() == "symlog"
    assert legend(strip)[-2:] == ["cut ids, names, paths, dates", "cut texts"]


def test_nothing_lost_is_said() -> None:
    names = ("lost_paths", "lost_ids", "lost_numbers", "lost_names", "cut_names", "cut_texts")
    ax = surface_losses(cuts().assign(**dict.fromkeys(names, 0)))
    assert "Nothing is lost" in note(ax)
    assert "Nothing is lost" not in note(surface_losses(cuts()))


def test_where_no_string_is_cut_there_is_no_panel_for_it() -> None:
    ax = surface_losses(ceilings(cut_names=0, cut_texts=0))
    assert panels(ax) == [ax]
    assert "No string is cut" in note(ax)
    assert legend(ax) == ["lost paths", "lost ids", "lost numbers", "lost names"]
    assert "stand apart" in note(surface_losses(cuts()))


# Tools


def rows_of(ax: Any) -> list[str]:
    return [t.get_text() for t in ax.get_yticklabels()]


def column(ax: Any, head: str) -> list[str]:
    """Texts of a column beside the bars, from the first row on."""
    n, texts = len(rows_of(ax)), [t.get_text() for t in ax.texts]
    at = texts.index(head)
    return texts[at + 1 : at + 1 + n]


def test_tools_are_split_into_what_stays_is_removed_and_is_saved_by_printing() -> None:
    frame = tools(4)
    ax = surface_tools(frame[::-1])
    assert rows_of(ax)[:2] == ["gh api", "bd list | jq"]
    parts = {bars.get_label()[1:]: [b.get_width() for b in bars] for bars in ax.containers}
    for name in ("output_bytes", "saved_bytes", "compact_bytes"):
        assert parts[name] == frame[name].tolist()
    end = [b.get_x() + b.get_width() for b in ax.containers[-1]]
    assert end[:3] == frame["recorded_bytes"].tolist()[:3]


def test_bytes_that_a_setting_adds_stand_left_of_zero() -> None:
    frame = tools(1)
    ax = surface_tools(frame)
    assert [bars[0].get_x() for bars in ax.containers] == [0, 0, frame["output_bytes"][0]]
    assert ax.containers[1][0].get_width() == frame["saved_bytes"][0] < 0
    assert column(ax, "saved") == ["−14 %"]
    assert "Left of zero: bytes that are added." in note(ax)
    assert "Left of zero" not in note(surface_tools(tools(6)[:5]))


def test_tools_have_answers_and_harm_beside_them() -> None:
    ax = surface_tools(tools(4))
    assert column(ax, "answers") == ["1.2k", "600", "400", "300"]
    assert column(ax, "harmed") == ["0 %", "2.2 %", "6.5 %", "13 %"]


def test_tools_beyond_the_twelfth_are_summed() -> None:
    frame = tools(20, harmed_answers=1, json_answers=10)
    ax = surface_tools(frame)
    assert len(rows_of(ax)) == 13
    assert rows_of(ax)[-1] == "8 other tools"
    assert ax.containers[0][-1].get_width() == frame["output_bytes"][12:].sum()
    assert column(ax, "answers")[-1] == "80"
    assert "12 largest of 20 tools" in note(ax)
    assert rows_of(surface_tools(tools(13)))[-1] == "1 other tool"


def test_tools_name_their_setting() -> None:
    assert "Setting: 20 rows · 4,096 B." in plain(note(surface_tools(tools())))
    own = tools(3, max_items=[0, 5, 20])
    assert "Each tool has its own setting" in note(surface_tools(own))
    bare = tools().drop(columns=["max_items", "truncate_content"])
    assert "etting:" not in note(surface_tools(bare))


def test_each_tool_stands_once() -> None:
    with pytest.raises(ParameterError, match="one row for each tool, got several for 'gh api'"):
        surface_tools(pd.concat([tools(), tools()]))


def test_tools_without_json_answers_are_left_out() -> None:
    assert len(rows_of(surface_tools(tools(3, json_answers=[5, 0, 5])))) == 2
    assert "nothing to draw" in words(surface_tools(tools(json_answers=0)))


HOSTILE_TOOLS = {**SHOWN, "long": "a" * 21 + "…"}


@pytest.mark.parametrize("name", HOSTILE)
def test_tools_show_hostile_names_as_text(name: str) -> None:
    frame = tools(1).assign(tool=pd.Series([HOSTILE[name]], dtype=object))
    ax = surface_tools(frame)
    assert rows_of(ax) == [HOSTILE_TOOLS[name]]
    assert "<text" not in svg_text(ax)
    assert HOSTILE["terminal"] not in words(ax)


# Keys


def test_keys_are_bars_of_bytes_dark_where_ever_quoted() -> None:
    frame = keys()
    ax = surface_keys(frame[::-1])
    assert rows_of(ax) == frame["key"].tolist()
    bars = {group.get_label(): [b.get_width() for b in group] for group in ax.containers}
    assert bars["_used"] == frame["bytes_share"][frame["quotes"] > 0].tolist()
    assert bars["_unused"] == frame["bytes_share"][frame["quotes"] == 0].tolist()
    assert column(ax, "quotes") == ["0", "0", "3", "0", "12", "0", "140", "1.25k", "0"]
    assert column(ax, "only here")[-3:] == ["70", "625", "0"]
    assert [i for i, text in enumerate(column(ax, "kept")) if text] == [4, 6, 7]


def test_the_tool_of_the_keys_is_named() -> None:
    assert surface_keys(keys()).get_title(loc="left") == "Which keys of gh api are used later"
    bare = keys().drop(columns="tool")
    assert "of a tool" in surface_keys(bare).get_title(loc="left")
    bare.attrs["tool"] = "$bd$ list"
    assert r"of \$bd\$ list" in surface_keys(bare).get_title(loc="left")


def test_of_many_keys_the_kept_and_quoted_are_always_shown() -> None:
    frame = keys(40)
    frame.loc[39, "quotes"], frame.loc[38, "kept"] = 2, True
    ax = surface_keys(frame)
    assert len(rows_of(ax)) == 20
    assert rows_of(ax)[-2:] == ["key_38", "key_39"]
    assert "20 of 40 keys shown." in note(ax)
    assert "shown." not in note(surface_keys(keys()))


def test_keys_may_be_of_unknown_use() -> None:
    kept = pd.array([True, None, pd.NA] + [False] * 6, dtype="object")
    ax = surface_keys(keys(kept=kept, quotes=np.nan, witnesses=None))
    assert [i for i, text in enumerate(column(ax, "kept")) if text] == [0]
    assert set(column(ax, "quotes")) == {"0"}


@pytest.mark.parametrize("name", HOSTILE)
def test_keys_and_their_tool_are_shown_as_text(name: str) -> None:
    frame = keys(1).assign(key=pd.Series([HOSTILE[name]], dtype=object)).drop(columns="tool")
    frame.attrs["tool"] = HOSTILE[name]
    ax = surface_keys(frame)
    assert rows_of(ax) == ["…" + "a" * 23 if name == "long" else SHOWN[name]]
    assert "<text" not in svg_text(ax)
    assert HOSTILE["terminal"] not in words(ax)


# What they share


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (999, "999"), (1000, "1k"), (12_345, "12.3k"), (4e6, "4M"), (2e13, "2e+13")],
)
def test_counts_are_short(count: float, text: str) -> None:
    assert short(count) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.004, "0.4 %"), (0.0996, "10 %"), (1, "100 %"), (-0.05, "−5.0 %")],
)
def test_shares_are_short(share: float, text: str) -> None:
    assert percent(share) == text
    assert percent(float("nan")) == ""


def test_of_labels_that_touch_the_first_stays() -> None:
    assert apart([5, 1, 5.5, 9], 1) == [1, 5, 9]
    assert apart([100, 1000, 900], 0.5, np.log10) == [100, 1000]
    assert apart([], 1) == []


# Tools under a knob


def test_each_of_the_largest_tools_has_its_savings_over_its_losses() -> None:
    frame = by_tool(6)
    ax = surface_by_tool(frame.iloc[::-1])
    assert len(panels(ax)) == 2 * 4
    assert "4 of 6" in note(ax)
    largest = frame[frame.tool == "gh api"].set_index("max_output_bytes")
    saved, carried = (
        np.concatenate([one.get_ydata() for one in ax.lines if one.get_label() == name])
        for name in ("_saved_share", "_priced_share")
    )
    at = [*CEILINGS[1:], 0]
    np.testing.assert_allclose(saved, largest.saved_share[at])
    np.testing.assert_allclose(carried, largest.priced_share[at])
    lost = panels(ax)[1].lines
    harmed = [one.get_ydata() for one in lost if one.get_label() == "_harmed_share"]
    np.testing.assert_allclose(np.concatenate(harmed), largest.harmed_share[at])
    assert len({panel.get_ylim() for panel in panels(ax)[::2]}) == 1
    names = [panel.texts[-1].get_text() for panel in panels(ax)[2::2]]
    assert names[0] == "bd list | jq, 600 answers"
    assert sorted(flags(ax)) == ["recommended: 4,096 B", "shipped: off"]


def test_tools_without_answers_in_json_are_left_out() -> None:
    frame = by_tool(3)
    frame.loc[frame.tool == "gh api", ["json_answers", "canonical_bytes"]] = 0
    assert len(panels(surface_by_tool(frame))) == 2 * 2
    assert "nothing to draw" in words(surface_by_tool(frame.assign(json_answers=0)))


def test_hostile_names_of_tools_under_a_knob_are_shown_as_text() -> None:
    for name in HOSTILE.values():
        frame = by_tool(1)
        svg_text(surface_by_tool(frame.assign(tool=pd.Series([name] * len(frame), dtype=object))))
