"""One family's log → its prompts, what the agent did after each, and what the log showed when.

Nothing is looked up or judged here. Paths are relative to the directory that a source's agent was
started in; what lies outside counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ctxlab.errors import ParameterError
from ctxlab.log import TOUCH_KINDS, FamilyLog
from ctxlab.recall._asked import asked_prompts
from ctxlab.recall._family import Family
from ctxlab.recall._use import uses
from ctxlab.recall.project import Prompt

__all__ = ["Observed", "Shown", "observe"]

_WORKED_ON = [TOUCH_KINDS.index(kind) for kind in ("read", "edit")]


@dataclass(frozen=True, slots=True)
class Shown:
    """A file, or a symbol in it, that a result showed at position `at` of the family's log.

    `ms` is -1 where the log has no date. A file is told once; a symbol is told again when its line
    or comment has changed.
    """

    at: int
    ms: int
    path: str
    name: str | None = None
    line: int | None = None
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Observed:
    """What recall needs to know of one family; prompts and what was shown stand in log order.

    `directory` is the repository that its agents were started in, None where no source tells; of
    several, the first. `is_dated` says that every prompt and everything shown has a date.
    """

    family: str
    directory: str | None
    is_dated: bool
    prompts: tuple[Prompt, ...]
    shown: tuple[Shown, ...]


def observe(log: FamilyLog) -> Observed:
    """Observe one family.

    Parameters
    ----------
    log
        One family with its `texts`.

    Returns
    -------
    Observed
        Prompts are those that a user typed in a main thread; empty ones, and notices that the
        user interrupted, are none. `Use` ends before the next prompt of that thread, or with the
        log. What its sub-agents did in between is part of it, and so is what a rewind abandoned
        later: the agent did it.

    Raises
    ------
    ParameterError
        If the log was read without its texts.

    Notes
    -----
    A call belongs to the prompt before it, whenever its result came, and an edit to that of its
    call. A path is opened by a call that reads it and did not fail, and by a read tool or shell
    that printed lines of it. Searches are greps, listings, and shell commands that search or list;
    web searches are none. What the model wrote between calls does not name its thread: it is taken
    to be that of the event before it.

    Contexts are the stretches between compactions, clears and rewinds of a thread: behind a rewind
    nothing counts as still there, which is true of what was abandoned and cautious of the rest.
    What is printed at a prompt is carried by the model requests of its thread up to the next
    compaction or clear, or the rewind that goes back before it. Requests are those of the token
    usage, joined with those that calls name: answers without a call count too.
    """
    if log.texts is None:
        raise ParameterError(
            f"`log` must hold texts, got family {log.family!r} without: "
            "read it with iter_logs(texts=True)"
        )
    family = Family.of(log, log.texts)
    prompts, shown = tuple(_prompts(family)), tuple(_shown(family))
    is_dated = min((*(p.ms for p in prompts), *(s.ms for s in shown)), default=0) >= 0
    return Observed(log.family, family.directory, is_dated, prompts, shown)


def _prompts(family: Family) -> Iterator[Prompt]:
    log, texts = family.log, family.texts
    asked = asked_prompts(family)
    for i, use in enumerate(uses(family, asked)):
        row, at = int(asked.row[i]), int(asked.at[i])
        yield Prompt(
            family=log.family,
            transcript=log.sources[texts.prompt_source[row]],
            at=at,
            ms=int(texts.event_ms[at]),
            context=int(asked.context[i]),
            requests=int(asked.requests[i]),
            text=texts.prompt_text[row],
            use=use,
        )


def _shown(family: Family) -> list[Shown]:
    """Files and symbols by position, files first."""
    files: dict[str, int] = {}
    for at, path in _paths_shown(family):
        files[path] = min(at, files.get(path, at))
    ms = family.texts.event_ms
    found = [Shown(at, int(ms[at]), path) for path, at in files.items()]
    return sorted([*found, *_symbols(family)], key=lambda shown: (shown.at, bool(shown.name)))


def _paths_shown(family: Family) -> Iterator[tuple[int, str]]:
    """Every path that was served, opened or edited, with the position of the result."""
    log = family.log
    served = zip(log.spans.call.tolist(), log.spans.path.tolist(), strict=True)
    placed = [each for call, path in served for each in family.placed(call, path)]
    placed += [each for kind in _WORKED_ON for each in family.touched(kind)]
    for call, path in placed:
        yield int(log.calls.result_at[call]), path
    changed = family.paths_at(log.edits.at, log.edits.path)
    for at, edited in zip(log.edits.at.tolist(), changed, strict=True):
        if edited is not None:
            yield at, edited


def _symbols(family: Family) -> Iterator[Shown]:
    """Symbols by position, those left out that stand as they were seen last."""
    texts = family.texts
    latest: dict[tuple[str, str], tuple[int, str]] = {}
    for i, path in enumerate(family.paths_at(texts.symbol_at, texts.symbol_path)):
        at, line, name = int(texts.symbol_at[i]), int(texts.symbol_line[i]), texts.symbol_name[i]
        state = line, texts.symbol_doc[i]
        if path is not None and latest.get((path, name)) != state:
            latest[path, name] = state
            known_line = line if line >= 0 else None
            yield Shown(at, int(texts.event_ms[at]), path, name, known_line, state[1])
