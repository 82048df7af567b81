"""Write the invented sessions in sessions/ from prompts.toml and this repository's history.

    python data/recall/make_sessions.py

The same history gives the same bytes. It needs the whole history: a shallow clone is refused.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import SequenceMatcher
from functools import cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
HOME = "/home/dev"
TAIL_S = 2  # between the last record of a prompt and its commit
MOST_LINES = 6  # of a side of a change that is shown
AROUND = 8  # lines read above a change
SEEN = 16  # lines read
SYSTEM_TOKENS = 12_000
BYTES_PER_TOKEN = 4

Lines = tuple[str, ...]


@dataclass(frozen=True)
class Read:
    """Lines that are read of a file, from `first`; the file has `total`."""

    path: str
    first: int
    lines: Lines
    total: int


@dataclass(frozen=True)
class Change:
    """Lines of a file, from `first`, that become others; `first` is 0 for a new file."""

    path: str
    first: int
    old: Lines
    new: Lines


@dataclass(frozen=True)
class Asked:
    """One prompt and what came of it."""

    text: str
    search: str | None
    found: tuple[str, ...]
    reads: tuple[Read, ...]
    changes: tuple[Change, ...]


def git(*arguments: str) -> str:
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
        [program, "-c", "safe.directory=*", *arguments], cwd=ROOT, capture_output=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode()


def prompts() -> dict[str, Any]:
    """Give what prompts.toml says."""
    return tomllib.loads((FOLDER / "prompts.toml").read_text(encoding="utf-8"))


def commits() -> list[str]:
    """Give the commits that prompts name, in the order of the sessions."""
    asked = (prompt for session in prompts()["session"] for prompt in session["prompt"])
    return list(dict.fromkeys(prompt["commit"] for prompt in asked if "commit" in prompt))


@cache
def commit_s(commit: str) -> int:
    """Give the committer time of a commit in seconds since 1970."""
    return int(git("show", "--no-patch", "--format=%ct", commit))


@cache
def file_lines(commit: str, path: str) -> Lines:
    """Give the lines of a file as of a commit."""
    return tuple(git("show", f"{commit}:{path}").split("\n")[:-1])


@cache
def changed_paths(commit: str) -> tuple[tuple[str, str], ...]:
    """Give (A or M, path) of each file that a commit added or modified."""
    told = git("diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", "--name-status", commit)
    parts = told.split("\0")[:-1]
    return tuple(zip(parts[::2], parts[1::2], strict=True))


def read_around(path: str, lines: Lines, at: int = 1) -> Read:
    """Read some lines of a file, those above line `at` included."""
    first = max(1, at - AROUND)
    return Read(path, first, lines[first - 1 : first - 1 + SEEN], len(lines))


def first_change(path: str, old: Lines, new: Lines) -> Change:
    """Give the first change between two states of a file, cut after a few lines."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    a, b, c, d = next(code[1:] for code in matcher.get_opcodes() if code[0] != "equal")
    start, end = a, min(b, a + MOST_LINES)
    # An edit must name some text that stands in the file: lines above, or the first one below.
    while start and not "".join(old[start:end]).strip():
        start -= 1
    below = () if "".join(old[start:end]).strip() else old[end : end + 1]
    after = old[start:a] + new[c:d][:MOST_LINES] + below
    return Change(path, start + 1, old[start:end] + below, after)


def of_history(prompt: Mapping[str, Any]) -> Asked:
    """Give what a commit of this repository did, as the outcome of a prompt."""
    commit, does = prompt["commit"], prompt.get("does", "edit")
    subject = git("show", "--no-patch", "--format=%s", commit).rstrip("\n")
    if subject != prompt["subject"]:
        raise SystemExit(f"prompts.toml: {commit} is {subject!r}, not {prompt['subject']!r}")
    before = f"{commit}^"
    reads = [read_around(path, file_lines(before, path)) for path in prompt.get("also", ())]
    changes = []
    for status, path in changed_paths(commit):
        after = file_lines(commit, path)
        if status == "A":
            if after:
                changes.append(Change(path, 0, (), after[:MOST_LINES]))
            continue
        change = first_change(path, file_lines(before, path), after)
        reads.append(read_around(path, file_lines(before, path), change.first))
        changes.append(change)
    found = tuple(path for status, path in changed_paths(commit) if status == "M")
    return Asked(
        prompt["text"],
        prompt.get("search"),
        found if does != "miss" else (),
        tuple(reads) if does != "miss" else (),
        tuple(changes) if does == "edit" else (),
    )


def of_bakery(prompt: Mapping[str, Any], files: dict[str, Lines]) -> Asked:
    """Give what a prompt about the invented files did; `files` are changed by it."""
    reads, changes = [], []
    for path in prompt.get("reads", ()):
        changes_it = path == prompt.get("path")
        at = files[path].index(prompt["old"]) + 1 if changes_it else 1
        reads.append(read_around(path, files[path], at))
        if changes_it:
            change = Change(path, at, (prompt["old"],), tuple(prompt["new"].split("\n")))
            files[path] = files[path][: at - 1] + change.new + files[path][at:]
            changes.append(change)
    found = tuple(prompt.get("reads", ()))
    return Asked(prompt["text"], prompt.get("search"), found, tuple(reads), tuple(changes))


