from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.residency import (
    END_CAUSES,
    Change,
    Numbering,
    changes,
    contradictions,
    places,
    residence,
    sections,
    unrecorded_changes,
)
from tests.builders import agent, call, edit, lines, log_of, mark, numbered, pointer, together

# Places -------------------------------------------------------------------------------------------


def diff_of(random: Random, n: int) -> tuple[Change, list[int | str]]:
    """Hunks over a file of `n` lines, and the file after it: old numbers, "+" for new."""
    after: list[int | str] = []
    starts, all_ops, line = [], [], 1
    while line <= n + 1:
        if random.random() < 0.7:  # outside of any hunk
            if line <= n:
                after.append(line)
            line += 1
            continue
        ops = "".join(random.choices("+- ", k=random.randint(1, 6)))
        ops = ops[: _fitting(ops, n - line + 1)]
        # Without old lines: the number that the first one would have.
        starts.append(line)
        all_ops.append(ops)
        for op in ops:
            if op == "+":
                after.append("+")
            else:
                if op == " ":
                    after.append(line)
                line += 1
        # Neighbouring hunks would be one: a kept line stands between.
        if line <= n:
            after.append(line)
        line += 1
    change = Change(0, 0, tuple(starts), tuple(all_ops))
    kept = [(s, o) for s, o in zip(change.old_starts, change.ops, strict=True) if o]
    return Change(0, 0, tuple(s for s, _ in kept), tuple(o for _, o in kept)), after


def _fitting(ops: str, room: int) -> int:
    for i, op in enumerate(ops):
        room -= op != "+"
        if room < 0:
            return i
    return len(ops)


def names(numbering: Numbering, n: int) -> list[int | str]:
    """Which lines stand at 1 … n: numbers they had at first, "+" for those added since."""
    found = numbering.at(np.arange(1, n + 1, dtype=np.int32)).tolist()
    assert len(set(found)) == n
    return [line if line < 2**31 else "+" for line in found]


@given(seed=st.integers(0, 2**32), n=st.integers(0, 30))
def test_numbering_is_the_application_of_a_diff(seed: int, n: int) -> None:
    change, after = diff_of(Random(seed), n)
    assert names(Numbering().after(change), len(after)) == after


@given(seed=st.integers(0, 2**32), n=st.integers(0, 30))
def test_changes_add_up(seed: int, n: int) -> None:
    random = Random(seed)
    numbering, lines = Numbering(), list[int | str](range(1, n + 1))
    for _ in range(4):
        change, after = diff_of(random, len(lines))
        lines = ["+" if k == "+" else lines[int(k) - 1] for k in after]
        numbering = numbering.after(change)
        assert names(numbering, len(lines)) == lines


def test_a_new_first_line_moves_all() -> None:
    assert names(Numbering().after(Change(0, 0, (1,), ("+",))), 3) == ["+", 1, 2]


def test_lines_of_a_far_number_are_followed() -> None:
    far = np.array([2**31 - 1], np.int32)
    assert Numbering().after(Change(0, 0, (1,), ("+ ",))).at(far).tolist() == [2**31 - 2]


def test_a_moved_line_is_the_same_line_through_hunks_alone() -> None:
    log = log_of(
        [
            call("Read", lines("a.py", 1, "x", "y", "z")),
            call("Edit", edit("a.py", (2, 2, "-++", ("y", "new", "newer")))),
            call("Read", lines("a.py", 1, "x", "new", "newer", "z")),
            call("Edit", edit("a.py", kind="full")),
            call("Read", lines("a.py", 1, "x")),
        ]
    )
    served = sections(log, np.ones(len(log.calls), bool))
    first, second = slice(0, 3), slice(3, 7)
    followed = places(log, served, "hunks")
    assert followed.line[second].tolist()[::3] == followed.line[first].tolist()[::2]
    assert not set(followed.line[second][1:3].tolist()) & set(followed.line[first].tolist())
    assert followed.generation.tolist() == [0, 0, 1]
    assert places(log, served, "none").generation.tolist() == [0, 1, 2]
    assert places(log, served, None).generation.tolist() == [0, 0, 0]


def test_a_known_line_with_another_text_starts_a_generation() -> None:
    log = log_of(
        [
            call("Read", lines("a.py", 1, "x", "y")),
            call("Read", lines("a.py", 2, "y", "z")),
            call("Read", lines("a.py", 1, "changed")),
            call("Read", lines("a.py", 2, "other")),
            call("Read", lines("a.py", 2, "again")),
        ]
    )
    served = sections(log, np.ones(len(log.calls), bool))
    found, contradicts = contradictions(served, places(log, served, None))
    # The fourth contradicts only what was shown before the third.
    assert contradicts.tolist() == [False, False, True, False, True]
    assert found.generation.tolist() == [0, 0, 1, 1, 2]


def test_hunks_of_one_result_are_one_change() -> None:
    log = log_of(
        [
            call(
                "Edit",
                edit("a.py", (3, 3, "-+", ("old", "new")), (9, 9, "+", ("x",))),
                edit("b.py", kind="full"),
            ),
            call("Edit", edit("a.py", (1, 1, "+", ("y",)))),
        ]
    )
    found = list(changes(log))
    assert [(log.paths[c.path], c.old_starts, c.carries) for c in found] == [
        ("a.py", (3, 9), True),
        ("b.py", (), False),
        ("a.py", (1,), True),
    ]


# Residence ----------------------------------------------------------------------------------------


def stays(log: object) -> list[tuple[int, str]]:
    found = residence(log)  # type: ignore[arg-type]
    return [(int(u), END_CAUSES[c]) for u, c in zip(found.until, found.cause, strict=True)]


