"""Whether a Claude Code record has the shape that its reader takes; it reads on either way."""

from __future__ import annotations

from typing import Any

from ctxlab.transcripts._claude_line import as_dict
from ctxlab.transcripts._placed import is_text_or_parts

__all__ = ["is_odd"]


def is_odd(record: dict[str, Any]) -> bool:
    """Tell whether a part of a record that may hold context is not where or what it should be."""
    match record.get("type"):
        case "user" | "assistant":
            return _is_odd_message(record.get("message"))
        case "attachment":
            return not isinstance(record.get("attachment"), dict)
        case "progress":
            return _is_odd_progress(record.get("data"))
        case "system" if record.get("subtype") == "microcompact_boundary":
            metadata = as_dict(record.get("microcompactMetadata"))
            return not isinstance(metadata.get("compactedToolIds"), list)
        case _:
            return False


def _is_odd_message(message: object) -> bool:
    if not isinstance(message, dict):
        return True
    content, usage = message.get("content"), message.get("usage")
    if not (usage is None or isinstance(usage, dict)):
        return True
    if isinstance(content, list):
        return any(map(_is_odd_block, content))
    return not isinstance(content, str)


def _is_odd_block(block: object) -> bool:
    if not isinstance(block, dict):
        return True
    match block.get("type"):
        case "text" | "thinking" as kind:
            return not isinstance(block.get(kind), str)
        case "tool_use":
            named = isinstance(block.get("name"), str)
            return not (named and isinstance(block.get("input"), dict))
        case "tool_result":
            return _is_odd_result(block.get("content"))
        case _:
            return False


def _is_odd_result(content: object) -> bool:
    if content is None or isinstance(content, str):
        return False
    if not is_text_or_parts(content) or not isinstance(content, list):
        return True
    return any(isinstance(part, str) or _is_odd_block(part) for part in content)


def _is_odd_progress(data: object) -> bool:
    if not isinstance(data, dict):
        return True
    if data.get("type") != "agent_progress":
        return False
    message = data.get("message")
    named = isinstance(data.get("agentId"), str)
    return not named or not isinstance(message, dict) or is_odd(message)
