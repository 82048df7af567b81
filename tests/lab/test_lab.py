from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ctxlab
from ctxlab.errors import InputError, ParameterError, StoreError
from ctxlab.lab import Lab
from ctxlab.lab._corpus import tool_kinds
from ctxlab.replay import METRICS
from tests.sessions import Session, write_logs


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("lab")
    with ctxlab.open(folder / "lab") as opened:
        opened.ingest(write_logs(folder / "logs"))
        yield opened


def test_replay_scores_and_decisions_agree(lab: Lab) -> None:
    done = lab.replay(ctxlab.Dedup(min_covered_lines=4))
    summary, decisions, scores = done.summary(), done.decisions(), done.scores()
    assert summary.guard.tolist() == [False, True]  # it would undo every full pointer of Read
    sums = scores.groupby("metric").value.sum()
    assert set(sums.index) == set(METRICS)
    first = summary.iloc[0]
    for name in METRICS:
        assert sums[name] == first[name], name
    for name in ("touched_bytes", "withheld_bytes", "folded_bytes", "pointer_bytes"):
        assert decisions[name].sum() == first[name], name
    assert (decisions.harm != "none").sum() == first.harmful_pointers
    assert set(decisions.tool_kind) == {"read"}
    assert first.net_share == first.net_bytes / first.touched_bytes
    assert first.low <= first.net_share <= first.high
    # The last line of a result has no newline, but counts one among the touched bytes.
    assert first.net_share_of_results == pytest.approx(first.net_share, rel=0.01)
    per_transcript = scores[scores.metric == "calls"].groupby("transcript").value.sum()
    assert len(per_transcript) == 27


def test_a_cell_of_a_sweep_is_a_replay(lab: Lab) -> None:
    swept = lab.sweep(ctxlab.Dedup, min_covered_lines=np.arange(3, 6), view_calls=[1, None])
    frame = swept.frame()
    assert len(frame) == 6
    for row in frame.itertuples():
        view = None if pd.isna(row.view_calls) else int(row.view_calls)
        alone = lab.replay(
            ctxlab.Dedup(min_covered_lines=int(row.min_covered_lines), view_calls=view)
        )
        assert alone.summary().net_bytes[0] == row.net_bytes
    frame["net_bytes"] = 0
    assert swept.frame().net_bytes.any()  # a frame given away changes nothing here
    assert len(swept.scores()) == 6 * 27 * len(METRICS)
    assert "6 cells over 27 transcripts" in repr(swept)


