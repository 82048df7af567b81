"""Replayed logs of files that really exist = the policy run on those files."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from ctxlab.dedup import Dedup, SessionRecord, guard, serve
from ctxlab.dedup.ranges import Ranges, merge_ranges
from tests.dedup.test_decide import offline, params_sets
from tests.dedup.test_laws import SEEDS
from tests.dedup.worlds import Call, Edit, Mark, World, chars_of, log_of

COMPARED = ("covered", "folded", "pointer_chars", "withheld_source_chars", "body_chars")


def recorded_world(random: Random) -> tuple[World, list[list[list[int]]]]:
    """A family whose edits are all in the log and never give an earlier file back.

    Also gives the files as they stand at each step.
    """
    n_threads = random.randint(1, 2)
    files = [[random.randint(1, 60) for _ in range(random.randint(5, 40))] for _ in range(2)]
    known = {tuple(file) for file in files}
    steps: list[Any] = []
    stands: list[list[list[int]]] = []
    at = 0
    for _ in range(14):
        kind = random.choices(["response", "edit", "compaction"], [10, 2, 1])[0]
        stands.append([list(file) for file in files])
        if kind == "compaction":
            steps.append(Mark(kind, random.randrange(n_threads), at=at))
            at += 1
        elif kind == "edit":
            path = random.randrange(2)
            while tuple(files[path]) in known:
                files[path].insert(random.randint(0, len(files[path])), random.randint(1, 60))
            known.add(tuple(files[path]))
            steps.append([Edit(path, None, at)])
            at += 1
        else:
            thread = random.randrange(n_threads)
            calls = [_read(random, files, thread) for _ in range(random.choice([1, 1, 2]))]
            for offset, call in enumerate(calls):
                call.call_at, call.result_at = at + offset, at + len(calls) + offset
            at += 2 * len(calls)
            steps.append(calls)
    return World(steps, n_threads, 2, [0] * n_threads), stands


def _read(random: Random, files: list[list[int]], thread: int) -> Call:
    shown = []
    for path in random.sample(range(2), random.randint(0, 2)):
        n = len(files[path])
        starts = [random.randint(1, n) for _ in range(random.choice([1, 1, 2, 3]))]
        spans = merge_ranges((s, min(n, s + random.randint(0, 20))) for s in starts)
        numbers = [k for start, end in spans for k in range(start, end + 1)]
        shown.append((path, [(k, files[path][k - 1]) for k in numbers]))
    return Call(thread, shown)


def text_of(line: int) -> str:
    """A text of its own for each line, of the length that the world says."""
    return ("a" if line < 37 else "b") * chars_of(line)


def run_policy(made: World, stands: list[list[list[int]]], params: Dedup) -> list[dict[str, Any]]:
    records: dict[int, SessionRecord] = {}
    rows = []
    for step, files in zip(made.steps, stands, strict=True):
        if isinstance(step, Mark):
            if params.reset_on_compaction:
                for record in records.values():
                    record.forget(str(step.thread))
            continue
        answers = []
        for call in step:
            if isinstance(call, Edit):
                continue
            key = 0 if params.record_scope == "connection" else call.thread
            record = records.setdefault(key, SessionRecord(params))
            sections = tuple(
                serve(
                    record,
                    f"path{path}.py",
                    "\n".join(map(text_of, files[path])),
                    _spans(lines),
                    params,
                )
                for path, lines in call.files
            )
            if params.guard:
                sections = guard(sections)
            answers.append((record, sections, call.thread))
            rows += [
                {
                    "covered": [n for a, b in section.covered for n in range(a, b + 1)],
                    "folded": section.folded,
                    "pointer_chars": section.pointer_chars,
                    "withheld_source_chars": section.withheld_source_chars,
                    "body_chars": section.body_chars,
                }
                for section in sections
            ]
        for record, sections, thread in answers:
            record.record(sections, thread=str(thread))
    return rows


def _spans(lines: list[tuple[int, int]]) -> Ranges:
    return merge_ranges((n, n) for n, _ in lines)


@settings(max_examples=200)
@given(seed=SEEDS, params=params_sets)
def test_replay_equals_the_policy_on_the_files(seed: int, params: Dedup) -> None:
    made, stands = recorded_world(Random(seed))
    replayed = offline(log_of(made), params, "whole_file")
    assert [{k: row[k] for k in COMPARED} for row in replayed] == run_policy(made, stands, params)


@pytest.mark.parametrize("seed", range(3))
def test_the_worlds_are_worth_replaying(seed: int) -> None:
    worlds = [recorded_world(Random(seed * 100 + i)) for i in range(100)]
    rows = [
        row
        for made, stands in worlds
        for row in run_policy(made, stands, Dedup(min_covered_lines=2))
    ]
    assert sum(bool(row["covered"]) for row in rows) > 100
    assert sum(row["folded"] for row in rows) > 20
