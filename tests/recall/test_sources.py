"""Where a project's graph comes from, and which project a graph is of."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from ctxlab.errors import InputError
from ctxlab.recall.graph import Graph, Node
from ctxlab.recall.jsongraph import Dated, write_graph
from ctxlab.recall.project import Project, Prompt, Revealed, Use
from ctxlab.recall.sources import base_name, graph_source, graph_words
from tests.repositories import commit, git
from tests.sessions import START

DAY = timedelta(days=1)


def project(
    directory: str | Path | None, days: tuple[float, ...] = (1.0,), name: str | None = None
) -> Project:
    """A project whose prompts were asked so many days after the start."""
    times = [int((START + day * DAY).timestamp() * 1000) for day in days]
    prompts = tuple(Prompt("f", "t", i, ms, 0, 1, "go on", Use()) for i, ms in enumerate(times))
    where = None if directory is None else str(directory)
    return Project(
        name or Path(where or "nowhere").name,
        where,
        prompts,
        (Revealed(0, "seen.py"),),
    )


def keys(graph: Graph) -> set[str]:
    return {v.node.key for v in graph.versions if v.node.label == "File"}


def is_empty(graph: Graph, of: Project) -> bool:
    return not graph.versions and graph.answerable_from == len(of.prompts)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a file at its top and one in a folder."""
    folder = tmp_path / "pumps"
    commit(folder, {"top.py": "x = 1\n", "lib/inner.py": "y = 2\n"}, at=START)
    return folder


def export(path: Path, label: str = "pumps", name: str = "exported.py") -> Path:
    return write_graph([Dated(Node("File", name, {"path": name}))], path, store_label=label)


# What a project is asked in -----------------------------------------------------------------------


def test_history_is_what_the_project_itself_revealed() -> None:
    one = project("/gone")
    source = graph_source("history", [one])
    assert keys(source.graph(one)) == {"seen.py"}
    assert source.fingerprint([one]) == ""


def test_git_is_the_repository_in_the_projects_own_directory(
    repository: Path, tmp_path: Path
) -> None:
    (tmp_path / "plain").mkdir()
    own, gone, plain, lost = (
        project(repository),
        project(tmp_path / "gone"),
        project(tmp_path / "plain"),
        project(None),
    )
    source = graph_source("git", [gone, plain, lost, own])
    assert keys(source.graph(own)) == {"top.py", "lib/inner.py"}
    for other, why in [
        (gone, "no such folder"),
        (plain, "is in no git repository"),
        (lost, "the transcripts of nowhere name no directory of this machine"),
    ]:
        graph = source.graph(other)
        assert is_empty(graph, other)
        assert why in graph.origin


def test_an_agent_in_a_folder_of_a_repository_has_that_part_with_its_own_paths(
    repository: Path,
) -> None:
    inner = project(repository / "lib")
    assert keys(graph_source("git", [inner]).graph(inner)) == {"inner.py"}


