"""Importing is cheap, and every module can be the first one imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

HEAVY = ("duckdb", "ipywidgets", "matplotlib", "pandas", "scipy", "sklearn", "tree_sitter")
LAZY = ("ipywidgets", "matplotlib", "sklearn", "tree_sitter")
AT_HOME = ("ctxlab.plots", "ctxlab.report", "ctxlab.widgets")
MODULES = sorted(
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for file in (ROOT / "ctxlab").rglob("*.py")
    if file.name != "__main__.py"
)

# Each module is imported as if it were the first one of ctxlab: only other packages stay loaded.
# One that its package loads is not tried again: Python imports the package first in any case.
IMPORT_ALONE = """
import importlib, json, sys

def ours():
    return {m for m in sys.modules if m.partition(".")[0] == "ctxlab"}

after = {}
for name in json.loads(sys.argv[1]):
    if name in after.get(name.rpartition(".")[0], ()):
        continue
    for loaded in ours():
        del sys.modules[loaded]
    try:
        importlib.import_module(name)
    except ImportError as error:
        sys.exit(f"{name} cannot be imported by itself: {error}")
    after[name] = ours()
print(json.dumps(sorted(sys.modules)))
"""


def _loaded_after(code: str, *args: str) -> set[str]:
    """Modules of a fresh interpreter after `code`."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_import_ctxlab_loads_nothing_heavy() -> None:
    loaded = _loaded_after("import ctxlab, json, sys; print(json.dumps(sorted(sys.modules)))")
    assert "ctxlab" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_every_module_that_draws_imports_by_itself() -> None:
    at_home = [name for name in MODULES if name.startswith(AT_HOME)]
    assert _loaded_after(IMPORT_ALONE, json.dumps(at_home)) >= {"ctxlab.widgets"}


def test_every_other_module_imports_by_itself_and_loads_drawing_and_curves_only_when_used() -> None:
    others = [name for name in MODULES if not name.startswith(AT_HOME)]
    assert {"ctxlab", "ctxlab.events", "ctxlab.dedup.params"} <= set(others)
    assert _loaded_after(IMPORT_ALONE, json.dumps(others)).isdisjoint(LAZY)


def test_public_names_are_few_and_exist() -> None:
    import ctxlab

    names: list[str] = list(getattr(ctxlab, "__all__", []))
    assert len(names) <= 20
    assert sorted(names) == sorted(set(names))
    for name in names:
        assert getattr(ctxlab, name) is not None
