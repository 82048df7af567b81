"""How the threads of one file go on: where they start anew, go back or get a new process.

Every line passes here first; what it implies for its thread comes out as events.
"""

from __future__ import annotations

from typing import Any

from ctxlab.events import Event, EventKind
from ctxlab.transcripts._claude_line import Line, as_text, milliseconds
from ctxlab.transcripts._claude_threads import MAIN, About, Threads
from ctxlab.transcripts._claude_words import usable_id

__all__ = ["Flow"]


class Flow:
    """Follows the threads of one file line by line."""

    def __init__(self, about: About, threads: Threads) -> None:
        self._about = about
        self._threads = threads
        self._versions: set[str] = set()
        self._boundaries: set[tuple[str, str]] = set()
        self._n_lines = 0
        self._just_resumed = True

    def line(self, record: dict[str, Any], thread: str, uuid: str | None) -> Line:
        """Read the envelope of a record."""
        about = self._about
        ts_ms = milliseconds(record.get("timestamp"))
        about.moment(ts_ms)
        cwd, version = as_text(record.get("cwd")), as_text(record.get("version"))
        about.cwd = about.cwd or cwd
        about.version = about.version or version
        self._n_lines += 1
        own = uuid or f"#{self._n_lines}"
        return Line(
            record=record,
            thread=thread,
            path=self._threads.path(thread),
            uuid=uuid,
            parent=usable_id(record.get("parentUuid")),
            ts_ms=ts_ms,
            cwd=cwd,
            version=version,
            own=own,
            node=own,
        )

    def event(self, line: Line, kind: EventKind, uid: str | None, **more: Any) -> Event:
        """Make an event of a line and note it on the line's path."""
        line.path.emitted(line.node, uid)
        if line.thread == MAIN:
            self._just_resumed = False
        return Event(line.thread, kind, uid=uid, ts_ms=line.ts_ms, **more)

    def version_seen(self, line: Line) -> tuple[Event, ...]:
        """Only a new process writes another version into the same thread."""
        if line.version is None or line.version in self._versions:
            return ()
        self._versions.add(line.version)
        return self.resumed(line) if len(self._versions) > 1 else ()

    def resumed(self, line: Line) -> tuple[Event, ...]:
        """Take a sign of a new process; several signs of one make one event."""
        if line.thread != MAIN or self._just_resumed:
            return ()
        self._just_resumed = True
        return (_implied(line, "resume"),)

    def passed(self, line: Line) -> tuple[Event, ...]:
        """Take a line that is no conversation."""
        events = self._started_anew(line, "")
        if not events:
            line.path.pass_by(line.uuid, line.parent)
        return events

    def stepped(self, line: Line, *, is_reply: bool = False) -> tuple[Event, ...]:
        """Take a line of the conversation."""
        events = self._started_anew(line, line.node)
        back = line.path.step(line.uuid, line.parent, line.node, is_reply)
        if back is None:
            return events
        to = line.path.last_event(back)
        return (*events, _implied(line, "rewind", to) if to else _implied(line, "clear"))

    def compacted(self, line: Line) -> tuple[Event, ...]:
        """Take the boundary of a compaction; a copy of it is none."""
        before = usable_id(line.record.get("logicalParentUuid"))
        if before and (line.thread, before) in self._boundaries:
            line.path.pass_by(line.uuid, line.parent)
            return ()
        if before:
            self._boundaries.add((line.thread, before))
        line.path.restart(line.uuid, line.node)
        return (self.event(line, "compaction", line.uid()),)

    def _started_anew(self, line: Line, node: str) -> tuple[Event, ...]:
        """Take a new root of the main thread: what stood before it is not sent any more."""
        if line.thread != MAIN or not line.is_root() or not line.path.has_events:
            return ()
        line.path.restart(line.uuid, node)
        return (_implied(line, "clear"),)


def _implied(line: Line, kind: EventKind, rewind_to: str | None = None) -> Event:
    return Event(line.thread, kind, uid=line.mark(kind), ts_ms=line.ts_ms, rewind_to=rewind_to)
