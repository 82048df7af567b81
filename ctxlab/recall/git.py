"""A git repository → the graph that each prompt could have known: the commit before it.

Read by git's plumbing, without a checkout; nothing is written and nothing fetched. Only what
differs from one commit to the next is read and parsed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ctxlab.errors import InputError
from ctxlab.recall._dated import Dated, Ledger, checked_clock, first_after, last_before, versions
from ctxlab.recall._git_commits import enter_commits, enter_notes
from ctxlab.recall._git_files import enter_files
from ctxlab.recall._git_history import Step, main_line
from ctxlab.recall._git_plumbing import Repository
from ctxlab.recall.graph import FULLTEXT, Graph

__all__ = ["History", "git_graph", "git_history"]

_NOTES = "refs/notes/commits"


class History(NamedTuple):
    """States of the nodes of a repository by the clock, and what was left out, in words."""

    states: tuple[Dated, ...]
    notes: tuple[str, ...]
    name: str
    n_commits: int
    first_ms: int


def git_graph(
    repository: str | os.PathLike[str],
    prompts_ms: Sequence[int],
    *,
    ref: str = "HEAD",
    fulltext: Sequence[tuple[str, str]] = FULLTEXT,
    store_label: str | None = None,
    advance: Callable[[int], None] = lambda files: None,
) -> Graph:
    """Give the graph of a repository as of the last commit before each prompt.

    Files with the body and headings of Markdown, symbols with the first line of their
    documentation, the subjects and authors of the commits that could be reached, and git notes.
    Equal names in one file are one symbol. A commit is never older than what it is built on.

    Parameters
    ----------
    repository
        A folder in it; of a folder below the top only that part is taken, with paths from there.
    prompts_ms
        When the prompts were asked, in Unix milliseconds, ascending.
    ref
        The branch, tag or commit whose first-parent history is taken.
    store_label
        The name printed in headers; the folder's by default.
    advance
        Called with how many changed files were taken up.

    Raises
    ------
    InputError
        If the repository cannot be read, or has no commit before any of the prompts.
    ParameterError
        If `prompts_ms` are not ascending.
    """
    checked_clock(prompts_ms)
    history = _history(repository, ref, prompts_ms, advance)
    return Graph(
        versions=versions(history.states, prompts_ms),
        fulltext=tuple(fulltext),
        store_label=history.name if store_label is None else store_label,
        answerable_from=first_after(prompts_ms, history.first_ms),
        origin=f"git repository {history.name}: {history.n_commits} commits of {ref}",
        notes=history.notes,
    )


def git_history(
    repository: str | os.PathLike[str],
    *,
    ref: str = "HEAD",
    advance: Callable[[int], None] = lambda files: None,
) -> History:
    """Give the states after every commit of a first-parent history, for prompts of any time.

    Parameters and errors are those of `git_graph`.
    """
    return _history(repository, ref, None, advance)


def _history(
    folder: str | os.PathLike[str],
    ref: str,
    prompts_ms: Sequence[int] | None,
    advance: Callable[[int], None],
) -> History:
    repository = Repository(folder)
    line, notes = _line(repository, ref)
    steps = line if prompts_ms is None else _seen(line, prompts_ms)
    if prompts_ms and not steps:
        raise InputError(
            f"{repository.folder}: none of the {len(prompts_ms)} prompts comes after the first "
            f"commit of {ref}; name the repository that they were asked in, or fetch its history"
        )
    ledger = Ledger()
    notes += enter_files(repository, steps, ledger, advance)
    enter_commits(steps, ledger)
    if (notes_tip := repository.tip(_NOTES)) is not None:
        notes_line = main_line(repository.commits(notes_tip), notes_tip)
        enter_notes(
            repository, notes_line if prompts_ms is None else _seen(notes_line, prompts_ms), ledger
        )
    return History(tuple(ledger.states()), tuple(notes), repository.name, len(line), line[0].ms)


def _line(repository: Repository, ref: str) -> tuple[list[Step], list[str]]:
    """The main line of a ref, and what is to be said about it."""
    tip = repository.tip(ref)
    if tip is None:
        if ref == "HEAD":
            repository.run("log", "-1", "--format=%H")  # says why it names no commit
        raise InputError(
            f"{repository.folder}: has no branch or commit {ref!r}; commit something, or name a "
            "`ref`"
        )
    line = main_line(repository.commits(tip), tip)
    notes: list[str] = []
    if repository.is_shallow():
        notes.append(
            "the clone is shallow: prompts before its oldest commit have no graph, "
            "run git fetch --unshallow"
        )
    return line, notes


def _seen(line: Sequence[Step], prompts_ms: Sequence[int]) -> list[Step]:
    """The steps that are the last one before some prompt, each with all that came since."""
    times = [step.ms for step in line]
    last = -1
    seen: list[Step] = []
    for n in sorted({last_before(times, ms) for ms in prompts_ms} - {-1}):
        brought = [commit for step in line[last + 1 : n + 1] for commit in step.brought]
        seen.append(line[n]._replace(brought=tuple(brought)))
        last = n
    return seen
