"""Fixtures that every test may use."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

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
