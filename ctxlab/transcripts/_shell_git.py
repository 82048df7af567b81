"""Words of git commands → what they print of the working tree, and which files they change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ctxlab.transcripts._shell_grep import grep_request

__all__ = ["GitPrint", "git_changes", "git_print"]

_NOT_HUNKS = (
    "--stat", "--shortstat", "--numstat", "--name-only", "--name-status", "--summary", "--quiet",
    "--check", "--word-diff", "--color", "-R", "--raw", "--no-patch", "-s", "--dirstat",
    "--ext-diff",
)  # fmt: skip
_SILENT = frozenset({"add", "config", "stash-drop", "rm", "mv", "update-index"})
_ONE_LINE = frozenset({"rev-parse", "symbolic-ref", "describe", "merge-base", "hash-object"})


@dataclass(frozen=True, slots=True)
class GitPrint:
    """What a git command prints, run in `folder` (`-C`, "" for here); `paths` a grep searches."""

    kind: Literal["diff", "other diff", "grep", "silent", "one line"]
    folder: str = ""
    paths: tuple[str, ...] = ()


def git_print(arguments: Sequence[str]) -> GitPrint | None:
    """Read a git command; None where its print is not known.

    An "other diff" may print hunks whose new side is not the working tree.
    """
    verb, rest, folder = _split(arguments)
    if verb in _SILENT:
        return GitPrint("silent", folder)
    if verb in _ONE_LINE:
        return GitPrint("one line", folder)
    if verb == "grep":
        request = grep_request("grep", rest)
        before = rest[: rest.index("--")] if "--" in rest else rest
        n_bare = sum(not word.startswith("-") for word in before)
        if request and request.is_numbered and n_bare <= 1:
            return GitPrint("grep", folder, request.paths)
    if verb in {"diff", "show"} and _shows_current(verb, rest):
        return GitPrint("diff", folder)
    if verb in {"diff", "show", "log", "stash", "format-patch"}:
        return GitPrint("other diff", folder)
    return None


def git_changes(arguments: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Files that a git command writes, as (folder, words); none where they cannot be known."""
    verb, rest, folder = _split(arguments)
    if verb == "checkout" and "--" in rest:
        return folder, tuple(rest[rest.index("--") + 1 :])
    if verb == "restore" and "--staged" not in rest:
        return folder, tuple(word for word in rest if not word.startswith("-"))
    if verb in {"mv", "rm"} and "--cached" not in rest:
        return folder, tuple(word for word in rest if not word.startswith("-"))
    return folder, ()


def _split(arguments: Sequence[str]) -> tuple[str, list[str], str]:
    """Give the verb, its arguments, and the folder of `-C`."""
    rest = list(arguments)
    folder = ""
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in {"-C", "-c"} and rest:
            value = rest.pop(0)
            folder = value if option == "-C" else folder
    return (rest[0] if rest else ""), rest[1:], folder


def _shows_current(verb: str, arguments: Sequence[str]) -> bool:
    """Tell whether the new side is the file as it stands: its last commit, or the working tree."""
    if any(word.startswith(_NOT_HUNKS) for word in arguments):
        return False
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    words = [word for word in before if not word.startswith("-")]
    if verb == "show":
        return all(word == "HEAD" for word in words[:1]) and not any(":" in w for w in words)
    ranges = [word for word in words if ".." in word and not word.startswith(".")]
    if ranges:
        return len(ranges) == 1 and ranges[0].rpartition("..")[2] in {"", "HEAD"}
    n_revisions = sum(_looks_like_revision(word) for word in words)
    return n_revisions <= 1


def _looks_like_revision(word: str) -> bool:
    """A word before `--` that is no file: it has no suffix, or names a remote or HEAD."""
    return word.startswith(("HEAD", "origin/", "@")) or ("." not in word and "/" not in word)
