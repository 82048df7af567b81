"""Write the sessions in sessions/ from tasks.toml, this repository's history and real commands.

    python data/surface/make_sessions.py

Every answer is what its command prints of the repository as it stood after `COMMIT`. The same
history and version of ruff give the same bytes. A shallow clone is refused.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from project_checkout import COMMIT, LOG, PROJECT, Checkout, checked_out, git
from session_records import Session

FOLDER = Path(__file__).resolve().parent
RUFF = "0.17.6"  # its answers are stored: another version words them differently
DAY_S = 86_400
SHELL_CHARS = 30_000  # of what a shell prints; beyond, the harness shows a preview
PREVIEW_BYTES = 2_000
AROUND = 8  # lines shown above a place
SEEN = 24  # lines shown
NAME = re.compile(r"\b([A-Za-z]\w*_\w+|[A-Z][a-z]+[A-Z]\w+)\b")

Row = Mapping[str, Any]


class Agent:
    """Does the steps of a task: calls a command, then what follows from a row of its answer."""

    def __init__(self, session: Session, checkout: Checkout) -> None:
        self.session, self.checkout = session, checkout
        self.asked: tuple[str, dict[str, Any]] = ("", {})
        self.answer = self.symbol = ""

    def do(self, step: Mapping[str, Any]) -> None:
        """Do one step, as tasks.toml explains them."""
        if "tool" in step:
            self._tool(step["tool"], {k: v for k, v in step.items() if k != "tool"})
        elif "log" in step:
            self._ask_shell(LOG + step["log"])
        elif "ruff" in step:
            path, rest = step["path"], step.get("then", "")
            words = f"ruff check --exit-zero --output-format json --select {step['ruff']} {path}"
            self._ask_shell(words + rest)
        elif "shell" in step:
            self._ask_shell(step["shell"])
        elif "name" in step:
            self._look_for(step["name"])
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
        self.symbol = answer
        self.session.call("mcp__project__read_symbol", given, answer, is_error=False)

    def _look_for(self, number: int) -> None:
        """Look for the files that hold a name which stands in the symbol's source."""
        own, body = (json.loads(self.symbol)[key] for key in ("name", "source"))
        names = [name for name in dict.fromkeys(NAME.findall(body)) if name != own]
        if not 1 <= number <= len(names):
            raise SystemExit(f"tasks.toml: name {number} of {len(names)} in {own}")
        found = self.checkout.holders(names[number - 1])
        text = "\n".join([f"Found {len(found)} file{'s' * (len(found) != 1)}", *found])
        given = {"pattern": names[number - 1], "output_mode": "files_with_matches"}
        self.session.call("Grep", given, text, is_error=False)

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
    main = ("results", "items", "nodes", "hits", "matches")
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
    with checked_out() as checkout:
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
