"""A git repository as each prompt could have known it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.errors import InputError, ParameterError
from ctxlab.recall import _git_files
from ctxlab.recall.git import git_graph, git_history
from ctxlab.recall.graph import NEVER, Graph
from tests.recall.repositories import EMAIL, A, Repo
from tests.repositories import commit, git


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "project")


def known(graph: Graph, at: int, label: str = "") -> dict[str, dict[str, object]]:
    """Properties by key of what a prompt knows."""
    found: dict[str, dict[str, object]] = {}
    for version in graph.versions:
        if version.since <= at < version.until and version.node.label.startswith(label):
            assert version.node.key not in found
            found[version.node.key] = dict(version.node.props)
    return found


def spans(graph: Graph, key: str) -> Iterator[tuple[int, int]]:
    return ((v.since, v.until) for v in graph.versions if v.node.key == key)


def test_nodes_of_every_label(repo: Repo) -> None:
    sha = repo.commit(
        {"a.py": A, "b/c.md": "# Top\n\ntext\n", "data.txt": "x"}, 10, "Begin\n\nBody"
    )
    graph = repo.graph(20_000)
    nodes = known(graph, 0)
    assert nodes == {
        "a.py": {"path": "a.py"},
        "a.py#a": {"name": "a", "doc": "Give a.", "path": "a.py", "line": 1},
        "b/c.md": {"path": "b/c.md", "body": "# Top\n\ntext\n", "headings": ["Top"]},
        "data.txt": {"path": "data.txt"},
        sha: {"message": "Begin"},
        EMAIL: {"name": "Dev"},
    }
    assert graph.store_label == "project"
    assert graph.origin == "git repository project: 1 commits of HEAD"
    assert graph.answerable_from == 0
    assert graph.notes == ()


def test_a_commit_counts_for_prompts_strictly_after_it(repo: Repo) -> None:
    repo.commit({"a.py": A}, 10)
    repo.commit({"b.py": A}, 20)
    graph = repo.graph(10_000, 10_001, 20_000, 20_001)
    assert graph.answerable_from == 1
    assert [sorted(known(graph, at, "File")) for at in range(4)] == [
        [],
        ["a.py"],
        ["a.py"],
        ["a.py", "b.py"],
    ]


def test_a_state_that_stays_is_one_version(repo: Repo) -> None:
    repo.commit({"a.py": A, "b.py": A}, 10)
    repo.commit({"b.py": "\n" + A}, 20)
    repo.commit({"a.py": None}, 30)
    graph = repo.graph(11_000, 12_000, 21_000, 31_000)
    assert list(spans(graph, "a.py#a")) == [(0, 3)]
    assert list(spans(graph, "b.py")) == [(0, NEVER)]
    assert list(spans(graph, "b.py#a")) == [(0, 2), (2, NEVER)]
    assert known(graph, 3)["b.py#a"]["line"] == 2


def test_a_change_that_no_prompt_saw_is_no_version(repo: Repo) -> None:
    repo.commit({"a.py": A}, 10)
    repo.commit({"a.py": "x = 1\n", "b.py": A}, 20)
    repo.commit({"a.py": A, "b.py": None}, 30)
    graph = repo.graph(11_000, 31_000)
    assert list(spans(graph, "a.py#a")) == [(0, NEVER)]
    assert list(spans(graph, "b.py")) == []


def test_a_moved_file_has_a_new_key(repo: Repo) -> None:
    repo.commit({"a.py": A}, 10)
    repo.commit({"a.py": None, "c/a.py": A}, 20)
    graph = repo.graph(11_000, 21_000)
    assert set(known(graph, 0, "S")) == {"a.py#a"}
    assert set(known(graph, 1, "S")) == {"c/a.py#a"}


def test_equal_names_in_a_file_are_one_symbol_as_first_documented(repo: Repo) -> None:
    repo.commit({"a.py": "def f(): ...\ndef f():\n    'Doc.'\ndef f():\n    'Late.'\n"}, 10)
    (symbol,) = known(repo.graph(20_000), 0, "Symbol").values()
    assert symbol == {"name": "f", "doc": "Doc.", "path": "a.py", "line": 1}


def test_nothing_later_is_known(repo: Repo) -> None:
    prompts = (11_000, 15_000, 25_000)
    first = repo.commit({"a.py": A, "m.md": "# One\n"}, 10)
    repo.commit({"a.py": "\n" + A}, 20)
    before = repo.graph(*prompts)
    repo.commit({"a.py": "class Late: pass\n", "late.py": A, "m.md": "# Two\n"}, 30, "Late")
    repo.git("notes", "add", "-m", "late note", first, at=31)
    repo.git("branch", "other", at=32)
    assert repo.graph(*prompts).versions == before.versions
    repo.git("commit", "--amend", "--quiet", "--reset-author", "-m", "Amended", at=40)
    assert repo.graph(*prompts).versions == before.versions
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit({"side.py": A}, 50)
    repo.git("checkout", "--quiet", "main")
    repo.git("merge", "--quiet", "--no-ff", "--no-edit", "side", at=60)
    assert repo.graph(*prompts).versions == before.versions


STEPS = st.lists(
    st.tuples(
        st.integers(1, 9),
        st.dictionaries(
            st.sampled_from(["a.py", "b.py", "c.md"]),
            st.sampled_from(["", "def f(): pass\n", "# f\ndef g(): pass\n\ndef f(): pass\n"]),
            min_size=1,
        ),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=25)
@given(steps=STEPS, prompts=st.lists(st.integers(1000, 70_000), min_size=1, max_size=6))
def test_each_prompt_knows_the_commit_before_it_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[int, dict[str, str]]],
    prompts: list[int],
) -> None:
    repo = Repo(tmp_path_factory.mktemp("repositories") / "project")
    times = [sum(wait for wait, _ in steps[: n + 1]) for n in range(len(steps))]
    repo.fast_import([(at, files) for at, (_, files) in zip(times, steps, strict=True)])
    prompts = sorted({*prompts, times[0] * 1000 + 1})
    graph = repo.graph(*prompts)
    for number, ms in enumerate(prompts):
        n_before = sum(at * 1000 < ms for at in times)
        assert (number >= graph.answerable_from) == (n_before > 0)
        if n_before:
            alone = git_graph(repo.folder, (ms,), ref=f"main~{len(steps) - n_before}")
            assert known(graph, number) == known(alone, 0)


def test_a_commit_is_no_older_than_what_it_is_built_on(repo: Repo) -> None:
    repo.commit({"a.py": A}, 10)
    repo.commit({"b.py": A}, 50)
    repo.commit({"c.py": A}, 20, "From a clock that is slow")
    graph = repo.graph(30_000, 51_000)
    assert set(known(graph, 0, "File")) == {"a.py"}
    assert set(known(graph, 1, "File")) == {"a.py", "b.py", "c.py"}


def test_the_main_line_is_that_of_first_parents(repo: Repo) -> None:
    repo.commit({"a.py": A}, 10)
    repo.git("checkout", "--quiet", "-b", "side")
    side = repo.commit({"side.py": A}, 20)
    repo.git("checkout", "--quiet", "main")
    repo.commit({"b.py": A}, 25)
    repo.git("merge", "--quiet", "--no-ff", "--no-edit", "side", at=40)
    graph = repo.graph(30_000, 41_000)
    assert {"side.py", side}.isdisjoint(known(graph, 0))
    assert {"side.py", side} <= set(known(graph, 1))
    assert "side.py" in known(git_graph(repo.folder, (30_000,), ref="side"), 0)


def test_the_author_has_the_name_used_last(repo: Repo) -> None:
    repo.commit({"a.py": A}, 10)
    repo.git("commit", "--quiet", "--allow-empty", "-m", "x", f"--author=Other <{EMAIL}>", at=20)
    graph = repo.graph(11_000, 21_000)
    assert [known(graph, at)[EMAIL]["name"] for at in (0, 1)] == ["Dev", "Other"]


def test_notes_count_from_their_own_commits(repo: Repo) -> None:
    first = repo.commit({"a.py": A}, 10)
    second = repo.commit({"b.py": A}, 11)
    repo.git("notes", "add", "-m", "one", first, at=20)
    repo.git("notes", "add", "-m", "one", second, at=30)
    repo.git("notes", "remove", first, at=40)
    repo.git("notes", "add", "-f", "-m", "two", second, at=50)
    graph = repo.graph(15_000, 25_000, 35_000, 45_000, 55_000)
    texts = [[n["text"] for n in known(graph, at, "Note").values()] for at in range(5)]
    assert texts == [[], ["one"], ["one"], ["one"], ["two"]]
    assert all(key.startswith("note:") for key in known(graph, 1, "Note"))


def test_a_folder_below_the_top_has_its_own_paths(repo: Repo) -> None:
    repo.commit({"pkg/a.py": A, "top.py": A, "pkgs/b.py": A}, 10)
    repo.commit({"pkg/sub/b.py": A, "top.py": "x"}, 20)
    graph = git_graph(repo.folder / "pkg", (15_000, 21_000))
    assert set(known(graph, 0, "File")) == {"a.py"}
    assert set(known(graph, 1, "File")) == {"a.py", "sub/b.py"}


def test_binary_huge_and_linked_files_are_paths_only(repo: Repo) -> None:
    (repo.folder / "link.py").symlink_to("a.py")
    repo.commit({"a.py": A, "bin.py": A.encode() + b"\0", "big.py": A + "#" * 1_000_000}, 10)
    nodes = known(repo.graph(20_000), 0)
    assert {"link.py", "bin.py", "big.py"} <= set(nodes)
    assert [key for key in nodes if "#" in key] == ["a.py#a"]


def test_files_too_big_are_noted(repo: Repo) -> None:
    """Once a path, whatever it becomes; files of which nothing is read anyway are none of them."""
    sizes = {"mid.py": 500_000, "wide.py": 100, "big.py": 1_000_000, "big.md": 1_000_000}
    files = {name: A + "#" * size for name, size in sizes.items()}
    repo.commit({"a.py": A, **files, "wide.py": A + "#" + "é" * 260_000, "bin.py": "\0"}, 10)
    repo.commit({"mid.py": A + "#" * 600_000, "big.txt": "#" * 2_000_000}, 20)
    graph = repo.graph(15_000, 25_000)
    assert set(known(graph, 1, "Symbol")) == {"a.py#a"}
    assert graph.notes == (
        "files too big to be read (sources over 500 kB have no symbols, Markdown over 1000 kB no "
        "text): 4",
    )
    repo.commit(dict.fromkeys(sizes, A), 30)
    assert len(known(repo.graph(35_000), 0, "Symbol")) == 4
    assert not repo.graph(35_000).notes


def test_submodules_are_left_out_and_counted(repo: Repo) -> None:
    sha = repo.commit({"a.py": A}, 10)
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{sha},sub")
    repo.git("commit", "--quiet", "-m", "sub", at=20)
    graph = repo.graph(21_000)
    assert set(known(graph, 0, "File")) == {"a.py"}
    assert graph.notes == ("submodules left out: 1",)


def test_names_that_are_no_text_are_kept(repo: Repo) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", given=A.encode())
    names = (b"bad\xff.py", b"esc\x1b[31m.py", b"new\nline.py", b"-rf.py", b"\xe2\x98\x83.py")
    lines = b"".join(b"100644 %s\t%s\0" % (blob.encode(), name) for name in names)
    repo.git("update-index", "-z", "--index-info", given=lines)
    repo.git("commit", "--quiet", "-m", "\x1b[31mred", at=10)
    nodes = known(repo.graph(20_000), 0)
    paths = {"bad\\xff.py", "esc\x1b[31m.py", "new\nline.py", "-rf.py", "☃.py"}
    assert paths | {f"{path}#a" for path in paths} <= set(nodes)


def test_a_bare_repository_works(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": A}, 10)
    repo.git("clone", "--quiet", "--bare", str(repo.folder), str(tmp_path / "bare.git"))
    graph = git_graph(tmp_path / "bare.git", (20_000,))
    assert graph.versions == repo.graph(20_000).versions
    assert graph.store_label == "bare"


def test_a_shallow_clone_is_noted(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": A}, 10)
    repo.commit({"b.py": A}, 20)
    repo.git("clone", "-q", "--depth=1", repo.folder.as_uri(), str(tmp_path / "shallow"))
    graph = git_graph(tmp_path / "shallow", (15_000, 21_000))
    assert graph.answerable_from == 1
    assert set(known(graph, 1, "File")) == {"a.py", "b.py"}
    assert graph.notes[0].startswith("the clone is shallow: prompts before its oldest commit")


def test_nothing_is_written(repo: Repo) -> None:
    repo.commit({"a.py": A}, 10)
    (repo.folder / "a.py").write_text("changed\n")

    def content() -> dict[Path, bytes]:
        return {f: f.read_bytes() for f in repo.folder.rglob("*") if f.is_file()}

    before = content()
    repo.graph(20_000)
    assert content() == before


def test_the_callers_git_variables_are_not_heard(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo.commit({"a.py": A}, 10)
    expected = repo.graph(20_000)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    assert repo.graph(20_000) == expected


def test_groups_of_files_change_nothing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(4):
        repo.commit({f"{n}.py": A, "same.py": f"x = {n}\n" + A}, 10 + n)
    prompts = (11_500, 12_500, 13_500)
    expected = repo.graph(*prompts)
    monkeypatch.setattr(_git_files, "_GROUP", 2)
    monkeypatch.setattr(_git_files, "_MAX_KNOWN", 0)
    assert repo.graph(*prompts) == expected


def test_progress_counts_changed_files(repo: Repo) -> None:
    repo.commit({"a.py": A, "b.py": A}, 10)
    repo.commit({"b.py": "x"}, 20)
    steps: list[int] = []
    git_graph(repo.folder, (15_000, 25_000), advance=steps.append)
    assert sum(steps) == 3


def test_history_has_the_states_after_every_commit(repo: Repo) -> None:
    repo.commit({"a.py": A}, 10)
    repo.commit({"a.py": "\n" + A}, 20)
    history = git_history(repo.folder)
    states = [(s.since_ms, s.until_ms) for s in history.states if s.node.key == "a.py#a"]
    assert sorted(states, key=str) == [(10_000, 20_000), (20_000, None)]
    assert (history.n_commits, history.first_ms, history.notes) == (2, 10_000, ())


def test_a_broken_blob_costs_its_symbols_only(repo: Repo) -> None:
    repo.commit({"a.py": A, "b.py": "b = 1\n" + A, "c.py": "c = 1\n" + A}, 10)
    _damage(repo, "HEAD:b.py")
    graph = repo.graph(20_000)
    assert set(known(graph, 0, "File")) == {"a.py", "b.py", "c.py"}
    assert set(known(graph, 0, "Symbol")) == {"a.py#a", "c.py#a"}
    (note,) = graph.notes
    assert note.endswith("(a partial clone, or damage: run git fsck): 1")


def test_a_missing_blob_costs_its_symbols_only(repo: Repo) -> None:
    repo.commit({"a.py": A, "b.py": "b = 1\n" + A}, 10)
    _object(repo, "HEAD:a.py").unlink()
    graph = repo.graph(20_000)
    assert set(known(graph, 0, "Symbol")) == {"b.py#a"}
    assert len(graph.notes) == 1


@pytest.mark.parametrize("what", ["HEAD", "HEAD~1", "HEAD^{tree}", "HEAD:pkg"])
@pytest.mark.parametrize("damage", ["damaged", "missing"])
def test_a_broken_repository_is_an_error(repo: Repo, what: str, damage: str) -> None:
    repo.commit({"pkg/a.py": A}, 10)
    repo.commit({"pkg/b.py": A}, 20)
    if damage == "damaged":
        _damage(repo, what)
    else:
        _object(repo, what).unlink()
    with pytest.raises(InputError, match=r"^[^\n]*project: git .* failed .*; run git fsck there$"):
        repo.graph(15_000, 25_000)


def _object(repo: Repo, what: str) -> Path:
    name = repo.git("rev-parse", what)
    return repo.folder / ".git" / "objects" / name[:2] / name[2:]


def _damage(repo: Repo, what: str) -> None:
    file = _object(repo, what)
    content = file.read_bytes()
    file.chmod(0o644)
    file.write_bytes(content[: len(content) // 2])


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent: no such folder; name a git repository$"):
        git_graph(tmp_path / "absent", (1,))


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is in no git repository; name a folder of one"):
        git_graph(tmp_path, (1,))


def test_no_commits(repo: Repo) -> None:
    with pytest.raises(InputError, match="has no commits yet; commit something"):
        repo.graph(1)


@pytest.mark.parametrize("content", [b"broken\n", b"", b"\0" * 41])
@pytest.mark.parametrize("bare", [False, True])
def test_a_broken_branch_is_not_one_without_commits(
    repo: Repo, tmp_path: Path, content: bytes, bare: bool
) -> None:
    repo.commit({"a.py": A}, 10)
    folder, refs = repo.folder, repo.folder / ".git/refs/heads"
    if bare:
        folder = tmp_path / "bare.git"
        repo.git("clone", "--quiet", "--bare", str(repo.folder), str(folder))
        (folder / "packed-refs").unlink()
        refs = folder / "refs/heads"
    (refs / "main").write_bytes(content)
    with pytest.raises(InputError, match=r"git log failed \(.*broken\); run git fsck there$"):
        git_graph(folder, (20_000,))


@pytest.mark.parametrize("ref", ["absent", "--all", "-h", "HEAD..main", "HEAD:a.py", ""])
def test_no_such_ref(repo: Repo, ref: str) -> None:
    repo.commit({"a.py": A}, 10)
    with pytest.raises(InputError, match=r"has no branch or commit '|git rev-parse failed"):
        git_graph(repo.folder, (20_000,), ref=ref)


def test_no_commit_before_any_prompt(repo: Repo) -> None:
    repo.commit({"a.py": A}, 10)
    with pytest.raises(InputError, match="none of the 2 prompts comes after the first commit"):
        repo.graph(-1, 10_000)


def test_no_prompts_is_an_empty_graph(repo: Repo) -> None:
    repo.commit({"a.py": A}, 10)
    assert repo.graph().versions == ()


def test_prompts_out_of_order(repo: Repo) -> None:
    with pytest.raises(ParameterError, match=r"`prompts_ms` must be ascending .* got 1 after 2"):
        repo.graph(2, 1)


def test_git_is_not_installed(repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="the command `git` was not found; install git"):
        repo.graph(1)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_another_users_repository(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo.commit({"a.py": A}, 10)
    monkeypatch.setenv("HOME", str(tmp_path))
    for file in (repo.folder, repo.folder / ".git"):
        shutil.chown(file, user=12345)
    with pytest.raises(InputError, match=r"belongs to another user.* --add safe\.directory '"):
        repo.graph(20_000)
    folder = repo.folder.resolve()
    (tmp_path / ".gitconfig").write_text(f"[safe]\n\tdirectory = {folder}\n")
    assert "a.py" in known(repo.graph(20_000), 0)


@pytest.mark.parametrize("setting", ["core.fsmonitor", "core.hooksPath", "diff.external"])
def test_no_program_that_a_repository_names_is_run(tmp_path: Path, setting: str) -> None:
    folder = tmp_path / "shop"
    commit(folder, {"cart.py": "def total():\n    pass\n"}, at=100)
    ran = tmp_path / "ran"
    program = tmp_path / "programs" / "post-index-change"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho ran > '{ran}'\n")
    program.chmod(0o755)
    git(folder, "config", setting, str(program.parent if "hooks" in setting else program))
    commit(folder, {"cart.py": "def sum():\n    pass\n"}, at=200)
    ran.unlink(missing_ok=True)  # the commits may run it: they are the user's own
    graph = git_graph(folder, [150_000, 250_000])
    assert {version.node.key for version in graph.versions} >= {"cart.py#total", "cart.py#sum"}
    assert not ran.exists()
