"""Which directories are one project, and since when that shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ctxlab.recall._kin import kin, told_apart
from ctxlab.recall.project import Project, Revealed
from tests.recall.worlds import asked, project_of


def showing(directory: str | None, *paths: str, begun: int = 0, every: int = 1) -> Project:
    """One path more at each prompt."""
    prompts = [replace(asked(f"{i}"), ms=begun + i * every) for i in range(max(1, len(paths)))]
    revealed = [Revealed(i, path) for i, path in enumerate(paths)]
    return project_of(*prompts, directory=directory, revealed=revealed)


def paths(n: int, start: int = 0, folder: str = "src") -> list[str]:
    return [f"{folder}/{i}.py" for i in range(start, start + n)]


def test_three_shared_paths_make_kin_once_both_have_shown_them() -> None:
    projects = [showing("/x/a", *paths(5)), showing("/y/b", *paths(5), begun=100, every=10)]
    assert kin(projects) == {"/x/a": {"/y/b": 120}, "/y/b": {"/x/a": 120}}
    assert kin([projects[0], showing("/y/b", *paths(2))]) == {"/x/a": {}, "/y/b": {}}


@pytest.mark.parametrize(("n_own", "are_kin"), [(60, True), (61, False)])
def test_kin_share_a_twentieth_of_the_smaller_set(n_own: int, are_kin: bool) -> None:
    # What is shared comes last: before, there is nothing to see.
    one = showing("/x/a", *paths(n_own - 3, folder="a"), *paths(3))
    other = showing("/y/b", *paths(97, folder="b"), *paths(3))
    assert bool(kin([one, other])["/x/a"]) == are_kin


def test_paths_without_a_folder_and_symbols_are_of_no_account() -> None:
    flat = [f"{i}.py" for i in range(9)]
    assert not kin([showing("/x/a", *flat), showing("/y/b", *flat)])["/x/a"]
    symbols = tuple(Revealed(0, path, "main") for path in paths(9))
    named = [replace(showing(d), revealed=symbols) for d in ("/x/a", "/y/b")]
    assert not kin(named)["/x/a"]


def test_one_name_makes_kin_from_the_later_of_both_beginnings() -> None:
    projects = [showing("/x/tool", begun=5), showing("D:\\y\\tool", begun=9)]
    assert kin(projects)["/x/tool"] == {"D:\\y\\tool": 9}


def test_kin_of_kin_are_kin_from_the_link_on() -> None:
    projects = [
        showing("/x/a", *paths(3)),
        showing("/y/b", *paths(3), *paths(3, 50), begun=10),
        showing("/z/c", *paths(3, 50), begun=100),
    ]
    assert kin(projects)["/x/a"] == {"/y/b": 12, "/z/c": 102}


def test_a_directory_around_others_makes_them_no_kin() -> None:
    projects = [showing("/home/a"), showing("/home/b", begun=3), showing("/home", begun=7)]
    assert kin(projects) == {
        "/home/a": {"/home": 7},
        "/home/b": {"/home": 7},
        "/home": {"/home/a": 7, "/home/b": 7},
    }


def test_undated_and_unplaced_prompts_tell_nothing() -> None:
    undated = showing("/x/a", *paths(3), begun=-1, every=0)
    assert kin([undated, showing("/y/b", *paths(3)), showing(None, *paths(3))]) == {"/y/b": {}}
    assert told_apart([undated, showing(None, *paths(3))]) == {}


def test_three_files_tell_a_directory_apart() -> None:
    projects = [showing("/a", "x.py", "y.py", "lib/z.py", "w.py"), showing("/b", "x.py", "y.py")]
    assert told_apart(projects) == {"/a": 2}
