"""Words of grep, ripgrep and their kin → what is searched, and whether line numbers are printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["GrepRequest", "grep_request"]

_SEARCHERS = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack"})
_WITH_VALUE = {
    "rg": frozenset("egtTABCmfMdjr"),
    "grep": frozenset("ABCemfDd"),
}
_LONG_WITH_VALUE = frozenset({
    "--after-context", "--before-context", "--context", "--max-count", "--regexp", "--file",
    "--glob", "--iglob", "--type", "--type-not", "--max-depth", "--max-columns", "--threads",
    "--color", "--colors", "--sort", "--sortr", "--include", "--exclude", "--exclude-dir",
    "--replace", "--encoding", "--max-filesize", "--ignore-file", "--engine",
})  # fmt: skip
_PATTERN_FLAGS = frozenset({"-e", "--regexp", "-f", "--file"})
_NO_SOURCE = frozenset({
    "--files", "--files-with-matches", "--files-without-match", "--count", "--only-matching",
    "--json", "--heading", "--replace", "--no-filename", "--no-line-number", "--null",
    "--vimgrep", "--column", "--pretty", "--byte-offset", "--count-matches", "--passthru",
    "--quiet", "--stats", "--version", "--help", "--type-list", "--trim",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class GrepRequest:
    """`paths` searched, and whether hits come out as numbered lines of source."""

    paths: tuple[str, ...]
    is_numbered: bool


def grep_request(name: str, arguments: Sequence[str]) -> GrepRequest | None:
    """Read a search command; None for any other command."""
    if name not in _SEARCHERS:
        return None
    family = "rg" if name in {"rg", "ag", "ack"} else "grep"
    words: list[str] = []
    has_pattern = has_numbers = spoilt = False
    rest = iter(arguments)
    for word in rest:
        if word == "--":
            words.extend(rest)
        elif word.startswith("--"):
            flag, _, value = word.partition("=")
            has_pattern = has_pattern or flag in _PATTERN_FLAGS
            has_numbers = has_numbers or flag == "--line-number"
            spoilt = spoilt or flag in _NO_SOURCE
            if flag in _LONG_WITH_VALUE and not value and "=" not in word:
                next(rest, None)
        elif word.startswith("-") and len(word) > 1:
            flags, takes_next = _short_flags(word, _WITH_VALUE[family])
            has_pattern = has_pattern or bool(flags & set("ef"))
            has_numbers = has_numbers or "n" in flags
            spoilt = spoilt or bool(flags & set("lLcohqNbZ0" if family == "grep" else "lcoIqN0pr"))
            if takes_next:
                next(rest, None)
        else:
            words.append(word)
    if "--files" in arguments:
        return GrepRequest(tuple(words), False)
    return GrepRequest(tuple(words if has_pattern else words[1:]), has_numbers and not spoilt)


def _short_flags(word: str, with_value: frozenset[str]) -> tuple[set[str], bool]:
    """Letters of `-rnC3`, and whether the last one's value is the next word."""
    flags: set[str] = set()
    for i, letter in enumerate(word[1:], start=2):
        flags.add(letter)
        if letter in with_value:
            return flags, i == len(word)
    return flags, False
