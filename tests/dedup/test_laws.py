"""Laws of the replay that hold whatever the logs: closed form, monotony, families apart."""

from __future__ import annotations

import itertools
from dataclasses import fields
from random import Random
from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxlab.dedup.decide import decide
from ctxlab.dedup.facts import Facts, concatenate
from ctxlab.dedup.params import Dedup
from ctxlab.dedup.walk import dedup_facts
from ctxlab.replay.corpus import family_facts
from ctxlab.replay.scores import METRICS, score
from tests.dedup.worlds import Edit, Mark, World, log_of, world

SEEDS = st.integers(0, 2**32)
PROOFS = st.sampled_from(["line_text", "hunks", "whole_file"])
SCOPES = st.sampled_from(["connection", "thread"])
PLAIN = {"min_delta_chars": 0, "guard": False}


def facts_of(seed: int, proof: str = "line_text", scope: str = "connection") -> Facts:
    return dedup_facts(log_of(world(Random(seed))), tools=["read"], proof=proof, record_scope=scope)


def unpointed(seed: int) -> World:
    made = world(Random(seed))
    for call in made.calls():
        call.pointed = []
    return made


def harmful_by_closed_form(made: World, params: Dedup) -> list[bool]:
    """Which sections point at a line that is not in the context, without any simulation.

    A request of a line is a harmful pointer iff the held run around it is long enough, and so was
    the run at every earlier request of that line in the same thread whose result is still there.
    """
    memory: dict[Any, list[tuple[int, dict[Any, int]]]] = {}
    resumed = [0, 0]
    requests: list[dict[str, Any]] = []
    harmful, number = [], -1
    for step in made.steps:
        if isinstance(step, Mark):
            resumed[made.session_of[step.thread]] += step.kind == "resume"
            _leave(step, requests, memory, params)
            continue
        said = []
        for item in step:
            if isinstance(item, Edit):
                continue  # with the proof "line_text" edits are not looked at
            number += 1
            session = made.session_of[item.thread]
            record = (
                session if params.record_scope == "connection" else item.thread,
                resumed[session],
            )
            calls = memory.get(record, [])
            seen = calls if params.view_calls is None else calls[-params.view_calls :]
            latest = {place: text for _, lines in seen for place, text in lines.items()}
            for path, lines in item.files:
                held = [latest.get((path, n)) == text for n, text in lines]
                answer = []
                for i, (n, text) in enumerate(lines):
                    length = _held_run(lines, held, i)
                    key = record, item.thread, path, n, text
                    earlier = [r["length"] for r in requests if r["key"] == key and r["there"]]
                    m = params.min_covered_lines
                    answer.append(m <= length and all(m <= e for e in earlier))
                    said.append((record, (path, n), text))
                    requests.append(
                        {"key": key, "length": length, "there": True, "call": number}
                        | {"at": item.result_at, "thread": item.thread, "new": True}
                    )
                # Lines of one section are requested at once.
                harmful.append(any(answer))
            memory.setdefault(("now", record), []).append(
                (item.thread, {(p, n): t for p, lines in item.files for n, t in lines})
            )
        for key in [k for k in memory if k[0] == "now"]:
            memory.setdefault(key[1], []).extend(memory.pop(key))
    return harmful


def _held_run(lines: list[tuple[int, int]], held: list[bool], i: int) -> int:
    if not held[i]:
        return 0
    first = last = i
    while first and held[first - 1] and lines[first - 1][0] == lines[first][0] - 1:
        first -= 1
    while last + 1 < len(lines) and held[last + 1] and lines[last + 1][0] == lines[last][0] + 1:
        last += 1
    return last - first + 1


def _leave(
    mark: Mark, requests: list[dict[str, Any]], memory: dict[Any, Any], params: Dedup
) -> None:
    ends = mark.kind in ("compaction", "clear")
    for r in requests:
        if r["thread"] == mark.thread and (
            ends
            or (mark.kind == "microcompaction" and r["call"] in mark.cleared)
            or (mark.kind == "rewind" and r["at"] > mark.rewind_to)
        ):
            r["there"] = False
    if ends and params.reset_on_compaction:
        for calls in memory.values():
            calls[:] = [(t, {} if t == mark.thread else lines) for t, lines in calls]


