"""The buckets of a next call: one family made ready, and the judgement itself."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ctxlab.fallback._order import AGENT, ThreadOrder, same_file, started_by, thread_order
from ctxlab.log import TOOL_KINDS, TOUCH_KINDS, Bools, FamilyLog, Ints

__all__ = ["BUCKETS", "Judge"]

BUCKETS = (
    "again",
    "read_returned",
    "read_after_pointer",
    "read_missed",
    "search",
    "sufficient",
)
"""What a next call says of the answer before it."""

_PARTIAL = ("mcp",)  # traffic of one tool server: what else the agent did is not in the log

READ, GREP, GLOB, BOOKKEEPING = (
    TOOL_KINDS.index(kind) for kind in ("read", "grep", "glob", "bookkeeping")
)

_Ranges = list[tuple[int, int]]
_ByCall = dict[int, dict[int, _Ranges]]


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """What each call of a family served, pointed at and touched, and which ones are judged.

    `answers` lists, for each thread and path, the judged tools' answers about it in order.
    """

    log: FamilyLog
    order: ThreadOrder
    is_context: Bools
    alike: list[frozenset[int]]
    served: _ByCall
    pointed: _ByCall
    touched: dict[int, list[tuple[int, str]]]
    answers: dict[tuple[int, int], list[int]]
    children: dict[int, int]
    responses: Counter[tuple[int, int]]

    @classmethod
    def of(cls, log: FamilyLog, tools: Iterable[str]) -> Judge:
        """Gather by call what the columns of the log list by span, pointer and touch."""
        names = set(tools)
        wanted = [index for index, name in enumerate(log.tools) if name in names]
        is_context = np.isin(log.calls.tool, wanted)
        order = thread_order(log)
        spans, pointers, touches = log.spans, log.pointers, log.touches
        served = _ranges(spans.call, spans.path, spans.first_line, spans.first_line + spans.n_lines)
        pointed = _ranges(pointers.call, pointers.path, pointers.first_line, pointers.last_line + 1)
        touched: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for call, path, kind in zip(touches.call, touches.path, touches.kind, strict=True):
            touched[int(call)].append((int(path), TOUCH_KINDS[kind]))
        answers: dict[tuple[int, int], list[int]] = defaultdict(list)
        for call in order.by_rank[is_context[order.by_rank]]:
            if log.calls.result_at[call] >= 0 and not log.calls.is_error[call]:
                for path in served.get(int(call), {}).keys() | pointed.get(int(call), {}).keys():
                    answers[int(log.calls.thread[call]), path].append(int(call))
        substantive = np.flatnonzero(log.calls.kind != BOOKKEEPING)
        return cls(
            log=log,
            order=order,
            is_context=is_context,
            alike=same_file(log),
            served=served,
            pointed=pointed,
            touched=touched,
            answers=answers,
            children={int(c): thread for thread, c in enumerate(started_by(log)) if c >= 0},
            responses=Counter(
                zip(
                    log.calls.thread[substantive].tolist(),
                    order.last[substantive].tolist(),
                    strict=True,
                )
            ),
        )

    def answered(self, call: int) -> bool:
        """Whether a result came that is no error."""
        return bool(self.log.calls.result_at[call] >= 0 and not self.log.calls.is_error[call])

    def concurrent(self, call: int) -> int:
        """Count the other substantive calls of the same response."""
        alone = self.log.calls.kind[call] == BOOKKEEPING
        response = int(self.log.calls.thread[call]), int(self.order.last[call])
        return self.responses[response] - (not alone)

    def following(self, call: int) -> int:
        """Find the first substantive call of a later response in the call's thread, or -1."""
        thread = int(self.log.calls.thread[call])
        return next(self._substantive(thread, int(self.order.last[call]) + 1), -1)

    def first_act(self, call: int) -> int:
        """Follow a call that starts a sub-agent to the sub-agent's first call.

        -1 without a call, and where the sub-agent's calls are not in the log.
        """
        while call >= 0 and self.log.calls.kind[call] == AGENT:
            child = self.children.get(call)
            call = -1 if child is None else next(self._substantive(child, 0), -1)
        return call

    def bucket(self, answer: int, following: int, judged: int) -> tuple[str | None, bool]:
        """Judge an answer by a next call; the flag tells that it named the missed file.

        None where the log cannot tell: `judged` is unknown, or other tools are out of its sight.
        """
        if self.log.recorded_by in _PARTIAL or (following >= 0 and judged < 0):
            return None, False
        if judged < 0:
            return "sufficient", False
        if self.is_context[judged]:
            return "again", False
        touched = self.touched.get(judged, [])
        kind = self.log.calls.kind[judged]
        read = [path for path, how in touched if how == "read" and path >= 0]
        if read or kind == READ:
            return self._read_bucket(answer, judged, read)
        if kind in (GREP, GLOB) or any(how in ("search", "list") for _, how in touched):
            return "search", False
        return "sufficient", False

    def _read_bucket(self, answer: int, judged: int, read: list[int]) -> tuple[str, bool]:
        latest = [self._latest_answer(answer, path) for path in read]
        if any(
            found >= 0 and self._only_pointed(found, judged, path)
            for found, path in zip(latest, read, strict=True)
        ):
            return "read_after_pointer", False
        if any(found >= 0 for found in latest):
            return "read_returned", False
        names = {int(self.log.path_name_ids[path]) for path in read}
        return "read_missed", not names.isdisjoint(self.log.calls.mentions[answer])

    def _latest_answer(self, answer: int, path: int) -> int:
        """Find the latest answer about a file, up to and including the response of `answer`."""
        thread, last = int(self.log.calls.thread[answer]), self.order.last[answer]
        about = (
            call
            for alias in self.alike[path]
            for call in self.answers.get((thread, alias), ())
            if self.order.rank[call] <= last
        )
        return max(about, key=lambda call: int(self.order.rank[call]), default=-1)

    def _only_pointed(self, answer: int, judged: int, path: int) -> bool:
        """Whether the answer pointed at lines that were then read, and served none of them."""
        served, pointed, read = (
            [lines for alias in self.alike[path] for lines in by_call.get(call, {}).get(alias, [])]
            for by_call, call in (
                (self.served, answer),
                (self.pointed, answer),
                (self.served, judged),
            )
        )
        if not read:
            return bool(pointed) and not served
        return _overlap(pointed, read) and not _overlap(served, read)

    def _substantive(self, thread: int, rank: int) -> Iterator[int]:
        """Calls of a thread from a rank on, bookkeeping skipped."""
        start, end = self.order.start[thread : thread + 2]
        for index in range(start + rank, end):
            call = int(self.order.by_rank[index])
            if self.log.calls.kind[call] != BOOKKEEPING:
                yield call


def _ranges(call: Ints, path: Ints, first: Ints, end: Ints) -> _ByCall:
    """Collect half-open line ranges by call and path."""
    found: _ByCall = defaultdict(lambda: defaultdict(list))
    for c, p, a, b in zip(call.tolist(), path.tolist(), first.tolist(), end.tolist(), strict=True):
        found[c][p].append((a, b))
    return found


def _overlap(left: _Ranges, right: _Ranges) -> bool:
    return any(a < d and c < b for a, b in left for c, d in right)
