"""Git repositories in a temporary folder, by a clock of their own, without the user's settings."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

EMAIL = "dev@example.org"


def git(folder: Path, *words: str, at: datetime | float = 0, given: bytes = b"") -> str:
    """Run git in a folder at a time, in seconds if it is a number; give what it prints."""
    seconds = at.timestamp() if isinstance(at, datetime) else at
    date = f"@{seconds:.0f} +0000"
    done = subprocess.run(
        ("git", *words),
        cwd=folder,
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


def commit(
    folder: Path,
    files: Mapping[str, str | bytes | None],
    message: str = "Step",
    *,
    at: datetime | float,
) -> str:
    """Write files, None to remove one, and commit them; the repository is made if needed."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--initial-branch=main")
    write(folder, files)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message, at=at)
    return git(folder, "rev-parse", "HEAD")


def write(folder: Path, files: Mapping[str, str | bytes | None]) -> None:
    """Write files below a folder, None to remove one."""
    for name, content in files.items():
        file = folder / name
        if content is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
