from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import InputError, StoreError
from ctxlab.store import Store, _files, _ingest, _manifest, _shards, open_store
from ctxlab.transcripts import READERS, Reader

ROOT = Path(__file__).parents[2]
LINES = ("def f():", "    return 1")


def python(code: str, *args: str | Path, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.fixture
def logs(tmp_path: Path, session: Any) -> Path:
    """Three sessions in two folders, beside files of other kinds."""
    folder = tmp_path / "logs"
    for name in ("a", "b/b", "b/c"):
        made = session(f"session-{name[-1]}").prompt("do").read("/x.py", 1, LINES)
        made.write(folder / f"{name}.jsonl")
    (folder / "notes.txt").write_text("no transcript")
    (folder / "b/empty.jsonl").write_text("")
    (folder / "b/image.png").write_bytes(b"\x89PNG\0\0" * 100)
    os.mkfifo(folder / "pipe")
    return folder


def test_a_folder(store: Store, logs: Path) -> None:
    report = store.ingest(logs)
    assert (report.files, report.transcripts, report.read, report.unrecognised) == (6, 3, 3, 3)
    assert report.bytes == sum(path.stat().st_size for path in logs.rglob("[abc].jsonl"))
    assert [family.name for family in store.families()] == ["session-a", "session-b", "session-c"]
    assert [len(log.lines) for log in store.iter_logs()] == [2, 2, 2]


def test_nothing_is_read_twice(store: Store, logs: Path, monkeypatch: Any) -> None:
    store.ingest(logs)
    monkeypatch.setattr(_ingest, "read_batch", None)
    report = store.ingest(logs, logs / "a.jsonl")
    assert (report.transcripts, report.read, report.unchanged) == (3, 0, 3)


def test_a_grown_file_replaces_its_rows(store: Store, logs: Path, session: Any) -> None:
    store.ingest(logs)
    grown = session("session-a").prompt("do").read("/x.py", 1, LINES).read("/y.py", 1, LINES)
    grown.write(logs / "a.jsonl")
    report = store.ingest(logs)
    assert (report.read, report.unchanged) == (1, 2)
    assert [len(log.lines) for log in store.iter_logs()] == [2, 2, 4]
    assert store.sql("select count(*) from transcripts").fetchall() == [(3,)]
    assert store.sql("select count(*) from calls").fetchall() == [(4,)]
    assert store.sql("select sum(len(line_ids)) from spans").fetchall() == [(8,)]


def test_a_new_time_on_the_same_bytes_is_no_reason_to_read(
    store: Store, logs: Path, monkeypatch: Any
) -> None:
    store.ingest(logs)
    os.utime(logs / "a.jsonl", ns=(1, 1))
    assert store.ingest(logs).unchanged == 3
    monkeypatch.setattr("ctxlab.store._plan.content_hash", None)
    assert store.ingest(logs).unchanged == 3


def test_a_newer_reader_reads_again(store: Store, logs: Path, monkeypatch: Any) -> None:
    store.ingest(logs)
    reader = READERS["claude_code"]
    newer = Reader(reader.name, reader.stream, reader.sniff, reader.version + 1)
    monkeypatch.setitem(READERS, "claude_code", newer)
    assert store.ingest(logs).read == 3
    assert store.ingest(logs).read == 0


def test_a_folder_whose_transcripts_are_all_gone_is_no_error(store: Store, logs: Path) -> None:
    store.ingest(logs)
    for path in sorted(logs.rglob("*")):
        if path.is_file():
            path.unlink()
    report = store.ingest(logs)
    assert (report.read, report.unchanged) == (0, 0)
    assert report.vanished > 0
    assert store.families()


def test_vanished_files_stay(store: Store, logs: Path) -> None:
    store.ingest(logs)
    shutil.rmtree(logs / "b")
    report = store.ingest(logs)
    assert (report.vanished, report.transcripts) == (2, 1)
    assert len(store.families()) == 3


def test_workers_give_what_one_process_gives(
    store: Store, logs: Path, tmp_path: Path, plain: Any
) -> None:
    done: list[tuple[int, int]] = []
    report = store.ingest(logs, workers=2, progress=lambda a, b: done.append((a, b)))
    assert report.read == 3
    assert done[-1] == (report.bytes, report.bytes)
    with open_store(tmp_path / "alone") as alone:
        seen: list[int] = []
        assert alone.ingest(logs, workers=1, progress=lambda a, b: seen.append(a)) == report
        assert len(seen) == 3
        assert seen[-1] == report.bytes
        for log, other in zip(alone.iter_logs(), _by_name(store), strict=True):
            log, other = plain(log), plain(other)
            for part in ("lines", "edits", "path_name_ids"):  # their ids depend on the key
                del log[part], other[part]
            assert log == other


def _by_name(store: Store) -> list[Any]:
    return sorted(store.iter_logs(), key=lambda log: log.family)


def test_a_worker_that_dies_is_named(
    store: Store, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxlab.store._worker._PROGRAM", "raise SystemExit(9)")
    with pytest.raises(StoreError, match=r"ended early .* ingest again with workers=1"):
        store.ingest(logs, workers=2)
    assert store.ingest(logs, workers=1).transcripts == 3


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (KeyError("x"), "KeyError: 'x'"),
        (RecursionError("deep"), "RecursionError: deep"),
        (OSError(5, "Input/output error"), "Input/output error"),
        (InputError("b.jsonl: is too new; update ctxlab"), "b.jsonl: is too new; update ctxlab"),
    ],
)
def test_a_file_that_its_reader_fails_on_costs_no_other(
    store: Store, logs: Path, monkeypatch: Any, error: Exception, told: str
) -> None:
    reader = READERS["claude_code"]

    def failing(path: str | Path) -> Iterator[Any]:
        if Path(path).name == "b.jsonl":
            raise error
        return reader.stream(path)

    monkeypatch.setitem(
        READERS, "claude_code", Reader(reader.name, failing, reader.sniff, reader.version)
    )
    report = store.ingest(logs)
    ((path, cause),) = report.unreadable
    assert path.endswith("b.jsonl")
    assert cause == told
    assert (report.transcripts, report.read, report.problems) == (2, 2, 1)
    assert len(store.families()) == 2
    rows = store.sql("select path, cause from problems join transcripts using (source_id)")
    assert rows.fetchall() == [(path, cause)]
    monkeypatch.undo()
    assert store.ingest(logs).read == 1
    assert len(store.families()) == 3


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (InputError("is too new; update"), "is too new; update"),
        (KeyError("x"), "KeyError: 'x'"),
    ],
)
def test_where_nothing_can_be_read_the_cause_is_raised(
    store: Store, logs: Path, monkeypatch: Any, n: int, error: Exception, told: str
) -> None:
    reader = READERS["claude_code"]

    def failing(path: str | Path) -> Iterator[Any]:
        raise error

    monkeypatch.setitem(
        READERS, "claude_code", Reader(reader.name, failing, reader.sniff, reader.version)
    )
    head = "" if n == 1 else "none of the 3 transcripts could be read; the first: "
    paths = [logs / "a.jsonl"] if n == 1 else [logs]
    for _ in range(2):
        with pytest.raises(InputError, match=rf"^{head}.*a\.jsonl: {re.escape(told)}"):
            store.ingest(*paths)
    monkeypatch.undo()
    assert store.ingest(*paths).read == n


