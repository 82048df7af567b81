"""Projects of a store, each of their prompts put to its graph as it was then.

Two passes: one over the logs, of which little is kept, and one over the prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ctxlab.fallback import BaseNames, KnownFiles, path_of, pointer_uses
from ctxlab.log import FamilyLog
from ctxlab.recall.build import JUDGED, QuestionRow, build
from ctxlab.recall.controls import absent, joined, unrelated, unrelated_share
from ctxlab.recall.facts import RecallFacts, concatenate
from ctxlab.recall.graph import Graph, Node
from ctxlab.recall.index import GraphIndex
from ctxlab.recall.leaks import gate_leaks
from ctxlab.recall.observe import observe
from ctxlab.recall.params import Recall
from ctxlab.recall.project import Project
from ctxlab.recall.projects import projects
from ctxlab.recall.sources import GraphSource
from ctxlab.replay.corpus import Advance, Logs

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LookedUp", "RecallCorpus", "look_up_all", "observe_corpus"]


class LogsWithTexts(Logs, Protocol):
    """A store that gives logs with what they hold in words."""

    def iter_logs(self, families: Any = None, *, texts: bool = False) -> Iterator[FamilyLog]:
        """Logs of the named families."""


@dataclass(frozen=True, slots=True, eq=False)
class RecallCorpus:
    """All projects of a store, and the transcripts of each of its families."""

    projects: tuple[Project, ...]
    members: Mapping[str, tuple[str, ...]]


def observe_corpus(store: LogsWithTexts, advance: Advance = lambda families: None) -> RecallCorpus:
    """Read all logs once."""
    observed, members = [], {}
    for log in store.iter_logs(texts=True):
        observed.append(observe(log))
        members[log.family] = log.sources
        advance(1)
    return RecallCorpus(projects(observed), members)


@dataclass(frozen=True, slots=True, eq=False)
class LookedUp:
    """What looking up all prompts gives: facts, what the gate let through or missed, and notes.

    `leaks` is as `gate_leaks` gives it, over all projects. `graphs` has one row a project: its
    name, prompts, prompts without a graph, states of nodes, and where the graph is from.
    """

    facts: RecallFacts
    leaks: pd.DataFrame
    graphs: pd.DataFrame


def look_up_all(
    corpus: RecallCorpus,
    source: GraphSource,
    params: Recall,
    advance: Callable[[int], None] = lambda prompts: None,
) -> LookedUp:
    """Look up every prompt, and its controls, in the graph that its project had then.

    Parameters
    ----------
    corpus : RecallCorpus
        All projects.
    source : GraphSource
        Gives their graphs.
    params : Recall
        The gate and what is looked up; floors and budgets play no part.
    advance : callable
        Told of each prompt that is done.

    Returns
    -------
    LookedUp
        Of all families, those without prompts last.
    """
    import pandas as pd

    parts, leaks, graphs = [], [], []
    for project, others in zip(corpus.projects, unrelated(corpus.projects), strict=True):
        graph = source.graph(project)
        index = GraphIndex.of_graph(graph)
        parts.append(_facts(project, graph, index, params, others, corpus.members, advance))
        leaks.append(gate_leaks([(project, graph, index)], params.max_query_terms))
        n, unanswered = len(project.prompts), min(graph.answerable_from, len(project.prompts))
        told = "; ".join([graph.origin, *graph.notes])
        graphs.append((project.name, n, unanswered, len(graph.versions), told))
    asked = {prompt.family for project in corpus.projects for prompt in project.prompts}
    silent = [family for family in corpus.members if family not in asked]
    return LookedUp(
        concatenate([*parts, _without_prompts(silent, corpus.members)]),
        _united(leaks),
        pd.DataFrame(
            graphs, columns=["project", "prompts", "prompts_without_graph", "node_states", "origin"]
        ),
    )


def _united(leaks: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Leaks of all projects, most frequent first."""
    import pandas as pd

    whole = pd.concat([gate_leaks([]), *leaks], ignore_index=True)
    by = ["term", "kind", "class"]
    summed = whole.groupby(by, as_index=False, sort=False)[["prompts", "matched"]].sum()
    order = ["prompts", *by]
    return summed.sort_values(order, ascending=[False, True, True, True], ignore_index=True)


