"""Git repositories in a temporary folder, commit by commit, by a clock of their own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

_SETTINGS = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A. Author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_COMMITTER_NAME": "A. Author",
    "GIT_COMMITTER_EMAIL": "author@example.org",
}


def git(folder: Path, *words: str, at: datetime | None = None) -> str:
    """Run git in a folder, at a given time, without the user's settings."""
    when = {} if at is None else dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{at}")
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **_SETTINGS, **when},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def commit(
    folder: Path, files: Mapping[str, str | None], message: str = "change", *, at: datetime
) -> str:
    """Write files, None to remove one, and commit them; the repository is made if needed."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--initial-branch=main")
    for name, text in files.items():
        path = folder / name
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message, at=at.astimezone(UTC))
    return git(folder, "rev-parse", "HEAD")
