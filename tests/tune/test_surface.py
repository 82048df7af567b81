"""Limits of JSON answers: chosen on earlier families, judged on later, in all and by tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import ParameterError
from ctxlab.replay import (
    SURFACE_METRICS,
    SurfaceCell,
    SurfaceTable,
    surface_cells,
    sweep_surface,
)
from ctxlab.surface.params import Surface
from ctxlab.tune import (
    MIN_FAMILIES,
    SurfaceChoice,
    frontier,
    recommend_by_tool,
    recommend_surface,
)
from ctxlab.words import counted
from tests.replay.surface_worlds import answer, every_day, facts

CANONICAL = 10_000.0
N = 40


def table(
    saved: Sequence[Sequence[float]],
    harmed: Sequence[Sequence[float]] | None = None,
    cells: Sequence[Surface] | None = None,
    canonical: Sequence[float] | None = None,
    tool_of: Sequence[int] | None = None,
    tools: Sequence[str] = ("tracker list",),
) -> SurfaceTable:
    """A sweep of one transcript and tool a family: bytes saved, answers harmed, by (cell, family).

    One answer a family, changed where anything is saved or harmed.
    """
    gain = np.array(saved, float)
    harm = np.zeros_like(gain) if harmed is None else np.array(harmed, float)
    n_cells, n = gain.shape
    names = tuple(f"family{i:03}" for i in range(n))
    size = np.full(n, CANONICAL) if canonical is None else np.array(canonical, float)
    counts = (
        "answers json_answers cut_answers text_answers invalid_answers rows quoted_answers "
        "quotes witnesses witnessed_answers requeries larger_requeries "
        "json_requeries json_fallbacks"
    )
    fixed = dict.fromkeys(counts.split(), (size > 0).astype(float))
    fixed |= {"recorded_bytes": size, "canonical_bytes": size, "compact_bytes": np.zeros(n)}
    values = {
        name: np.zeros_like(gain)
        for name, metric in SURFACE_METRICS.items()
        if name not in fixed and metric.derive is None
    }
    values["output_bytes"] = size - gain
    values["priced_bytes"] = gain * 1.25
    values["changed_answers"] = ((gain != 0) | (harm > 0)).astype(float)
    values["harmed_answers"] = values["lossy_answers"] = harm
    values["lost_ids"] = values["lost_quotes"] = harm
    given_cells = cells or [Surface(max_items=m) for m in range(1, n_cells + 1)]
    return SurfaceTable(
        tuple(map(SurfaceCell, given_cells)),
        names,
        names,
        np.arange(n, dtype=np.int32),
        fixed,
        values,
        SURFACE_METRICS,
        tuple(tools),
        np.array([0] * n if tool_of is None else tool_of, np.int32),
    )


def params(choice: SurfaceChoice) -> Surface:
    assert choice.params is not None
    return choice.params


def test_the_largest_saving_that_removes_nothing_used_is_recommended() -> None:
    saved = [[5000.0] * N, [3000.0] * N, [1000.0] * N]
    harmed = [[1.0] * N, [0.0] * N, [0.0] * N]
    choice = recommend_surface(table(saved, harmed), every_day(N))
    assert (choice.status, params(choice).max_items, choice.reasons) == ("recommended", 2, ())
    judged = choice.judged_on
    assert judged is not None
    assert judged.saved_share.value == pytest.approx(0.3)
    assert (judged.saved_bytes, judged.canonical_bytes) == (3000.0 * 20, CANONICAL * 20)
    assert judged.priced_bytes == 3750.0 * 20
    assert (judged.answers, judged.changed_answers, judged.witnessed_answers) == (20, 20, 20)
    assert (judged.harmed_answers, judged.lossy_answers) == (0, 0)
    assert (judged.families_with_changes, judged.families_with_witnesses) == (20, 20)
    assert judged.harmed_families_upper == pytest.approx(1 - 0.05 ** (1 / 20))
    assert choice.as_dict()["parameters"]["max_items"] == 2


def test_where_every_setting_removes_what_was_used_there_is_none() -> None:
    harmed = [[1.0] * N, [0.0] * (N - 1) + [1.0]]
    harmed[1][0] = 1.0
    choice = recommend_surface(table([[5000.0] * N, [900.0] * N], harmed), every_day(N))
    assert (choice.status, choice.cell) == ("none", None)
    assert choice.reasons == (
        "every setting that saves anything removes what was used later: at the least 1 harmed "
        "answer on the earlier transcripts, 0 allowed",
    )
    assert (
        recommend_surface(
            table([[5000.0] * N, [900.0] * N], harmed), every_day(N), max_harmed=1
        ).status
        == "recommended"
    )


def test_settings_that_only_make_answers_longer_are_none() -> None:
    choice = recommend_surface(table([[-60.0] * N, [0.0] * N]), every_day(N))
    assert choice.reasons == ("no setting saves anything on the earlier transcripts",)
    (reason,) = recommend_surface(table([[-60.0] * N]), every_day(N)).reasons[:1]
    assert reason == "it saves nothing on the earlier transcripts"


def test_a_single_setting_is_judged_whatever_the_earlier_families_say() -> None:
    choice = recommend_surface(table([[5000.0] * N], [[2.0] * N]), every_day(N))
    assert choice.status == "none"
    assert choice.judged_on is not None
    assert choice.judged_on.harmed_answers == 40
    assert [reason[:24] for reason in choice.reasons] == [
        "it removes what was used",
        "the later transcripts re",
    ]


def test_later_families_refute_harm_and_nothing_is_chosen_again() -> None:
    saved = [[5000.0] * N, [3000.0] * N]
    harmed = [[0.0] * (N - 1) + [1.0], [0.0] * N]
    choice = recommend_surface(table(saved, harmed), every_day(N))
    assert (choice.status, params(choice).max_items) == ("none", 1)
    assert choice.reasons == (
        "the later transcripts refute it: 1 of 20 changed answers would lack what was used later, "
        "0 allowed",
    )


def test_later_families_refute_a_saving() -> None:
    later = [1000.0, -1000.0] * (N // 4)
    (reason,) = recommend_surface(table([[5000.0] * (N // 2) + later]), every_day(N)).reasons
    assert reason.startswith(
        "the later transcripts cannot tell its saving from nothing: saved share -"
    )


@pytest.mark.parametrize(("n", "chooses"), [(1, 1), (2 * MIN_FAMILIES - 1, 9)])
def test_too_few_families(n: int, chooses: int) -> None:
    choice = recommend_surface(table([[500.0] * n]), every_day(n))
    assert (choice.status, choice.cell) == ("none", None)
    assert choice.reasons == (
        f"these logs cannot tell: {counted(chooses, 'family', 'families')} to choose on and "
        f"{n - chooses} dated later ones to judge by, at least {MIN_FAMILIES} each are needed",
    )


@pytest.mark.parametrize("n", [0, N])
def test_no_answer_in_json(n: int) -> None:
    choice = recommend_surface(table([[0.0] * n], canonical=[0.0] * n), every_day(n))
    assert (choice.status, choice.cell) == ("none", None)
    assert choice.reasons == ("nothing answered in JSON here: there is nothing to cut",)


def test_families_without_answers_or_date_do_not_judge() -> None:
    canonical = [CANONICAL] * 15 + [0.0] * 25
    few = recommend_surface(table([[500.0] * N], canonical=canonical), every_day(N))
    assert "7 families to choose on and 8 dated" in few.reasons[0]
    (reason,) = recommend_surface(table([[500.0] * N]), [None] * N).reasons
    assert reason.endswith("at least 10 each are needed; 40 have no date in their log")


def test_where_nothing_is_quoted_no_harm_can_be_seen() -> None:
    one = table([[500.0] * N, [9000.0] * N])
    one.fixed["witnessed_answers"][:] = [1.0] * 9 + [0.0] * 20 + [2.0] * 11
    choice = recommend_surface(one, every_day(N))
    assert (choice.status, choice.cell) == ("none", None)
    assert choice.reasons == (
        "these logs cannot tell what would be missed: in 9 earlier and 11 later families a call "
        "quoted what the agent knew from such an answer alone, at least 10 each are needed",
    )
    one.fixed["witnessed_answers"][9] = 1.0
    judged = recommend_surface(one, every_day(N)).judged_on
    assert judged is not None
    assert (judged.families_with_changes, judged.families_with_witnesses) == (20, 11)
    assert judged.harmed_families_upper == pytest.approx(1 - 0.05 ** (1 / 11))


def test_ties_go_to_care() -> None:
    careful = [
        Surface(),
        Surface(max_output_bytes=8192),
        Surface(max_output_bytes=4096),
        Surface(max_output_bytes=4096, max_items=20),
        Surface(max_output_bytes=4096, max_items=20, truncate_content=80),
        Surface(select=("id", "name")),
        Surface(select=("id",)),
        Surface(select=("id",), sort="name"),
    ]
    for i in range(len(careful) - 1):
        for cells in (careful[i:], careful[i:][::-1]):
            tied = table([[500.0] * N] * len(cells), cells=cells)
            assert params(recommend_surface(tied, every_day(N))) == careful[i]


def test_the_objective_is_what_is_made_large() -> None:
    one = table([[500.0] * N, [400.0] * N])
    one.values["priced_bytes"][1] += 1000
    assert params(recommend_surface(one, every_day(N))).max_items == 1
    priced = recommend_surface(one, every_day(N), objective="priced_bytes")
    assert params(priced).max_items == 2


def test_bad_arguments() -> None:
    one = table([[500.0] * N])
    with pytest.raises(
        ParameterError, match="must be one of saved_bytes, priced_bytes, got 'luck'"
    ):
        recommend_surface(one, every_day(N), objective="luck")
    with pytest.raises(ParameterError, match="`max_harmed` must be 0 or more, got -1"):
        recommend_surface(one, every_day(N), max_harmed=-1)
    with pytest.raises(ParameterError, match="one start a family, got 3 for 40"):
        recommend_surface(one, every_day(3))


# By tool ------------------------------------------------------------------------------------------


def test_each_tool_has_its_own_halves() -> None:
    tool_of = [0, 0, 0, 1, 1] * 8
    saved = [[5000.0 + 4000 * tool for tool in tool_of], [3000.0 - 2900 * t for t in tool_of]]
    harmed = [[float(tool) for tool in tool_of], [0.0] * N]
    both = table(saved, harmed, tool_of=tool_of, tools=["tracker list", "graph find"])
    found = recommend_by_tool(both, every_day(N))
    assert list(found) == ["tracker list", "graph find"]
    assert (found["tracker list"].status, params(found["tracker list"]).max_items) == (
        "recommended",
        1,
    )
    assert "8 families to choose on and 8 dated" in found["graph find"].reasons[0]
    alone = recommend_surface(both.by_tool("tracker list"), every_day(24))
    assert alone == found["tracker list"]
    assert params(recommend_surface(both, every_day(N))).max_items == 2
    assert (
        recommend_by_tool(both, every_day(N), max_harmed=16, objective="priced_bytes")["graph find"]
        == found["graph find"]
    )


# Laws ---------------------------------------------------------------------------------------------

worlds = st.integers(2, 4).flatmap(
    lambda n_cells: st.lists(
        st.tuples(
            st.lists(st.integers(-200, 5000), min_size=n_cells, max_size=n_cells),
            st.lists(st.sampled_from([0, 0, 0, 1]), min_size=n_cells, max_size=n_cells),
            st.integers(0, 60),
        ),
        min_size=20,
        max_size=40,
    )
)


def world(families: Sequence[Any]) -> tuple[SurfaceTable, list[int | None]]:
    saved, harmed, starts = zip(*families, strict=True)
    made = table(np.array(saved).T.tolist(), np.array(harmed).T.tolist())
    return made, list(starts)


@given(worlds, st.randoms(use_true_random=False))
def test_the_order_of_families_is_irrelevant(families: list[Any], random: Any) -> None:
    shuffled = random.sample(families, len(families))
    one, other = (recommend_surface(*world(of), max_harmed=3) for of in (families, shuffled))
    assert one == other


@given(worlds)
def test_what_is_recommended_was_chosen_early_and_held_later(families: list[Any]) -> None:
    made, starts = world(families)
    choice = recommend_surface(made, starts, max_harmed=3)
    if choice.cell is None or choice.judged_on is None or choice.chosen_on is None:
        assert choice.status == "none"
        return
    assert choice.chosen_on.harmed_answers <= 3
    assert choice.chosen_on.saved_bytes > 0
    held = choice.judged_on.harmed_answers <= 3 and choice.judged_on.saved_share.excludes_zero()
    assert choice.status == ("recommended" if held else "none")
    assert bool(choice.reasons) is not held


@given(worlds)
def test_doubled_families_change_neither_the_choice_nor_its_shares(families: list[Any]) -> None:
    one = recommend_surface(*world(families))
    twice = recommend_surface(*world([*families, *families]))
    if one.cell is None or one.judged_on is None:
        return
    assert twice.cell == one.cell
    assert twice.judged_on is not None
    assert twice.judged_on.saved_share.value == pytest.approx(one.judged_on.saved_share.value)
    assert one.status == "none" or twice.status == "recommended"


# Luck ---------------------------------------------------------------------------------------------


def test_the_best_of_many_settings_by_luck_is_seldom_confirmed() -> None:
    """Fifty settings that save nothing on average, over families of unlike size."""
    random = np.random.default_rng(7)
    confirmed = 0
    for _ in range(200):
        size = random.lognormal(9, 1, N)
        saved = random.normal(0, 0.2, (50, N)) * size
        made = table(saved.tolist(), canonical=size.tolist())
        confirmed += recommend_surface(made, every_day(N)).status == "recommended"
    assert confirmed <= 0.05 * 200


def test_the_bound_on_harm_holds_for_the_luckiest_of_many_settings() -> None:
    """Each setting harms one family in ten; those without harm on the earlier ones are lucky."""
    random = np.random.default_rng(7)
    held = judged = 0
    for _ in range(200):
        saved = np.linspace(500, 900, 30)[:, None].repeat(N, axis=1)
        harmed = (random.random((30, N)) < 0.1).astype(float)
        choice = recommend_surface(table(saved.tolist(), harmed.tolist()), every_day(N))
        if choice.chosen_on is None or choice.judged_on is None:
            continue
        assert choice.chosen_on.harmed_answers == 0
        judged += 1
        held += (choice.judged_on.harmed_families_upper or 0.0) >= 0.1
    assert judged > 150
    assert held >= 0.95 * judged


# The frontier -------------------------------------------------------------------------------------


def beaten(saved: Sequence[int], harmed: Sequence[int]) -> list[bool]:
    return [
        any(
            (s >= saved[i] and h <= harmed[i]) and (s > saved[i] or h < harmed[i])
            for s, h in zip(saved, harmed, strict=True)
        )
        for i in range(len(saved))
    ]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_the_frontier_is_what_nothing_beats(cells: list[tuple[int, int]]) -> None:
    saved, harmed = zip(*cells, strict=True)
    made = table([[s] for s in saved], [[h] for h in harmed])
    assert (~frontier(made)).tolist() == beaten(saved, harmed)


def test_a_table_without_cells_has_no_frontier() -> None:
    assert frontier(table([[1.0]]).select([])).tolist() == []


def test_a_choice_among_no_cells_tells() -> None:
    none = replace(table([[500.0] * N])).select([])
    with pytest.raises(ParameterError, match="at least one cell"):
        recommend_surface(none, every_day(N))


# Worlds whose answer is known ---------------------------------------------------------------------


def swept(quoted: Sequence[Sequence[int]], tool: str = "tracker list") -> SurfaceTable:
    """One answer of ten rows a family, of which it quotes these; limits of rows and of bytes."""
    rows = [answer(at, quotes, family=at, tool=tool) for at, quotes in enumerate(quoted)]
    cells = surface_cells(
        Surface(), {"max_items": [0, 1, 3, 5, 8], "max_output_bytes": [0, 300, 600, 900]}
    )
    return sweep_surface(lambda setting: facts(rows, setting), cells)


def test_what_is_never_used_can_go() -> None:
    table = swept([[0, 2]] * N)
    choice = recommend_surface(table, every_day(N))
    assert choice.status == "recommended"
    assert params(choice) == Surface(max_items=3)
    assert choice.judged_on is not None
    assert (choice.judged_on.witnessed_answers, choice.judged_on.harmed_answers) == (20, 0)
    assert choice.judged_on.saved_share.value == pytest.approx(0.63, abs=0.1)


def test_use_in_the_tail_forbids_every_limit() -> None:
    choice = recommend_surface(swept([[9]] * N), every_day(N))
    assert (choice.status, choice.cell) == ("none", None)


def test_later_use_of_what_went_refutes() -> None:
    choice = recommend_surface(swept([[0]] * 20 + [[7]] * 20), every_day(N))
    assert (choice.status, params(choice)) == ("none", Surface(max_items=1))
    assert choice.reasons == (
        "the later transcripts refute it: 20 of 20 changed answers would lack what was used later, "
        "0 allowed",
    )
