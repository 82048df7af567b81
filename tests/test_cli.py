"""The command line: what it prints, writes and returns; what it says about bad input."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import pytest

from ctxlab.cli import cli
from ctxlab.store import _manifest
from tests.commands import Done, Run
from tests.sessions import Session, write_logs, write_prompts

ROOT = Path(__file__).parents[1]
COMMANDS = cli.list_commands(click.Context(cli))


def process(*words: str | Path, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", "from ctxlab.cli import main; main()", *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs, and a lab that holds them."""
    folder = tmp_path_factory.mktemp("made")
    write_logs(folder / "logs")
    done = process("ingest", folder / "logs", "--lab", folder / "lab")
    assert done.communicate()[1] == ""
    return folder


@pytest.fixture
def lab(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "lab", tmp_path / "lab"))


# Help ---------------------------------------------------------------------------------------------


def test_the_group_tells_where_to_start_and_what_codes_mean(run: Run) -> None:
    done = run("--help")
    assert done.code == 0
    assert "Start with `ctxlab tune" in done.out
    assert "130 interrupted" in done.out
    for name in COMMANDS:
        assert f"\n  {name} " in done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_teaches(run: Run, command: str) -> None:
    done = run(command, "--help")
    assert done.code == 0
    assert done.out == run(command, "-h").out
    assert any(word in done.out for word in ("Example:", "Write", "Read", "Check"))
    assert "--" in done.out


def test_version(run: Run) -> None:
    assert run("--version").out.startswith("ctxlab, version ")


# The main job -------------------------------------------------------------------------------------


def test_tune_from_logs_to_settings(run: Run, made: Path, tmp_path: Path) -> None:
    done = run("tune", made / "logs", "--out", "out")
    assert (done.code, done.err) == (0, "")
    assert "27 transcripts in 27 files: 27 read" in done.out
    assert "Net share of touched bytes, bounded" in done.out
    assert "A record a thread, forgotten at compaction:\n  ship: min_covered_lines" in done.out
    told = re.sub(r"\s+", " ", done.out)
    assert re.search(r"at 95 % at most \d+% of the \d+ families with a pointer would meet", told)
    assert re.search(
        r"within 10 actions \(measured\); \d+% of windows of 10 cut short by edits, compaction or "
        r"the end; cumulative incidence [\d.]+% \(modelled\)",
        told,
    )
    assert "frames/overview.parquet has withheld, folded and pointer bytes" in told
    out = tmp_path / "out"
    written = [path for path in out.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in written} == {0o600}
    assert {path.suffix for path in written} >= {".parquet", ".json", ".env", ".png", ".html"}
    assert {"withheld_bytes", "folded_bytes", "pointer_bytes"} <= set(
        pd.read_parquet(out / "frames" / "overview.parquet")
    )

    content = json.loads((out / "recommendation.json").read_text())
    assert (content["tools"], content["proof"]) == (["read"], "whole_file")
    assert content["shipped"]["parameters"] is None
    assert content["shipped_switch"]["result"]["status"] == "none"
    own = content["own"]
    assert own["result"]["status"] == "recommended"
    assert own["parameters"]["record_scope"] == "thread"
    assert own["result"]["judged_on"]["harmful_pointers"] == 0
    assert own["data"]["families"] == 24
    assert {"hash", "touched_bytes"} <= set(own["data"])
    assert {"ctxlab", "python"} <= set(own["versions"])
    assert content["difference"] in done.out

    assert (out / "codegraph.env").read_text().endswith("CODEGRAPH_EXPLORE_DEDUP=0\n")
    assert json.loads((out / "codegraph.json").read_text())["version"] == "1.6.1"

    frames = {path.stem: pd.read_parquet(path) for path in (out / "frames").iterdir()}
    sweep = frames["sweep_own"]
    best = sweep[
        (sweep.min_covered_lines == own["parameters"]["min_covered_lines"])
        & (sweep.min_delta_chars == own["parameters"]["min_delta_chars"])
        & (sweep.view_calls.fillna(0) == (own["parameters"]["view_calls"] or 0))
    ]
    halves = own["result"]["chosen_on"]["net_bytes"], own["result"]["judged_on"]["net_bytes"]
    assert best.net_bytes.tolist() == [sum(halves)]
    assert len(frames["transcripts"]) == 27
    corpus = frames["corpus"].set_index("what")
    assert corpus.n["transcripts"] == 27
    assert frames["overview"].net_share.between(-1, 1).all()

    exported = run("export", "codegraph", "--from", "out/recommendation.json", "--out", "set")
    assert exported.out.splitlines() == ["wrote set/codegraph.env", "wrote set/codegraph.json"]
    assert (tmp_path / "set/codegraph.env").read_text() == (out / "codegraph.env").read_text()
    assert run("export", "json", "--from", "out/recommendation.json").code == 0


