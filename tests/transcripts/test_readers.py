"""The contract of every reader, and what `detect`, `stream` and `read` say to bad input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ctxlab.errors import InputError
from ctxlab.events import Event, Thread, Transcript, UnknownKind, Usage
from ctxlab.transcripts import READERS, detect, read, stream

FIXTURES = Path(__file__).parent / "fixtures"
FILES = sorted(
    (path, name)
    for name in READERS
    for path in (FIXTURES / name).rglob("*")
    if path.suffix in {".json", ".jsonl"}
)
every_file = pytest.mark.parametrize(("path", "name"), FILES, ids=[p.name for p, _ in FILES])


@pytest.mark.parametrize("name", READERS)
def test_every_reader_has_fixtures_and_a_version(name: str) -> None:
    assert READERS[name].name == name
    assert READERS[name].version >= 1
    assert any(found == name for _, found in FILES)


@every_file
def test_detected_by_content(path: Path, name: str, tmp_path: Path) -> None:
    nameless = tmp_path / "file"
    nameless.write_bytes(path.read_bytes())
    assert detect(nameless) == name


@every_file
def test_stream_contract(path: Path, name: str) -> None:
    items = list(stream(path))
    transcripts = [item for item in items if isinstance(item, Transcript)]
    assert transcripts == items[-1:]
    assert transcripts[0].agent == name
    assert transcripts[0].session_id
    events = [item for item in items if isinstance(item, Event)]
    threads = [item.thread for item in items if isinstance(item, Thread)]
    assert len(threads) == len(set(threads))
    assert {event.thread for event in events} <= set(threads)
    usages = [item for item in items if isinstance(item, Usage)]
    assert len({usage.request for usage in usages}) == len(usages)
    if usages:  # a format may have none
        assert {e.request for e in events if e.request is not None} <= {u.request for u in usages}
    unknown = [item.name for item in items if isinstance(item, UnknownKind)]
    assert len(unknown) == len(set(unknown))
    uids = [event.uid for event in events if event.uid]
    assert len(uids) == len(set(uids))


@every_file
def test_results_repeat_their_calls(path: Path, name: str) -> None:
    calls = {}
    for event in read(path).events:
        if event.kind == "call":
            calls[event.call_id] = event
        elif event.kind == "result":
            assert event.is_error is not None
            if event.call_id in calls:
                call = calls[event.call_id]
                assert (call.tool, call.tool_kind, call.touches, call.request) == (
                    event.tool,
                    event.tool_kind,
                    event.touches,
                    event.request,
                )


def test_home_is_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(FIXTURES / "claude_code"))
    assert detect("~/resume.jsonl") == "claude_code"


@pytest.mark.parametrize("function", [detect, read, lambda path: list(stream(path))])
def test_no_such_file_and_folder(function: object, tmp_path: Path) -> None:
    assert callable(function)
    with pytest.raises(InputError, match=r"gone: no such file; check the path"):
        function(tmp_path / "gone")
    with pytest.raises(InputError, match=r"is a folder; name one transcript file in it"):
        function(tmp_path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"x: is empty; name a transcript \(claude_code"),
        (b" \n\n", r"x: is empty"),
        (b"\x7fELF\0\0\0\1" * 100, r"x: is a binary file; known transcripts are claude_code"),
        (b"hello\n", r"x: not a transcript ctxlab knows \(its first line: no JSON"),
        (
            b'{"b":1,"a":2}\n',
            r"x: not a transcript .* \(its first record has the keys a, b\)",
        ),
        (b"[1]\n", r"\(its first line: a JSON value that is no object\); known transcripts are"),
    ],
)
def test_files_that_are_no_transcripts(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(InputError, match=message):
        detect(tmp_path / "x")


def test_file_without_permission(tmp_path: Path) -> None:
    secret = tmp_path / "secret.jsonl"
    secret.write_text("{}\n")
    secret.chmod(0)
    script = (
        "import os, sys\n"
        "from ctxlab.errors import InputError\n"
        "from ctxlab.transcripts import detect\n"
        "os.chdir('/')\n"
        "os.setuid(65534) if os.getuid() == 0 else None\n"
        "try:\n    detect(sys.argv[1])\n"
        "except InputError as error:\n    sys.stdout.write(str(error))\n"
    )
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o711)  # pytest's own folders, so that the other user reaches the file
    done = subprocess.run(
        [sys.executable, "-c", script, str(secret)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert "no permission to read it; change its mode or owner" in done.stdout, done.stderr
