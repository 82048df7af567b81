"""The command line with --policy surface: what it prints, writes and returns."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console
from rich.table import Table

import ctxlab
from ctxlab.cli import _surface_lines, _surface_tables
from ctxlab.cli._text import short
from ctxlab.lab import SurfaceTuned
from ctxlab.replay import SURFACE_METRICS
from ctxlab.store import open_store
from tests.commands import Run
from tests.pages import HOSTILE
from tests.sessions import BOARD, LIST, Session, compact, row_of, write_answers, write_logs
from tests.store.older import age

SURFACE = ("--policy", "surface")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of tools that answer in JSON, and a lab that holds them."""
    folder = tmp_path_factory.mktemp("made")
    with ctxlab.open(folder / "lab") as lab:
        lab.ingest(write_answers(folder / "logs"))
    return folder


@pytest.fixture
def lab(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "lab", tmp_path / "lab"))


def words_of(text: str) -> str:
    """What a terminal shows, as one line."""
    return re.sub(r"\s+", " ", text)


def ran(folder: Path, *words: str) -> list[str]:
    """What the exported script tells a stand-in for the tool."""
    shell = shutil.which("sh")
    if shell is None:
        pytest.skip("no POSIX shell")
    script = folder / "sqlite-graphrag.sh"
    assert subprocess.run([shell, "-n", script], check=False).returncode == 0
    tool, told = folder / "bin" / "sqlite-graphrag", folder / "told"
    tool.parent.mkdir(exist_ok=True)
    tool.write_text('#!/bin/sh\necho "$@" >> "$TOLD"\n')
    tool.chmod(0o755)
    told.write_text("")
    env = {"PATH": str(tool.parent), "TOLD": str(told)}
    subprocess.run([shell, script, *words], env=env, check=True)
    return told.read_text().splitlines()


# The main job -------------------------------------------------------------------------------------


def test_tune_from_answers_to_settings(run: Run, made: Path, tmp_path: Path) -> None:
    done = run("tune", made / "logs", *SURFACE)
    assert (done.code, done.err) == (0, "")
    told = words_of(done.out)
    assert "24 transcripts in 24 families; 42 answers in JSON of 2 tools, 4.2 kB of" in told
    assert "compact printing alone would save 72 B (1.7%); all savings below are beyond" in told
    assert "quoted something of 24 answers; of 24 something that the agent knew from that" in told
    assert "after 7 answers in JSON (17%) much the same was asked again within 10 calls, as" in told
    assert "1 of these with a larger limit, for the next page or with a narrower filter" in told
    assert "left out: 0 answers cut by the agent's harness, 1 of the same tools that are n" in told
    assert f"│ {LIST} │ 24 │ 3.6 kB │ 0% │ 1 │ 24 │ none │" in told
    assert f"│ {BOARD} │ 18 │ 558 B │ 13% │ 6 │ 0 │ too few │" in told
    assert "│ saved │ -67% │ -66% │ -52% │" in told  # small answers grow under any limit
    assert "for all its commands: no limit because no setting saves anything on the earlier" in told
    assert f"Keys to select: {LIST}: id (saves" in told

    out = tmp_path / "ctxlab-out/surface"
    written = [path for path in out.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in written} == {0o600}
    assert f"{len(written)} files in ctxlab-out/surface; open " in told
    assert {path.name for path in out.iterdir()} == {
        "figures",
        "frames",
        "recommendation.json",
        "report.html",
        "sqlite-graphrag.json",
        "sqlite-graphrag.sh",
    }
    [again] = re.findall(r"work on these transcripts with (--lab \S+ --policy surface)", told)
    assert run("replay", *again.split()).code == 0

    frames = {path.stem: pd.read_parquet(path) for path in (out / "frames").iterdir()}
    assert set(SURFACE_METRICS) <= set(frames["choices"])
    assert len(frames["choices"]) == 720
    assert frames["tools"].tool.tolist() == [LIST, BOARD]
    assert len(frames["tool_curves"]) == 2 * (1 + 8 + 7 + 9)  # off, and each knob
    assert len(frames["answers"]) == 43
    assert len(frames["quotes"]) == 32
    assert set(frames["keys"].key) == {"id", "note", "state"}
    assert "allowed" in frames["prices"]
    assert len(frames["max_items"]) == 9
    assert "text" not in frames["answers"]
    content = json.loads((out / "recommendation.json").read_text())
    assert (content["policy"], content["parameters"]) == ("surface", None)
    assert set(content["by_tool"]) == {LIST, BOARD} == set(content["key_advice"])
    assert ran(out) == []

    source = "ctxlab-out/surface/recommendation.json"
    exported = run("export", "sqlite-graphrag", "--from", source, "--out", "set")
    assert exported.code == 0
    for name in ("sqlite-graphrag.sh", "sqlite-graphrag.json"):
        assert (tmp_path / "set" / name).read_text() == (out / name).read_text()
    refused = run("export", "mushroomdb", "--from", source)
    assert refused.code == 2
    assert "mushroomdb takes parameters of Recall, got Surface" in refused.err