def test_the_steps_one_by_one(run: Run, made: Path, tmp_path: Path) -> None:
    assert "27 read" in run("ingest", made / "logs").out
    done = run("replay", "--min-covered-lines", "12", "--decisions", "d.csv")
    assert done.code == 0
    assert "min_covered_lines" in done.out
    assert "without guard" in done.out
    decisions = pd.read_csv(tmp_path / "d.csv")
    assert decisions.withheld_bytes.sum() > 0
    assert len(decisions) == 24 * 3 + 8 + 6
    assert f"{len(decisions)} rows in d.csv" in done.out

    done = run(
        "sweep", "--min-covered-lines", "1-3,8", "--view-calls", "4,all", "--out", "s.parquet"
    )
    assert done.code == 0
    frame = pd.read_parquet(tmp_path / "s.parquet")
    assert sorted(frame.min_covered_lines.unique()) == [1, 2, 3, 8]
    assert frame.view_calls.isna().sum() == 4

    done = run("recommend", "--record-scope", "thread", "--reset-on-compaction", "true",
               "--min-covered-lines", "4,8", "--view-calls", "4", "--out", "r.json")  # fmt: skip
    assert "ship: min_covered_lines 8" in done.out
    assert json.loads((tmp_path / "r.json").read_text())["parameters"]["min_covered_lines"] == 8

    done = run("sql", "select count(*) as n from transcripts", "--csv")
    assert done.out == "n\n27\n"
    assert "calls" in run("sql", "show tables").out


def test_a_recommendation_touches_no_other_file(run: Run, lab: Path, tmp_path: Path) -> None:
    (tmp_path / "recommendation.json").write_text("mine")
    done = run("recommend", "--min-covered-lines", "8", "--view-calls", "4", "--out", "new.json")
    assert done.code == 0
    assert "wrote new.json" in done.out
    assert (tmp_path / "recommendation.json").read_text() == "mine"


def test_a_sweep_can_draw(run: Run, lab: Path, tmp_path: Path) -> None:
    assert run("sweep", "--min-covered-lines", "4,8", "--figure", "curve").code == 0
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_doctor(run: Run, lab: Path, tmp_path: Path) -> None:
    done = run("doctor")
    assert done.code == 0
    assert "no transcripts in ~/.claude/projects" in done.out
    assert "removes transcripts after 30 days" in done.out
    assert "27 transcripts" in done.out
    Session("seen").prompt().write(tmp_path / "home/.claude/projects/p/a.jsonl")
    (tmp_path / "home/.codex/sessions").mkdir(parents=True)
    done = run("doctor", "--lab", "elsewhere")
    assert "Claude Code: 1 file," in done.out
    assert "no .jsonl files in ~/.codex/sessions" in done.out
    assert "no lab in elsewhere" in done.out
    (lab / "store.json").write_text("{}")
    broken = run("doctor")
    assert broken.code == 0
    assert "is no manifest of a store" in broken.out


def test_export_contentfree(run: Run, lab: Path) -> None:
    pytest.importorskip("ctxlab.transcripts.contentfree")
    assert "transcripts in free" in run("export-contentfree", "--out", "free").out


# Bad input ----------------------------------------------------------------------------------------


