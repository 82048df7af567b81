"""A stretch of lines that does not parse by itself → other texts that it may be a part of.

A stretch may begin within a comment, within a string or within a class. Every text keeps the
lines at their numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ctxlab.recall._symbol_queries import GRAMMARS

__all__ = ["NO_NAMES", "other_texts"]

_STATEMENTS = (
    "if for while switch catch return function else do with new delete typeof await sizeof "
    "export import default super case throw"
)
NO_NAMES = frozenset(["", "_", *_STATEMENTS.split()])
"""Words before a parenthesis that begin statements: within a class they would look like methods."""

_MAX_BYTES = 200_000
_TRIPLE = re.compile(rb'"""|\'\'\'')
_BRACKET = re.compile(rb"[][(){}]")
_CLOSERS = {b"(": b")", b"[": b"]", b"{": b"}"}
_OPENERS = {closer: opener for opener, closer in _CLOSERS.items()}
_NOT_NEWLINE = re.compile(rb"[^\n]")


def other_texts(grammar: str, source: bytes) -> Iterator[bytes]:
    """Give the texts to try; none for a text too long to be a stretch of lines."""
    if len(source) > _MAX_BYTES:
        return
    tail = _end_of_string(source) if grammar == "python" else _end_of_comment(source)
    if tail:
        source = _NOT_NEWLINE.sub(b" ", source[:tail]) + source[tail:]
        yield source
    if grammar == "python":
        return
    before, after = _unbalanced(source)
    if before or after:
        yield before + source + after
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
    before: list[bytes] = []
    after: list[bytes] = []
    n_open = Counter[bytes]()  # of each kind in `after`: looking there would be quadratic
    for bracket in _BRACKET.findall(source):
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
