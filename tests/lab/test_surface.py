"""Surface through the lab: counts known by hand, sums that agree, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_overloads

import numpy as np
import pytest

import ctxlab
from ctxlab.errors import InputError, ParameterError
from ctxlab.estimate import part_interval, share_bands, upper_shares
from ctxlab.lab import Lab, SurfaceSweep
from ctxlab.replay import SURFACE_METRICS
from ctxlab.surface.params import NUMERIC, Surface
from tests.sessions import BOARD, LIST, Session, compact, row_of, write_answers

# Counted by hand from `write_answers`, of 24 families.
LISTS, CARDS = 24, 18
"""A list each; a card in the 12 even families, and a second one in every fourth."""
LIST_BYTES = len('{"items":[') + 4 * len('{"id":"AB-0000","note":"as it is"}') + len(",,,") + 2
CARD_BYTES = len('{"state":"waits for paint"}')
RECORD = len('"agent_surface":{"input_count":4,"max_items":1,"output_count":1},')
STUB = len('{"max_output_bytes":60,"truncated":true,"truncated_reason":"max_output_bytes"}')
CANONICAL = LISTS * LIST_BYTES + CARDS * CARD_BYTES

FIXED = {
    "answers": LISTS + CARDS + 1,
    "json_answers": LISTS + CARDS,
    "cut_answers": 0,
    "text_answers": 1,
    "invalid_answers": 0,
    "recorded_bytes": CANONICAL + 4 * CARDS,  # two new lines, an indent, and a space
    "canonical_bytes": CANONICAL,
    "compact_bytes": 4 * CARDS,
    "rows": 4 * LISTS,
    "quoted_answers": LISTS,
    "quotes": LISTS + LISTS // 3,
    "witnesses": LISTS + LISTS // 3,
    "witnessed_answers": LISTS,
    "requeries": 6 + 1,  # second cards, and the label that there was not
    "larger_requeries": 0,
    "json_requeries": 7,
    "json_fallbacks": 1,  # the label
}
ONE_ROW = {
    "saved_bytes": LISTS * (3 * len('{"id":"AB-0000","note":"as it is"},') - RECORD)
    - CARDS * RECORD,
    "kept_rows": LISTS,
    "capped_rows": 3 * LISTS,
    "dropped_rows": 0,
    "grown": CARDS,
    "changed_answers": LISTS,
    "lost_quotes": 8,
    "lost_witnesses": 8,
    "lost_ids": 8,
    "lossy_answers": 8,
    "harmed_answers": 8,
    "stubs": 0,
}
TWO_CHARS = {
    "kept_rows": 4 * LISTS,
    "cut_names": 4 * LISTS,
    "cut_texts": 4 * LISTS + CARDS,
    "lost_witnesses": 32,
    "harmed_answers": LISTS,
    "changed_answers": LISTS + CARDS,
    "lost_paths": 0,
}
SIXTY_BYTES = {
    "output_bytes": STUB * (LISTS + CARDS),
    "saved_bytes": CANONICAL - STUB * (LISTS + CARDS),
    "kept_rows": 0,
    "stubs": LISTS + CARDS,
    "over_budget": LISTS + CARDS,
    "grown": CARDS,
    "changed_answers": LISTS + CARDS,
    "harmed_answers": LISTS,
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("lab")
    with ctxlab.open(folder / "lab") as opened:
        opened.ingest(write_answers(folder / "logs"))
        yield opened


@pytest.fixture(scope="module")
def swept(lab: Lab) -> SurfaceSweep:
    return lab.sweep(Surface, max_items=[0, 1, 3], max_output_bytes=[0, 60, 200])


# Counted by hand ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "known"),
    [
        (Surface(), FIXED | {"saved_bytes": 0, "kept_rows": 4 * LISTS, "harmed_answers": 0}),
        (Surface(max_items=1), FIXED | ONE_ROW),
        (Surface(truncate_content=2), FIXED | TWO_CHARS),
        (Surface(max_output_bytes=60), FIXED | SIXTY_BYTES),
        (Surface(select=("id",)), FIXED | {"lost_quotes": 0, "changed_answers": LISTS + CARDS}),
        (Surface(select=("note",)), FIXED | {"lost_quotes": 32, "harmed_answers": LISTS}),
    ],
    ids=repr,
)
def test_counts_known_by_hand(lab: Lab, params: Surface, known: dict[str, int]) -> None:
    row = lab.replay(params).summary().iloc[0]
    assert {name: row[name] for name in known} == known


def test_shares_known_by_hand(lab: Lab) -> None:
    row = lab.replay(Surface(max_items=1)).summary().iloc[0]
    assert row.saved_share == ONE_ROW["saved_bytes"] / CANONICAL < 0
    assert row.saved_share_of_recorded == ONE_ROW["saved_bytes"] / FIXED["recorded_bytes"]
    assert row.compact_share_of_recorded == 4 * CARDS / FIXED["recorded_bytes"]
    assert row.harmed_share == row.lossy_share == 8 / 42
    assert row.changed_share == 24 / 42
    assert row.requery_share == 7 / 43  # a result that is no JSON can be asked again, too


def test_shares_of_all_that_tools_gave_and_of_new_input(lab: Lab) -> None:
    replay, survey = lab.replay(Surface(max_items=1)), lab.survey()
    scores, of = replay.scores(), survey.transcripts.set_index("transcript")
    saved = scores[scores.metric == "saved_bytes"].groupby("transcript")["value"].sum()
    row = replay.summary().iloc[0]
    assert row.saved_share_of_results == saved.sum() / of.tool_result_bytes.sum() < 0
    measured = of.new_input_tokens.dropna()
    tokens = saved[measured.index].sum() / survey.tokens.bytes_per_token
    assert row.saved_share_of_new_input == pytest.approx(tokens / measured.sum())
    tools = replay.tools()  # the share of a tool is of what all tools gave
    for name in ("saved_share_of_results", "saved_share_of_new_input"):
        assert tools[name].sum() == pytest.approx(row[name])


def test_counts_of_each_tool(lab: Lab) -> None:
    frame = lab.replay(Surface(max_items=1)).tools()
    assert frame.tool.tolist() == [LIST, BOARD]  # the one with most bytes first
    of = frame.set_index("tool")
    assert of.json_answers.to_dict() == {LIST: LISTS, BOARD: CARDS}
    assert of.text_answers.to_dict() == {LIST: 1, BOARD: 0}
    assert of.requeries.to_dict() == {LIST: 1, BOARD: 6}
    assert of.witnesses.to_dict() == {LIST: 32, BOARD: 0}
    assert of.harmed_answers.to_dict() == {LIST: 8, BOARD: 0}
    assert of.saved_bytes.to_dict() == {LIST: 40 * LISTS, BOARD: -RECORD * CARDS}


def test_stubs_of_answers_and_of_values(tmp_path: Path) -> None:
    """Two values in one answer are two stubs, and one answer that holds any."""
    line = compact({"state": "waits for paint"})
    session = Session("one").prompt().runs("tracker dump", f"{line}\n{line}").says("done")
    session.write(tmp_path / "a.jsonl")
    with ctxlab.open() as lone:
        lone.ingest(tmp_path / "a.jsonl")
        done = lone.replay(Surface(max_output_bytes=60))
        assert done.decisions().stubs.tolist() == [2]
        assert done.decisions()["values"].tolist() == [2]
        assert done.summary().stubs[0] == 1
        ceilings = lone.sweep(Surface, max_output_bytes=[60, 1000])
        assert ceilings.along_knob().stubs.tolist() == [1, 0]


# Frames -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params",
    [Surface(), Surface(max_items=1), Surface(max_output_bytes=60), Surface(select=("note",))],
    ids=repr,
)
def test_all_frames_of_a_replay_agree(lab: Lab, params: Surface) -> None:
    done = lab.replay(params)
    (row,) = done.summary().to_dict("records")
    scores, decisions, quotes = done.scores(), done.decisions(), done.quotes()
    sums = scores.groupby("metric").value.sum()
    assert set(sums.index) == set(SURFACE_METRICS)
    assert sums.to_dict() == pytest.approx({name: row[name] for name in SURFACE_METRICS})
    tools = done.tools()
    by_tool = scores.groupby(["tool", "metric"]).value.sum()
    for name in SURFACE_METRICS:
        assert tools[name].sum() == pytest.approx(row[name]), name
        of_tool = dict(zip(tools.tool, tools[name], strict=True))
        assert by_tool[:, name].to_dict() == pytest.approx(of_tool), name

    whole = decisions[decisions.form == "json"]
    assert (len(decisions), len(whole)) == (row["answers"], row["json_answers"])
    added = ["recorded_bytes", "canonical_bytes", "output_bytes", "kept_rows", "capped_rows"]
    added += ["dropped_rows", "cut_texts", "cut_names", "grown", "over_budget", "rows"]
    added += ["quotes", "witnesses", "lost_quotes", "lost_witnesses"]
    assert {name: whole[name].sum() for name in added} == {name: row[name] for name in added}
    assert (whole.lost_quotes > 0).sum() == row["lossy_answers"]
    assert (whole.lost_witnesses > 0).sum() == row["harmed_answers"]
    assert (whole.stubs > 0).sum() == row["stubs"]
    assert decisions.requery.notna().sum() == row["requeries"]
    assert set(decisions.requery.dropna()) == {"again", "narrower"}

    assert len(quotes) == row["quotes"]
    assert quotes.lost.sum() == row["lost_quotes"]
    assert (quotes.lost & quotes.is_witness).sum() == row["lost_witnesses"]
    assert set(quotes.kind) == {"id"}
    assert set(quotes.after) == {1, 2}
    assert not {"token", "text"} & set(quotes)  # what was said stays in the lab


def test_a_cell_of_a_sweep_is_a_replay(lab: Lab, swept: SurfaceSweep) -> None:
    frame = swept.frame()
    assert "9 cells over 24 transcripts" in repr(swept)
    for at, cell in enumerate(swept.table.cells):
        alone = lab.replay(cell.params).summary()
        numbers = list(SURFACE_METRICS)
        assert alone[numbers].iloc[0].to_dict() == frame[numbers].iloc[at].to_dict()
        assert swept.find(**cell.as_dict()) == at
        tools = swept.tools(**cell.as_dict()).set_index("tool")
        assert tools.saved_bytes.sum() == frame.saved_bytes[at]
        curves = swept.tool_curves()
        own = curves[(curves[list(NUMERIC)] == frame[list(NUMERIC)].iloc[at]).all(axis=1)]
        assert own.set_index("tool").saved_share.to_dict() == tools.saved_share.to_dict()
        assert own.set_index("tool").harmed_answers.to_dict() == tools.harmed_answers.to_dict()
    frame["grown"] = -1
    assert (swept.frame().grown >= 0).all()  # a frame given away changes nothing here
    tools = swept.tools()
    tools["grown"] = -1
    assert (swept.tools().grown >= 0).all()


def test_intervals_are_by_family_and_none_seen_is_no_bound_of_nothing(swept: SurfaceSweep) -> None:
    frame, table = swept.frame(), swept.table
    bands = share_bands(table.by_family("saved_bytes"), table.by_family("canonical_bytes")[0])
    assert np.array_equal(frame.low, bands.low, equal_nan=True)
    assert np.array_equal(frame.high, np.minimum(bands.high, 1), equal_nan=True)
    harmed, answers = table.by_family("harmed_answers"), table.by_family("json_answers")
    whole = [not any(getattr(cell.params, name) for name in NUMERIC) for cell in table.cells]
    assert any(whole)
    rare = upper_shares(harmed, answers[0])
    for i, row in enumerate(frame.itertuples()):
        found = part_interval(harmed[i], answers[i])
        assert row.harmed_share == found.value
        assert row.harmed_low == found.low
        if whole[i]:  # by what it is, not by what was seen: nothing can be lost
            assert row.harmed_high == row.lossy_high == 0
            continue
        assert np.array_equal(answers[i], answers[0])
        assert row.harmed_high == max(found.high, rare[i]) > row.harmed_share
    assert (frame[["high", "band_high"]].fillna(0) <= 1).all(axis=None)


def test_keys_known_by_hand(swept: SurfaceSweep) -> None:
    keys = swept.keys().set_index(["tool", "key"])
    card = BOARD, "state"  # without an array, keys are selected of the whole
    rows = {(LIST, "id"): 4 * LISTS, (LIST, "note"): 4 * LISTS, card: CARDS}
    assert keys.rows.to_dict() == rows
    assert keys.quotes.to_dict() == {(LIST, "id"): 32, (LIST, "note"): 0, card: 0}
    assert keys.witnesses[LIST, "id"] == 32
    assert keys.families[LIST, "id"] == 24
    assert keys.kept.to_dict() == {(LIST, "id"): True, (LIST, "note"): False, card: False}
    advice = swept.key_advice()
    assert (advice[LIST].status, advice[LIST].keys) == ("recommended", ("id",))
    assert advice[BOARD].status == "none"


def test_prices_known_by_hand(lab: Lab) -> None:
    lists = lab.sweep(Surface, tool=LIST, max_items=[0, 1, 3, 4])
    assert lists.prices((0, 7)).empty  # more than one row saves nothing, its record is longer
    frame = lists.prices((0, 8, 20))
    assert frame.allowed.tolist() == [8, 20]
    assert frame.max_items.tolist() == [1, 1]
    assert frame.saved_bytes.tolist() == [40 * LISTS] * 2
    assert frame.harmed_answers.tolist() == [8, 8]
    with pytest.raises(ParameterError, match="`allowed` must be harmed answers, 0 or more, got"):
        lists.prices((0, -1))


def test_prices_are_on_the_frontier(swept: SurfaceSweep) -> None:
    frame = swept.prices(range(0, 30))
    assert frame.frontier.all()
    assert frame.saved_bytes.is_monotonic_increasing
    assert (frame.harmed_answers <= frame.allowed).all()


# One tool, several, none --------------------------------------------------------------------------


def test_some_tools(lab: Lab) -> None:
    lists, cards = (lab.sweep(Surface, tool=t, max_items=[0, 1]) for t in (LIST, [BOARD]))
    both = lab.sweep(Surface, tool=[BOARD, LIST], max_items=[0, 1])
    assert lists.only == (LIST,)
    assert cards.only == (BOARD,)
    assert both.only is None
    for name in SURFACE_METRICS:
        parts = [sweep.frame()[name] for sweep in (lists, cards, both)]
        assert (parts[0] + parts[1]).tolist() == parts[2].tolist()
    assert len(cards.table.families) == 12  # those that looked at the board
    done = lab.replay(Surface(max_items=1), tool=BOARD)
    assert set(done.decisions().tool) == {BOARD}
    assert done.quotes().empty
    assert set(cards.keys().tool) == {BOARD}
    assert set(cards.key_advice()) == {BOARD}
    assert cards.prices().empty


@pytest.mark.parametrize("tool", ["tracker", ["mcp__board__get", "tracker"]])
def test_tools_that_are_not_there_are_answered_with_those_that_are(lab: Lab, tool: Any) -> None:
    for ask in (lambda: lab.sweep(Surface, tool=tool), lambda: lab.replay(Surface(), tool=tool)):
        with pytest.raises(ParameterError, match=f"one of {LIST}, {BOARD}, got 'tracker'"):
            ask()


# Sets of keys, knobs, figures ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sets"),
    [
        (("id", "note"), [("id", "note")]),
        ((), [()]),
        ([("id",), ("id", "note")], [("id",), ("id", "note")]),
        ([(), ["id"]], [(), ("id",)]),
    ],
)
def test_sets_of_keys_in_a_sweep(lab: Lab, given: Any, sets: list[tuple[str, ...]]) -> None:
    made = lab.sweep(Surface, select=given)
    assert [cell.params.select for cell in made.table.cells] == sets
    assert made.frame()["select"].tolist() == [", ".join(one) for one in sets]


def test_along_one_knob(lab: Lab, swept: SurfaceSweep) -> None:
    frame = lab.sweep(Surface, max_output_bytes=[0, 60, 200]).along_knob()
    assert frame.non_monotonic.tolist() == [0, 0, 0]
    with pytest.raises(ParameterError, match="sweep of max_items alone, got one of max_items, max"):
        swept.along_knob()
    with pytest.raises(ParameterError, match="a sweep of one knob with several values, got one"):
        lab.sweep(Surface, max_items=[3]).along_knob()
    with pytest.raises(ParameterError, match="alone, got one of select"):
        lab.sweep(Surface, select=[(), ("id",)]).along_knob()


@pytest.mark.parametrize("kind", [None, "frontier", "budget", "losses", "by_tool", "tools", "keys"])
def test_every_figure_is_drawn(lab: Lab, kind: str | None) -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert lab.sweep(Surface, max_items=[0, 1, 3]).plot(kind, ax) is ax
    assert ax.has_data()


def test_figures_that_cannot_be_drawn(swept: SurfaceSweep) -> None:
    with pytest.raises(ParameterError, match=r"`kind` must be one of frontier, budget, .*'pie'"):
        swept.plot("pie")
    with pytest.raises(ParameterError, match="needs a sweep of"):
        swept.plot("budget")


# Arguments that are wrong -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda lab: lab.replay(Surface(), tools="read"), "`tools` is an argument of Dedup alone"),
        (lambda lab: lab.replay(Surface(), proof="hunks"), "`proof` is an argument of Dedup alone"),
        (lambda lab: lab.replay(Surface(), guard=True), "`guard` is an argument of Dedup alone"),
        (lambda lab: lab.replay(Surface(), graph="git"), "`graph` is an argument of Recall alone"),
        (lambda lab: lab.replay(tool=LIST), "`tool` is an argument of Surface alone, got 'track"),
        (lambda lab: lab.replay(ctxlab.Recall(), tool=LIST), "`tool` is an argument of Surface"),
        (lambda lab: lab.sweep(tool=LIST), "`tool` is an argument of Surface alone"),
        (lambda lab: lab.sweep(ctxlab.Recall, tool=LIST), "`tool` is an argument of Surface alone"),
        (
            lambda lab: lab.recommend_by_tool(lab.sweep(ctxlab.Dedup, min_covered_lines=8)),
            "`sweep` must be a sweep of Surface, got <DedupSweep",
        ),
        (lambda lab: lab.sweep(Surface, tools=["read"]), "`tools` is an argument of Dedup alone"),
        (lambda lab: lab.sweep(Surface, graph="git"), "`graph` is an argument of Recall alone"),
        (lambda lab: lab.sweep(Surface, base=ctxlab.Dedup()), "`base` must be a Surface, got Dedu"),
        (
            lambda lab: lab.sweep(Surface, luck=1),
            "Surface has no parameter `luck`; it has max_item",
        ),
        (lambda lab: lab.sweep(Surface, view_calls=8), "Surface has no parameter `view_calls`"),
        (lambda lab: lab.sweep(Surface, max_items=[-1]), "`max_items` must be in [0, 1000000000]"),
        (lambda lab: lab.sweep(Surface, max_items=[]), "`max_items` needs at least one value"),
        (lambda lab: lab.sweep(Surface, select=[]), "`select` needs at least one value"),
        (lambda lab: lab.sweep(Surface, select="id"), "`select` must be a tuple of texts such as"),
        (lambda lab: Surface(select="id"), "`select` must be a tuple of texts such as ('id',), go"),
        (
            lambda lab: lab.sweep(Surface, select=["id", "note"]),
            "`select` takes tuples of texts, a list is of several: write [('id', 'note')] for one "
            "or [('id',), ('note',)] for one of each, got ['id', 'note']",
        ),
        (lambda lab: lab.sweep(Surface, filters=("id",)), "invalid --filter expression 'id'"),
        (
            lambda lab: lab.recommend(lab.sweep(Surface), objective="net_bytes"),
            "`objective` must be one of saved_bytes, priced_bytes, got 'net_bytes'",
        ),
        (lambda lab: lab.recommend(lab.sweep(Surface), constraint=-1), "must be 0 or more, got -1"),
        (
            lambda lab: lab.recommend(lab.sweep(Surface)).export("mushroomdb"),
            "`target` mushroomdb takes parameters of Recall, got Surface",
        ),
        (
            lambda lab: lab.recommend(lab.sweep(min_covered_lines=8)).export("sqlite-graphrag"),
            "`target` sqlite-graphrag takes parameters of Surface, got Dedup",
        ),
    ],
)
def test_what_cannot_be_asked(lab: Lab, ask: Callable[[Lab], Any], message: str) -> None:
    with pytest.raises(ParameterError) as raised:
        ask(lab)
    assert message in str(raised.value)


@pytest.mark.parametrize("policy", [ctxlab.Dedup, ctxlab.Recall, Surface])
@pytest.mark.parametrize("given", [1, [1], [[1]], None])
def test_a_name_of_no_parameter_is_told_whatever_its_value(
    lab: Lab, policy: Any, given: Any
) -> None:
    with pytest.raises(ParameterError, match=f"{policy.__name__} has no parameter `max_item`; it"):
        lab.sweep(policy, max_item=given)


def test_a_sweep_of_other_transcripts_is_refused(lab: Lab, tmp_path: Path) -> None:
    Session("stranger").prompt().runs("tracker list", "[]").write(tmp_path / "a.jsonl")
    with ctxlab.open() as other:
        other.ingest(tmp_path / "a.jsonl")
        theirs = other.sweep(Surface)
    for ask in (lab.recommend, lab.recommend_by_tool):
        with pytest.raises(ParameterError, match="of other transcripts than this lab holds"):
            ask(theirs)


def test_overloads_give_each_policy_its_own() -> None:
    returned = {
        method.__name__: [each.__annotations__["return"] for each in get_overloads(method)]
        for method in (Lab.replay, Lab.sweep, Lab.recommend)
    }
    assert [names[-1] for names in returned.values()] == [
        "SurfaceReplay",
        "SurfaceSweep",
        "Recommendation[SurfaceChoice]",
    ]


# Recommendations ----------------------------------------------------------------------------------


def test_a_limit_is_recommended_where_the_harm_is_allowed(lab: Lab, tmp_path: Path) -> None:
    lists = lab.sweep(Surface, tool=LIST, max_items=[0, 1, 3])
    found = lab.recommend(lists, constraint=4)  # 4 of the first 12 families, 4 of the last
    assert (found.status, found.params) == ("recommended", Surface(max_items=1))
    judged = found.certificate["result"]["judged_on"]
    assert (judged["answers"], judged["changed_answers"], judged["harmed_answers"]) == (12, 12, 4)
    assert judged["saved_bytes"] == 12 * 40
    assert found.certificate["policy"] == "surface"
    assert found.certificate["data"]["tools"] == [LIST]
    assert found.certificate["data"]["json_answers"] == LISTS
    assert found.certificate["method"]["harmed_answers_allowed"] == 4
    script, content = found.export("sqlite-graphrag", tmp_path)
    assert "sqlite-graphrag config set agent_surface.max_items 1\n" in script.read_text()
    assert json.loads(content.read_text())["settings"] == {"agent_surface.max_items": 1}

    none = lab.recommend(lists, constraint=3)
    assert (none.status, none.params) == ("none", None)
    assert "at the least 4 harmed answers on the earlier transcripts, 3 al" in none.reasons[0]
    only = lab.recommend(lab.sweep(Surface, tool=LIST, max_items=1), constraint=3)
    assert "it removes what was used later: 4 harmed answers on the ear" in only.reasons[0]
    assert none.certificate["data"]["transcripts"] == 24


def test_each_tool_by_itself_is_the_same_as_alone(lab: Lab) -> None:
    grid = {"max_items": [0, 1, 3]}
    each = lab.recommend_by_tool(lab.sweep(Surface, **grid), constraint=4)
    alone = lab.recommend(lab.sweep(Surface, tool=LIST, **grid), constraint=4)
    assert list(each) == [LIST, BOARD]
    assert each[LIST].params == alone.params == Surface(max_items=1)
    assert each[LIST].certificate["result"] == alone.certificate["result"]
    assert each[BOARD].params is None
    both = lab.recommend(lab.sweep(Surface, **grid), constraint=8)
    assert both.params is None  # what lists save, cards take more of
    by_tool = both.certificate["by_tool"]
    assert by_tool[LIST]["parameters"]["max_items"] == 1
    assert by_tool[BOARD]["parameters"] is None


def test_the_main_job(lab: Lab) -> None:
    tuned = lab.tune_surface()
    assert set(tuned.knobs) == set(NUMERIC)
    for name, sweep in tuned.knobs.items():
        assert sweep.frame()[name].tolist() == list(Surface.params()[name].sweep)
    assert len(tuned.choices.frame()) == 9 * 8 * 10
    assert tuned.recommended.status == "none"
    assert list(tuned.by_tool) == [LIST, BOARD]
    assert tuned.tools().saved_bytes.tolist() == [0, 0]
    assert tuned.key_advice[LIST].keys == ("id",)


# Labs with little in them -------------------------------------------------------------------------


def test_an_empty_lab() -> None:
    with ctxlab.open() as empty:
        asks = (lambda: empty.replay(Surface()), lambda: empty.sweep(Surface), empty.tune_surface)
        for ask in asks:
            with pytest.raises(InputError, match="ingest transcripts"):
                ask()


def test_no_answer_in_json(tmp_path: Path) -> None:
    Session("one").prompt().runs("ls", "a.py").read("/project/a.py").write(tmp_path / "a.jsonl")
    with ctxlab.open() as lone:
        lone.ingest(tmp_path / "a.jsonl")
        row = lone.replay(Surface(max_items=1)).summary().iloc[0]
        assert {name: row[name] for name in SURFACE_METRICS} == dict.fromkeys(SURFACE_METRICS, 0)
        shares = [name for name in row.index if name.endswith(("share", "low", "high", "recorded"))]
        assert row[shares].isna().all()
        made = lone.sweep(Surface, max_items=[0, 1])
        assert made.tools().empty
        assert made.tool_curves().empty
        assert made.keys().empty
        assert made.prices().empty
        assert set(made.tools()) == set(lone.sweep(Surface).tools())
        assert lone.recommend(made).status == "none"
        assert lone.recommend_by_tool(made) == {}
        tuned = lone.tune_surface()
        assert tuned.recommended.params is None
        with pytest.raises(ParameterError, match="invalid --filter expression 'id'"):
            lone.replay(Surface(filters=("id",)))
        with pytest.raises(ParameterError, match="one of none, for no tool answers in JSON, got"):
            lone.sweep(Surface, tool=LIST)


def test_one_family(tmp_path: Path) -> None:
    with ctxlab.open() as lone:
        lone.ingest(write_answers(tmp_path, 1))
        row = lone.replay(Surface(max_items=1)).summary().iloc[0]
        assert (row.json_answers, row.harmed_answers) == (3, 1)
        assert np.isnan([row.low, row.high, row.harmed_low]).all()
        found = lone.recommend(lone.sweep(Surface, max_items=[0, 1]), constraint=9)
        assert found.params is None
        assert "these logs cannot tell" in found.reasons[0]


def test_families_without_dates(tmp_path: Path) -> None:
    for path in write_answers(tmp_path).glob("*.jsonl"):
        records = [json.loads(line) for line in path.read_text().splitlines()]
        for record in records:
            record["timestamp"] = "some day"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    with ctxlab.open() as timeless:
        timeless.ingest(tmp_path)
        row = timeless.replay(Surface(max_items=1)).summary().iloc[0]
        assert {name: row[name] for name in ONE_ROW} == ONE_ROW
        found = timeless.recommend(timeless.sweep(Surface, max_items=[0, 1]), constraint=9)
        assert found.params is None
        assert "24 have no date in their log" in found.reasons[0]


def test_dedup_and_recall_go_on_beside_it(lab: Lab) -> None:
    before = lab.replay().summary()
    lab.replay(Surface())
    assert lab.replay().summary().equals(before)
    assert lab.replay(ctxlab.Recall()).summary().prompts[0] == 24
    assert row_of("x") == {"id": "x", "note": "as it is"}


def test_of_many_tools_those_of_a_like_name_are_told_first(tmp_path: Path) -> None:
    session = Session("s").prompt()
    for name in ("z", *(f"many_{i:02}" for i in range(20)), "board_get"):
        session.call(f"mcp__{name}", {}, compact({"items": [row_of("AB-1000")]}))
    session.write(tmp_path / "s.jsonl")
    with ctxlab.open() as opened:
        opened.ingest(tmp_path)
        with pytest.raises(ParameterError, match=r"one of mcp__board_get, .* and 10 more, got 'bo"):
            opened.replay(Surface(), tool="board")
        with pytest.raises(ParameterError, match=r"one of mcp__many_07, .* and 10 more, got 'mcp"):
            opened.replay(Surface(), tool="mcp_many_07")


def test_one_setting_is_compared_with_no_other(lab: Lab) -> None:
    columns = list(lab.sweep(Surface, max_items=3).frame())
    assert list(lab.replay(Surface(max_items=3)).summary()) == columns[:-1]
    assert columns[-1] == "frontier"
