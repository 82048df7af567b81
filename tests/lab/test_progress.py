"""Progress of long work in a notebook; a terminal's is rich's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import RichOutput, capture_output

from ctxlab.lab import _progress
from ctxlab.lab._progress import progress


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """What a notebook would be sent, with work that always takes a while."""
    monkeypatch.setattr(_progress, "_in_notebook", lambda: True)
    monkeypatch.setattr(_progress, "_FIRST_S", 0.0)
    monkeypatch.setattr(_progress, "_NEXT_S", 0.0)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    InteractiveShell.instance()
    yield capture_output
    InteractiveShell.clear_instance()


def pages(outputs: list[RichOutput]) -> list[str]:
    return [output.data["text/html"] for output in outputs]


def test_a_bar_is_drawn_anew_and_leaves_nothing(shown: Any) -> None:
    with shown() as captured, progress("reading", total=2) as show:
        show(1, 2)
        show(2, 2)
    bar = '<progress value="{0}" max="2"></progress> {0} of 2'
    assert pages(captured.outputs) == [
        f"reading {bar.format(1)}",
        f"reading {bar.format(2)}",
        "",
    ]
    assert [bool(output.update) for output in captured.outputs] == [False, True, True]


def test_bytes_are_shown_as_megabytes(shown: Any) -> None:
    with shown() as captured, progress("reading", in_bytes=True) as show:
        show(1_500_000, 20_000_000)
    assert pages(captured.outputs)[0].endswith("2 of 20 MB")


def cut_short() -> None:
    with progress("reading") as show:
        show(1, 2)
        raise ValueError("cut short")


def test_a_bar_is_taken_away_when_the_work_fails(shown: Any) -> None:
    with shown() as captured, pytest.raises(ValueError, match="cut short"):
        cut_short()
    assert [page == "" for page in pages(captured.outputs)] == [False, True]


def test_short_work_shows_nothing(shown: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "_FIRST_S", 1000.0)
    with shown() as captured, progress("reading") as show:
        show(1, 2)
    assert captured.outputs == []


def test_nobody_watches_a_test(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("reading", total=2) as show:
        show(1, 2)
    assert capsys.readouterr() == ("", "")
