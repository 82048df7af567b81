"""Revealed use of a pointer: did the agent open, edit or quote what it points at.

Judges what a graph's nodes point at by one `Prompt`; no log, no files.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from ctxlab.recall.graph import Graph, Node
from ctxlab.recall.paths import folded, is_absolute
from ctxlab.recall.project import Prompt

__all__ = ["BaseNames", "KnownFiles", "PointerUse", "path_of", "pointer_use", "pointer_uses"]

_MAX_NAME_CHARS = 1024
_MIN_SHA_CHARS = 7
_SHA = re.compile(r"[0-9a-f]{7,64}")
_TOKEN = re.compile(r"[\w@~+./\\:#-]++")
_WORD = re.compile(r"\w++")
_PLACE = re.compile(r"(?::\d+(?:-\d+|:\d+)?|#L\d+(?:-L?\d+)?)$")


@dataclass(frozen=True, slots=True)
class PointerUse:
    """What became of one pointer before the next prompt.

    `averted`: its path was opened with no search before. `named`: the prompt itself held it.
    """

    opened: bool
    edited: bool
    quoted: bool
    averted: bool
    named: bool


def pointer_uses(
    nodes: Iterable[Node], prompt: Prompt, ambiguous: Container[str] = frozenset()
) -> list[PointerUse]:
    """Judge pointers by what the agent did between a prompt and the next.

    Parameters
    ----------
    nodes
        What the pointers point at.
    prompt
        The prompt they were printed at, with its use.
    ambiguous
        Base names that several files bear (`BaseNames`): one alone names no file.

    Returns
    -------
    list of PointerUse
        One a node. A node points at its `path`, and a File without one at its key; other nodes
        need not have a path. The path was opened or edited if the agent did so with this path; an
        absolute path is the same as a relative one that it ends with at a path boundary. It was
        quoted if the agent wrote it, an end of it with a folder at least, or its base name unless
        that is ambiguous. A Symbol was quoted too if the agent wrote its name, or each part of a
        qualified one, and a Commit if it wrote the first seven digits of its hash, or more. The
        prompt names what its text holds in the same sense, any word of it counting as a name.

    Notes
    -----
    The specification "Read fallback", section 3.
    """
    opened = _Paths(prompt.use.opened)
    unsearched = _Paths(path for path, searched in prompt.use.opened.items() if not searched)
    edited = _Paths(prompt.use.edited)
    written, asked = _Names(prompt.use.quoted), _Names(_tokens(prompt.text))
    return [
        PointerUse(
            opened=path in opened,
            edited=path in edited,
            quoted=written.hold(node, path, ambiguous),
            averted=path in unsearched,
            named=asked.hold(node, path, ambiguous),
        )
        for node in nodes
        for path in (path_of(node),)
    ]


def pointer_use(node: Node, prompt: Prompt, ambiguous: Container[str] = frozenset()) -> PointerUse:
    """Judge one pointer; see `pointer_uses`, which is faster for many of one prompt.

    Examples
    --------
    >>> from ctxlab.recall.project import Use
    >>> use = Use(opened={"src/pump.py": False})
    >>> prompt = Prompt("family", "source", 0, 0, 0, 1, "start the pump", use)
    >>> pointer_use(Node("File", "src/pump.py"), prompt)
    PointerUse(opened=True, edited=False, quoted=False, averted=True, named=False)
    """
    return pointer_uses((node,), prompt, ambiguous)[0]


class BaseNames:
    """The base names of a graph's files, and which of them are ambiguous at each prompt.

    Examples
    --------
    >>> from ctxlab.recall.graph import Version
    >>> files = [Node("File", key) for key in ("a/init.py", "b/init.py", "b/pump.py")]
    >>> graph = Graph(tuple(Version(node, since) for since, node in enumerate(files)))
    >>> ["init.py" in BaseNames(graph).ambiguous(at) for at in (0, 1)]
    [False, True]
    """

    def __init__(self, graph: Graph) -> None:
        steps: dict[str, Counter[int]] = defaultdict(Counter)
        for version in graph.versions:
            if version.node.label == "File":
                name = (path_of(version.node) or "").rpartition("/")[2]
                steps[name][version.since] += 1
                steps[name][version.until] -= 1
        self._known: dict[str, tuple[list[int], list[int]]] = {}
        for name, changes in steps.items():
            at, counts, n = sorted(changes), [0], 0
            for number in at:
                n += changes[number]
                counts.append(n)
            if max(counts) > 1:
                self._known[name] = at, counts

    def ambiguous(self, at: int) -> Container[str]:
        """Base names that several files known to prompt number `at` bear."""
        return _Ambiguous(self._known, at)


class KnownFiles:
    """The files of a graph, as each prompt could know them.

    Examples
    --------
    >>> from ctxlab.recall.graph import Version
    >>> graph = Graph((Version(Node("File", "pump.py"), since=1),))
    >>> files = KnownFiles(graph)
    >>> files.count(0), files.count(1)
    (0, 1)
    """

    def __init__(self, graph: Graph) -> None:
        steps: Counter[int] = Counter()
        self._spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for version in graph.versions:
            path = path_of(version.node) if version.node.label == "File" else None
            if path is not None:
                self._spans[path].append((version.since, version.until))
                steps[version.since] += 1
                steps[version.until] -= 1
        self._at = sorted(steps)
        self._counts = [0, *accumulate(steps[at] for at in self._at)]

    def count(self, at: int) -> int:
        """How many files the prompt number `at` could know."""
        return self._counts[bisect_right(self._at, at)]

    def used(self, prompt: Prompt, at: int) -> tuple[str, ...]:
        """Files known to the prompt that were opened or edited before the next one, in order."""
        touched = sorted({*prompt.use.opened, *prompt.use.edited})
        return tuple(
            path
            for path in touched
            if any(since <= at < until for since, until in self._spans.get(path, ()))
        )


@dataclass(frozen=True, slots=True)
class _Ambiguous:
    known: Mapping[str, tuple[list[int], list[int]]]
    at: int

    def __contains__(self, name: object) -> bool:
        if name not in self.known:
            return False
        at, counts = self.known[str(name)]
        return counts[bisect_right(at, self.at)] > 1


def path_of(node: Node) -> str | None:
    """Path that a node points at, None if it has none."""
    path = node.props.get("path")
    if path is None and node.label in ("File", "Symbol"):
        path = node.key.partition("#")[0] if node.label == "Symbol" else node.key
    return path if isinstance(path, str) and path else None


def _ends(path: str) -> Iterator[str]:
    """The path and what is left of it behind each slash, longest first."""
    yield path
    cut = path.find("/")
    while cut >= 0:
        yield path[cut + 1 :]
        cut = path.find("/", cut + 1)


class _Paths:
    """Paths, asked whether a path names one of their files."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._ends = {end for path in self._paths if is_absolute(path) for end in _ends(path)}

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        if path in self._paths or path in self._ends:
            return True
        return is_absolute(path) and any(end in self._paths for end in _ends(path))


