"""Where a repository lies, and paths as they read from there."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from ctxlab.recall.paths import folded, is_absolute, relative_to, repository_of


@pytest.mark.parametrize("module", ["recall.history", "recall.paths", "fallback.revealed"])
def test_examples_in_the_docstrings_hold(module: str) -> None:
    failed, tried = doctest.testmod(import_module(f"ctxlab.{module}"))
    assert tried > 0
    assert failed == 0


@pytest.mark.parametrize(
    ("directory", "repository"),
    [
        ("/home/repo", "/home/repo"),
        ("/home/repo/", "/home/repo"),
        ("/home/repo/.worktrees/1", "/home/repo"),
        ("/home/repo/.worktrees/feature/one", "/home/repo"),
        ("/home/repo/.claude/worktrees/one/src", "/home/repo"),
        (r"c:\repo\.worktrees\one", "C:/repo"),
        ("/home/repo/.worktrees", "/home/repo/.worktrees"),
        ("/.worktrees/one", "/.worktrees/one"),
        ("/home/repo-worktrees/one", "/home/repo-worktrees/one"),
        ("/home/.claude/projects/one", "/home/.claude/projects/one"),
    ],
)
def test_a_worktree_belongs_to_the_repository_above_it(directory: str, repository: str) -> None:
    assert repository_of(directory) == repository


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("/repo/src/a.py", "src/a.py"),
        ("/repo/./src//A.py", "src/A.py"),
        ("./src/a.py", "src/a.py"),
        ("src/a.py", "src/a.py"),
        ("/repo/src/../a.py", "a.py"),
        ("/repo", None),
        ("/repository/a.py", None),
        ("/repo/../a.py", None),
        ("../a.py", None),
        ("~/a.py", None),
        ("", None),
        (".", None),
        ("C:/repo/a.py", None),
    ],
)
def test_a_path_reads_from_its_root(path: str, relative: str | None) -> None:
    assert relative_to("/repo/")(path) == relative


def test_all_is_below_the_root_of_the_file_system_and_nothing_is_outside_of_none() -> None:
    assert relative_to("/")("/etc/a.conf") == "etc/a.conf"
    assert relative_to(None)("/etc/a.conf") == "/etc/a.conf"
    assert relative_to(None)("../a.conf") is None


def test_paths_of_windows_keep_their_case_but_the_drives() -> None:
    assert folded(r"c:\Repo\.\Src\a.py") == "C:/Repo/Src/a.py"
    assert relative_to(r"c:\Repo")(r"C:\Repo\Src\a.py") == "Src/a.py"
    assert folded(r"src\a.py") == r"src\a.py"
    assert [is_absolute(path) for path in ("/a", "C:/a", "a/b", "")] == [True, True, False, False]
