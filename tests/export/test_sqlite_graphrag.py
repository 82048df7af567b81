from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import ParameterError
from ctxlab.export import sqlite_graphrag
from ctxlab.export.sqlite_graphrag import BY_TOOL, CAVEATS, KEY_ADVICE, arguments, settings
from ctxlab.surface.params import NUMERIC, PROFILES, Surface

THREE = Surface(max_items=20, truncate_content=640, max_output_bytes=8192)
KEYS = ["agent_surface.max_items", "agent_surface.truncate_content"]
EVIL = "x\nrm -rf y\r\u2028\u202e$(id)`id`"


def exported(
    folder: Path, params: Surface | None, certificate: Any = None
) -> tuple[str, dict[str, Any]]:
    script, content = sqlite_graphrag.export(params, certificate or {}, folder)
    assert (script.name, content.name) == ("sqlite-graphrag.sh", "sqlite-graphrag.json")
    return script.read_text(), json.loads(content.read_text())


def commands(script: str) -> list[str]:
    return [line.strip() for line in script.split("\n") if "sqlite-graphrag config" in line]


def ran(folder: Path, *words: str, fails: str = "") -> tuple[int, list[str]]:
    """Exit code of the script, and what the tool was told: a stand-in writes it down.

    The stand-in fails where a word ends in `fails`.
    """
    shell = shutil.which("sh")
    if shell is None:
        pytest.skip("no POSIX shell")
    told = folder / "told"
    told.write_text("")
    tool = folder / "bin" / "sqlite-graphrag"
    tool.parent.mkdir(exist_ok=True)
    code = f'case "$*" in *{fails}) exit 1;; esac\n' if fails else ""
    tool.write_text(f'#!/bin/sh\necho "$#" "$@" >> {shlex.quote(str(told))}\n{code}')
    tool.chmod(0o755)
    done = subprocess.run(
        [shell, str(folder / "sqlite-graphrag.sh"), *words],
        env={"PATH": str(tool.parent)},
        cwd=folder,
        capture_output=True,
        check=False,
    )
    return done.returncode, told.read_text().splitlines()


def test_numbers_are_stored_and_removed_again(tmp_path: Path) -> None:
    script, content = exported(tmp_path, THREE)
    assert content["settings"] == {
        "agent_surface.max_items": 20,
        "agent_surface.truncate_content": 640,
        "agent_surface.max_output_bytes": 8192,
    }
    stored = [f"4 config set {key} {value}" for key, value in content["settings"].items()]
    assert ran(tmp_path) == ran(tmp_path, "set") == (0, stored)
    assert ran(tmp_path, "undo") == (0, [f"3 config unset {key}" for key in content["settings"]])
    assert ran(tmp_path, "typo") == (2, [])
    assert content["to_do"] == (
        "Run `sh sqlite-graphrag.sh` to store agent_surface.max_items, "
        "agent_surface.truncate_content, agent_surface.max_output_bytes for the whole host."
    )
    assert "it does not bring back\n# numbers stored before" in script


@pytest.mark.parametrize(
    "params",
    [THREE, Surface(max_items=1), Surface(truncate_content=10**9, select=("a b",), sort="'x y'")],
)
def test_a_stored_value_is_a_bare_number(tmp_path: Path, params: Surface) -> None:
    script, _ = exported(tmp_path, params)
    for line in commands(script):
        assert re.fullmatch(
            r"sqlite-graphrag config (set agent_surface\.[a-z_]+ [1-9][0-9]*"
            r"|unset agent_surface\.[a-z_]+ \|\| (failed=1|echo \"[a-z ,]+\" >&2))",
            line,
        )
    assert len(commands(script)) == len(NUMERIC) + len(settings(params))


def test_what_is_off_is_not_set(tmp_path: Path) -> None:
    script, content = exported(tmp_path, Surface(max_output_bytes=4096))
    assert list(content["settings"]) == ["agent_surface.max_output_bytes"]
    assert not [key for key in KEYS if f"set {key}" in script.replace("unset", "")]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (THREE, []),
        (Surface(select=("id", "meta.title")), ["--select", "id,meta.title"]),
        (
            Surface(filters=("kind=a b", "n~'1,2'"), count_only=True),
            ["--filter", "kind=a b", "--filter", "n~'1,2'", "--count-only"],
        ),
        (
            Surface(sort="", dedupe_by="-x", select=("-y",)),
            ["--select=-y", "--sort", "", "--dedupe-by=-x"],
        ),
    ],
)
def test_the_rest_is_given_as_arguments(tmp_path: Path, params: Surface, words: list[str]) -> None:
    assert arguments(params) == words
    script, content = exported(tmp_path, params)
    assert content["arguments"] == words
    if words:
        assert shlex.split(content["command_line"]) == ["sqlite-graphrag", *words]
        assert f"each command: {shlex.join(words)}\n" in script
        assert content["to_do"].endswith(shlex.join(words))
        assert ran(tmp_path) == (0, [])
    else:
        assert content["command_line"] is None


