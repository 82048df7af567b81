"""Small corpora of prompts, and recall's scores of them worked out one prompt after the other.

The oracle runs the policy online, a session a transcript, and counts by hand; it shares no code
with `ctxlab.replay` and `ctxlab.recall.decide`, which it judges.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ctxlab.fallback import BaseNames, pointer_use, pointer_uses
from ctxlab.log import FamilyLog
from ctxlab.recall.controls import absent, joined, unrelated, unrelated_share
from ctxlab.recall.graph import Graph, Version
from ctxlab.recall.index import GraphIndex
from ctxlab.recall.params import Recall
from ctxlab.recall.policy import RecallSession
from ctxlab.recall.project import Project, Prompt
from ctxlab.recall.sources import GraphSource
from tests.builders import (
    Step,
    agent,
    call,
    edit,
    later,
    lines,
    log_of,
    mark,
    prompt,
    says,
    session,
    symbol,
)
from tests.sessions import START

DAY_MS = 86_400_000
START_MS = int(START.timestamp() * 1000)
NAMES = ("start_pump", "stop_pump", "open_valve", "read_gauge", "Tank.fill", "tank_level")
FILES = ("src/pump.py", "src/valve.py", "lib/gauge.py", "lib/deep/tank.py", "README.md")
FILES_OF_TANKS = ("old/pump.py", "old/valve.py", "lib/gauge.py", "old/deep/tank.py", "README.md")
"""Of a directory that shares one path with a folder with the others, which share all."""
PLAIN = ("why", "does", "the", "pump", "fail", "and", "then", "gauge")


class Held(NamedTuple):
    """As much of a family as a cache needs."""

    name: str
    content_hash: str


@dataclass
class Memory:
    """A store that holds logs as they were built, and keeps derived values in a folder."""

    logs: Sequence[FamilyLog]
    folder: Path = Path("nowhere")

    def families(self) -> list[Any]:
        return [Held(log.family, log.content_hash) for log in self.logs]

    def iter_logs(
        self, families: Collection[str] | None = None, *, texts: bool = False
    ) -> Iterator[FamilyLog]:
        for log in self.logs:
            if families is None or log.family in families:
                yield log if texts else replace(log, texts=None)

    def cache(self, key: str) -> Path:
        folder = self.folder / "cache" / key
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def family(
    name: str, *steps: Step, cwd: str | None = "/src/pumps", day: float | None = 0
) -> FamilyLog:
    """One family, its sources named for it; undated without a day."""
    start = -1 if day is None else START_MS + int(day * DAY_MS)
    log = log_of(steps, name, cwd=cwd, start_ms=start)
    return replace(log, sources=tuple(f"{name}/{source}" for source in log.sources))


def corpus_of(random: Random, n_families: int = 5) -> Memory:
    """Families of three directories and of none, dated and not, with all that may happen."""
    logs = []
    for i in range(n_families):
        cwd = random.choice(["/src/pumps", "/src/pumps", "/src/valves", "/old/tanks", None])
        day = None if random.random() < 0.15 else random.randint(0, 6) + i / 100
        steps = _turns(random, cwd or "", random.randint(0, 4))
        if random.random() < 0.4:
            steps.append(session("resumed", *_turns(random, cwd or "", 2), cwd=cwd))
        logs.append(family(f"family{i}", *steps, cwd=cwd, day=day))
    return Memory(logs)


def _turns(random: Random, cwd: str, n: int) -> list[Step]:
    steps: list[Step] = []
    for _ in range(n):
        if random.random() < 0.2:
            steps.append(mark(random.choice(["compaction", "clear"])))
        steps.append(prompt(_question(random)))
        steps += [_action(random, cwd) for _ in range(random.randint(0, 3))]
        if random.random() < 0.5:
            steps.append(later(random.randint(0, 3) * DAY_MS))
    return steps


def _question(random: Random) -> str:
    named = random.choices([*NAMES, *FILES, "pump.py", "no_such_name"], k=random.randint(0, 3))
    words = [*named, *random.choices(PLAIN, k=random.randint(1, 4))]
    random.shuffle(words)
    return " ".join(words)


def _action(random: Random, cwd: str, deep: bool = False) -> Step:
    file = random.choice(FILES_OF_TANKS if cwd == "/old/tanks" else FILES)
    name = random.choice(NAMES)
    path = f"{cwd}/{file}" if cwd else file
    shown = symbol(path, name, random.randint(1, 3), random.choice(["", "Fill the tank."]))
    match random.randint(0, 5):
        case 0 | 1:
            return call("Read", lines(path, 1, "x"), shown, names=(file,))
        case 2:
            return call("Grep", mentions=(file,), names=(name,))
        case 3:
            return call("Edit", edit(path), names=(path,))
        case 4 if not deep:
            return agent(f"helper{random.random()}", _action(random, cwd, deep=True))
        case _:
            return says(name, file)


# The oracle ---------------------------------------------------------------------------------------


class Answer(NamedTuple):
    """What was printed at one question; `nodes` are the keys of the lines taken and printed."""

    fires: bool
    n_lines: int
    n_bytes: int
    truncated: bool
    repeats_left_out: int


Scores = dict[str, Counter[str]]


def run_online(
    projects: Sequence[Project], source: GraphSource, params: Recall
) -> tuple[Scores, dict[tuple[str, int, str], Answer]]:
    """Scores by metric and transcript, and answers by project, prompt and kind of question."""
    scores: Scores = defaultdict(Counter)
    answers: dict[tuple[str, int, str], Answer] = {}
    samples = unrelated(projects)
    for project, sample in zip(projects, samples, strict=True):
        graph = source.graph(project)
        index, names = GraphIndex.of_graph(graph), BaseNames(graph)
        sessions: dict[str, RecallSession] = {}
        contexts: dict[str, int] = {}
        taken_in: dict[tuple[str, int], set[str]] = defaultdict(set)
        controls = zip(
            joined(project, params.max_query_terms),
            absent(index, project, params.max_query_terms),
            strict=True,
        )
        for at, (asked, (joint, renamed)) in enumerate(zip(project.prompts, controls, strict=True)):
            if at < graph.answerable_from:
                scores["unanswerable"][asked.transcript] += 1
                continue
            others = sample[at]
            hook = sessions.setdefault(asked.transcript, _session(index, params, graph))
            if contexts.setdefault(asked.transcript, asked.context) != asked.context:
                hook.compacted()
                contexts[asked.transcript] = asked.context
            share = _share(index, asked.text, others, at, params)
            digest = hook.prompt(asked.text, at, share)
            plain = _session(index, replace(params, suppress_repeats=False), graph)
            whole = plain.prompt(asked.text, at, share)
            seen = taken_in[asked.family, asked.context]
            ranked = index.look_up(asked.text, params, at).lines
            taken = [line.node.key for line in ranked[: len(whole.pointer_lines)]]
            answers[project.name, at, "asked"] = Answer(
                digest.fires,
                len(digest.pointer_lines),
                digest.n_bytes,
                digest.truncated,
                len(taken) - len(digest.pointer_lines),
            )
            _count(
                scores, asked, params, digest, ranked, taken, seen, names.ambiguous(at), graph, at
            )
            seen.update(taken)
            for kind, text in [
                ("unrelated", others[0] if others else None),
                ("joined", joint),
                ("absent", renamed),
            ]:
                if text is None:
                    continue
                compared = others[1:] if kind == "unrelated" else others
                share = _share(index, text, compared, at, params)
                made = _session(index, params, graph).prompt(text, at, share)
                answers[project.name, at, kind] = Answer(
                    made.fires, len(made.pointer_lines), made.n_bytes, made.truncated, 0
                )
                scores[f"{kind}_questions"][asked.transcript] += 1
                scores[f"{kind}_fires"][asked.transcript] += made.fires
                if kind == "unrelated" and made.fires:
                    found = index.look_up(text, params, at).lines[: len(made.pointer_lines)]
                    uses = pointer_uses([f.node for f in found], asked, names.ambiguous(at))
                    used = [use.opened or use.edited or use.quoted for use in uses]
                    scores["unrelated_pointers"][asked.transcript] += len(used)
                    scores["unrelated_used_pointers"][asked.transcript] += sum(used)
    return scores, answers


def _session(index: GraphIndex, params: Recall, graph: Graph) -> RecallSession:
    return RecallSession(index, params, graph.store_label)


def _share(
    index: GraphIndex, text: str, others: Sequence[str], at: int, params: Recall
) -> float | None:
    best = index.look_up(text, params, at).best_score
    return unrelated_share(index, best, others, at, params.max_query_terms)


def _known(version: Version, at: int) -> bool:
    return version.since <= at < version.until


def _count(
    scores: Scores,
    asked: Prompt,
    params: Recall,
    digest: Any,
    ranked: Sequence[Any],
    taken: Sequence[str],
    seen: set[str],
    ambiguous: Any,
    graph: Graph,
    at: int,
) -> None:
    def add(metric: str, n: float) -> None:
        scores[metric][asked.transcript] += n  # type: ignore[assignment]

    uses = {line.node.key: pointer_use(line.node, asked, ambiguous) for line in ranked}
    used = {key for key, use in uses.items() if use.opened or use.edited or use.quoted}
    printed = [key for key in taken if not (params.suppress_repeats and key in seen)]
    add("prompts", 1)
    add("with_identifier", bool(digest.terms))
    add("matched", digest.best_phrase_score is not None)
    files = {v.node.key for v in graph.versions if v.node.label == "File" and _known(v, at)}
    touched = files & {*asked.use.opened, *asked.use.edited}
    reached = {line.node.props.get("path") for line in ranked if line.node.key in printed}
    add("empty_graph", not files)
    add("nothing_right", not used and not touched)
    add("missed", not used and bool(touched))
    add("used_files", len(touched))
    add("reached_files", len(touched & reached))
    add("candidates", len(ranked))
    add("used_candidates", len(used))
    add("fires", digest.fires)
    add("used_fires", any(key in used for key in printed))
    add("output_bytes", digest.n_bytes)
    add("carried_bytes", digest.n_bytes * asked.requests)
    if asked.requests:
        add("priced_bytes", digest.n_bytes * (1.25 + 0.10 * (asked.requests - 1)))
    add("pointers", len(digest.pointer_lines))
    add("used_pointers", sum(key in used for key in printed))
    add("named_pointers", sum(uses[key].named for key in printed))
    add("named_used_pointers", sum(uses[key].named and key in used for key in printed))
    add("told_pointers", sum(not uses[key].named and key in used for key in printed))
    add("averted_pointers", sum(uses[key].averted for key in printed))
    add("repeats", sum(key in seen for key in printed))
    add("truncated", digest.truncated)