def test_problems_are_those_the_store_holds_of_the_files_looked_at(
    store: Store, logs: Path
) -> None:
    for name in ("a", "b/b"):
        with (logs / f"{name}.jsonl").open("a") as file:
            file.write("{]\n[1]\n")
    counts = [(r.problems, r.new_problems) for r in (store.ingest(logs), store.ingest(logs))]
    assert counts == [(4, 4), (4, 0)]
    one = store.ingest(logs / "a.jsonl")
    assert (one.problems, one.new_problems) == (2, 0)
    with (logs / "a.jsonl").open("a") as file:
        file.write("{]\n")
    again = store.ingest(logs)
    assert (again.read, again.problems, again.new_problems) == (1, 5, 3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: None, "no such file or folder: .*x"),
        (lambda p: p.mkdir(), "none of the 0 files looked at is a transcript .*claude_code"),
        (lambda p: (p.mkdir(), (p / "a").write_text("?")), "none of the 1 files looked at"),
        (lambda p: p.write_text("words"), "not a transcript ctxlab knows .*claude_code"),
        (lambda p: p.write_text(""), "is empty; name a transcript"),
        (lambda p: p.write_bytes(bytes(1000)), "is a binary file; known transcripts are"),
        (lambda p: os.mkfifo(p), "is neither a file nor a folder"),
    ],
)
def test_bad_paths(store: Store, tmp_path: Path, make: Callable[[Path], Any], message: str) -> None:
    make(tmp_path / "x")
    with pytest.raises(InputError, match=message):
        store.ingest(tmp_path / "x")


