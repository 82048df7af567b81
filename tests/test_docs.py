"""The documentation says what the code does, and no file tells where it was written."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest

from ctxlab.cli import cli
from ctxlab.dedup.params import Dedup
from ctxlab.errors import CtxlabError
from ctxlab.recall.graph import NEVER
from ctxlab.recall.jsongraph import read_graph
from ctxlab.schema import TABLES, VIEWS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GENERATED: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "generate.py"))

# Put together here, so that this file does not hold them.
PLACES = [
    "".join(parts)
    for parts in (
        ("/wo", "rk/"),
        ("/ro", "ot/"),
        ("/op", "t/"),
        ("pypi", ".org"),
        ("python", "hosted.org"),
        ("registry", ".npmjs"),
    )
]


@pytest.mark.parametrize("file", GENERATED["pages"](), ids=lambda file: file.name)
def test_generated_pages_are_current(file: Path) -> None:
    assert file.read_text(encoding="utf-8") == GENERATED["pages"]()[file], "run `make docs`"


def test_every_policy_is_found() -> None:
    assert Dedup in GENERATED["parameter_sets"]()


def test_readme_holds_every_parameter_of_dedup() -> None:
    assert GENERATED["parameter_table"](Dedup) in README
    rows = re.findall(r"^\| `(\w+)` \|", GENERATED["parameter_table"](Dedup), re.MULTILINE)
    assert rows == list(Dedup.params())


def test_every_table_view_and_column_is_documented() -> None:
    page = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    documented = {**TABLES, **VIEWS}
    assert list(sections) == list(documented)
    for name, table in documented.items():
        columns = re.findall(r"^\| `(\w+)` \|", sections[name], re.MULTILINE)
        assert columns == [column.name for column in table.columns]


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_make_commands_of_the_docs_exist(page: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE))
    assert named
    assert named <= targets
    variables = set(re.findall(r"(?:^|`)(?:make [a-z-]+ )?([A-Z]+)=", text, re.MULTILINE))
    assert variables <= set(re.findall(r"^([A-Z]+) :?= ", makefile, re.MULTILINE))


def test_readme_holds_every_command() -> None:
    commands = set(cli.list_commands(click.Context(cli)))
    assert commands
    assert set(re.findall(r"^\| `ctxlab ([a-z-]+)` \|", README, re.MULTILINE)) == commands


def test_readme_holds_every_exit_code() -> None:
    raised = {error.exit_code for error in (CtxlabError, *CtxlabError.__subclasses__())}
    codes = re.findall(r"^\| (\d+) \|", README, re.MULTILINE)
    assert codes == [str(code) for code in sorted({0, 130} | raised)]


def test_relative_links_lead_to_files() -> None:
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_changelog_begins_with_what_is_unreleased() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)", changelog, re.MULTILINE)[0] == "Unreleased"


def _tracked_files() -> list[Path]:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    # A clone that another user owns is still this project's: only names are listed.
    listed = subprocess.run(
        [git, "-c", "safe.directory=*", "ls-files", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def test_no_file_holds_a_path_of_a_machine_or_a_registry() -> None:
    files = [file for file in _tracked_files() if file.is_file()]
    assert files
    found = [
        f"{file.relative_to(ROOT)}: {place}"
        for file in files
        for content in [file.read_bytes()]
        for place in PLACES
        if place.encode() in content
    ]
    assert not found


def test_the_graph_of_the_docs_can_be_read(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "graphs.md").read_text(encoding="utf-8")
    [document] = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    file = tmp_path / "graph.json"
    file.write_text(document, encoding="utf-8")
    graph = read_graph(file, [1_766_500_000_000, 1_767_500_000_000])
    assert graph.store_label == "shop"
    assert {version.node.key: (version.since, version.until) for version in graph.versions} == {
        "src/cart.py": (0, NEVER),
        "src/cart.py#Cart.total": (0, 1),
    }