def test_whoever_stops_reading_loses_no_file(made: Path, tmp_path: Path) -> None:
    words = ["tune", str(made / "logs"), *SURFACE, "--lab", "lab", "--out", "out"]
    code = f"import sys; from ctxlab.cli import main; sys.argv[1:] = {words!r}; main()"
    root = str(Path(__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": root, "XDG_CACHE_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        assert b"24 transcripts" in started.stdout.readline()
        started.stdout.close()
        said = started.stderr.read()
    assert b"Traceback" not in said
    assert b"Broken" not in said
    assert started.returncode == 0
    assert (tmp_path / "out/report.html").stat().st_size > 100_000
    assert (tmp_path / "out/sqlite-graphrag.sh").exists()


def test_the_steps_one_by_one(run: Run, lab: Path, tmp_path: Path) -> None:
    done = run("replay", *SURFACE, "--max-items", "1", "--decisions", "d.csv")
    assert done.code == 0
    shown = words_of(done.out)
    for metric in SURFACE_METRICS:
        assert f"│ {metric} │" in shown
    assert "│ harmed_answers │ 8 │" in shown
    assert "│ sort │ none │ dedupe_by │ none │ count_only │ false │" in shown.replace("│ │", "│")
    assert "capped_rows and dropped_rows count rows that other arrays beside it lose" in shown
    assert "│ saved_bytes │ -210 │" in shown
    assert (pd.read_csv(tmp_path / "d.csv").lost_witnesses > 0).sum() == 8

    one = run("replay", *SURFACE, "--max-items", "1", "--tool", LIST)
    assert "│ saved_bytes │ 960 │" in words_of(one.out)

    done = run("sweep", *SURFACE, "--max-items", "0,1-3", "--out", "s.csv", "--figure", "f")
    assert done.code == 0
    frame = pd.read_csv(tmp_path / "s.csv")
    assert frame.max_items.tolist() == [0, 1, 2, 3]
    assert frame.harmed_answers.tolist() == [0, 8, 8, 8]
    assert {"f.svg", "f.png"} <= {path.name for path in tmp_path.iterdir()}

    run("sweep", *SURFACE, "--out", "c.parquet")
    assert len(pd.read_parquet(tmp_path / "c.parquet")) == 10  # all byte ceilings


def test_sets_of_keys_and_filters(run: Run, lab: Path, tmp_path: Path) -> None:
    done = run("sweep", *SURFACE, "--select", "id,title;note;none", "--out", "s.csv")
    assert done.code == 0
    frame = pd.read_csv(tmp_path / "s.csv", keep_default_na=False)
    assert frame["select"].tolist() == ["id, title", "note", ""]
    assert frame.harmed_answers.tolist() == [0, 24, 0]

    several = ("--filter", "id~AB", "--filter", "id!=AB-0000")
    done = run("sweep", *SURFACE, *several, "--max-items", "0,1", "--out", "f.csv")
    assert done.code == 0
    frame = pd.read_csv(tmp_path / "f.csv")
    assert frame.filters.tolist() == ["id~AB, id!=AB-0000"] * 2
    assert frame.kept_rows.tolist() == [95, 24]
    assert frame.lost_witnesses.tolist() == [1, 1 + 8]


def test_a_recommendation_that_allows_harm(run: Run, lab: Path, tmp_path: Path) -> None:
    limits = ("--max-items", "0,1,3", "--tool", LIST)
    done = run("recommend", *SURFACE, *limits, "--harmed", "4", "--out", "r.json")
    assert done.code == 0
    assert "ship: max_items 1\n" in done.out
    assert "saves 26.5% of compact bytes" in done.out
    assert "harms 4 of 12 changed answers, at 95 % in at most 61% of the 12 families w" in done.out
    content = json.loads((tmp_path / "r.json").read_text())
    assert content["parameters"]["max_items"] == 1
    assert content["method"]["harmed_answers_allowed"] == 4

    exported = run("export", "sqlite-graphrag", "--from", "r.json", "--out", "set")
    assert exported.code == 0
    assert ran(tmp_path / "set") == [
        "config set agent_surface.max_items 1",
        "config unset agent_surface.truncate_content",
        "config unset agent_surface.max_output_bytes",
    ]
    assert ran(tmp_path / "set", "undo") == ["config unset agent_surface.max_items"]

    done = run("recommend", *SURFACE, *limits, "--harmed", "3")
    assert done.code == 0
    assert "no limit\n" in done.out
    assert "at the least 4 harmed answers on the earlier transcripts, 3 allowed" in done.out


# Words that are wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["replay", "--max-items", "3"], "--max-items is an option of surface: add --policy surf"),
        (["sweep", "--select", "id"], "--select is an option of surface: add --policy surface"),
        (["replay", "--tool", "x"], "--tool is an option of surface: add --policy surface"),
        (["recommend", "--harmed", "1"], "--harmed is an option of surface: add --policy surface"),
        (["replay", *SURFACE, "--view-calls", "3"], "--view-calls is an option of dedup: add --p"),
        (["replay", *SURFACE, "--max-hits", "3"], "--max-hits is an option of recall: add --pol"),
        (["recommend", *SURFACE, "--harmful", "1"], "--harmful is an option of dedup"),
        (["recommend", *SURFACE, "--keep", "0.5"], "--keep is an option of recall"),
        (["sweep", *SURFACE, "--graph", "git"], "--graph is an option of recall"),
        (["tune", "logs", *SURFACE, "--tools", "read"], "--tools is an option of dedup"),
        (["tune", "logs", *SURFACE, "--graph", "git"], "--graph is an option of recall"),
        (["sweep", *SURFACE, "--filter", "id"], "invalid --filter expression 'id': expected key"),
        (["replay", *SURFACE, "--filter", "=1"], "the key must not be empty"),
        (["recommend", *SURFACE, "--filter", "\x1b"], "invalid --filter expression"),
        (["sweep", *SURFACE, "--select", "id,,title"], "--select must be keys as in id,title, or"),
        (["sweep", *SURFACE, "--max-items", "-1"], "--max-items must be in [0, 1000000000] rows"),
        (["sweep", *SURFACE, "--max-items", "2.5"], "must be a whole number in [0, 1000000000]"),
        (["sweep", *SURFACE, "--count-only", "maybe"], "--count-only must be one of false, true"),
        (["sweep", *SURFACE, "--out", "x.txt"], "cannot tell the format of x.txt: end it in"),
        (["recommend", *SURFACE, "--harmed", "few"], "'few' is not a valid integer"),
        (["recommend", *SURFACE, "--harmed", "-1"], "Invalid value for '--harmed': -1 is not in"),
        (["replay", *SURFACE, "--select", "id;title"], "--select takes one set of keys here: writ"),
        (["sweep", *SURFACE, "--filter", "a=1", "--filter", "none"], "--filter takes none by it"),
        (["sweep", *SURFACE, "--filters", "a=1"], "No such option"),  # older click quotes none
        (["sweep", *SURFACE, "--max-items", "9-1"], "to the larger: write 1-9, got 9-1"),
        (["sweep", *SURFACE, "--out", "no/x.csv"], "cannot write no/x.csv: there is no folder no"),
        (["sweep", *SURFACE, "--figure", "no/x"], "cannot write no/x.png: there is no folder no"),
        (["sweep", *SURFACE, "--figure", "x.pdf"], "--figure is written as PNG and SVG: end it in"),
        (["sweep", *SURFACE, "--figure", "."], "cannot write .: it is a folder, name a file"),
        (["replay", *SURFACE, "--decisions", "no/x.csv"], "there is no folder no; make it, or na"),
        (["recommend", *SURFACE, "--out", "."], "cannot write .: it is a folder, name a file"),
        (["recommend", *SURFACE, "--out", ""], "cannot write '': it is a folder, name a file"),
        (["sweep", *SURFACE], "no lab in lab: run `ctxlab ingest PATH"),
    ],
)
def test_words_that_are_wrong_are_refused_before_any_work(
    run: Run, tmp_path: Path, words: list[str], message: str
) -> None:
    """There is no lab here, and no logs: whatever looked for them would say so."""
    done = run(*words)
    assert done.code == 2
    assert message in words_of(done.err)
    assert "Traceback" not in done.err
    assert not list(tmp_path.iterdir())


