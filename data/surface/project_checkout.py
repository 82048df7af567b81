"""The repository as of one commit, in a folder of its own, and what commands print of it.

Run with the name of a tool and its arguments as a JSON object, it prints what the tool answers.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from project_tools import TOOLS

__all__ = ["COMMIT", "LOG", "PROJECT", "Checkout", "checked_out", "git"]

COMMIT = "3aa882820c"
PARTS = ("ctxlab", "tests", "docs", "notebooks", "README.md", "CONTRIBUTING.md", "pyproject.toml")
PROJECT = "/project"
"""Where the sessions say that it stands."""

LOG = """git log HEAD --abbrev=10 --format='{"commit":"%h","time":"%cI","subject":"%f"}' -- """
"""A JSON object a commit, of the path behind it."""

_INDENTED = ("list_symbols", "list_commits", "file_outline", "search_docs")


def git(*arguments: str) -> bytes:
    """Ask git about this repository.

    Raises
    ------
    SystemExit
        If there is no git, no repository, or not what was asked for.
    """
    program = shutil.which("git")
    if program is None:
        raise SystemExit("git is needed to make the sessions; install it")
    # A clone that another user owns is still this project's: nothing of it is run.
    done = subprocess.run(
        [program, "-c", "safe.directory=*", *arguments],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
    return done.stdout


@dataclass(frozen=True)
class Checkout:
    """The project as of `COMMIT` in a folder of its own, and what commands print of it."""

    root: Path
    git_folder: str

    def shell(self, command: str) -> tuple[str, int]:
        """Print and exit code of a command; HEAD stands for the commit, paths for `PROJECT`."""
        done = subprocess.run(
            ["/bin/sh", "-c", command.replace("HEAD", COMMIT)],
            cwd=self.root,
            env={
                "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.defpath]),
                "HOME": str(self.root),
                "LC_ALL": "C.UTF-8",
                "GIT_DIR": self.git_folder,
                "GIT_CONFIG_NOSYSTEM": "1",
                "RUFF_NO_CACHE": "true",
            },
            capture_output=True,
            check=False,
        )
        text = (done.stdout + done.stderr).decode(errors="replace")
        return text.replace(str(self.root), PROJECT).rstrip("\n"), done.returncode

    def tool(self, name: str, given: Mapping[str, Any]) -> str:
        """Answer of one of the project's tools."""
        answer = (
            self._commits(**given) if name == "list_commits" else TOOLS[name](self.root, **given)
        )
        if isinstance(answer, str):
            return answer
        return json.dumps(answer, ensure_ascii=False, indent=2 if name in _INDENTED else None)

    def _commits(self, path: str, limit: int = 30) -> dict[str, Any]:
        """Commits of a path, the latest first."""
        items = [json.loads(line) for line in self.shell(LOG + path)[0].split("\n")]
        return {"path": path, "total": len(items), "items": items[:limit]}

    def holders(self, text: str) -> list[str]:
        """Paths of the Python files that hold a text."""
        files = sorted(path.relative_to(self.root).as_posix() for path in self.root.rglob("*.py"))
        return [file for file in files if text in (self.root / file).read_text(encoding="utf-8")]

    def lines(self, path: str) -> list[str]:
        """Lines of a file."""
        return (self.root / path).read_text(encoding="utf-8").split("\n")[:-1]


@contextmanager
def checked_out() -> Iterator[Checkout]:
    """Give the project as of `COMMIT`; its folder is gone afterwards."""
    packed = git("archive", COMMIT, *PARTS)
    git_folder = git("rev-parse", "--absolute-git-dir").decode().rstrip("\n")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        yield Checkout(Path(folder).resolve(), git_folder)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in (*TOOLS, "list_commits"):
        raise SystemExit(f"give one of {', '.join((*TOOLS, 'list_commits'))}, and a JSON object")
    with checked_out() as project:
        sys.stdout.write(project.tool(sys.argv[1], json.loads(sys.argv[2])) + "\n")
