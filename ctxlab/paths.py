"""Paths as people write them."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["user_path"]


def user_path(path: str | os.PathLike[str]) -> Path:
    """Put the home folder in place of `~`; an unknown user's stays as written, and is not found.

    `Path.expanduser` raises for those.
    """
    return Path(os.path.expanduser(path))