def test_a_tool_that_is_not_there(run: Run, lab: Path) -> None:
    for command in ("replay", "sweep", "recommend"):
        done = run(command, *SURFACE, "--tool", LIST, "--tool", "no\x1bbody")
        assert done.code == 2
        assert f"--tool must be one of {LIST}, {BOARD}, got 'no\\x1bbody'" in done.err


# Stores with little in them -----------------------------------------------------------------------


@pytest.mark.parametrize("command", ["replay", "sweep", "recommend"])
def test_an_empty_lab(run: Run, tmp_path: Path, command: str) -> None:
    ctxlab.open(tmp_path / "lab").close()
    done = run(command, *SURFACE)
    assert done.code == 2
    assert "ingest transcripts" in done.err
    assert done.err.count("\n") == 1


def test_logs_without_any_answer_in_json(run: Run, tmp_path: Path) -> None:
    write_logs(tmp_path / "logs", 3)
    done = run("tune", "logs", *SURFACE, "--out", "out", "--lab", "lab")
    assert (done.code, done.err) == (0, "")
    assert "No tool of these transcripts answered in JSON: there is nothing to cut" in done.out
    assert "│" not in done.out  # no table of nothing
    page = (tmp_path / "out/report.html").read_text()
    assert "No tool of these transcripts answered in JSON, so that nothing could be" in page
    for command in ("replay", "sweep", "recommend"):
        done = run(command, *SURFACE, "--lab", "lab")
        assert done.code == 0
        told = words_of(done.out)
        assert "no answer is JSON: there is nothing to cut; the lab holds " in told
        assert " results of tools (" in told
    assert "because nothing answered in JSON here" in told


