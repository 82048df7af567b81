"""Transcripts in the format of Claude Code, written a record at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

__all__ = ["PROJECT", "Session"]

PROJECT = "/project"
SYSTEM_TOKENS = 12_000
BYTES_PER_TOKEN = 4


class Session:
    """Records of one transcript, written one after the other, a second apart."""

    def __init__(self, name: str, now_s: int) -> None:
        self.name, self.now_s = name, now_s
        self.id = self._id("session")
        self.records: list[dict[str, Any]] = []
        self.context_tokens, self.new_tokens = SYSTEM_TOKENS, 0

    def _id(self, what: str) -> str:
        return sha256(f"surface {self.name} {what}".encode()).hexdigest()[:12]

    def _add(self, kind: str, **values: Any) -> None:
        self.now_s += 1
        self.records.append(
            {
                "parentUuid": self.records[-1]["uuid"] if self.records else None,
                "isSidechain": False,
                "cwd": PROJECT,
                "sessionId": self.id,
                "version": "2.1.62",
                "type": kind,
                "uuid": self._id(f"record {len(self.records)}"),
                "timestamp": f"{datetime.fromtimestamp(self.now_s, UTC):%Y-%m-%dT%H:%M:%S}.000Z",
                **values,
            }
        )

    def _respond(self, block: Mapping[str, Any], stop_reason: str) -> None:
        """Add a response; its numbers of tokens are what its and earlier bytes come to."""
        self._add(
            "assistant",
            requestId=f"req_{self._id(f'request {len(self.records)}')}",
            message={
                "id": f"msg_{self._id(f'message {len(self.records)}')}",
                "type": "message",
                "role": "assistant",
                "model": "model-a",
                "content": [block],
                "stop_reason": stop_reason,
                "usage": {
                    "input_tokens": 4,
                    "cache_read_input_tokens": self.context_tokens,
                    "cache_creation_input_tokens": self.new_tokens,
                    "output_tokens": _tokens(block),
                },
            },
        )
        self.context_tokens += self.new_tokens
        self.new_tokens = _tokens(block)

    def prompt(self, text: str) -> None:
        """Add what a person typed."""
        self._add("user", message={"role": "user", "content": text})
        self.new_tokens += _tokens(text)

    def call(self, tool: str, given: Mapping[str, Any], result: str, is_error: bool) -> None:
        """Add a call and its result."""
        uid = f"toolu_{self._id(f'call {len(self.records)}')}"
        self._respond({"type": "tool_use", "id": uid, "name": tool, "input": given}, "tool_use")
        answer: dict[str, Any] = {"type": "tool_result", "tool_use_id": uid, "content": result}
        if is_error:
            answer["is_error"] = True
        self._add("user", message={"role": "user", "content": [answer]})
        self.new_tokens += _tokens(answer)

    def compact(self) -> None:
        """Add a compaction: the context starts anew."""
        self._add(
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            logicalParentUuid=self.records[-1]["uuid"],
            compactMetadata={"trigger": "auto", "preTokens": self.context_tokens},
        )
        self.context_tokens, self.new_tokens = SYSTEM_TOKENS, 0

    def end_turn(self) -> None:
        """Add a last word."""
        self._respond({"type": "text", "text": "Done."}, "end_turn")

    def text(self) -> str:
        """Give the transcript as JSON lines."""
        return "".join(
            json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
            for record in self.records
        )


def _tokens(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode()) // BYTES_PER_TOKEN
