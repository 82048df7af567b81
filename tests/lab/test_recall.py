"""Recall through the lab: replays, sweeps, recommendations, the main job, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_overloads

import numpy as np
import pandas as pd
import pytest

import ctxlab
from ctxlab.errors import InputError, ParameterError
from ctxlab.estimate import part_interval
from ctxlab.lab import Lab, RecallSweep
from ctxlab.recall.facts import QUESTION_KINDS
from ctxlab.recall.graph import Node
from ctxlab.recall.jsongraph import Dated, write_graph
from ctxlab.recall.params import FLOORS, PROFILES, Recall
from ctxlab.replay import RECALL_METRICS
from tests.sessions import Session, write_logs, write_prompts


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("lab")
    with ctxlab.open(folder / "lab") as opened:
        opened.ingest(write_prompts(folder / "logs"))
        yield opened


@pytest.fixture(scope="module")
def swept(lab: Lab) -> RecallSweep:
    return lab.sweep(Recall, min_hit_score=[0.05, 1, 14], max_hits=[2, 6])


SHARES = {
    "fire_share": ("fires", "prompts"),
    "used_fire_share": ("used_fires", "fires"),
    "precision": ("used_pointers", "pointers"),
    "told_share": ("told_pointers", "pointers"),
    "named_share": ("named_pointers", "pointers"),
    "averted_share": ("averted_pointers", "pointers"),
    "repeat_share": ("repeats", "pointers"),
    "used_share": ("used_pointers", "used_candidates"),
    "nothing_right_share": ("nothing_right", "prompts"),
    "missed_share": ("missed", "prompts"),
    "reached_share": ("reached_files", "used_files"),
    "chance_share": ("unrelated_used_pointers", "unrelated_pointers"),
    "false_fire_unrelated": ("unrelated_fires", "unrelated_questions"),
    "false_fire_joined": ("joined_fires", "joined_questions"),
    "false_fire_absent": ("absent_fires", "absent_questions"),
    "bytes_per_fire": ("output_bytes", "fires"),
    "bytes_per_prompt": ("output_bytes", "prompts"),
}


def is_share(value: float, part: float, whole: float) -> bool:
    return bool(np.isnan(value)) if whole == 0 else value == part / whole


# Frames -------------------------------------------------------------------------------------------


def test_replay_scores_and_decisions_agree(lab: Lab) -> None:
    done = lab.replay(Recall(max_hits=3))
    summary, decisions, scores = done.summary(), done.decisions(), done.scores()
    (row,) = summary.to_dict("records")
    sums = scores.groupby("metric").value.sum()
    assert set(sums.index) == set(RECALL_METRICS)
    assert all(sums[name] == row[name] for name in RECALL_METRICS)
    assert len(scores) == len(RECALL_METRICS) * 24

    asked = decisions[decisions.kind == "asked"]
    assert len(asked) == row["prompts"] == 45
    assert asked.fires.sum() == row["fires"]
    assert asked.pointers.sum() == row["pointers"]
    assert asked.used_pointers.sum() == row["used_pointers"]
    assert asked.output_bytes.sum() == row["output_bytes"]
    assert (asked.output_bytes * asked.requests).sum() == row["carried_bytes"]
    assert (asked.terms > 0).sum() == row["with_identifier"]
    assert asked.score.notna().sum() == row["matched"]
    for kind in QUESTION_KINDS[1:]:
        of_kind = decisions[decisions.kind == kind]
        assert len(of_kind) == row[f"{kind}_questions"] > 0
        assert of_kind.fires.sum() == row[f"{kind}_fires"]
        assert not of_kind.used.any()
    assert (decisions.pointers <= 3).all()
    assert (decisions.output_bytes > 0).equals(decisions.fires)


def test_pointers_are_those_that_the_summary_counts(lab: Lab) -> None:
    for params in (Recall(), Recall(max_hits=3, suppress_repeats=True), Recall(min_hit_score=14)):
        done = lab.replay(params)
        pointers, decisions = done.pointers(), done.decisions()
        (row,) = done.summary().to_dict("records")
        asked = pointers[pointers.kind == "asked"]
        assert len(asked) == row["pointers"]
        assert (asked.used & ~asked.named).sum() == row["told_pointers"]
        assert (asked.used & asked.named).sum() == row["named_used_pointers"]
        for name in ("used", "named", "averted"):
            assert asked[name].sum() == row[f"{name}_pointers"], name
        assert asked.repeat.sum() == row["repeats"]
        unrelated = pointers[pointers.kind == "unrelated"]
        assert len(unrelated) == row["unrelated_pointers"]
        assert unrelated.used.sum() == row["unrelated_used_pointers"]
        assert not pointers[pointers.kind.isin(["joined", "absent"])].used.any()
        assert (pointers.used == (pointers.opened | pointers.edited | pointers.quoted)).all()
        assert pointers["rank"].between(1, params.max_hits).all()

        place = ["kind", "transcript", "project", "prompt"]
        lines = asked.groupby(place).bytes.agg(["size", "sum"])
        fires = decisions[decisions.fires & (decisions.kind == "asked")].set_index(place)
        assert lines["size"].to_dict() == fires.pointers.to_dict()
        assert (lines["sum"] < fires.output_bytes.reindex(lines.index)).all()
        first = ["transcript", "node"]
        assert (asked[asked.repeat].duplicated(first, keep=False) | params.suppress_repeats).all()


def test_shares_are_sums_over_sums_and_null_without_a_denominator(swept: RecallSweep) -> None:
    frame = swept.frame()
    assert len(frame) == 6
    for row in frame.to_dict("records"):
        for name, (part, whole) in SHARES.items():
            assert is_share(row[name], row[part], row[whole]), name
    last = frame[frame.min_hit_score == 14].iloc[0]
    assert last.fires == 0
    assert np.isnan([last.precision, last.low, last.high, last.bytes_per_fire]).all()
    assert (last.fire_share, last.bytes_per_prompt, last.used_share) == (0, 0, 0)
    rate = swept.survey.tokens.bytes_per_token
    assert (frame.tokens_per_fire * rate).dropna().tolist() == pytest.approx(
        frame.bytes_per_fire.dropna().tolist()
    )
    told = frame.carried_tokens_per_fire * rate * frame.fires
    assert told.dropna().tolist() == pytest.approx(frame.priced_bytes[told.notna()].tolist())


def test_precision_has_its_interval_by_family(swept: RecallSweep) -> None:
    for i, row in enumerate(swept.frame().itertuples()):
        used, printed = (swept.table.by_family(n)[i] for n in ("used_pointers", "pointers"))
        found = part_interval(used, printed)
        if printed.sum():
            assert (row.low, row.precision, row.high) == (found.low, found.value, found.high)
            assert 0 <= found.low <= found.value <= found.high <= 1  # type: ignore[operator]


def test_nothing_is_measured_of_a_lone_project_without_a_graph(tmp_path: Path) -> None:
    Session("one", cwd="/src/pumps").prompt("start_pump").says("x").write(tmp_path / "a.jsonl")
    with ctxlab.open() as lone:
        lone.ingest(tmp_path / "a.jsonl")
        row = lone.replay(Recall()).summary().iloc[0]
        assert (row.prompts, row.with_identifier, row.matched, row.fires) == (1, 1, 0, 0)
        assert row.nothing_right_share == 1
        nulls = ["precision", "used_share", "repeat_share", "bytes_per_fire", "low", "high"]
        nulls += [f"false_fire_{kind}" for kind in QUESTION_KINDS[1:]]
        assert row[nulls].isna().all()
        assert lone.tune_recall().recommended.status == "none"


def test_a_cell_of_a_sweep_is_a_replay(lab: Lab, swept: RecallSweep) -> None:
    frame = swept.frame()
    for at, cell in enumerate(swept.table.cells):
        alone = lab.replay(cell.params).summary().iloc[0]
        assert alone.equals(frame.iloc[at].rename(0)), cell
        assert swept.find(**cell.as_dict()) == at
    frame["fires"] = -1
    assert (swept.frame().fires >= 0).all()  # a frame given away changes nothing here
    assert "6 cells over 24 transcripts" in repr(swept)
    assert len(swept.scores()) == 6 * 24 * len(RECALL_METRICS)
    with pytest.raises(ParameterError, match=r"the sweep has no cell with .*'max_hits': 5"):
        swept.find(max_hits=5)


def test_prompts_leaks_and_graphs(swept: RecallSweep) -> None:
    prompts, graphs = swept.prompts(), swept.graphs()
    assert set(prompts.project) == {"pumps", "valves"} == set(graphs.project)
    assert prompts.groupby("project").size().to_dict() == {"pumps": 37, "valves": 8}
    assert graphs.set_index("project").prompts.to_dict() == {"pumps": 37, "valves": 8}
    assert prompts.attrs["auc"][0] == swept.signal().within.value
    assert not prompts.iloc[0].used  # nothing was known yet
    leaks = swept.leaks()
    assert leaks.prompts.is_monotonic_decreasing
    assert leaks.iloc[0].to_dict() == {
        "term": "item",
        "kind": "let through",
        "class": "quoted word",
        "prompts": 16,
        "matched": 16,
    }
    leaks["prompts"] = 0
    assert swept.leaks().prompts.any()


def test_precision_and_recall_at_floors_are_those_of_replays(lab: Lab, swept: RecallSweep) -> None:
    frame = swept.precision_recall()
    assert frame.shipped.sum() == 1
    params = swept.table.cells[0].params
    for row in frame.itertuples():
        alone = lab.replay(Recall(**{**params.as_dict(), "min_hit_score": row.floor})).summary()
        assert row.pointers == alone.pointers[0]
        assert row.used_pointers == alone.used_pointers[0]
    first = frame.iloc[0]
    assert frame.attrs["base_rate"] == first.used_pointers / first.pointers
    assert first.recall == 1
    assert frame.attrs["base_rate"] < frame.attrs["average_precision"] <= 1


@pytest.mark.parametrize(
    ("kind", "grid"),
    [
        (None, {"min_hit_score": [0.05, 1, 4]}),
        ("floor", {"min_hit_score": [0.05, 1, 4]}),
        ("precision", {}),
        ("budget", {"max_hits": [1, 6], "max_output_bytes": [200, 1200]}),
        ("scores", {}),
        ("leaks", {}),
    ],
)
def test_every_figure_is_drawn(lab: Lab, kind: str | None, grid: dict[str, Any]) -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert lab.sweep(Recall, **grid).plot(kind, ax) is ax
    assert ax.has_data()


def test_figures_that_cannot_be_drawn(lab: Lab) -> None:
    both = lab.sweep(Recall, min_hit_score=[0.05, 1], max_hits=[1, 6])
    with pytest.raises(ParameterError, match=r"`kind` must be one of floor, precision, .*'pie'"):
        both.plot("pie")
    needs = (
        r"this figure needs a sweep of {} alone, got one of {}: sweep {}, as lab.sweep\(…, {}=\["
    )
    for kind, names, first in (
        (None, "min_hit_score", "min_hit_score"),
        ("budget", "max_hits and max_output_bytes", "max_hits"),
    ):
        said = needs.format(names, "min_hit_score, max_hits", names, first)
        with pytest.raises(ParameterError, match=said):
            both.plot(kind)
    floors = lab.sweep(Recall, min_hit_score=[0.05, 1])
    with pytest.raises(ParameterError, match=r"sweep of max_hits and .* got one of min_hit_score:"):
        floors.plot("budget")
    for kind in ("precision", "scores", "leaks"):  # these look at all that was found
        assert both.plot(kind).figure is not None


def test_a_replay_of_nothing_given_is_dedup(lab: Lab) -> None:
    assert "min_covered_lines" in lab.replay().summary()
    assert "min_hit_score" in lab.replay(Recall()).summary()


# Arguments that are wrong -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda lab: lab.replay(Recall(), tools="read"), "`tools` is an argument of Dedup alone"),
        (lambda lab: lab.replay(Recall(), proof="hunks"), "`proof` is an argument of Dedup alone"),
        (lambda lab: lab.replay(Recall(), guard=False), "`guard` is an argument of Dedup alone"),
        (lambda lab: lab.replay(graph="git"), "`graph` is an argument of Recall alone, got 'git'"),
        (
            lambda lab: lab.replay(Recall),
            "`params` must be a Dedup, Recall or Surface, such as Dedup()",
        ),
        (
            lambda lab: lab.replay({}),
            "`params` must be a Dedup, Recall or Surface, such as Dedup(), got {}",
        ),
        (lambda lab: lab.sweep(Recall, tools=["read"]), "`tools` is an argument of Dedup alone"),
        (lambda lab: lab.sweep(Recall, proof="hunks"), "`proof` is an argument of Dedup alone"),
        (lambda lab: lab.sweep(graph="git"), "`graph` is an argument of Recall alone"),
        (lambda lab: lab.sweep(Recall, base=ctxlab.Dedup()), "`base` must be a Recall, got Dedup("),
        (lambda lab: lab.sweep(base=Recall()), "`base` must be a Dedup, got Recall("),
        (lambda lab: lab.sweep(Recall()), "`policy` must be Dedup, Recall or Surface, got Recall("),
        (lambda lab: lab.sweep(Recall, luck=1), "Recall has no parameter `luck`; it has min_hit"),
        (lambda lab: lab.sweep(Recall, min_covered_lines=8), "no parameter `min_covered_lines`"),
        (lambda lab: lab.sweep(Recall, min_hit_score=15), "must be in [0, 14] BM25, got 15"),
        (lambda lab: lab.sweep(Recall, max_hits=[]), "`max_hits` needs at least one value"),
        (
            lambda lab: lab.sweep(Recall, gate=["identifier", "coverage"]),
            "and `max_excerpt_bytes` must have one value in a sweep: sweep each value by itself",
        ),
        (lambda lab: lab.recommend("x"), "`sweep` must be what `lab.sweep` gives, got 'x'"),
        (
            lambda lab: lab.recommend(lab.sweep(Recall, min_hit_score=[1, 2])),
            "`sweep` must hold the shipped default, to compare with: add min_hit_score 0.05, max_h",
        ),
        (
            lambda lab: lab.recommend(lab.sweep(Recall, base=PROFILES["mushroomdb 0.7"])),
            "`sweep` must be of gate 'identifier': the coverage gate has no score",
        ),
        (lambda lab: lab.recommend(lab.sweep(Recall), keep=1), "`keep` must be in (0, 1), got 1"),
        (lambda lab: lab.recommend(lab.sweep(Recall), keep=0), "`keep` must be in (0, 1), got 0"),
        (
            lambda lab: lab.recommend(lab.sweep(Recall)).export("emacs"),
            "`target` must be one of codegraph, json, mushroomdb, sqlite-graphrag, got",
        ),
        (
            lambda lab: lab.recommend(lab.sweep(Recall)).export("codegraph"),
            "`target` codegraph takes parameters of Dedup, got Recall",
        ),
        (
            lambda lab: lab.recommend(lab.sweep(min_covered_lines=8)).export("mushroomdb"),
            "`target` mushroomdb takes parameters of Recall, got Dedup",
        ),
    ],
)
def test_what_cannot_be_asked(lab: Lab, ask: Callable[[Lab], Any], message: str) -> None:
    with pytest.raises(ParameterError) as raised:
        ask(lab)
    assert message in str(raised.value)


def test_a_sweep_of_other_transcripts_is_refused(lab: Lab, tmp_path: Path) -> None:
    with ctxlab.open() as other:
        other.ingest(write_prompts(tmp_path / "logs", 3))
        theirs = other.sweep(Recall)
    with pytest.raises(ParameterError, match="is of other transcripts than this lab holds"):
        lab.recommend(theirs)


def test_stores_without_anything_to_look_up(tmp_path: Path) -> None:
    with ctxlab.open(tmp_path / "lab") as empty:
        for ask in (lambda: empty.replay(Recall()), lambda: empty.sweep(Recall), empty.tune_recall):
            with pytest.raises(InputError, match="ingest transcripts"):
                ask()
        Session("one").read("/a.py").write(tmp_path / "a.jsonl")
        empty.ingest(tmp_path / "a.jsonl")
        with pytest.raises(InputError, match="no transcript holds a prompt to look up"):
            empty.replay(Recall())
        assert empty.replay().summary().calls[0] == 1


@pytest.mark.parametrize("graph", ["nowhere", Path("nowhere"), "git"])
def test_graphs_that_are_none(lab: Lab, graph: str | Path) -> None:
    for ask in (lab.replay, lab.sweep):
        with pytest.raises(
            InputError, match=r"no graph at 'nowhere'|that is still in a git reposit"
        ):
            ask(Recall() if ask == lab.replay else Recall, graph=graph)  # type: ignore[call-overload]
    with pytest.raises(InputError):
        lab.tune_recall(graph=graph)


def test_overloads_give_each_policy_its_own() -> None:
    returned = {
        method.__name__: [each.__annotations__["return"] for each in get_overloads(method)]
        for method in (Lab.replay, Lab.sweep, Lab.recommend)
    }
    assert returned == {
        "replay": ["DedupReplay", "RecallReplay", "SurfaceReplay"],
        "sweep": ["DedupSweep", "RecallSweep", "SurfaceSweep"],
        "recommend": [
            f"Recommendation[{choice}]" for choice in ("Choice", "FloorChoice", "SurfaceChoice")
        ],
    }


# Recommendations ----------------------------------------------------------------------------------


def test_a_floor_is_recommended_where_it_keeps_what_was_used(lab: Lab, tmp_path: Path) -> None:
    made = lab.sweep(Recall, min_hit_score=[0.05, 1, 2, 14])
    found = lab.recommend(made, keep=0.5)
    assert found.status == "recommended"
    assert found.params == Recall(min_hit_score=1)
    assert repr(found).startswith("<Recommendation: Recall(min_hit_score=1")
    certificate = found.certificate
    assert certificate["policy"] == "recall"
    assert certificate["method"]["keep_used_pointers_share"] == 0.5
    assert certificate["method"]["families_with_use_needed_in_each_half"] == 5
    assert certificate["data"]["graph"] == "history"
    assert certificate["data"]["prompts"] == 45
    assert {row["project"] for row in certificate["data"]["graphs"]} == {"pumps", "valves"}
    assert certificate["signal"]["within"]["low"] > 0.5
    assert any("task quality" in caveat for caveat in certificate["caveats"])
    judged = certificate["result"]["judged_on"]
    assert judged["used"] == judged["shipped_used"]
    (path,) = found.export("mushroomdb", tmp_path)
    content = json.loads(path.read_text())
    assert content["constants"]["MIN_HIT_SCORE"] == 1
    assert content["differ_from_shipped"] == ["MIN_HIT_SCORE"]
    (path,) = found.export("json", tmp_path)
    assert json.loads(path.read_text())["parameters"]["min_hit_score"] == 1


def test_too_few_families_are_told(lab: Lab) -> None:
    found = lab.recommend(lab.sweep(Recall, min_hit_score=[0.05, 1]))
    assert (found.status, found.params) == ("none", None)
    assert "takes 59 families that used one in each half" in found.reasons[0]
    assert found.certificate["method"]["families_with_use_needed_in_each_half"] == 59


def test_no_signal_no_floor(tmp_path: Path) -> None:
    """Each prompt is used in every other family, whatever it scores."""
    for day in range(24):
        session = Session(f"s{day:02}", day, cwd="/src/pumps")
        session.shows("/src/pumps/pump.py", "def start_pump():", "def stop_item():", "def item():")
        session.prompt("start_pump").says("pump.py" if day % 2 else "no")
        session.prompt("`item`").says("pump.py" if day % 2 == 0 else "no")
        session.write(tmp_path / f"{day}.jsonl")
    with ctxlab.open() as lab:
        lab.ingest(tmp_path)
        found = lab.recommend(lab.sweep(Recall, min_hit_score=[0.05, 1, 2]), keep=0.5)
    assert found.params is None
    assert "carries no signal that these logs can show" in found.reasons[0]


def test_prompts_without_a_graph_recommend_nothing(lab: Lab, tmp_path: Path) -> None:
    late = write_graph(
        [Dated(Node("File", "pump.py", {"path": "pump.py"}), since_ms=10**15)],
        tmp_path / "g.json",
        store_label="pumps",
    )
    with pytest.raises(InputError, match="no prompt comes after this graph was made"):
        lab.sweep(Recall, graph=late)


def test_the_main_job(lab: Lab) -> None:
    tuned = lab.tune_recall()
    declared = Recall.params()
    assert tuned.graph == "history"
    assert tuned.floors.frame().min_hit_score.tolist() == list(declared["min_hit_score"].sweep)
    for sweep, name in zip(tuned.relative, FLOORS[1:], strict=True):
        frame = sweep.frame()
        assert frame[name].tolist() == list(declared[name].sweep)
        assert frame.fires.is_monotonic_decreasing
        assert frame.iloc[0].fires == 43  # nothing was known at the first prompt of each project
    both = tuned.repeats.frame().set_index("suppress_repeats")
    assert both.repeats.to_dict() == {False: both.repeats[False], True: 0}
    assert (tuned.later.frame().gate == "coverage").all()
    assert len(tuned.budgets.frame()) == 12 * 9
    assert tuned.recommended.status == "none"
    assert tuned.leaks.equals(tuned.floors.leaks())
    assert tuned.signal == tuned.floors.signal()
    assert Recall() in [cell.params for cell in tuned.choices.table.cells]


def test_dedup_goes_on_beside_it(tmp_path: Path) -> None:
    with ctxlab.open() as both:
        both.ingest(write_logs(tmp_path / "a", 4), write_prompts(tmp_path / "b", 4))
        before = both.replay().summary()
        both.replay(Recall())
        pd.testing.assert_frame_equal(both.replay().summary(), before)
        assert set(both.replay(Recall()).decisions().project) == {"project", "pumps", "valves"}
