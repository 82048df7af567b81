"""What the agent did after each prompt of a family."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from ctxlab.log import EDIT_EVIDENCE, SPAN_ORIGINS, TOOL_KINDS, TOUCH_KINDS, Bools, Ints
from ctxlab.recall._asked import Asked
from ctxlab.recall._family import Family
from ctxlab.recall.project import Use

__all__ = ["uses"]

_SEARCHES = [TOOL_KINDS.index(kind) for kind in ("grep", "glob")]
_LOOKS = [TOUCH_KINDS.index(kind) for kind in ("search", "list")]
_READ, _EDIT = (TOUCH_KINDS.index(kind) for kind in ("read", "edit"))
_READING = [SPAN_ORIGINS.index(origin) for origin in ("read", "shell")]
_AGENTS_OWN = [EDIT_EVIDENCE.index(evidence) for evidence in ("tool", "shell")]


def uses(family: Family, asked: Asked) -> list[Use]:
    """Gather the use of each prompt."""
    log = family.log
    prompt = asked.before(family.main[log.calls.thread], log.calls.call_at, log.n_events)
    n = len(asked.at)
    opened, n_calls, n_searches = _opened(family, prompt, n)
    edited, quoted = _edited(family, asked, prompt), _quoted(family, asked)
    return [
        Use(opened[i], frozenset(edited[i]), frozenset(quoted[i]), n_calls[i], n_searches[i])
        for i in range(n)
    ]


def _opened(
    family: Family, prompt: Ints, n: int
) -> tuple[list[dict[str, bool]], list[int], list[int]]:
    """Paths read after each prompt, with whether a call before searched; calls and searches."""
    reads = _reads(family)
    searches = _is_search(family).tolist()
    opened: list[dict[str, bool]] = [{} for _ in range(n)]
    n_calls, n_searches = [0] * n, [0] * n
    for call, number in enumerate(prompt.tolist()):
        if number < 0:
            continue
        for path in reads.get(call, ()):
            opened[number].setdefault(path, n_searches[number] > 0)
        n_calls[number] += 1
        n_searches[number] += searches[call]
    return opened, n_calls, n_searches


def _reads(family: Family) -> dict[int, list[str]]:
    spans = family.log.spans
    found: dict[int, list[str]] = defaultdict(list)
    for call, path in family.touched(_READ):
        found[call].append(path)
    for i in np.flatnonzero(np.isin(spans.origin, _READING)).tolist():
        for call, path in family.placed(int(spans.call[i]), int(spans.path[i])):
            found[call].append(path)
    return found


def _is_search(family: Family) -> Bools:
    calls, touches = family.log.calls, family.log.touches
    searches: Bools = np.isin(calls.kind, _SEARCHES)
    searches[touches.call[np.isin(touches.kind, _LOOKS)]] = True
    return searches


def _edited(family: Family, asked: Asked, prompt: Ints) -> list[set[str]]:
    """Paths changed after each prompt: by the calls that say so, and by what their results show."""
    log = family.log
    edits = log.edits
    edited: list[set[str]] = [set() for _ in asked.at]
    for call, path in family.touched(_EDIT):
        if prompt[call] >= 0:
            edited[prompt[call]].add(path)
    called = [family.call_of_result.get(at, -1) for at in edits.at.tolist()]
    number = asked.before(family.main[edits.thread], edits.at, log.n_events)
    is_own = np.isin(edits.evidence, _AGENTS_OWN).tolist()
    for i, shown in enumerate(family.paths_at(edits.at, edits.path)):
        owner = int(number[i] if called[i] < 0 else prompt[called[i]])
        if is_own[i] and owner >= 0 and shown is not None:
            edited[owner].add(shown)
    return edited


def _quoted(family: Family, asked: Asked) -> list[set[str]]:
    texts = family.texts
    quoted: list[set[str]] = [set() for _ in asked.at]
    number = asked.before(family.main_at(texts.name_at), texts.name_at, family.log.n_events)
    source = family.source_at(texts.name_at)
    for i in np.flatnonzero(number >= 0).tolist():
        names = map(family.relative[source[i]], texts.names[i])
        quoted[number[i]].update(name for name in names if name is not None)
    return quoted
