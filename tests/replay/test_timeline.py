from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.dedup.decide import HARM_CAUSES, decide
from ctxlab.dedup.facts import concatenate
from ctxlab.dedup.params import Dedup
from ctxlab.dedup.walk import dedup_facts
from ctxlab.errors import ParameterError
from ctxlab.replay.scores import score
from ctxlab.replay.timeline import MARKS_SHOWN, OUTCOMES, timeline
from tests.dedup.worlds import Call, Edit, Mark, World, log_of, world

PARAMS = Dedup(min_covered_lines=2, min_delta_chars=20)


def made_of(family: World, params: Dedup = PARAMS) -> tuple[Any, Any, Any]:
    log = log_of(family)
    facts = dedup_facts(log, record_scope=params.record_scope)
    return log, facts, decide(facts, params)


def lines(first: int, texts: list[int]) -> list[tuple[int, int]]:
    return list(enumerate(texts, first))


def twice_then_compacted() -> World:
    """One file read, read again, compacted, edited and read once more."""
    shown = lines(1, [3, 4, 5, 6])
    again = [Call(0, [(0, shown)], call_at=2 * i, result_at=2 * i + 1) for i in range(2)]
    mark = Mark("compaction", 0, at=4)
    edit = Edit(1, None, at=5)
    third = Call(0, [(0, shown), (1, lines(1, [9]))], call_at=6, result_at=7)
    return World([[again[0]], [again[1]], mark, [edit], [third]], 1, 2)


def test_rows_tell_the_course_of_a_thread() -> None:
    frame = timeline(*made_of(twice_then_compacted(), Dedup(min_covered_lines=2, guard=False)), 0)
    assert frame["what"].tolist() == ["served", "served", "compaction", "edit", "served", "served"]
    assert frame["request"].tolist() == [1, 2, 2, 2, 3, 3]
    assert frame["at"].tolist() == [1, 3, 4, 5, 7, 7]
    served = frame[frame["what"] == "served"]
    assert served["outcome"].tolist() == ["sent", "pointer", "compaction", "sent"]
    assert served["lines"].tolist() == [4, 4, 4, 1]
    assert served["covered_lines"].tolist() == [0, 4, 4, 0]
    assert served["path"].tolist() == ["path0.py", "path0.py", "path0.py", "path1.py"]
    others = frame[frame["what"] != "served"]
    assert others["path"].tolist() == [None, "path1.py"]
    assert others[["lines", "touched_bytes", "net_bytes", "outcome"]].isna().all(axis=None)


def test_edits_of_files_the_thread_never_saw_are_left_out() -> None:
    family = World(
        [[Call(0, [(0, lines(1, [1]))], call_at=0, result_at=1)], [Edit(1, None, at=2)]], 1, 2
    )
    assert timeline(*made_of(family), 0)["what"].tolist() == ["served"]


def test_thread_without_anything_gives_an_empty_frame_with_all_columns() -> None:
    frame = timeline(*made_of(World([], 2, 1)), 1)
    assert frame.empty
    assert list(frame.columns) == [
        *("what", "at", "request", "path", "outcome"),
        *("lines", "covered_lines", "touched_bytes", "net_bytes"),
    ]


@given(seed=st.integers(0, 2**32))
def test_threads_add_up_to_the_scores_of_the_family(seed: int) -> None:
    log, facts, made = made_of(world(Random(seed)))
    frames = [timeline(log, facts, made, thread) for thread in range(len(log.threads))]
    scores = score(facts, made)
    served = [frame[frame["what"] == "served"] for frame in frames]
    assert sum(len(rows) for rows in served) == scores.total("sections")
    assert sum(int(rows["net_bytes"].sum()) for rows in served) == scores.total("net_bytes")
    assert sum(int(rows["touched_bytes"].sum()) for rows in served) == scores.total("touched_bytes")
    harmful = sum(int(rows["outcome"].isin(HARM_CAUSES[1:]).sum()) for rows in served)
    assert harmful == scores.total("harmful_pointers")
    for frame in frames:
        assert frame["at"].is_monotonic_increasing
        assert frame["request"].is_monotonic_increasing
        assert set(frame["what"]) <= {"served", "edit", *MARKS_SHOWN}
        assert set(frame["outcome"].dropna()) <= set(OUTCOMES)


def test_same_input_gives_the_same_frame_and_is_not_changed() -> None:
    log, facts, made = made_of(world(Random(5)))
    before = facts.calls.at.copy()
    assert timeline(log, facts, made, 0).equals(timeline(log, facts, made, 0))
    assert np.array_equal(before, facts.calls.at)


@pytest.mark.parametrize("thread", [-1, 1])
def test_unknown_thread(thread: int) -> None:
    with pytest.raises(ParameterError, match=rf"`thread` must be in \[0, 0\], got {thread}"):
        timeline(*made_of(twice_then_compacted()), thread)


def test_facts_of_two_families_are_refused() -> None:
    log, facts, _ = made_of(twice_then_compacted())
    both = concatenate([facts, facts])
    with pytest.raises(ParameterError, match="must be those of family 'family' alone"):
        timeline(log, both, decide(both, PARAMS), 0)
