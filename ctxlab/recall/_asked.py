"""The prompts of a family: which count, in which context, and how many requests carry them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ctxlab.log import MARK_KINDS, FamilyLog, Ints
from ctxlab.recall._family import Family
from ctxlab.residency import requests_after

__all__ = ["Asked", "asked_prompts"]

_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]]*\]")
_BEGINNING = [MARK_KINDS.index(kind) for kind in ("compaction", "clear", "rewind")]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """One entry a prompt, by position; `row` is its number in the log's texts."""

    row: Ints
    at: Ints
    thread: Ints
    context: Ints
    requests: Ints

    def before(self, thread: Ints, at: Ints, n_events: int) -> Ints:
        """Find the last prompt of each main thread before each position, -1 without."""
        width = np.int64(n_events + 1)
        key = self.thread * width + self.at
        order = np.argsort(key)
        found = np.searchsorted(key[order], thread * width + at, side="right") - 1
        number = np.append(order, -1)[found]
        same = np.append(self.thread, -2)[number] == thread
        return np.where((found >= 0) & same, number, -1).astype(np.int32)


def asked_prompts(family: Family) -> Asked:
    """Find the prompts that users typed in main threads."""
    log, texts = family.log, family.texts
    typed = [
        bool(stripped := text.strip()) and not _INTERRUPTED.fullmatch(stripped)
        for text in texts.prompt_text
    ]
    row = np.flatnonzero(log.is_main[texts.prompt_thread] & np.array(typed, np.bool_))
    at, thread = texts.prompt_at[row], texts.prompt_thread[row]
    requests = requests_after(log, at, thread, prompts=at)
    return Asked(row.astype(np.int32), at, thread, _contexts(log, at, thread), requests)


def _contexts(log: FamilyLog, at: Ints, thread: Ints) -> Ints:
    """Number the contexts of the prompts: each compaction, clear and rewind begins one."""
    marks = log.marks
    begins = np.isin(marks.kind, _BEGINNING)
    numbers: dict[tuple[int, int], int] = {}
    context = np.empty_like(at)
    for i, (position, one) in enumerate(zip(at.tolist(), thread.tolist(), strict=True)):
        opened = int((begins & (marks.thread == one) & (marks.at < position)).sum())
        context[i] = numbers.setdefault((one, opened), len(numbers))
    return context