def write(path: Path, content: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: None, "no such file or folder: "),
        (lambda p: p.mkdir(), "none of the 0 files looked at is a transcript of a known kind"),
        (lambda p: write(p / "notes.txt", "words"), "none of the 1 files looked at"),
        (lambda p: write(p, "words\n"), "not a transcript ctxlab knows (its first line: no JSON"),
        (lambda p: write(p, b"\x89PNG\0\0" * 100), "is a binary file; known transcripts are"),
        (lambda p: write(p, ""), "is empty; name a transcript"),
        (lambda p: os.mkfifo(p), "is neither a file nor a folder; name one of these"),
    ],
)
@pytest.mark.parametrize("command", ["ingest", "tune"])
def test_paths_that_hold_no_transcript(
    run: Run, tmp_path: Path, command: str, make: Callable[[Path], Any], message: str
) -> None:
    make(tmp_path / "x")
    done = run(command, tmp_path / "x")
    assert done.code == 2
    assert done.err.startswith("ctxlab: ")
    assert message in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("command", ["ingest", "tune"])
def test_a_lone_file_that_is_known_and_unreadable(run: Run, tmp_path: Path, command: str) -> None:
    write(tmp_path / "x.jsonl", '{"ctxlab":"content-free","version":2}\n')
    done = run(command, "x.jsonl")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("ctxlab: ")
    assert "x.jsonl: is content-free version 2, this ctxlab reads" in done.err
    assert "InputError" not in done.err


def test_the_home_folder_is_expanded(run: Run, tmp_path: Path) -> None:
    Session("one").prompt().read("/a.py").write(tmp_path / "home/logs/a.jsonl")
    assert "1 read" in run("ingest", "~/logs", "--lab", "~/lab").out
    assert (tmp_path / "home/lab/store.json").exists()
    assert run("sql", "select 1", "--lab", "~/lab").code == 0


def _records(*more: bytes) -> bytes:
    session = Session("one").prompt().read("/a.py", 1, 3).read("/a.py", 1, 3)
    good = b"".join(json.dumps(record).encode() + b"\n" for record in session.records)
    return good + b"".join(more)


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (b'{"type":"user","message":{"content":"\xff\xfe"}}\n', "invalid UTF-8, its bytes kept"),
        (b'{"type":"user","message":{"content":"\\ud800"}}\n', "lone surrogates, kept as they are"),
        (b'{"type":"user","mess', "cut short at the end of the file"),
        (b"{]\n", "no JSON"),
        (b"[1]\n", "a JSON value that is no object"),
        (b"\0\0\0\0\n", "NUL bytes"),
    ],
)
def test_a_bad_line_is_counted_and_the_others_are_read(
    run: Run, tmp_path: Path, line: bytes, cause: str
) -> None:
    write(tmp_path / "a.jsonl", _records(line))
    for _ in ("read", "unchanged"):
        done = run("ingest", "a.jsonl")
        assert (done.code, done.err) == (0, "")
        assert "1 record rejected or read with a note" in done.out
    told = run("sql", "select cause from problems", "--csv").out
    assert cause in told
    assert "2\n" in run("sql", "select count(*) as n from calls", "--csv").out


