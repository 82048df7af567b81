"""Where a repository lies, and paths as they read from there."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from posixpath import normpath

__all__ = ["Relative", "folded", "is_absolute", "relative_to", "repository_of"]

Relative = Callable[[str], str | None]

_WORKTREE = re.compile(r"(.+?)/(?:\.worktrees|\.claude/worktrees)/.")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


def folded(path: str) -> str:
    r"""Write a path without `.` and doubled slashes; one of Windows with `/` and a capital drive.

    Examples
    --------
    >>> folded("./src//a.py"), folded(r"c:\repo\a.py")
    ('src/a.py', 'C:/repo/a.py')
    """
    if _WINDOWS.match(path):
        path = path[0].upper() + path[1:].replace("\\", "/")
    return normpath(path) if path else ""


def is_absolute(path: str) -> bool:
    """Tell whether a folded path begins at a root or a drive."""
    return path.startswith("/") or path[1:3] == ":/"


def repository_of(directory: str) -> str:
    """Find the directory of the repository that this is a worktree of, or give it back, folded.

    Two places are known: `.worktrees/` at a repository's root, which developers make, and
    `.claude/worktrees/`, which Claude Code does. A branch's name may add folders below them.

    Examples
    --------
    >>> repository_of("/repo/.worktrees/feature/x"), repository_of("/repo-x")
    ('/repo', '/repo-x')
    """
    directory = folded(directory)
    worktree = _WORKTREE.match(directory)
    return worktree[1] if worktree else directory


def relative_to(root: str | None) -> Relative:
    """Give the function that makes paths relative to `root`; None for those that are not below.

    Without a root nothing is outside, and absolute paths stay.
    """
    head = None if root is None else folded(root).rstrip("/") + "/"

    @cache
    def relative(path: str) -> str | None:
        path = folded(path)
        if head is not None and is_absolute(path):
            if not path.startswith(head):
                return None
            path = path[len(head) :]
        is_below = path.split("/", 1)[0] not in ("", ".", "..", "~")
        return path if is_below or path.startswith("/") else None

    return relative
