"""Tools that answer in JSON about a checkout of this project: what the sessions' agent calls.

Each is a function from a checkout and its arguments to the text of its answer. They read files
only; the same checkout gives the same text under any Python that can read the source.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from math import log
from pathlib import Path
from typing import Any

__all__ = ["TOOLS"]

Answer = Mapping[str, Any]
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_HEADING = re.compile(r"(#{1,4}) (.+)")
_WORD = re.compile(r"[a-z]{3,}")


@dataclass(frozen=True)
class Symbol:
    """A function, class or method; lines are numbered from 1."""

    id: str
    name: str
    kind: str
    path: str
    line: int
    end_line: int
    signature: str
    summary: str | None


@cache
def source(root: Path, path: str) -> str:
    """Text of a file of the checkout."""
    return (root / path).read_text(encoding="utf-8")


@cache
def modules(root: Path) -> tuple[str, ...]:
    """Paths of all Python files, in order."""
    return tuple(sorted(path.relative_to(root).as_posix() for path in root.rglob("*.py")))


def dotted(path: str) -> str:
    """Name of the module that a file is."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def symbols(root: Path, path: str) -> tuple[Symbol, ...]:
    """Symbols of one file, in the order of their lines."""
    lines = source(root, path).split("\n")
    return tuple(_symbols(ast.parse(source(root, path)), dotted(path), path, lines, "function"))


def _symbols(
    parent: ast.AST, prefix: str, path: str, lines: list[str], function: str
) -> Iterator[Symbol]:
    for node in ast.iter_child_nodes(parent):
        if not isinstance(node, _DEFINITIONS):
            continue
        is_class = isinstance(node, ast.ClassDef)
        documentation = ast.get_docstring(node)
        yield Symbol(
            id=f"{prefix}.{node.name}",
            name=node.name,
            kind="class" if is_class else function,
            path=path,
            line=node.lineno,
            end_line=node.end_lineno or node.lineno,
            signature=lines[node.lineno - 1].strip(),
            summary=documentation.split("\n")[0] if documentation else None,
        )
        if is_class:
            yield from _symbols(node, f"{prefix}.{node.name}", path, lines, "method")


def list_symbols(
    root: Path, query: str = "", path: str = "ctxlab", limit: int = 40, offset: int = 0
) -> Answer:
    """Symbols whose name or summary holds the query, a page at a time."""
    wanted = query.lower()
    found = [
        symbol
        for file in modules(root)
        if file.startswith(path)
        for symbol in symbols(root, file)
        if wanted in symbol.name.lower() or wanted in (symbol.summary or "").lower()
    ]
    if not found:
        return {"ok": False, "error": f"no symbol matches {query!r} under {path}"}
    end = offset + limit
    return {
        "query": query,
        "path": path,
        "total": len(found),
        "results": [asdict(symbol) for symbol in found[offset:end]],
        "next_offset": end if end < len(found) else None,
    }


def find_references(root: Path, name: str, limit: int = 60) -> Answer | str:
    """Lines that hold a name, with the symbol around each, and how many a file has."""
    pattern = re.compile(rf"\b{re.escape(name)}\b")
    matches = [
        {
            "path": file,
            "line": number,
            "column": found.start() + 1,
            "within": _around(root, file, number),
            "text": line.strip(),
        }
        for file in modules(root)
        for number, line in enumerate(source(root, file).split("\n"), 1)
        if (found := pattern.search(line))
    ]
    if not matches:
        return f"No references to `{name}` were found."
    files = Counter(str(match["path"]) for match in matches)
    return {
        "name": name,
        "total": len(matches),
        "matches": matches[:limit],
        "files": [{"path": file, "count": count} for file, count in files.items()],
    }


def _around(root: Path, path: str, line: int) -> str | None:
    around = [s.id for s in symbols(root, path) if s.line <= line <= s.end_line]
    return around[-1] if around else None


def read_symbol(root: Path, id: str) -> Answer:
    """One symbol with its source: an answer without an array."""
    for file in modules(root):
        for symbol in symbols(root, file):
            if symbol.id == id:
                lines = source(root, file).split("\n")[symbol.line - 1 : symbol.end_line]
                return {**asdict(symbol), "source": "\n".join(lines)}
    return {"ok": False, "error": f"no symbol {id!r}; ids come from list_symbols"}