# Of the process itself: what `wait4` tells counts the memory of the parent that it was forked from.
MEASURED = """
import atexit, re, resource
from pathlib import Path
from ctxlab.cli import main
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
status = Path("/proc/self/status")
peak = lambda: int(re.search(r"VmHWM:\\s*(\\d+) kB", status.read_text())[1])
atexit.register(lambda: Path("peak").write_text(str(peak())))
main()
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells no memory here")
def test_a_line_of_100_megabytes_takes_no_such_memory(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", _records())
    with path.open("r+b") as file:  # a hole of zeros in one line costs no disk
        file.seek(0, os.SEEK_END)
        file.write(b'{"type":"user","message":{"content":"')
        file.seek(100 << 20, os.SEEK_CUR)
        file.write(b'"}}\n' + _records())
    ingest = subprocess.run(
        [sys.executable, "-c", MEASURED, "ingest", path, "--lab", tmp_path / "lab"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "1 record rejected or read with a note" in ingest.stdout
    assert ingest.stderr == ""
    peak_kb = int((tmp_path / "peak").read_text())
    assert peak_kb < 450 << 10  # the line would take several times its 100 MB
    told = run("sql", "select cause from problems", "--csv").out
    assert "is longer than the limit of 67108864 bytes" in told


def test_formats_of_the_future_are_counted_by_name(run: Run, tmp_path: Path) -> None:
    future = {"type": "hologram", "version": "99.0", "sessionId": "one", "uuid": "u"}
    write(tmp_path / "a.jsonl", _records(json.dumps(future).encode() + b"\n"))
    assert run("ingest", "a.jsonl").code == 0
    assert "hologram" in run("sql", "select * from unknown_kinds", "--csv").out
    assert "unknown kind of record, 1 time: " in run("doctor").out


PERMISSION = """
import os, sys
import ctxlab.cli._commands, ctxlab.cli._results, ctxlab.cli._tables, ctxlab.lab, platformdirs
from ctxlab.cli import main
os.setgroups([]); os.setgid(65534); os.setuid(65534)
main()
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_folders_without_permission(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as made:  # pytest's own folders are closed to others
        folder = Path(made)
        folder.chmod(0o755)
        write_logs(folder / "logs", 2)
        write_logs(folder / "logs/closed", 1).chmod(0)
        (folder / "own").mkdir()
        os.chown(folder / "own", 65534, 65534)

        def as_nobody(*words: str | Path) -> Done:
            done = subprocess.run(
                [sys.executable, "-c", PERMISSION, *map(str, words)],
                capture_output=True,
                text=True,
                cwd=folder / "own",
                env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder / "own")},
                check=False,
            )
            return Done(done.returncode, done.stdout, done.stderr)

        done = as_nobody("ingest", folder / "logs")
        assert done.code == 0, done.err
        assert f"denied: {folder}/logs/closed: Permission denied" in done.out
        done = as_nobody("ingest", folder / "logs/closed")
        assert done.code == 2
        assert done.err == f"ctxlab: {folder}/logs/closed cannot be read: Permission denied\n"
        done = as_nobody("ingest", folder / "logs", "--lab", folder / "lab")
        assert done.code == 3
        assert "Permission denied" in done.err
        done = as_nobody("tune", folder / "logs", "--out", folder / "out")
        assert done.code == 2
        assert done.err == f"ctxlab: cannot write into {folder}/out: Permission denied\n"
        done = as_nobody("recommend", "--out", folder / "out.json")
        assert done.code == 2
        assert done.err == f"ctxlab: cannot write {folder}/out.json: Permission denied\n"


def test_a_full_disk(run: Run, made: Path, tmp_path: Path, monkeypatch: Any) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("ctxlab.store._files.os.fsync", full)
        done = run("ingest", made / "logs")
        assert done.code == 3
        assert "No space left on device" in done.err
    assert run("ingest", made / "logs").code == 0
    with monkeypatch.context() as patch:
        run("recommend", "--min-covered-lines", "8")  # what it derives is cached
        patch.setattr("ctxlab.export._files.os.replace", full)
        done = run("recommend", "--min-covered-lines", "8", "--out", "r.json")
        assert (done.code, done.err) == (
            1,
            "ctxlab: cannot write r.json: No space left on device\n",
        )
    assert not list(tmp_path.glob("*r.json*"))


