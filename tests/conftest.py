"""Fixtures that every test may use."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tests.commands import Done, Run

ROOT = Path(__file__).parents[1]

settings.register_profile("fast", max_examples=50, deadline=None)
settings.register_profile("nightly", max_examples=2000, deadline=None)
settings.load_profile("fast")


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
