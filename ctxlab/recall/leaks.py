"""What the identifier gate lets through though it names nothing, and what it misses.

A name is *borne* by a node of the graph as the prompt could know it: a file or directory by its
path or the end of it, anything else by its key, its name or title, or the end of that. A term that
no node bears may still match a phrase: words of a file's text, or of a name it is no end of.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pandas as pd

from ctxlab.recall.graph import Graph, Node
from ctxlab.recall.index import GraphIndex
from ctxlab.recall.project import Project
from ctxlab.recall.terms import identifier_terms, is_code_shaped, split_pieces

__all__ = ["LEAK_CLASSES", "MISS_CLASSES", "Names", "gate_leaks", "leak_class", "miss_class"]

LEAK_CLASSES = (
    "marks",
    "url",
    "issue number",
    "fraction or and/or",
    "number",
    "product word",
    "path",
    "quoted word",
    "other",
)
"""What a term looks like that passed and names nothing, the first that fits.

Marks are `##` and their like; product words are written like `GitHub`; a path is one that does not
exist; a quoted word passed for its backtick alone. Other are mostly names that the graph lacks.
"""

MISS_CLASSES = ("call", "flag", "hyphenated", "capitals", "plain word", "other")
"""What a word looks like that did not pass although a node bears its name, the first that fits.

A call is written `foo()`; capitals are at least two, as in `HTTPServer`.
"""

_URL = re.compile(r"[a-z][a-z0-9+.-]*://|www\.", re.IGNORECASE)
_ISSUE = re.compile(r"([\w.-]+/[\w.-]+)?#\d+|GH-\d+", re.IGNORECASE)
_FRACTION = re.compile(r"[~<>=]*\d+/\d+%?|[^\W\d_]+/[^\W\d_]+")
_NUMBER = re.compile(r"[^\w/#]*v?\d[\d._:]*[^\W\d_]{0,3}[^\w/#.:]*", re.IGNORECASE)
_PRODUCT = re.compile(r"[^\W\d_]+")
_PATH = re.compile(
    r".*/.*|.*\.(c|cc|cfg|cpp|css|csv|go|h|hpp|html|ini|ipynb|java|js|json|jsx|kt|lock|log|md|png"
    r"|py|rb|rs|rst|scss|sh|sql|svg|swift|toml|ts|tsx|txt|xml|ya?ml)(:\d+)*",
    re.IGNORECASE | re.DOTALL,
)
# "file(s)" is no call.
_CALL = re.compile(r"\b(\w++)\((?!e?s\))")


def leak_class(term: str) -> str:
    """Tell which of `LEAK_CLASSES` a term is that passed the gate."""
    if not any(map(str.isalnum, term)):
        return "marks"
    if _URL.match(term):
        return "url"
    if _ISSUE.fullmatch(term):
        return "issue number"
    if _FRACTION.fullmatch(term):
        return "fraction or and/or"
    if _NUMBER.fullmatch(term):
        return "number"
    if term[0].isupper() and _PRODUCT.fullmatch(term) and is_code_shaped(term, term):
        return "product word"
    if _PATH.fullmatch(term):
        return "path"
    return "other" if is_code_shaped(term, term) else "quoted word"


def miss_class(term: str, called: bool = False) -> str:
    """Tell which of `MISS_CLASSES` a word is that did not pass; `called`: with a parenthesis."""
    if called:
        return "call"
    if term.startswith("-"):
        return "flag"
    if "-" in term:
        return "hyphenated"
    if sum(letter.isupper() for letter in term) > 1:
        return "capitals"
    return "plain word" if term.isalnum() else "other"


class _Bearer(NamedTuple):
    """A whole name, and the prompts that may know its node."""

    name: str
    since: int
    until: int


class Names:
    """Which names the nodes of a graph bear, as each prompt could know them.

    Parameters
    ----------
    graph
        With all versions of its nodes.
    directory
        The project's: absolute paths inside it name its files.
    """

    def __init__(self, graph: Graph, directory: str | None = None) -> None:
        self._root = None if directory is None else directory.rstrip("/") + "/"
        self._bearers: dict[str, list[_Bearer]] = defaultdict(list)
        directories: dict[str, _Bearer] = {}
        for version in graph.versions:
            span = (version.since, version.until)
            for name in _names(version.node):
                self._bearers[_end(version.node.label, name)].append(_Bearer(name, *span))
            if version.node.label == "File":
                for parent in _parents(version.node.key):
                    old = directories.get(parent, _Bearer(parent, *span))
                    directories[parent] = _Bearer(
                        parent, min(old.since, version.since), max(old.until, version.until)
                    )
        for bearer in directories.values():
            self._bearers[_end("File", bearer.name)].append(bearer)

    def bears(self, term: str, at: int) -> bool:
        """Tell whether a node that the prompt `at` could know bears exactly this name."""
        wanted = _place(term, self._root)
        return any(
            bearer.since <= at < bearer.until and _ends(bearer.name, wanted)
            for end in {_end("File", wanted), _end("Symbol", wanted)}
            for bearer in self._bearers.get(end, ())
        )


def _names(node: Node) -> set[str]:
    names = {node.key}
    if node.label == "File":
        return names
    return names.union(
        value for p in ("name", "title") if isinstance(value := node.props.get(p), str) and value
    )


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        if path:
            yield path


_MARK = re.compile(r"[/#.]|::")


def _end(label: str, name: str) -> str:
    """Give the last part of a name: what every term that bears it ends with."""
    return name.rpartition("/")[2] if label == "File" else _MARK.split(name)[-1]


def _ends(name: str, wanted: str) -> bool:
    """Tell whether a name is `wanted` or ends with it where a part begins."""
    return name == wanted or (name.endswith(wanted) and name[-len(wanted) - 1] in "/#.:")


def _place(term: str, root: str | None) -> str:
    """Take from a term what only says where to look: `@`, `./`, the project's root, `:12`."""
    place = term.removeprefix("@")
    if root is not None:
        place = place.removeprefix(root)
    place = re.sub(r"(?<=[^:]):\d+([:-]\d+)?\Z", "", place.removeprefix("./"))
    return place.rstrip("/")