def test_two_ingests_at_once(run: Run, made: Path, lab: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(_manifest, "_WAIT_S", 0.1)
    with _manifest.lock_for_writing(lab):
        done = run("ingest", made / "logs", "--lab", lab)
    assert done.code == 3
    assert f"process {os.getpid()} is writing to the store" in done.err


@pytest.mark.parametrize("command", [["sql", "select 1"], ["replay"], ["ingest", "logs"]])
def test_a_store_of_a_newer_version(run: Run, lab: Path, command: list[str]) -> None:
    content = json.loads((lab / "store.json").read_text())
    key = next(name for name in content if "format" in name or name == "version")
    (lab / "store.json").write_text(json.dumps({**content, key: 999}))
    done = run(*command, "--lab", lab)
    assert done.code == 3
    assert "999, and this ctxlab knows" in done.err
    assert "update ctxlab, or name another folder" in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["replay", "--min-covered-lines", "65"], "--min-covered-lines must be in [1, 64] lines"),
        (["replay", "--min-covered-lines", "0"], "must be in [1, 64] lines, got 0"),
        (["replay", "--min-covered-lines", "many"], "must be a whole number in [1, 64] lines"),
        (["sweep", "--min-covered-lines", "60-99"], "must be in [1, 64] lines, got 99"),
        (["sweep", "--min-covered-lines", "9-1"], "to the larger: write 1-9, got 9-1"),
        (["replay", "--record-scope", "world"], "--record-scope must be one of connection, th"),
        (["replay", "--tools", "reed"], "--tools must be among read, grep"),
        (["replay", "--tools", ","], "--tools needs at least one of read"),
        (["replay", "--proof", "faith"], "Invalid value for '--proof': 'faith' is not one of"),
        (["recommend", "--harmful", "-1"], "Invalid value for '--harmful': -1 is not in th"),
        (["export", "emacs"], "TARGET must be one of codegraph, json, mushroomdb, sqlite-"),
        (["export", "json"], "cannot read ctxlab-out/recommendation.json: No such file"),
        (["replay", "--decisions", "d.xls"], "cannot tell the format of d.xls: end it in .parquet"),
        (["sweep", "--out", "s"], "cannot tell the format of s: end it in .parquet or .csv"),
        (["ingest"], "Missing argument 'PATH…'"),
        (["dance"], "No such command 'dance'"),
        (
            ["replay", "--lab", "nowhere"],
            "no lab in nowhere: run `ctxlab ingest PATH… --lab",
        ),
    ],
)
def test_words_that_are_wrong(run: Run, lab: Path, words: list[str], message: str) -> None:
    done = run(*words)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


def test_sql_that_is_wrong(run: Run, lab: Path) -> None:
    done = run("sql", "select nothing from nowhere")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert done.err.startswith("ctxlab: ")
    assert "nowhere" in done.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is no recommendation of ctxlab"),
        ("[]", "is no recommendation of ctxlab"),
        ("{}", "is no recommendation of ctxlab that can be used: it has no `parameters`"),
        ('{"parameters": {"min_covered_lines": 99}}', "must be in [1, 64] lines, got 99"),
        ('{"parameters": {"luck": 1}}', "Dedup has no parameter `luck`"),
        (
            '{"parameters": null, "as_shipped_constants": {}}',
            "is incomplete or of another form ('status')",
        ),
    ],
)
def test_files_that_are_no_recommendation(
    run: Run, tmp_path: Path, content: str, message: str
) -> None:
    write(tmp_path / "r.json", content)
    done = run("export", "codegraph", "--from", "r.json")
    assert done.code == 2
    assert message in done.err


def test_folders_that_are_not_there(run: Run, lab: Path, tmp_path: Path) -> None:
    done = run("sweep", "--min-covered-lines", "8", "--out", "no/s.csv")
    assert (done.code, "cannot write no/s.csv: there is no folder no" in done.err) == (2, True)
    write(tmp_path / "file", "")
    done = run("tune", lab, "--out", "file")
    said = "ctxlab: cannot write into file: file is a file, name a folder\n"
    assert (done.code, done.err) == (2, said)


# What reaches the terminal ------------------------------------------------------------------------

EVIL = "\x1b[31mred\x07\u202egpj.\u2066"


def evil_logs(folder: Path) -> Path:
    """A transcript in a folder, and of files, whose names would steer a terminal."""
    Session(EVIL).prompt().read(f"/{EVIL}.py").write(folder / f"[bold]{EVIL}:smile:" / "a.jsonl")
    return folder


def test_names_never_steer_the_terminal(run: Run, tmp_path: Path) -> None:
    evil_logs(tmp_path / "logs")
    os.symlink("nowhere", tmp_path / "logs" / f"{EVIL}.jsonl")
    shown = [
        run("ingest", tmp_path / "logs"),
        run("ingest", tmp_path / EVIL),
        run("sql", "select path from transcripts"),
        run("sql", "select path from paths limit 1"),
        run("sql", f"select '{EVIL}'"),
        run("sql", f"select {EVIL}"),
        run("replay", "--lab", EVIL),
        run("replay", "--proof", EVIL),
        run(EVIL),
        run("export", "json", "--from", EVIL),
        run("doctor", "--lab", EVIL),
    ]
    for done in shown:
        for text in (done.out, done.err):
            assert not set(text) & set("\x1b\x07\u202e\u2066"), text
    assert "\\x1b[31mred" in shown[0].out
    assert ":smile:" in shown[2].out.replace("\n", "") or "[bold]" in shown[2].out