def file_outline(root: Path, path: str) -> Answer:
    """Imports and nested definitions of one file."""
    if not (root / path).is_file():
        return {"error": True, "message": f"no file {path} in the project"}
    tree = ast.parse(source(root, path))
    return {
        "path": path,
        "lines": source(root, path).count("\n"),
        "imports": [module for module, _ in _imports(tree)],
        "items": _nested(tree),
    }


def _nested(parent: ast.AST) -> list[dict[str, Any]]:
    return [
        {
            "name": node.name,
            "kind": "class" if isinstance(node, ast.ClassDef) else "function",
            "line": node.lineno,
            "end_line": node.end_lineno,
            "children": _nested(node),
        }
        for node in ast.iter_child_nodes(parent)
        if isinstance(node, _DEFINITIONS)
    ]


def _imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.lineno
        elif isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)


def import_graph(root: Path, path: str) -> Answer:
    """Modules under a folder and the imports between them and the rest of the package."""
    names = {dotted(file): file for file in modules(root)}
    inside = {name: file for name, file in names.items() if file.startswith(path)}
    if not inside:
        return {"ok": False, "error": f"no module under {path}"}
    edges = [
        {"from": name, "to": module, "line": line}
        for name, file in inside.items()
        for module, line in _imports(ast.parse(source(root, file)))
        if module in names
    ]
    shown = sorted({*inside, *(str(edge["to"]) for edge in edges)})
    nodes = [
        {"id": name, "path": names[name], "lines": source(root, names[name]).count("\n")}
        for name in shown
    ]
    return {"root": path, "nodes": nodes, "edges": edges}


@cache
def sections(root: Path) -> tuple[tuple[str, int, int, str, str], ...]:
    """Sections of the Markdown pages: page, line, level, heading, text."""
    found = []
    for page in sorted(path.relative_to(root).as_posix() for path in root.rglob("*.md")):
        lines = source(root, page).split("\n")
        heads = [(n, h) for n, line in enumerate(lines) if (h := _HEADING.fullmatch(line))]
        ends = [n for n, _ in heads[1:]] + [len(lines)]
        found += [
            (page, n + 1, len(head[1]), head[2], "\n".join(lines[n + 1 : end]).strip())
            for (n, head), end in zip(heads, ends, strict=True)
        ]
    return tuple(found)


def search_docs(root: Path, query: str, limit: int = 20) -> Answer:
    """Sections of the documentation that hold words of the query, best first."""
    terms = sorted(set(_WORD.findall(query.lower())))
    counts = [Counter(_WORD.findall(f"{s[3]} {s[4]}".lower())) for s in sections(root)]
    rare = {t: log((1 + len(counts)) / (1 + sum(t in count for count in counts))) for t in terms}
    hits: list[dict[str, Any]] = []
    for (page, line, level, heading, text), count in zip(sections(root), counts, strict=True):
        score = sum(rare[term] * (1 + log(count[term])) for term in terms if count[term])
        if score > 0:
            slug = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")
            hits.append(
                {
                    "id": f"{page}#{slug}",
                    "page": page,
                    "heading": heading,
                    "level": level,
                    "line": line,
                    "score": round(score, 6),
                    "snippet": text[:400],
                }
            )
    hits.sort(key=lambda hit: (-hit["score"], hit["id"], hit["line"]))
    pages = Counter(hit["page"] for hit in hits)
    return {
        "terms": terms,
        "hits": hits[:limit],
        "pages": [{"page": page, "hits": n} for page, n in sorted(pages.items())],
    }


def list_tests(root: Path, path: str = "tests") -> str:
    """Tests under a folder, a JSON object a line."""
    return "\n".join(
        json.dumps({"test": s.id, "path": file, "line": s.line, "lines": s.end_line - s.line + 1})
        for file in modules(root)
        if file.startswith(path)
        for s in symbols(root, file)
        if s.name.startswith("test_")
    )


TOOLS: Mapping[str, Callable[..., Answer | str]] = {
    tool.__name__: tool
    for tool in (
        list_symbols,
        find_references,
        read_symbol,
        file_outline,
        import_graph,
        search_docs,
        list_tests,
    )
}
"""The tools by name. A text is printed as it is, all else as JSON."""
