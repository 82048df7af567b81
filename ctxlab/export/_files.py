"""Text into files that are either the old or the new ones, never half of each."""

from __future__ import annotations

import contextlib
import os
import unicodedata
from pathlib import Path
from typing import Any

import orjson

from ctxlab.errors import CtxlabError

__all__ = ["write_json", "write_text"]

_STEERING = ("Cc", "Cf", "Zl", "Zp")
"""Categories of what a terminal obeys, or what turns its neighbours round."""


def write_json(path: Path, content: Any) -> Path:
    """Write a value as JSON that may be shown on a terminal: what would steer it is escaped.

    Raises
    ------
    CtxlabError
        If it cannot be written, with the system's reason.
    """
    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY
    text = orjson.dumps(content, option=options | orjson.OPT_APPEND_NEWLINE).decode()
    return write_text(path, "".join(map(_harmless, text)))


def _harmless(character: str) -> str:
    if character == "\n" or unicodedata.category(character) not in _STEERING:
        return character
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


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
