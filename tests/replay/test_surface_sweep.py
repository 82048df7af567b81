"""A sweep of surface: cells, columns by transcript and tool, hazards of a byte ceiling."""

from __future__ import annotations

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
    hazards,
    surface_cells,
    sweep_surface,
)
from ctxlab.surface.build import AnswerRow
from ctxlab.surface.decide import decide, out_of_step, prepare
from ctxlab.surface.facts import SurfaceFacts
from ctxlab.surface.params import Surface, arrangement
from ctxlab.surface.shape import shape_text
from ctxlab.surface.tokens import find_tokens
from tests.replay.surface_worlds import GRAPH, TRACKER, answer, facts

# Cells --------------------------------------------------------------------------------------------


def test_cells_are_all_combinations_over_a_base() -> None:
    base = Surface(sort="id")
    made = surface_cells(base, {"max_items": [0, 5], "select": [(), ("id", "title")]})
    assert [(c.params.max_items, c.params.select) for c in made] == [
        (0, ()),
        (0, ("id", "title")),
        (5, ()),
        (5, ("id", "title")),
    ]
    assert {c.params.sort for c in made} == {"id"}
    assert made[-1].as_dict()["select"] == ("id", "title")


def test_bad_grids() -> None:
    with pytest.raises(ParameterError, match="Surface has no parameter `rows`; it has max_items"):
        surface_cells(Surface(), {"rows": [1]})
    with pytest.raises(ParameterError, match="`select` needs at least one value to sweep over"):
        surface_cells(Surface(), {"select": []})
    with pytest.raises(ParameterError, match=r"`select` must be a tuple of texts, got \('id', 3\)"):
        surface_cells(Surface(), {"select": [("id", 3)]})
    with pytest.raises(ParameterError, match=r"`max_items` must be in \[0, 1000000000\] rows"):
        surface_cells(Surface(), {"max_items": [-1]})
    with pytest.raises(ParameterError, match="a sweep needs at least one cell, got none"):
        sweep_surface(lambda _: facts([]), [])


# The sweep ----------------------------------------------------------------------------------------


def world() -> list[AnswerRow]:
    """Three families of two, one and one transcripts; two tools; one family without an answer."""
    return [
        answer(0, [0, 7], family=0, transcript=0),
        answer(1, [9], family=0, transcript=0, known_before=[9], requery="larger"),
        answer(2, [1], family=0, transcript=1, tool=GRAPH, rows=40),
        answer(3, family=2, transcript=3, form="cut", requery="again"),
        answer(4, ["item-0004-02", "102"], family=2, transcript=3, tool=GRAPH, rows=3),
    ]


def swept(grid: dict[str, Any], base: Surface | None = None) -> SurfaceTable:
    asked: list[Surface] = []

    def facts_of(setting: Surface) -> SurfaceFacts:
        asked.append(setting)
        return facts(world(), setting, 3, {0: 2})

    told: list[int] = []
    cells = surface_cells(base or Surface(), grid)
    table = sweep_surface(facts_of, cells, told.append)
    assert len(asked) == len({arrangement(cell.params) for cell in cells})
    assert sum(told) == len(cells)
    assert table.cells == cells
    return table


def test_a_column_is_a_tool_of_a_transcript_or_a_transcript_without_answers() -> None:
    table = swept({"max_items": [0, 5]})
    assert table.tools == (GRAPH, TRACKER)  # by recorded bytes
    named = [None if t < 0 else table.tools[t] for t in table.tool_of]
    assert list(zip(table.transcripts, named, strict=True)) == [
        ("transcript000", TRACKER),
        ("transcript001", GRAPH),
        ("transcript002", None),
        ("transcript003", GRAPH),
        ("transcript003", TRACKER),
    ]
    assert table.families == ("family000", "family001", "family002")
    assert table.family_of.tolist() == [0, 0, 1, 2, 2]


