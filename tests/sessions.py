"""Invented Claude Code transcripts, one a day: re-reads, compactions, sub-agents, JSON answers."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
LINES_A_FILE = 60


class Session:
    """Records of one file, written one after the other."""

    def __init__(
        self, name: str, day: int = 0, agent: str | None = None, cwd: str = "/project"
    ) -> None:
        self.name, self.agent, self.cwd = name, agent, cwd
        self.records: list[dict[str, Any]] = []
        self.clock = START + timedelta(days=day)
        self.context = 100

    def _add(self, kind: str, **values: Any) -> str:
        self.clock += timedelta(seconds=1)
        uid = f"{self.name}-{self.agent or 'main'}-{len(self.records)}"
        self.records.append(
            {
                "type": kind,
                "sessionId": self.name,
                "uuid": uid,
                "parentUuid": self.records[-1]["uuid"] if self.records else None,
                "timestamp": self.clock.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
                "version": "2.1.62",
                "cwd": self.cwd,
                "isSidechain": self.agent is not None,
                **({"agentId": self.agent} if self.agent else {}),
                **values,
            }
        )
        return uid

    def prompt(self, text: str = "go on") -> Session:
        self._add("user", message={"role": "user", "content": text})
        return self

    def call(self, tool: str, given: dict[str, Any], result: str) -> Session:
        at = f"{self.name}-{self.agent or 'main'}-{len(self.records)}"
        self._add(
            "assistant",
            requestId=f"req-{at}",
            message={
                "id": f"msg-{at}",
                "role": "assistant",
                "model": "model-a",
                "content": [{"type": "tool_use", "id": f"tool-{at}", "name": tool, "input": given}],
                "stop_reason": "tool_use",
                "usage": {
                    "input_tokens": 3,
                    "cache_read_input_tokens": self.context,
                    "cache_creation_input_tokens": 20,
                    "output_tokens": 5,
                },
            },
        )
        self.context += 5 + len(result) // 4
        self._add(
            "user",
            message={
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": f"tool-{at}", "content": result}
                ],
            },
        )
        return self

    def read(self, path: str, first: int = 1, last: int = LINES_A_FILE) -> Session:
        """Read lines of a file whose text follows from path and number."""
        shown = "\n".join(f"{n}\t{path}: source in line {n}" for n in range(first, last + 1))
        return self.call("Read", {"file_path": path, "offset": first}, shown)

    def shows(self, path: str, *lines: str) -> Session:
        """Read a file of these lines, whole."""
        shown = "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, 1))
        return self.call("Read", {"file_path": path}, shown)

    def runs(self, command: str, shown: str = "") -> Session:
        """Run a command in the shell, which shows a text."""
        return self.call("Bash", {"command": command}, shown)

    def says(self, text: str) -> Session:
        """Answer without a call, which ends the turn."""
        at = f"{self.name}-{self.agent or 'main'}-{len(self.records)}"
        self._add(
            "assistant",
            requestId=f"req-{at}",
            message={
                "id": f"msg-{at}",
                "role": "assistant",
                "model": "model-a",
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 3, "output_tokens": 5},
            },
        )
        return self

    def compact(self) -> Session:
        self._add(
            "system",
            subtype="compact_boundary",
            logicalParentUuid=self.records[-1]["uuid"],
            compactMetadata={"trigger": "auto", "preTokens": 9000},
            content="Conversation compacted",
        )
        return self

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(record) + "\n" for record in self.records))
        return path


def write_logs(folder: Path, n: int = 24, seed: int = 1) -> Path:
    """`n` families on as many days; most read some file again, few meet harm in doing so.

    In every family a file is read twice, lines that stay in the context. Every sixth one reads a
    file again after a compaction, every eighth one in a sub-agent that the main thread follows.
    """
    random = Random(seed)
    for day in range(n):
        session = Session(f"session-{day:03}", day).prompt()
        session.read("/project/a.py").read("/project/b.py", 1, random.randint(20, 60))
        session.read("/project/a.py", 1, random.randint(30, 60))
        if day % 6 == 5:
            session.read("/project/c.py").compact().prompt().read("/project/c.py")
        if day % 8 == 7:
            agent = Session(session.name, day, agent=f"a{day}")
            agent.clock = session.clock
            agent.prompt("look").read("/project/d.py")
            agent.write(folder / session.name / "subagents" / f"agent-a{day}.jsonl")
            session.clock = agent.clock
            session.read("/project/d.py")
        session.write(folder / f"{session.name}.jsonl")
    return folder


PUMPS, VALVES = "/src/pumps", "/src/valves"


def write_prompts(folder: Path, n: int = 24, pumps: str = PUMPS) -> Path:
    """`n` families whose prompts ask for what earlier ones showed; each third is of valves.

    The first of each shows three files: with less, it could not be told that neither is a clone
    of the other.
    The first family of pumps shows a file of many items and one of `start_pump`. Later ones ask
    for `start_pump` and open its file, then for `item`, which many names hold, and use nothing;
    every fourth asks again after a compaction. Those of valves use nothing but in the first.
    """
    items = [f"def make_item_{i}():" for i in range(20)]
    for day in range(n):
        if day % 3 == 2:
            session = Session(f"valves-{day:03}", day, cwd=VALVES)
            session.prompt("What does open_valve do?")
            if day == 2:
                session.shows(f"{VALVES}/valve.py", "def open_valve():", '    """Open it."""')
                session.shows(f"{VALVES}/seat.py", "x = 1").shows(f"{VALVES}/stem.py", "x = 1")
            session.says("it opens")
        else:
            session = Session(f"pumps-{day:03}", day, cwd=pumps)
            if day == 0:
                session.prompt("look around").shows(f"{pumps}/items.py", *items)
                session.shows(f"{pumps}/pump.py", "def start_pump():", '    """Start it."""')
                session.shows(f"{pumps}/tank.py", "x = 1")
            session.prompt("Where is start_pump?")
            session.shows(f"{pumps}/pump.py", "def start_pump():").says("in pump.py")
            session.prompt("Why does any `item` fail?").says("I cannot tell.")
            if day % 4 == 1:
                session.compact().prompt("And start_pump again?").says("it waits")
        session.write(folder / f"{session.name}.jsonl")
    return folder


LIST, BOARD = "tracker list", "mcp__board__get"


def write_answers(folder: Path, n: int = 24) -> Path:
    """`n` families whose tools answer in JSON: 4 rows of a tracker each, cards of a board in some.

    Every family quotes the first id of its list, every third one the last id too: all of them
    witnesses. Even families look at a card of the board, every fourth one twice. In the second the
    tracker also answers without JSON.
    """
    for day in range(n):
        ids = [f"AB-{day:02}{i:02}" for i in range(4)]
        session = Session(f"session-{day:03}", day).prompt()
        session.runs(f"{LIST} --json", compact({"items": [row_of(one) for one in ids]}))
        session.runs(f"tracker show {ids[0]}", "it waits")
        if day % 3 == 0:
            session.runs(f"tracker show {ids[3]}", "it waits")
        for _ in range((day % 2 == 0) + (day % 4 == 0)):
            card = json.dumps({"state": "waits for paint"}, indent=1)
            session.call(BOARD, {"card": "north"}, card)
        if day == 1:
            session.runs(f"{LIST} --json --label red", "there is no such label")
        session.says("done").write(folder / f"{session.name}.jsonl")
    return folder


def row_of(one: str) -> dict[str, str]:
    return {"id": one, "note": "as it is"}


def compact(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
