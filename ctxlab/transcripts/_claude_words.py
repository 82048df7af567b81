"""What Claude Code writes into its log: the kinds of records, and who said a user line's text."""

from __future__ import annotations

import re
from typing import Any

from ctxlab.events import Edit, EventKind
from ctxlab.transcripts._claude_results import block_text

__all__ = [
    "NO_CONTEXT",
    "NO_CONTEXT_PROGRESS",
    "NO_CONTEXT_SYSTEM",
    "attachment_edits",
    "attachment_text",
    "bare_session_id",
    "said",
    "said_attachment",
    "typed",
    "usable_id",
]

NO_CONTEXT = frozenset(
    {
        "agent-name",
        "ai-title",
        "custom-title",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "queue-operation",
        "summary",
        "worktree-state",
    }
)
"""Records that the model is never sent; a queued prompt comes again as a user line."""

NO_CONTEXT_SYSTEM = frozenset({"api_error", "local_command", "stop_hook_summary", "turn_duration"})
NO_CONTEXT_PROGRESS = frozenset(
    {
        "bash_progress",
        "hook_progress",
        "mcp_progress",
        "query_update",
        "search_results_received",
        "waiting_for_task",
    }
)

_HARNESS_TAG = re.compile(
    r"<(?:command-name|command-message|command-args|local-command-[a-z]+|bash-[a-z]+|"
    r"task-notification|system-reminder|user-memory-input)>"
)
_IDE_NOTES = re.compile(r"\A(?:<(ide_\w+)>.*?</\1>\n?)+", re.DOTALL)
_INTERRUPT = "[Request interrupted by user"
_REDACTED = "REDACTED"
_DATED_ID = re.compile(r"\d{4}-\d{2}-\d{2}-(?=[0-9a-f]{8}-)")


def usable_id(value: object) -> str | None:
    """Give an id, None if it is none or was blanked: blanked ones are equal without being so."""
    return value if isinstance(value, str) and value and _REDACTED not in value else None


def bare_session_id(value: str) -> str:
    """Drop the date that some recorders put before a session's uuid."""
    return _DATED_ID.sub("", value, count=1)


def said(record: dict[str, Any], text: str) -> EventKind | None:
    """Tell who said the text of a user line; None if the model is not sent it."""
    if text.startswith(_INTERRUPT):
        return "interrupt"
    if record.get("isCompactSummary"):
        return "injected"
    if record.get("isVisibleInTranscriptOnly"):
        return None
    if record.get("isMeta") or _HARNESS_TAG.match(text):
        return "injected"
    return "prompt"


def typed(text: str) -> str:
    """Take from a prompt's text what an editor put before it: the open file, a selection."""
    return _IDE_NOTES.sub("", text)


def attachment_text(attachment: dict[str, Any]) -> str:
    """Give the text that an attachment brings, as far as the log holds it."""
    found = []
    for key in ("prompt", "content", "snippet", "text"):
        value = attachment.get(key)
        while isinstance(value, dict):
            value = value.get("file") or value.get("content")
        found.append(block_text(value))
    return "\n".join(filter(None, found))


def attachment_edits(attachment: dict[str, Any]) -> tuple[Edit, ...]:
    """Give the change that an attachment tells of."""
    name = attachment.get("filename")
    if attachment.get("type") != "edited_text_file" or not isinstance(name, str):
        return ()
    return (Edit(name, "unknown", evidence="reminder"),)


def said_attachment(attachment: dict[str, Any]) -> EventKind:
    """Tell who said an attachment: a prompt typed while the model ran, or the harness."""
    typed = attachment.get("type") == "queued_command" and attachment.get("commandMode") == "prompt"
    return "prompt" if typed and not attachment.get("isMeta") else "injected"
