"""A stretch of lines that does not parse by itself → other texts that it may be a part of.

A stretch may begin within a comment, within a string or within a class. Every text keeps the
lines at their numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ctxlab.recall._symbol_queries import GRAMMARS

__all__ = ["NO_NAMES", "rows_that_define", "texts_around"]

_STATEMENTS = (
    "if for while switch catch return function else do with new delete typeof await sizeof "
    "export import default super case throw"
)
NO_NAMES = frozenset(["", "_", *_STATEMENTS.split()])
"""Words before a parenthesis that begin statements: within a class they would look like methods."""

_MAX_BYTES = 200_000
_DEFINING = re.compile(
    rb"""^[ \t]*+(?:
    (?:[\w@]++(?:\(\w*\))?[ \t]++)*?
    (?:def|class|@?interface|function\*?|fn|func|type|struct|union|enum|trait|record|macro_rules!
    |typedef|using|concept)[ \t]++(?:\([^()\n]*\)[ \t]*+)?\w
    |type[ \t]++\(
    |(?:\w++[ \t]++)*?[\w.\#]++[ \t]*+(?::[^=\n]*)?=[ \t]*+(?:async\b[ \t]*+)?
    (?:class\b|func|[(<]|\w++[ \t]*+=>|$)
    |(?:\w++[ \t]++)*?(?:const|let|var)[ \t]++\w++[ \t]*+:[^=\n]*$
    |(?!(?:%s)\b)((?:[^\s()="'`]++[ \t]++)*?)[^\s()<="'`]++(?:<[^()\n]*>)?\(
    (?:(?!["'`])(?:(?!=>)[^;\n])*\)(?:[^;\n()]*\{|[ \t]*:|\n[ \t]*\{|(?(1)[^;\n()]*;))
    |[ \t]*\n[ \t]*+(?:@|\w[\w.<>]*+(?:\??:|[ \t]++[*&]*+\w)))
    )"""
    % "|".join([*_STATEMENTS.split(), "match", "defer", "go", "case"]).encode(),
    re.MULTILINE | re.VERBOSE,
)
_TRIPLE = re.compile(rb'"""|\'\'\'')
_NO_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))
_PAIRS = b"()", b"[]", b"{}"
_PAIR_ROUNDS = 8
_BRACKET = re.compile(rb"[][(){}]")
_CLOSERS = {b"(": b")", b"[": b"]", b"{": b"}"}
_OPENERS = {closer: opener for opener, closer in _CLOSERS.items()}
_NOT_NEWLINE = re.compile(rb"[^\n]")


def texts_around(grammar: str, source: bytes) -> Iterator[bytes]:
    """Give the texts to read, the likeliest first; only itself if it is too long for a stretch."""
    if len(source) > _MAX_BYTES:
        yield source
        return
    texts = [source]
    tail = _end_of_string(source) if grammar == "python" else _end_of_comment(source)
    if tail:
        texts.append(_NOT_NEWLINE.sub(b" ", source[:tail]) + source[tail:])
    if grammar == "python":
        yield from texts
        return
    before = after = b""
    for source in texts:
        before, after = _unbalanced(source)
        yield before + source + after
    if before or after:
        yield source
    if shell := GRAMMARS[grammar].shell:
        # The last closed braces are the class and, within it, a method.
        n_blocks = before.count(b"{")
        if n_blocks < 2:
            yield shell + before.replace(b"{", b"") + source + after + b"}" * (1 - n_blocks)
        if n_blocks:
            inner = before.replace(b"{", b"", 2)
            yield shell + b"_(){" + inner + source + after + b"}" * (2 - min(n_blocks, 2))
            if n_blocks > 1:
                yield shell + b"_(){" + before.replace(b"{", b"", 1) + source + after + b"}"


def rows_that_define(source: bytes) -> Iterator[int]:
    """Give the rows that by their words define something: few others do."""
    row = end = 0
    for found in _DEFINING.finditer(source):
        row, end = row + source.count(b"\n", end, found.start()), found.start()
        yield row


def _end_of_comment(source: bytes) -> int:
    """Where the comment ends that the text begins in, 0 if it begins in none."""
    end = source.find(b"*/")
    return end + 2 if end >= 0 and source.find(b"/*", 0, end) < 0 else 0


def _end_of_string(source: bytes) -> int:
    """Where the first triple quotes end: they may close what began before the text."""
    found = _TRIPLE.search(source)
    return found.end() if found else 0


def _unbalanced(source: bytes) -> tuple[bytes, bytes]:
    """What is closed in the text without being opened, as openers, and the reverse as closers."""
    brackets = source.translate(None, _NO_BRACKETS)
    for _ in range(_PAIR_ROUNDS):
        for pair in _PAIRS:
            brackets = brackets.replace(pair, b"")
    before: list[bytes] = []
    after: list[bytes] = []
    n_open = Counter[bytes]()  # of each kind in `after`: looking there would be quadratic
    for bracket in _BRACKET.findall(brackets):
        if closer := _CLOSERS.get(bracket):
            after.append(closer)
            n_open[closer] += 1
        elif n_open[bracket]:
            while (popped := after.pop()) != bracket:
                n_open[popped] -= 1
            n_open[bracket] -= 1
        else:
            after.clear()
            n_open.clear()
            before.append(_OPENERS[bracket])
    return b"".join(reversed(before)), b"".join(reversed(after))
