"""Which keys to keep of a tool's rows: chosen where earlier families quoted, judged on later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ctxlab.errors import ParameterError
from ctxlab.surface.build import AnswerRow
from ctxlab.surface.params import Surface
from ctxlab.surface.shape import shape_text
from ctxlab.tune import MIN_FAMILIES, KeyChoice, key_uses, recommend_keys
from tests.replay.surface_worlds import GRAPH, TRACKER, answer, every_day, facts

N = 40


def rows_of(at: int) -> dict[str, Any]:
    """Three rows of an id, a path, a long text and an owner, whose name stands in the text too."""
    return {
        "items": [
            {
                "id": f"item-{at:04}-{row}",
                "path": f"src/part{at}/file{row}.py",
                "text": f"a long text of many words by owner_{at}_{row} " * 3,
                "owner": f"owner_{at}_{row}",
            }
            for row in range(3)
        ],
        "cursor": f"page-{at:05}-next",
    }


def quoting(
    at: int, *quotes: str, family: int | None = None, known: Sequence[str] = ()
) -> AnswerRow:
    return answer(
        at,
        list(quotes),
        family=at if family is None else family,
        value=rows_of(at),
        known_before=known,
    )


def test_uses_of_each_key() -> None:
    rows = [
        quoting(0, "item-0000-0", "item-0000-1", "owner_0_2", known=["item-0000-1"]),
        quoting(1, "item-0001-2", family=0),
        quoting(2, "page-00002-next", family=1),
        answer(3, ["item-0003-00"], family=1, tool=GRAPH, rows=1),
    ]
    found = key_uses(facts(rows))
    named = list(zip(found["tool"], found["key"], strict=True))
    assert named == [
        (GRAPH, "title"),
        (GRAPH, "id"),
        (TRACKER, "text"),
        (TRACKER, "path"),
        (TRACKER, "owner"),
        (TRACKER, "id"),
    ]
    assert found["rows"].tolist() == [1, 1, 9, 9, 9, 9]
    assert found["quotes"].tolist() == [0, 1, 1, 0, 1, 3]
    assert found["witnesses"].tolist() == [0, 1, 1, 0, 1, 2]
    assert found["families"].tolist() == [0, 1, 1, 0, 1, 1]
    assert found["bytes"][3] == sum(
        len(f'"path":"src/part{at}/file{row}.py",') for at in range(3) for row in range(3)
    )
    canonical = sum(len(shape_text(row.text, Surface()).encode()) for row in rows[:3])
    assert np.allclose(found["bytes_share"][2:], found["bytes"][2:] / canonical)


def only(found: dict[str, KeyChoice], tool: str = TRACKER) -> KeyChoice:
    assert list(found) == [tool]
    return found[tool]


def test_keys_that_earlier_families_quoted_and_later_ones_too_are_recommended() -> None:
    rows = [quoting(at, f"item-{at:04}-0", f"src/part{at}/file1.py") for at in range(N)]
    choice = only(recommend_keys(facts(rows), every_day(N)))
    assert (choice.status, choice.keys, choice.reasons) == ("recommended", ("id", "path"), ())
    judged = choice.judged_on
    assert judged is not None
    assert (judged.families, judged.answers, judged.quotes) == (20, 20, 40)
    assert (judged.lost_quotes, judged.harmed_answers) == (0, 0)
    assert judged.kept_share.value == 1
    assert judged.lost_share_upper == pytest.approx(1 - 0.05 ** (1 / 20))
    uses = key_uses(facts(rows[20:]))
    removed = [k in ("text", "owner") for k in uses["key"]]
    assert judged.saved_bytes == uses["bytes"][removed].sum()
    assert judged.saved_share.value == pytest.approx(uses["bytes_share"][removed].sum())
    assert choice.as_dict()["keys"] == ("id", "path")


def test_a_quote_at_several_keys_is_kept_if_one_of_them_is() -> None:
    early = [quoting(at, f"item-{at:04}-0", f"owner_{at}_1") for at in range(20)]
    late = [quoting(at, f"owner_{at}_2") for at in range(20, N)]
    choice = only(recommend_keys(facts([*early, *late]), every_day(N)))
    assert choice.keys == ("id", "owner", "text")
    # Nothing that is quoted beside the rows is lost, and nothing of a key that stays.
    late = [quoting(at, f"page-{at:05}-next") for at in range(20, N)]
    early = [quoting(at, f"item-{at:04}-0") for at in range(20)]
    choice = only(recommend_keys(facts([*early, *late]), every_day(N)))
    assert (choice.status, choice.keys) == ("recommended", ("id",))


def test_later_families_that_quote_other_keys_refute_the_proposal() -> None:
    early = [quoting(at, f"item-{at:04}-0") for at in range(20)]
    late = [quoting(at, f"item-{at:04}-1", f"src/part{at}/file1.py") for at in range(20, N)]
    choice = only(recommend_keys(facts([*early, *late]), every_day(N)))
    assert (choice.status, choice.keys) == ("none", ("id",))
    assert choice.reasons == (
        "the later transcripts refute it: 20 of 20 quoted answers would lack what was used later, "
        "0 allowed",
    )
    judged = choice.judged_on
    assert judged is not None
    assert (judged.quotes, judged.lost_quotes, judged.kept_share.value) == (40, 20, 0.5)
    assert judged.lost_share_upper is not None
    assert judged.lost_share_upper > 0.5
    allowed = recommend_keys(facts([*early, *late]), every_day(N), max_harmed=20)
    assert only(allowed).status == "recommended"


def test_what_was_known_before_is_lost_and_harms_nothing() -> None:
    early = [quoting(at, f"item-{at:04}-0") for at in range(20)]
    paths = [f"src/part{at}/file1.py" for at in range(N)]
    late = [quoting(at, paths[at], known=[paths[at]]) for at in range(20, N)]
    choice = only(recommend_keys(facts([*early, *late]), every_day(N)))
    assert choice.status == "recommended"
    assert choice.judged_on is not None
    assert (choice.judged_on.lost_quotes, choice.judged_on.harmed_answers) == (20, 0)
    assert choice.judged_on.kept_share.value == 0


def test_too_few_families_that_quote() -> None:
    quoted = 2 * MIN_FAMILIES - 1
    rows = [quoting(at, *([f"item-{at:04}-0"] if at < quoted else [])) for at in range(N)]
    choice = only(recommend_keys(facts(rows), every_day(N)))
    assert (choice.status, choice.keys, choice.judged_on) == ("none", (), None)
    assert choice.reasons == (
        "these logs cannot tell: 9 families that quoted it to choose on and 10 dated later ones to "
        "judge by, at least 10 each are needed",
    )
    (reason,) = only(recommend_keys(facts(rows), [None] * N)).reasons
    assert reason.endswith("; 19 have no date in their log")


def test_quotes_beside_the_rows_name_no_key() -> None:
    rows = [quoting(at, f"page-{at:05}-next") for at in range(N)]
    choice = only(recommend_keys(facts(rows), every_day(N)))
    assert choice.reasons == (
        "nothing that the earlier transcripts quoted stands at a key of its rows",
    )


def test_tools_are_chosen_apart_and_the_order_of_families_is_irrelevant() -> None:
    rows = [quoting(at, f"item-{at:04}-0") for at in range(N)]
    others = [answer(at, [0], family=at, tool=GRAPH, rows=1) for at in range(N)]
    both = sorted([*rows, *others], key=lambda row: row.family)
    found = recommend_keys(facts(both), every_day(N))
    assert list(found) == [TRACKER, GRAPH]
    assert found[TRACKER] == only(recommend_keys(facts(rows), every_day(N)))
    turned = [
        answer(at, [f"item-{at:04}-0"], family=N - 1 - at, value=rows_of(at))
        for at in range(N - 1, -1, -1)
    ]
    again = recommend_keys(facts(turned), every_day(N)[::-1])
    assert only(again) == found[TRACKER]


def test_nothing_to_choose_among() -> None:
    assert recommend_keys(facts([], n_families=2), every_day(2)) == {}
    assert key_uses(facts([], n_families=2))["key"].tolist() == []
    cut = [answer(at, family=at, form="cut") for at in range(N)]
    assert only(recommend_keys(facts(cut), every_day(N))).status == "none"


def test_bad_arguments() -> None:
    with pytest.raises(ParameterError, match="one start a family, got 1 for 2"):
        recommend_keys(facts([], n_families=2), every_day(1))
    with pytest.raises(ParameterError, match="`max_harmed` must be 0 or more, got -2"):
        recommend_keys(facts([], n_families=2), every_day(2), max_harmed=-2)
