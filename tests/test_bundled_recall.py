"""The made-up sessions in `data/recall`: labelled, small, readable, and what the history gives."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import subprocess
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.recall.jsongraph import read_graph
from ctxlab.store import open_store
from tests.test_docs import PLACES

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "data" / "recall"
GRAPH = FOLDER / "graph.jsonl"
FILES = sorted(FOLDER.glob("sessions/*.jsonl"))
MAKER: dict[str, Any] = runpy.run_path(str(FOLDER / "make_sessions.py"))
GRAPH_MAKER: dict[str, Any] = runpy.run_path(str(FOLDER / "make_graph.py"))
SESSIONS: list[dict[str, Any]] = MAKER["prompts"]()["session"]
PROMPTS = [prompt for session in SESSIONS for prompt in session["prompt"]]
MOST_BYTES = {"graph.jsonl": 1_500_000, "sessions": 1_200_000}


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("git")
    if program is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    return subprocess.run(
        [program, "-c", "safe.directory=*", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def asked() -> list[tuple[str, str, float]]:
    """File, text and time in seconds of every prompt that is stored."""
    return [
        (path.name, content, datetime.fromisoformat(record["timestamp"]).timestamp())
        for path in FILES
        for record in map(json.loads, path.read_text(encoding="utf-8").splitlines())
        if record["type"] == "user" and isinstance(content := record["message"]["content"], str)
    ]


@pytest.fixture(scope="module")
def history() -> None:
    """Skip where this repository's commits are not at hand."""
    if "true" in git("rev-parse", "--is-shallow-repository").stdout:
        pytest.skip("a shallow clone")
    for commit in MAKER["commits"]():
        if git("cat-file", "-e", f"{commit}^{{commit}}").returncode:
            pytest.skip(f"commit {commit} is not in this repository")


def test_enough_prompts_of_real_commits_in_sessions_of_several() -> None:
    edits = {
        prompt["commit"]
        for prompt in PROMPTS
        if "commit" in prompt and prompt.get("does", "edit") == "edit"
    }
    assert len(edits) >= 60
    assert {prompt.get("does") for prompt in PROMPTS} == {None, "look", "miss"}
    assert all(3 <= len(session["prompt"]) <= 6 for session in SESSIONS)
    assert Counter(session["project"] for session in SESSIONS) == {"ctxlab": 19, "bakery": 4}
    texts = [prompt["text"] for prompt in PROMPTS]
    assert len(set(texts)) == len(texts)


@pytest.mark.usefixtures("history")
def test_the_stored_sessions_are_what_the_history_gives() -> None:
    made = dict(MAKER["sessions"]())
    assert [path.name for path in FILES] == sorted(made)
    for path in FILES:
        assert path.read_text(encoding="utf-8") == made[path.name], (
            "make the sessions again as data/recall/README.md says"
        )


@pytest.mark.usefixtures("history")
def test_every_prompt_was_asked_within_two_minutes_before_its_commit() -> None:
    asked_s = {text: at_s for _, text, at_s in asked()}
    for prompt in PROMPTS:
        if "commit" in prompt:
            assert 0 < MAKER["commit_s"](prompt["commit"]) - asked_s[prompt["text"]] < 120


def test_every_session_is_read_whole() -> None:
    for path in FILES:
        result = ctxlab.read(path)
        assert result.transcript.agent == "claude_code"
        assert not result.problems
        assert not result.unknown
        assert all(event.ts_ms is not None for event in result.events)
        assert all(usage.output_reliable for usage in result.usage)


def test_sessions_ask_what_was_written_in_order() -> None:
    assert [text for _, text, _ in asked()] == [
        prompt["text"]
        for project in ("bakery", "ctxlab")
        for session in SESSIONS
        if session["project"] == project
        for prompt in session["prompt"]
    ]
    for file in {name for name, _, _ in asked()}:
        times = [at_s for name, _, at_s in asked() if name == file]
        assert times == sorted(set(times))


def test_every_edit_names_text_and_changes_it() -> None:
    records = [json.loads(line) for path in FILES for line in path.read_text("utf-8").splitlines()]
    edits = [
        block["input"]
        for record in records
        if record["type"] == "assistant"
        for block in record["message"]["content"]
        if block.get("name") == "Edit"
    ]
    assert edits
    for edit in edits:
        assert edit["old_string"].strip()
        assert edit["old_string"] != edit["new_string"]


def test_the_store_takes_them_all(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        report = store.ingest(FOLDER / "sessions", workers=1)
        assert (report.transcripts, report.problems) == (len(FILES), 0)
        assert len(list(store.iter_logs())) == len(FILES)


@pytest.mark.usefixtures("history")
def test_the_stored_graph_is_that_of_the_history(tmp_path: Path) -> None:
    named = MAKER["commits"]()
    assert max(named, key=MAKER["commit_s"]) == GRAPH_MAKER["LAST"]
    GRAPH_MAKER["write"](tmp_path / "graph.jsonl")
    assert (tmp_path / "graph.jsonl").read_bytes() == GRAPH.read_bytes(), (
        "make the graph again as data/recall/README.md says"
    )


def test_no_prompt_knows_the_commit_that_came_of_it() -> None:
    asked_ms = {text: int(at_s * 1000) for name, text, at_s in asked() if "ctxlab" in name}
    times = sorted(asked_ms.values())
    graph = read_graph(GRAPH, times)
    assert graph.answerable_from == 0
    assert not graph.notes
    assert {version.node.label for version in graph.versions} == {"File", "Symbol", "Commit"}
    known_from = {
        version.node.key[:7]: version.since
        for version in graph.versions
        if version.node.label == "Commit"
    }
    for prompt in PROMPTS:
        if (commit := prompt.get("commit")) in known_from:
            assert times.index(asked_ms[prompt["text"]]) < known_from[commit]


def test_small_and_without_places_or_people() -> None:
    stored = [path for path in FOLDER.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    for name, most in MOST_BYTES.items():
        at = FOLDER / name
        parts = sorted(at.rglob("*")) if at.is_dir() else [at]
        assert sum(path.stat().st_size for path in parts) < most
    for path in stored:
        text = path.read_text(encoding="utf-8")
        assert not [place for place in PLACES if place in text], path.name
        assert not re.search(r"[\w.]+@[\w-]+\.(com|org|net|io|dev)\b", text), path.name
        homes = set(re.findall(r"/(?:home|Users)/[\w.-]+", text))
        assert homes <= {"/home/dev"}, path.name


@pytest.mark.parametrize("page", [FOLDER / "README.md", FOLDER.parent / "README.md"])
def test_it_is_labelled(page: Path) -> None:
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert "how the tool works, not how agents behave" in text
    assert "made up" in text
    assert "Apache-2.0" in text
