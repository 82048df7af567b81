"""What make hands to the command line, and what setting up says on an unsuitable machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def _script(file: Path, *lines: str) -> None:
    file.write_text("\n".join(("#!/bin/sh", *lines)) + "\n", encoding="utf-8")
    file.chmod(0o755)


@pytest.mark.parametrize(
    ("given", "policy", "logs", "out"),
    [
        ([], "dedup", "data/claude_code", "ctxlab-out"),
        (["LOGS=some logs"], "dedup", "some logs", "ctxlab-out"),
        (['LOGS=it\'s "mine"'], "dedup", 'it\'s "mine"', "ctxlab-out"),
        (["LOGS=~/my logs"], "dedup", "{home}/my logs", "ctxlab-out"),
        (["LOGS=~", "OUT=~/results"], "dedup", "{home}", "{home}/results"),
        (["LOGS=-x"], "dedup", "-x", "ctxlab-out"),
        (
            ["POLICY=recall"],
            "recall --graph data/recall/graph.jsonl",
            "data/recall/sessions",
            "ctxlab-out/recall",
        ),
        (["POLICY=recall", "LOGS=~"], "recall --graph history", "{home}", "ctxlab-out/recall"),
        (
            ["POLICY=recall", "LOGS=a b", "GRAPH=~/shop", "OUT=x"],
            "recall --graph {home}/shop",
            "a b",
            "x",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_tune_hands_paths_on_unharmed(
    tmp_path: Path, given: list[str], policy: str, logs: str, out: str
) -> None:
    _script(tmp_path / "ctxlab", "printf '%s\n' \"$@\"")
    home = tmp_path / "home"
    done = subprocess.run(
        ["make", "--old-file=.venv/installed", "tune", f"BIN={tmp_path}", *given],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            **dict.fromkeys(("LOGS", "OUT", "GRAPH", "POLICY"), "not asked"),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    before = ["tune", "--policy", *policy.format(home=home).split()]
    expected = [*before, "--out", out.format(home=home), "--", logs.format(home=home)]
    assert done.stdout.splitlines() == expected


def _set_up(path: Path, *args: str) -> str:
    """Run .ci/setup with the programs of `path` alone; give what it complains about."""
    for name in ("sh", "dirname"):
        program = shutil.which(name)
        assert program
        (path / name).symlink_to(program)
    done = subprocess.run(
        [ROOT / ".ci" / "setup", *args],
        env={"PATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    return done.stderr


def test_a_machine_without_python_is_told_so(tmp_path: Path) -> None:
    told = _set_up(tmp_path, str(tmp_path / "env"))
    assert "no Python 3.11 or newer was found; install one" in told


def test_an_old_python_is_none(tmp_path: Path) -> None:
    _script(tmp_path / "python3", "exit 1")
    told = _set_up(tmp_path, str(tmp_path / "env"))
    assert "no Python 3.11 or newer was found; install one" in told


def test_a_python_without_venv_is_named(tmp_path: Path) -> None:
    _script(tmp_path / "python3", 'case "$2" in *ensurepip*) exit 1;; esac')
    told = _set_up(tmp_path, str(tmp_path / "env"))
    assert "python3 lacks venv; install it (Debian, Ubuntu: apt install python3-venv)" in told


def test_lowest_versions_need_uv(tmp_path: Path) -> None:
    told = _set_up(tmp_path, str(tmp_path / "env"), "lowest")
    assert "the lowest versions need uv; install it first" in told


def test_a_failed_set_up_leaves_the_old_environment(tmp_path: Path) -> None:
    (tmp_path / "env").mkdir()
    _set_up(tmp_path, str(tmp_path / "env"))
    assert (tmp_path / "env").is_dir()
