from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.dedup.decide import HARM_CAUSES
from ctxlab.dedup.params import Dedup
from ctxlab.errors import ParameterError
from ctxlab.replay import METRICS, Cell, SweepTable, harm_metric
from ctxlab.replay.scores import FIXED
from ctxlab.tune import MIN_FAMILIES, gain_over, recommend, split_by_time
from ctxlab.words import counted

TOUCHED = 10_000.0


def table(
    saved: Sequence[Sequence[float]],
    harmful: Sequence[Sequence[float]] | None = None,
    cells: Sequence[Cell] | None = None,
    touched: Sequence[float] | None = None,
) -> SweepTable:
    """A sweep of one transcript a family: bytes saved, and harmful pointers, by (cell, family)."""
    net = np.array(saved, float)
    harm = np.zeros_like(net) if harmful is None else np.array(harmful, float)
    n_cells, n = net.shape
    names = tuple(f"family{i:03}" for i in range(n))
    values = {
        name: np.zeros_like(net)
        for name in METRICS
        if name not in (*FIXED, "net_bytes", "harmful_pointers")
    }
    values["withheld_bytes"] = np.maximum(net, 0)
    values["pointer_bytes"] = np.maximum(-net, 0)
    values["pointers"] = np.maximum((net != 0).astype(float), harm)
    values[harm_metric(HARM_CAUSES[-1])] = harm
    given_touched = np.full(n, TOUCHED) if touched is None else np.array(touched, float)
    return SweepTable(
        tuple(cells or (Cell(Dedup(min_covered_lines=m)) for m in range(1, n_cells + 1))),
        names,
        names,
        np.arange(n, dtype=np.int32),
        dict.fromkeys(FIXED, given_touched),
        values,
        METRICS,
    )


def every_day(n: int) -> list[int | None]:
    return [86_400_000 * (day + 1) for day in range(n)]


# The split ----------------------------------------------------------------------------------------


def halves(starts: Sequence[int | None], part: Sequence[bool] | None = None) -> tuple[str, str]:
    split = split_by_time(starts, np.array([True] * len(starts) if part is None else part, bool))
    return tuple("".join(".x"[int(b)] for b in m) for m in (split.chooses, split.judges))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("starts", "chooses", "judges"),
    [
        ([1, 2, 3, 4], "xx..", "..xx"),
        ([4, 1, 3, 2], ".x.x", "x.x."),
        ([1, 2, 3], "x..", ".xx"),
        ([None, 1, 2, None, 3, 4], "xxxx..", "....xx"),
        ([None, None], "xx", ".."),
        ([5, 5, 5, 5], "xxxx", "...."),
        ([1, 5, 5, 5], "x...", ".xxx"),
        ([5, 5, 5, 9], "xxx.", "...x"),
        ([1, 2, 2, 2, 2, 3], "x.....", ".xxxxx"),
        ([7], "x", "."),
        ([], "", ""),
    ],
)
def test_split(starts: list[int | None], chooses: str, judges: str) -> None:
    assert halves(starts) == (chooses, judges)


def test_families_without_a_part_neither_choose_nor_judge() -> None:
    assert halves([1, 2, 3, 4, 5], [True, False, True, True, False]) == ("x....", "..xx.")


@given(
    starts=st.lists(st.none() | st.integers(0, 5), max_size=20),
    part=st.lists(st.booleans(), min_size=20, max_size=20),
)
def test_nobody_is_judged_by_what_could_be_older(
    starts: list[int | None], part: list[bool]
) -> None:
    takes = np.array(part[: len(starts)], bool)
    split = split_by_time(starts, takes)
    assert not np.any(split.chooses & split.judges)
    assert np.array_equal(split.chooses | split.judges, takes)
    chosen = [starts[i] for i in np.flatnonzero(split.chooses)]
    judges = [starts[i] for i in np.flatnonzero(split.judges)]
    assert None not in judges
    assert all(c is None or c < j for c in chosen for j in judges if j is not None)


# The choice ---------------------------------------------------------------------------------------

N = 40


