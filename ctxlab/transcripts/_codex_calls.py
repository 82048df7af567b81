"""A tool call of Codex CLI → its kind, the command it runs and the paths it works on."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctxlab.events import ToolKind, Touch
from ctxlab.transcripts._diff import PatchedFile, parse_apply_patch
from ctxlab.transcripts._names import names_in, names_in_input
from ctxlab.transcripts._shell import interpret
from ctxlab.transcripts._shell_powershell import posix_of
from ctxlab.transcripts._source import resolve
from ctxlab.transcripts._texts import json_text, json_value, texts_in, utf8_size

__all__ = [
    "Call",
    "given_text",
    "members_of_call",
    "names_of_call",
    "read_call",
    "words_of_call",
]

_KINDS: Mapping[str, ToolKind] = {
    "exec_command": "shell", "shell": "shell", "shell_command": "shell", "local_shell": "shell",
    "container.exec": "shell", "write_stdin": "shell", "unified_exec": "shell",
    "apply_patch": "edit", "read_file": "read", "grep_files": "grep", "list_dir": "glob",
    "spawn_agent": "agent", "send_input": "agent", "resume_agent": "agent",
    "update_plan": "bookkeeping", "tool_search": "bookkeeping", "wait": "bookkeeping",
    "wait_agent": "bookkeeping", "close_agent": "bookkeeping", "list_agents": "bookkeeping",
    "request_user_input": "bookkeeping", "get_goal": "bookkeeping", "update_goal": "bookkeeping",
    "create_goal": "bookkeeping", "web_search": "web", "list_mcp_resources": "mcp",
    "list_mcp_resource_templates": "mcp", "read_mcp_resource": "mcp",
}  # fmt: skip
_GIVEN = ("input", "arguments", "action", "revised_prompt")
_SHELL_FLAG = re.compile(r"-[a-z]*c")
_POWERSHELL = re.compile(r"(?:.*[\\/])?(?:powershell|pwsh)(?:\.exe)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Call:
    """One call. `command` is a shell script run in `cwd`; `patch` the files of an apply_patch."""

    tool: str
    kind: ToolKind
    text_bytes: int
    request: int
    command: str | None = None
    cwd: str | None = None
    patch: tuple[PatchedFile, ...] = ()
    shell_session: str | None = None
    touches: tuple[Touch, ...] = ()


def read_call(payload: Mapping[str, Any], cwd: str | None, request: int) -> Call:
    """Read a call item of any of the shapes that Codex logs."""
    item_type = payload.get("type")
    if item_type == "local_shell_call":
        return _shell_call("local_shell", _mapping(payload.get("action")), payload, cwd, request)
    if item_type in {"web_search_call", "image_generation_call"}:
        asked = payload.get("action") or payload.get("revised_prompt") or ""
        asking = str(item_type).removesuffix("_call")
        return Call(asking, _KINDS.get(asking, "other"), _n_bytes(asked), request)
    tool = "tool_search" if item_type == "tool_search_call" else payload.get("name")
    tool = tool if isinstance(tool, str) and tool else "unknown"
    raw = payload.get("input") if "input" in payload else payload.get("arguments")
    namespace = payload.get("namespace")
    if isinstance(namespace, str) and namespace.startswith("mcp__"):
        return Call(f"{namespace}__{tool.lstrip('_')}", "mcp", _n_bytes(raw), request, cwd=cwd)
    arguments = _arguments(raw)
    kind: ToolKind = _KINDS.get(tool, "mcp" if "__" in tool.strip("_") else "other")
    if kind == "edit":
        return _patch_call(tool, raw, arguments, cwd, request)
    if kind == "shell" and tool != "write_stdin":
        return _shell_call(tool, arguments, raw, cwd, request)
    session = arguments.get("session_id") if tool == "write_stdin" else None
    return Call(
        tool,
        kind,
        _n_bytes(raw),
        request,
        cwd=cwd,
        shell_session=None if session is None else str(session),
        touches=_path_touches(tool, arguments, cwd),
    )


def names_of_call(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the names in a call item's input: JSON, an object, or a plain text such as a patch."""
    given = _given(payload)
    return names_in(given) if isinstance(given, str) else names_in_input(given)


def words_of_call(payload: Mapping[str, Any]) -> str:
    """Give all texts and numbers in a call item's input, a line each."""
    return texts_in(_given(payload))


def members_of_call(payload: Mapping[str, Any]) -> str:
    """Give the names of the members of a call item's input, a line each."""
    given = _given(payload)
    return "\n".join(given) if isinstance(given, dict) else ""


def given_text(payload: Mapping[str, Any]) -> str:
    """Give a call item's input as it was written: JSON, or the plain text that it is."""
    given = next((payload[key] for key in _GIVEN if payload.get(key)), "")
    return given if isinstance(given, str) else json_text(given) or ""


def _given(payload: Mapping[str, Any]) -> object:
    """What a call item was given: a value, or a plain text such as a patch."""
    given = next((payload[key] for key in _GIVEN if payload.get(key)), None)
    if not isinstance(given, str):
        return given
    try:
        return json_value(given)
    except ValueError:
        return given


def _shell_call(
    tool: str, arguments: Mapping[str, Any], raw: object, cwd: str | None, request: int
) -> Call:
    folder = arguments.get("workdir") or arguments.get("working_directory")
    cwd = resolve(folder, cwd) if isinstance(folder, str) else cwd
    command = _script(arguments.get("cmd", arguments.get("command")))
    touches = interpret(command, "", cwd).touches if command else ()
    return Call(tool, "shell", _n_bytes(raw), request, command, cwd, touches=touches)


def _script(command: object) -> str | None:
    """The script of a command given as text or as a list of words."""
    if isinstance(command, str):
        return command
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        return None
    if command and _POWERSHELL.fullmatch(command[0]):
        return posix_of(command[-1])
    if len(command) == 3 and _SHELL_FLAG.fullmatch(command[1]):
        return str(command[2])
    return shlex.join(command)


def _patch_call(
    tool: str, raw: object, arguments: Mapping[str, Any], cwd: str | None, request: int
) -> Call:
    text = arguments.get("input") or arguments.get("patch") or raw
    files = parse_apply_patch(text) if isinstance(text, str) else ()
    touches = tuple(
        Touch(resolve(path, cwd), "edit") for f in files for path in (f.path, f.moved_to) if path
    )
    return Call(tool, "edit", _n_bytes(raw), request, cwd=cwd, patch=files, touches=touches)


def _path_touches(tool: str, arguments: Mapping[str, Any], cwd: str | None) -> tuple[Touch, ...]:
    """Paths of the few tools that name one file or folder."""
    path = arguments.get("path") or arguments.get("file_path") or arguments.get("dir_path")
    named = resolve(path, cwd) if isinstance(path, str) else ""
    if tool in {"view_image", "read_file"} and named:
        return (Touch(named, "read"),)
    if tool == "grep_files":
        return (Touch(named, "search"),)
    return (Touch(named, "list"),) if tool == "list_dir" else ()


def _arguments(raw: object) -> Mapping[str, Any]:
    """Arguments as an object; a call whose arguments are no JSON object has none."""
    if not isinstance(raw, str):
        return _mapping(raw)
    try:
        return _mapping(json_value(raw))
    except ValueError:
        return {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _n_bytes(value: object) -> int:
    """UTF-8 bytes of what the model wrote: a text as it is, anything else as compact JSON."""
    text = value if isinstance(value, str) else "" if value is None else json_text(value)
    return utf8_size(text or "")
