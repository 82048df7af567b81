"""JSON answers in recorded MCP traffic, from the file to a sweep."""

from __future__ import annotations

from pathlib import Path

import ctxlab
from ctxlab.store import open_store

TRAFFIC = Path(__file__).parents[1] / "transcripts" / "fixtures" / "mcp" / "json_answers.jsonl"
ROWS = '{"items":[{"id":"AB-12","title":"Paint the door"},{"id":"AB-13","title":"Oil the pump"}]}'


def test_answers_of_a_server_stand_in_the_log_with_their_tool_and_arguments(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        store.ingest(TRAFFIC)
        (log,) = store.iter_logs(answers=True)
    answers = log.answers
    assert answers is not None
    assert answers.tool == ("mcp__tracker__find",)
    assert answers.command == ('{"q":"house","limit":20}',)
    assert (answers.quote_token, answers.quote_call.tolist()) == (("AB-13",), [1])


def test_answers_of_a_server_are_swept_by_tool(tmp_path: Path) -> None:
    with ctxlab.open(tmp_path / "lab") as lab:
        lab.ingest(TRAFFIC)
        sweep = lab.sweep(ctxlab.Surface, max_items=[0, 1, 2])
        cells, tools = sweep.frame(), sweep.tools()
    assert tools["tool"].tolist() == ["mcp__tracker__find"]
    by_items = cells.set_index("max_items")
    assert (by_items["canonical_bytes"] == len(ROWS)).all()
    assert by_items["json_answers"].tolist() == [1, 1, 1]
    assert by_items["kept_rows"].tolist() == [2, 1, 2]
    assert by_items["harmed_answers"].tolist() == [0, 1, 0]
    assert by_items["lost_ids"].tolist() == [0, 1, 0]