def test_what_no_number_changes() -> None:
    table = swept({"max_items": [0, 5]})
    columns = {
        "answers": [2, 1, 0, 1, 1],
        "json_answers": [2, 1, 0, 1, 0],
        "cut_answers": [0, 0, 0, 0, 1],
        "text_answers": [0, 0, 0, 0, 0],
        "invalid_answers": [0, 0, 0, 0, 0],
        "rows": [20, 40, 0, 3, 0],
        "quoted_answers": [2, 1, 0, 1, 0],
        "quotes": [3, 1, 0, 2, 0],
        "witnesses": [2, 1, 0, 2, 0],
        "witnessed_answers": [1, 1, 0, 1, 0],
        "requeries": [1, 0, 0, 0, 1],
        "larger_requeries": [1, 0, 0, 0, 0],
        "json_requeries": [1, 0, 0, 0, 0],
        "json_fallbacks": [1, 0, 0, 0, 0],
    }
    for name, expected in columns.items():
        assert table.metric(name).tolist() == [expected] * 2, name
    rows = [row for row in world() if row.form == "json"]
    assert table.metric("recorded_bytes")[0].sum() == sum(row.recorded_bytes for row in rows)
    shaped = [len(shape_text(row.text, Surface()).encode()) for row in rows]
    assert table.metric("canonical_bytes")[0].sum() == sum(shaped)
    compact = table.metric("recorded_bytes") - table.metric("canonical_bytes")
    assert np.array_equal(table.metric("compact_bytes"), compact)


GRID: dict[str, Any] = {
    "max_items": [0, 5],
    "truncate_content": [0, 8],
    "max_output_bytes": [0, 400],
    "select": [(), ("title",)],
}


def test_scores_are_those_of_shaping_each_answer() -> None:
    table = swept(GRID)
    for at, cell in enumerate(table.cells):
        rows = [row for row in world() if row.form == "json"]
        shaped = {row.text: shape_text(row.text, cell.params) for row in rows}
        assert table.metric("output_bytes")[at].sum() == sum(
            len(t.encode()) for t in shaped.values()
        )
        lost = [
            (row.text, quote.is_witness)
            for row in rows
            for token, quote in row.quotes.items()
            if token not in {found.text for found in find_tokens(shaped[row.text])}
        ]
        assert table.metric("lost_quotes")[at].sum() == len(lost)
        assert table.metric("lossy_answers")[at].sum() == len({text for text, _ in lost})
        harmed = {text for text, known in lost if known}
        assert table.metric("harmed_answers")[at].sum() == len(harmed)


def test_sizes_and_losses_by_hand() -> None:
    table = swept({"max_items": [0, 5, 1]})
    assert table.metric("kept_rows").tolist() == [
        [20, 40, 0, 3, 0],
        [10, 5, 0, 3, 0],
        [2, 1, 0, 1, 0],
    ]
    assert table.metric("capped_rows").tolist() == [[0] * 5, [10, 35, 0, 0, 0], [18, 39, 0, 2, 0]]
    assert table.metric("changed_answers").tolist() == [[0] * 5, [2, 1, 0, 0, 0], [2, 1, 0, 1, 0]]
    assert table.metric("lost_quotes").tolist() == [[0] * 5, [2, 0, 0, 0, 0], [2, 1, 0, 2, 0]]
    assert table.metric("lost_witnesses").tolist() == [[0] * 5, [1, 0, 0, 0, 0], [1, 1, 0, 2, 0]]
    assert table.metric("lossy_answers").tolist() == [[0] * 5, [2, 0, 0, 0, 0], [2, 1, 0, 1, 0]]
    assert table.metric("harmed_answers").tolist() == [[0] * 5, [1, 0, 0, 0, 0], [1, 1, 0, 1, 0]]
    assert table.metric("lost_ids")[2].tolist() == [1, 1, 0, 1, 0]
    assert table.metric("lost_numbers")[2].tolist() == [0, 0, 0, 1, 0]
    assert table.metric("saved_bytes")[0].tolist() == [0] * 5
    assert np.array_equal(
        table.metric("saved_bytes"),
        table.metric("canonical_bytes") - table.metric("output_bytes"),
    )


def test_a_small_answer_grows_and_saves_less_than_nothing() -> None:
    table = swept({"max_items": [100]})
    assert (table.metric("saved_bytes")[0][[0, 1, 3]] < 0).all()
    assert table.metric("grown").tolist() == [[2, 1, 0, 1, 0]]
    assert table.metric("changed_answers").sum() == 0


def test_saved_bytes_are_priced_by_the_requests_that_would_have_carried_them() -> None:
    rows = [answer(0, requests=0), answer(1, requests=1), answer(2, requests=11)]
    cells = surface_cells(Surface(), {"max_items": [5]})
    table = sweep_surface(lambda s: facts(rows, s), cells)
    each = table.metric("saved_bytes")[0, 0] / 3
    assert table.metric("priced_bytes")[0, 0] == pytest.approx(each * (1.25 + 1.25 + 1.0))
    whole = table.metric("canonical_bytes")[0, 0] / 3
    priced = table.metric("canonical_priced_bytes")[0, 0]
    assert priced == pytest.approx(whole * (1.25 + 1.25 + 1.0))


