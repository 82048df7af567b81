"""Every notebook runs from a fresh kernel on the bundled data and gives what is stored in it."""

from __future__ import annotations

import ast
import re
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
RUN: dict[str, Any] = runpy.run_path(str(ROOT / "notebooks" / "run.py"))
NOTEBOOKS: list[Path] = RUN["found"]()

every_notebook = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.name)

MAX_BYTES = 300_000
MAX_LINES = 10


def code_cells(content: Any) -> list[Any]:
    return [cell for cell in content.cells if cell.cell_type == "code"]


def stored(notebook: Path) -> list[Any]:
    return code_cells(nbformat.read(notebook, as_version=4))


@cache
def fresh(notebook: Path) -> list[Any]:
    return code_cells(RUN["fresh"](notebook))


def kinds(output: Any) -> set[str]:
    return set(output.get("data", {output.output_type: ""}))


def text(output: Any) -> str:
    return str(output.get("text") or output.data.get("text/plain", ""))


def numbers(output: Any) -> list[str]:
    """What is written as a number, whatever stands between."""
    return re.findall(r"\d[\d,]*(?:\.\d+)?%?", text(output))


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@every_notebook
def test_stored_file_is_sound_and_small(notebook: Path) -> None:
    nbformat.validate(nbformat.read(notebook, as_version=4))
    assert notebook.stat().st_size < MAX_BYTES


@every_notebook
def test_stored_cells_were_run_in_order_without_error(notebook: Path) -> None:
    cells = stored(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]


@every_notebook
def test_long_functions_belong_into_the_package(notebook: Path) -> None:
    for cell in stored(notebook):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
                assert (node.end_lineno or 0) - node.lineno < MAX_LINES


@every_notebook
def test_no_output_tells_where_it_was_made(notebook: Path) -> None:
    outputs = [str(output) for cell in stored(notebook) for output in cell.outputs]
    for place in (str(ROOT), str(Path.home()), "/tmp/", "/home/", "/Users/"):
        assert not [output for output in outputs if place in output]


@every_notebook
def test_user_can_name_her_own_transcripts(notebook: Path) -> None:
    named = [c.source for c in stored(notebook) if re.search(r"^LOGS = ", c.source, re.MULTILINE)]
    assert len(named) == 1
    bundled = re.search(r'^LOGS = "([^"]+)"', named[0], re.MULTILINE)
    assert bundled
    assert (notebook.parent / bundled[1]).resolve().is_relative_to(ROOT / "data")


@every_notebook
def test_explorer_can_be_seen_without_a_kernel(notebook: Path) -> None:
    shown = [o.data for c in stored(notebook) for o in c.outputs if "data" in o]
    assert not [data for data in shown if RUN["LIVE"] in data]
    pages = [data["text/html"] for data in shown if "As Python" in data.get("text/html", "")]
    assert len(pages) == 1
    assert '<img alt="' in pages[0]


@every_notebook
def test_fresh_run_gives_what_is_stored(notebook: Path) -> None:
    before, after = stored(notebook), fresh(notebook)
    assert [cell.source for cell in before] == [cell.source for cell in after]
    for old, new in zip(before, after, strict=True):
        assert [kinds(o) for o in old.outputs] == [kinds(o) for o in new.outputs], old.source
        assert [numbers(o) for o in old.outputs] == [numbers(o) for o in new.outputs], old.source


@every_notebook
def test_fresh_run_warns_of_nothing(notebook: Path) -> None:
    outputs = [output for cell in fresh(notebook) for output in cell.outputs]
    assert not [text(o) for o in outputs if o.get("name") == "stderr"]
