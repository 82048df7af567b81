"""Random families with a known course, and the policy run online on them, line by line.

The oracle here is deliberately naive: dictionaries of lines, one call after the other. It shares
no code with `ctxlab.dedup.walk` and `ctxlab.dedup.decide`, which it judges.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import numpy as np

from ctxlab.dedup.params import Dedup
from ctxlab.log import (
    EDIT_EVIDENCE,
    EDIT_KINDS,
    MARK_KINDS,
    SPAN_ORIGINS,
    TOOL_KINDS,
    Calls,
    Edits,
    FamilyLog,
    Lines,
    Marks,
    Pointers,
    Spans,
    Touches,
    UsageRows,
)

GAP = len("\n\n... (gap) ...\n\n")


@dataclass
class Call:
    thread: int
    files: list[tuple[int, list[tuple[int, int]]]]
    pointed: list[tuple[int, int, int]] = field(default_factory=list)
    call_at: int = 0
    result_at: int = 0


@dataclass
class Edit:
    path: int
    hunk: tuple[int, str, list[int]] | None
    at: int = 0


@dataclass
class Mark:
    kind: str
    thread: int
    cleared: list[int] = field(default_factory=list)
    rewind_to: int = -1
    at: int = 0


@dataclass
class World:
    steps: list[list[Call | Edit] | Mark]
    n_threads: int
    n_paths: int
    session_of: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.session_of = self.session_of or [0] * self.n_threads

    def calls(self) -> list[Call]:
        return [
            s for step in self.steps if isinstance(step, list) for s in step if isinstance(s, Call)
        ]


def chars_of(text: int) -> int:
    return text % 37


def world(random: Random, n_steps: int = 12) -> World:
    """A family of up to three threads over up to two files that really change."""
    n_threads, n_paths = random.randint(1, 3), random.randint(1, 2)
    session_of = [random.randrange(2) for _ in range(n_threads)]
    files = [[random.randint(1, 60) for _ in range(random.randint(5, 30))] for _ in range(n_paths)]
    steps: list[list[Call | Edit] | Mark] = []
    n_calls, at, positions = 0, 0, []
    thread_calls: dict[int, list[int]] = {}
    for _ in range(n_steps):
        thread = random.randrange(n_threads)
        kind = random.choices(
            ["response", "compaction", "clear", "microcompaction", "rewind", "resume", "quiet"],
            [12, 1, 0.5, 1, 0.5, 0.5, 1],
        )[0]
        if kind == "quiet":
            path = random.randrange(n_paths)
            files[path][random.randrange(len(files[path]))] = random.randint(1, 60)
            continue
        if kind != "response":
            mark = Mark(kind, thread, at=at)
            if kind == "microcompaction":
                own = thread_calls.get(thread, [])
                mark.cleared = sorted(random.sample(own, min(len(own), random.randint(0, 2))))
            if kind == "rewind":
                mark.rewind_to = random.randrange(at + 1) - 1
            at += 1
            steps.append(mark)
            continue
        response: list[Call | Edit] = []
        for _ in range(random.choices([1, 2, 3], [6, 2, 1])[0]):
            if random.random() < 0.3:
                response.append(_edit(random, files))
            else:
                response.append(_read(random, files, thread))
                thread_calls.setdefault(thread, []).append(n_calls)
                n_calls += 1
        for item in response:
            if isinstance(item, Call):
                item.call_at = at
                at += 1
        for item in response:
            if isinstance(item, Call):
                item.result_at = at
            else:
                item.at = at
            at += 1
        positions.append(at)
        steps.append(response)
    return World(steps, n_threads, n_paths, session_of)


def _read(random: Random, files: list[list[int]], thread: int) -> Call:
    shown = []
    for path in random.sample(range(len(files)), random.randint(0, len(files))):
        numbers: set[int] = set()
        for _ in range(random.choices([1, 2, 4], [6, 2, 1])[0]):
            first = random.randint(1, max(1, len(files[path])))
            numbers |= set(range(first, min(len(files[path]), first + random.randint(0, 15)) + 1))
        numbers = {n for n in numbers if n <= len(files[path])}
        if numbers:
            shown.append((path, [(n, files[path][n - 1]) for n in sorted(numbers)]))
    pointed = []
    if random.random() < 0.2:
        first = random.randint(1, 30)
        last = random.choice([first, first + random.randint(1, 20), 2_000_000_000])
        pointed.append((random.randrange(len(files)), first, last))
    return Call(thread, shown, pointed)


def _edit(random: Random, files: list[list[int]]) -> Edit:
    path = random.randrange(len(files))
    content = files[path]
    if random.random() < 0.2:
        files[path] = [random.randint(1, 60) for _ in range(random.randint(1, 20))]
        return Edit(path, None)
    start = random.randint(1, max(1, len(content)))
    ops, lines, new = "", [], []
    for text in content[start - 1 : start - 1 + random.randint(1, 5)]:
        op = random.choice(" -")
        while random.random() < 0.3:
            added = random.randint(1, 60)
            ops, lines, new = ops + "+", [*lines, added], [*new, added]
        ops, lines = ops + op, [*lines, text]
        if op == " ":
            new.append(text)
    old = ops.count(" ") + ops.count("-")
    # A file keeps at least one line, so that there is always something to read.
    files[path] = content[: start - 1] + new + content[start - 1 + old :]
    if not files[path]:
        files[path], ops, lines = [1], ops + "+", [*lines, 1]
    return Edit(path, (start, ops, lines))


def log_of(world: World) -> FamilyLog:
    """The same family as columns."""
    calls = world.calls()
    edits = [
        s for step in world.steps if isinstance(step, list) for s in step if isinstance(s, Edit)
    ]
    marks = [s for s in world.steps if isinstance(s, Mark)]
    request = [
        i
        for i, step in enumerate(world.steps)
        if isinstance(step, list)
        for s in step
        if isinstance(s, Call)
    ]
    spans = [
        (i, path, run)
        for i, call in enumerate(calls)
        for path, lines in call.files
        for run in _consecutive(lines)
    ]
    pointed = [(i, *where) for i, call in enumerate(calls) for where in call.pointed]
    texts = [text for _, _, run in spans for _, text in run]
    digits = [len(str(number)) for _, _, run in spans for number, _ in run]
    n = [len(run) for _, _, run in spans]
    sizes = np.array([chars_of(t) for t in texts], np.uint32)
    i32, i64 = np.int32, np.int64
    return FamilyLog(
        family="family",
        agent="invented",
        content_hash="",
        started_ms=None,
        sources=("source",),
        versions=(None,),
        models=(),
        threads=tuple(f"thread{i}" for i in range(world.n_threads)),
        thread_source=np.zeros(world.n_threads, i32),
        thread_parent=np.array([-1] + [0] * (world.n_threads - 1), i32),
        thread_session=np.array(world.session_of, i32),
        is_main=np.array([True] + [False] * (world.n_threads - 1)),
        tools=("Read",),
        paths=tuple(f"path{i}.py" for i in range(world.n_paths)),
        path_name_ids=np.zeros(world.n_paths, np.uint64),
        n_events=1
        + max([c.result_at for c in calls] + [e.at for e in edits] + [m.at for m in marks] + [0]),
        calls=Calls(
            source=np.zeros(len(calls), i32),
            thread=np.array([c.thread for c in calls], i32),
            request=np.array(request, i32),
            call_at=np.array([c.call_at for c in calls], i32),
            result_at=np.array([c.result_at for c in calls], i32),
            tool=np.zeros(len(calls), i32),
            kind=np.full(len(calls), TOOL_KINDS.index("read"), np.int8),
            is_error=np.zeros(len(calls), bool),
            result_bytes=np.zeros(len(calls), i64),
            mentions=((),) * len(calls),
        ),
        spans=Spans(
            call=np.array([s[0] for s in spans], i32),
            path=np.array([s[1] for s in spans], i32),
            first_line=np.array([s[2][0][0] for s in spans], i32),
            n_lines=np.array(n, i32),
            offset=(np.cumsum(n) - n).astype(i64) if n else np.zeros(0, i64),
            origin=np.full(len(spans), SPAN_ORIGINS.index("read"), np.int8),
            numbered=np.ones(len(spans), bool),
            total_lines=np.full(len(spans), -1, i32),
        ),
        lines=Lines(
            ids=np.array(texts, np.uint64),
            text_bytes=sizes,
            text_chars=sizes,
            delivered_bytes=(sizes + np.array(digits, np.uint32) + 2).astype(np.uint32),
        ),
        edits=Edits(
            at=np.array([e.at for e in edits], i32),
            thread=np.zeros(len(edits), i32),
            path=np.array([e.path for e in edits], i32),
            kind=np.array(
                [EDIT_KINDS.index("hunks" if e.hunk else "unknown") for e in edits], np.int8
            ),
            evidence=np.full(len(edits), EDIT_EVIDENCE.index("tool"), np.int8),
            old_start=np.array([e.hunk[0] if e.hunk else -1 for e in edits], i32),
            new_start=np.array([e.hunk[0] if e.hunk else -1 for e in edits], i32),
            ops=tuple(e.hunk[1] if e.hunk else "" for e in edits),
            line_ids=tuple(tuple(e.hunk[2]) if e.hunk else () for e in edits),
        ),
        marks=Marks(
            at=np.array([m.at for m in marks], i32),
            thread=np.array([m.thread for m in marks], i32),
            kind=np.array([MARK_KINDS.index(m.kind) for m in marks], np.int8),
            rewind_to=np.array([m.rewind_to for m in marks], i32),
            cleared=tuple(tuple(m.cleared) for m in marks),
        ),
        pointers=Pointers(
            np.arange(len(pointed), dtype=i32),
            *(np.array([p[k] for p in pointed], i32) for k in range(4)),
            np.full(len(pointed), 300, i64),
        ),
        touches=Touches(np.zeros(0, i32), np.zeros(0, i32), np.zeros(0, np.int8)),
        usage=UsageRows(
            *(np.zeros(0, i32) for _ in range(4)),
            *(np.zeros(0, i64) for _ in range(4)),
            np.zeros(0, bool),
        ),
    )


def _consecutive(lines: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    runs: list[list[tuple[int, int]]] = []
    for number, text in lines:
        if runs and runs[-1][-1][0] + 1 == number:
            runs[-1].append((number, text))
        else:
            runs.append([(number, text)])
    return runs


@dataclass
class Held:
    """One line of one recorded file; `number` moves with edits (0: gone)."""

    number: int
    text: int


@dataclass
class Entry:
    """One recorded call; `ever` is all that it delivered or pointed at, whatever was recorded."""

    thread: int
    files: dict[int, list[Held]]
    ever: dict[int, list[Held]] = field(default_factory=dict)


@dataclass
class Copy:
    """One line that really reached a thread."""

    record: tuple[int, int]
    thread: int
    call: int
    path: int
    number: int
    text: int
    gone: str | None = None
    at: int = 0


def run_online(world: World, params: Dedup, proof: str) -> list[dict[str, object]]:
    """What the policy does, one row a (call, path)."""
    records: dict[tuple[int, int], list[Entry]] = {}
    resumed = [0, 0]
    copies: list[Copy] = []
    shown: dict[int, dict[int, int]] = {}
    rows: list[dict[str, object]] = []
    call_number = -1
    ever_served = {(p, n) for call in world.calls() for p, lines in call.files for n, _ in lines}
    for step in world.steps:
        if isinstance(step, Mark):
            resumed[world.session_of[step.thread]] += step.kind == "resume"
            _apply_mark(step, records, copies, params)
            continue
        pending: list[tuple[tuple[int, int], Entry]] = []
        for item in step:
            if isinstance(item, Edit):
                _apply_edit(item, proof, records, pending, copies, shown)
                continue
            call_number += 1
            session = world.session_of[item.thread]
            scope = session if params.record_scope == "connection" else item.thread
            key = scope, resumed[session]
            entry = Entry(item.thread, {})
            answer = []
            for path, lines in _with_pointed(item, ever_served):
                served = [(n, t) for n, t in lines if t is not None]
                real = {n for n, _ in served}
                if proof == "whole_file":
                    known = shown.setdefault(path, {})
                    if any(known.get(n, t) != t for n, t in served):
                        _forget_file(path, records, pending, copies)
                        known.clear()
                    known.update(served)
                told = _known_texts(records.get(key, []), path)
                lines = [(n, told.get(n) if t is None else t) for n, t in lines]
                lines = [(n, t) for n, t in lines if t is not None]
                entry.ever[path] = [Held(n, t) for n, t in lines]
                answer.append(_section(path, lines, real, records.get(key, []), params))
            if params.guard and not any(a["body"] for a in answer):
                for first in [a for a in answer if a["covered"]][:1]:
                    whole = [(n, t) for n, t in first["lines"] if n in first["real"]]
                    first.update(
                        covered=set(),
                        folded=False,
                        restored=True,
                        sent=first["real"],
                        body=_rendered(_consecutive(whole)),
                    )
            _enter(entry, answer, params)
            pending.append((key, entry))
            for a in answer:
                rows.append(_judge(a, call_number, item, key, params, copies))
            for a in answer:
                copies += [
                    Copy(key, item.thread, call_number, a["path"], n, t, at=item.result_at)
                    for n, t in a["lines"]
                    if n in a["sent"]
                ]
        for key, entry in pending:
            records.setdefault(key, []).append(entry)
    return rows


def _with_pointed(call, ever_served):
    """Files of an answer with the lines pointed at, whose text is not told (None)."""
    files: dict[int, dict[int, int | None]] = {}
    for path, first, last in call.pointed:
        numbers = sorted(n for p, n in ever_served if p == path and first <= n <= last)
        if numbers:
            files.setdefault(path, {}).update(dict.fromkeys(numbers))
    for path, lines in call.files:
        files.setdefault(path, {}).update(lines)
    return [(path, sorted(lines.items())) for path, lines in files.items()]


def _known_texts(record, path):
    return {
        held.number: held.text
        for entry in record
        for held in entry.ever.get(path, [])
        if held.number
    }


def _section(path, lines, real, record, params):
    visible = record if params.view_calls is None else record[-params.view_calls :]
    latest: dict[int, int] = {}
    for entry in visible:
        for held in entry.files.get(path, []):
            if held.number:
                latest[held.number] = held.text
    covered: set[int] = set()
    for run in _consecutive([(n, t) for n, t in lines if latest.get(n) == t]):
        if len(run) >= params.min_covered_lines:
            covered |= {n for n, _ in run}
    if not covered & real:
        covered = set()
    rest = [(n, t) for n, t in lines if n in real - covered]
    body = _rendered(_consecutive(rest))
    folded = bool(covered) and body < params.min_delta_chars
    sent = set() if folded else real - covered
    return {
        "path": path,
        "lines": lines,
        "real": real,
        "covered": covered,
        "folded": folded,
        "sent": sent,
        "body": 0 if folded else body,
        "restored": False,
    }


def _rendered(pieces):
    return sum(
        sum(len(str(n)) + 1 + chars_of(t) for n, t in piece) + len(piece) - 1 for piece in pieces
    ) + GAP * max(0, len(pieces) - 1)


def _enter(entry, answer, params):
    files = []
    for a in answer:
        pointed = {n for n, _ in a["lines"]} - a["real"]
        kept = a["covered"] | a["sent"] | pointed
        runs = _consecutive([(n, t) for n, t in a["lines"] if n in kept])
        runs = sorted(runs, key=lambda r: (-len(r), r[0][0]))[: params.ranges_per_file]
        if runs:
            files.append((a["body"], a["path"], [Held(n, t) for run in runs for n, t in run]))
    files.sort(key=lambda f: -f[0])
    for _, path, held in files[: params.files_per_call]:
        entry.files[path] = held


def _judge(a, call, item, key, params, copies):
    covered_runs = _consecutive([(n, t) for n, t in a["lines"] if n in a["covered"]])
    withheld = {n for n in a["covered"] if n in a["real"]}
    partial = bool(a["sent"])
    spans = [f"L{r[0][0]}" + (f"-{r[-1][0]}" if len(r) > 1 else "") for r in covered_runs]
    text = ", ".join(spans[: params.max_spans_in_pointer])
    more = len(spans) - params.max_spans_in_pointer
    if more > 0:
        text += f", +{more} more span" + ("s" if more > 1 else "")
    fixed = params.partial_pointer_chars if partial else params.full_pointer_chars
    pointer = fixed + len(f"path{a['path']}.py") + len(text) if covered_runs else 0
    order = (
        "none",
        "branch",
        "microcompaction",
        "clear",
        "compaction",
        "other_thread",
        "folded_unseen",
    )
    worst = 0
    if covered_runs:
        for n, t in a["lines"]:
            if n not in a["covered"] | (a["real"] if a["folded"] else set()):
                continue
            own = [
                c for c in copies if (c.record, c.path, c.number, c.text) == (key, a["path"], n, t)
            ]
            if any(c.thread == item.thread and c.gone is None for c in own):
                continue
            cause = "folded_unseen"
            if own:
                last = own[-1]
                cause = last.gone if last.thread == item.thread else "other_thread"
            worst = max(worst, order.index(cause))
    return {
        "call": call,
        "path": a["path"],
        "covered": sorted(a["covered"]),
        "folded": a["folded"],
        "restored": a["restored"],
        "body_chars": a["body"],
        "pointer_chars": pointer,
        "withheld_source_chars": sum(
            sum(chars_of(t) for _, t in r) + len(r) - 1
            for r in _consecutive([(n, t) for n, t in a["lines"] if n in withheld])
        ),
        "withheld_bytes": sum(
            chars_of(t) + len(str(n)) + 2 for n, t in a["lines"] if n in withheld
        ),
        "harm": order[worst],
    }


def _apply_mark(mark, records, copies, params):
    for copy in copies:
        if copy.thread != mark.thread or copy.gone:
            continue
        if mark.kind in ("compaction", "clear"):
            copy.gone = mark.kind
        elif mark.kind == "microcompaction" and copy.call in mark.cleared:
            copy.gone = "microcompaction"
        elif mark.kind == "rewind" and copy.at > mark.rewind_to:
            copy.gone = "branch"
    if params.reset_on_compaction and mark.kind in ("compaction", "clear"):
        for entries in records.values():
            for entry in entries:
                if entry.thread == mark.thread:
                    entry.files = {}  # `ever` stays: what a pointer vouches for is in the log


def _forget_file(path, records, pending, copies):
    for entries in [*records.values(), [e for _, e in pending]]:
        for entry in entries:
            entry.files.pop(path, None)
            entry.ever.pop(path, None)
    for copy in copies:
        if copy.path == path:
            copy.number = 0


def _apply_edit(edit, proof, records, pending, copies, shown):
    if proof == "line_text":
        return
    if proof == "whole_file" or edit.hunk is None:
        _forget_file(edit.path, records, pending, copies)
        shown.pop(edit.path, None)
        return
    start, ops, _ = edit.hunk
    moved: dict[int, int] = {}
    old, new = start, start
    for op in ops:
        if op == "+":
            new += 1
        elif op == "-":
            moved[old] = 0
            old += 1
        else:
            moved[old] = new
            old, new = old + 1, new + 1
    held = [
        h
        for entries in [*records.values(), [e for _, e in pending]]
        for entry in entries
        for h in [*entry.files.get(edit.path, []), *entry.ever.get(edit.path, [])]
    ]
    for thing in [*held, *(c for c in copies if c.path == edit.path)]:
        if thing.number:
            thing.number = moved.get(
                thing.number, thing.number if thing.number < start else thing.number + new - old
            )