class Session:
    """Records of one transcript, written one after the other, a second apart."""

    def __init__(self, project: str, number: int) -> None:
        self.name = f"{project}-{number:02}"
        self.folder = f"{HOME}/{project}"
        self.id = self._id("session")
        self.records: list[dict[str, Any]] = []
        self.now_s = 0
        self.context_tokens, self.new_tokens = SYSTEM_TOKENS, 0

    def _id(self, what: str) -> str:
        return sha256(f"{self.name} {what}".encode()).hexdigest()[:12]

    def _add(self, kind: str, **values: Any) -> None:
        self.now_s += 1
        self.records.append(
            {
                "parentUuid": self.records[-1]["uuid"] if self.records else None,
                "isSidechain": False,
                "cwd": self.folder,
                "sessionId": self.id,
                "version": "2.1.62",
                "type": kind,
                "uuid": self._id(f"record {len(self.records)}"),
                "timestamp": f"{datetime.fromtimestamp(self.now_s, UTC):%Y-%m-%dT%H:%M:%S}.000Z",
                **values,
            }
        )

    def _answer(self, block: Mapping[str, Any], stop_reason: str) -> None:
        """Add a response; its numbers of tokens are what its and earlier bytes come to."""
        output = _tokens(block)
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
                    "output_tokens": output,
                },
            },
        )
        self.context_tokens += self.new_tokens
        self.new_tokens = output

    def _call(
        self, tool: str, given: Mapping[str, Any], result: str, shown: Mapping[str, Any]
    ) -> None:
        uid = f"toolu_{self._id(f'call {len(self.records)}')}"
        block = {"type": "tool_use", "id": uid, "name": tool, "input": given}
        self._answer(block, "tool_use")
        answer = {"type": "tool_result", "tool_use_id": uid, "content": result}
        self._add("user", message={"role": "user", "content": [answer]}, toolUseResult=shown)
        self.new_tokens += _tokens(answer)

    def ask(self, asked: Asked) -> None:
        """Add a prompt, what was looked for, read and changed, and a last word."""
        self._add("user", message={"role": "user", "content": asked.text})
        self.new_tokens += _tokens(asked.text)
        if asked.search is not None:
            self._search(asked.search, asked.found)
        for read in asked.reads:
            self._read(read)
        for change in asked.changes:
            self._change(change)
        last = "Done." if asked.changes else "I have read it." if asked.reads else "There is none."
        self._answer({"type": "text", "text": last}, "end_turn")

    def _search(self, pattern: str, found: Sequence[str]) -> None:
        paths = "\n".join(found)
        if "*" in pattern:
            self._call("Glob", {"pattern": pattern}, paths or "No files found", {})
            return
        files = "file" if len(found) == 1 else "files"
        result = f"Found {len(found)} {files}\n{paths}" if found else "No files found"
        shown = {"mode": "files_with_matches", "numFiles": len(found)}
        self._call("Grep", {"pattern": pattern, "output_mode": shown["mode"]}, result, shown)

    def _read(self, read: Read) -> None:
        path = f"{self.folder}/{read.path}"
        lines = [f"{read.first + n}\t{line}" for n, line in enumerate(read.lines)]
        shown = {
            "filePath": path,
            "startLine": read.first,
            "numLines": len(lines),
            "totalLines": read.total,
        }
        given = {"file_path": path, "offset": read.first, "limit": SEEN}
        self._call("Read", given, "\n".join(lines), {"type": "text", "file": shown})

    def _change(self, change: Change) -> None:
        path = f"{self.folder}/{change.path}"
        old, new = "\n".join(change.old), "\n".join(change.new)
        if not change.first:
            result = f"File created successfully at: {path}"
            shown: dict[str, Any] = {
                "filePath": path,
                "content": new,
                "structuredPatch": [],
                "originalFile": None,
            }
            self._call("Write", {"file_path": path, "content": new}, result, shown)
            return
        hunk = {
            "oldStart": change.first,
            "oldLines": len(change.old),
            "newStart": change.first,
            "newLines": len(change.new),
            "lines": [f"-{line}" for line in change.old] + [f"+{line}" for line in change.new],
        }
        self._call(
            "Edit",
            {"file_path": path, "old_string": old, "new_string": new},
            f"The file {path} has been updated successfully.",
            {"filePath": path, "structuredPatch": [hunk]},
        )

    def text(self) -> str:
        """Give the transcript as JSON lines."""
        return "".join(
            json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
            for record in self.records
        )


def _tokens(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode()) // BYTES_PER_TOKEN


def _n_records(asked: Asked) -> int:
    return 2 + 2 * ((asked.search is not None) + len(asked.reads) + len(asked.changes))


def _fill(session: Session, asked: Sequence[Asked], end_s: int) -> None:
    """Add prompts so that the last record stands at `end_s`."""
    start_s = end_s - sum(map(_n_records, asked))
    if start_s <= session.now_s:
        raise SystemExit(f"{session.name}: no time for {asked[0].text!r}; put it elsewhere")
    session.now_s = start_s
    for one in asked:
        session.ask(one)


def sessions() -> Iterator[tuple[str, str]]:
    """Make all sessions: name and text of each file."""
    told = prompts()
    bakery = {path: tuple(text.split("\n")[:-1]) for path, text in told["bakery"].items()}
    numbers = {session["project"]: 0 for session in told["session"]}
    for given in told["session"]:
        project = given["project"]
        numbers[project] += 1
        session = Session(project, numbers[project])
        if project == "bakery":
            for prompt in given["prompt"]:
                asked = of_bakery(prompt, bakery)
                _fill(session, [asked], int(prompt["time"].timestamp()) + _n_records(asked))
        else:
            for commit, group in groupby(given["prompt"], lambda prompt: str(prompt["commit"])):
                _fill(session, [of_history(one) for one in group], commit_s(commit) - TAIL_S)
        yield f"{session.name}.jsonl", session.text()


def main() -> None:
    """Write the sessions anew."""
    made = dict(sessions())
    folder = FOLDER / "sessions"
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.jsonl"):
        path.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