def test_csv_is_the_text_itself_in_a_file_and_harmless_on_a_terminal(
    run: Run, lab: Path, monkeypatch: Any
) -> None:
    query = "select 'a' || chr(27) || 'b' as x"
    assert run("sql", query, "--csv").out == "x\na\x1bb\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert run("sql", query, "--csv").out == "x\na\\x1bb\n"


@pytest.mark.parametrize(
    "words", [["sql", "select range from range(100000)", "--csv"], ["sweep"], ["--help"]]
)
def test_a_closed_pipe_is_no_error(lab: Path, words: list[str]) -> None:
    started = process(*words, *([] if words == ["--help"] else ["--lab", str(lab)]))
    assert started.stdout is not None
    assert started.stderr is not None
    started.stdout.close()
    assert started.stderr.read() == ""
    assert started.wait() == 0
    started.stderr.close()


@pytest.mark.parametrize("policy", ["dedup", "recall"])
def test_results_are_there_although_nobody_reads_on(
    tmp_path: Path, made: Path, policy: str
) -> None:
    out, logs = tmp_path / "out", made / "logs"
    if policy == "recall":
        logs = write_prompts(tmp_path / "prompts")
    words = ["tune", logs, "--policy", policy, "--out", out, "--lab", tmp_path / "lab"]
    started = process(*words)
    assert started.stdout is not None
    assert started.stderr is not None
    assert "transcripts in" in started.stdout.readline()
    started.stdout.close()
    assert started.stderr.read() == ""
    assert started.wait() == 0
    started.stderr.close()
    assert {"report.html", "recommendation.json"} <= {file.name for file in out.iterdir()}


def test_an_interrupt(run: Run, made: Path, monkeypatch: Any) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ctxlab.store.Store.ingest", interrupted)
    done = run("ingest", made / "logs")
    assert done.code == 130
    assert done.err.endswith("ctxlab: interrupted; what was read so far is kept\n")
    monkeypatch.setattr("ctxlab.cli._doctor.findings", interrupted)
    done = run("doctor")
    assert (done.code, done.err) == (130, "ctxlab: interrupted\n")  # nothing was read into a lab


def test_unmeasured_is_said() -> None:
    from ctxlab.cli._text import count, printable, share, size

    for shown in (share, count, size):
        assert shown(None) == shown(np.nan) == "not measured"
    assert (share(-0.0123), count(12345.0), size(999), size(-1500)) == (
        "-1.23%",
        "12,345",
        "999 B",
        "-1.5 kB",
    )
    assert size(5e13) == "50,000.0 GB"
    assert printable("a\nb\ud800") == "a\nb\\ud800"
    assert len(printable("x" * 1000)) < 300


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_output_onto_a_full_disk_is_one_line(made: Path) -> None:
    command = [sys.executable, "-c", "from ctxlab.cli import main; main()"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*command, "sweep", "--lab", str(made / "lab"), "--view-calls", "4"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "ctxlab: the output cannot be written: no space left on the device\n"


def test_tools_that_delivered_no_source(run: Run, lab: Path) -> None:
    for command in ("replay", "sweep", "recommend"):
        done = run(command, "--tools", "mcp", "--lab", lab)
        assert done.code == 0
        said = " ".join(done.out.split())
        assert "mcp delivered no source: there is nothing to replay; the lab holds " in said
        assert " of read" in said
        assert "; name others with --tools" in said
        assert "there is nothing" not in run(command, "--lab", lab).out


def test_no_folder_is_made_before_something_is_read(run: Run, tmp_path: Path) -> None:
    assert run("tune", "nowhere").code == 2
    done = run("tune", "nowhere", "--out", "")
    assert (done.code, done.err) == (2, "ctxlab: cannot write into '': name a folder\n")
    assert {path.name for path in tmp_path.iterdir()} <= {"cache"}
