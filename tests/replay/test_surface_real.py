"""The law on recorded answers: what is decided of them is what shaping each anew leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxlab.replay import answer_rows, surface_facts
from ctxlab.store import open_store
from ctxlab.surface import Surface
from ctxlab.surface.decide import prepare
from tests.surface.worlds import decided, online

SETTINGS = (
    *(Surface(max_items=n) for n in (1, 5, 20)),
    *(Surface(truncate_content=n) for n in (1, 40, 80, 160, 1280)),
    *(Surface(max_output_bytes=n) for n in (512, 2048, 8192, 32768)),
    Surface(max_items=5, truncate_content=160, max_output_bytes=2048),
    Surface(select=("id", "number", "url", "title")),
    Surface(select=("id", "body"), truncate_content=200, max_output_bytes=4096),
    Surface(sort="id", max_items=3),
)


@pytest.mark.parametrize(("agent", "files"), [("claude_code", 40), ("codex_cli", 3)])
def test_decisions_on_recorded_answers_are_what_shaping_each_leaves(
    shared: Path, tmp_path: Path, agent: str, files: int
) -> None:
    n_quotes = n_lost = 0
    with open_store(tmp_path / "store") as store:
        found = sorted((shared / "data" / "transcripts" / agent).rglob("*.jsonl"))
        store.ingest(*found[:files], workers=1)
        for log in store.iter_logs(answers=True):
            rows = list(answer_rows(log)) if log.answers is not None else []
            for params in SETTINGS if rows else ():
                facts = surface_facts(log, params)
                json_only = [n for n, row in enumerate(rows) if row.form == "json"]
                outcomes = decided(facts, params, prepare(facts))
                anew = [online(rows[n], params) for n in json_only]
                assert [outcomes[n] for n in json_only] == anew
                n_quotes += sum(len(rows[n].quotes) for n in json_only)
                n_lost += sum(len(outcome.lost) for outcome in anew)
    assert n_quotes > n_lost > 100
