"""Questions to which silence is the right answer, made from the corpus itself.

Three classes, one question of each beside every recorded prompt. What each can show:

- *unrelated*, an earlier prompt of another project: that a score is worth nothing by itself, for
  whatever it reaches was reached by chance. It cannot show confusion within a project, and where a
  user's projects share names (`README.md`, `main`), some hits are no mistakes.
- *joined*, two topics of the project put into a question that nobody asked: both exist, so nearly
  every gate fires, and the lines say nothing of how the two hang together. It shows how a policy
  answers a question that has no answer here; it is no proof that the lines would have been useless.
- *absent*, a recorded prompt in which every name that the graph holds was replaced by one that it
  does not hold: an identifier gate is silent on it by construction, so nothing is learned of it; a
  gate by words is tried in earnest, as the new names are made of the project's own words and all
  other words stay.

Nothing here is drawn at random: choices follow from hashes of the texts, so a run repeats itself.
None knows anything later than its prompt.
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
    """Give, for each prompt, the same text about subjects that the graph does not hold.

    Each identifier that matches is renamed wherever it stands, in its own shape, with words of
    paths and names that the project knew by then. New names differ from one another, and no node
    known then holds one as a phrase. All else stays, identifiers that match nothing included, so
    that no identifier of the question matches: an identifier gate is silent on it by construction.

    Returns
    -------
    One entry a prompt, None where no identifier matches, or where one that does cannot be renamed:
    it has no letters, say.
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
    matching = [term for term in terms if index.phrase_score(term, at) is not None]
    if not matching:
        return None
    # Longest first: a name inside another does not break it.
    matching.sort(key=len, reverse=True)
    random = Random(hash_of(prompt, "absent"))
    names: dict[str, str] = {}
    for term in matching:
        name = _new_name(index, at, term, words, random, {prompt.text, *names.values()})
        if name is None:
            return None
        names[term] = name
    named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, matching))})(?!\w)")
    question = named.sub(lambda found: names[found.group()], prompt.text)
    now = identifier_terms(question, max_terms)
    is_silent = all(index.phrase_score(term, at) is None for term in now)
    return question if is_silent and set(names.values()) <= set(now) else None


def _new_name(
    index: GraphIndex, at: int, term: str, words: Sequence[str], random: Random, taken: set[str]
) -> str | None:
    """Give a name of the shape of `term` that is in no taken text, and that no node holds."""
    for n_tried in range(_TRIES):
        # Where single words all exist, as in a small shape, two in one make a new one.
        name = renamed(term, words, random, words_each=1 if n_tried < _TRIES // 4 else 2)
        is_new = not any(name in text for text in taken) and index.phrase_score(name, at) is None
        if is_new and identifier_terms(f"`{name}`") == (name,):
            return name
    return None
