"""Whether a Codex record has the shape that its reader takes; it reads on either way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.transcripts._codex_records import ENVELOPES, OUTPUTS, kind_of
from ctxlab.transcripts._placed import is_text_or_parts

__all__ = ["is_odd"]


def is_odd(record: Mapping[str, Any]) -> bool:
    """Tell whether a part of a record that may hold context is not where or what it should be."""
    kind, payload = record.get("type"), record.get("payload")
    if not isinstance(kind, str) or kind not in ENVELOPES:
        return False
    if not isinstance(payload, dict):
        return True
    match kind:
        case "response_item":
            return _is_odd_item(kind_of(payload), payload)
        case "event_msg":
            return _is_odd_notice(kind_of(payload), payload)
        case "compacted":
            kept, message = payload.get("replacement_history"), payload.get("message")
            return not (_is_none_or(list, kept) and _is_none_or(str, message))
        case _:
            return False


def _is_odd_item(kind: str, item: Mapping[str, Any]) -> bool:
    if kind in OUTPUTS:
        output = item.get("output", item.get("tools"))
        return not (isinstance(output, dict) or is_text_or_parts(output))
    match kind:
        case "message" | "agent_message":
            return not is_text_or_parts(item.get("content"))
        case "reasoning":
            parts = (item.get("summary"), item.get("content"))
            return not all(part is None or is_text_or_parts(part) for part in parts)
        case "function_call":
            arguments = item.get("arguments")
            return not (isinstance(item.get("name"), str) and isinstance(arguments, (str, dict)))
        case "custom_tool_call":
            return not (isinstance(item.get("name"), str) and isinstance(item.get("input"), str))
        case "local_shell_call":
            return not isinstance(item.get("action"), dict)
        case _:
            return False


def _is_odd_notice(kind: str, notice: Mapping[str, Any]) -> bool:
    match kind:
        case "token_count":
            info = notice.get("info")
            counts = ("total_token_usage", "last_token_usage")
            return info is not None and not (
                isinstance(info, dict) and all(isinstance(info.get(c), dict) for c in counts)
            )
        case "patch_apply_end" if notice.get("success") is not False:
            named = isinstance(notice.get("call_id"), str)
            return not (named and isinstance(notice.get("changes"), dict))
        case "thread_rolled_back":
            return type(notice.get("num_turns")) is not int
        case _:
            return False


def _is_none_or(kind: type, value: object) -> bool:
    return value is None or isinstance(value, kind)
