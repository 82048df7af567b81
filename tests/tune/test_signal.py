"""Whether a score tells what will be used, against a count of all pairs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.recall.build import QuestionRow, build
from ctxlab.recall.decide import decide
from ctxlab.recall.facts import QUESTION_KINDS, RecallFacts
from ctxlab.recall.params import Recall
from ctxlab.tune import score_signal
from tests.recall.worlds import LineUse, found, lines, row

USED, NAMED, BOTH, UNUSED = (
    LineUse(opened=True),
    LineUse(named=True),
    LineUse(quoted=True, named=True),
    LineUse(),
)


def asked(
    score: float | None, *uses: LineUse, project: int = 0, family: int = 0, kind: str = "asked"
) -> QuestionRow:
    """One question of a family, with a line for each use; a transcript is a family here."""
    made = found(
        best_score=score,
        n_hits=len(uses),
        lines=lines(*(f"n{i}" for i in range(len(uses)))),
    )
    return row(
        made,
        project=project,
        family=family,
        transcript=family,
        context=family,
        kind=kind,
        uses=uses if kind in ("asked", "unrelated") else (),
    )


def facts_of(rows: Sequence[QuestionRow]) -> RecallFacts:
    families = [f"f{i}" for i in range(1 + max((r.family for r in rows), default=0))]
    projects = [f"p{i}" for i in range(1 + max((r.project for r in rows), default=0))]
    n = len(families)
    return build(rows, families, families, range(n), projects, [0] * n)


def share_of_pairs(pairs: Sequence[tuple[float, float]]) -> float | None:
    """How often the first of a pair is higher, ties counting one half."""
    won = sum((a > b) + (a == b) / 2 for a, b in pairs)
    return won / len(pairs) if pairs else None


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), max_hits=st.sampled_from([1, 2, 6]))
def test_signal_is_the_share_of_pairs(seed: int, max_hits: int) -> None:
    random = Random(seed)
    rows = [
        asked(
            random.choice([0.01, 1.0, 2.0, 3.0, None]),
            *random.choices([USED, NAMED, BOTH, UNUSED, UNUSED], k=random.randint(0, 3)),
            project=i // 12,
            family=i // 3,
            kind=random.choice(["asked", "asked", "asked", *QUESTION_KINDS[1:]]),
        )
        for i in range(24)
    ]
    params = Recall(max_hits=max_hits, min_hit_score=2.5, suppress_repeats=False)
    signal = score_signal(facts_of(rows), params)

    asks = [r for r in rows if r.kind == "asked" and r.found.best_score is not None and r.uses]

    def value(told: bool, within: bool) -> float | None:
        def is_used(r: QuestionRow) -> bool:
            first = r.uses[:max_hits]
            return any((u.opened or u.quoted) and not (told and u.named) for u in first)

        used, unused = ([r for r in asks if is_used(r) is wanted] for wanted in (True, False))
        return share_of_pairs(
            [
                (a.found.best_score or 0.0, b.found.best_score or 0.0)
                for a, b in product(used, unused)
                if not within or a.project == b.project
            ]
        )

    assert signal.pooled.value == pytest.approx(value(told=False, within=False))
    assert signal.within.value == pytest.approx(value(told=False, within=True))
    assert signal.told.value == pytest.approx(value(told=True, within=True))
    assert signal.pooled.n_positive + signal.pooled.n_negative == len(asks)
    assert json.loads(json.dumps(signal.as_dict()))["told"]["value"] == signal.told.value


def many(score_of: dict[bool, float], n: int = 60, project_of: dict[bool, int] | None = None):  # type: ignore[no-untyped-def]
    """Families of one used and one unused question each, or of one of them in a project."""
    rows = []
    for family in range(n):
        for used in (True, False):
            score = score_of[used] + (family % 7) / 10
            project = 0 if project_of is None else project_of[used]
            rows.append(asked(score, USED if used else UNUSED, family=family, project=project))
    return facts_of(sorted(rows, key=lambda r: r.project))


def test_a_score_that_tells() -> None:
    signal = score_signal(many({True: 3.0, False: 1.0}))
    assert signal.pooled.value == signal.within.value == signal.told.value == 1.0
    assert signal.weakest is signal.within
    assert signal.weakest.carries_signal()


def test_a_score_that_tells_nothing() -> None:
    signal = score_signal(many({True: 1.0, False: 1.0}))
    assert signal.pooled.value == pytest.approx(0.5)
    assert signal.weakest is signal.pooled
    assert not signal.weakest.carries_signal()


def test_a_score_that_tells_projects_apart_alone_is_not_taken() -> None:
    """Use is frequent where scores are high, and within a project both are alike."""
    random = Random(1)
    rows = []
    for family in range(60):
        big = family >= 30
        for _ in range(4):
            used = random.random() < (0.8 if big else 0.2)
            score = (8.0 if big else 2.0) + random.random()
            rows.append(asked(score, USED if used else UNUSED, family=family, project=int(big)))
    signal = score_signal(facts_of(rows))
    assert signal.pooled.carries_signal()
    assert not signal.within.carries_signal()
    assert signal.weakest is signal.within


def test_what_the_prompt_named_is_left_out_of_what_it_told() -> None:
    rows = []
    for family in range(30):
        rows += [asked(3.0, BOTH, family=family), asked(1.0, UNUSED, family=family)]
    signal = score_signal(facts_of(rows))
    assert signal.within.value == 1.0
    assert (signal.told.value, signal.told.n_positive) == (None, 0)


def test_floors_of_the_parameters_play_no_part_and_lines_do() -> None:
    rows = [
        asked(score, UNUSED, use, family=family)
        for family in range(20)
        for score, use in ((3.0, USED), (1.0, UNUSED))
    ]
    facts = facts_of(rows)
    assert decide(facts, Recall(min_hit_score=2)).fires.sum() == 20
    assert score_signal(facts, Recall(min_hit_score=2)) == score_signal(facts)
    assert score_signal(facts, Recall(max_hits=1)).pooled.value is None


def test_nothing_asked_tells_nothing() -> None:
    for facts in (facts_of([]), facts_of([asked(None)]), facts_of([asked(2.0, kind="joined")])):
        signal = score_signal(facts)
        assert {signal.pooled.value, signal.within.value, signal.told.value} == {None}
        assert not signal.weakest.carries_signal()


def test_a_signal_warns_of_what_it_does_not_find() -> None:
    """Prompts that name what is used score high, those that are told something score low."""

    def world(*told_scores: float, named_score: float) -> RecallFacts:
        rows = []
        for family in range(30):
            told_score = told_scores[family % len(told_scores)]
            rows.append(asked(told_score + family / 100, USED, family=family))
            rows += [asked(named_score + family / 100, BOTH, family=family) for _ in range(3)]
            rows.append(asked(4.0 + family / 100, UNUSED, family=family))
        return facts_of(rows)

    found = score_signal(world(9.0, named_score=2.0))
    assert found.warnings == ()
    [below] = score_signal(world(1.0, named_score=9.0)).warnings
    assert "the used ones stand at prompts that score lower (AUC 0.0" in below
    [unclear] = score_signal(world(1.0, 9.0, named_score=5.0)).warnings
    assert "is not shown to find what the prompt had not named itself" in unclear
    assert "which includes 0.5)" in unclear
