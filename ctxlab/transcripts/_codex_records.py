"""Kinds of records in a Codex rollout, and the small readings that all of them need."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ctxlab.transcripts._codex_results import item_text
from ctxlab.transcripts._texts import utf8_size

__all__ = [
    "CALLS",
    "ENVELOPES",
    "OUTPUTS",
    "is_injected",
    "is_outside_context",
    "kind_of",
    "mapping_of",
    "milliseconds",
    "n_text_bytes",
    "number_of",
    "parent_of",
    "text_of",
]

ENVELOPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
CALLS = frozenset({
    "function_call", "custom_tool_call", "local_shell_call", "web_search_call",
    "tool_search_call", "image_generation_call",
})  # fmt: skip
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})
_NO_CONTEXT = frozenset({
    # response items
    "ghost_snapshot", "compaction", "compaction_summary", "context_compaction",
    # interface copies and progress
    "agent_message", "agent_message_delta", "agent_reasoning", "agent_reasoning_delta",
    "agent_reasoning_raw_content", "agent_reasoning_section_break", "user_message",
    "exec_command_begin", "exec_command_end", "exec_command_output_delta", "patch_apply_begin",
    "patch_apply_updated", "mcp_tool_call_begin", "mcp_tool_call_end", "web_search_begin",
    "web_search_end", "image_generation_begin", "image_generation_end", "view_image_tool_call",
    "dynamic_tool_call_request", "dynamic_tool_call_response", "task_started", "task_complete",
    "turn_started", "turn_complete", "item_started", "item_completed", "turn_diff", "plan_update",
    "background_event", "stream_error", "error", "warning", "thread_name_updated",
    "thread_settings_applied", "thread_goal_updated", "entered_review_mode",
    "exited_review_mode", "guardian_assessment", "undo_started", "undo_completed",
    "terminal_interaction", "shutdown_complete",
})  # fmt: skip
_COLLABORATION = ("collab_", "sub_agent_")
_INJECTED = (
    "# AGENTS.md instructions", "<environment_context>", "<user_instructions>", "<permissions",
    "<INSTRUCTIONS>", "<turn_aborted>", "<skill>", "<skills_instructions>",
    "<plugins_instructions>", "<apps_instructions>", "<collaboration_mode>", "<model_switch>",
    "<personality_spec>", "<subagent_notification>", "<user_shell_command>",
    "<realtime_conversation>", "<hook_prompt>",
)  # fmt: skip


def kind_of(payload: Mapping[str, Any]) -> str:
    """Name the kind of an item or notice; a message may stand without its kind."""
    kind = payload.get("type")
    if isinstance(kind, str):
        return kind
    return "message" if kind is None and "role" in payload else "without type"


def is_outside_context(kind: str) -> bool:
    """Tell whether a known kind of item or notice brings nothing into the context."""
    return kind in _NO_CONTEXT or kind.startswith(_COLLABORATION)


def parent_of(payload: Mapping[str, Any]) -> str | None:
    """Session that a fork or a sub-agent says it comes from."""
    source = mapping_of(payload.get("source"))
    spawned = mapping_of(mapping_of(source.get("subagent")).get("thread_spawn"))
    named = (
        payload.get("forked_from_id"),
        payload.get("parent_thread_id"),
        spawned.get("parent_thread_id"),
    )
    return next((session_id for value in named if (session_id := text_of(value))), None)


def is_injected(content: object) -> bool:
    """Tell whether each text part of a user message is one that the harness writes."""
    parts = content if isinstance(content, list) else [content]
    texts = [text for part in parts if (text := item_text(part).lstrip())]
    return bool(texts) and all(text.startswith(_INJECTED) for text in texts)


def milliseconds(stamp: object) -> int | None:
    """Read an ISO time as milliseconds since 1970, UTC unless it says otherwise."""
    if not isinstance(stamp, str):
        return None
    try:
        time = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return round((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000)


def n_text_bytes(content: object) -> int:
    """UTF-8 bytes of the text parts."""
    return utf8_size(item_text(content))


def text_of(value: object) -> str | None:
    """Give a text that is not empty."""
    return value if isinstance(value, str) and value else None


def number_of(value: object) -> int | None:
    """Give an integer."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def mapping_of(value: object) -> Mapping[str, Any]:
    """Give an object, an empty one for anything else."""
    return value if isinstance(value, dict) else {}
