"""Recorded MCP traffic → events: what an agent asked of a tool server, and what came back.

One JSON-RPC message a line, in an envelope that says who sent it,
`{"from": "client" | "server", "message": {…}}`, or bare. The traffic shows a connection's tool
calls and nothing else of the conversation: no prompts, no edits, no usage. One file is one
thread; a second `initialize` in it is a new connection of the same thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeGuard

from ctxlab.events import Event, Item, Problem, Thread, Transcript, UnknownKind
from ctxlab.paths import user_path
from ctxlab.transcripts._codegraph import looks_like_answer, parse
from ctxlab.transcripts._lines import Record, open_binary, read_lines
from ctxlab.transcripts._mentions import file_mentions
from ctxlab.transcripts._placed import placed
from ctxlab.transcripts._texts import json_text, texts_in, utf8_size

__all__ = ["NAME", "VERSION", "sniff", "stream"]

NAME = "mcp"
VERSION = 6
"""Raised whenever a store would keep something else of the same file: it is then read again."""

Side = Literal["client", "server"]
_SIDES: tuple[Side, Side] = ("client", "server")

_THREAD = "main"
_ASKED_BY_SERVER = {"roots/list", "sampling/createMessage", "elicitation/create"}
_KNOWN_METHODS = _ASKED_BY_SERVER | {
    *("initialize", "ping", "completion/complete", "logging/setLevel"),
    *("tools/list", "tools/call", "prompts/list", "prompts/get"),
    *("resources/list", "resources/read", "resources/templates/list"),
    *("resources/subscribe", "resources/unsubscribe"),
    *("tasks/get", "tasks/result", "tasks/list", "tasks/cancel"),
    *("notifications/initialized", "notifications/cancelled", "notifications/progress"),
    *("notifications/message", "notifications/roots/list_changed"),
    *("notifications/tools/list_changed", "notifications/prompts/list_changed"),
    *("notifications/resources/list_changed", "notifications/resources/updated"),
    *("notifications/elicitation/complete", "notifications/tasks/status"),
}


def sniff(records: Sequence[dict[str, Any]]) -> bool:
    """Tell whether the first records of a file are MCP traffic.

    A bare message is taken only if MCP alone has it: other protocols are JSON-RPC too.
    """
    return any(_is_mcp(record) for record in records)


def stream(path: str | Path) -> Iterator[Item]:
    """Read one file of recorded MCP traffic.

    A call that is issued while another is unanswered belongs to the same `request`: an agent
    waits for all results of one model response before it asks for the next. Ids are the
    connection's, so `call_id` is the running number of the call with its id.

    Parameters
    ----------
    path
        File of JSON lines; `~` is expanded.

    Yields
    ------
    Item
        The thread, events and problems in file order; then the unknown methods and the
        transcript, whose session is the file itself and whose version is the server's.

    Raises
    ------
    InputError
        If the file cannot be opened.
    """
    traffic = _Traffic()
    n_lines = 0
    with open_binary(path) as file:
        yield Thread(_THREAD)
        for record in read_lines(file):
            if isinstance(record, Problem):
                yield record
                continue
            n_lines += 1
            found = traffic.take(record.value)
            items = (f if isinstance(f, Event) else _problem(f, record) for f in found)
            yield from placed(items, record, is_odd=False)
        n_bytes = file.tell()
    for name, count in sorted(traffic.unknown_methods.items()):
        yield UnknownKind(name, count)
    yield Transcript(
        agent=NAME,
        agent_version=traffic.version,
        session_id=str(user_path(path).resolve()),
        n_lines=n_lines,
        n_bytes=n_bytes,
    )


def _is_mcp(record: dict[str, Any]) -> bool:
    """Whether a record can be nothing but a message of MCP."""
    message = record.get("message")
    if record.get("from") in _SIDES and isinstance(message, dict):
        return message.get("jsonrpc") == "2.0"
    params = record.get("params")
    if record.get("jsonrpc") != "2.0":
        return False
    if record.get("method") == "initialize":
        return isinstance(params, dict) and "protocolVersion" in params
    return record.get("method") == "tools/call"


def _problem(cause: str, record: Record) -> Problem:
    """A message that was read but cannot be placed: a note of no bytes."""
    return Problem(cause, record.byte_offset, record.line_number, 0)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request that waits for its response; `call` is its event if it is a tool call."""

    method: str
    call: Event | None = None