def test_the_largest_saving_within_the_constraint_is_shipped() -> None:
    saved = [[900.0] * N, [500.0] * N, [300.0] * N]
    harmful = [[1.0] * N, [0.0] * N, [0.0] * N]
    choice = recommend(table(saved, harmful), every_day(N))
    assert choice.status == "recommended"
    assert choice.cell is not None
    assert choice.cell.params.min_covered_lines == 2
    assert choice.reasons == ()
    judged = choice.judged_on
    assert judged is not None
    assert judged.net_share.value == pytest.approx(0.05)
    assert (judged.net_bytes, judged.touched_bytes) == (500.0 * N / 2, TOUCHED * N / 2)
    assert (judged.pointers, judged.harmful_pointers, judged.families_with_pointers) == (20, 0, 20)
    assert judged.harmful_families_upper == pytest.approx(1 - 0.05 ** (1 / 20))
    assert choice.as_dict()["parameters"]["min_covered_lines"] == 2


def test_an_allowance_of_harm_is_used() -> None:
    saved = [[900.0] * N, [500.0] * N]
    harmful = [[0.0] * N, [0.0] * N]
    harmful[0][0] = harmful[0][-1] = 1.0
    assert recommend(table(saved, harmful), every_day(N)).cell.params.min_covered_lines == 2  # type: ignore[union-attr]
    allowed = recommend(table(saved, harmful), every_day(N), max_harmful_pointers=1)
    assert allowed.status == "recommended"
    assert allowed.cell.params.min_covered_lines == 1  # type: ignore[union-attr]


def test_ties_go_to_care() -> None:
    cells = [Cell(Dedup(min_covered_lines=m, view_calls=v)) for m in (2, 8) for v in (1, 4, None)]
    for order in (cells, cells[::-1]):
        choice = recommend(table([[500.0] * N] * 6, cells=order), every_day(N))
        assert choice.cell is not None
        assert (choice.cell.params.min_covered_lines, choice.cell.params.view_calls) == (8, 1)
        long = recommend(
            table([[500.0] * N] * 2, cells=[c for c in order if c.params.view_calls != 1][::2][:2]),
            every_day(N),
        )
        assert long.cell is not None
        assert long.cell.params.view_calls is None or long.cell.params.view_calls == 4


def test_the_objective_is_what_is_made_large() -> None:
    one = table([[500.0] * N, [400.0] * N])
    one.values["withheld_bytes"][1] += 300
    one.values["pointer_bytes"][1] += 300
    assert recommend(one, every_day(N)).cell.params.min_covered_lines == 1  # type: ignore[union-attr]
    by_withheld = recommend(one, every_day(N), objective="withheld_bytes")
    assert by_withheld.cell.params.min_covered_lines == 2  # type: ignore[union-attr]


def test_later_transcripts_that_show_harm_refute_and_nothing_is_chosen_again() -> None:
    saved = [[900.0] * N, [500.0] * N]
    harmful = [[0.0] * (N - 1) + [2.0], [0.0] * N]
    choice = recommend(table(saved, harmful), every_day(N))
    assert choice.status == "none"
    assert choice.cell is not None
    assert choice.cell.params.min_covered_lines == 1  # the second cell would have held
    assert choice.reasons == (
        "the later transcripts refute it: 2 of 21 pointers would be harmful, 0 allowed",
    )


