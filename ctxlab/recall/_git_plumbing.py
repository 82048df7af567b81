"""Git's own commands, run so that they only read: no checkout, no network, no pager, no prompt.

The user's own settings stay in force (which folders are safe to read), the system's do not.
Everything that is named to git comes from git itself, or stands behind `--end-of-options`.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple

from ctxlab.errors import InputError
from ctxlab.paths import user_path

__all__ = ["Change", "Commit", "Repository"]

_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP")
_SET = {
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
_OPTIONS = (
    "--no-pager",
    "--literal-pathspecs",
    *("-c", "core.quotepath=false"),
    *("-c", "log.showSignature=false"),
    *("-c", "core.fsmonitor=false"),  # a repository may name a program of its own
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.allow=never"),  # git before 2.45 knows no GIT_NO_LAZY_FETCH
    *("-c", "safe.bareRepository=all"),
)
_COMMIT_FORMAT = "%x00".join(("%H", "%P", "%ct", "%ae", "%an", "%s"))
_CHUNK_BYTES = 2**16


class Commit(NamedTuple):
    """One commit; `ms` is when it was committed, in Unix milliseconds."""

    sha: str
    parents: tuple[str, ...]
    ms: int
    email: str
    name: str
    subject: str


class Change(NamedTuple):
    """A path that differs between two trees; its new `mode` and `blob`, "" if it is gone."""

    path: bytes
    mode: str
    blob: str


class Repository:
    """A git repository on this machine, found from a folder in it.

    `name` is the folder's. `inside` is the folder's path from the top of the working tree, ending
    in a slash; "" at the top and in a bare repository.

    Raises
    ------
    InputError
        If there is no such folder, it is in no repository, git is not installed or will not read
        another user's files.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = user_path(folder)
        if not os.path.isdir(self.folder):  # that of `Path` raises in folders that are closed
            raise InputError(f"{self.folder}: no such folder; name a git repository")
        self.name = self.folder.resolve().name.removesuffix(".git") or "repository"
        self.inside = os.fsdecode(self.run("rev-parse", "--show-prefix").rstrip(b"\n"))

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """Run one command, with all of its input, and give what it prints."""
        process = self._popen(arguments, given, subprocess.PIPE, subprocess.PIPE)
        printed, complaint = process.communicate()
        if process.returncode:
            raise InputError(self._cause(arguments[0], complaint))
        return printed

    def attempt(self, *arguments: str, given: bytes = b"") -> bytes:
        """Run one command that may fail half-way, and give what it prints until then."""
        process = self._popen(arguments, given, subprocess.PIPE, subprocess.DEVNULL)
        return process.communicate()[0]

    def stream(self, *arguments: str, given: bytes = b"") -> Iterator[bytes]:
        """Run one command and give what it prints in pieces that NUL bytes end."""
        with tempfile.TemporaryFile() as complaint:
            with self._popen(arguments, given, subprocess.PIPE, complaint) as process:
                assert process.stdout is not None
                yield from _pieces(process.stdout)
            if process.returncode:
                complaint.seek(0)
                raise InputError(self._cause(arguments[0], complaint.read()))

    def _popen(
        self, arguments: Sequence[str], given: bytes, printed: int, complaint: int | IO[bytes]
    ) -> subprocess.Popen[bytes]:
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        try:
            with tempfile.TemporaryFile() as stdin:  # a pipe could fill while git waits to print
                stdin.write(given)
                stdin.seek(0)
                return subprocess.Popen(
                    ("git", *_OPTIONS, *arguments),
                    cwd=self.folder,
                    env={**kept, **_SET},
                    stdin=stdin,
                    stdout=printed,
                    stderr=complaint,
                )
        except FileNotFoundError:
            raise InputError(
                "the command `git` was not found; install git, or build the graph from what "
                "earlier transcripts revealed"
            ) from None
        except OSError as error:
            raise InputError(f"{self.folder}: git cannot run there ({error})") from error

    def tip(self, ref: str) -> str | None:
        """The commit that a name stands for, None if there is none of that name.

        Raises
        ------
        InputError
            If there is one, but it cannot be read.
        """
        try:
            named = self.run("rev-parse", "--verify", "--quiet", "--end-of-options", ref)
        except InputError:
            return None
        sha = named.decode("ascii").strip()
        return self.run("rev-parse", "--verify", f"{sha}^{{commit}}").decode("ascii").strip()

    def git_folder(self) -> str:
        """Where git keeps what it knows of this working tree."""
        return os.fsdecode(self.run("rev-parse", "--absolute-git-dir").rstrip(b"\n"))

    def holds_folder(self) -> bool:
        """Whether this is the top of the working tree, or a folder that the last commit has."""
        return not self.inside or bool(self.attempt("rev-parse", "--verify", "--quiet", "HEAD:./"))

    def state(self) -> str:
        """What changes whenever the history does: by a commit, a note, or more of it fetched."""
        tips = self.tip("HEAD"), self.tip("refs/notes/commits")
        known = [
            self.run("rev-list", "--count", tip).decode("ascii").strip() for tip in tips if tip
        ]
        return " ".join(map(str, (*tips, *known)))

    def is_shallow(self) -> bool:
        """Whether the history was cut when it was cloned."""
        return self.run("rev-parse", "--is-shallow-repository").strip() == b"true"

    def commits(self, tip: str) -> dict[str, Commit]:
        """All commits that can be reached from one, by name."""
        printed = self.run(
            "log", "-z", "--no-color", "--encoding=UTF-8", f"--format={_COMMIT_FORMAT}", tip, "--"
        )
        fields = printed.decode("utf-8", "replace").split("\0")
        found: dict[str, Commit] = {}
        for n in range(0, len(fields) - 5, 6):
            sha, parents, seconds, email, name, subject = fields[n : n + 6]
            ms = int(seconds) * 1000 if seconds.lstrip("-").isdecimal() else 0
            found[sha] = Commit(sha, tuple(parents.split()), ms, email, name, subject)
        return found

    def changes(self, steps: Sequence[str]) -> Iterator[tuple[int, Change]]:
        """Give what changes from nothing to the first commit's tree, and from each to the next.

        Yields
        ------
        tuple
            The number of the step, and one path that changes in it; steps in order.
        """
        trees = self._trees(steps)
        empty = self.run("hash-object", "-t", "tree", "--stdin").decode("ascii").strip()
        pairs = [f"{old} {new}\n" for old, new in zip([empty, *trees], trees, strict=False)]
        options = ["-r", "-z", "--raw", "--no-renames"]
        if self.inside:
            options.append(f"--relative={self.inside}")
        pieces = self.stream("diff-tree", "--stdin", *options, given="".join(pairs).encode("ascii"))
        step = -1
        for piece in pieces:
            # Each pair of trees is named on a line of its own, before what differs.
            headings, _, change = piece.rpartition(b"\n")
            step += headings.count(b"\n") + 1 if headings else 0
            _, mode, _, blob, status = change.decode("ascii").split(" ")
            is_gone = status.startswith("D")
            path = next(pieces, b"")
            yield step, Change(path, "" if is_gone else mode, "" if is_gone else blob)

    def _trees(self, commits: Sequence[str]) -> list[str]:
        """The trees of commits, in their order."""
        given = "".join(f"{sha}^{{tree}}\n" for sha in commits).encode("ascii")
        printed = self.run("cat-file", "--batch-check=%(objectname)", given=given)
        trees = printed.decode("utf-8", "replace").splitlines()
        for sha, tree in zip(commits, trees, strict=True):
            if tree.endswith(("missing", "ambiguous")):
                raise InputError(self._cause("cat-file", f"tree of {sha} is missing".encode()))
        return trees

    def _cause(self, command: str, complaint: bytes) -> str:
        """One line on what went wrong and what to do."""
        text = complaint.decode("utf-8", "replace")
        if "dubious ownership" in text:
            return (
                f"{self.folder}: belongs to another user, so git does not read it; if you trust "
                f"it, run: git config --global --add safe.directory '{self.folder.resolve()}'"
            )
        if "not a git repository" in text:
            return f"{self.folder}: is in no git repository; name a folder of one, or run git init"
        if "does not have any commits yet" in text:
            return f"{self.folder}: has no commits yet; commit something, or name a `ref`"
        said = next((line for line in text.splitlines() if line.strip()), "it gave no reason")
        return f"{self.folder}: git {command} failed ({said.strip()}); run git fsck there"


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """Give what NUL bytes end, one after the other."""
    rest = b""
    while chunk := stream.read(_CHUNK_BYTES):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
