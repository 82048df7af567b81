"""Where the graph of a project comes from: one small interface over three sources.

"history" is what earlier transcripts and turns of the project revealed, for users without the
repository at hand; "git" is the repository in the project's own directory, at the commit before
each prompt; a path is a repository or a JSON export, which belongs to the project whose directory
bears its name, or that is named before it: NAME=PATH. Of a repository, a project that was recorded
below its top has the part that lies there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Protocol

from ctxlab.errors import InputError
from ctxlab.paths import user_path
from ctxlab.recall._git_plumbing import Repository
from ctxlab.recall.git import git_graph
from ctxlab.recall.graph import Graph
from ctxlab.recall.history import history_graph
from ctxlab.recall.jsongraph import read_graph
from ctxlab.recall.project import Project

__all__ = ["GraphNames", "GraphSource", "base_name", "graph_source", "graph_words"]

GraphNames = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""What a user may name as the graph: one word or path, or several paths."""


def graph_words(graph: GraphNames) -> str:
    """One text for what was named as the graph, each name in a line of its own."""
    several = (graph,) if isinstance(graph, (str, os.PathLike)) else tuple(graph)
    return "\n".join(os.fspath(name) for name in several)


class GraphSource(Protocol):
    """Gives the graph of a project."""

    def fingerprint(self, projects: Sequence[Project]) -> str:
        """Something that changes whenever a graph does, beside the transcripts themselves."""

    def graph(self, project: Project) -> Graph:
        """All states of the project's graph; one that answers nothing where there is none."""


def graph_source(graph: GraphNames, projects: Sequence[Project]) -> GraphSource:
    """Find the source that `graph` names.

    Parameters
    ----------
    graph
        "history", "git", or the path of a git repository or of a JSON export, NAME= before it if
        the project's directory has another name; or several paths, each of other projects.
    projects
        All projects of the store: a path must belong to one of them, and may to several.

    Raises
    ------
    InputError
        There is no project, the path does not exist or cannot be read, or it belongs to none.
    """
    if not projects:
        raise InputError(
            "no transcript holds a prompt to look up: MCP traffic and content-free sets (such as "
            "the bundled data/claude_code) have none, and an older ctxlab kept none; ingest "
            "transcripts of Claude Code or Codex CLI as these agents wrote them"
        )
    named = graph_words(graph)
    if named == "history":
        return _History()
    if named == "git":
        return _repositories(projects)
    if "\n" in named:
        return _several(named.split("\n"), projects)
    return _named(named, projects)


def _several(graphs: Sequence[str], projects: Sequence[Project]) -> GraphSource:
    """Several graphs, none of them of another one's project."""
    for name in graphs:
        if name in ("history", "git"):
            raise InputError(f"`graph` {name} stands alone: beside others name paths only")
    kept = tuple(_named(name, projects) for name in graphs)
    for project in projects:
        owners = [g for g, one in zip(graphs, kept, strict=True) if project.name in one.owners]
        if len(owners) > 1:
            raise InputError(
                f"{' and '.join(owners)} are both graphs of the project {project.name}: name one"
            )
    return _Several(kept)


def _named(graph: str, projects: Sequence[Project]) -> _Named:
    """A graph that was named by its path, with the projects that it belongs to."""
    path, of = _found(graph)
    kept = _Repository(path, of) if os.path.isdir(path) else _Export(path, of)
    owners = [project for project in projects if kept.owns(project)]
    if not owners and of is None and len(projects) == 1:
        owners = list(projects)
    if not owners:
        all_names = sorted({base_name(project) for project in projects})
        more = f" and {len(all_names) - 8} more" if len(all_names) > 8 else ""
        names = ", ".join(all_names[:8]) + more
        raise InputError(
            f"the graph {path} is that of {kept.of!r}, and no transcript was recorded in a "
            f"directory of that name; say whose it is by NAME={path}, of {names}"
        )
    return _Named(kept, frozenset(project.name for project in owners))


def _found(graph: str) -> tuple[Path, str | None]:
    """The folder or file that is named, and the project before it, if one is."""
    # The tests of `Path` raise for names that are too long, and in folders that are closed.
    name, sign, rest = graph.partition("=")
    if not sign or os.path.exists(user_path(graph)):
        name, rest = "", graph
    path = user_path(rest)
    if not rest or not (os.path.isdir(path) or os.path.isfile(path)):
        raise InputError(
            f"no graph at {rest!r}: name a git repository, a JSON export, or one of history, git"
        )
    return path, name or None


def base_name(project: Project) -> str:
    """Last part of the project's directory."""
    return (project.directory or project.name).rstrip("/\\").replace("\\", "/").rpartition("/")[2]


