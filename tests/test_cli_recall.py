"""The command line with --policy recall: what it prints, writes and returns."""

from __future__ import annotations

import json
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pandas as pd
import pytest

import ctxlab
from ctxlab.recall.graph import Node
from ctxlab.recall.jsongraph import Dated, write_graph
from ctxlab.replay import RECALL_METRICS
from tests.commands import Run
from tests.repositories import commit, git
from tests.sessions import START, Session, write_logs, write_prompts

BUNDLED = Path(__file__).parents[1] / "data" / "claude_code"
DAY = timedelta(days=1)
RECALL = ("--policy", "recall")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of prompts, and a lab that holds them."""
    folder = tmp_path_factory.mktemp("made")
    with ctxlab.open(folder / "lab") as lab:
        lab.ingest(write_prompts(folder / "logs"))
    return folder


@pytest.fixture
def lab(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "lab", tmp_path / "lab"))


def words_of(text: str) -> str:
    """What a terminal shows, as one line."""
    return re.sub(r"\s+", " ", text)


# The main job -------------------------------------------------------------------------------------


def test_tune_from_prompts_to_settings(run: Run, made: Path, tmp_path: Path) -> None:
    done = run("tune", made / "logs", *RECALL)
    assert (done.code, done.err) == (0, "")
    told = words_of(done.out)
    assert "24 transcripts in 24 families; 45 prompts in 2 projects graph: history, " in told
    assert "nothing was the right answer at 64% of 45 prompts" in told
    assert "44 prompts name an identifier, 43 match something (measured)" in told
    assert "Does a higher score mean more use? AUC and 95 % interval; 0.5 is chance" in told
    assert "all prompts: 0.93 (0.83 to 0.97; prompts: 16 with use, 27 without; few fam" in told
    assert "prompt had not named it: cannot be told" in told
    assert "To ship with mushroomdb as it is: no floor because these logs cannot tell: " in told
    assert "What the hook would have printed" in told
    assert "│ 43 │ 20 │ 0 │" in told

    out = tmp_path / "ctxlab-out/recall"
    written = [path for path in out.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in written} == {0o600}
    assert {path.name for path in out.iterdir()} == {
        "figures",
        "frames",
        "mushroomdb.json",
        "recommendation.json",
        "report.html",
    }
    assert f"{len(written)} files in ctxlab-out/recall; open " in told
    [again] = re.findall(r"work on these transcripts with (--lab \S+ --policy recall)", told)
    assert run("replay", *again.split()).code == 0
    content = json.loads((out / "recommendation.json").read_text())
    assert (content["policy"], content["parameters"]) == ("recall", None)
    frames = {path.stem: pd.read_parquet(path) for path in (out / "frames").iterdir()}
    assert len(frames["prompts"]) == 45
    assert set(RECALL_METRICS) <= set(frames["floors"])
    assert frames["repeats"].suppress_repeats.tolist() == [False, True]
    assert set(frames["coverage_gate"].gate) == {"coverage"}
    assert set(frames["graphs"].project) == {"pumps", "valves"}
    assert frames["gate_leaks"].term[0] == "item"
    signal = frames["signal"].set_index("name")
    told = json.loads((out / "recommendation.json").read_text())["signal"]
    assert signal.auc.dropna().to_dict() == {
        name: found["value"] for name, found in told.items() if found["value"] is not None
    }
    assert signal.index.tolist() == list(told) == ["pooled", "within", "told"]
    assert set(signal) == {
        *("auc", "low", "high", "used", "unused", "families", "effective_families"),
        *("confidence", "indicative"),
    }
    curve = frames["precision_recall"]
    assert (curve.base_rate < curve.average_precision).all()
    corpus = frames["corpus"].set_index("what")
    assert corpus.n[["transcripts", "families", "agents"]].tolist() == [24, 24, 24]
    assert corpus.of["agents"] == "claude_code"
    assert corpus.text["data_hash"]
    assert corpus.n["rejected"] == 0

    source = "ctxlab-out/recall/recommendation.json"
    exported = run("export", "mushroomdb", "--from", source, "--out", "set")
    assert (exported.code, exported.out) == (0, "wrote set/mushroomdb.json\n")
    assert (tmp_path / "set/mushroomdb.json").read_text() == (out / "mushroomdb.json").read_text()
    own = run("export", "mushroomdb", "--from", source, "--record", "own", "--out", "own")
    assert own.code == 0
    certificate = json.loads((tmp_path / "own/mushroomdb.json").read_text())["certificate"]
    assert certificate == {k: v for k, v in content["own"].items() if k != "parameters"}
    refused = run("export", "codegraph", "--from", source)
    assert refused.code == 2
    assert "codegraph takes parameters of Dedup, got Recall" in refused.err
    assert not list(tmp_path.glob("codegraph.*"))


def test_the_steps_one_by_one(run: Run, lab: Path, tmp_path: Path) -> None:
    done = run("replay", *RECALL, "--min-hit-score", "1", "--decisions", "d.csv")
    assert done.code == 0
    shown = words_of(done.out)
    for metric in RECALL_METRICS:
        assert f"│ {metric} │" in shown
    decisions = pd.read_csv(tmp_path / "d.csv")
    assert set(decisions.kind) == {"asked", "unrelated", "joined", "absent"}
    fires = decisions[decisions.kind == "asked"].fires.sum()
    assert f"│ fires │ {fires} │" in shown

    done = run(
        "sweep", *RECALL, "--min-hit-score", "0-2:0.5,4", "--max-hits", "1-3", "--out", "s.csv"
    )
    assert done.code == 0
    frame = pd.read_csv(tmp_path / "s.csv")
    assert sorted(set(frame.min_hit_score)) == [0, 0.5, 1, 1.5, 2, 4]
    assert sorted(set(frame.max_hits)) == [1, 2, 3]
    row = frame[(frame.min_hit_score == 1) & (frame.max_hits == 1)].iloc[0]
    assert row.precision == row.used_pointers / row.pointers

    assert len(pd.read_csv(tmp_path / "s.csv")) == 18
    done = run("sweep", *RECALL, "--figure", "floors")
    assert done.code == 0
    assert (tmp_path / "floors.svg").exists()
    assert (tmp_path / "floors.png").exists()

    done = run(
        "recommend", *RECALL, "--min-hit-score", "0.05,1,2", "--keep", "0.5", "--out", "r.json"
    )
    assert done.code == 0
    assert "ship: min_hit_score 1\n" in done.out
    assert "saves" in done.out
    assert "loses 0.00% of its used lines" in done.out
    assert json.loads((tmp_path / "r.json").read_text())["parameters"]["min_hit_score"] == 1
    assert run("export", "mushroomdb", "--from", "r.json").code == 0
    content = json.loads((tmp_path / "mushroomdb.json").read_text())
    assert content["constants"]["MIN_HIT_SCORE"] == 1


def test_a_range_with_steps_has_both_its_ends(run: Run, lab: Path, tmp_path: Path) -> None:
    run("sweep", *RECALL, "--min-hit-score", "0-8:0.1", "--out", "s.csv")
    floors = pd.read_csv(tmp_path / "s.csv").min_hit_score
    assert floors.tolist() == [n / 10 for n in range(81)]


def test_exports_of_dedup_are_not_recalls(run: Run, tmp_path: Path) -> None:
    with ctxlab.open(tmp_path / "lab") as lab:
        lab.ingest(write_logs(tmp_path / "logs", 2))
    assert run("recommend", "--min-covered-lines", "8", "--out", "r.json").code == 0
    done = run("export", "mushroomdb", "--from", "r.json")
    assert done.code == 2
    assert "mushroomdb takes parameters of Recall, got Dedup" in done.err
    assert run("export", "codegraph", "--from", "r.json").code in (0, 2)
    assert not (tmp_path / "mushroomdb.json").exists()


# Words that are wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["replay", "--min-hit-score", "3"],
            "--min-hit-score is an option of recall: add --policy",
        ),
        (["replay", "--graph", "git"], "--graph is an option of recall: add --policy recall"),
        (["recommend", "--keep", "0.5"], "--keep is an option of recall: add --policy recall"),
        (["sweep", "--suppress-repeats", "true"], "--suppress-repeats is an option of recall"),
        (["replay", *RECALL, "--view-calls", "3"], "--view-calls is an option of dedup: add --pol"),
        (["replay", *RECALL, "--tools", "read"], "--tools is an option of dedup"),
        (["sweep", *RECALL, "--proof", "hunks"], "--proof is an option of dedup"),
        (["recommend", *RECALL, "--harmful", "1"], "--harmful is an option of dedup"),
        (["tune", "logs", *RECALL, "--tools", "read"], "--tools is an option of dedup"),
        (["tune", "logs", "--graph", "git"], "--graph is an option of recall"),
        (
            ["replay", "--policy", "ranges"],
            "Invalid value for '--policy': 'ranges' is not one of",
        ),
        (["replay", *RECALL, "--min-hit-score", "15"], "must be in [0, 14] BM25, got 15"),
        (["replay", *RECALL, "--min-hit-score", "nan"], "must be a number in [0, 14] BM25"),
        (
            ["replay", *RECALL, "--min-hit-score", "1-3"],
            "must be a number in [0, 14] BM25, got '1-3'",
        ),
        (["replay", *RECALL, "--max-hits", "2.5"], "must be a whole number in [1, 12] lines"),
        (["replay", *RECALL, "--gate", "open"], "--gate must be one of identifier, coverage, got"),
        (["sweep", *RECALL, "--min-hit-score", "0-8"], "takes ranges with a step, such as 0-8:0.5"),
        (["sweep", *RECALL, "--min-hit-score", "0-8:0"], "values with a step above 0, got 0-8:0"),
        (
            ["sweep", *RECALL, "--min-hit-score", "0-8:.00001"],
            "takes ranges of at most 10,000 values",
        ),
        (["sweep", *RECALL, "--min-hit-score", "0-8:.."], "takes ranges with a step, such as"),
        (["sweep", *RECALL, "--min-hit-score", "8-0:1"], "to the larger: write 0-8:1, got 8-0:1"),
        (["sweep", *RECALL, "--min-hit-score", "0-15:1"], "must be in [0, 14] BM25, got 15.0"),
        (["sweep", *RECALL, "--min-hit-score", ""], "must be a number in [0, 14] BM25, got ''"),
        (["sweep", *RECALL, "--max-hits", "1-13:2"], "must be in [1, 12] lines, got 13"),
        (["sweep", *RECALL, "--gate", "identifier,coverage"], "must have one value in a sweep"),
        (["recommend", *RECALL, "--min-hit-score", "3"], "must hold the shipped default"),
        (["recommend", *RECALL, "--gate", "coverage"], "the coverage gate has no score"),
        (["recommend", *RECALL, "--keep", "1"], "1.0 is not in the range 0<x<1"),
        (["recommend", *RECALL, "--keep", "much"], "'much' is not a valid float"),
        (["replay", *RECALL, "--graph", "nowhere"], "no graph at 'nowhere': name a git repository"),
        (["replay", *RECALL, "--graph", "x" * 300], "no graph at 'xxx"),
        (["replay", *RECALL, "--graph", ""], "no graph at ''"),
        (["replay", *RECALL, "--graph", "git"], "in a directory that is still in a git repository"),
        (["sweep", *RECALL, "--graph", "lab"], "is in no git repository"),
        (["sweep", *RECALL, "--lab", "none"], "no lab in none: run `ctxlab ingest PATH"),
    ],
)
def test_words_that_are_wrong(run: Run, lab: Path, words: list[str], message: str) -> None:
    done = run(*words)
    assert done.code == 2
    assert message in words_of(done.err)
    assert "Traceback" not in done.err


# Stores without anything to look up ---------------------------------------------------------------

COMMANDS = [["sweep"], ["replay"], ["recommend"]]


def traffic(folder: Path) -> Path:
    """Recorded MCP traffic: one call and its answer."""
    records = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "explore", "arguments": {}},
        },
        {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "1\\tx"}]}},
    ]
    folder.mkdir()
    path = folder / "a.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def content_free(folder: Path) -> Path:
    folder.mkdir()
    for name in sorted(path.name for path in BUNDLED.glob("*.jsonl"))[:2]:
        shutil.copy(BUNDLED / name, folder / name)
    return folder


def agents_alone(folder: Path) -> Path:
    Session("one").read("/project/a.py").write(folder / "a.jsonl")
    return folder


@pytest.mark.parametrize("make", [traffic, content_free, agents_alone])
@pytest.mark.parametrize("graph", [[], ["--graph", "git"]])
def test_logs_without_prompts_say_so(
    run: Run, tmp_path: Path, make: Callable[[Path], Path], graph: list[str]
) -> None:
    logs = make(tmp_path / "logs")
    assert run("ingest", logs).code == 0
    for command in [*COMMANDS, ["tune", str(logs)]]:
        done = run(*command, *RECALL, *graph)
        assert done.code == 2
        assert done.err.startswith("ctxlab: no transcript holds a prompt to look up: MCP traffic")
        assert done.err.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_an_empty_lab(run: Run, tmp_path: Path, command: list[str]) -> None:
    ctxlab.open(tmp_path / "lab").close()
    done = run(*command, *RECALL)
    assert done.code == 2
    assert "ingest transcripts" in done.err
    assert done.err.count("\n") == 1


def test_a_lab_of_empty_prompts(run: Run, tmp_path: Path) -> None:
    Session("one").prompt("").prompt(" \n").prompt("[Request interrupted by user]").write(
        tmp_path / "a.jsonl"
    )
    done = run("tune", "a.jsonl", *RECALL)
    assert done.code == 2
    assert "no transcript holds a prompt to look up" in done.err


def test_a_prompt_of_a_megabyte(run: Run, tmp_path: Path) -> None:
    huge = "`" + "a_" * 500_000 + "`"
    many = "Why does start_pump fail in src/pump.py? " * 25_000
    session = Session("one", cwd="/src/pumps")
    session.prompt(many).shows("/src/pumps/src/pump.py", "def start_pump():").says("start_pump")
    session.prompt(huge).says("src/pump.py").write(tmp_path / "a.jsonl")
    done = run("tune", "a.jsonl", *RECALL)
    assert (done.code, done.err) == (0, "")
    assert "2 prompts name an identifier, 0 match something" in words_of(done.out)
    report = (tmp_path / "ctxlab-out/recall/report.html").read_text()
    assert "a_" * 200 not in report
    assert "characters left out" in report


# Graphs through the command line ------------------------------------------------------------------


@pytest.fixture
def pumps(tmp_path: Path) -> Path:
    """A repository of the name of a project of the lab."""
    folder = tmp_path / "pumps"
    commit(folder, {"pump.py": "def start_pump():\n    '''Start it.'''\n"}, at=START - DAY)
    commit(folder, {"items.py": "def make_item(): ...\n"}, at=START + 3 * DAY)
    return folder


def fires(run: Run, *graph: str | Path) -> float:
    done = run("replay", *RECALL, "--graph", *graph)
    assert (done.code, done.err) == (0, ""), done.err
    [n] = re.findall(r"│ fires +│ (\S+)", done.out)
    return float(n)


def test_a_repository_bare_or_not_gives_the_same(run: Run, lab: Path, pumps: Path) -> None:
    plain = fires(run, pumps)
    assert plain > 16
    git(pumps.parent, "clone", "--quiet", "--bare", str(pumps), "bare/pumps.git")
    assert fires(run, pumps.parent / "bare/pumps.git") == plain
    assert fires(run, f"pumps={pumps}") == plain
    write_graph(
        [Dated(Node("Symbol", "pump.py#start_pump", {"name": "start_pump"}))],
        pumps.parent / "export.json",
        store_label="pumps",
    )
    assert fires(run, "export.json") > 0
    assert fires(run, "valves=export.json") == 0


def test_the_repositories_of_the_projects_themselves(run: Run, pumps: Path, tmp_path: Path) -> None:
    write_prompts(tmp_path / "logs", 6, pumps=str(pumps))
    done = run("tune", "logs", *RECALL, "--graph", "git", "--out", "out")
    assert (done.code, done.err) == (0, "")
    told = words_of(done.out)
    assert "graph: git" in told
    assert "2 prompts have no graph and are left out of all figures: valves: 2 of 2; /src/v" in told
    assert "no such folder" in told
    content = json.loads((tmp_path / "out/recommendation.json").read_text())
    origins = {row["project"]: row["origin"] for row in content["data"]["graphs"]}
    assert origins["pumps"].startswith("git repository pumps: 2 commits of HEAD")
    assert content["data"]["prompts_before_a_graph"] == 2


def test_a_shallow_clone_answers_what_it_can_and_says_so(
    run: Run, lab: Path, pumps: Path, tmp_path: Path
) -> None:
    whole = fires(run, pumps)
    git(tmp_path, "clone", "--quiet", "--depth=1", pumps.as_uri(), "cut/pumps")
    assert 0 < fires(run, "cut/pumps") < whole
    with ctxlab.open(lab) as opened:
        told = opened.sweep(ctxlab.Recall, graph=tmp_path / "cut/pumps").graphs()
    assert "the clone is shallow: prompts before its oldest commit have no graph" in " ".join(
        told.origin
    )


def lose_commit(folder: Path) -> None:
    sha = git(folder, "rev-parse", "HEAD")
    (folder / ".git/objects" / sha[:2] / sha[2:]).unlink()


def lose_first_commit(folder: Path) -> None:
    sha = git(folder, "rev-parse", "HEAD~1")
    (folder / ".git/objects" / sha[:2] / sha[2:]).unlink()


def lose_tree(folder: Path) -> None:
    sha = git(folder, "rev-parse", "HEAD^{tree}")
    (folder / ".git/objects" / sha[:2] / sha[2:]).unlink()


def lose_head(folder: Path) -> None:
    (folder / ".git/HEAD").write_bytes(b"\0\x1b[31m")


def lose_commits(folder: Path) -> None:
    shutil.rmtree(folder / ".git")
    git(folder, "init", "--quiet")


def lose_repository(folder: Path) -> None:
    shutil.rmtree(folder / ".git")


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lose_commit, "run git fsck there"),
        (lose_first_commit, "run git fsck there"),
        (lose_tree, "run git fsck there"),
        (lose_head, "is in no git repository"),
        (lose_commits, "has no commits yet; commit something"),
        (lose_repository, "is in no git repository; name a folder of one, or run git init"),
    ],
)
def test_repositories_that_cannot_be_read(
    run: Run, lab: Path, pumps: Path, break_it: Callable[[Path], None], message: str
) -> None:
    break_it(pumps)
    for command in ("replay", "sweep", "recommend"):
        done = run(command, *RECALL, "--graph", pumps)
        assert done.code == 2, done.out
        assert message in done.err
        assert done.err.count("\n") == 1
        assert "\x1b" not in done.err


def test_a_file_that_git_cannot_read_is_left_out_and_told(run: Run, lab: Path, pumps: Path) -> None:
    sha = git(pumps, "rev-parse", "HEAD:items.py")
    (pumps / ".git/objects" / sha[:2] / sha[2:]).unlink()
    assert fires(run, pumps) > 0
    with ctxlab.open(lab) as opened:
        told = opened.sweep(ctxlab.Recall, graph=pumps).graphs()
    assert (
        "as their content is not there (a partial clone, or damage: run git fsck): 1"
        in " ".join(told.origin)
    )


def test_an_export_that_is_broken(run: Run, lab: Path, tmp_path: Path) -> None:
    for text, message in [
        ("", "no JSON"),
        ("[]", "must be an object with `nodes`"),
        ("{}", "holds no nodes"),
        ('{"nodes": []}', "holds no nodes"),
        ('{"nodes": [{"label": "File"}]}', "key"),
    ]:
        (tmp_path / "g.json").write_text(text)
        done = run("replay", *RECALL, "--graph", "g.json")
        assert done.code == 2
        assert message in done.err
        assert done.err.count("\n") == 1


# What reaches the terminal, the report and the files ----------------------------------------------

EVIL = "\x1b[31mred\x07\u202egpj.\u2066\x9b31m<img src=x onerror=alert(1)>&amp;\u200b"
STEERS = {"Cc", "Cf", "Zl", "Zp", "Cs"}


def steering(text: str) -> set[str]:
    return {c for c in text if c != "\n" and unicodedata.category(c) in STEERS}


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prompts, names, comments, directories and commits that would steer a terminal or a page."""
    folder = tmp_path_factory.mktemp("evil")
    repository = folder / EVIL
    source = f"def start_pump():\n    '''{EVIL}'''\n"
    commit(repository, {f"{EVIL}.py": source, f"{EVIL}.md": f"# {EVIL}"}, EVIL, at=START - DAY)
    for day, cwd in enumerate([str(repository), f"/src/{EVIL}", "/src/pumps"]):
        session = Session(EVIL + str(day), day, cwd=cwd)
        for _ in range(2):
            session.prompt(f"Does `{EVIL}_a` break start_pump? See {EVIL}/b_c.py, {day} and {EVIL}")
            session.shows(f"{cwd}/{EVIL}.py", *source.splitlines()).says(f"start_pump, {EVIL}.py")
        session.write(folder / "logs" / f"{EVIL}{day}.jsonl")
    return folder