@pytest.mark.parametrize(
    ("params", "certificate", "to_do"),
    [
        (None, {}, "Set nothing, no budget is recommended."),
        (
            None,
            {"result": {"status": "none", "reasons": ["too few", "too much is lost"]}},
            "Set nothing, no budget is recommended: too few; too much is lost.",
        ),
        (
            None,
            {"result": {"status": "default", "reasons": ["nothing is smaller"]}},
            "Set nothing, whole answers stand: nothing is smaller.",
        ),
        (Surface(), {}, "Set nothing: whole answers are the recommended ones."),
        (
            Surface(max_items=3, has_synonyms=True),
            {},
            "Set nothing: the recommendation needs what the tool lacks (has_synonyms).",
        ),
        (
            Surface(max_items=3, select=("a,b",)),
            {},
            "Set nothing: the recommendation needs what the tool lacks (select).",
        ),
    ],
)
def test_nothing_to_set(
    tmp_path: Path, params: Surface | None, certificate: dict[str, Any], to_do: str
) -> None:
    script, content = exported(tmp_path, params, certificate)
    assert content["to_do"] == to_do
    assert f"# {to_do}\n" in script
    assert content["settings"] == {}
    assert content["arguments"] == []
    assert not [line for line in commands(script) if "config set" in line]
    assert ran(tmp_path) == (0, [])
    undone = [f"3 config unset agent_surface.{name}" for name in NUMERIC]
    assert ran(tmp_path, "undo") == (0, undone)  # an earlier recommendation may be stored
    assert ran(tmp_path, "undo", fails="max_items") == (1, undone)
    assert ran(tmp_path, "typo") == (2, [])


def test_the_version_follows_from_the_switches(tmp_path: Path) -> None:
    found = {name: exported(tmp_path, params)[1]["version"] for name, params in PROFILES.items()}
    assert found["sqlite-graphrag 1.2.5"] == "1.2.5"
    assert found["sqlite-graphrag 1.2.6"] == found["sqlite-graphrag 1.2.7"] == "1.2.6"
    assert found["sqlite-graphrag 1.2.8"] == "1.2.8"
    assert exported(tmp_path, None)[1]["version"] == "1.2.5"
    assert exported(tmp_path, Surface(has_synonyms=True))[1]["version"] is None


def test_choices_for_single_tools_stand_beside_it(tmp_path: Path) -> None:
    chosen = Surface(max_items=5, select=("id",)).as_dict()
    by_tool = {"gh api": {"parameters": chosen}, "ls -l": {"parameters": None, "why": "few"}}
    script, content = exported(tmp_path, THREE, {BY_TOOL: by_tool})
    assert content["by_tool"] == {
        "gh api": {
            "parameters": json.loads(json.dumps(chosen)),
            "limits": {"max_items": 5},
            "arguments": ["--max-items", "5", "--select", "id"],
        },
        "ls -l": {"parameters": None, "limits": {}, "arguments": []},
    }
    assert "gh api" not in script
    assert "Add the `arguments` of a tool to the command lines" in content["by_tool_how"]
    assert "holds for the whole host" in content["by_tool_how"]
    with pytest.raises(ParameterError, match="Surface has no parameter `max_hits`"):
        exported(tmp_path, THREE, {BY_TOOL: {"x": {"parameters": {"max_hits": 1}}}})


def test_keys_to_select_stand_apart_from_the_limits(tmp_path: Path) -> None:
    advice = {
        "gh api": {"status": "recommended", "keys": ["id", "-x"]},
        "gh pr view": {"status": "none", "keys": ["id"]},
        "ls": {"status": "recommended", "keys": ["a,b"]},  # the tool would split it
        "jq": {"status": "recommended", "keys": ["-x"]},
    }
    _, content = exported(tmp_path, THREE, {KEY_ADVICE: advice})
    assert content["select_by_tool"] == {"gh api": ["--select", "id,-x"], "jq": ["--select=-x"]}
    assert "judged by themselves" in content["select_how"]
    assert exported(tmp_path, THREE)[1]["select_by_tool"] == {}


def test_numbers_that_are_off_are_removed_and_undo_tries_all(tmp_path: Path) -> None:
    exported(tmp_path, Surface(max_items=20, max_output_bytes=8192))
    kept = ["agent_surface.max_items", "agent_surface.max_output_bytes"]
    stored = [f"4 config set {kept[0]} 20", f"4 config set {kept[1]} 8192"]
    other = "3 config unset agent_surface.truncate_content"
    assert ran(tmp_path) == (0, [*stored, other])
    assert ran(tmp_path, fails="truncate_content") == (0, [*stored, other])  # it was not stored
    undone = [f"3 config unset {key}" for key in kept]
    assert ran(tmp_path, "undo") == (0, undone)
    assert ran(tmp_path, "undo", fails="max_items") == (1, undone)


def test_foreign_text_runs_nothing(tmp_path: Path) -> None:
    certificate = {"result": {"status": "none", "reasons": [EVIL]}}
    script, content = exported(tmp_path, None, certificate)
    assert content["certificate"] == certificate
    assert [c for c in commands(script) if not c.startswith("sqlite-graphrag config unset ")] == []
    assert "rm -rf" not in re.sub(r"^#.*", "", script, flags=re.MULTILINE)
    assert not [c for c in script if not c.isprintable() and c != "\n"]
    assert ran(tmp_path) == (0, [])
    script, _ = exported(tmp_path, Surface(max_items=2, filters=(f"a={EVIL}",)))
    assert ran(tmp_path)[1][0] == "4 config set agent_surface.max_items 2"
    assert all(told.startswith("3 config unset agent_surface.") for told in ran(tmp_path)[1][1:])
    assert "\\nrm -rf y" in script


def test_the_certificate_can_be_quoted_and_doubted(tmp_path: Path) -> None:
    script, one = exported(tmp_path, THREE, {"a": 1, "b": [2]})
    _, same = exported(tmp_path, THREE, {"b": [2], "a": 1})
    _, other = exported(tmp_path, THREE, {"a": 2, "b": [2]})
    assert one["certificate_digest"] == same["certificate_digest"] != other["certificate_digest"]
    assert f"Certificate {one['certificate_digest']};" in script
    assert one["caveats"] == list(CAVEATS)
    for caveat in CAVEATS:
        assert f"# {caveat}\n" in script
    said = " ".join(CAVEATS)
    for part in ("harm from below", "whole host", "only where it is one of them", "task quality"):
        assert part in said
