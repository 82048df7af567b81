"""What each pipeline of a script prints, as far as its words tell.

A `Print` says where its lines come from (lines of a file by number, grep hits, a diff, a fixed
text) and how many there can be. What is not understood is an opaque print of any length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ctxlab.transcripts._shell_git import git_print
from ctxlab.transcripts._shell_grep import grep_request
from ctxlab.transcripts._shell_select import WHOLE, Ranges, compose, n_lines_of, selection
from ctxlab.transcripts._shell_words import Command, Pipeline, Resolver

__all__ = ["Print", "prints_of"]

PrintKind = Literal["lines", "numbered", "grep", "diff", "fixed", "opaque"]

_SILENT = frozenset({
    ":", "[", "[[", "cd", "chmod", "cp", "export", "false", "ln", "mkdir", "mv", "rm", "rmdir",
    "set", "sleep", "test", "touch", "true", "unset", "wait", "kill", "alias", "shopt", "trap",
    "return", "exit", "local", "declare", "readonly", "umask",
})  # fmt: skip
_ONE_LINE = frozenset({"pwd", "date", "whoami", "hostname", "realpath", "readlink", "basename"})
_CAT_FLAGS = frozenset({"-n", "--number", "-u"})
_READERS = frozenset({"cat", "bat", "batcat", "less", "more"})


@dataclass(frozen=True, slots=True)
class Print:
    """One stretch of output. `least` and `most` bound its lines, `most` None: no bound.

    `may_fail`: nothing may follow it where `&&` joins. `resolve` makes printed paths absolute,
    `path` is the file whose lines are printed (grep: what was searched). A diff without
    `resolve` is not of the files as they stand. A silent command is a fixed print of no text.
    Numbered lines without `ranges` may begin at any number.
    """

    kind: PrintKind
    path: str | None = None
    ranges: Ranges = WHOLE
    least: int = 0
    most: int | None = None
    text: tuple[str, ...] = ()
    may_fail: bool = False
    resolve: Resolver | None = None


_OPAQUE = Print("opaque", may_fail=True)


def prints_of(pipeline: Pipeline, resolve: Resolver) -> tuple[Print, ...]:
    """What a pipeline prints, in order; `resolve` gives a word's path, None if not knowable."""
    prints = tuple(_source(pipeline.commands[0], resolve))
    for command in pipeline.commands[1:]:
        prints = _filtered(command, prints)
    if any(command.writes for command in pipeline.commands[-1:]):
        return ()
    return prints


def _source(command: Command, resolve: Resolver) -> Iterator[Print]:
    name, arguments = command.name, command.words[1:]
    if name in _SILENT or not command.words:
        may_fail = name in {"[", "[[", "test", "false"}
        yield Print("fixed", may_fail=may_fail)
    elif name == "echo":
        yield _echo(arguments, command.live)
    elif name == "printf":
        yield _printf(arguments, command.live)
    elif name in _ONE_LINE or (name == "wc" and len(arguments) == 2):
        yield Print("opaque", least=1, most=1)
    elif command.heredoc is not None:
        lines = tuple(command.heredoc.split("\n")[:-1])
        expands = any(mark in command.heredoc for mark in "$`\\")
        yield Print("fixed", text=lines) if name == "cat" and not expands else _OPAQUE
    elif name in _READERS:
        yield from _cat(name, (*arguments, *command.reads), resolve)
    elif name == "nl":
        yield _numbered(_one_file(_nl_paths((*arguments, *command.reads)) or (), WHOLE, resolve))
    elif name == "git":
        yield _git(arguments, resolve)
    elif name == "diff" and any(re.match(r"-\w*u|--unified", word) for word in arguments):
        yield Print("diff", may_fail=True, resolve=resolve)
    elif name == "gh" and "diff" in arguments:
        yield Print("diff", may_fail=True)
    elif picked := selection(name, (*arguments, *command.reads)):
        yield from _selected(name, picked.paths, picked.ranges, picked.most_lines, resolve)
    elif request := grep_request(name, arguments):
        yield _grep(request.paths, request.is_numbered, resolve)
    else:
        yield _OPAQUE


def _cat(name: str, arguments: Sequence[str], resolve: Resolver) -> Iterator[Print]:
    """Print whole files, one after the other."""
    flags = {word for word in arguments if word.startswith("-") and len(word) > 1}
    paths = [word for word in arguments if word not in flags]
    plain = flags <= (_CAT_FLAGS if name == "cat" else {"-p", "-pp", "--plain", "--paging=never"})
    if not paths or not plain:
        yield _OPAQUE
    elif flags & {"-n", "--number"}:
        yield _numbered(_one_file(paths, WHOLE, resolve))
    else:
        for path in paths:
            yield _one_file([path], WHOLE, resolve)


def _selected(
    name: str, paths: Sequence[str], ranges: Ranges | None, most: int | None, resolve: Resolver
) -> Iterator[Print]:
    """Print parts of files; `head` and `tail` of several put a title before each."""
    if len(paths) < 2 or name not in {"head", "tail"}:
        yield _one_file(paths, ranges, resolve, most)
        return
    for i, path in enumerate(paths):
        yield Print("fixed", text=(*([""] if i else []), f"==> {path} <=="))
        yield _one_file([path], ranges, resolve, most)


