"""The sessions in `data/surface`: true answers of real commands, labelled, small, and no place."""

from __future__ import annotations

import getpass
import json
import re
import runpy
import socket
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from tests.test_docs import PLACES

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "data" / "surface"
FILES = sorted(FOLDER.glob("sessions/*.jsonl"))
with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(FOLDER)  # as for a script
    MAKER: dict[str, Any] = runpy.run_path(str(FOLDER / "make_sessions.py"))
MAIN = ("list_symbols", "find_references", "list_commits", "read_symbol")
MOST_BYTES = 1_500_000


@dataclass(frozen=True)
class Answer:
    """A call and what it printed; `values` are the JSON values of its text, if it is JSON."""

    file: str
    tool: str
    given: dict[str, Any]
    text: str
    values: tuple[Any, ...]
    is_lines: bool
    is_error: bool


@cache
def answers() -> tuple[Answer, ...]:
    return tuple(answer for path in FILES for answer in _answers(path))


def _answers(path: Path) -> Iterator[Answer]:
    calls: dict[str, dict[str, Any]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        content = json.loads(line).get("message", {}).get("content")
        for block in content if isinstance(content, list) else ():
            if block["type"] == "tool_use":
                calls[block["id"]] = block
            elif block["type"] == "tool_result":
                call, text = calls[block["tool_use_id"]], block["content"]
                tool = call["name"].removeprefix("mcp__project__")
                if tool == "Bash":
                    tool = " ".join(call["input"]["command"].split()[:2])
                one = _values([text])
                values = one or _values(text.split("\n"))
                error = block.get("is_error", False)
                yield Answer(path.name, tool, call["input"], text, values, not one, error)


def _values(texts: list[str]) -> tuple[Any, ...]:
    try:
        values = tuple(json.loads(text) for text in texts)
    except json.JSONDecodeError:
        return ()
    return values if all(isinstance(value, dict | list) for value in values) else ()


JSON = [answer for answer in answers() if answer.values]


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """What the generator gives, where it can run."""
    if (found := version("ruff")) != MAKER["RUFF"]:
        pytest.skip(f"ruff {found} words its findings in its own way")
    try:
        MAKER["git"]("cat-file", "-e", f"{MAKER['COMMIT']}^{{commit}}")
    except SystemExit:
        pytest.skip("the commit is not at hand: no git, no repository, or a shallow clone")
    return dict(MAKER["sessions"](MAKER["tasks"]()))


def test_the_stored_sessions_are_what_the_commands_print(made: dict[str, str]) -> None:
    assert [path.name for path in FILES] == sorted(made)
    for path in FILES:
        assert path.read_text(encoding="utf-8") == made[path.name], (
            "make the sessions again as data/surface/README.md says"
        )


def test_a_tool_runs_by_itself() -> None:
    """Any reader can look an answer up."""
    stored = next(one for one in answers() if one.tool == "list_tests" and not one.is_error)
    command = [sys.executable, str(FOLDER / "project_checkout.py"), stored.tool]
    done = subprocess.run(
        [*command, json.dumps(stored.given)], capture_output=True, check=True, text=True
    )
    assert done.stdout == stored.text + "\n"
    wrong = subprocess.run([*command[:2], "rm", "{}"], capture_output=True, check=False, text=True)
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("give one of list_symbols, ")


def test_every_session_is_read_whole() -> None:
    for path in FILES:
        result = ctxlab.read(path)
        assert result.transcript.agent == "claude_code"
        assert not result.problems
        assert not result.unknown
        assert all(event.ts_ms is not None for event in result.events)
        assert all(usage.output_reliable for usage in result.usage)
    days = [ctxlab.read(path).events[0].ts_ms or 0 for path in FILES]
    assert len({day // 86_400_000 for day in days}) == len(FILES)
    assert days == sorted(days)


def test_the_main_tools_answer_in_enough_earlier_and_later_families() -> None:
    assert len(FILES) == 28
    earlier = {path.name for path in FILES[: len(FILES) // 2]}
    families = defaultdict(set)
    for answer in JSON:
        families[answer.tool].add(answer.file)
    assert 8 <= len(families) <= 12
    for tool in MAIN:
        assert len(families[tool] & earlier) >= 10
        assert len(families[tool] - earlier) >= 10
    assert len(JSON) == 148


def test_every_kind_of_answer_is_there() -> None:
    kinds = {
        "many values": sum(answer.is_lines for answer in JSON),
        "array": sum(isinstance(answer.values[0], list) for answer in JSON),
        "no array": sum(answer.tool == "read_symbol" for answer in JSON),
        "secondary": sum("edges" in answer.values[0] for answer in JSON),
        "not ok": sum(
            isinstance(answer.values[0], dict) and answer.values[0].get("ok") is False
            for answer in JSON
        ),
        "error": sum(
            isinstance(answer.values[0], dict) and answer.values[0].get("error") is True
            for answer in JSON
        ),
        "cut by the harness": sum(a.text.startswith("<persisted-output>") for a in answers()),
        "cut by the agent": sum("| head" in str(answer.given) for answer in answers()),
        "behind an exit code": sum(a.is_error and a.text[-1] == "]" for a in answers()),
        "text": sum(
            not answer.values and answer.tool in ("git log", "find_references", "ruff check")
            for answer in answers()
        ),
        "next page": sum("offset" in answer.given for answer in JSON),
        "indented": sum(answer.text.startswith("{\n") for answer in JSON),
    }
    assert not [kind for kind, n in kinds.items() if not n]


def test_rows_are_used_at_any_depth_except_of_commits() -> None:
    rows, asked = defaultdict(list), ""
    for session in MAKER["tasks"]():
        for step in (step for turn in session["turn"] for step in turn["steps"]):
            if "row" in step:
                rows[asked].append(step["row"])
            if step.get("go") == "references":
                asked = "find_references"
            elif not {"go", "again", "next"} & step.keys():
                asked = step.get("tool") or next(iter(step))
    assert max(rows["list_commits"]) <= 5
    for tool in ("list_symbols", "find_references"):
        assert sum(row <= 5 for row in rows[tool]) >= 8
        assert sum(row > 10 for row in rows[tool]) >= 4


def test_small_and_without_places_or_people() -> None:
    assert sum(path.stat().st_size for path in FILES) < MOST_BYTES
    stored = [*FILES, *(path for path in FOLDER.glob("*.*") if path.is_file())]
    machine = [f"/tmp{'/'}", *(n for n in (socket.gethostname(), getpass.getuser()) if len(n) > 5)]
    for path in stored:
        text = path.read_text(encoding="utf-8")
        assert not [place for place in (*PLACES, *machine) if place in text], path.name
        assert not re.search(r"[\w.]+@[\w-]+\.(com|org|net|io|dev)\b", text), path.name
        assert not re.search(r"/(?:home|Users)/|[A-Z]:\\\\", text), path.name
    records = [json.loads(line) for path in FILES for line in path.read_text("utf-8").splitlines()]
    assert {record["cwd"] for record in records} == {"/project"}


@pytest.mark.parametrize("page", [FOLDER / "README.md", FOLDER.parent / "README.md"])
def test_it_is_labelled(page: Path) -> None:
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert "how the tool works, not how agents behave" in text
    assert "made up" in text
    assert "Apache-2.0" in text
