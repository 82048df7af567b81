"""Nothing of a log is left out in silence: each kind is a problem at its place, or is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab.events import Edit, Event, Problem, UnknownKind
from ctxlab.store import open_store
from ctxlab.transcripts import claude_code, codex

STAMP = "2026-01-02T03:04:05Z"
ODD = "message of an unexpected shape"
BEYOND = "line numbers beyond 2147483646"


def claude(kind: str, **values: Any) -> dict[str, Any]:
    return {"type": kind, "sessionId": "s", "isSidechain": False, "timestamp": STAMP, **values}


def said(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return claude(kind, message={"content": content, **more})


def item(kind: str, **values: Any) -> dict[str, Any]:
    return {"timestamp": STAMP, "type": "response_item", "payload": {"type": kind, **values}}


def notice(kind: str, **values: Any) -> dict[str, Any]:
    return {"timestamp": STAMP, "type": "event_msg", "payload": {"type": kind, **values}}


def call(name: str, given: dict[str, Any], result: str) -> list[dict[str, Any]]:
    block = {"type": "tool_use", "id": "t", "name": name, "input": given}
    answer = {"type": "tool_result", "tool_use_id": "t", "content": result}
    return [said("assistant", [block]), said("user", [answer])]


def shell(command: str, output: str) -> list[dict[str, Any]]:
    arguments = json.dumps({"cmd": command})
    return [
        item("function_call", name="exec_command", arguments=arguments, call_id="c"),
        item("function_call_output", output=f"Output:\n{output}", call_id="c"),
    ]


AROUND = {
    claude_code: (said("user", "before"), said("assistant", "after")),
    codex: (
        item("message", role="user", content="before"),
        item("message", role="assistant", content="after"),
    ),
}
TEXT = {"type": "text", "text": "x"}

ODD_CLAUDE = [
    *(
        claude(kind, message=value)
        for kind in ("user", "assistant")
        for value in (None, 7, "x", [])
    ),
    *(claude(kind) for kind in ("user", "assistant", "attachment", "progress")),
    *(said(kind, value) for kind in ("user", "assistant") for value in (None, 7, {}, [7], [None])),
    said("assistant", [TEXT], usage=7),
    said("assistant", [{"type": "text", "text": 7}]),
    said("assistant", [{"type": "thinking"}]),
    said("assistant", [{"type": "tool_use", "name": 7, "input": {}}]),
    said("assistant", [{"type": "tool_use", "name": "Read", "input": "x"}]),
    *(said("user", [{"type": "tool_result", "content": value}]) for value in (7, {}, ["x"], [7])),
    said("user", [{"type": "tool_result", "content": [{"type": "text"}]}]),
    claude("attachment", attachment="x"),
    claude("progress", data=None),
    claude("progress", data={"type": "agent_progress", "agentId": "a", "message": None}),
    claude("progress", data={"type": "agent_progress", "message": said("user", "x")}),
    claude("progress", data={"type": "agent_progress", "agentId": "a", "message": said("user", 7)}),
    claude("system", subtype="microcompact_boundary"),
    claude("system", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": 7}),
]
ODD_CODEX = [
    *(
        {"timestamp": STAMP, "type": kind, "payload": value}
        for kind in ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
        for value in (None, 7, "x", [])
    ),
    {"timestamp": STAMP, "type": "response_item"},
    *(item("message", role="user", content=value) for value in (None, 7, {}, [7])),
    item("message", role="assistant"),
    item("reasoning", summary=7),
    item("reasoning", summary=[], content={}),
    item("function_call", name=7, arguments="{}"),
    item("function_call", name="exec_command", arguments=7),
    item("custom_tool_call", name="apply_patch", input=None),
    item("local_shell_call", action="ls"),
    *(
        item(f"{kind}_call_output", output=v)
        for kind in ("function", "custom_tool")
        for v in (7, None)
    ),
    item("function_call_output", output=[7]),
    item("tool_search_output", tools=7),
    notice("token_count", info=7),
    notice("token_count", info={"total_token_usage": {}}),
    notice("patch_apply_end", call_id="c", changes=7),
    notice("patch_apply_end", changes={}),
    notice("thread_rolled_back"),
    {"timestamp": STAMP, "type": "compacted", "payload": {"replacement_history": 7}},
]
BEYOND_CLAUDE = [
    call("Read", {"file_path": "/a"}, "99999999999→x"),
    call("Read", {"file_path": "/a"}, "\n".join(f"{n}\tx" for n in range(2**31 - 8, 2**31 + 8))),
    call("Read", {"file_path": "/a"}, f"{2**63}\tx\n{2**63 + 1}\ty"),
    call("Read", {"file_path": "/a"}, f"{10**30}\tx"),
    call("Edit", {"file_path": "/a"}, "done:\n2147483648\tx"),
    call("Bash", {"command": "sed -n '2147483647,2147483648p' /a"}, "x\ny"),
]
BEYOND_CODEX = [
    shell("sed -n '2147483647,2147483648p' /a", "x\ny"),
    [
        notice(
            "patch_apply_end",
            call_id="p",
            changes={"/a": {"unified_diff": "@@ -2147483648 +1 @@\n-x\n+y"}},
        )
    ],
]
KNOWN_CLAUDE = [
    claude("user", message={"content": []}),
    said("user", [{"type": "tool_result", "tool_use_id": "t"}]),
    said("user", [{"type": "tool_result", "content": [TEXT, {"type": "image"}]}]),
    said("assistant", [{"type": "redacted_thinking", "data": "x"}]),
    said("assistant", [TEXT], usage=None),
    claude("attachment", attachment={"type": "queued_command", "prompt": ""}),
    claude("progress", data={"type": "bash_progress"}),
    claude("summary", leafUuid="x"),
]
KNOWN_CODEX = [
    item("message", role="user", content=[{"type": "input_image", "image_url": "x"}]),
    item("reasoning", summary=[], content=None, encrypted_content="x"),
    item("function_call", name="wait", arguments=""),
    notice("token_count", info=None),
    notice("patch_apply_end", success=False),
    {"timestamp": STAMP, "type": "compacted", "payload": {"message": "x"}},
]


def read(reader: Any, folder: Path, records: list[dict[str, Any]]) -> tuple[list[Any], list[bytes]]:
    """What a reader gives of records between two others."""
    before, after = AROUND[reader]
    lines = [json.dumps(record).encode() + b"\n" for record in (before, *records, after)]
    path = folder / "a.jsonl"
    path.write_bytes(b"".join(lines))
    items = list(reader.stream(path))
    events = [found for found in items if isinstance(found, Event)]
    assert (events[0].kind, events[0].text_bytes) == ("prompt", 6)
    assert [(e.kind, e.text_bytes) for e in events if e.kind == "text"][-1] == ("text", 5)
    return items, lines


def cases(*groups: tuple[Any, list[Any]]) -> Any:
    found = [(reader, case) for reader, group in groups for case in group]
    ids = [f"{r.NAME}-{n}" for n, (r, _) in enumerate(found)]
    return pytest.mark.parametrize(("reader", "case"), found, ids=ids)


def kinds(items: list[Any], kind: type) -> list[Any]:
    return [found for found in items if isinstance(found, kind)]


@cases((claude_code, ODD_CLAUDE), (codex, ODD_CODEX))
def test_an_odd_shape_is_a_problem_at_its_place(
    tmp_path: Path, reader: Any, case: dict[str, Any]
) -> None:
    items, lines = read(reader, tmp_path, [case])
    assert kinds(items, Problem) == [Problem(ODD, len(lines[0]), 2, len(lines[1]))]


@cases((claude_code, BEYOND_CLAUDE), (codex, BEYOND_CODEX))
def test_lines_numbered_too_high_are_a_problem_at_their_place(
    tmp_path: Path, reader: Any, case: list[dict[str, Any]]
) -> None:
    items, lines = read(reader, tmp_path, case)
    at = len(case)
    expected = [sum(map(len, lines[:at])), at + 1, len(lines[at])]
    assert kinds(items, Problem) == [Problem(BEYOND, *expected)]
    events = kinds(items, Event)
    assert not [span for event in events for span in event.spans]
    edits = [edit for event in events for edit in event.edits]
    assert all(isinstance(edit, Edit) and not edit.hunks for edit in edits)
    with open_store(tmp_path / "store") as store:
        report = store.ingest(tmp_path / "a.jsonl")
        assert (report.read, report.problems) == (1, 1)
        rows = store.sql("select cause, line_number, byte_offset, n_bytes from problems")
        found = rows.fetchall()
    assert found == [(BEYOND, expected[1], expected[0], expected[2])]


def test_the_highest_line_number_is_read(tmp_path: Path) -> None:
    records = call("Read", {"file_path": "/a"}, "2147483645\tx\n2147483646\ty")
    items, _ = read(claude_code, tmp_path, records)
    assert not kinds(items, Problem)
    (span,) = [span for event in kinds(items, Event) for span in event.spans]
    assert (span.first_line, span.lines) == (2147483645, ("x", "y"))
    with open_store(tmp_path / "store") as store:
        assert store.ingest(tmp_path / "a.jsonl").problems == 0
        assert store.sql("select first_line from spans").fetchall() == [(2147483645,)]
        assert [len(log.lines) for log in store.iter_logs()] == [2]


@cases((claude_code, KNOWN_CLAUDE), (codex, KNOWN_CODEX))
def test_what_is_left_out_on_purpose_is_no_problem(
    tmp_path: Path, reader: Any, case: dict[str, Any]
) -> None:
    items, _ = read(reader, tmp_path, [case])
    assert not kinds(items, Problem)
    assert not kinds(items, UnknownKind)


@pytest.mark.parametrize(
    ("reader", "case", "name"),
    [
        (claude_code, claude("new"), "new"),
        (claude_code, said("assistant", [{"type": "new"}]), "block/new"),
        (claude_code, said("user", [{"type": "new"}]), "block/new"),
        (
            claude_code,
            said("user", [{"type": "tool_result", "content": [{"type": "new"}]}]),
            "result/new",
        ),
        (
            claude_code,
            claude("attachment", attachment={"type": "new", "value": 1}),
            "attachment/new",
        ),
        (claude_code, claude("system", subtype="new"), "system/new"),
        (claude_code, claude("progress", data={"type": "new"}), "progress/new"),
        (
            claude_code,
            claude(
                "progress",
                data={"type": "agent_progress", "agentId": "a", "message": {"type": "new"}},
            ),
            "agent_progress/new",
        ),
        (codex, {"timestamp": STAMP, "type": "new", "payload": None}, "new"),
        (codex, item("new"), "response_item new"),
        (codex, notice("new"), "event_msg new"),
        (
            codex,
            notice("thread_rolled_back", num_turns=9),
            "thread_rolled_back of more turns than the file holds",
        ),
    ],
)
def test_what_is_unknown_is_counted(
    tmp_path: Path, reader: Any, case: dict[str, Any], name: str
) -> None:
    items, _ = read(reader, tmp_path, [case])
    assert kinds(items, UnknownKind) == [UnknownKind(name, 1)]
    assert not kinds(items, Problem)