def test_transcripts_without_answers_of_an_older_ctxlab(run: Run, tmp_path: Path) -> None:
    write_answers(tmp_path / "logs", 3)
    with open_store(tmp_path / "lab") as store:
        store.ingest(tmp_path / "logs")
        age(store)
    line = "3 transcripts were read by an older ctxlab, which kept no answers: surface cannot use"
    for command in ("replay", "sweep", "recommend"):
        assert line in words_of(run(command, *SURFACE).out), command
    assert "kept no answers" not in run("sweep").out
    shutil.move(tmp_path / "logs", tmp_path / "gone")
    (tmp_path / "logs").mkdir()
    shutil.move(tmp_path / "gone/session-000.jsonl", tmp_path / "logs")
    tuned = run("tune", "logs", *SURFACE, "--lab", "lab", "--out", "out")
    assert line.replace("3 ", "2 ", 1) in words_of(tuned.out)


# The width of a terminal --------------------------------------------------------------------------


def shown(table: Table, width: int) -> list[str]:
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(table)
    return captured.get().splitlines()


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SurfaceTuned]:
    """Many tools with long names, and answers large enough to be worth a limit."""
    folder = tmp_path_factory.mktemp("wide")
    for day in range(24):
        session = Session(f"s{day:02}", day).prompt()
        for tool in range(15):
            ids = [f"AB-{day:02}{tool:02}{i:02}" for i in range(30)]
            name = f"mcp__a_server_with_a_name__list_all_of_them_{tool}"
            session.call(name, {}, compact({"items": [row_of(one) for one in ids]}))
            session.runs(f"tracker show {ids[0]}", "it waits")
        session.write(folder / "logs" / f"{day}.jsonl")
    with ctxlab.open() as opened:
        opened.ingest(folder / "logs")
        yield opened.tune_surface()


