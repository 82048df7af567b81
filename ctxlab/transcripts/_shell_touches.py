"""Which files the commands of a script read, search, list or write, as far as words tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ctxlab.events import Edit, Touch
from ctxlab.transcripts._diff import parse_apply_patch, parse_unified
from ctxlab.transcripts._shell_git import git_changes
from ctxlab.transcripts._shell_grep import grep_request
from ctxlab.transcripts._shell_select import selection
from ctxlab.transcripts._shell_words import Command, Resolver

__all__ = ["edits_of", "touches_of"]

_READERS = frozenset({"cat", "bat", "batcat", "less", "more", "nl"})
_LISTERS = frozenset({"find", "fd", "fdfind", "ls", "tree"})
_FORMATTERS = {
    "black": "", "isort": "", "rustfmt": "", "autopep8": "-i", "yapf": "-i", "gofmt": "-w",
    "goimports": "-w", "prettier": "--write", "eslint": "--fix", "clang-format": "-i",
    "shfmt": "-w", "dos2unix": "", "stylua": "",
}  # fmt: skip
_RUNNERS = frozenset({"npx", "bunx", "uvx", "pnpm", "yarn", "poetry", "uv", "bun", "npm", "run"})
_SUBCOMMANDS = {"ruff": ("format", "check"), "biome": ("format", "check", "lint")}
_PATCHERS = frozenset({"apply_patch", "applypatch", "patch"})


def touches_of(command: Command, resolve: Resolver) -> Iterator[Touch]:
    """Reads, searches and listings of one command."""
    name, arguments = command.name, (*command.words[1:], *command.reads)
    if command.heredoc is None and not command.writes:
        yield from _reads(_read_words(name, arguments), resolve)
    request = grep_request(name, arguments)
    if request is not None:
        for word in request.paths or [""]:
            yield Touch(resolve(word) or "", "list" if "--files" in arguments else "search")
    elif name in _LISTERS:
        yield Touch(_listed(name, arguments, resolve), "list")
    elif name == "git" and "grep" in arguments[:3]:
        yield Touch("", "search")


def _read_words(name: str, arguments: Sequence[str]) -> Sequence[str]:
    """Words that name files which a command prints or picks lines of."""
    if name in _READERS:
        return [word for word in arguments if not word.startswith("-")]
    if name == "sed" and _in_place(arguments):
        return ()
    picked = selection(name, arguments)
    return picked.paths if picked else ()


def _reads(words: Sequence[str], resolve: Resolver) -> Iterator[Touch]:
    for word in words:
        path = resolve(word)
        if path is not None:
            yield Touch(path, "read")


def _listed(name: str, arguments: Sequence[str], resolve: Resolver) -> str:
    """First folder that a listing names, "" for the working folder."""
    words = [word for word in arguments if not word.startswith("-")]
    if name.startswith("fd"):
        words = words[1:]
    return (resolve(words[0]) or "") if words else ""


def edits_of(command: Command, resolve: Resolver) -> Iterator[Edit]:
    """Files that one command writes. What it wrote is not in its words: the kind is unknown."""
    words = [*command.writes, *_written(command)]
    for path in dict.fromkeys(resolve(word) for word in words):
        if path is not None:
            yield Edit(path, "unknown", evidence="shell")
    if command.name in _PATCHERS or command.words[:2] == ("git", "apply"):
        yield from _patched(command, resolve)


def _written(command: Command) -> Sequence[str]:
    name, arguments = command.name, command.words[1:]
    bare = [word for word in arguments if not word.startswith("-")]
    if name == "sed" and _in_place(arguments):
        return _after_script(arguments)
    if name in {"perl", "ruby"} and any(re.match(r"-\w*i", word) for word in arguments):
        return bare[1:]
    if name in {"tee", "rm", "mv", "truncate", "unlink"}:
        return bare
    if name in {"cp", "install", "ln"}:
        return bare[-1:] if len(bare) > 1 else ()
    if name == "git":
        folder, paths = git_changes(arguments)
        known = [] if folder in command.live else [p for p in paths if p not in command.live]
        return [f"{folder}/{p}" if folder and not p.startswith("/") else p for p in known]
    return _formatted([name, *arguments])


def _formatted(words: Sequence[str]) -> Sequence[str]:
    """Files given to a formatter, perhaps run by `npx` or `uv run`."""
    rest = list(words)
    while rest and rest[0] in _RUNNERS:
        rest.pop(0)
    if not rest:
        return ()
    name, arguments = rest[0], rest[1:]
    bare = [word for word in arguments if not word.startswith("-")]
    if name in _FORMATTERS:
        flag = _FORMATTERS[name]
        writes = (not flag or flag in arguments) and "--check" not in arguments
        return bare if writes else ()
    if name in _SUBCOMMANDS and bare[:1] and bare[0] in _SUBCOMMANDS[name]:
        fixes = bare[0] == "format" and name == "ruff" and "--check" not in arguments
        return bare[1:] if fixes or {"--fix", "--write", "--apply"} & set(arguments) else ()
    return ()


def _in_place(arguments: Sequence[str]) -> bool:
    return any(re.match(r"-[nErsz]*i|--in-place", word) for word in arguments)


def _after_script(arguments: Sequence[str]) -> Sequence[str]:
    """Files of a `sed -i`: all words but the script, and BSD's empty suffix."""
    has_script = False
    words: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word in {"-e", "--expression", "-f", "--file"}:
            has_script = True
            next(rest, None)
        elif not word.startswith("-") and word:
            words.append(word)
    return words if has_script else words[1:]


def _patched(command: Command, resolve: Resolver) -> Iterator[Edit]:
    """Files of a patch that stands in the command itself."""
    text = command.heredoc or (command.words[1] if len(command.words) > 1 else "")
    for file in parse_apply_patch(text):
        for word in (file.path, file.moved_to):
            path = resolve(word) if word else None
            if path is not None:
                yield Edit(path, "unknown", evidence="shell")
    if command.heredoc and command.name not in {"apply_patch", "applypatch"}:
        for diff in parse_unified(text.split("\n")):
            path = resolve(diff.new_path or diff.old_path or "")
            if path is not None:
                yield Edit(path, "unknown", evidence="shell")
