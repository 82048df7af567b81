"""The records of one Claude Code file, one after the other → events, and at the end the rest.

This is where the log's repetitions are undone: a response streamed as several lines, lines and
boundaries written twice, the interface's copies of sub-agents. Ids only are held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ctxlab.events import Event, EventKind, Item, UnknownKind
from ctxlab.transcripts._claude_flow import Flow
from ctxlab.transcripts._claude_line import Line, as_dict, as_text, json_size, kind_name
from ctxlab.transcripts._claude_results import block_text, read_result, reminded_edits
from ctxlab.transcripts._claude_threads import About, Threads
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
    typed,
    usable_id,
)
from ctxlab.transcripts._names import names_in, names_in_input
from ctxlab.transcripts._texts import json_text, texts_in, utf8_size

__all__ = ["ClaudeSession"]

_SYNTHETIC = "<synthetic>"
_NEW_PROCESS = ("SessionStart:resume", "SessionStart:startup")
_REPLY_BLOCKS: dict[str, EventKind] = {
    "text": "text",
    "thinking": "thinking",
    "redacted_thinking": "thinking",
}
_USER_BLOCKS = ("text", "tool_result", "image", "document")
_RESULT_BLOCKS = ("text", "image", "document", "tool_reference")  # only texts have bytes
_ATTACHED = ("prompt", "content", "snippet", "text", "filename")


class ClaudeSession:
    """Reads the records of one file in order."""

    def __init__(self, file_stem: str) -> None:
        self._about = About(file_stem)
        self._threads = Threads()
        self._flow = Flow(self._about, self._threads)
        self._usage = UsageLog()
        self._unknown: Counter[str] = Counter()
        self._requests: dict[str, int] = {}
        self._waiting: dict[str, Call] = {}
        self._seen: set[object] = set()  # lines, calls, results, hashes of blocks
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
        kind = kind_name(record.get("type"))
        handler = self._handlers.get(kind)
        if handler is None:
            if kind not in NO_CONTEXT:
                self._unknown[kind] += 1
            return
        uuid = usable_id(record.get("uuid"))
        if uuid and not self._is_first((uuid, *_blocks_of(record.get("message")))):
            return  # a copy of the same history; another record under that uuid is none
        line = self._flow.line(record, self._threads.of(record, uuid), uuid)
        yield from self._flow.version_seen(line)
        yield from handler(line)

    def close(self, agent: str, n_lines: int, n_bytes: int) -> Iterator[Item]:
        """Give what is known only when the whole file has been read."""
        yield from self._threads.all()
        yield from self._usage.usages()
        for name, count in self._unknown.items():
            yield UnknownKind(name, count)
        yield self._about.transcript(agent, n_lines, n_bytes)

    def _is_first(self, key: object) -> bool:
        """Tell whether a key was not seen before."""
        n = len(self._seen)
        self._seen.add(key)
        return len(self._seen) > n

    def _assistant(self, line: Line) -> Iterator[Event]:
        """Read one line of a model response: mostly one block."""
        message = line.record.get("message")
        if not isinstance(message, dict):
            yield from self._flow.passed(line)
            return
        model = as_text(message.get("model"))
        if model == _SYNTHETIC or line.record.get("isApiErrorMessage"):
            yield from self._flow.passed(line)
            return
        named = usable_id(message.get("id")) or usable_id(line.record.get("requestId"))
        line.node = named or line.node
        request = self._requests.setdefault(line.node, len(self._requests))
        yield from self._flow.stepped(line, is_reply=True)
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
            yield from self._reply_block(line, n, as_dict(block), request)

    def _reply_block(
        self, line: Line, n: int, block: dict[str, Any], request: int
    ) -> Iterator[Event]:
        """Read one block of a response, unless it is a byte-equal repeat."""
        kind = kind_name(block.get("type"))
        if kind == "tool_use":
            yield from self._call(line, n, block, request)
            return
        said_as = _REPLY_BLOCKS.get(kind)
        if said_as is None:
            self._unknown[f"block/{kind}"] += 1
            return
        text = as_text(block.get("text" if said_as == "text" else "thinking")) or ""
        if not self._is_first(hash((line.node, kind, text))):
            return
        self._usage.wrote(request, len(text))
        yield self._flow.event(
            line,
            said_as,
            line.uid(n),
            request=request,
            text_bytes=utf8_size(text),
            names=names_in(text) if said_as == "text" else (),
            words=text,
        )

    def _call(self, line: Line, n: int, block: dict[str, Any], request: int) -> Iterator[Event]:
        """Read a tool call and keep what its result will need."""
        key = usable_id(block.get("id")) or f"line:{line.own}"
        if not self._is_first(("call", key)):
            return
        given = as_dict(block.get("input"))
        call = describe(key, as_text(block.get("name")) or "", given, request, line.cwd)
        self._waiting[key] = call
        if call.kind == "agent":
            self._threads.expect(given.get("prompt"), key)
        n_bytes = json_size(given)
        self._usage.wrote(request, n_bytes)
        yield self._flow.event(
            line,
            "call",
            line.uid(n),
            request=request,
            call_id=key,
            tool=call.tool,
            tool_kind=call.kind,
            touches=call.touches,
            text_bytes=n_bytes,
            names=names_in_input(given),
            words=texts_in(given),
            aside="\n".join(given),
            command=_command(call, given),
        )

    def _user(self, line: Line) -> Iterator[Event]:
        """Read a user line: results of calls, and what was said beside them."""
        content = as_dict(line.record.get("message")).get("content")
        blocks = [as_dict(block) for block in content] if isinstance(content, list) else []
        results = [block for block in blocks if block.get("type") == "tool_result"]
        if results:
            source = usable_id(line.record.get("sourceToolAssistantUUID"))
            node_of = line.path.node_of
            line.node = node_of(source) or node_of(line.parent) or line.node
        yield from self._flow.stepped(line)
        for n, block in enumerate(results):
            yield from self._result(line, n, block, alone=len(results) == 1)
        for block in blocks:
            if block.get("type") not in _USER_BLOCKS:
                self._unknown[f"block/{kind_name(block.get('type'))}"] += 1
        text = block_text(content)
        if not text and len(results) == len(blocks):
            return
        kind = said(line.record, text)
        if kind is not None:
            yield self._flow.event(
                line,
                kind,
                line.uid(len(results)),
                text_bytes=utf8_size(text),
                edits=reminded_edits(text),
                text=typed(text) if kind == "prompt" else "",
                words=text,
            )

    def _result(self, line: Line, n: int, block: dict[str, Any], *, alone: bool) -> Iterator[Event]:
        """Read the result of a call, once."""
        source = usable_id(line.record.get("sourceToolAssistantUUID"))
        key = usable_id(block.get("tool_use_id")) or f"line:{source or line.own}"
        if not self._is_first(("result", key)):
            return
        content = block.get("content")
        for part in content if isinstance(content, list) else []:
            kind = kind_name(as_dict(part).get("type"))
            if kind not in _RESULT_BLOCKS:
                self._unknown[f"result/{kind}"] += 1
        call = self._waiting.pop(key, None)
        shown = line.record.get("toolUseResult") if alone else None
        outcome = read_result(call, block, shown)
        agent = usable_id(as_dict(shown).get("agentId"))
        if agent and call and call.kind == "agent":
            self._threads.link(agent, line.thread, key)
        yield self._flow.event(
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
            words=outcome.words,
            aside=outcome.aside,
        )

    def _attachment(self, line: Line) -> Iterator[Event]:
        """Read what newer versions log of the harness's additions to the context."""
        attachment = as_dict(line.record.get("attachment"))
        yield from self._flow.stepped(line)
        text, edits = attachment_text(attachment), attachment_edits(attachment)
        if text or edits:
            kind = said_attachment(attachment)
            yield self._flow.event(
                line,
                kind,
                line.uid(),
                text_bytes=utf8_size(text),
                edits=edits,
                text=typed(text) if kind == "prompt" else "",
                words=text,
            )
        elif not any(key in attachment for key in _ATTACHED):
            self._unknown[f"attachment/{kind_name(attachment.get('type'))}"] += 1

    def _system(self, line: Line) -> Iterator[Event]:
        """Read a system line: the two kinds of compaction, and what is no context."""
        subtype = kind_name(line.record.get("subtype"))
        if subtype == "compact_boundary":
            yield from self._flow.compacted(line)
            return
        line.path.pass_by(line.uuid, line.parent)
        if subtype == "microcompact_boundary":
            ids = as_dict(line.record.get("microcompactMetadata")).get("compactedToolIds")
            cleared = tuple(filter(None, map(usable_id, ids if isinstance(ids, list) else [])))
            yield Event(
                line.thread,
                "microcompaction",
                uid=line.uid(),
                ts_ms=line.ts_ms,
                cleared_calls=cleared,
            )
        elif subtype not in NO_CONTEXT_SYSTEM:
            self._unknown[f"system/{subtype}"] += 1

    def _progress(self, line: Line) -> Iterator[Event]:
        """Read a progress line: a sub-agent's messages, signs of a new process."""
        data = as_dict(line.record.get("data"))
        kind = kind_name(data.get("type"))
        yield from self._flow.passed(line)
        if kind == "agent_progress":
            yield from self._agent_message(line, data)
        elif kind == "hook_progress" and data.get("hookName") in _NEW_PROCESS:
            yield from self._flow.resumed(line)
        elif kind not in NO_CONTEXT_PROGRESS:
            self._unknown[f"progress/{kind}"] += 1

    def _agent_message(self, line: Line, data: dict[str, Any]) -> Iterator[Event]:
        """Read a sub-agent's message; its normalised copy and the repeated prompt are left."""
        inner = as_dict(data.get("message"))
        agent = usable_id(data.get("agentId"))
        handler = {"user": self._user, "assistant": self._assistant}.get(
            kind_name(inner.get("type"))
        )
        if handler is None:
            self._unknown[f"agent_progress/{kind_name(inner.get('type'))}"] += 1
        uuid = usable_id(inner.get("uuid"))
        if (
            agent is None
            or handler is None
            or (uuid and not self._is_first((uuid, *_blocks_of(inner.get("message")))))
        ):
            return
        self._threads.link(agent, line.thread, usable_id(line.record.get("parentToolUseID")))
        record = {"cwd": line.cwd, "version": line.version, **inner}
        yield from handler(self._flow.line(record, agent, uuid))


def _command(call: Call, given: dict[str, Any]) -> str:
    """What a call asked: a command line, or the input of a tool that works on no file."""
    if call.kind in ("mcp", "web", "other"):
        return json_text(given) or ""
    return call.command or ""


def _blocks_of(message: object) -> tuple[object, ...]:
    """What tells the message of one record from that of another: its blocks' kinds, ids, sizes."""
    content = as_dict(message).get("content")
    if not isinstance(content, list):
        return (hash(content) if isinstance(content, str) else None,)
    return tuple(_told_by(as_dict(block)) for block in content)


def _told_by(block: dict[str, Any]) -> tuple[str | int, ...]:
    texts = (block.get("text"), block.get("content"), block.get("thinking"))
    named = (block.get("type"), block.get("id"), block.get("tool_use_id"))
    return (*map(str, named), *(len(text) if isinstance(text, str) else -1 for text in texts))