def test_the_home_folder_is_expanded(store: Store, logs: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("HOME", str(logs.parent))
    assert store.ingest("~/logs").read == 3


def test_link_loops_and_doubled_folders_are_entered_once(store: Store, logs: Path) -> None:
    (logs / "loop").symlink_to(logs)
    (logs / "again").symlink_to(logs / "b")
    (logs / "broken").symlink_to(logs / "nowhere")
    report = store.ingest(logs)
    assert report.read == 3
    assert [Path(path).name for path, _ in report.denied] == ["broken"]


def test_a_store_inside_the_folder_is_not_looked_into(logs: Path) -> None:
    with open_store(logs / "store") as store:
        assert store.ingest(logs).files == store.ingest(logs).files == 6


def test_names_that_are_no_text(store: Store, logs: Path) -> None:
    name = os.fsencode(logs) + b"/\xff'[1].jsonl"
    shutil.copy(logs / "a.jsonl", name)
    assert store.ingest(logs).read == 4
    assert store.ingest(logs).unchanged == 4
    assert store.ingest(logs).vanished == 0


PERMISSION = """
import os, sys
from ctxlab.errors import InputError
from ctxlab.store import open_store
os.setgroups([]); os.setgid(65534); os.setuid(65534)
store = open_store(sys.argv[1])
for path in sys.argv[2:]:
    try:
        report = store.ingest(path)
        print(report.read, [os.path.basename(p) for p, _ in report.denied], report.unreadable)
    except InputError as error:
        print(error)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_without_permission(logs: Path) -> None:
    with tempfile.TemporaryDirectory() as made:  # pytest's own folders are closed to others
        folder = Path(made)
        folder.chmod(0o755)
        shutil.copytree(logs, folder / "logs", ignore=shutil.ignore_patterns("pipe"))
        store, closed, file = folder / "store", folder / "logs/b", folder / "logs/closed.jsonl"
        store.mkdir()
        os.chown(store, 65534, 65534)
        closed.chmod(0)
        shutil.copy(logs / "a.jsonl", file)
        file.chmod(0)
        run = python(PERMISSION, store, folder / "logs", closed, file)
        out, err = run.communicate()
    assert err == ""
    assert out.splitlines() == [
        "1 ['b', 'closed.jsonl'] ()",
        f"{closed} cannot be read: Permission denied",
        f"{file} cannot be read: Permission denied",
    ]


SLOW = """
import signal, sys, time
from ctxlab.store import open_store, _ingest
signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs in the background ignores it
_ingest._BATCH_FILES = 1
store = open_store(sys.argv[1])
def wait(done, total):
    print(done, flush=True)
    if done > total / 2:
        time.sleep(60)
store.ingest(sys.argv[2], progress=wait, workers=int(sys.argv[3]))
"""


def started(store: Path, logs: Path, workers: int = 1) -> subprocess.Popen[str]:
    """Start an ingest that hangs once more than half is read."""
    run = python(SLOW, store, logs, str(workers))
    assert run.stdout is not None
    total = sum(path.stat().st_size for path in logs.rglob("[abc].jsonl"))
    while int(run.stdout.readline() or total) <= total / 2:
        pass
    return run


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_an_ingest_that_is_killed_goes_on_later(
    logs: Path, tmp_path: Path, how: signal.Signals, workers: int
) -> None:
    run = started(tmp_path / "store", logs, workers)
    run.send_signal(how)
    run.communicate(timeout=30)
    with open_store(tmp_path / "store") as store:
        kept = len(store.families())
        assert 1 <= kept < 3
        (tmp_path / "store/shards/.left-behind").mkdir()
        report = store.ingest(logs)
        assert (report.read, report.unchanged) == (3 - kept, kept)
        assert len(store.families()) == 3
        shards = {path.name for path in (tmp_path / "store/shards").iterdir()}
        counting = {shard.name for shard in _manifest.load(store.folder).shards}
        assert shards >= counting
        if workers == 1:  # a worker that lost its parent may still finish what it has in hand
            assert shards == counting


def test_two_ingests_at_once(logs: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("ctxlab.store._manifest._WAIT_S", 0.1)
    run = started(tmp_path / "store", logs)
    try:
        with (
            open_store(tmp_path / "store") as store,
            pytest.raises(StoreError, match=f"process {run.pid} is writing to the store"),
        ):
            store.ingest(logs)
    finally:
        run.kill()
        run.communicate()


def test_a_reader_meanwhile_keeps_its_snapshot(logs: Path, tmp_path: Path, session: Any) -> None:
    with open_store(tmp_path / "s") as writer, open_store(tmp_path / "s") as reader:
        writer.ingest(logs)
        before = reader.sql("select sum(len(line_ids)) from spans")
        for n in range(2, 5):
            made = session("session-a")
            for i in range(n):
                made.read("/x.py", i, LINES)
            made.write(logs / "a.jsonl")
            (logs / "b/b.jsonl").write_text((logs / "b/c.jsonl").read_text() * n)
            (logs / "b/c.jsonl").write_text((logs / "b/c.jsonl").read_text() + "\n")
            writer.ingest(logs)
        assert before.fetchall() == [(6,)]
        assert [len(log.lines) for log in reader.iter_logs()] == [2, 2, 2]
        n_before = len(list((tmp_path / "s/shards").iterdir()))
        reader.close()
        writer.ingest(logs)
        assert len(list((tmp_path / "s/shards").iterdir())) < n_before
        assert reader.sql("select count(*) from transcripts").fetchall() == [(3,)]


def test_a_full_disk_at_any_write(store: Store, logs: Path, session: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(_ingest, "compact", _compact_all)
    store.ingest(logs)
    for n_done, n_writes in enumerate(int(1.5**i) for i in range(25)):
        session(f"session-{n_done}").prompt("do").write(logs / f"n{n_done}.jsonl")
        n_before = len(store.families())
        with monkeypatch.context() as patch:
            disk = _SmallDisk(n_writes)
            patch.setattr(_shards, "private_file", disk.private_file)
            patch.setattr(_files, "private_file", disk.private_file)
            if store_is_full(store, logs) is None:
                break
        assert len(store.families()) >= n_before
    assert n_writes > 100
    assert len(store.families()) == 3 + n_done + 1


def store_is_full(store: Store, logs: Path) -> StoreError | None:
    try:
        store.ingest(logs)
    except StoreError as error:
        return (
            error if "No space left on device; what was read before is kept" in str(error) else None
        )
    return None


class _SmallDisk:
    """Room for so many writes, and no more."""

    def __init__(self, n_writes: int) -> None:
        self._left = n_writes
        self._open = _files.private_file

    @contextmanager
    def private_file(self, path: Path) -> Iterator[Any]:
        with self._open(path) as self._file:
            yield self

    def write(self, content: Any) -> int:
        self._left -= 1
        if self._left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return int(self._file.write(content))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _compact_all(folder: Path, manifest: Any) -> Any:
    return _shards.compact(folder, manifest, many=1)


def test_many_small_shards_become_one(store: Store, logs: Path, session: Any, plain: Any) -> None:
    for i in range(20):
        made = session(f"session-{i:02}").prompt("do").read(f"/{i}.py", 1, LINES)
        made.write(logs / f"n{i}.jsonl")
        store.ingest(logs)
        if i == 14:
            before = {log.family: plain(log) for log in store.iter_logs()}
            n_before = len(_manifest.load(store.folder).shards)
    assert n_before == 15
    assert len(_manifest.load(store.folder).shards) < 8
    after = {log.family: plain(log) for log in store.iter_logs()}
    assert len(after) == 23
    assert {name: after[name] for name in before} == before


def test_everything_is_private(store: Store, logs: Path) -> None:
    old = os.umask(0)
    try:
        store.ingest(logs)
        store.cache("facts")
    finally:
        os.umask(old)
    for path in (store.folder, *store.folder.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