class _Names:
    """Names that were written, asked whether a node is among them."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = {name.replace("::", ".") for name in names if len(name) <= _MAX_NAME_CHARS}
        self._paths = _Paths(self._names)
        self._shas = {sha for name in self._names if _SHA.fullmatch(sha := name.lower())}

    def hold(self, node: Node, path: str | None, ambiguous: Container[str]) -> bool:
        """Whether the node's path, name or hash was written."""
        if path is not None and self._hold_path(path, ambiguous):
            return True
        if node.label == "Symbol":
            return self._hold_symbol(node.props.get("name"))
        if node.label == "Commit" and self._shas:
            key = node.key.lower()
            return any(key[:n] in self._shas for n in range(_MIN_SHA_CHARS, len(key) + 1))
        return False

    def _hold_path(self, path: str, ambiguous: Container[str]) -> bool:
        return path in self._paths or any(
            end in self._names and ("/" in end or end not in ambiguous) for end in _ends(path)
        )

    def _hold_symbol(self, name: object) -> bool:
        if not isinstance(name, str) or not name:
            return False
        name = name.replace("::", ".")
        return name in self._names or all(part in self._names for part in name.split("."))


def _tokens(text: str) -> Iterator[str]:
    """Whatever in a text may be a path or a name: tokens without their line, and their words."""
    for token in dict.fromkeys(_TOKEN.findall(text)):
        if len(token) <= _MAX_NAME_CHARS:
            token = _PLACE.sub("", token.rstrip(".:#/\\-").lstrip("@"))
            yield folded(token)
        yield from _WORD.findall(token)