@settings(max_examples=300)
@given(
    seed=SEEDS,
    m=st.integers(1, 12),
    view=st.sampled_from([1, 2, 4, None]),
    scope=SCOPES,
    reset=st.booleans(),
)
def test_harmful_pointers_have_a_closed_form(
    seed: int, m: int, view: int | None, scope: str, reset: bool
) -> None:
    params = Dedup(
        min_covered_lines=m,
        view_calls=view,
        record_scope=scope,
        reset_on_compaction=reset,
        **PLAIN,
    )
    made = unpointed(seed)
    facts = dedup_facts(log_of(made), record_scope=scope)
    assert (decide(facts, params).harm > 0).tolist() == harmful_by_closed_form(made, params)


def test_the_worlds_meet_harm() -> None:
    params = Dedup(min_covered_lines=2, view_calls=None, **PLAIN)
    harmful = [h for seed in range(100) for h in harmful_by_closed_form(unpointed(seed), params)]
    assert sum(harmful) > 50
    assert len(harmful) - sum(harmful) > 200


@given(seed=SEEDS, proof=PROOFS, scope=SCOPES, reset=st.booleans())
def test_a_longer_shortest_run_never_withholds_more(
    seed: int, proof: str, scope: str, reset: bool
) -> None:
    facts = facts_of(seed, proof, scope)
    withheld = [
        decide(
            facts,
            Dedup(min_covered_lines=m, record_scope=scope, reset_on_compaction=reset, **PLAIN),
        ).withheld_bytes
        for m in (1, 2, 3, 5, 8, 13)
    ]
    assert all(np.all(b <= a) for a, b in itertools.pairwise(withheld))


@given(seed=SEEDS, proof=PROOFS, scope=SCOPES, m=st.integers(1, 8))
def test_a_longer_horizon_never_withholds_less(seed: int, proof: str, scope: str, m: int) -> None:
    facts = facts_of(seed, proof, scope)
    withheld = [
        decide(facts, Dedup(min_covered_lines=m, view_calls=v, record_scope=scope, **PLAIN))
        for v in (1, 2, 3, 4, 8, None)
    ]
    bytes_ = [made.withheld_bytes for made in withheld]
    assert all(np.all(a <= b) for a, b in itertools.pairwise(bytes_))


@given(seed=SEEDS, proof=PROOFS, m=st.integers(1, 8), delta=st.sampled_from([0, 160]))
def test_a_record_that_forgets_has_no_pointer_beyond_a_compaction(
    seed: int, proof: str, m: int, delta: int
) -> None:
    facts = facts_of(seed, proof, "thread")
    # A pointer that the log itself holds may point beyond a compaction, and is then held.
    assume((facts.runs.delivered_bytes > 0).all())
    made = decide(
        facts,
        Dedup(
            min_covered_lines=m,
            record_scope="thread",
            reset_on_compaction=True,
            min_delta_chars=0,
            guard=False,
        ),
    )
    totals = score(facts, made)
    assert totals.total("harmful_compaction") == 0
    assert totals.total("harmful_clear") == 0
    assert totals.total("harmful_other_thread") == 0
    assert totals.total("harmful_folded_unseen") == 0


@given(seeds=st.lists(SEEDS, min_size=1, max_size=4), proof=PROOFS, scope=SCOPES)
def test_families_come_out_as_they_went_in(seeds: list[int], proof: str, scope: str) -> None:
    parts = [facts_of(seed, proof, scope) for seed in seeds]
    whole = concatenate(parts)
    assert len(whole.families) == len(parts)
    for i, part in enumerate(parts):
        one = family_facts(whole, i)
        assert (one.families, one.transcripts) == (part.families, part.transcripts)
        for group in ("calls", "sections", "runs"):
            for column in fields(getattr(part, group)):
                was, now = (getattr(getattr(f, group), column.name) for f in (part, one))
                np.testing.assert_array_equal(was, now, err_msg=column.name)
                assert was.dtype == now.dtype, column.name


@given(seeds=st.lists(SEEDS, min_size=2, max_size=4), proof=PROOFS, guard=st.booleans())
def test_families_do_not_see_each_other(seeds: list[int], proof: str, guard: bool) -> None:
    params = Dedup(min_covered_lines=2, guard=guard)
    parts = [facts_of(seed, proof) for seed in seeds]
    apart = [score(part, decide(part, params)).values for part in parts]
    for order in (parts, parts[::-1], [*parts, *parts]):
        whole = concatenate(order)
        together = score(whole, decide(whole, params)).values
        expected = [apart[parts.index(part)] for part in order]
        for name in METRICS:
            assert together[name].tolist() == [v for one in expected for v in one[name]]