def gate_leaks(
    projects: Iterable[tuple[Project, Graph, GraphIndex]], max_terms: int = 24
) -> pd.DataFrame:
    """Count what the identifier gate let through or missed, most frequent first.

    Parameters
    ----------
    projects
        Each with its graph and the index of that graph. Prompts before the first that has a graph
        are left out.
    max_terms
        Most identifiers that the gate takes of a prompt.

    Returns
    -------
    One row a term and kind:
    ``term`` (as the user typed it, trimmed as the gate does: escape it where you show it),
    ``kind`` ("let through": passed, no node bears it; "missed": did not pass, a node bears it),
    ``class`` (`LEAK_CLASSES` or `MISS_CLASSES`), ``prompts`` (that hold it), ``matched`` (those of
    them in which it matched a phrase, or would have). Stopwords are not counted as missed.
    """
    prompts: Counter[tuple[str, str, str]] = Counter()
    matched: Counter[tuple[str, str, str]] = Counter()
    for project, graph, index in projects:
        names = Names(graph, project.directory)
        for at in range(graph.answerable_from, len(project.prompts)):
            for row in _leaks(project.prompts[at].text, names, at, max_terms):
                prompts[row] += 1
                matched[row] += index.phrase_score(row[0], at) is not None
    rows = [(*row, n, matched[row]) for row, n in prompts.items()]
    frame = pd.DataFrame(rows, columns=["term", "kind", "class", "prompts", "matched"])
    frame = frame.astype({"prompts": "int64", "matched": "int64"})
    return frame.sort_values(
        ["prompts", "kind", "term"], ascending=[False, True, True], ignore_index=True
    )


def _leaks(text: str, names: Names, at: int, max_terms: int) -> set[tuple[str, str, str]]:
    """Term, kind and class of each leak of one prompt."""
    let_through = identifier_terms(text, max_terms)
    rows = {
        (term, "let through", leak_class(term)) for term in let_through if not names.bears(term, at)
    }
    called = set(_CALL.findall(text))
    words = {term for raw, term in split_pieces(text) if not is_code_shaped(raw, term)}
    for term in words.difference(let_through):
        kind = miss_class(term, term in called)
        if any(names.bears(name, at) for name in _meant(term, kind)):
            rows.add((term, "missed", kind))
    return rows


def _meant(term: str, kind: str) -> set[str]:
    """Names that a word may mean: an option `--max-hits` means `max_hits` too."""
    bare = term.lstrip("-") if kind == "flag" else term
    return {name for name in (term, bare, bare.replace("-", "_") if kind == "flag" else "") if name}
