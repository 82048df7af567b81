"""Events of one source → the words that are kept of them: prompts, names, symbols.

Source is looked at here for what it defines, and let go of.
"""

from __future__ import annotations

from posixpath import splitext
from typing import Any

import numpy as np
import pyarrow as pa

from ctxlab.events import Event, Hunk, LineIds
from ctxlab.recall.symbols import Definition, definitions, is_source
from ctxlab.store._arrow import lists, strings

__all__ = ["MAX_LINE_CHARS", "MAX_SOURCE_LINES", "Wording"]

MAX_SOURCE_LINES = 20_000
MAX_LINE_CHARS = 5_000
"""Longer source is generated or minified: its definitions are nobody's words."""

_MAX_KNOWN = 20_000
_known: dict[tuple[str, int], tuple[Definition, ...]] = {}
"""What texts define, by kind of file and hash: other sources of the process show them again."""

_LAST_LINE = 2**31 - 1


class Wording:
    """Rows of the tables that hold words, while the events of one source arrive."""

    def __init__(self) -> None:
        self._prompts: list[tuple[int, str]] = []
        self._names: list[tuple[int, tuple[str, ...]]] = []
        self._symbols: dict[tuple[str, int | None, str, str], int] = {}

    def add(self, seq: int, event: Event) -> None:
        """Take the words of one event."""
        if event.kind == "prompt" and event.text:
            self._prompts.append((seq, event.text))
        if event.names:
            self._names.append((seq, event.names))
        for span in event.spans:
            if span.origin != "grep":
                self._define(seq, span.path, span.first_line, span.lines)
        for edit in event.edits:
            for hunk in edit.hunks:
                self._define(seq, edit.path, hunk.new_start, _new_side(hunk))

    def _define(
        self, seq: int, path: str, first_line: int, lines: tuple[str, ...] | LineIds
    ) -> None:
        """Note what source defines, unless this file has told it before."""
        if isinstance(lines, LineIds) or not lines or not is_source(path):
            return
        if len(lines) > MAX_SOURCE_LINES or max(map(len, lines)) > MAX_LINE_CHARS:
            return
        for definition in _defined(path, lines):
            line = first_line + definition.line - 1
            place = line if 0 < line <= _LAST_LINE else None
            self._symbols.setdefault((path, place, definition.name, definition.doc), seq)

    def columns(self) -> dict[str, dict[str, Any]]:
        """Give the columns of each table."""
        counts = [len(names) for _, names in self._names]
        places = list(self._symbols)
        return {
            "prompts": {
                "seq": np.array([seq for seq, _ in self._prompts], np.int32),
                "text": strings([text for _, text in self._prompts]),
            },
            "names": {
                "seq": np.array([seq for seq, _ in self._names], np.int32),
                "names": lists(counts, strings([n for _, names in self._names for n in names])),
            },
            "symbols": {
                "seq": np.array(list(self._symbols.values()), np.int32),
                "path": strings([path for path, _, _, _ in places]),
                "line": pa.array([line for _, line, _, _ in places], pa.int32()),
                "name": strings([name for _, _, name, _ in places]),
                "doc": strings([doc for _, _, _, doc in places]),
            },
        }


def _defined(path: str, lines: tuple[str, ...]) -> tuple[Definition, ...]:
    text = (splitext(path)[1], hash(lines))
    if text not in _known:
        if len(_known) >= _MAX_KNOWN:
            _known.clear()
        _known[text] = definitions(path, "\n".join(lines))
    return _known[text]


def _new_side(hunk: Hunk) -> tuple[str, ...] | LineIds:
    """Give the lines that stand in the file after the change."""
    if isinstance(hunk.lines, LineIds):
        return hunk.lines
    return tuple(text for op, text in zip(hunk.ops, hunk.lines, strict=False) if op != "-")
