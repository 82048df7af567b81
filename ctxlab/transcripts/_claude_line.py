"""The envelope of a Claude Code record, and readings of values that may be of any type."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ctxlab.transcripts._claude_path import ThreadPath
from ctxlab.transcripts._texts import json_text, utf8_size

__all__ = ["Line", "as_count", "as_dict", "as_text", "json_size", "kind_name", "milliseconds"]


@dataclass(slots=True)
class Line:
    """One record as the reader goes through it.

    `own` names the line within the file even if it has no `uuid`. `node` is the one of the
    thread's path that the line belongs to: its own until it turns out to be part of a response.
    """

    record: dict[str, Any]
    thread: str
    path: ThreadPath
    uuid: str | None
    parent: str | None
    ts_ms: int | None
    cwd: str | None
    version: str | None
    own: str
    node: str

    def uid(self, n: int = 0) -> str | None:
        """Identity of the n-th thing on the line."""
        return f"{self.uuid}:{n}" if n and self.uuid else self.uuid

    def mark(self, name: str) -> str | None:
        """Identity of what the line only implies."""
        return f"{self.uuid}:{name}" if self.uuid else None

    def is_root(self) -> bool:
        """Whether the log says that nothing precedes the line; a blanked parent does not."""
        return self.record.get("parentUuid", "") is None


def as_dict(value: object) -> dict[str, Any]:
    """Give an object, an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def as_text(value: object) -> str | None:
    """Give a string, None for any other value."""
    return value if isinstance(value, str) else None


def as_count(value: object, below: int = 2**31) -> int | None:
    """Give a count, None for what is none or would fit no column."""
    return value if type(value) is int and 0 <= value < below else None


def kind_name(value: object) -> str:
    """Name a kind that a record states, whatever stands there."""
    return value if isinstance(value, str) else f"({type(value).__name__})"


def milliseconds(value: object) -> int | None:
    """Read an ISO time stamp as Unix milliseconds."""
    if not isinstance(value, str):
        return None
    try:
        return round(datetime.fromisoformat(value).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return None


def json_size(value: object) -> int:
    """UTF-8 size of a call's input as compact JSON; 0 if it is nested too deep."""
    return utf8_size(json_text(value) or "")
