"""Write the sessions in sessions/ from tasks.toml, this repository's history and real commands.

    python data/surface/make_sessions.py

Every answer is what its command prints of the repository as it stood after `COMMIT`. The same
history and version of ruff give the same bytes. A shallow clone is refused.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from project_tools import TOOLS

FOLDER = Path(__file__).resolve().parent
COMMIT = "3aa882820c"
RUFF = "0.17.6"  # its answers are stored: another version words them differently
PARTS = ("ctxlab", "tests", "docs", "notebooks", "README.md", "CONTRIBUTING.md", "pyproject.toml")
PROJECT = "/project"
DAY_S = 86_400
SHELL_CHARS = 30_000  # of what a shell prints; beyond, the harness shows a preview
PREVIEW_BYTES = 2_000
SYSTEM_TOKENS = 12_000
BYTES_PER_TOKEN = 4
AROUND = 8  # lines shown above a place
SEEN = 24  # lines shown
INDENTED = ("list_symbols", "file_outline", "search_docs")  # tools whose JSON is indented
LOG = '{"commit":"%h","time":"%cI","subject":"%f"}'

Row = Mapping[str, Any]


def git(*arguments: str) -> bytes:
    """Ask git about this repository.

    Raises
    ------
    SystemExit
        If there is no git, no repository, or not what was asked for.
    """
    program = shutil.which("git")
    if program is None:
        raise SystemExit("git is needed to make the sessions; install it")
    # A clone that another user owns is still this project's: nothing of it is run.
    done = subprocess.run(
        [program, "-c", "safe.directory=*", *arguments],
        cwd=FOLDER.parents[1],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
    return done.stdout


@dataclass(frozen=True)
class Checkout:
    """The project as of `COMMIT` in a folder of its own, and what commands print of it."""

    root: Path
    git_folder: str

    def shell(self, command: str) -> tuple[str, int]:
        """Print and exit code of a command; HEAD stands for the commit, paths for `PROJECT`."""
        done = subprocess.run(
            ["/bin/sh", "-c", command.replace("HEAD", COMMIT)],
            cwd=self.root,
            env={
                "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.defpath]),
                "HOME": str(self.root),
                "LC_ALL": "C.UTF-8",
                "GIT_DIR": self.git_folder,
                "GIT_CONFIG_NOSYSTEM": "1",
                "RUFF_NO_CACHE": "true",
            },
            capture_output=True,
            check=False,
        )
        text = (done.stdout + done.stderr).decode(errors="replace")
        return text.replace(str(self.root), PROJECT).rstrip("\n"), done.returncode

    def tool(self, name: str, given: Mapping[str, Any]) -> str:
        """Answer of one of the project's tools."""
        answer = TOOLS[name](self.root, **given)
        if isinstance(answer, str):
            return answer
        return json.dumps(answer, ensure_ascii=False, indent=2 if name in INDENTED else None)

    def lines(self, path: str) -> list[str]:
        """Lines of a file."""
        return (self.root / path).read_text(encoding="utf-8").split("\n")[:-1]


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


