"""Recall written straight from its description: plain Python, one document after the other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from snowballstemmer.english_stemmer import EnglishStemmer

from ctxlab.recall import CODE_WORDS, STOPWORDS, Node, Recall

MARKS = "\u0903\u093e\u0345ⒶⓐⓏⓩ"  # of category Other_Alphabetic
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


class Answer(NamedTuple):
    terms: tuple[str, ...]
    best_score: float | None
    second_score: float | None
    ceiling: float | None
    ranked: list[str]
    n_hits: int


def words(text: str) -> list[str]:
    found, word = [], ""
    for character in [*text, " "]:
        if character.isalnum() or character in MARKS:
            word += character.lower()
        elif word:
            found.append(word)
            word = ""
    return found


def stems(text: str) -> list[str]:
    return [EnglishStemmer().stemWord(word) for word in words(text)]


def identifiers(prompt: str, most: int = 24) -> tuple[str, ...]:
    pieces, raw = [], ""
    for character in [*prompt, " "]:
        if character in SPACE or character in ",;()[]?!":
            pieces.append(raw)
            raw = ""
        else:
            raw += character
    found: list[str] = []
    for raw in pieces:
        term = raw
        while term and term[0] in "`\"'":
            term = term[1:]
        while term and term[-1] in "`\"'.,:":
            term = term[:-1]
        if term[-2:] in ("'s", "’s"):
            term = term[:-2]
        ascii_lowered = "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in term)
        if not term or ascii_lowered in STOPWORDS | CODE_WORDS:
            continue
        shaped = any(mark in term for mark in ("_", "::", "/", "#"))
        shaped |= "." in term and len(term.encode()) > 3
        shaped |= raw[0] == "`"
        shaped |= any(term[i].islower() and term[i + 1].isupper() for i in range(len(term) - 1))
        if shaped and term not in found:
            found.append(term)
    return tuple(found[:most])


def content(prompt: str, dropped: Iterable[str], most: int = 24) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for word in words(prompt):
        if word not in dropped:
            found.setdefault(EnglishStemmer().stemWord(word), word)
    return tuple(found.values())[:most]


def documents(
    nodes: Iterable[Node], fulltext: Sequence[tuple[str, str]], field: str
) -> dict[str, dict[int, str]]:
    """Tokens by position of each node that has the field, by key."""
    found = {}
    for node in nodes:
        value: Any = node.props.get(field)
        if (node.label, field) not in fulltext or not isinstance(value, str | list):
            continue
        tokens: dict[int, str] = {}
        position = 0
        for piece in [value] if isinstance(value, str) else value:
            if isinstance(piece, str):
                for token in stems(piece):
                    tokens[position] = token
                    position += 1
                position += 1
        found[node.key] = tokens
    return found


def scored(docs: dict[str, dict[int, str]], group: list[str], adjacent: bool) -> dict[str, float]:
    n = len(docs)
    average = sum(map(len, docs.values())) / n if n else 0.0
    found = {}
    for key, tokens in docs.items():
        if adjacent:
            there = any(
                all(tokens.get(p + i) == token for i, token in enumerate(group)) for p in tokens
            )
        else:
            there = all(token in tokens.values() for token in group)
        if not there or not group:
            continue
        score = 0.0
        for token in group:
            tf = list(tokens.values()).count(token)
            df = sum(token in other.values() for other in docs.values())
            weight = math.log((n + 1) / (df + 0.5))
            score += weight * (tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(tokens) / average)))
        found[key] = score
    return found


def look_up(
    nodes: Sequence[Node], fulltext: Sequence[tuple[str, str]], question: str, params: Recall
) -> Answer:
    adjacent = True
    if params.gate == "identifier":
        terms = identifiers(question, params.max_query_terms)
        groups = [stems(term) for term in terms]
    else:
        terms = content(question, STOPWORDS, params.max_query_terms)
        groups = [[EnglishStemmer().stemWord(term)] for term in terms]
        if not terms:
            terms = content(question, (), params.max_query_terms)
            groups, adjacent = [[EnglishStemmer().stemWord(term) for term in terms]], False
    singles: list[tuple[float, str, float]] = []
    fused: dict[str, float] = {}
    covering: dict[str, set[int]] = {}
    for field in sorted({name for _, name in fulltext}):
        docs = documents(nodes, fulltext, field)
        totals: dict[str, float] = {}
        for number, group in enumerate(groups):
            for key, score in scored(docs, group, adjacent).items():
                singles.append((score, key, math.log((len(docs) + 1) / 1.5)))
                totals[key] = totals.get(key, 0.0) + score
                covering.setdefault(key, set()).add(number)
        order = sorted(totals, key=lambda key: (-totals[key], key.encode()))
        for rank, key in enumerate(order, 1):
            fused[key] = max(fused.get(key, 0.0), 1 / (60 + rank))
    if params.gate == "coverage":
        ranked = sorted(
            (key for key in fused if 2 * len(covering[key]) >= len(groups)),
            key=lambda key: (-len(covering[key]), -fused[key], key.encode()),
        )
    else:
        ranked = sorted(fused, key=lambda key: (-fused[key], key.encode()))
    best = min(singles, key=lambda s: (-s[0], s[1].encode()), default=None)
    second = max((s[0] for s in singles if best is not None and s[1] != best[1]), default=None)
    return Answer(
        terms,
        best[0] if best else None,
        second,
        best[2] if best else None,
        ranked[:12],
        len(ranked),
    )
