"""Codex CLI rollouts (`rollout-<time>-<id>.jsonl`) → items.

What entered the context is in the `response_item` records. The `event_msg` records repeat it for
the interface and are passed over, but for token counts, exact patches, aborts and compactions.

A *request* is one model response: reasoning, text and calls up to the token count that closes it.
Outputs of its calls stand between its calls and that count, so they share its number. Where no
count closes it, text or reasoning behind an output opens the next request; so does a further
call, unless this file has token counts, because old versions log parallel calls as call, output,
call, output. Versions in which the count stands before the items of its response are known by
the first count of the file, which then precedes every item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ctxlab.events import (
    Edit,
    Event,
    EventKind,
    Item,
    Problem,
    Thread,
    Touch,
    Transcript,
    UnknownKind,
    Usage,
)
from ctxlab.transcripts._codex_calls import Call, read_call
from ctxlab.transcripts._codex_requests import Requests
from ctxlab.transcripts._codex_results import Outcome, item_text, patch_edits, read_result
from ctxlab.transcripts._lines import Record, open_binary, read_lines

__all__ = ["AGENT", "sniff", "stream", "version"]

AGENT = "codex"
version = 1
"""Raised whenever the same file gives other items than before."""

_THREAD = "main"
_ENVELOPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_CALLS = frozenset({
    "function_call", "custom_tool_call", "local_shell_call", "web_search_call",
    "tool_search_call", "image_generation_call",
})  # fmt: skip
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})
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
    "<personality_spec>",
    "<subagent_notification>", "<user_shell_command>", "<realtime_conversation>", "<hook_prompt>",
)  # fmt: skip


def sniff(records: Iterable[Mapping[str, Any]]) -> bool:
    """Tell whether the first records of a file are a Codex rollout.

    A history file or the stream of `codex exec --json` is none: those hold no context.
    """
    return any(
        record.get("type") in _ENVELOPES and isinstance(record.get("payload"), dict)
        for record in records
    )


def stream(path: str | Path) -> Iterator[Item]:
    """Read one rollout file.

    Parameters
    ----------
    path
        The file; `~` is expanded.

    Yields
    ------
    Item
        One `Thread`, then `Event`s, `Usage`s and `Problem`s in file order, then one
        `UnknownKind` a name, and the `Transcript` last. A rollout holds one thread: a sub-agent
        has a file of its own, which names its parent.

    Raises
    ------
    InputError
        If the file cannot be opened.
    """
    rollout = _Rollout()
    yield Thread(_THREAD)
    with open_binary(path) as file:
        for record in read_lines(file):
            if isinstance(record, Problem):
                rollout.n_lines = record.line_number
                yield record
            else:
                rollout.n_lines = record.line_number
                yield from rollout.read(record)
        n_bytes = file.tell()
    yield from rollout.end(n_bytes)


@dataclass(slots=True)
class _Rollout:
    """What is known of the file so far: identifiers and numbers, no text but short commands."""

    session_id: str | None = None
    parent_id: str | None = None
    version: str | None = None
    first_cwd: str | None = None
    cwd: str | None = None
    turn_id: str | None = None
    models: dict[str, None] = field(default_factory=dict)
    started_ms: int | None = None
    ended_ms: int | None = None
    n_lines: int = 0
    ts_ms: int | None = None
    requests: Requests = field(default_factory=Requests)
    calls: dict[str, Call] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)
    patches: dict[str, tuple[Edit, ...]] = field(default_factory=dict)
    shells: dict[str, tuple[Touch, ...]] = field(default_factory=dict)
    compacted_by: str | None = None
    ordinals: Counter[tuple[str, str]] = field(default_factory=Counter)
    before_prompts: list[str | None] = field(default_factory=list)
    last_uid: str | None = None
    unknown: Counter[str] = field(default_factory=Counter)

    def read(self, record: Record) -> Iterator[Item]:
        """Give the items of one record."""
        kind, payload = record.value.get("type"), record.value.get("payload")
        if not isinstance(kind, str) or not isinstance(payload, dict):
            self.unknown[f"{kind} without payload" if isinstance(kind, str) else "no type"] += 1
            return
        self._see_time(record.value.get("timestamp"))
        if kind == "session_meta":
            yield from self._meta(payload)
        elif kind == "turn_context":
            self._context(payload)
        elif kind == "response_item":
            yield from self._item(payload)
        elif kind == "event_msg":
            yield from self._message(payload)
        elif kind == "compacted":
            yield from self._compaction(kind, payload)
        else:
            self.unknown[kind] += 1

    def end(self, n_bytes: int) -> Iterator[Item]:
        """Give what is left once the file has been read."""
        for call_id, edits in self.patches.items():
            yield self._event("injected", uid=f"{call_id}:patch", edits=edits)
        for name, count in sorted(self.unknown.items()):
            yield UnknownKind(name, count)
        yield Transcript(
            agent=AGENT,
            agent_version=self.version,
            session_id=self.session_id or "",
            parent_session_id=self.parent_id,
            started_ms=self.started_ms,
            ended_ms=self.ended_ms,
            cwd=self.first_cwd,
            models=tuple(self.models),
            n_lines=self.n_lines,
            n_bytes=n_bytes,
        )

    def _see_time(self, stamp: object) -> None:
        self.ts_ms = _milliseconds(stamp)
        if self.ts_ms is not None:
            self.started_ms = self.ts_ms if self.started_ms is None else self.started_ms
            self.ended_ms = self.ts_ms

    def _event(self, kind: EventKind, *, uid: str | None = None, **fields: Any) -> Event:
        """Make an event; without an id of its own it is named by its turn and place in it."""
        if uid is None and self.turn_id is not None:
            self.ordinals[self.turn_id, kind] += 1
            uid = f"{self.turn_id}:{kind}:{self.ordinals[self.turn_id, kind]}"
        self.last_uid = uid
        return Event(_THREAD, kind, uid, self.ts_ms, **fields)

    def _meta(self, payload: Mapping[str, Any]) -> Iterator[Event]:
        """The first names the session; another id is the parent's, the same one a resume."""
        session_id = _text(payload.get("id")) or _text(payload.get("session_id"))
        if self.session_id is None:
            self.session_id = session_id
            self.version = _text(payload.get("cli_version"))
            self.first_cwd = self.cwd = _text(payload.get("cwd"))
            self.parent_id = _parent(payload)
        elif session_id != self.session_id:
            self.parent_id = self.parent_id or session_id
        else:
            yield self._event("resume")

    def _context(self, payload: Mapping[str, Any]) -> None:
        self.cwd = _text(payload.get("cwd")) or self.cwd
        self.turn_id = _text(payload.get("turn_id")) or self.turn_id
        model = _text(payload.get("model"))
        if model:
            self.requests.model = model
            self.models[model] = None

    def _item(self, payload: Mapping[str, Any]) -> Iterator[Event]:
        """A piece of the context."""
        kind = payload.get("type") or ("message" if "role" in payload else None)
        if kind == "message":
            yield self._spoken(payload)
        elif kind == "reasoning":
            text = item_text([payload.get("summary") or [], payload.get("content") or []])
            yield self._event(
                "thinking",
                uid=_text(payload.get("id")),
                request=self.requests.of_text(),
                text_bytes=len(text.encode()),
            )
        elif kind in _CALLS:
            yield self._called(payload)
        elif kind in _OUTPUTS:
            yield self._answered(payload)
        elif kind == "agent_message":
            self.requests.see_input()
            yield self._event("injected", text_bytes=_n_bytes(payload.get("content")))
        elif kind not in _NO_CONTEXT:
            self.unknown[f"response_item {kind}"] += 1
        self.compacted_by = None

    def _spoken(self, payload: Mapping[str, Any]) -> Event:
        """A message of the model, the user, or the harness in the user's name."""
        uid, content = _text(payload.get("id")), payload.get("content")
        n_bytes = _n_bytes(content)
        if payload.get("role") == "assistant":
            return self._event("text", uid=uid, request=self.requests.of_text(), text_bytes=n_bytes)
        self.requests.see_input()
        if payload.get("role") == "user" and not _is_injected(content):
            self.before_prompts.append(self.last_uid)
            return self._event("prompt", uid=uid, text_bytes=n_bytes)
        return self._event("injected", uid=uid, text_bytes=n_bytes)

    def _called(self, payload: Mapping[str, Any]) -> Event:
        call = read_call(payload, self.cwd, self.requests.of_call())
        call_id = _text(payload.get("call_id")) or _text(payload.get("id"))
        touches = call.touches
        if call.shell_session is not None:
            touches = self.shells.get(call.shell_session, ())
        if call_id is not None:
            self.calls[call_id] = call
        return self._event(
            "call",
            uid=None if call_id is None else f"{call_id}:call",
            request=call.request,
            call_id=call_id,
            tool=call.tool,
            tool_kind=call.kind,
            text_bytes=call.text_bytes,
            touches=touches,
        )

    def _answered(self, payload: Mapping[str, Any]) -> Event:
        call_id = _text(payload.get("call_id"))
        call = self.calls.pop(call_id, None) if call_id else None
        exact = self.patches.pop(call_id, None) if call_id else None
        outcome = read_result(call, payload.get("output", payload.get("tools")), exact)
        if call_id:
            self.answered.add(call_id)
        self.requests.see_output()
        return self._result(call_id, call, outcome)

    def _result(self, call_id: str | None, call: Call | None, outcome: Outcome) -> Event:
        touches = call.touches if call else ()
        if call and call.shell_session is not None:
            touches = self.shells.get(call.shell_session, ())
        if outcome.shell_session is not None:
            self.shells.setdefault(outcome.shell_session, touches)
        return self._event(
            "result",
            uid=None if call_id is None else f"{call_id}:result",
            request=call.request if call else None,
            call_id=call_id,
            tool=call.tool if call else None,
            tool_kind=call.kind if call else None,
            is_error=outcome.is_error,
            text_bytes=outcome.text_bytes,
            touches=touches,
            spans=outcome.spans,
            pointers=outcome.pointers,
            edits=outcome.edits,
            mentions=outcome.mentions,
        )

    def _message(self, payload: Mapping[str, Any]) -> Iterator[Event | Usage]:
        """A notice to the interface; a few tell what no response item does."""
        kind = payload.get("type")
        if kind == "token_count":
            yield from self._counted(payload)
        elif kind == "patch_apply_end":
            yield from self._patched(payload)
        elif kind == "turn_aborted":
            self.requests.see_input()
            yield self._event("interrupt")
        elif kind == "context_compacted":
            yield from self._compaction(kind, payload)
        elif kind == "thread_rolled_back":
            yield from self._rolled_back(payload)
        elif kind in {"task_started", "turn_started"}:
            self.turn_id = _text(payload.get("turn_id")) or self.turn_id
        elif kind not in _NO_CONTEXT and not str(kind).startswith(_COLLABORATION):
            self.unknown[f"event_msg {kind}"] += 1

    def _counted(self, payload: Mapping[str, Any]) -> Iterator[Usage]:
        """Tokens of one request, unless the count repeats an earlier one."""
        info = payload.get("info")
        usage = self.requests.close(info if isinstance(info, dict) else {})
        if usage is None:
            return
        total = _number(_mapping(_mapping(info).get("total_token_usage")).get("total_tokens"))
        uid = f"{self.turn_id}:usage:{total}" if self.turn_id and total is not None else None
        yield usage.at(_THREAD, uid, self.ts_ms)

    def _patched(self, payload: Mapping[str, Any]) -> Iterator[Event]:
        """Exact hunks of a patch. They wait for the output of their call, which comes next."""
        changes, call_id = payload.get("changes"), _text(payload.get("call_id"))
        if payload.get("success") is False or not isinstance(changes, dict) or call_id is None:
            return
        call = self.calls.get(call_id)
        edits = patch_edits(changes, call.cwd if call else self.cwd)
        if call_id in self.answered:
            yield self._event("injected", uid=f"{call_id}:patch", edits=edits)
        else:
            self.patches[call_id] = edits

    def _compaction(self, source: str, payload: Mapping[str, Any]) -> Iterator[Event]:
        """Of a pair of records that tell of one compaction, the first counts."""
        if self.compacted_by not in {None, source}:
            self.compacted_by = None
            return
        self.compacted_by = source
        self.requests.see_input()
        kept = payload.get("replacement_history")
        texts = kept if isinstance(kept, list) else [payload.get("message")]
        parts = [item.get("content") if isinstance(item, dict) else item for item in texts]
        yield self._event("compaction", text_bytes=sum(_n_bytes(part) for part in parts))

    def _rolled_back(self, payload: Mapping[str, Any]) -> Iterator[Event]:
        n_turns = _number(payload.get("num_turns"))
        if n_turns and len(self.before_prompts) >= n_turns:
            target = self.before_prompts[-n_turns]
            del self.before_prompts[-n_turns:]
            self.requests.see_input()
            yield self._event("rewind", rewind_to=target)


def _parent(payload: Mapping[str, Any]) -> str | None:
    """Session that a fork or a sub-agent says it comes from."""
    source = _mapping(payload.get("source"))
    spawned = _mapping(_mapping(source.get("subagent")).get("thread_spawn"))
    return _text(payload.get("forked_from_id")) or _text(spawned.get("parent_thread_id"))


def _is_injected(content: object) -> bool:
    """Tell whether each text part of a user message is one that the harness writes."""
    parts = content if isinstance(content, list) else [content]
    texts = [text for part in parts if (text := item_text(part).lstrip())]
    return bool(texts) and all(text.startswith(_INJECTED) for text in texts)


def _milliseconds(stamp: object) -> int | None:
    if not isinstance(stamp, str):
        return None
    try:
        return round(datetime.fromisoformat(stamp).timestamp() * 1000)
    except ValueError:
        return None


def _n_bytes(content: object) -> int:
    return len(item_text(content).encode())


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
