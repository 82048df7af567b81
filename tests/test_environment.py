"""environment.yml holds what pyproject.toml says, in conda's names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

CONDA_NAMES = {"duckdb": "python-duckdb"}
CONDA_ONLY = {"pip": ""}  # installs the project itself into the environment


def _split(requirement: str) -> tuple[str, str]:
    found = re.fullmatch(r"([A-Za-z0-9._-]+)([<>=!~,.0-9]*)", requirement)
    assert found, requirement
    return found[1], found[2]


def _conda() -> list[tuple[str, str]]:
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    _, dependencies = text.split("\ndependencies:\n")
    items = [line for line in dependencies.splitlines() if not line.lstrip().startswith("#")]
    assert all(item.startswith("  - ") for item in items)
    return [_split(item.removeprefix("  - ")) for item in items]


def _project() -> dict[str, str]:
    extras = PROJECT["optional-dependencies"].values()
    wanted = [*PROJECT["dependencies"], *(item for extra in extras for item in extra)]
    named = dict(_split(item) for item in wanted)
    return {CONDA_NAMES.get(name, name): versions for name, versions in named.items()}


def test_environment_holds_the_packages_of_the_project() -> None:
    conda = _conda()
    assert len(dict(conda)) == len(conda), "a package stands twice"
    assert dict(conda) == {
        "python": PROJECT["requires-python"],
        **CONDA_ONLY,
        **_project(),
    }


def test_every_dependency_has_a_floor_and_a_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    start, end = text.index("dependencies = ["), text.index("[project.scripts]")
    rows = [row for row in text[start:end].splitlines() if row.startswith('    "')]
    assert len(rows) == len(_project())
    for row in rows:
        assert re.fullmatch(r' {4}"[\w-]+[>=]=[\d.]+(,<\d+)?", +# \S.*', row), row
