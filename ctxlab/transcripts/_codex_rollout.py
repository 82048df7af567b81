"""The records of one Codex rollout in order → events, usage, and what the file says of itself.

The interface's copies (`event_msg`) are passed over, but for token counts, exact patches, aborts
and compactions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ctxlab.events import Edit, Event, EventKind, Item, Transcript, UnknownKind, Usage
from ctxlab.transcripts._codex_calls import (
    Call,
    given_text,
    members_of_call,
    names_of_call,
    read_call,
    words_of_call,
)
from ctxlab.transcripts._codex_records import (
    CALLS,
    ENVELOPES,
    OUTPUTS,
    is_injected,
    is_outside_context,
    kind_of,
    mapping_of,
    milliseconds,
    n_text_bytes,
    number_of,
    parent_of,
    text_of,
)
from ctxlab.transcripts._codex_requests import Requests
from ctxlab.transcripts._codex_results import Outcome, item_text, patch_edits, read_result
from ctxlab.transcripts._lines import Record
from ctxlab.transcripts._names import names_in
from ctxlab.transcripts._placed import beyond, fitted_edits
from ctxlab.transcripts._texts import utf8_size

__all__ = ["THREAD", "Rollout"]

THREAD = "main"
"""A rollout holds one context window."""


@dataclass(slots=True)
class Rollout:
    """What is known of the file so far: identifiers and numbers, no text but short commands."""

    agent: str
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
    shells: dict[str, Call] = field(default_factory=dict)
    compacted_by: str | None = None
    ordinals: Counter[tuple[str, str]] = field(default_factory=Counter)
    before_prompts: list[str | None] = field(default_factory=list)
    last_uid: str | None = None
    unknown: Counter[str] = field(default_factory=Counter)

    def read(self, record: Record) -> Iterator[Item]:
        """Give the items of one record."""
        kind, payload = record.value.get("type"), record.value.get("payload")
        if not isinstance(kind, str) or kind not in ENVELOPES:
            self.unknown[kind if isinstance(kind, str) else "no type"] += 1
            return
        if not isinstance(payload, dict):
            return
        self._see_time(record.value.get("timestamp"))
        if kind == "session_meta":
            yield from self._meta(payload)
        elif kind == "turn_context":
            self._context(payload)
        elif kind == "response_item":
            event = self._item(payload)
            if event is not None:
                yield event
        elif kind == "event_msg":
            yield from self._message(payload, record)
        else:
            yield from self._compaction(kind, payload)

    def end(self, n_bytes: int) -> Iterator[Item]:
        """Give what is left once the file has been read."""
        for call_id, edits in self.patches.items():
            yield self._event("injected", uid=f"{call_id}:patch", edits=edits)
        for tokens in self.requests.rest():
            yield tokens.at(THREAD, None, None)
        for name, count in sorted(self.unknown.items()):
            yield UnknownKind(name, count)
        yield Transcript(
            agent=self.agent,
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
        self.ts_ms = milliseconds(stamp)
        if self.ts_ms is not None:
            self.started_ms = self.ts_ms if self.started_ms is None else self.started_ms
            self.ended_ms = self.ts_ms

    def _event(self, kind: EventKind, *, uid: str | None = None, **fields: Any) -> Event:
        """Make an event; without an id of its own it is named by its turn and place in it."""
        if uid is None and self.turn_id is not None:
            self.ordinals[self.turn_id, kind] += 1
            uid = f"{self.turn_id}:{kind}:{self.ordinals[self.turn_id, kind]}"
        self.last_uid = uid
        return Event(THREAD, kind, uid, self.ts_ms, **fields)

    def _meta(self, payload: Mapping[str, Any]) -> Iterator[Event]:
        """The first names the session; another id is the parent's, the same one a resume."""
        session_id = text_of(payload.get("id")) or text_of(payload.get("session_id"))
        if self.session_id is None:
            self.session_id = session_id
            self.version = text_of(payload.get("cli_version"))
            self.first_cwd = self.cwd = text_of(payload.get("cwd"))
            self.parent_id = parent_of(payload)
        elif session_id != self.session_id:
            self.parent_id = self.parent_id or session_id
        else:
            yield self._event("resume")

    def _context(self, payload: Mapping[str, Any]) -> None:
        self.cwd = text_of(payload.get("cwd")) or self.cwd
        self.turn_id = text_of(payload.get("turn_id")) or self.turn_id
        model = text_of(payload.get("model"))
        if model:
            self.requests.model = model
            self.models[model] = None

    def _item(self, payload: Mapping[str, Any]) -> Event | None:
        """A piece of the context."""
        kind = kind_of(payload)
        if kind == "reasoning":
            n_bytes = n_text_bytes(payload.get("summary")) + n_text_bytes(payload.get("content"))
            return self._written("thinking", payload, n_bytes)
        if kind == "message" and payload.get("role") == "assistant":
            text = item_text(payload.get("content"))
            return self._written("text", payload, utf8_size(text), names_in(text), text)
        if kind == "message":
            return self._told(payload)
        if kind in CALLS:
            return self._called(payload)
        if kind in OUTPUTS:
            return self._answered(payload)
        if kind == "agent_message":
            self.requests.see_input()
            text = item_text(payload.get("content"))
            return self._event("injected", text_bytes=utf8_size(text), words=text)
        if not is_outside_context(kind):
            self.unknown[f"response_item {kind}"] += 1
        return None

    def _written(
        self,
        kind: EventKind,
        payload: Mapping[str, Any],
        n_bytes: int,
        names: tuple[str, ...] = (),
        words: str = "",
    ) -> Event:
        """What the model wrote or thought."""
        self.compacted_by = None
        uid, request = text_of(payload.get("id")), self.requests.of_text()
        return self._event(
            kind, uid=uid, request=request, text_bytes=n_bytes, names=names, words=words
        )

    def _told(self, payload: Mapping[str, Any]) -> Event:
        """A message of the user, or of the harness in the user's name."""
        uid, content = text_of(payload.get("id")), payload.get("content")
        text = item_text(content)
        n_bytes = utf8_size(text)
        self.requests.see_input()
        if payload.get("role") == "user" and not is_injected(content):
            self.before_prompts.append(self.last_uid)
            return self._event("prompt", uid=uid, text_bytes=n_bytes, text=text, words=text)
        return self._event("injected", uid=uid, text_bytes=n_bytes, words=text)

    def _called(self, payload: Mapping[str, Any]) -> Event:
        call = read_call(payload, self.cwd, self.requests.of_call())
        self.compacted_by = None
        call_id = text_of(payload.get("call_id")) or text_of(payload.get("id"))
        asked = call.command or ""
        if call.kind in {"mcp", "web", "other"}:
            asked = given_text(payload)
        elif call.shell_session in self.shells:  # its output goes on
            started = self.shells[call.shell_session]
            call, asked = replace(call, touches=started.touches), started.command or ""
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
            touches=call.touches,
            names=names_of_call(payload),
            words=words_of_call(payload),
            aside=members_of_call(payload),
            command=asked,
        )

    def _answered(self, payload: Mapping[str, Any]) -> Event:
        call_id = text_of(payload.get("call_id"))
        call = self.calls.pop(call_id, None) if call_id else None
        exact = self.patches.pop(call_id, None) if call_id else None
        outcome = read_result(call, payload.get("output", payload.get("tools")), exact)
        if call_id:
            self.answered.add(call_id)
        self.requests.see_output()
        return self._result(call_id, call, outcome)

    def _result(self, call_id: str | None, call: Call | None, outcome: Outcome) -> Event:
        touches = call.touches if call else ()
        if outcome.shell_session is not None and call is not None:
            self.shells[outcome.shell_session] = call
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
            words=outcome.words,
        )

    def _message(self, payload: Mapping[str, Any], record: Record) -> Iterator[Item]:
        """A notice to the interface; a few tell what no response item does."""
        kind = kind_of(payload)
        if kind == "token_count":
            yield from self._counted(payload)
        elif kind == "patch_apply_end":
            yield from self._patched(payload, record)
        elif kind == "turn_aborted":
            self.requests.see_input()
            yield self._event("interrupt")
        elif kind == "context_compacted":
            yield from self._compaction(kind, payload)
        elif kind == "thread_rolled_back":
            yield from self._rolled_back(payload)
        elif kind in {"task_started", "turn_started"}:
            self.turn_id = text_of(payload.get("turn_id")) or self.turn_id
        elif not is_outside_context(kind):
            self.unknown[f"event_msg {kind}"] += 1

    def _counted(self, payload: Mapping[str, Any]) -> Iterator[Usage]:
        """Tokens of one request, unless the count repeats an earlier one."""
        info = mapping_of(payload.get("info"))
        total = number_of(mapping_of(info.get("total_token_usage")).get("total_tokens"))
        for tokens in self.requests.close(info):
            is_counted = tokens.request == self.requests.latest
            named = is_counted and self.turn_id is not None and total is not None
            uid = f"{self.turn_id}:usage:{total}" if named else None
            yield tokens.at(THREAD, uid, self.ts_ms)

    def _patched(self, payload: Mapping[str, Any], record: Record) -> Iterator[Item]:
        """Exact hunks of a patch. They wait for the output of their call, which comes next."""
        changes, call_id = payload.get("changes"), text_of(payload.get("call_id"))
        if payload.get("success") is False or not isinstance(changes, dict) or call_id is None:
            return
        call = self.calls.get(call_id)
        told = patch_edits(changes, call.cwd if call else self.cwd)
        edits = fitted_edits(told)
        if edits != told:
            yield beyond(record)
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
        shown = list(map(item_text, parts))
        n_bytes = sum(map(utf8_size, shown))
        yield self._event("compaction", text_bytes=n_bytes, words="\n".join(shown))

    def _rolled_back(self, payload: Mapping[str, Any]) -> Iterator[Event]:
        n_turns = number_of(payload.get("num_turns"))
        if n_turns and len(self.before_prompts) >= n_turns:
            target = self.before_prompts[-n_turns]
            del self.before_prompts[-n_turns:]
            self.requests.see_input()
            yield self._event("rewind", rewind_to=target)
        elif n_turns:
            self.unknown["thread_rolled_back of more turns than the file holds"] += 1
