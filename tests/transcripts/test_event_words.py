"""Words and commands of events: what was shown, without what the harness put around it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.events import Event
from ctxlab.transcripts import stream
from ctxlab.transcripts._claude_results import read_result
from ctxlab.transcripts._texts import texts_in
from tests.sessions import Session

ANSWER = '{"id": "AB-12"}'
REMINDER = "<system-reminder>\nLook at the list.\n</system-reminder>"


def events(path: Path, *kinds: str) -> list[Event]:
    return [item for item in stream(path) if isinstance(item, Event) and item.kind in kinds]


def claude(folder: Path, tool: str, given: dict[str, Any], result: str) -> tuple[Event, Event]:
    path = Session("s").call(tool, given, result).write(folder / "s.jsonl")
    asked, answered = events(path, "call", "result")
    return asked, answered


@pytest.mark.parametrize(
    "printed",
    [
        ANSWER,
        f"Exit code 3\n{ANSWER}",
        f"{ANSWER}\n\n{REMINDER}",
        f"{ANSWER}\n{REMINDER}\n\n{REMINDER}\n",
        f"Exit code 1\n{ANSWER}\nShell cwd was reset to /project\n{REMINDER}",
        f"{ANSWER}\nShell cwd was reset to /project",
        "<persisted-output>\nOutput too large (90KB). Full output saved to: x.txt\n\n"
        f"Preview (first 2KB):\n{ANSWER}\n...\n</persisted-output>",
    ],
)
def test_claude_code_result_without_its_wraps(tmp_path: Path, printed: str) -> None:
    asked, answered = claude(tmp_path, "Bash", {"command": "bd list", "timeout": 5}, printed)
    assert answered.words.rstrip("\n") == ANSWER
    assert (asked.command, asked.words) == ("bd list", "bd list\n5")
    assert answered.command == ""


@pytest.mark.parametrize(
    "printed",
    [f"{REMINDER} then {ANSWER}", "</system-reminder>", "<system-reminder> open", "", "  \n"],
)
def test_claude_code_result_in_which_a_reminder_does_not_end_the_text(printed: str) -> None:
    assert read_result(None, {"content": printed}, None).words == printed


@given(
    st.lists(st.sampled_from(["<system-reminder>", "</system-reminder>", "a", "\n"]), max_size=9)
)
def test_only_reminders_at_the_end_are_taken_off(pieces: list[str]) -> None:
    text = "".join(pieces)
    words = read_result(None, {"content": text}, None).words
    assert text.startswith(words)
    assert words == text or text[len(words) :].lstrip().startswith("<system-reminder>")


def test_claude_code_input_of_a_tool_that_works_on_no_file(tmp_path: Path) -> None:
    given = {"query": "pumps", "page": {"size": 20, "deep": True}}
    asked, _ = claude(tmp_path, "mcp__house__find", given, ANSWER)
    assert json.loads(asked.command) == given
    assert (asked.words, asked.aside) == ("pumps\n20", "query\npage")


def test_claude_code_file_tools_have_words_and_no_command(tmp_path: Path) -> None:
    given = {"file_path": "/project/a.md", "content": "see AB-12"}
    asked, _ = claude(tmp_path, "Write", given, "written")
    assert (asked.command, asked.words) == ("", "/project/a.md\nsee AB-12")
    assert asked.aside == "file_path\ncontent"


def test_claude_code_texts(tmp_path: Path) -> None:
    session = Session("s").prompt("<ide_opened_file>a.py</ide_opened_file>\nstart it").says("done")
    prompt, said = events(session.write(tmp_path / "s.jsonl"), "prompt", "text")
    assert prompt.words == "<ide_opened_file>a.py</ide_opened_file>\nstart it"
    assert prompt.text == "start it"
    assert said.words == "done"


def rollout(folder: Path, *items: dict[str, Any]) -> Path:
    records = [{"type": "session_meta", "payload": {"id": "s", "cwd": "/project"}}]
    records += [{"type": "response_item", "payload": item} for item in items]
    path = folder / "rollout.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def asked(call_id: str, name: str, arguments: object, **more: str) -> dict[str, Any]:
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"type": "function_call", "call_id": call_id, "name": name, "arguments": given}
    return call | more


def printed(call_id: str, output: object) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": output}


@pytest.mark.parametrize(
    "output",
    [
        ANSWER,
        f"Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n{ANSWER}",
        json.dumps({"output": ANSWER, "metadata": {"exit_code": 0, "duration_seconds": 0.1}}),
        [{"type": "input_text", "text": ANSWER}],
    ],
)
def test_codex_result_without_its_header(tmp_path: Path, output: object) -> None:
    call = asked("c", "exec_command", {"cmd": "bd list", "max_output_tokens": 400})
    first, answered = events(rollout(tmp_path, call, printed("c", output)), "call", "result")
    assert (first.command, first.words) == ("bd list", "bd list\n400")
    assert answered.words == ANSWER


def test_codex_goes_on_with_the_command_of_a_running_shell(tmp_path: Path) -> None:
    running = "Chunk ID: a\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\n"
    path = rollout(
        tmp_path,
        asked("c", "exec_command", {"cmd": "bd list"}),
        printed("c", running),
        asked("d", "write_stdin", {"session_id": 7, "chars": ""}),
        printed("d", ANSWER),
        asked("e", "write_stdin", {"session_id": 8, "chars": "x"}),
    )
    calls = events(path, "call")
    assert [call.command for call in calls] == ["bd list", "bd list", ""]
    assert [result.words for result in events(path, "result")] == ["", ANSWER]


def test_codex_inputs_that_are_no_command_line(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** End Patch"
    path = rollout(
        tmp_path,
        asked("a", "find", '{"q": "pumps"}', namespace="mcp__house"),
        {"type": "custom_tool_call", "call_id": "b", "name": "apply_patch", "input": patch},
        {"type": "web_search_call", "action": {"query": "pumps"}},
    )
    calls = events(path, "call")
    assert [call.command for call in calls] == ['{"q": "pumps"}', "", '{"query":"pumps"}']
    assert [call.words for call in calls] == ["pumps", patch, "pumps"]
    assert [call.aside for call in calls] == ["q", "", "query"]


def test_codex_texts(tmp_path: Path) -> None:
    said = [{"type": "output_text", "text": "done"}]
    path = rollout(
        tmp_path,
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "be"}]},
        {"type": "message", "role": "assistant", "content": said},
    )
    with path.open("a") as file:
        kept = [{"type": "message", "role": "user", "content": "AB-12 is open"}]
        payload = {"message": "", "replacement_history": kept}
        file.write(json.dumps({"type": "compacted", "payload": payload}) + "\n")
    found = events(path, "prompt", "injected", "text", "compaction")
    assert [event.words for event in found] == ["go", "be", "done", "AB-12 is open"]


def test_mcp_traffic(tmp_path: Path) -> None:
    params = {"name": "find", "arguments": {"q": "pumps", "n": 7}}
    result = {"content": [{"type": "text", "text": ANSWER}, {"type": "text", "text": "[1]"}]}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
        {"jsonrpc": "2.0", "id": 1, "result": result},
    ]
    path = tmp_path / "traffic.jsonl"
    path.write_text("".join(json.dumps(message) + "\n" for message in messages))
    call, answered = events(path, "call", "result")
    assert (call.command, call.words) == ('{"q":"pumps","n":7}', "pumps\n7")
    assert call.aside == "q\nn"
    assert (answered.command, answered.words) == ("", f"{ANSWER}\n[1]")


def test_texts_in_a_deep_value() -> None:
    value: object = ["a", 1.5, None, {"k": [True, "b", 2]}]
    for _ in range(5000):
        value = [value]
    assert texts_in(value) == "a\n1.5\nb\n2"
