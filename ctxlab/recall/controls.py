"""Questions to which silence is the right answer, made from the corpus itself.

Three classes, one question of each beside every recorded prompt. What each can show:

- *unrelated*, a prompt of another directory: that a score is worth nothing by itself, for whatever
  it reaches was reached by chance. It cannot show confusion within a project, and where a user's
  projects share names (`README.md`, `main`), some hits are no mistakes.
- *joined*, two topics of the project put into a question that nobody asked: both exist, so nearly
  every gate fires, and the lines say nothing of how the two hang together. It shows how a policy
  answers a question that has no answer here; it is no proof that the lines would have been useless.
- *absent*, a recorded prompt whose subject was renamed to something the graph does not hold: an
  identifier gate is silent on that name by construction and fires only by what else the sentence
  holds; a gate by words is tried in earnest, as the name is made of the project's own.

Nothing here is drawn at random: choices follow from hashes of the texts, so a run repeats itself.
`joined` and `absent` know nothing later than their prompt; `unrelated` draws from all times, for
another project's prompt tells nothing of this one's graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import NamedTuple

from ctxlab.recall._renaming import humps, renamed
from ctxlab.recall.index import GraphIndex
from ctxlab.recall.project import Project, Prompt
from ctxlab.recall.terms import identifier_terms
from ctxlab.recall.unrelated import best_phrase_score, hash_of, unrelated, unrelated_share

__all__ = ["absent", "best_phrase_score", "joined", "unrelated", "unrelated_share"]


def joined(project: Project, max_terms: int = 24) -> tuple[str | None, ...]:
    """Give, for each prompt, a question that joins two topics which nobody asked about together.

    Topics are identifiers of prompts asked so far, this one included, in different transcripts; no
    prompt so far names both, neither name holds the other, and none is longer than 200
    characters. One is of the prompt itself if it names any. Beside the two, the question has only
    words that every gate drops.

    Returns
    -------
    One entry a prompt, None where there are no such two, or none among the first 20,000 pairs.
    """
    topics: dict[str, _Topic] = {}
    names: list[str] = []
    transcripts: set[str] = set()
    questions = []
    for i, prompt in enumerate(project.prompts):
        terms = identifier_terms(prompt.text, max_terms)
        own = [term for term in terms if len(term) <= _LONGEST_TOPIC]
        for name in own:
            if name not in topics:
                topics[name] = _Topic(set(), set())
                names.append(name)
            topics[name].prompts.add(i)
            topics[name].transcripts.add(prompt.transcript)
            transcripts.add(prompt.transcript)
        pairs = _pairs(own or names, names, hash_of(prompt, "joined"))
        questions.append(_joined(pairs, topics) if len(transcripts) > 1 else None)
    return tuple(questions)


_LONGEST_TOPIC = 200
"""Characters of a name; what is longer was pasted."""

_MOST_PAIRS = 20_000
"""Pairs tried for one question: time grows with them where nearly none will do."""


class _Topic(NamedTuple):
    """Where a name stood so far: numbers of prompts, and their transcripts."""

    prompts: set[int]
    transcripts: set[str]


def _pairs(ones: Sequence[str], others: Sequence[str], seed: int) -> Iterator[tuple[str, str]]:
    """Give every pair, beginning somewhere."""
    for one in _from(ones, seed):
        for other in _from(others, seed >> 32):
            yield one, other


def _from(items: Sequence[str], start: int) -> Iterator[str]:
    """Go once round the items, beginning somewhere."""
    return (items[(start + i) % len(items)] for i in range(len(items)))


def _joined(pairs: Iterable[tuple[str, str]], topics: dict[str, _Topic]) -> str | None:
    for one, other in islice(pairs, _MOST_PAIRS):
        if _may_join(topics[one], topics[other]) and not _kin(one, other):
            question = f"Why does `{one}` need `{other}`?"
            if identifier_terms(question) == (one, other):
                return question
    return None


def _may_join(one: _Topic, other: _Topic) -> bool:
    """Tell whether transcripts differ and no prompt named both."""
    apart = len(one.transcripts) > 1 or one.transcripts != other.transcripts
    return apart and one.prompts.isdisjoint(other.prompts)


def _kin(one: str, other: str) -> bool:
    a, b = one.casefold(), other.casefold()
    return a in b or b in a


_TRIES = 64


def absent(index: GraphIndex, project: Project, max_terms: int = 24) -> tuple[str | None, ...]:
    """Give, for each prompt, the same text about a subject that the graph does not hold.

    The identifier that scores best is renamed everywhere, in its own shape, with words of paths
    and names that the project knew by then; no node known then holds the new name as a phrase. All
    else stays, other identifiers included.

    Returns
    -------
    One entry a prompt, None where no identifier matches or its name has no letters to change.
    """
    words: list[str] = []
    seen: set[str] = set()

    def learn(text: str) -> None:
        new = [word for word in dict.fromkeys(humps(text)) if word not in seen]
        words.extend(new)
        seen.update(new)

    n_revealed = 0
    questions = []
    for at, prompt in enumerate(project.prompts):
        while n_revealed < len(project.revealed) and project.revealed[n_revealed].since <= at:
            known = project.revealed[n_revealed]
            learn(f"{known.path} {known.name or ''}")
            n_revealed += 1
        terms = identifier_terms(prompt.text, max_terms)
        for term in terms:
            learn(term)
        questions.append(_absent(index, at, prompt, terms, words, max_terms))
    return tuple(questions)


def _absent(
    index: GraphIndex,
    at: int,
    prompt: Prompt,
    terms: Sequence[str],
    words: Sequence[str],
    max_terms: int,
) -> str | None:
    scores = {term: index.phrase_score(term, at) for term in terms}
    matching = {term: score for term, score in scores.items() if score is not None}
    if not matching:
        return None
    subject = max(matching, key=matching.__getitem__)
    named = re.compile(rf"(?<!\w){re.escape(subject)}(?!\w)")
    random = Random(hash_of(prompt, "absent"))
    for n_tried in range(_TRIES):
        # Where single words all exist, as in a small shape, two in one make a new one.
        name = renamed(subject, words, random, words_each=1 if n_tried < _TRIES // 4 else 2)
        if name in prompt.text or index.phrase_score(name, at) is not None:
            continue
        question = name.join(named.split(prompt.text))
        now = identifier_terms(question, max_terms)
        if name in now and subject not in now:
            return question
    return None
