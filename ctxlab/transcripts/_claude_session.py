"""The records of one Claude Code file, one after the other → events, and at the end the rest.

This is where the log's repetitions are undone: a response streamed as several lines, lines and
boundaries written twice, the interface's copies of sub-agents. Ids only are held.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from ctxlab.events import Event, EventKind, Item, UnknownKind
from ctxlab.transcripts._claude_results import block_text, read_result, reminded_edits
from ctxlab.transcripts._claude_threads import MAIN, About, Threads
from ctxlab.transcripts._claude_tools import Call, describe
from ctxlab.transcripts._claude_usage import UsageLog
from ctxlab.transcripts._claude_words import (
    NO_CONTEXT,
    NO_CONTEXT_PROGRESS,
    NO_CONTEXT_SYSTEM,
    attachment_edits,
    attachment_text,
    said,
    said_attachment,
    usable_id,
)

__all__ = ["ClaudeSession"]

_SYNTHETIC = "<synthetic>"
_NEW_PROCESS = ("SessionStart:resume", "SessionStart:startup")


@dataclass(frozen=True, slots=True)
class _Line:
    """The envelope of a record, and the node of the path that it belongs to."""

    record: dict[str, Any]
    thread: str
    uuid: str | None
    ts_ms: int | None
    cwd: str | None
    version: str | None
    node: str

    def uid(self, n: int = 0) -> str | None:
        """Identity of the n-th thing on the line."""
        return f"{self.uuid}:{n}" if n and self.uuid else self.uuid

    def mark(self, name: str) -> str | None:
        """Identity of what the line only implies."""
        return f"{self.uuid}:{name}" if self.uuid else None


class ClaudeSession:
    """Reads the records of one file in order."""

    def __init__(self, file_stem: str) -> None:
        self._about = About(file_stem)
        self._threads = Threads()
        self._usage = UsageLog()
        self._unknown: Counter[str] = Counter()
        self._requests: dict[str, int] = {}
        self._waiting: dict[str, Call] = {}
        self._seen: set[object] = set()  # lines, boundaries, calls, results, hashes of blocks
        self._versions: set[str] = set()
        self._just_resumed = True
        self._handlers = {
            "assistant": self._assistant,
            "attachment": self._attachment,
            "progress": self._progress,
            "system": self._system,
            "user": self._user,
        }

    def read(self, record: dict[str, Any]) -> Iterator[Event]:
        """Give the events of one record."""
        self._about.session(record)
        kind = record.get("type")
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        if handler is None:
            if kind not in NO_CONTEXT:
                self._unknown[_name(kind)] += 1
            return
        uuid = usable_id(record.get("uuid"))
        if uuid and not self._is_first(uuid):
            return
        text = _message_text(record) if record.get("isSidechain") else ""
        line = self._line(record, self._threads.of(record, uuid, text), uuid)
        yield from self._new_version(line)
        yield from handler(line)

    def close(self, agent: str, n_lines: int, n_bytes: int) -> Iterator[Item]:
        """Give what is known only when the whole file has been read."""
        yield from self._threads.all()
        yield from self._usage.usages()
        for name, count in self._unknown.items():
            yield UnknownKind(name, count)
        yield self._about.transcript(agent, n_lines, n_bytes)

    def _line(self, record: dict[str, Any], thread: str, uuid: str | None) -> _Line:
        """Read the envelope."""
        ts_ms = _milliseconds(record.get("timestamp"))
        self._about.moment(ts_ms)
        cwd, version = _text(record.get("cwd")), _text(record.get("version"))
        self._about.cwd = self._about.cwd or cwd
        self._about.version = self._about.version or version
        node = uuid or f"#{len(self._seen)}"
        return _Line(record, thread, uuid, ts_ms, cwd, version, node)

    def _is_first(self, key: object) -> bool:
        """Tell whether a key was not seen before."""
        n = len(self._seen)
        self._seen.add(key)
        return len(self._seen) > n

    # Where the thread goes ---------------------------------------------------------------

    def _event(self, line: _Line, kind: EventKind, uid: str | None, **more: Any) -> Event:
        """Make an event of a line and note it on its path."""
        self._threads.path(line.thread).emitted(line.node, uid)
        if line.thread == MAIN:
            self._just_resumed = kind == "resume"
        return Event(line.thread, kind, uid=uid, ts_ms=line.ts_ms, **more)

    def _new_version(self, line: _Line) -> Iterator[Event]:
        """Only a new process writes another version into the same thread."""
        if line.version and line.version not in self._versions:
            self._versions.add(line.version)
            if len(self._versions) > 1:
                yield from self._resume(line)

    def _resume(self, line: _Line) -> Iterator[Event]:
        """A new process; several signs of one make one event."""
        if line.thread == MAIN and not self._just_resumed:
            self._just_resumed = True
            yield Event(MAIN, "resume", uid=line.mark("resume"), ts_ms=line.ts_ms)

    def _restart(self, line: _Line, node: str) -> Iterator[Event]:
        """A new root in the main thread: what stood before it is not sent any more."""
        path = self._threads.path(line.thread)
        if line.thread == MAIN and line.record.get("parentUuid", "") is None and path.has_events:
            path.restart(line.uuid, node)
            yield Event(line.thread, "clear", uid=line.mark("clear"), ts_ms=line.ts_ms)

    def _pass_by(self, line: _Line) -> Iterator[Event]:
        """Take a line that is no conversation into the path."""
        yield from self._restart(line, "")
        path = self._threads.path(line.thread)
        path.pass_by(line.uuid, usable_id(line.record.get("parentUuid")))

    def _step(self, line: _Line, is_reply: bool = False) -> Iterator[Event]:
        """Take a line of the conversation into the path."""
        yield from self._restart(line, line.node)
        path = self._threads.path(line.thread)
        parent = usable_id(line.record.get("parentUuid"))
        back = path.step(line.uuid, parent, line.node, is_reply)
        if back is not None:
            to = path.last_event(back)
            kind: EventKind = "clear" if to is None else "rewind"
            uid = line.mark(kind)
            yield Event(line.thread, kind, uid=uid, ts_ms=line.ts_ms, rewind_to=to)

    # Records ----------------------------------------------------------------------------

    def _assistant(self, line: _Line) -> Iterator[Event]:
        """Read one line of a model response: mostly one block."""
        message = _dict(line.record.get("message"))
        model = _text(message.get("model"))
        if model == _SYNTHETIC or line.record.get("isApiErrorMessage"):
            yield from self._pass_by(line)
            return
        named = usable_id(message.get("id")) or usable_id(line.record.get("requestId"))
        line = _at(line, named or line.node)
        request = self._requests.setdefault(line.node, len(self._requests))
        yield from self._step(line, is_reply=True)
        if model:
            self._about.models[model] = None
        self._usage.see(
            line.thread,
            request,
            named or line.uuid,
            model,
            line.ts_ms,
            line.version,
            message.get("usage"),
            message.get("stop_reason") is not None,
        )
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for n, block in enumerate(content if isinstance(content, list) else []):
            yield from self._reply_block(line, n, _dict(block), request)

    def _reply_block(
        self, line: _Line, n: int, block: dict[str, Any], request: int
    ) -> Iterator[Event]:
        """Read one block of a response, unless it is a byte-equal repeat."""
        kind = block.get("type")
        if kind == "tool_use":
            yield from self._call(line, n, block, request)
            return
        if kind not in ("text", "thinking", "redacted_thinking"):
            self._unknown[f"block/{_name(kind)}"] += 1
            return
        text = _text(block.get(kind)) or ""
        if not self._is_first(hash((line.node, kind, text))):
            return
        self._usage.wrote(request, len(text))
        said_as: EventKind = "text" if kind == "text" else "thinking"
        yield self._event(
            line, said_as, line.uid(n), request=request, text_bytes=len(text.encode())
        )

    def _call(self, line: _Line, n: int, block: dict[str, Any], request: int) -> Iterator[Event]:
        """Read a tool call and keep what its result will need."""
        key = usable_id(block.get("id")) or f"line:{line.uuid}"
        if not self._is_first(("call", key)):
            return
        given = _dict(block.get("input"))
        call = describe(key, _text(block.get("name")) or "", given, request, line.cwd)
        self._waiting[key] = call
        if call.kind == "agent":
            self._threads.expect(given.get("prompt"), key)
        n_bytes = _json_size(given)
        self._usage.wrote(request, n_bytes)
        yield self._event(
            line,
            "call",
            line.uid(n),
            request=request,
            call_id=key,
            tool=call.tool,
            tool_kind=call.kind,
            touches=call.touches,
            text_bytes=n_bytes,
        )

    def _user(self, line: _Line) -> Iterator[Event]:
        """Read a user line: results of calls, and what was said beside them."""
        content = _dict(line.record.get("message")).get("content")
        blocks = [_dict(block) for block in content] if isinstance(content, list) else []
        results = [block for block in blocks if block.get("type") == "tool_result"]
        if results:
            path = self._threads.path(line.thread)
            source = usable_id(line.record.get("sourceToolAssistantUUID"))
            parent = usable_id(line.record.get("parentUuid"))
            line = _at(line, path.node_of(source) or path.node_of(parent) or line.node)
        yield from self._step(line)
        for n, block in enumerate(results):
            yield from self._result(line, n, block, alone=len(results) == 1)
        for block in blocks:
            if block.get("type") not in ("text", "tool_result", "image", "document"):
                self._unknown[f"block/{_name(block.get('type'))}"] += 1
        text = block_text(content)
        if not text and len(results) == len(blocks):
            return
        kind = said(line.record, text)
        if kind is not None:
            yield self._event(
                line,
                kind,
                line.uid(len(results)),
                text_bytes=len(text.encode()),
                edits=reminded_edits(text),
            )

    def _result(
        self, line: _Line, n: int, block: dict[str, Any], *, alone: bool
    ) -> Iterator[Event]:
        """Read the result of a call, once."""
        source = usable_id(line.record.get("sourceToolAssistantUUID"))
        key = usable_id(block.get("tool_use_id")) or f"line:{source or line.uuid}"
        if not self._is_first(("result", key)):
            return
        call = self._waiting.pop(key, None)
        shown = line.record.get("toolUseResult") if alone else None
        outcome = read_result(call, block, shown)
        agent = usable_id(_dict(shown).get("agentId"))
        if agent and call and call.kind == "agent":
            self._threads.link(agent, line.thread, key)
        yield self._event(
            line,
            "result",
            line.uid(n),
            request=call.request if call else None,
            call_id=key,
            tool=call.tool if call else None,
            tool_kind=call.kind if call else None,
            touches=call.touches if call else (),
            is_error=outcome.is_error,
            text_bytes=outcome.text_bytes,
            spans=outcome.spans,
            pointers=outcome.pointers,
            edits=outcome.edits,
            mentions=outcome.mentions,
        )

    def _attachment(self, line: _Line) -> Iterator[Event]:
        """Read what newer versions log of the harness's additions to the context."""
        attachment = _dict(line.record.get("attachment"))
        yield from self._step(line)
        text, edits = attachment_text(attachment), attachment_edits(attachment)
        if text or edits:
            yield self._event(
                line,
                said_attachment(attachment),
                line.uid(),
                text_bytes=len(text.encode()),
                edits=edits,
            )

    def _system(self, line: _Line) -> Iterator[Event]:
        """Read a system line: the two kinds of compaction, and what is no context."""
        subtype = line.record.get("subtype")
        if subtype == "compact_boundary":
            yield from self._compaction(line)
            return
        path = self._threads.path(line.thread)
        path.pass_by(line.uuid, usable_id(line.record.get("parentUuid")))
        if subtype == "microcompact_boundary":
            ids = _dict(line.record.get("microcompactMetadata")).get("compactedToolIds")
            cleared = tuple(filter(None, map(usable_id, ids if isinstance(ids, list) else [])))
            yield Event(
                line.thread,
                "microcompaction",
                uid=line.uid(),
                ts_ms=line.ts_ms,
                cleared_calls=cleared,
            )
        elif subtype not in NO_CONTEXT_SYSTEM:
            self._unknown[f"system/{_name(subtype)}"] += 1

    def _compaction(self, line: _Line) -> Iterator[Event]:
        """Read a compaction; a copy of its boundary is none."""
        before = usable_id(line.record.get("logicalParentUuid"))
        path = self._threads.path(line.thread)
        if before and not self._is_first(("boundary", line.thread, before)):
            path.pass_by(line.uuid, None)
            return
        path.restart(line.uuid, line.node)
        yield self._event(line, "compaction", line.uid())

    def _progress(self, line: _Line) -> Iterator[Event]:
        """Read a progress line: a sub-agent's messages, signs of a new process."""
        data = _dict(line.record.get("data"))
        kind = data.get("type")
        yield from self._pass_by(line)
        if kind == "agent_progress":
            yield from self._agent_message(line, data)
        elif kind == "hook_progress" and data.get("hookName") in _NEW_PROCESS:
            yield from self._resume(line)
        elif kind not in NO_CONTEXT_PROGRESS:
            self._unknown[f"progress/{_name(kind)}"] += 1

    def _agent_message(self, line: _Line, data: dict[str, Any]) -> Iterator[Event]:
        """Read a sub-agent's message; its normalised copy and the repeated prompt are left."""
        inner = _dict(data.get("message"))
        agent = usable_id(data.get("agentId"))
        handler = {"user": self._user, "assistant": self._assistant}.get(_name(inner.get("type")))
        uuid = usable_id(inner.get("uuid"))
        if agent is None or handler is None or (uuid and not self._is_first(uuid)):
            return
        self._threads.link(agent, line.thread, usable_id(line.record.get("parentToolUseID")))
        record = {"cwd": line.cwd, "version": line.version, **inner}
        yield from handler(self._line(record, agent, uuid))


def _at(line: _Line, node: str) -> _Line:
    """Put a line into another node."""
    return _Line(line.record, line.thread, line.uuid, line.ts_ms, line.cwd, line.version, node)


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _name(value: object) -> str:
    """Name a kind that a record states, whatever stands there."""
    return value if isinstance(value, str) else f"({type(value).__name__})"


def _message_text(record: dict[str, Any]) -> str:
    return block_text(_dict(record.get("message")).get("content"))


def _milliseconds(value: object) -> int | None:
    """Read an ISO time stamp."""
    if not isinstance(value, str):
        return None
    try:
        return int(datetime.fromisoformat(value).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return None


def _json_size(value: dict[str, Any]) -> int:
    """UTF-8 size of a call's input as compact JSON."""
    try:
        return len(orjson.dumps(value))
    except TypeError:  # numbers beyond 64 bit, or nested deeper than orjson writes
        return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