def test_an_agent_in_a_worktree_has_the_branch_of_that(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    commit(tmp_path / "side", {"side.py": "z = 3\n"}, at=START + DAY / 2)
    side = project(tmp_path / "side")
    assert "side.py" in keys(graph_source("git", [side]).graph(side))


def test_a_folder_that_a_repository_above_knows_nothing_of_is_not_in_it(repository: Path) -> None:
    (repository / "other").mkdir()
    other, own = project(repository / "other"), project(repository)
    graph = graph_source("git", [other, own]).graph(other)
    assert is_empty(graph, other)
    assert "holds no file of this folder" in graph.origin


@pytest.mark.parametrize(
    "directory", ["relative", ".", "~", "C:/pumps", "/no\0name", "/" + 300 * "x"]
)
def test_git_looks_in_no_directory_that_is_not_one_of_this_machine(
    repository: Path, directory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    monkeypatch.setenv("HOME", str(repository))
    (repository / "relative").mkdir()
    odd = project(directory)
    assert is_empty(graph_source("git", [odd, project(repository)]).graph(odd), odd)


def test_prompts_before_the_first_commit_have_no_graph(repository: Path) -> None:
    early = project(repository, (-2, -1, 0.5))
    graph = graph_source("git", [early]).graph(early)
    assert graph.answerable_from == 2
    never = project(repository, (-2, -1))
    graph = graph_source("git", [early, never]).graph(never)
    assert is_empty(graph, never)
    assert "none of the 2 prompts comes after the first commit" in graph.origin


def test_a_repository_without_commits_answers_nothing(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "empty")
    one = project(tmp_path / "empty")
    graph = graph_source("git", [one]).graph(one)
    assert is_empty(graph, one)
    assert "has no commits yet" in graph.origin


# Which project a path is of -----------------------------------------------------------------------


def test_a_path_is_of_the_project_whose_directory_bears_its_name(repository: Path) -> None:
    here, elsewhere, other = project("/there/pumps"), project("C:\\src\\pumps"), project("/valves")
    source = graph_source(repository, [here, elsewhere, other])
    assert keys(source.graph(here)) == keys(source.graph(elsewhere)) == {"top.py", "lib/inner.py"}
    assert is_empty(source.graph(other), other)
    assert source.graph(other).origin == "the graph is that of pumps"


def test_a_bare_repository_is_named_without_its_end(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "pumps.git")
    pumps, other = project("/there/pumps"), project("/valves")
    source = graph_source(tmp_path / "pumps.git", [pumps, other])
    assert keys(source.graph(pumps)) == {"top.py", "lib/inner.py"}
    assert is_empty(source.graph(other), other)


def test_an_export_is_of_the_project_that_its_label_names(tmp_path: Path) -> None:
    path = export(tmp_path / "any.json")
    pumps, other = project("/there/pumps"), project("/valves")
    source = graph_source(str(path), [pumps, other])
    assert keys(source.graph(pumps)) == {"exported.py"}
    assert is_empty(source.graph(other), other)


def test_a_graph_may_be_named_for_its_project(repository: Path, tmp_path: Path) -> None:
    pumps, valves = project("/there/pumps"), project("/there/valves")
    for path in (repository, export(tmp_path / "any.json")):
        source = graph_source(f"valves={path}", [pumps, valves])
        assert source.graph(valves).versions
        assert is_empty(source.graph(pumps), pumps)
    with pytest.raises(InputError, match=r"is that of 'x', and no .* by NAME=.*, of pumps, valves"):
        graph_source(f"x={repository}", [pumps, valves])


def test_a_name_may_hold_the_sign(repository: Path, tmp_path: Path) -> None:
    repository.rename(tmp_path / "a=b")
    one, other = project("/there/a=b"), project("/there/b")
    assert graph_source(tmp_path / "a=b", [one, other]).graph(one).versions


def test_the_only_project_takes_any_graph(repository: Path, tmp_path: Path) -> None:
    one = project("/there/valves")
    assert keys(graph_source(repository, [one]).graph(one)) == {"top.py", "lib/inner.py"}
    assert keys(graph_source(export(tmp_path / "g.jsonl"), [one]).graph(one)) == {"exported.py"}


def test_a_project_below_a_named_repository_has_its_part(repository: Path, tmp_path: Path) -> None:
    inner, other = project(repository / "lib"), project("/valves")
    source = graph_source(repository, [inner, other])
    assert keys(source.graph(inner)) == {"inner.py"}
    assert is_empty(source.graph(other), other)
    named = graph_source(f"valves={repository}", [inner, other])
    assert is_empty(named.graph(inner), inner)
    nested = repository / "nested"
    commit(nested, {"own.py": "1\n"}, at=START)
    stranger = project(nested)
    assert is_empty(graph_source(repository, [inner, stranger]).graph(stranger), stranger)


def test_one_of_several_projects_may_come_too_early(repository: Path) -> None:
    early, late = project("/a/pumps", (-1,), "a/pumps"), project("/b/pumps", name="b/pumps")
    source = graph_source(repository, [early, late])
    assert source.graph(late).versions
    assert is_empty(source.graph(early), early)
    with pytest.raises(InputError, match="none of the 1 prompts comes after the first commit"):
        graph_source(repository, [early]).graph(early)


def test_base_names_of_directories() -> None:
    assert base_name(project("/a/b/")) == base_name(project("C:\\a\\b")) == "b"
    assert base_name(project(None, name="family")) == "family"


# Graphs that are none -----------------------------------------------------------------------------


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def text(path: Path) -> Path:
    path.write_text("words\n")
    return path


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path, "no graph at .*: name a git repository, a JSON export, or one of"),
        (lambda path: path / ("x" * 300), "no graph at "),
        (pipe, "no graph at .*: name a git repository, a JSON export"),
        (folder, "is in no git repository; name a folder of one, or run git init"),
        (text, "no JSON"),
    ],
)
def test_paths_that_hold_no_graph(
    tmp_path: Path, make: Callable[[Path], Path], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        graph_source(make(tmp_path / "x"), [project("/a/x")])


def test_a_path_that_belongs_to_no_project(repository: Path, tmp_path: Path) -> None:
    valves, wells = project("/there/valves"), project("/there/wells")
    for path in (repository, export(tmp_path / "g.json")):
        with pytest.raises(
            InputError,
            match=r"is that of 'pumps', and no transcript was recorded in a directory of that "
            r"name; say whose it is by NAME=.*, of valves, wells$",
        ):
            graph_source(path, [valves, wells])


def test_git_without_any_repository_says_what_else_there_is(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"still in a git repository: name the path .*, history \(.*no such folder"
    ):
        graph_source("git", [project(tmp_path / "gone"), project(None)])


@pytest.mark.parametrize("graph", ["history", "git", "somewhere"])
def test_without_prompts_there_is_nothing_to_look_up(graph: str) -> None:
    with pytest.raises(InputError, match="no transcript holds a prompt to look up: MCP traffic"):
        graph_source(graph, [])


# What a graph depends on --------------------------------------------------------------------------


def test_a_fingerprint_changes_with_the_history_alone(repository: Path, tmp_path: Path) -> None:
    own, other = project(repository), project("/valves")
    both = [own, other]
    for graph in ("git", repository):
        seen = [graph_source(graph, both).fingerprint(both)]
        (repository / "draft.py").write_text("not committed\n")
        assert graph_source(graph, both).fingerprint(both) == seen[0]
        commit(repository, {}, at=START + DAY)
        seen.append(graph_source(graph, both).fingerprint(both))
        git(repository, "notes", "add", "-m", "a note", at=START + DAY)
        seen.append(graph_source(graph, both).fingerprint(both))
        git(repository, "notes", "remove")
        git(repository, "reset", "--quiet", "--hard", "HEAD~1")
        seen.append(graph_source(graph, both).fingerprint(both))
        assert len(set(seen)) == 4
        git(repository, "update-ref", "-d", "refs/notes/commits")
        (repository / "draft.py").unlink(missing_ok=True)


def test_a_fingerprint_tells_a_clone_that_was_cut(repository: Path, tmp_path: Path) -> None:
    commit(repository, {"new.py": "1\n"}, at=START + DAY)
    git(tmp_path, "clone", "--quiet", "--depth=1", repository.as_uri(), "cut/pumps")
    cut = tmp_path / "cut/pumps"
    one = project(cut, (0.5, 2))
    before = graph_source(cut, [one])
    assert before.graph(one).answerable_from == 1
    assert any("shallow" in note for note in before.graph(one).notes)
    seen = before.fingerprint([one])
    git(cut, "fetch", "--quiet", "--unshallow")
    after = graph_source(cut, [one])
    assert after.fingerprint([one]) != seen
    assert after.graph(one).answerable_from == 0


def test_a_fingerprint_tells_which_directory_is_there(repository: Path, tmp_path: Path) -> None:
    one, two = project(repository), project(tmp_path / "twin")
    seen = graph_source("git", [one, two]).fingerprint([one, two])
    repository.rename(tmp_path / "twin")
    assert graph_source("git", [one, two]).fingerprint([one, two]) != seen


def test_a_fingerprint_of_an_export_is_that_of_its_content(tmp_path: Path) -> None:
    one = project("/pumps")
    path = export(tmp_path / "g.json")
    seen = graph_source(path, [one]).fingerprint([one])
    copy = export(tmp_path / "other.json")
    assert graph_source(copy, [one]).fingerprint([one]) == seen
    export(path, name="renamed.py")
    assert graph_source(path, [one]).fingerprint([one]) != seen


# Several graphs -----------------------------------------------------------------------------------


def test_several_graphs_are_each_of_their_project(repository: Path, tmp_path: Path) -> None:
    valves = export(tmp_path / "valves.json", "valves")
    one, other, third = project("/src/pumps"), project("/src/valves"), project("/src/tanks")
    both = [str(repository), valves]
    source = graph_source(both, [one, other, third])
    assert keys(source.graph(one)) == {"top.py", "lib/inner.py"}
    assert keys(source.graph(other)) == {"exported.py"}
    assert is_empty(source.graph(third), third)
    assert source.graph(third).origin == "none of the graphs is that of this project"
    alone = graph_source(repository, [one, other, third])
    assert source.fingerprint([one]) != alone.fingerprint([one])
    assert graph_words(both) == f"{repository}\n{valves}"


def test_one_project_has_one_graph(repository: Path, tmp_path: Path) -> None:
    copy = export(tmp_path / "copy.json")
    with pytest.raises(InputError, match="are both graphs of the project pumps: name one"):
        graph_source([repository, copy], [project("/src/pumps"), project("/src/valves")])


@pytest.mark.parametrize("word", ["history", "git"])
def test_words_stand_alone(repository: Path, word: str) -> None:
    with pytest.raises(InputError, match=f"`graph` {word} stands alone"):
        graph_source([repository, word], [project("/src/pumps")])


def test_a_name_that_is_given_must_be_the_projects(repository: Path) -> None:
    with pytest.raises(InputError, match=r"no transcript was recorded in a directory of that name"):
        graph_source(f"tanks={repository}", [project("/src/pumps")])


def test_names_that_are_left_out_are_counted(repository: Path) -> None:
    many = [project(f"/src/tank{i:02}") for i in range(11)]
    with pytest.raises(InputError, match=r"of tank00, .*, tank07 and 3 more$"):
        graph_source(repository, many)