def _none(project: Project, why: str) -> Graph:
    return Graph((), answerable_from=len(project.prompts), origin=why)


def _times(project: Project) -> list[int]:
    return [prompt.ms for prompt in project.prompts]


@dataclass(frozen=True, slots=True)
class _History:
    def fingerprint(self, projects: Sequence[Project]) -> str:
        return ""

    def graph(self, project: Project) -> Graph:
        return history_graph(project)


def _repositories(projects: Sequence[Project]) -> GraphSource:
    """Each project's own directory, if one of them is a repository still."""
    causes = []
    for project in projects:
        try:
            _own_repository(project)
            return _Repositories()
        except InputError as error:
            causes.append(str(error))
    raise InputError(
        "no transcript was recorded in a directory that is still in a git repository: name the "
        "path of the repository as the graph, or take what the transcripts show, history "
        f"({causes[0]})"
    )


def _own_repository(project: Project) -> Repository:
    """The repository that the project's directory lies in.

    Raises
    ------
    InputError
        It lies in none, or in one that knows nothing of it, as a home folder's may.
    """
    directory = project.directory
    if directory is None or not os.path.isabs(directory):
        raise InputError(f"the transcripts of {project.name} name no directory of this machine")
    repository = Repository(directory)
    if not repository.holds_folder():
        raise InputError(
            f"{directory}: its repository holds no file of this folder; commit some, or name "
            "another repository"
        )
    return repository


@dataclass(frozen=True, slots=True)
class _Repositories:
    """Each project's own directory, where it is still there and in a repository."""

    def fingerprint(self, projects: Sequence[Project]) -> str:
        return "\n".join(f"{project.directory} {_own_state(project)}" for project in projects)

    def graph(self, project: Project) -> Graph:
        try:
            return git_graph(_own_repository(project).folder, _times(project))
        except InputError as error:
            return _none(project, str(error))


def _own_state(project: Project) -> str:
    try:
        return _own_repository(project).state()
    except InputError as error:
        return str(error)


class _Repository:
    """A repository that the user named."""

    def __init__(self, path: Path, of: str | None) -> None:
        self.path = Path(os.path.abspath(path))
        self.is_named = of is not None
        self.of = self.path.name.removesuffix(".git") if of is None else of
        self._git = Repository(self.path)

    def owns(self, project: Project) -> bool:
        return base_name(project) == self.of or not (
            self.is_named or self._folder(project) == self.path
        )

    def fingerprint(self) -> str:
        return self._git.state()

    def read(self, project: Project) -> Graph:
        return git_graph(self._folder(project), _times(project))

    def _folder(self, project: Project) -> Path:
        """Where the project's paths begin: its own directory, if that is a part of this."""
        own = Path(project.directory or "")
        if self.path not in own.parents:
            return self.path
        try:
            inner = Repository(own)
            is_part = inner.git_folder() == self._git.git_folder() and inner.holds_folder()
        except InputError:
            return self.path
        return own if is_part else self.path


class _Export:
    """A graph in a file."""

    def __init__(self, path: Path, of: str | None) -> None:
        self.path = Path(os.path.abspath(path))
        self.of = read_graph(self.path, []).store_label if of is None else of

    def owns(self, project: Project) -> bool:
        return base_name(project) == self.of

    def fingerprint(self) -> str:
        with self.path.open("rb") as file:
            return file_digest(file, blake2b).hexdigest()

    def read(self, project: Project) -> Graph:
        return read_graph(self.path, _times(project))


@dataclass(frozen=True, slots=True)
class _Named:
    """What the user named by its path, and the projects whose graph it is, by name."""

    kept: _Repository | _Export
    owners: frozenset[str]

    def fingerprint(self, projects: Sequence[Project]) -> str:
        return self.kept.fingerprint()

    def graph(self, project: Project) -> Graph:
        if project.name not in self.owners:
            return _none(project, f"the graph is that of {self.kept.of}")
        try:
            return self.kept.read(project)
        except InputError as error:
            if len(self.owners) == 1:
                raise
            return _none(project, str(error))


@dataclass(frozen=True, slots=True)
class _Several:
    """Graphs that were named by their paths, each of other projects."""

    kept: tuple[_Named, ...]

    def fingerprint(self, projects: Sequence[Project]) -> str:
        return " ".join(one.fingerprint(projects) for one in self.kept)

    def graph(self, project: Project) -> Graph:
        for one in self.kept:
            if project.name in one.owners:
                return one.graph(project)
        return _none(project, "none of the graphs is that of this project")
