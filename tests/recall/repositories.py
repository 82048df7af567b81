"""Git repositories under test, made on the spot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxlab.recall.git import git_graph
from ctxlab.recall.graph import Graph
from tests.repositories import EMAIL, commit, git, write

A = 'def a():\n    "Give a."\n'


class Repo:
    """A repository under test; times are in seconds, prompts in milliseconds."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main", *options)

    def git(self, *arguments: str, at: int = 0, given: bytes = b"") -> str:
        return git(self.folder, *arguments, at=at, given=given)

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        write(self.folder, files)

    def commit(
        self, files: Mapping[str, str | bytes | None], at: int, message: str = "Step"
    ) -> str:
        return commit(self.folder, files, message, at=at)

    def fast_import(self, steps: Sequence[tuple[int, Mapping[str, str]]]) -> None:
        """Commit the files of each step, "" to delete one, at its time."""
        lines: list[str] = []
        for at, files in steps:
            lines.append(f"commit refs/heads/main\ncommitter Dev <{EMAIL}> {at} +0000\ndata 1\nx")
            for name, content in files.items():
                lines.append(
                    f"M 100644 inline {name}\ndata {len(content)}\n{content}"
                    if content
                    else f"D {name}"
                )
        self.git("fast-import", "--quiet", given="\n".join([*lines, ""]).encode())

    def graph(self, *prompts_ms: int) -> Graph:
        return git_graph(self.folder, prompts_ms)
