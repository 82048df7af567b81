"""The law: facts and a decision give what the policy does online."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.dedup.decide import HARM_CAUSES, decide
from ctxlab.dedup.params import Dedup
from ctxlab.dedup.walk import dedup_facts
from tests.dedup.worlds import log_of, run_online, world

PROOFS = ("line_text", "hunks", "whole_file")

params_sets = st.builds(
    Dedup,
    min_covered_lines=st.sampled_from([1, 2, 3, 5, 8]),
    view_calls=st.sampled_from([1, 2, 4, None]),
    min_delta_chars=st.sampled_from([0, 20, 60, 160]),
    record_scope=st.sampled_from(["connection", "thread"]),
    reset_on_compaction=st.booleans(),
    guard=st.booleans(),
    max_spans_in_pointer=st.sampled_from([1, 4]),
    files_per_call=st.sampled_from([1, 24]),
    ranges_per_file=st.sampled_from([1, 2, 24]),
)


def offline(log: Any, params: Dedup, proof: str) -> list[dict[str, object]]:
    facts = dedup_facts(log, tools=["read"], proof=proof, record_scope=params.record_scope)
    made = decide(facts, params)
    rows = []
    for i, call in enumerate(facts.sections.call):
        own = (facts.runs.section == i) & made.covered
        covered = [
            int(first) + k
            for first, n in zip(facts.runs.first_line[own], facts.runs.n_lines[own], strict=True)
            for k in range(n)
        ]
        rows.append(
            {
                "call": int(call),
                "covered": covered,
                "folded": bool(made.folded[i]),
                "restored": bool(made.restored[i]),
                "body_chars": int(made.body_chars[i]),
                "pointer_chars": int(made.pointer_chars[i]),
                "withheld_source_chars": int(made.withheld_source_chars[i]),
                "withheld_bytes": int(made.withheld_bytes[i]),
                "harm": HARM_CAUSES[made.harm[i]],
            }
        )
    return rows


@pytest.mark.parametrize("proof", PROOFS)
@settings(max_examples=150)
@given(seed=st.integers(0, 2**32), params=params_sets)
def test_decide_equals_the_online_run(proof: str, seed: int, params: Dedup) -> None:
    family = world(Random(seed))
    online = [
        {k: v for k, v in row.items() if k != "path"} for row in run_online(family, params, proof)
    ]
    assert offline(log_of(family), params, proof) == online
