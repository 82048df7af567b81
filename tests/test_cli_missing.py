"""What the command line says of transcripts that an older ctxlab read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ctxlab.cli import main
from ctxlab.cli._missing import unanswered_lines
from ctxlab.schema import OLDEST_READABLE
from ctxlab.store import open_store
from tests.sessions import Session, write_logs
from tests.store.older import age, written_with


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """Transcripts that an older ctxlab read; all but one file stand."""
    write_logs(tmp_path / "logs", 3)
    with open_store(tmp_path / "lab") as store:
        store.ingest(tmp_path / "logs")
        age(store)
    sorted((tmp_path / "logs").rglob("*.jsonl"))[0].unlink()
    return tmp_path / "lab"


def out(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: object) -> str:
    monkeypatch.setattr(sys, "argv", ["ctxlab", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    found = capsys.readouterr()
    assert not ended.value.code, found.err
    return found.out


def test_transcripts_without_words_are_counted(
    lab: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "{} read by an older ctxlab, which kept no prompts: recall cannot use {} until ingested"
    three, one = line.format("3 transcripts were", "them"), line.format("1 transcript was", "it")
    assert three in out(capsys, monkeypatch, "doctor", "--lab", lab)
    assert "older ctxlab" not in out(capsys, monkeypatch, "sweep", "--lab", lab)
    tuned = out(
        capsys,
        monkeypatch,
        *("tune", "--policy", "recall", lab.parent / "logs", "--lab", lab),
        *("--out", lab.parent / "out"),
    )
    assert one in tuned
    assert one in out(capsys, monkeypatch, "doctor", "--lab", lab)
    assert one in out(capsys, monkeypatch, "sweep", "--policy", "recall", "--lab", lab)


def test_nothing_is_said_where_nothing_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Session("a").prompt().write(tmp_path / "a.jsonl")
    assert "older" not in out(
        capsys, monkeypatch, "ingest", tmp_path / "a.jsonl", "--lab", tmp_path / "lab"
    )
    assert "older" not in out(capsys, monkeypatch, "doctor", "--lab", tmp_path / "lab")


def test_what_is_in_no_answer_is_named(
    lab: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(lab) as store:
        written_with(store, OLDEST_READABLE - 1)
        gone = next(path for path in store.unanswered() if not Path(path).exists())
    assert f"(3: {gone}" in out(capsys, monkeypatch, "doctor", "--lab", lab)
    said = (
        "1 transcript was read by an older ctxlab and left out of all answers until ingested "
        f"again: {gone}"
    )
    assert said in out(capsys, monkeypatch, "ingest", lab.parent / "logs", "--lab", lab)
    assert said in out(capsys, monkeypatch, "doctor", "--lab", lab)


def test_many_are_counted_and_few_named() -> None:
    assert unanswered_lines(()) == []
    (line,) = unanswered_lines([f"/{n}\x1b" for n in range(7)])
    assert line.startswith("7 transcripts")
    assert line.endswith("/3\\x1b, /4\\x1b and 2 more")