def test_nothing_that_steers_leaves_by_tune(run: Run, evil: Path, tmp_path: Path) -> None:
    done = run("tune", evil / "logs", *RECALL, "--graph", "git", "--out", "out")
    assert done.code == 0, done.err
    assert not steering(done.out + done.err)
    texts = {
        path.relative_to(tmp_path): path.read_text("utf-8")
        for path in (tmp_path / "out").rglob("*")
        if path.suffix in (".json", ".html", ".svg")
    }
    assert len(texts) == 2 + 1 + 5
    for path, text in texts.items():
        assert not steering(text), path
        if path.suffix != ".json":
            assert "<img src=x" not in text, path
    content = json.loads((tmp_path / "out/recommendation.json").read_text())
    names = {row["project"] for row in content["data"]["graphs"]}
    assert any(EVIL in name for name in names)  # the value is what it was
    leaks = pd.read_parquet(tmp_path / "out/frames/gate_leaks.parquet")
    assert leaks.term.str.contains("\x1b").any()  # and so it is in a frame, which no terminal reads


def test_nothing_that_steers_reaches_the_terminal(run: Run, evil: Path, tmp_path: Path) -> None:
    shown = [
        run("ingest", evil / "logs"),
        run("sweep", *RECALL, "--min-hit-score", "0.05,1"),
        run("replay", *RECALL, "--graph", "git"),
        run("replay", *RECALL, "--graph", EVIL),
        run("replay", *RECALL, "--graph", f"{EVIL}={evil / EVIL}"),
        run("replay", *RECALL, "--graph", evil / EVIL),
        run("replay", *RECALL, "--graph", evil / "logs"),
        run("replay", *RECALL, "--graph", f"x{EVIL}={evil / EVIL}"),
        run("replay", *RECALL, "--min-hit-score", EVIL),
        run("sweep", *RECALL, "--min-hit-score", f"0-8:{EVIL}"),
        run("recommend", *RECALL, "--keep", EVIL),
        run("recommend", *RECALL),
        run("sql", "select text from prompts"),
        run("sql", "select * from symbols"),
    ]
    for done in shown:
        assert not steering(done.out + done.err), done
    assert [done.code for done in shown[:3]] == [0, 0, 0]
    assert shown[5].code == 0


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """No figure may stay open behind a command."""
    import matplotlib.pyplot as plt

    yield
    assert not plt.get_fignums()
