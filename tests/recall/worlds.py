"""Random questions with what was found for them, and the policy run on them one by one.

The oracle is deliberately naive and shares no code with `ctxlab.recall.decide`, which it judges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import strategies as st

from ctxlab.recall.build import JUDGED, QuestionRow, build
from ctxlab.recall.facts import QUESTION_KINDS, RecallFacts
from ctxlab.recall.graph import Graph, Node, Version
from ctxlab.recall.params import MAX_HITS, Recall
from ctxlab.recall.pointers import Found, PointerLine
from ctxlab.recall.project import Project, Prompt, Revealed, Use


@dataclass(frozen=True)
class LineUse:
    opened: bool = False
    edited: bool = False
    quoted: bool = False
    averted: bool = False
    named: bool = False


@dataclass(frozen=True)
class Outcome:
    fires: bool
    printed: tuple[int, ...]
    output_bytes: int
    truncated: bool
    repeats_left_out: int


WORDS = ("cart", "digest", "parse", "tree", "cache", "été", "index", "budget")
STEMS = (
    "parse_cart",
    "DigestTree",
    "cacheIndex",
    "tree::parse",
    "src/cart.py",
    "budget",
    "get_été",
)

SILENT = Outcome(False, (), 0, False, 0)

param_sets = st.builds(
    Recall,
    min_hit_score=st.sampled_from([0.0, 0.05, 1.0, 2.0, 2.5, 14.0]),
    max_hits=st.integers(1, MAX_HITS),
    max_output_bytes=st.integers(200, 700) | st.just(4000),
    min_ceiling_share=st.sampled_from([0.0, 0.5, 0.75, 1.0]),
    min_margin=st.sampled_from([1.0, 1.05, 1.5, 2.0]),
    min_unrelated_share=st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0]),
    gate=st.sampled_from(["identifier", "identifier", "coverage"]),
    suppress_repeats=st.booleans(),
    framing_bytes=st.sampled_from([0, 75, 190]),
    header_bytes=st.sampled_from([0, 40]),
    elision_bytes=st.sampled_from([0, 6]),
)


def lines(*keys: str, text: str = "  some/path.py") -> tuple[PointerLine, ...]:
    return tuple(PointerLine(Node("File", key), text) for key in keys)


def found(**given: Any) -> Found:
    """One identifier that matched one node, unless given."""
    plain = Found(
        terms=("a_b",), best_score=2.0, second_score=None, ceiling=3.0, n_hits=1, lines=()
    )
    return replace(plain, **given)


def row(what: Found | None = None, **given: Any) -> QuestionRow:
    """An asked question of the only family, transcript, project and context, unless given."""
    what = found() if what is None else what
    asked = given.get("kind", "asked") in JUDGED
    plain = QuestionRow(
        kind="asked",
        family=0,
        transcript=0,
        project=0,
        prompt=0,
        context=0,
        prompt_bytes=20,
        requests=3,
        label="store",
        unrelated_share=None,
        found=what,
        uses=tuple(LineUse() for _ in what.lines) if asked else (),
    )
    return replace(plain, **given)


def facts_of(rows: Sequence[QuestionRow]) -> RecallFacts:
    """Facts of questions that all belong to one transcript."""
    n_projects = 1 + max((r.project for r in rows), default=0)
    return build(rows, ["f"], ["t"], [0], [f"p{i}" for i in range(n_projects)], [0])


def random_rows(random: Random, n: int) -> list[QuestionRow]:
    """Questions of two projects and a few contexts whose lines often repeat."""
    rows = []
    for i in range(n):
        project = 0 if i < n // 2 else 1
        matched = random.random() < 0.85
        keys = random.sample([f"n{k}" for k in range(15)], random.randint(0, MAX_HITS))
        made = Found(
            terms=("a_b",) * random.choice([0, 1, 2]),
            best_score=random.choice([0.05, 1.0, 2.0, 2.5]) if matched else None,
            second_score=random.choice([0.5, 1.0, 2.0, None]) if matched else None,
            ceiling=random.choice([2.0, 4.0]) if matched else None,
            n_hits=len(keys),
            lines=tuple(
                PointerLine(
                    Node("File", k), "  " + random.choice(["é", "x"]) * random.randint(0, 80)
                )
                for k in keys
            ),
        )
        rows.append(
            row(
                made,
                kind=QUESTION_KINDS[random.choice([0, 0, 0, 1, 2, 3])],
                project=project,
                prompt=i,
                context=2 * project + random.randint(0, 1),
                label=random.choice(["s", "store é"]),
                unrelated_share=random.choice([None, 0.0, 0.25, 0.5, 1.0]),
                uses=(),
            )
        )
    return [
        replace(r, uses=tuple(LineUse() for _ in r.found.lines)) if r.kind in JUDGED else r
        for r in rows
    ]


def run_naively(rows: Sequence[QuestionRow], params: Recall) -> list[Outcome]:
    """The policy, one question after the other."""
    seen: set[tuple[int, int, str]] = set()
    return [_answer(r, params, seen) for r in rows]


def _answer(r: QuestionRow, params: Recall, seen: set[tuple[int, int, str]]) -> Outcome:
    if not _passes(r, params):
        return SILENT

    def frame(n: int) -> int:
        return params.framing_bytes + params.header_bytes + len(str(n)) + len(r.label.encode())

    kept = list(r.found.lines)[: params.max_hits]
    room = params.max_output_bytes - frame(len(kept)) - params.elision_bytes
    taken: list[int] = []
    for rank, line in enumerate(kept):
        room -= len(line.text.encode()) + 1
        if room < 0:
            break
        taken.append(rank)
    if not taken:
        return SILENT
    cut = len(taken) < len(kept)
    printed = taken
    if params.suppress_repeats and r.kind == "asked":
        node = {rank: (r.context, r.project, kept[rank].node.key) for rank in taken}
        printed = [rank for rank in taken if node[rank] not in seen]
        seen.update(node.values())
    if not printed:
        return Outcome(False, (), 0, False, len(taken))
    size = frame(len(printed)) + sum(len(kept[rank].text.encode()) + 1 for rank in printed)
    size += params.elision_bytes if cut else 0
    return Outcome(True, tuple(printed), size, cut, len(taken) - len(printed))


def _passes(r: QuestionRow, params: Recall) -> bool:
    what = r.found
    if params.gate == "coverage":
        return what.n_hits > 0
    if not what.terms or what.best_score is None:
        return False
    best = what.best_score
    second = -math.inf if what.second_score is None else what.second_score
    share = -1.0 if r.unrelated_share is None else r.unrelated_share
    return (
        best >= params.min_hit_score
        and what.ceiling is not None
        and best >= params.min_ceiling_share * what.ceiling
        and best >= params.min_margin * second
        and (params.min_unrelated_share == 0 or share >= params.min_unrelated_share)
    )


def random_name(random: Random) -> str:
    return random.choice(STEMS) if random.random() < 0.7 else "_".join(random.sample(WORDS, 2))


def random_prompt(random: Random) -> str:
    """A sentence that names up to three identifiers, some of them nowhere in the graph."""
    named = [random_name(random) for _ in range(random.randint(0, 3))]
    words = [*named, *random.choices((*WORDS, "why", "does", "`budget`"), k=random.randint(0, 5))]
    random.shuffle(words)
    return " ".join(words)


def random_graph(random: Random, n_prompts: int) -> Graph:
    """Files and symbols that come, change and go while prompts are asked."""
    versions = []
    for i in range(random.randint(0, 14)):
        stops = sorted(random.sample(range(n_prompts + 1), random.randint(2, 3)))
        stops[0] *= random.random() < 0.5
        for since, until in pairwise(stops):
            path = f"src/{random.choice(WORDS)}{i}.py"
            doc = " ".join(random.choices(WORDS, k=random.randint(0, 30)))
            name = random_name(random)
            symbol = Node("Symbol", f"s{i}", {"name": name, "path": path, "doc": doc, "line": i})
            file = Node("File", f"f{i}", {"path": path, "body": doc})
            versions.append(Version(random.choice([symbol, file]), since, until))
    return Graph(tuple(versions))


def asked(text: str, transcript: str = "t", at: int = 0) -> Prompt:
    return Prompt(
        family="f",
        transcript=transcript,
        at=at,
        ms=0,
        context=0,
        requests=1,
        text=text,
        use=Use(),
    )


def project_of(
    *prompts: Prompt, directory: str | None = "/home/a", revealed: Sequence[Revealed] = ()
) -> Project:
    return Project(str(directory), directory, prompts, tuple(revealed))


def random_project(random: Random, directory: str | None, n_prompts: int) -> Project:
    """Prompts of a few transcripts, and names that they revealed."""
    prompts = [
        asked(random_prompt(random), f"{directory}{random.randint(0, 2)}", at)
        for at in range(n_prompts)
    ]
    revealed = sorted(
        (
            Revealed(random.randint(0, n_prompts), f"src/{random.choice(WORDS)}.py", name)
            for name in (random_name(random), None)
        ),
        key=lambda r: r.since,
    )
    return project_of(*prompts, directory=directory, revealed=revealed)
