"""The set in `data/claude_code`: complete, readable, without a word that could be a name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ctxlab.dedup import Dedup
from ctxlab.dedup.decide import decide
from ctxlab.dedup.walk import dedup_facts
from ctxlab.events import Problem
from ctxlab.replay.scores import METRICS, score
from ctxlab.store import Store, open_store
from ctxlab.transcripts import stream
from ctxlab.transcripts._contentfree_words import EVENT_KINDS
from tests.allowed_words import is_allowed

FOLDER = Path(__file__).parents[1] / "data" / "claude_code"
FILES = sorted(FOLDER.glob("*.jsonl"))
HEADER_KEYS = {
    *("ctxlab", "version", "rank", "family", "agent", "source", "session"),
    *("words", "threads", "paths", "lines"),
}
RECORD_KEYS = set("kdhncqytwbemspxou") | {"to"}
DOC = (FOLDER.parent / "README.md").read_text()


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def test_at_least_100_files_of_a_few_megabytes() -> None:
    assert len(FILES) >= 100
    assert [path.name for path in FILES] == [f"{i:05d}.jsonl" for i in range(1, len(FILES) + 1)]
    assert sum(path.stat().st_size for path in FILES) < 6e6
    assert sorted(FOLDER.iterdir()) == FILES


def test_no_word_but_known_ones() -> None:
    for path in FILES:
        header, *records = map(json.loads, path.read_text().splitlines())
        assert set(header) == HEADER_KEYS
        words, agent = header.pop("words"), header.pop("agent")
        assert all(is_allowed(word) for word in words), path.name
        assert re.fullmatch(r"claude_code( \d{1,3}(\.\d{1,3}){2})?", agent)
        assert set(texts(header)) <= {*HEADER_KEYS, "content-free", "/", "\\", ".", ":"}
        for record in records:
            assert set(record) <= RECORD_KEYS
            assert record.pop("k", "other") in EVENT_KINDS
            assert set(texts(record)) <= RECORD_KEYS


def test_every_file_is_read_whole() -> None:
    for path in FILES:
        assert not [item.cause for item in stream(path) if isinstance(item, Problem)]


def test_readme_documents_every_key_and_the_origin() -> None:
    for key in HEADER_KEYS | RECORD_KEYS:
        assert f"`{key}`" in DOC
    counted = re.findall(
        r"^\| [\w-]+/[\w-]+ \| [0-9a-f]{12} \| (?:MIT|Apache-2.0) \| (\d+) \|$", DOC, re.M
    )
    assert sum(map(int, counted)) == len(FILES)
    assert "fingerprint" in DOC


def per_transcript(store: Store) -> list[tuple[float, ...]]:
    """All scores of each transcript, in an order that names do not decide."""
    rows = []
    for log in store.iter_logs():
        facts = dedup_facts(log, proof="hunks")
        columns = [log.calls.result_bytes.sum(), log.usage.cache_read_tokens.sum()]
        for params in (Dedup(), Dedup(view_calls=None, min_covered_lines=4, guard=False)):
            scores = score(facts, decide(facts, params))
            values = np.array([scores.values[metric] for metric in METRICS])
            rows += [tuple(map(float, (*columns, *row))) for row in values.T]
    return sorted(rows)


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[float, ...]]:
    with open_store(tmp_path_factory.mktemp("bundled")) as store:
        report = store.ingest(FOLDER, workers=1)
        assert (report.transcripts, report.problems) == (len(FILES), 0)
        return per_transcript(store)


def test_the_originals_give_the_same_numbers(
    shared: Path, tmp_path: Path, bundled: list[tuple[float, ...]]
) -> None:
    with open_store(tmp_path) as store:
        store.ingest(shared / "data" / "transcripts" / "claude_code", workers=1)
        assert per_transcript(store) == bundled, (
            "the readers have changed: make the set again as data/README.md says"
        )