READ = call("Read", lines("a.py", 1, "x"))


def test_a_compaction_or_clear_ends_what_came_before_in_its_thread() -> None:
    log = log_of([READ, agent("helper", READ, mark("clear"), READ), mark("compaction"), READ])
    # 0-1 READ, 2 the agent's call, 3-4 READ, 5 clear, 6-7 READ, 8 its result, 9 mark, 10-11 READ.
    assert stays(log) == [
        (9, "compaction"),
        (9, "compaction"),
        (5, "clear"),
        (12, "none"),
        (12, "none"),
    ]
    assert residence(log).context.tolist() == [0, 0, 0, 1, 1]


def test_a_microcompaction_ends_the_calls_it_names_once_they_have_come() -> None:
    log = log_of([READ, mark("microcompaction", cleared=[0, 2]), READ, READ])
    assert stays(log) == [(2, "microcompaction"), (7, "none"), (7, "none")]


def test_a_rewind_ends_what_came_after_its_aim() -> None:
    log = log_of([READ, READ, mark("rewind", rewind_to=1), READ])
    assert stays(log) == [(7, "none"), (4, "branch"), (7, "none")]
    whole = log_of([READ, READ, mark("rewind"), READ])
    assert stays(whole)[:2] == [(4, "branch"), (4, "branch")]


def test_the_first_end_counts() -> None:
    log = log_of([READ, mark("compaction"), mark("clear"), mark("rewind")])
    assert stays(log) == [(2, "compaction")]


def test_other_marks_end_nothing() -> None:
    log = log_of([READ, mark("resume"), mark("interrupt"), mark("prompt")])
    assert stays(log) == [(5, "none")]


# Sections -----------------------------------------------------------------------------------------


def rows(log: object, chosen: list[bool] | None = None) -> list[tuple[int, str, list[int]]]:
    of = np.ones(len(log.calls), bool) if chosen is None else np.array(chosen)  # type: ignore[attr-defined]
    s = sections(log, of)  # type: ignore[arg-type]
    return [
        (int(s.call[i]), log.paths[s.path[i]], s.numbers[s.start[i] : s.stop[i]].tolist())  # type: ignore[attr-defined]
        for i in range(len(s))
    ]


def test_sections_stand_in_the_order_of_results_and_of_files_in_an_answer() -> None:
    log = log_of(
        [
            together(
                agent("helper", READ),
                call("Read", lines("z.py", 1, "a"), lines("b.py", 5, "b"), lines("z.py", 9, "c")),
            ),
        ]
    )
    assert rows(log) == [(2, "a.py", [1]), (1, "z.py", [1, 9]), (1, "b.py", [5])]
    assert rows(log, [False, False, True]) == [(2, "a.py", [1])]


def test_a_line_delivered_twice_stands_once_as_it_came_last() -> None:
    log = log_of([call("Grep", lines("a.py", 1, "old", "same"), lines("a.py", 1, "new!"))])
    s = sections(log, np.ones(1, bool))
    assert s.numbers.tolist() == [1, 2]
    assert s.text_chars.tolist() == [4, 4]
    assert s.delivered_bytes.sum() == 10


def test_lines_pointed_at_have_no_bytes_and_must_have_been_served() -> None:
    log = log_of(
        [
            call("mcp__graph", numbered("a.py", 10, 12)),
            call("mcp__graph", pointer("a.py", (11, 2_000_000_000)), numbered("b.py", 1, 1)),
            call("mcp__graph", pointer("c.py", (1, 40))),
        ]
    )
    assert rows(log) == [
        (0, "a.py", [10, 11, 12]),
        (1, "a.py", [11, 12]),
        (1, "b.py", [1]),
    ]
    s = sections(log, np.ones(3, bool))
    assert s.texts[s.start[1] : s.stop[1]].tolist() == [0, 0]
    assert s.delivered_bytes[s.start[1] : s.stop[1]].tolist() == [0, 0]


def test_a_line_both_delivered_and_pointed_at_was_delivered() -> None:
    log = log_of([call("mcp__graph", lines("a.py", 1, "x", "y"), pointer("a.py", (1, 2)))])
    s = sections(log, np.ones(1, bool))
    assert (s.delivered_bytes > 0).all()
    assert (s.texts > 0).all()


def test_a_log_without_lines() -> None:
    assert rows(log_of([])) == []
    assert rows(log_of([call("Read", error=True)])) == []
    assert stays(log_of([])) == []


# Changes that left no hunk ------------------------------------------------------------------------


def test_unrecorded_changes() -> None:
    log = log_of(
        [
            call("Read", lines("a.py", 1, "x", "y")),
            call("Edit", edit("a.py", (1, 1, "-+", ("x", "z")))),
            call("Read", lines("a.py", 1, "z", "y")),  # explained by the hunk
            call("Read", lines("a.py", 2, "w")),  # not explained
            call("Read", lines("a.py", 1, "other")),  # the file is new since the last change
            call("Bash", edit("a.py", kind="unknown", evidence="shell")),
            call("Read", lines("a.py", 1, "different")),
        ]
    )
    assert [(log.paths[path], why) for _, path, why in unrecorded_changes(log)] == [
        ("a.py", "changed_line"),
        ("a.py", "shell"),
    ]


def test_a_pointer_is_no_changed_line() -> None:
    log = log_of(
        [call("mcp__graph", numbered("a.py", 1, 3)), call("mcp__graph", pointer("a.py", (1, 3)))]
    )
    assert unrecorded_changes(log) == ()
