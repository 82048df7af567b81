"""What the transcripts of one project say: its prompts in order, what was revealed, what was used.

A project is a directory that agents were started in; its transcripts share a graph. Paths are
relative to that directory. Families without dates cannot be ordered among others: each is a
project by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Project", "Prompt", "Revealed", "Use"]


@dataclass(frozen=True, slots=True)
class Use:
    """What the agent did between a prompt and the next one in its thread, sub-agents included.

    `opened` holds the paths it read, with whether a search came before the first read of each;
    `edited` those it changed; `quoted` the paths and code-shaped names it wrote, in texts and in
    the inputs of calls.
    """

    opened: Mapping[str, bool] = field(default_factory=dict)
    edited: frozenset[str] = frozenset()
    quoted: frozenset[str] = frozenset()
    n_calls: int = 0
    n_searches: int = 0


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt that a user typed in a main thread.

    `at` is its position in the family's log. `context` numbers the stretches between compactions,
    clears and rewinds of its thread, in the family: what was printed in one is still there.
    `requests` are the model requests that would have carried what is printed at this prompt.
    """

    family: str
    transcript: str
    at: int
    ms: int
    context: int
    requests: int
    text: str
    use: Use


@dataclass(frozen=True, slots=True)
class Revealed:
    """A file, or a symbol in it, that a transcript showed: known to the prompts from `since` on.

    `name` is None for the file itself. `line` is None where it is not known; `doc` is the first
    line of the symbol's comment.
    """

    since: int
    path: str
    name: str | None = None
    line: int | None = None
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Project:
    """Prompts in the order they were asked, and what was revealed, ordered by `since`.

    `directory` is None where no transcript names one. A prompt's number in `prompts` is the clock
    of the project's graph.
    """

    name: str
    directory: str | None
    prompts: tuple[Prompt, ...]
    revealed: tuple[Revealed, ...]
