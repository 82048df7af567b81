"""Where the graph of a project comes from: one small interface over three sources.

"history" is what earlier transcripts and turns of the project revealed, for users without the
repository at hand; "git" is the repository in the project's own directory, at the commit before
each prompt; a path is a repository or a JSON export, which belongs to the project whose directory
bears its name, or that is named before it: NAME=PATH.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
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

__all__ = ["GraphSource", "base_name", "graph_source"]


class GraphSource(Protocol):
    """Gives the graph of a project."""

    @property
    def name(self) -> str:
        """What the user called it, with a whole path."""

    def fingerprint(self, projects: Sequence[Project]) -> str:
        """Something that changes whenever a graph does, beside the transcripts themselves."""

    def graph(self, project: Project) -> Graph:
        """All states of the project's graph; one that answers nothing where there is none."""


def graph_source(graph: str | os.PathLike[str], projects: Sequence[Project]) -> GraphSource:
    """Find the source that `graph` names.

    Parameters
    ----------
    graph
        "history", "git", or the path of a git repository or of a JSON export, NAME= before it if
        the project's directory has another name.
    projects
        All projects of the store: a path must belong to one of them.

    Raises
    ------
    InputError
        The path does not exist, or it belongs to no project.
    """
    if graph == "history":
        return _History()
    if graph == "git":
        repositories = _Repositories()
        if not any(map(repositories.place, projects)):
            raise InputError(
                "no transcript was recorded in a directory that is still a git repository: name "
                "the path of the repository as the graph, or take what the transcripts show, "
                "history"
            )
        return repositories
    path, of = user_path(graph), None
    if not path.exists() and "=" in os.fspath(graph):
        of, _, rest = os.fspath(graph).partition("=")
        path = user_path(rest)
    if not path.exists():
        raise InputError(
            f"no graph at {path}: name a git repository, a JSON export, or one of history, git"
        )
    source = _Repository(path, of) if path.is_dir() else _Export(path, of)
    owners = [project for project in projects if source.owns(project)]
    if not owners and len(projects) == 1:
        return _Everywhere(source)
    if not owners:
        names = ", ".join(sorted({base_name(project) for project in projects})[:8])
        raise InputError(
            f"the graph {path} is that of {source.of!r}, and no transcript was recorded in a "
            f"directory of that name; say whose it is by NAME={path}, of {names}"
        )
    return source


def base_name(project: Project) -> str:
    """Last part of the project's directory."""
    return (project.directory or project.name).rstrip("/\\").replace("\\", "/").rpartition("/")[2]


def _tips(repository: Path) -> str:
    """What a repository's graph depends on: its last commit, and the last of its notes."""
    try:
        opened = Repository(repository)
        return f"{opened.tip('HEAD')} {opened.tip('refs/notes/commits')}"
    except InputError as error:
        return str(error)


def _none(project: Project, why: str) -> Graph:
    return Graph((), answerable_from=len(project.prompts), origin=why)


@dataclass(frozen=True, slots=True)
class _History:
    name: str = "history"

    def fingerprint(self, projects: Sequence[Project]) -> str:
        return ""

    def graph(self, project: Project) -> Graph:
        return history_graph(project)


@dataclass(frozen=True, slots=True)
class _Repositories:
    """Each project's own directory, where it is still there and a repository."""

    name: str = "git"

    def fingerprint(self, projects: Sequence[Project]) -> str:
        return " ".join(_tips(path) for path in map(self.place, projects) if path)

    def graph(self, project: Project) -> Graph:
        place = self.place(project)
        if place is None:
            return _none(project, f"no git repository in {project.directory or 'no directory'}")
        try:
            return git_graph(place, [prompt.ms for prompt in project.prompts])
        except InputError as error:
            return _none(project, str(error))

    @staticmethod
    def place(project: Project) -> Path | None:
        """The project's directory, if it is there and a repository."""
        place = Path(project.directory) if project.directory else None
        return place if place and (place / ".git").exists() else None


class _Repository:
    def __init__(self, path: Path, of: str | None) -> None:
        self.path = path.absolute()
        self.name = str(self.path)
        self.of = self.path.name.removesuffix(".git") if of is None else of

    def owns(self, project: Project) -> bool:
        return base_name(project) == self.of

    def fingerprint(self, projects: Sequence[Project]) -> str:
        return _tips(self.path)

    def graph(self, project: Project) -> Graph:
        if not self.owns(project):
            return _none(project, f"the graph is that of {self.of}")
        return git_graph(self.path, [prompt.ms for prompt in project.prompts])


class _Export:
    def __init__(self, path: Path, of: str | None) -> None:
        self.path = path.absolute()
        self.name = str(self.path)
        self.of = read_graph(self.path, []).store_label if of is None else of

    def owns(self, project: Project) -> bool:
        return base_name(project) == self.of

    def fingerprint(self, projects: Sequence[Project]) -> str:
        digest = blake2b(digest_size=16)
        with self.path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
        return digest.hexdigest()

    def graph(self, project: Project) -> Graph:
        if not self.owns(project):
            return _none(project, f"the graph is that of {self.of}")
        return read_graph(self.path, [prompt.ms for prompt in project.prompts])


@dataclass(frozen=True, slots=True)
class _Everywhere:
    """One graph for the only project there is."""

    source: _Repository | _Export

    @property
    def name(self) -> str:
        return self.source.name

    def fingerprint(self, projects: Sequence[Project]) -> str:
        return self.source.fingerprint(projects)

    def graph(self, project: Project) -> Graph:
        times = [prompt.ms for prompt in project.prompts]
        if isinstance(self.source, _Repository):
            return git_graph(self.source.path, times)
        return read_graph(self.source.path, times)
