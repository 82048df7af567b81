"""What changes in a tree, step by step → states of its files and of the symbols in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ctxlab.recall._dated import Ledger
from ctxlab.recall._git_blobs import MAX_BLOB_BYTES, Blob, Fault, read_blobs
from ctxlab.recall._git_history import Step
from ctxlab.recall._git_plumbing import Change, Repository
from ctxlab.recall.graph import Node
from ctxlab.recall.markdown import headings, is_markdown
from ctxlab.recall.symbols import MAX_SOURCE_BYTES, Definition, definitions, is_source, is_too_long

__all__ = ["enter_files"]

_GROUP = 512
_MAX_KNOWN = 20_000
_REGULAR = ("100644", "100755")
_SUBMODULE = "160000"


_NOTES = {
    "submodule": "submodules left out",
    "unreadable": "files without symbols, as their content is not there "
    "(a partial clone, or damage: run git fsck)",
    "big": f"files too big to be read (sources over {MAX_SOURCE_BYTES // 1000} kB have no symbols, "
    f"Markdown over {MAX_BLOB_BYTES // 1000} kB no text)",
}


class _Content(NamedTuple):
    """What a blob adds to the graph, under a path of its kind."""

    props: dict[str, Any]
    symbols: tuple[Definition, ...]
    fault: Fault = ""


_NOTHING = _Content({}, ())


def enter_files(
    repository: Repository, steps: Sequence[Step], ledger: Ledger, advance: Callable[[int], None]
) -> list[str]:
    """Enter the states of files and symbols after each step; give notes on what was left out.

    Only blobs that changed are read, a few hundred at a time, and one read lately not again.
    """
    keys_of: dict[bytes, tuple[str, ...]] = {}
    known: dict[tuple[str, str], _Content] = {}
    left_out: dict[str, set[bytes]] = {note: set() for note in _NOTES.values()}
    for group in _groups(repository.changes([step.sha for step in steps])):
        _learn(repository, (change for _, change in group), known)
        for n_step, change in group:
            if note := _NOTES.get(_fault(change, known)):
                left_out[note].add(change.path)
            nodes = _nodes(change, known)
            old = keys_of.pop(change.path, ())
            for key in {*old} - {node.key for node in nodes}:
                ledger.drop(key, steps[n_step].ms)
            new = tuple(node.key for node in nodes if ledger.put(node, steps[n_step].ms))
            if new:
                keys_of[change.path] = new
        if len(known) > _MAX_KNOWN:
            known.clear()
        advance(len(group))
    return [f"{note}: {len(paths)}" for note, paths in left_out.items() if paths]


def _groups(changes: Iterator[tuple[int, Change]]) -> Iterator[list[tuple[int, Change]]]:
    while group := list(islice(changes, _GROUP)):
        yield group


def _learn(
    repository: Repository, changes: Iterator[Change], known: dict[tuple[str, str], _Content]
) -> None:
    """Read and parse the blobs that are not yet known."""
    wanted: dict[str, set[str]] = {}
    for change in changes:
        path = _shown(change.path)
        if change.mode in _REGULAR and (is_source(path) or is_markdown(path)):
            kind = _kind(path)
            if (change.blob, kind) not in known:
                wanted.setdefault(change.blob, set()).add(kind)
    for blob in read_blobs(repository, list(wanted)):
        for kind in wanted[blob.name]:
            known[blob.name, kind] = _content(kind, blob)


def _content(kind: str, blob: Blob) -> _Content:
    path, text = f"any{kind}", blob.text
    if not text:
        return _NOTHING._replace(fault=blob.fault)
    if is_markdown(path):
        return _Content({"body": text, "headings": headings(text)}, ())
    if is_too_long(text):
        return _NOTHING._replace(fault="big")
    # Overloads, a declaration and its body: one symbol, where it is first, as first documented.
    joined: dict[str, Definition] = {}
    for definition in definitions(path, text):
        first = joined.setdefault(definition.name, definition)
        if definition.doc and not first.doc:
            joined[definition.name] = Definition(first.name, first.line, definition.doc)
    return _Content({}, tuple(joined.values()))


def _fault(change: Change, known: dict[tuple[str, str], _Content]) -> str:
    """Why a path has not in the graph what one of its kind has: a key of `_NOTES`, or ""."""
    if change.mode == _SUBMODULE:
        return "submodule"
    return known.get((change.blob, _kind(_shown(change.path))), _NOTHING).fault


def _nodes(change: Change, known: dict[tuple[str, str], _Content]) -> list[Node]:
    """The file and the symbols that a path holds after a change; none if it is gone."""
    if change.mode in ("", _SUBMODULE):
        return []
    path = _shown(change.path)
    content = _NOTHING
    if change.mode in _REGULAR:
        content = known.get((change.blob, _kind(path)), _NOTHING)
    return [
        Node("File", path, {"path": path, **content.props}),
        *(
            Node(
                "Symbol",
                f"{path}#{symbol.name}",
                {"name": symbol.name, "doc": symbol.doc, "path": path, "line": symbol.line},
            )
            for symbol in content.symbols
        ),
    ]


def _shown(path: bytes) -> str:
    r"""A path as text, bytes that are no UTF-8 as `\xff`."""
    return path.decode("utf-8", "backslashreplace")


def _kind(path: str) -> str:
    return PurePosixPath(path).suffix.lower()