def test_later_transcripts_that_show_no_saving_refute() -> None:
    later = [1000.0, -1000.0] * (N // 4)
    choice = recommend(table([[900.0] * (N // 2) + later]), every_day(N))
    assert choice.status == "none"
    (reason,) = choice.reasons
    assert reason.startswith("the later transcripts cannot tell its saving from nothing: net share")
    assert "-" in reason


@pytest.mark.parametrize(("n", "choosing"), [(0, 0), (1, 1), (2, 1), (2 * MIN_FAMILIES - 1, 9)])
def test_too_few_families(n: int, choosing: int) -> None:
    choice = recommend(table([[500.0] * n]), every_day(n))
    assert (choice.status, choice.cell, choice.judged_on) == ("none", None, None)
    assert choice.reasons == (
        f"these logs cannot tell: {counted(choosing, 'family', 'families')} to choose on and "
        f"{n - choosing} dated later ones to judge by, at least {MIN_FAMILIES} each are needed",
    )


def test_families_that_touch_nothing_or_have_no_date_do_not_judge() -> None:
    touched = [TOUCHED] * 15 + [0.0] * 25
    assert (
        "at least 10 each"
        in recommend(table([[5.0] * N], touched=touched), every_day(N)).reasons[0]
    )
    undated: list[int | None] = [None] * N
    assert (
        recommend(table([[500.0] * N]), undated)
        .reasons[0]
        .startswith("these logs cannot tell: 40 families to choose on and 0 dated later ones")
    )


def test_harm_everywhere() -> None:
    choice = recommend(table([[900.0] * N] * 2, [[1.0] * N, [2.0] * N]), every_day(N))
    assert choice.reasons == (
        "every setting points at lines that are not in the context: at the least 20 harmful "
        "pointers on the earlier transcripts, 0 allowed",
    )
    assert choice.as_dict()["parameters"] is None


@pytest.mark.parametrize("saved", [0.0, -100.0])
def test_no_saving_at_all(saved: float) -> None:
    choice = recommend(table([[saved] * N] * 2), every_day(N))
    assert choice.reasons == (
        "no setting within the constraint saves anything on the earlier transcripts",
    )


def test_a_single_setting_is_judged_even_where_it_fails() -> None:
    choice = recommend(table([[900.0] * N], [[1.0] * N]), every_day(N))
    assert choice.status == "none"
    assert choice.cell is not None
    assert choice.judged_on is not None
    assert choice.judged_on.harmful_pointers == 20
    assert choice.reasons == (
        "it points at lines that are not in the context: 20 harmful pointers on the earlier "
        "transcripts, 0 allowed",
        "the later transcripts refute it: 20 of 20 pointers would be harmful, 0 allowed",
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"objective": "dollars"},
            "`objective` must be one of net_bytes, withheld_bytes, got 'dollars'",
        ),
        ({"max_harmful_pointers": -1}, "`max_harmful_pointers` must be 0 or more, got -1"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        recommend(table([[1.0] * N]), every_day(N), **options)


def test_the_best_of_many_is_judged_without_its_luck() -> None:
    """All cells save 2 % on average; the best in sample boasts more, the judges do not."""
    truth, boasts, judged, covered = 0.02, [], [], []
    for seed in range(60):
        random = np.random.default_rng(seed)
        saved = TOUCHED * (truth + 0.05 * random.standard_normal((30, 60)))
        choice = recommend(table(saved.tolist()), every_day(60))
        assert choice.chosen_on is not None
        assert choice.judged_on is not None
        boasts.append(choice.chosen_on.net_share.value)
        net = choice.judged_on.net_share
        assert net.value is not None
        assert net.low is not None
        assert net.high is not None
        judged.append(net.value)
        covered.append(net.low <= truth <= net.high)
    assert np.mean(boasts) > 1.5 * truth
    assert np.mean(judged) == pytest.approx(truth, abs=0.003)
    assert np.mean(covered) > 0.88


def test_a_gain_is_paired_by_family_and_unknown_without_enough_of_them() -> None:
    ours, theirs = table([[900.0] * N]), table([[500.0] * N])
    one, other = (recommend(t, every_day(N)) for t in (ours, theirs))
    gain = gain_over(one, ours, other, theirs, every_day(N))
    touched = ours.by_family("touched_bytes")[0].mean()
    assert gain is not None
    assert gain.value == pytest.approx(
        (ours.by_family("net_bytes") - theirs.by_family("net_bytes")).mean() / touched
    )
    none = recommend(table([[900.0] * N], [[1.0] * N]), every_day(N))
    all_of_it = gain_over(one, ours, none, theirs, every_day(N))
    assert all_of_it is not None
    assert all_of_it.value == pytest.approx(ours.by_family("net_bytes").mean() / touched)
    assert gain_over(one, ours, other, theirs, [None] * N) is None
