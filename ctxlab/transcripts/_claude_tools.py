"""Claude Code's tools: name and input of a call → its kind and the paths it works on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctxlab.events import ToolKind, Touch, TouchKind
from ctxlab.transcripts import _shell
from ctxlab.transcripts._source import resolve

__all__ = ["Call", "describe"]

_KINDS: dict[str, ToolKind] = {
    **dict.fromkeys(["Read", "NotebookRead", "View"], "read"),
    "Grep": "grep",
    **dict.fromkeys(["Glob", "LS"], "glob"),
    **dict.fromkeys(["Bash", "PowerShell"], "shell"),
    **dict.fromkeys(["Edit", "Write", "MultiEdit", "NotebookEdit"], "edit"),
    **dict.fromkeys(["Agent", "Task"], "agent"),
    **dict.fromkeys(["WebFetch", "WebSearch"], "web"),
    **dict.fromkeys(
        [
            "AgentOutputTool",
            "AskUserQuestion",
            "BashOutput",
            "EnterPlanMode",
            "EnterWorktree",
            "ExitPlanMode",
            "ExitWorktree",
            "KillBash",
            "KillShell",
            "SendMessage",
            "TaskCreate",
            "TaskGet",
            "TaskList",
            "TaskOutput",
            "TaskStop",
            "TaskUpdate",
            "TodoRead",
            "TodoWrite",
            "ToolSearch",
        ],
        "bookkeeping",
    ),
}
_TOUCH_KINDS: dict[ToolKind, TouchKind] = {
    "read": "read",
    "grep": "search",
    "glob": "list",
    "edit": "edit",
}
_PATH_KEYS = ("file_path", "notebook_path", "path")


@dataclass(frozen=True, slots=True)
class Call:
    """What must be known of a call to read its result; held until that comes.

    `path` is what it reads, edits or searches, `command` what a shell ran, each None elsewhere.
    """

    call_id: str | None
    tool: str
    kind: ToolKind
    request: int | None
    touches: tuple[Touch, ...]
    cwd: str | None
    path: str | None
    command: str | None


def describe(
    call_id: str | None, tool: str, given: Mapping[str, Any], request: int | None, cwd: str | None
) -> Call:
    """Describe a call by its tool's name and its input."""
    kind = _KINDS.get(tool) or ("mcp" if tool.startswith("mcp__") else "other")
    path = command = None
    touches: tuple[Touch, ...] = ()
    if kind == "shell":
        command = _text(given.get("command"))
        if command is not None:
            touches = _shell.interpret(command, "", cwd).touches
    elif kind in _TOUCH_KINDS:
        named = next((p for p in map(_text, map(given.get, _PATH_KEYS)) if p), None)
        path = resolve(named, cwd) if named else None
        touched = path or (cwd if kind in ("grep", "glob") else None)
        if touched:
            touches = (Touch(touched, _TOUCH_KINDS[kind]),)
    return Call(call_id, tool, kind, request, touches, cwd, path, command)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