def test_selected_rows_are_changed_answers() -> None:
    table = swept({"select": [("title",)], "count_only": [False, True]})
    assert table.metric("changed_answers").tolist() == [[2, 1, 0, 1, 0]] * 2
    assert table.metric("harmed_answers").tolist() == [[1, 1, 0, 1, 0]] * 2
    whole = swept({"select": [("id", "title")]})
    assert whole.metric("changed_answers").sum() == 0


def test_the_frame_of_a_sweep_has_tuples_as_single_values() -> None:
    totals = swept({"select": [("id", "title"), ("id",), ()]}).totals()
    assert totals["select"].tolist() == [("id", "title"), ("id",), ()]
    equally_long = swept({"select": [("id",), ("title",)]}).totals()
    assert equally_long["select"].tolist() == [("id",), ("title",)]
    assert list(totals)[-len(SURFACE_METRICS) :] == list(SURFACE_METRICS)


# Columns ------------------------------------------------------------------------------------------


def test_one_tool_is_a_table_of_its_columns_and_families() -> None:
    table = swept({"max_items": [0, 5]})
    one = table.by_tool(TRACKER)
    assert isinstance(one, SurfaceTable)
    assert (one.tools, one.tool_of.tolist()) == ((TRACKER,), [0, 0])
    assert one.families == ("family000", "family002")
    assert one.transcripts == ("transcript000", "transcript003")
    assert one.family_of.tolist() == [0, 1]
    assert one.by_family("kept_rows").tolist() == [[20, 0], [10, 0]]
    assert one.by_tool(TRACKER).metric("rows").tolist() == one.metric("rows").tolist()
    assert isinstance(table.select([1]), SurfaceTable)
    assert table.select([1]).by_tool(GRAPH).metric("kept_rows").tolist() == [[5, 3]]
    with pytest.raises(ParameterError, match="no tool `luck`; known: graph find, tracker list"):
        table.by_tool("luck")


@given(
    st.lists(
        st.tuples(
            st.integers(0, 2),
            st.sampled_from([TRACKER, GRAPH, "other"]),
            st.lists(st.integers(0, 9), max_size=3, unique=True),
            st.sampled_from(["json", "json", "cut", "text"]),
        ),
        max_size=8,
    ),
    st.integers(3, 4),
)
def test_sums_by_column_are_sums_by_transcript_and_in_all(made: list[Any], n: int) -> None:
    rows = [
        answer(i, quotes if form == "json" else (), family=family, tool=tool, form=form)
        for i, (family, tool, quotes, form) in enumerate(sorted(made, key=lambda m: int(m[0])))
    ]
    cells = surface_cells(Surface(), {"max_items": [0, 4], "max_output_bytes": [0, 300]})
    table = sweep_surface(lambda s: facts(rows, s, n), cells)
    alone = [row for row in rows if row.family == 0]
    first = sweep_surface(lambda s: facts(alone, s, 1), cells)
    kinds = ("lost_paths", "lost_ids", "lost_numbers", "lost_names")
    assert np.array_equal(table.metric("lost_witnesses"), sum(table.metric(kind) for kind in kinds))
    for name in SURFACE_METRICS:
        by_family = table.by_family(name)
        assert by_family.shape == (4, n)
        assert np.allclose(by_family[:, 0], first.by_family(name)[:, 0]), name
        tools = sum((table.by_tool(tool).metric(name).sum(axis=1) for tool in table.tools), 0.0)
        assert np.allclose(table.metric(name).sum(axis=1), tools), name
    assert (table.metric("harmed_answers") <= table.metric("lossy_answers")).all()
    assert (table.metric("lossy_answers") <= table.metric("changed_answers")).all()


def test_a_corpus_without_answers() -> None:
    table = sweep_surface(lambda s: facts([], s, 2), surface_cells(Surface(), {"max_items": [0]}))
    assert table.tools == ()
    assert table.transcripts == ("transcript000", "transcript001")
    assert table.by_family("answers").tolist() == [[0, 0]]
    with pytest.raises(ParameterError, match="no tool `x`; known: none"):
        table.by_tool("x")


# Hazards ------------------------------------------------------------------------------------------


def two_arrays(rows: int, others: int) -> dict[str, Any]:
    return {
        "nodes": [{"id": f"node-{i:02}"} for i in range(rows)],
        "edges": [{"from": i, "to": i + 1} for i in range(others)],
    }


