"""Fixtures that every test may use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.commands import Done, Run

ROOT = Path(__file__).parents[1]

settings.register_profile("fast", max_examples=50, deadline=None)
settings.register_profile("nightly", max_examples=2000, deadline=None)
settings.load_profile("fast")


@pytest.fixture(scope="session", autouse=True)
def _kept_bytecode(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Where Python may not keep what it compiles, each process of a test would compile it again."""
    with pytest.MonkeyPatch.context() as patch:
        if sys.dont_write_bytecode:
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("bytecode")))
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """Real transcripts and conformance vectors beside the repository, where present."""
    folder = ROOT.parent / "shared"
    if not (folder / "conformance").is_dir():
        pytest.skip("the folder of real transcripts is not beside this clone")
    return folder


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run `ctxlab` with these words, in an empty folder and home."""
    from ctxlab.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run_words(*words: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["ctxlab", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        found = capsys.readouterr()
        return Done(int(ended.value.code or 0), found.out, found.err)

    return run_words