@dataclass(slots=True)
class _Traffic:
    """What is known of the connection so far."""

    server: str = "unknown"
    version: str | None = None
    initialized: bool = False
    n_calls: int = 0
    request: int = -1
    waiting: dict[tuple[Side, str | int | float], _Asked] = field(default_factory=dict)
    unknown_methods: Counter[str] = field(default_factory=Counter)

    def take(self, record: dict[str, Any]) -> Iterator[Event | str]:
        """Give the events of one record, and the causes of what cannot be placed."""
        sender: Side | None = next((s for s in _SIDES if s == record.get("from")), None)
        content: object = record.get("message") if sender else record
        for message in content if isinstance(content, list) else [content]:
            if not isinstance(message, dict):
                yield "a JSON-RPC message that is no object"
            elif isinstance(method := message.get("method"), str):
                yield from self._asked(sender or _asker(method), method, message)
            elif "result" in message or "error" in message:
                yield from self._answered((_other(sender),) if sender else _SIDES, message)
            else:
                yield "no JSON-RPC message"

    def _asked(self, side: Side, method: str, message: dict[str, Any]) -> Iterator[Event | str]:
        """Take a request or, without an id, a notification."""
        if method not in _KNOWN_METHODS:
            self.unknown_methods[method] += 1
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        if "id" not in message:
            if method == "notifications/cancelled":
                self._forget(side, params.get("requestId"))
            return
        if not _is_id(message["id"]):
            yield f"{method} whose id is neither text nor number"
            return
        if method == "initialize":
            if self.initialized:
                yield Event(_THREAD, "resume")
            self.initialized = True
            self.waiting.clear()
        key = (side, message["id"])
        if key in self.waiting:
            yield f"{method} with the id of a request that is still unanswered"
        call = None
        if method == "tools/call":
            if not isinstance(params.get("name"), str):
                yield "tools/call without the name of a tool"
                return
            given = params.get("arguments")
            text = "" if given is None else json_text(given)
            if text is None:
                yield "arguments of a tool call that no JSON writer takes; counted as 0 bytes"
            call = self._call(key[1], params["name"], text or "")
            members = "\n".join(given) if isinstance(given, dict) else ""
            yield replace(call, words=texts_in(given), aside=members, command=text or "")
        self.waiting[key] = _Asked(method, call)

    def _call(self, message_id: object, tool: str, given: str) -> Event:
        """The event of a tool call that now goes out."""
        if all(asked.call is None for asked in self.waiting.values()):
            self.request += 1
        self.n_calls += 1
        return Event(
            _THREAD,
            "call",
            request=self.request,
            call_id=f"{self.n_calls}:{message_id}",
            tool=f"mcp__{self.server}__{tool}",
            tool_kind="mcp",
            text_bytes=utf8_size(given),
        )

    def _answered(self, askers: tuple[Side, ...], message: dict[str, Any]) -> Iterator[Event | str]:
        """Take a response to what one of `askers` asked."""
        message_id = message.get("id")
        keys = [(side, message_id) for side in askers] if _is_id(message_id) else []
        keys = [key for key in keys if key in self.waiting]
        if len(keys) != 1:
            yield (
                "a response to an id that both sides wait for"
                if keys
                else "a response to an id that was not asked"
            )
            return
        asked = self.waiting.pop(keys[0])
        result = message.get("result")
        if asked.call is not None:
            yield from _result(asked.call, result, message.get("error"))
        elif asked.method == "initialize" and isinstance(result, dict):
            info = result.get("serverInfo")
            if isinstance(info, dict) and isinstance(info.get("name"), str):
                version = info.get("version")
                self.server = info["name"]
                self.version = version if isinstance(version, str) else None
            else:
                yield "initialize result without the server's name"

    def _forget(self, side: Side, message_id: object) -> None:
        """A cancelled call is waited for no more; a late response is not read."""
        if _is_id(message_id) and (asked := self.waiting.get((side, message_id))):
            self.waiting[side, message_id] = replace(asked, call=None)


def _result(call: Event, result: object, error: object) -> Iterator[Event | str]:
    """The event of a tool result, or of the error that came in its place."""
    if isinstance(error, dict):
        text, is_error = str(error.get("message", "")), True
    elif isinstance(result, dict) and isinstance(result.get("content"), list):
        text, is_error = _text(result["content"]), result.get("isError") is True
    else:
        yield "tool result without content"
        text, is_error = "", error is not None
    answer = parse(text) if looks_like_answer(text) else None
    yield replace(
        call,
        kind="result",
        is_error=is_error,
        text_bytes=utf8_size(text),
        spans=answer.spans if answer else (),
        pointers=answer.pointers if answer else (),
        mentions=file_mentions(text),
        words=text,
    )


def _text(blocks: list[Any]) -> str:
    """Text that a model sees of content blocks: their own, or of an embedded resource."""
    texts = []
    for block in blocks:
        if isinstance(block, dict):
            resource = block.get("resource")
            texts.append(block.get("text", resource.get("text") if _is_dict(resource) else None))
    return "\n".join(text for text in texts if isinstance(text, str))


def _asker(method: str) -> Side:
    """Who sends a bare request; one that both may send is taken for the client's."""
    return "server" if method in _ASKED_BY_SERVER else "client"


def _other(side: Side) -> Side:
    return "server" if side == "client" else "client"


def _is_id(value: object) -> TypeGuard[str | int | float]:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _is_dict(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)
