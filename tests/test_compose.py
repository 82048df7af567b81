"""From the results of the main job to what a report says of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import ctxlab
from ctxlab.cli import _tables
from ctxlab.lab import Lab, Tuned
from ctxlab.report import ReportContent, compose, render
from ctxlab.report._figures import pictures_of
from ctxlab.report._read import data_of, problems_of
from ctxlab.transcripts import contentfree
from tests.plots.test_contract import words
from tests.sessions import Session, write_logs

REJECTED, NOTED = b"{broken\n", b'{"type":"user","message":{"content":"\xff"}}\n'


@dataclass(frozen=True)
class Composed:
    lab: Lab
    tuned: Tuned
    content: ReportContent


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Composed]:
    """Few families, one with a resumed copy, a broken record and one read with a note."""
    folder = tmp_path_factory.mktemp("composed")
    write_logs(folder / "logs", 12)
    session = Session("twice", 20).prompt().read("/project/a.py").read("/project/a.py")
    first = session.write(folder / "logs" / "project" / "twice.jsonl")
    (folder / "logs" / "project" / "copy.jsonl").write_bytes(first.read_bytes() + REJECTED + NOTED)
    with ctxlab.open(folder / "lab") as lab:
        lab.ingest(folder / "logs")
        tuned = lab.tune()
        yield Composed(lab, tuned, compose(lab, tuned, "today"))


def test_every_setting_stands_once_with_its_label(made: Composed) -> None:
    rows = made.content.sweep
    assert rows is not None
    named = [(row.label, row.settings["min_delta_chars"]) for row in rows]
    assert len(set(named)) == len(named)
    assert ("≥ 8 lines, 4 calls, connection, whole_file", 160) in named
    assert ("≥ 8 lines, all calls, thread, reset at compaction, whole_file", 0) in named
    sweeps = (made.tuned.overview, made.tuned.shipped, made.tuned.own)
    cells = {cell for sweep in sweeps for cell in sweep.table.cells}
    assert made.content.computed == len(cells)
    assert len(rows) < len(cells) < sum(len(sweep.table.cells) for sweep in sweeps)


def test_withheld_share_is_of_the_source_served(made: Composed) -> None:
    frame = made.tuned.overview.frame()
    shares = set(frame.withheld_bytes / frame.touched_bytes)
    assert {row.withheld.value for row in made.content.headline} <= shares
    assert any(row.withheld.value for row in made.content.headline)


def test_base_rates_have_the_share_of_windows_cut(made: Composed) -> None:
    rows = made.content.base_rates
    assert rows
    assert all(row.cut.known == "measured" for row in rows)
    for row in rows:
        assert row.cut.value is not None
        assert (row.incidence.value is not None) == (row.cut.value > 0.1)


def test_threads_are_counted_without_copies(made: Composed) -> None:
    logs = list(made.lab.store.iter_logs())
    used = [set(log.calls.thread.tolist()) | set(log.usage.thread.tolist()) for log in logs]
    in_files = "select count(*) from (select distinct source_id, thread from events)"
    assert made.content.data.threads == sum(map(len, used))
    assert made.content.data.threads < made.lab.sql(in_files).fetchall()[0][0]


def test_rejected_records_are_told_from_noted_ones(made: Composed) -> None:
    given, problems = made.content.data, made.content.problems
    assert problems is not None
    assert sum(given.rejected.values()) == 1
    assert sum(given.noted.values()) == 1
    assert {p.cause for p in problems if p.n_bytes} == set(given.rejected)
    assert {p.cause for p in problems if not p.n_bytes} == set(given.noted)


def test_alt_texts_say_where_the_figures_stand(made: Composed) -> None:
    for name in ("shipped", "own"):
        for kind in ("savings_curve", "heatmap"):
            alt = made.content.pictures[f"{kind}_{name}"].alt
            assert "“Selected settings”" in alt
            assert f"frames/sweep_{name}.parquet" in alt


def test_own_record_marks_no_shipped_setting(made: Composed) -> None:
    for kind in ("savings_curve", "heatmap"):
        assert "shipped" in words(made.content.pictures[f"{kind}_shipped"].drawing)
        assert "shipped" not in words(made.content.pictures[f"{kind}_own"].drawing)


def test_transcripts_without_a_choice_are_drawn_at_the_shipped_constants(made: Composed) -> None:
    own = made.tuned.recommended_own
    without = replace(own.choice, status="none", cell=None, chosen_on=None, judged_on=None)
    tuned = replace(made.tuned, recommended_own=type(own)(without, own.certificate))
    picture = pictures_of(made.lab, tuned)["transcripts"]
    setting = "≥ 8 lines, 4 calls, thread, reset at compaction, min_delta_chars 160"
    assert f"Setting: {setting} (the shipped constants)" in picture.caption
    assert f"Setting: {setting}" in words(picture.drawing)


def test_transcripts_name_the_chosen_setting(made: Composed) -> None:
    cell = made.tuned.recommended_own.choice.cell
    title = made.content.pictures["transcripts"].title
    assert f"≥ {cell.params.min_covered_lines if cell else 8} lines" in title


def test_content_free_sets_give_no_dates(made: Composed, tmp_path: Path) -> None:
    assert made.content.data.first == "2026-01-01"
    assert made.content.data.undated == 0
    contentfree.write(made.lab.store.iter_logs(), tmp_path / "set")
    with ctxlab.open(tmp_path / "lab") as lab:
        lab.ingest(tmp_path / "set")
        given = data_of(lab, made.tuned.survey, "")
        assert given.first is given.last is None
        assert given.undated == given.transcripts == 15
        assert problems_of(lab) == ()


def test_where_no_source_was_served_there_is_nothing_to_show(tmp_path: Path) -> None:
    Session("one").prompt().runs("ls", "a.py").write(tmp_path / "a.jsonl")
    with ctxlab.open(tmp_path / "lab") as lab:
        lab.ingest(tmp_path / "a.jsonl")
        tuned = lab.tune()
        content = compose(lab, tuned, "today")
    assert content.headline == ()
    assert content.pictures == {}
    assert "delivered no source" in content.notes[-1]
    assert "No figures were made." in render(content)
    assert _tables.tables(tuned) == []
