"""Git repositories under test, made on the spot."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxlab.recall.git import git_graph
from ctxlab.recall.graph import Graph

A = 'def a():\n    "Give a."\n'
EMAIL = "dev@example.org"


class Repo:
    """A repository under test; times are in seconds, prompts in milliseconds."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main", *options)

    def git(self, *arguments: str, at: int = 0, given: bytes = b"") -> str:
        date = f"@{at} +0000"
        done = subprocess.run(
            ("git", *arguments),
            cwd=self.folder,
            input=given,
            capture_output=True,
            check=False,
            env={
                "PATH": os.environ["PATH"],
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_AUTHOR_NAME": "Dev",
                "GIT_COMMITTER_NAME": "Dev",
                "GIT_AUTHOR_EMAIL": EMAIL,
                "GIT_COMMITTER_EMAIL": EMAIL,
                "GIT_AUTHOR_DATE": date,
                "GIT_COMMITTER_DATE": date,
            },
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.decode().strip()

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        for name, content in files.items():
            file = self.folder / name
            if content is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(
        self, files: Mapping[str, str | bytes | None], at: int, message: str = "Step"
    ) -> str:
        self.write(files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message, at=at)
        return self.git("rev-parse", "HEAD")

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
