"""Text into files that are either the old or the new ones, never half of each."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ctxlab.errors import CtxlabError

__all__ = ["write_text"]


def write_text(path: Path, text: str) -> Path:
    """Write a file in one step; its folder is made if needed.

    Raises
    ------
    CtxlabError
        If it cannot be written, with the system's reason.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8", errors="backslashreplace")
        os.replace(draft, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise CtxlabError(f"cannot write {path}: {error.strerror}") from error
    return path