def kept_by_shaping(row: AnswerRow, budget: int) -> int:
    text = shape_text(row.text, Surface(max_output_bytes=budget))
    return text.count('"id"')


BUDGETS = [60, 100, 250, 450, 700, 1020, 1310, 2000, 5000]


@pytest.mark.parametrize(
    "base",
    [
        Surface(),
        Surface(max_items=7),
        Surface(truncate_content=3),
        Surface(max_items=9, truncate_content=4, overwrites_truncated=True),
        Surface(select=("id",)),
    ],
    ids=repr,
)
def test_ceilings_out_of_step_are_those_that_every_ceiling_shows(base: Surface) -> None:
    values: list[Any] = [two_arrays(n, m) for n, m in ((0, 9), (1, 30), (6, 6), (12, 3), (40, 25))]
    values += [{**two_arrays(8, 20), "truncated": False}, [{"id": n} for n in range(9)]]
    values += [{"error": True, **two_arrays(5, 9)}, {"note": "no array " * 9}, {}]
    rows = [answer(at, value=value, family=at) for at, value in enumerate(values)]
    of = facts(rows, base)
    prepared = prepare(of)
    every = [*range(1, 4000)]
    settings = [Surface.of(**{**base.as_dict(), "max_output_bytes": most}) for most in every]
    kept = np.array([decide(of, params, prepared).kept_rows for params in settings])
    is_less = kept < np.maximum.accumulate(kept)
    turns, ends = out_of_step(prepared, base)
    for at in range(len(rows)):
        assert [m for m, less in zip(every, is_less[:, at], strict=True) if less] == [
            *range(turns[at], ends[at])
        ]
    assert is_less.any()


def test_hazards_are_counted_as_shaping_shows_them() -> None:
    rows = [
        answer(0, value=two_arrays(30, 20)),
        answer(1, value=two_arrays(10, 40), family=1),
        answer(2, value={"note": "no array stands in this one " * 20}, family=2),
        answer(3, family=3, rows=2),
        answer(4, family=4, form="text"),
    ]
    found = hazards(facts(rows), BUDGETS, Surface())
    assert found["max_output_bytes"].tolist() == BUDGETS
    assert found["json_answers"].tolist() == [4] * len(BUDGETS)
    every = range(1, BUDGETS[-1] + 1)  # those between the swept ones, too
    kept = np.array([[kept_by_shaping(row, b) for row in rows[:4]] for b in every])
    is_less = kept < np.maximum.accumulate(kept)
    starts = [0, *BUDGETS[:-1]]
    between = [is_less[a:b].any(axis=0).sum() for a, b in zip(starts, BUDGETS, strict=True)]
    assert found["non_monotonic"].tolist() == between
    assert found["non_monotonic"].sum() > 0
    sparse = hazards(facts(rows), [BUDGETS[-1]], Surface())  # nothing to compare it with
    assert sparse["non_monotonic"].tolist() == [is_less.any(axis=0).sum()]
    texts = [[shape_text(r.text, Surface(max_output_bytes=b)) for r in rows[:4]] for b in BUDGETS]
    stubs = [sum('"truncated_reason"' in text for text in line) for line in texts]
    assert found["stubs"].tolist() == stubs
    assert max(stubs) > 0
    over = [
        sum(len(text.encode()) > budget for text in line)
        for line, budget in zip(texts, BUDGETS, strict=True)
    ]
    assert found["over_budget"].tolist() == over
    canonical = [len(shape_text(row.text, Surface()).encode()) for row in rows[:4]]
    grown = [
        sum(len(t.encode()) > c for t, c in zip(line, canonical, strict=True)) for line in texts
    ]
    assert found["grown"].tolist() == grown
    assert found["changed_answers"][-1] == 0
    other = [answer(5, family=5, tool=GRAPH, rows=40)]
    of_both = facts([*rows, *other])
    alone = hazards(of_both, BUDGETS, Surface(), [TRACKER])
    assert {name: counts.tolist() for name, counts in alone.items()} == {
        name: counts.tolist() for name, counts in found.items()
    }
    assert hazards(of_both, BUDGETS, Surface())["json_answers"][0] == 5


@pytest.mark.parametrize("budgets", [[], [0, 5], [5, 5], [9, 5]])
def test_budgets_ascend(budgets: list[int]) -> None:
    with pytest.raises(ParameterError, match="`budgets` must be byte ceilings of 1 or more, each"):
        hazards(facts([]), budgets, Surface())


def test_a_cell_says_what_it_is() -> None:
    assert SurfaceCell(Surface(max_items=3)).as_dict()["max_items"] == 3
