"""A graph as a JSON file, written by any tool → the graph that each prompt could have known.

One document::

    {"store_label": "store", "exported_ms": 1767225600000,
     "fulltext": [["File", "path"], ["Symbol", "name"]],
     "nodes": [{"label": "File", "key": "a.py", "props": {"path": "a.py"},
                "since_ms": 1767000000000, "until_ms": 1767100000000}]}

or, for big graphs, JSON lines: the same without `nodes` on the first line, and one node on each of
the others. Only `nodes` with `label` and `key` must be there. Times are Unix milliseconds: a node
is known to the prompts after `since_ms`, up to and with those at `until_ms`. One without
`since_ms` is known from `exported_ms` on; without either, since ever.
Other members of the document (edges, say) are passed over, of a node they are errors.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ctxlab.errors import InputError, ParameterError
from ctxlab.paths import user_path
from ctxlab.recall._dated import Dated, checked_clock, first_after, versions
from ctxlab.recall._json_checks import Header, Placed, check_keys, dated, header_of
from ctxlab.recall.graph import FULLTEXT, Graph

__all__ = ["Dated", "read_graph", "write_graph"]


def read_graph(path: str | os.PathLike[str], prompts_ms: Sequence[int]) -> Graph:
    """Read a graph as each prompt could have known it.

    Parameters
    ----------
    path
        A file as the module describes it: one JSON document or JSON lines, told by content.
    prompts_ms
        When the prompts were asked, in Unix milliseconds, ascending.

    Raises
    ------
    InputError
        If the file cannot be read or is not such a graph: the message names the place and the
        cause. Also if no prompt comes after the export.
    ParameterError
        If `prompts_ms` are not ascending.
    """
    checked_clock(prompts_ms)
    file = user_path(path)
    try:
        with file.open("rb") as stream:
            header, nodes = _open(stream, str(file))
            placed = [(node.place, dated(node, header.exported_ms)) for node in nodes]
    except FileNotFoundError:
        raise InputError(f"{file}: no such file; name an exported graph") from None
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error})") from error
    if not placed:
        raise InputError(f"{file}: holds no nodes; export the graph again")
    check_keys(placed)
    states = [state for _, state in placed]
    times = [state.since_ms for state in states]
    n_undated = times.count(None)
    first_ms = None if n_undated else min(ms for ms in times if ms is not None)
    answerable_from = first_after(prompts_ms, first_ms)
    if prompts_ms and answerable_from == len(prompts_ms):
        raise InputError(
            f"{file}: no prompt comes after this graph was made; give its nodes `since_ms`, or "
            "build the graph from the git repository"
        )
    notes = (
        f"{n_undated} nodes have no `since_ms` and the export no `exported_ms`: prompts may be "
        "answered with later knowledge",
    )
    return Graph(
        versions=versions(states, prompts_ms),
        fulltext=header.fulltext,
        store_label=header.store_label,
        answerable_from=answerable_from,
        origin=f"export {file.name}: {len(states)} states of nodes",
        notes=notes if n_undated else (),
    )


def write_graph(
    states: Iterable[Dated],
    path: str | os.PathLike[str],
    *,
    fulltext: Sequence[tuple[str, str]] = FULLTEXT,
    store_label: str = "store",
    exported_ms: int | None = None,
) -> Path:
    """Write states of nodes, such as those of `git_history`, so that `read_graph` gives them back.

    A name that ends in `.jsonl` becomes JSON lines, any other one document. The file is put in
    place when it is complete.

    Raises
    ------
    InputError
        If the file cannot be written.
    ParameterError
        If a property is nothing that JSON knows.
    """
    file = user_path(path)
    header: dict[str, Any] = {"store_label": store_label}
    if exported_ms is not None:
        header["exported_ms"] = exported_ms
    header["fulltext"] = [list(pair) for pair in fulltext]
    partial = file.with_name(f".{file.name}.{os.getpid()}.partial")
    try:
        try:
            with partial.open("wb") as out:
                out.writelines(_pieces(header, states, as_lines=file.suffix == ".jsonl"))
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        cause = error.strerror or error
        raise InputError(f"{file}: cannot be written ({cause}); name another place") from error
    return file


def _pieces(header: dict[str, Any], states: Iterable[Dated], as_lines: bool) -> Iterator[bytes]:
    head = _dumps(header)
    yield head if as_lines else head[:-1] + b',"nodes":['
    ordered = sorted(states, key=lambda state: (state.node.key, state.since_ms or 0))
    for n, state in enumerate(ordered):
        yield (b"\n" if as_lines or n == 0 else b",\n") + _dumps(_as_json(state))
    yield b"\n" if as_lines else b"\n]}\n"


def _as_json(state: Dated) -> dict[str, Any]:
    node = state.node
    times = {"since_ms": state.since_ms, "until_ms": state.until_ms}
    return {
        "label": node.label,
        "key": node.key,
        "props": dict(node.props),
        **{name: ms for name, ms in times.items() if ms is not None},
    }


def _dumps(value: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError as error:  # also raised for lone surrogates, which JSON can escape
        try:
            return json.dumps(value, separators=(",", ":")).encode("ascii")
        except (TypeError, ValueError):
            raise ParameterError(f"`props` must be JSON values: {error}") from None


def _open(stream: BinaryIO, name: str) -> tuple[Header, Iterator[Placed]]:
    """The header of a file, and its nodes as they come."""
    first = stream.readline()
    value = _document(first)
    if isinstance(value, dict) and "nodes" not in value:
        if "label" in value or "key" in value:
            stream.seek(0)
            return header_of(Placed(name, {})), _lines(stream, name, 1)
        return header_of(Placed(f"{name}, line 1", value)), _lines(stream, name, 2)
    if rest := stream.read():
        value = _document(first + rest)
    if isinstance(value, ValueError):
        raise InputError(f"{name}: {_cause(value)}; export the graph again")
    if not isinstance(value, dict) or not isinstance(value.get("nodes"), list):
        raise InputError(f"{name}: must be an object with `nodes`, a list, or JSON lines")
    nodes = (Placed(f"{name}, node {n}", node) for n, node in enumerate(value["nodes"], 1))
    return header_of(Placed(name, value)), nodes


def _lines(stream: BinaryIO, name: str, first: int) -> Iterator[Placed]:
    for number, line in enumerate(stream, first):
        if line.strip():
            value = _document(line)
            if isinstance(value, ValueError):
                raise InputError(f"{name}, line {number}: {_cause(value)}; export the graph again")
            yield Placed(f"{name}, line {number}", value)


def _document(text: bytes) -> Any:
    """Read JSON, or give why it is none; a lone surrogate, as JavaScript writes, becomes `?`."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            lenient = json.loads(text)
            return orjson.loads(json.dumps(lenient, ensure_ascii=False).encode("utf-8", "replace"))
        except RecursionError:
            return ValueError("nested too deep")
        except ValueError as error:
            return error


def _cause(error: ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"invalid UTF-8 at byte {error.start}"
    if isinstance(error, json.JSONDecodeError):
        return f"no JSON ({error.msg} at line {error.lineno}, column {error.colno})"
    return f"no JSON ({error})"