def test_transcripts_of_one_cell(lab: Lab) -> None:
    swept = lab.sweep(min_covered_lines=[4, 8], view_calls=None)
    rows = swept.transcripts(min_covered_lines=8)
    assert rows.touched_bytes.gt(0).all()
    assert rows.net_bytes.sum() == swept.frame().net_bytes[1]
    with pytest.raises(ParameterError, match=r"the sweep has no cell with .*9"):
        swept.transcripts(min_covered_lines=9)
    with pytest.raises(ParameterError, match=r"`kind` must be one of .*, got 'pie'"):
        swept.plot("pie")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda lab: lab.replay(tools=["reed"]), "`tools` must be among read, .*, got 'reed'"),
        (lambda lab: lab.replay(tools=[]), "`tools` needs at least one of read"),
        (lambda lab: lab.replay(proof="faith"), "`proof` must be one of line_text, hunks, whole"),
        (lambda lab: lab.sweep(proof="faith"), "`proof` must be one of"),
        (lambda lab: lab.sweep(min_covered_lines=0), r"must be in \[1, 64\] lines, got 0"),
        (lambda lab: lab.sweep(min_covered_lines=8.5), "must be a whole number in .*, got 8.5"),
        (lambda lab: lab.sweep(min_covered_lines=[]), "needs at least one value to sweep over"),
        (lambda lab: lab.sweep(luck=1), "Dedup has no parameter `luck`; it has min_covered_lines"),
        (
            lambda lab: lab.sweep(int),
            "`policy` must be Dedup, Recall or Surface, got <class 'int'>",
        ),
        (
            lambda lab: lab.recommend(lab.sweep(min_covered_lines=8), objective="x"),
            "`objective` must be one of net_bytes, withheld_bytes, got 'x'",
        ),
        (
            lambda lab: lab.recommend(lab.sweep(min_covered_lines=8), constraint=-1),
            "`max_harmful_pointers` must be 0 or more, got -1",
        ),
        (
            lambda lab: lab.recommend(lab.sweep(min_covered_lines=8)).export("emacs"),
            "`target` must be one of codegraph, json, mushroomdb, sqlite-graphrag, got",
        ),
    ],
)
def test_what_cannot_be_asked(lab: Lab, ask: Callable[[Lab], Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ask(lab)


def test_one_tool_may_be_named_by_a_word(lab: Lab) -> None:
    assert tool_kinds(["mcp"]) == ("mcp",)
    assert tool_kinds(["shell", "read", "shell"]) == ("read", "shell")
    nothing = lab.replay(tools="mcp").summary()
    assert nothing.touched_bytes.tolist() == [0, 0]
    assert nothing.net_share.isna().all()


def test_a_recommendation_carries_what_one_needs_to_doubt_it(lab: Lab, tmp_path: Path) -> None:
    swept = lab.sweep(
        min_covered_lines=[4, 8],
        view_calls=[4],
        record_scope="thread",
        reset_on_compaction=True,
    )
    found = lab.recommend(swept)
    assert found.status == "recommended"
    assert found.params is not None
    assert found.params.min_covered_lines == 8
    assert repr(found).startswith("<Recommendation: Dedup(min_covered_lines=8")
    certificate = found.certificate
    assert certificate["method"]["tools"] == ["read"]
    assert certificate["method"]["proofs"] == ["whole_file"]
    assert certificate["result"]["judged_on"]["net_share"]["indicative"]
    assert certificate["data"]["transcripts"] == 27
    assert any("task quality" in caveat for caveat in certificate["caveats"])
    (path,) = found.export("json", tmp_path)
    assert json.loads(path.read_text())["data"]["hash"] == certificate["data"]["hash"]

    refused = lab.recommend(lab.sweep(min_covered_lines=8, view_calls=4))
    assert (refused.status, refused.params) == ("none", None)
    assert repr(refused).startswith("<Recommendation: none; ")
    (path,) = refused.export("json", tmp_path)
    assert json.loads(path.read_text())["parameters"] is None


def test_the_data_hash_follows_the_data(tmp_path: Path) -> None:
    def hash_of(lab: Lab) -> str:
        found = lab.recommend(lab.sweep(min_covered_lines=8))
        return str(found.certificate["data"]["hash"])

    Session("one").prompt().read("/a.py").write(tmp_path / "logs/a.jsonl")
    with ctxlab.open(tmp_path / "lab") as lab, ctxlab.open() as other:
        lab.ingest(tmp_path / "logs")
        other.ingest(tmp_path / "logs/a.jsonl")
        first = hash_of(lab)
        assert hash_of(other) == first
        Session("one").prompt().read("/a.py").read("/a.py").write(tmp_path / "logs/a.jsonl")
        lab.ingest(tmp_path / "logs")
        assert hash_of(lab) != first
        assert lab.replay(ctxlab.Dedup()).summary().calls[0] == 2


def test_an_empty_lab_says_what_to_do(tmp_path: Path) -> None:
    with ctxlab.open(tmp_path / "lab") as empty:
        for ask in (empty.survey, empty.replay, lambda: empty.sweep(min_covered_lines=8)):
            with pytest.raises(InputError, match="is empty: ingest transcripts first"):
                ask()
        assert repr(empty) == f"Lab({str(tmp_path / 'lab')!r})"
        assert len(empty.problems()) == 0


def test_problems_name_file_line_and_cause(tmp_path: Path) -> None:
    path = Session("one").prompt().write(tmp_path / "a.jsonl")
    with path.open("a") as file:
        file.write("{]\n")
    with ctxlab.open() as lab:
        assert lab.ingest(path).problems == 1
        (row,) = lab.problems().to_dict("records")
    assert (row["path"], row["line_number"], row["n_bytes"]) == (str(path), 2, 3)
    assert row["cause"].startswith("no JSON")


def test_folders_that_are_no_lab(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/notes.txt").write_text("mine")
    with pytest.raises(StoreError, match="holds other files and no store; name an empty or a new"):
        ctxlab.open(tmp_path / "full")
    with pytest.raises(StoreError, match=r"is a file; name a folder for the store|is no folder"):
        ctxlab.open(tmp_path / "full/notes.txt")