@pytest.mark.parametrize("width", [80, 120])
def test_tables_fit_the_terminal(wide: SurfaceTuned, width: int) -> None:
    assert wide.recommended.params is not None  # so that the column of the choice is there
    made = _surface_tables.tables(wide)
    assert len(made) == 3
    for table in made:
        lines = shown(table, width)
        assert max(map(len, lines)) <= 80  # whatever the width: a file has none
        assert "…" not in "".join(lines)  # nothing is cut for want of columns
    told = words_of(" ".join(shown(made[2], width)))
    assert "3 others" in told
    assert "in report" in told


def test_few_of_many_tools_are_listed(wide: SurfaceTuned) -> None:
    said = _surface_lines.recommendation_lines(wide)
    assert said.count("  3 more: see the report") == 2  # limits, and keys to select
    [first] = [line for line in said if "them_0: max_items 1; saves" in line]
    assert "harms 0 of 12 changed answers, at 95 % in at most 22% of the 12 families" in first


def test_every_price_is_told(wide: SurfaceTuned) -> None:
    prices = shown(_surface_tables.price_table(wide) or Table(), 80)
    rows = [re.split(r"\s*│\s*", line)[1:-1] for line in prices if line.startswith("│")]
    assert [row[0] for row in rows] == ["0", "1", "2", "5", "10"]
    best = wide.choices.prices().iloc[0]
    assert rows[0][1] == "0"
    assert str(int(best.harmed_answers)) == rows[0][1]
    assert wide.recommended.params is not None
    assert "not to ship" in words_of(" ".join(prices))


@pytest.mark.parametrize(
    ("value", "told"),
    [(0, "0"), (99_999, "99,999"), (100_000, "100k"), (999_000, "999k"), (12_345_678, "12.3M")],
)
def test_large_counts_are_short(value: float, told: str) -> None:
    assert short(value) == told


# What reaches the terminal and the files ----------------------------------------------------------

STEERS = {"Cc", "Cf", "Zl", "Zp", "Cs"}


def steering(text: str) -> set[str]:
    return {c for c in text if c != "\n" and unicodedata.category(c) in STEERS}


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tools and keys that would steer a terminal or a page, or are very long."""
    folder = tmp_path_factory.mktemp("evil")
    for day in range(2):
        session = Session(f"s{day}", day).prompt()
        for name in HOSTILE.values():
            text = json.dumps({"items": [{name: "AB-1000", "id": name}]})
            session.call(f"mcp__{name}__x", {"q": name}, text)
            session.runs("tracker show AB-1000", "it waits")
        session.write(folder / f"{day}.jsonl")
    return folder


def test_nothing_that_steers_leaves_by_tune(run: Run, evil: Path, tmp_path: Path) -> None:
    done = run("tune", evil, *SURFACE, "--out", "out", "--lab", "lab")
    assert done.code == 0, done.err
    assert not steering(done.out + done.err)
    paths = [p for p in (tmp_path / "out").rglob("*") if p.suffix in (".html", ".svg", ".sh")]
    assert len(paths) == 1 + 12 + 1
    for path in paths:
        text = path.read_text("utf-8")
        assert not steering(text), path
        assert "<img src=x" not in text, path
        assert "<script" not in text, path
    keys = pd.read_parquet(tmp_path / "out/frames/keys.parquet")
    assert HOSTILE["script"] in set(keys.key)  # a frame holds what was there
    for command in ("replay", "sweep", "recommend"):
        for words in ((), ("--tool", "nobody")):
            shown = run(command, *SURFACE, "--lab", "lab", *words)
            assert shown.code == (2 if words else 0)
            assert not steering(shown.out + shown.err)


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """No figure may stay open behind a command."""
    import matplotlib.pyplot as plt

    yield
    assert not plt.get_fignums()