def _without_prompts(
    families: Sequence[str], members: Mapping[str, tuple[str, ...]]
) -> RecallFacts:
    transcripts, owner = _transcripts(families, members)
    return build((), families, transcripts, owner, (), np.zeros(len(transcripts), np.int32))


def _transcripts(
    families: Sequence[str], members: Mapping[str, tuple[str, ...]]
) -> tuple[list[str], list[int]]:
    """Transcripts family by family, and the number of each one's family."""
    named = [(name, i) for i, family in enumerate(families) for name in members[family]]
    return [name for name, _ in named], [i for _, i in named]


def _facts(
    project: Project,
    graph: Graph,
    index: GraphIndex,
    params: Recall,
    others: Sequence[Sequence[str]],
    members: Mapping[str, tuple[str, ...]],
    advance: Callable[[int], None],
) -> RecallFacts:
    families = list(dict.fromkeys(prompt.family for prompt in project.prompts))
    transcripts, owner = _transcripts(families, members)
    place = {name: i for i, name in enumerate(transcripts)}
    unanswerable = np.zeros(len(transcripts), np.int32)
    for prompt in project.prompts[: graph.answerable_from]:
        unanswerable[place[prompt.transcript]] += 1
    rows = list(_rows(project, graph, index, params, others, families, place, advance))
    return build(rows, families, transcripts, owner, (project.name,), unanswerable)


def _rows(
    project: Project,
    graph: Graph,
    index: GraphIndex,
    params: Recall,
    others: Sequence[Sequence[str]],
    families: Sequence[str],
    place: Mapping[str, int],
    advance: Callable[[int], None],
) -> Iterator[QuestionRow]:
    names, files = BaseNames(graph), KnownFiles(graph)
    family_of = {name: i for i, name in enumerate(families)}
    contexts: dict[tuple[str, int], int] = {}
    joints = joined(project, params.max_query_terms)
    renamed = absent(index, project, params.max_query_terms)
    for at, prompt in enumerate(project.prompts):
        advance(1)
        context = contexts.setdefault((prompt.family, prompt.context), len(contexts))
        if at < graph.answerable_from:
            continue
        controls = {
            "unrelated": others[at][0] if others[at] else None,
            "joined": joints[at],
            "absent": renamed[at],
        }
        used = files.used(prompt, at)
        for kind, text in {"asked": prompt.text, **controls}.items():
            if text is None:
                continue
            found = index.look_up(text, params, at)
            nodes = [line.node for line in found.lines]
            # The first of the sample is the control: it is not compared with itself.
            sample = others[at][1:] if kind == "unrelated" else others[at]
            yield QuestionRow(
                kind=kind,
                family=family_of[prompt.family],
                transcript=place[prompt.transcript],
                project=0,
                prompt=at,
                context=context,
                prompt_bytes=len(text.encode("utf-8", "surrogatepass")),
                requests=prompt.requests,
                label=graph.store_label,
                unrelated_share=None
                if params.gate == "coverage"  # it has no floor that would ask
                else unrelated_share(index, found.best_score, sample, at, params.max_query_terms),
                found=found,
                uses=pointer_uses(nodes, prompt, names.ambiguous(at)) if kind in JUDGED else (),
                **(_files(files.count(at), used, nodes) if kind == "asked" else {}),
            )


def _files(n_known: int, used: Sequence[str], nodes: Sequence[Node]) -> dict[str, Any]:
    """What a row says of the files that a prompt's agent used, and which of them lines point at."""
    number = {path: i for i, path in enumerate(used)}
    return {
        "known_files": n_known,
        "used_files": len(used),
        "points_at": [number.get(path_of(node) or "", -1) for node in nodes],
    }