def _one_file(
    paths: Sequence[str], ranges: Ranges | None, resolve: Resolver, most: int | None = None
) -> Print:
    path = resolve(paths[0]) if len(paths) == 1 else None
    if path is None or ranges is None:
        return replace(_OPAQUE, most=most)
    return Print("lines", path, ranges, most=n_lines_of(ranges))


def _nl_paths(arguments: Sequence[str]) -> tuple[str, ...] | None:
    """Files of an `nl` that numbers every line in its usual form; None if it does not."""
    words = " ".join(arguments).replace("-b a", "-ba").replace("--body-numbering=a", "-ba").split()
    flags = {word for word in words if word.startswith("-") and len(word) > 1}
    return tuple(word for word in words if word not in flags) if flags == {"-ba"} else None


def _numbered(source: Print) -> Print:
    """Number the lines of a print; the numbers are the file's if it begins at line 1."""
    if source.kind == "lines" and len(source.ranges) == 1 and source.ranges[0][0] == 1:
        return replace(source, kind="numbered")
    return replace(_OPAQUE, most=source.most)


def _grep(paths: Sequence[str], is_numbered: bool, resolve: Resolver) -> Print:
    if not is_numbered:
        return _OPAQUE
    path = resolve(paths[0]) if len(paths) == 1 else None
    return Print("grep", path, may_fail=True, resolve=resolve)


def _git(arguments: Sequence[str], resolve: Resolver) -> Print:
    known = git_print(arguments)
    if known is None:
        return _OPAQUE
    if known.kind == "silent":
        return Print("fixed", may_fail=True)
    if known.kind == "other diff":
        return Print("diff", may_fail=True)
    if known.kind == "one line":
        return Print("opaque", most=1, may_fail=True)

    def from_folder(word: str) -> str | None:
        folder = resolve(known.folder) if known.folder else None
        if known.folder and folder is None:
            return None
        return resolve(f"{folder}/{word}" if folder and not word.startswith("/") else word)

    if known.kind == "grep":
        path = from_folder(known.paths[0]) if len(known.paths) == 1 else None
        return Print("grep", path, may_fail=True, resolve=from_folder)
    return Print("diff", resolve=from_folder)


def _echo(arguments: Sequence[str], live: frozenset[str]) -> Print:
    flags = [word for word in arguments[:1] if re.fullmatch(r"-[neE]+", word)]
    text = " ".join(arguments[len(flags) :])
    if any("n" in flag for flag in flags):
        return _OPAQUE
    if live & set(arguments):
        return Print("opaque", least=1, most=1) if "\n" not in text else _OPAQUE
    if "\\" in text:
        n_lines = 1 + text.count("\\n") + text.count("\n")
        return Print("opaque", least=1, most=n_lines)
    return Print("fixed", text=tuple(text.split("\n")))


def _printf(arguments: Sequence[str], live: frozenset[str]) -> Print:
    form = arguments[0] if arguments else ""
    if live & set(arguments):
        return _OPAQUE
    if form == "%s\\n":
        return Print("fixed", text=tuple("\n".join(arguments[1:]).split("\n")))
    text = form.replace("\\n", "\n")
    if not text.endswith("\n") or any(mark in text for mark in "\\%") or len(arguments) > 1:
        return _OPAQUE
    return Print("fixed", text=tuple(text[:-1].split("\n")))


def _filtered(command: Command, prints: tuple[Print, ...]) -> tuple[Print, ...]:
    """What comes out of a command that reads the prints."""
    name, arguments = command.name, command.words[1:]
    one = prints[0] if len(prints) == 1 else None
    if (name == "cat" and not arguments) or (name == "tee" and not arguments[1:]):
        return prints
    numbers_lines = name == "cat" and arguments in {("-n",), ("--number",)}
    if numbers_lines or (name == "nl" and _nl_paths(arguments) == ()):
        return (_numbered(one),) if one else (_OPAQUE,)
    if name == "wc":
        return (Print("opaque", least=1, most=1),)
    picked = selection(name, arguments)
    if picked is not None and not picked.paths:
        return (_picked(one, picked.ranges, picked.most_lines),)
    request = grep_request(name, arguments)
    if request and not request.paths and request.is_numbered and one and one.kind == "lines":
        return (Print("grep", one.path, may_fail=True) if one.ranges == WHOLE else _OPAQUE,)
    keeps_lines = name in {"grep", "rg", "sort", "uniq"}
    return (replace(_OPAQUE, most=one.most if one and keeps_lines else None),)


def _picked(source: Print | None, ranges: Ranges | None, most: int | None) -> Print:
    """Lines that a selection passes on of a print."""
    bounds = [n for n in (most, source.most if source else None) if n is not None]
    most = min(bounds) if bounds else None
    if source is None or source.kind in {"fixed", "opaque"}:
        return replace(_OPAQUE, most=most)
    if source.kind in {"grep", "diff"}:
        return replace(source, most=most)
    composed = compose(source.ranges, ranges) if ranges else None
    if composed is None:
        if source.kind == "numbered":
            return replace(source, ranges=(), most=most)
        return replace(_OPAQUE, most=most)
    return replace(source, ranges=composed, most=n_lines_of(composed))
