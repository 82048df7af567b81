from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("module", ["identity", "pointer", "policy", "ranges", "record"])
def test_examples_in_the_docstrings_hold(module: str) -> None:
    failed, tried = doctest.testmod(import_module(f"ctxlab.dedup.{module}"))
    assert tried > 0
    assert failed == 0
