"""Which thread a line of a Claude Code log belongs to, and what the file says of itself.

Sub-agents are logged in three ways: as progress of the call that started them, in files of their
own, and (older versions) as side chains between the lines of the main thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.events import Thread, Transcript
from ctxlab.transcripts._claude_path import ThreadPath
from ctxlab.transcripts._claude_results import block_text
from ctxlab.transcripts._claude_words import bare_session_id, usable_id

__all__ = ["MAIN", "About", "Threads"]

MAIN = "main"


class Threads:
    """The threads of one file: their paths, and the calls that started them."""

    def __init__(self) -> None:
        self._paths: dict[str, ThreadPath] = {}
        self._links: dict[str, Thread] = {}
        self._side_of: dict[str, str] = {}
        self._expected: dict[int, list[str]] = {}

    def of(self, record: dict[str, Any], uuid: str | None) -> str:
        """Name the thread of a line; a side chain begins with the prompt of its call."""
        if not record.get("isSidechain"):
            return MAIN
        agent = usable_id(record.get("agentId"))
        if agent:
            self.link(agent, MAIN, None)
            return agent
        parent = usable_id(record.get("parentUuid"))
        thread = self._side_of.get(parent or "")
        if thread is None:
            thread = uuid or f"sidechain-{len(self._links)}"
            message = record.get("message")
            prompt = block_text(message.get("content")) if isinstance(message, dict) else ""
            calls = self._expected.get(hash(prompt))
            self.link(thread, MAIN, calls.pop(0) if calls else None)
        if uuid:
            self._side_of[uuid] = thread
        return thread

    def path(self, thread: str) -> ThreadPath:
        """Path of a thread, begun if it is new."""
        path = self._paths.get(thread)
        if path is None:
            path = self._paths[thread] = ThreadPath()
            self._links.setdefault(thread, Thread(thread))
        return path

    def expect(self, prompt: object, call: str) -> None:
        """Note that a call starts a sub-agent with this prompt; only its hash is kept."""
        if isinstance(prompt, str):
            self._expected.setdefault(hash(prompt), []).append(call)

    def link(self, thread: str, parent_thread: str, parent_call: str | None) -> None:
        """Say what started a thread; the first call known stays."""
        known = self._links.get(thread)
        if known is None or known.parent_call is None:
            self._links[thread] = Thread(thread, parent_thread, parent_call)

    def all(self) -> Iterator[Thread]:
        """Give every thread, also those whose events are in a file of their own."""
        yield from self._links.values()


class About:
    """Gathers what a file says of itself."""

    def __init__(self, file_stem: str) -> None:
        self._stem = bare_session_id(file_stem)
        self._sessions: dict[str, None] = {}
        self._forked_from: str | None = None
        self._started: int | None = None
        self._ended: int | None = None
        self.version: str | None = None
        self.cwd: str | None = None
        self.models: dict[str, None] = {}

    def session(self, record: dict[str, Any]) -> None:
        """Take the session ids of a record."""
        session = usable_id(record.get("sessionId"))
        if session:
            self._sessions[session] = None
        forked = record.get("forkedFrom")
        if isinstance(forked, dict) and self._forked_from is None:
            self._forked_from = usable_id(forked.get("sessionId"))

    def moment(self, ts_ms: int | None) -> None:
        """Take a time stamp; lines are only nearly in order."""
        if ts_ms is not None:
            self._started = ts_ms if self._started is None else min(self._started, ts_ms)
            self._ended = ts_ms if self._ended is None else max(self._ended, ts_ms)

    def transcript(self, agent: str, n_lines: int, n_bytes: int) -> Transcript:
        """Sum up.

        A file that was resumed may hold two session ids: its own is the one it is named for,
        else the latest; the first of the others is its origin.
        """
        ids = list(dict.fromkeys(map(bare_session_id, self._sessions)))
        own = self._stem if self._stem in ids or not ids else ids[-1]
        origin = self._forked_from or next((i for i in ids if i != own), None)
        return Transcript(
            agent=agent,
            agent_version=self.version,
            session_id=own,
            parent_session_id=bare_session_id(origin) if origin else None,
            started_ms=self._started,
            ended_ms=self._ended,
            cwd=self.cwd,
            models=tuple(self.models),
            n_lines=n_lines,
            n_bytes=n_bytes,
        )