class Agent:
    """Does the steps of a task: calls a command, then what follows from a row of its answer."""

    def __init__(self, session: Session, checkout: Checkout) -> None:
        self.session, self.checkout = session, checkout
        self.asked: tuple[str, dict[str, Any]] = ("", {})
        self.answer = ""

    def do(self, step: Mapping[str, Any]) -> None:
        """Do one step, as tasks.toml explains them."""
        if "tool" in step:
            self._tool(step["tool"], {k: v for k, v in step.items() if k != "tool"})
        elif "log" in step:
            self._ask_shell(
                f"git log HEAD --abbrev=10 --format='{LOG}' -n {step.get('n', 30)} -- {step['log']}"
            )
        elif "ruff" in step:
            path, rest = step["path"], step.get("then", "")
            words = f"ruff check --exit-zero --output-format json --select {step['ruff']} {path}"
            self._ask_shell(words + rest)
        elif "shell" in step:
            self._ask_shell(step["shell"])
        elif "again" in step:
            tool, given = self.asked
            self._tool(tool, {**given, **step["again"]})
        elif "next" in step:
            tool, given = self.asked
            self._tool(tool, {**given, "offset": json.loads(self.answer)["next_offset"]})
        else:
            rows, row = _rows(self.answer), step["row"]
            if not 1 <= row <= len(rows):
                raise SystemExit(f"tasks.toml: row {row} of {len(rows)} in {self.asked}")
            _FOLLOWS[step["go"]](self, rows[row - 1])

    def _tool(self, name: str, given: dict[str, Any]) -> None:
        self.asked, self.answer = (name, given), self.checkout.tool(name, given)
        self.session.call(f"mcp__project__{name}", given, self.answer, is_error=False)

    def _ask_shell(self, command: str) -> None:
        self.asked, self.answer = ("", {}), self.shell(command)

    def shell(self, command: str) -> str:
        """Run a command as the harness does: it names a failure, and shows a preview of much."""
        printed, code = self.checkout.shell(command)
        shown = printed if len(printed) <= SHELL_CHARS else _preview(printed)
        shown = f"Exit code {code}\n{shown}" if code else shown
        self.session.call("Bash", {"command": command}, shown, is_error=bool(code))
        return printed

    def show(self, row: Row) -> None:
        """Print the lines around a row's place."""
        path, line = _place(row)
        first = max(1, line - AROUND)
        self.shell(f"sed -n '{first},{first + SEEN - 1}p' {shlex.quote(path)}")

    def read(self, row: Row) -> None:
        """Read the lines around a row's place, by its absolute path."""
        path, line = _place(row)
        first = max(1, line - AROUND)
        lines = self.checkout.lines(path.removeprefix(f"{PROJECT}/"))[first - 1 : first - 1 + SEEN]
        at = f"{PROJECT}/{path.removeprefix(f'{PROJECT}/')}"
        text = "\n".join(f"{first + n}\t{line}" for n, line in enumerate(lines))
        self.session.call("Read", {"file_path": at, "offset": first, "limit": SEEN}, text, False)

    def source(self, row: Row) -> None:
        """Ask for the source of a row's symbol; the answer asked about stays the one before."""
        given = {"id": row.get("within") or row["id"]}
        answer = self.checkout.tool("read_symbol", given)
        self.session.call("mcp__project__read_symbol", given, answer, is_error=False)

    def references(self, row: Row) -> None:
        """Ask who names a row's symbol."""
        self._tool("find_references", {"name": row["name"]})

    def outline(self, row: Row) -> None:
        """Ask for the outline of a row's file."""
        self._tool("file_outline", {"path": _place(row)[0].removeprefix(f"{PROJECT}/")})

    def commit(self, row: Row) -> None:
        """Look at a row's commit."""
        self.shell(f"git show --stat --format=%s {row['commit']}")


_FOLLOWS = {
    follow.__name__: follow
    for follow in (
        Agent.show,
        Agent.read,
        Agent.source,
        Agent.references,
        Agent.outline,
        Agent.commit,
    )
}


def _preview(printed: str) -> str:
    """What the harness shows of a long print: its first lines, and where the rest is."""
    start = printed.encode()[:PREVIEW_BYTES].decode(errors="ignore").rpartition("\n")[0]
    kept = f"{PROJECT}/tool-results/{sha256(printed.encode()).hexdigest()[:8]}.txt"
    size = f"{len(printed.encode()) / 1024:.1f}KB"
    return (
        f"<persisted-output>\nOutput too large ({size}). Full output saved to: {kept}\n\n"
        f"Preview (first 2KB):\n{start}\n...\n</persisted-output>"
    )


def _rows(answer: str) -> list[Row]:
    """Rows of an answer: of its main array, or one a line."""
    try:
        value = json.loads(answer)
    except json.JSONDecodeError:
        return [json.loads(line) for line in answer.split("\n")]
    if isinstance(value, list):
        return value
    main = ("results", "nodes", "hits", "matches")
    return next((value[key] for key in main if key in value), [value])


def _place(row: Row) -> tuple[str, int]:
    """Path and line that a row names."""
    path = row.get("path") or row.get("filename") or row.get("page")
    if path is None:
        raise SystemExit(f"tasks.toml: no path in {row}")
    return path, int(row.get("line") or row.get("location", {}).get("row", 1))


def tasks() -> list[dict[str, Any]]:
    """Give what tasks.toml says."""
    return tomllib.loads((FOLDER / "tasks.toml").read_text(encoding="utf-8"))["session"]  # type: ignore[no-any-return]


def sessions(told: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Make all sessions: name and text of each file."""
    if (found := version("ruff")) != RUFF:
        raise SystemExit(f"the sessions hold answers of ruff {RUFF}, this is {found}: set RUFF")
    start_s = int(git("show", "--no-patch", "--format=%ct", COMMIT))
    packed = git("archive", COMMIT, *PARTS)
    git_folder = git("rev-parse", "--absolute-git-dir").decode().rstrip("\n")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        checkout = Checkout(Path(folder).resolve(), git_folder)
        for number, task in enumerate(told, 1):
            session = Session(f"{number:02}", start_s + number * DAY_S)
            agent = Agent(session, checkout)
            for turn in task["turn"]:
                if turn.get("compact"):
                    session.compact()
                session.prompt(turn["prompt"])
                for step in turn["steps"]:
                    agent.do(step)
                session.end_turn()
            yield f"project-{session.name}.jsonl", session.text()


def main() -> None:
    """Write the sessions anew."""
    made = dict(sessions(tasks()))
    folder = FOLDER / "sessions"
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.jsonl"):
        path.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
