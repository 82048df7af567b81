"""Every quirk of Claude Code's log, one small invented file each, and the reader's robustness."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.events import Edit, Event, Hunk, Pointer, Prefix, Thread, Touch, UnknownKind
from ctxlab.transcripts import ReadResult, claude_code, read
from ctxlab.transcripts._claude_session import ClaudeSession

FIXTURES = Path(__file__).parent / "fixtures" / "claude_code"
SESSION = "11111111-2222-4333-8444-555555555555"


def case(name: str) -> ReadResult:
    return read(FIXTURES / f"{name}.jsonl")


def kinds(events: Sequence[Event], thread: str = "main") -> list[str]:
    return [event.kind for event in events if event.thread == thread]


def results(result: ReadResult) -> list[Event]:
    return [event for event in result.events if event.kind == "result"]


def test_another_record_under_a_known_uuid_is_read(tmp_path: Path) -> None:
    lines = (FIXTURES / "read_arrow.jsonl").read_text().splitlines()
    whole = read(FIXTURES / "read_arrow.jsonl")
    same = [{**json.loads(line), "uuid": "one-for-all"} for line in lines if '"uuid"' in line]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in same for _ in range(2)))
    assert len(results(read(path))) == len(results(whole)) > 0


def test_streamed_repeats_are_one_response() -> None:
    result = case("streamed_repeats")
    assert kinds(result.events) == ["prompt", "thinking", "text", "call", "result", "text"]
    assert [event.request for event in result.events] == [None, 0, 0, 0, 0, 1]
    assert [(u.request, u.uid, u.output_tokens) for u in result.usage] == [
        (0, "m1", 40),
        (1, "m2", 50),
    ]
    first = result.usage[0]
    assert (first.uncached_input_tokens, first.cache_read_tokens, first.cache_write_tokens) == (
        3,
        100,
        20,
    )
    assert first.reasoning_tokens is None


def test_transcript_says_what_the_file_is() -> None:
    result = case("streamed_repeats")
    path = FIXTURES / "streamed_repeats.jsonl"
    transcript = result.transcript
    assert transcript.agent == "claude_code"
    assert transcript.agent_version == "2.1.50"
    assert transcript.session_id == SESSION
    assert transcript.parent_session_id is None
    assert transcript.cwd == "/home/dev/pump"
    assert transcript.models == ("model-a",)
    assert (transcript.n_lines, transcript.n_bytes) == (7, path.stat().st_size)
    assert transcript.started_ms == 1770112801000
    assert transcript.ended_ms == 1770112807000
    assert result.threads == (Thread("main"),)


def test_synthetic_error_is_no_request_and_no_fork() -> None:
    result = case("synthetic_error_beside_prompt")
    assert kinds(result.events) == ["prompt", "prompt", "text"]
    assert len(result.usage) == 1
    assert result.transcript.models == ("model-a",)


def test_glued_and_cut_lines() -> None:
    result = case("glued_and_cut")
    assert kinds(result.events) == ["prompt", "text", "prompt", "text"]
    assert [(p.cause, p.line_number) for p in result.problems] == [
        ("cut short at the end of the file", 4)
    ]


def test_false_forks_are_no_rewinds() -> None:
    result = case("false_forks")
    assert kinds(result.events) == ["prompt", "call", "call", "result", "result", "text"]
    assert [e.request for e in result.events] == [None, 0, 0, 0, 0, 1]


def test_true_rewind_names_the_event_gone_back_to() -> None:
    result = case("true_rewind")
    rewind = next(e for e in result.events if e.kind == "rewind")
    target = next(e for e in result.events if e.uid == rewind.rewind_to)
    assert (target.kind, target.uid) == ("text", "u4")
    assert kinds(result.events)[-3:] == ["rewind", "prompt", "text"]


def test_rewind_to_the_start_is_a_clear() -> None:
    result = case("rewind_to_the_start")
    assert kinds(result.events) == ["prompt", "text", "clear", "prompt", "text"]


def test_two_processes_take_turns() -> None:
    result = case("two_processes_on_one_session")
    rewinds = [e.rewind_to for e in result.events if e.kind == "rewind"]
    assert rewinds == ["u2", "u4"]
    assert kinds(result.events).count("resume") == 1


def test_compaction_once_with_its_summary_injected() -> None:
    result = case("compaction")
    assert kinds(result.events) == ["prompt", "text", "compaction", "injected", "text", "text"]


def test_microcompaction_names_the_calls() -> None:
    result = case("microcompaction")
    cleared = [e.cleared_calls for e in result.events if e.kind == "microcompaction"]
    assert cleared == [("c1",)]


def test_new_root_in_one_file_is_a_clear() -> None:
    result = case("clear_in_one_file")
    assert kinds(result.events) == ["prompt", "text", "clear", "prompt", "text"]


def test_several_signs_of_one_resume_are_one_event() -> None:
    result = case("resume")
    assert kinds(result.events) == [
        "prompt",
        "text",
        "resume",
        "prompt",
        "text",
        "resume",
        "prompt",
    ]


def test_subagent_as_progress() -> None:
    result = case("subagent_as_progress")
    assert result.threads == (Thread("main"), Thread("a7", "main", "t1"))
    assert kinds(result.events, "a7") == ["prompt", "call", "result"]
    inner = next(e for e in results(result) if e.thread == "a7")
    assert inner.spans[0].lines == ("x = 1", "y = 2")
    outer = next(e for e in results(result) if e.thread == "main")
    assert (outer.tool_kind, outer.text_bytes) == ("agent", len("found\nagentId: a7"))
    assert [(u.thread, u.model) for u in result.usage] == [
        ("main", "model-a"),
        ("a7", "model-b"),
        ("main", "model-a"),
    ]


@pytest.mark.parametrize("agent", ["a7", "acompact-c3"])
def test_subagent_in_a_file_of_its_own(agent: str) -> None:
    result = case(f"subagents/agent-{agent}")
    assert result.transcript.session_id == SESSION
    assert result.threads == (Thread(agent, "main", None),)
    assert {event.thread for event in result.events} == {agent}


def test_side_chain_within_the_main_file() -> None:
    result = case("sidechain_in_main_file")
    assert result.threads == (Thread("main"), Thread("u3", "main", "t1"))
    assert kinds(result.events, "u3") == ["prompt", "text"]
    assert kinds(result.events) == ["prompt", "call", "result"]


@pytest.mark.parametrize(
    ("name", "prefix"), [("read_arrow", Prefix(6, 3)), ("read_tab", Prefix(1, 1))]
)
def test_read_with_a_reminder_behind(name: str, prefix: Prefix) -> None:
    (event,) = results(case(name))
    (span,) = event.spans
    assert (span.path, span.first_line, span.total_lines) == ("/home/dev/pump/a.py", 9, 40)
    assert (span.lines, span.prefix, span.origin) == (("def f():", "    12→x", ""), prefix, "read")
    assert event.touches == (Touch("/home/dev/pump/a.py", "read"),)
    record = json.loads((FIXTURES / f"{name}.jsonl").read_text().splitlines()[2])
    shown = record["message"]["content"][0]["content"]
    assert event.text_bytes == len(shown.encode())


def test_reads_that_serve_nothing() -> None:
    assert [(e.is_error, e.spans) for e in results(case("read_nothing"))] == [
        (True, ()),
        (False, ()),
        (False, ()),
    ]


def test_images_count_no_text() -> None:
    result = case("image_result")
    assert [(e.kind, e.text_bytes) for e in result.events if e.kind != "call"] == [
        ("prompt", 3),
        ("result", len("é\nb".encode())),
    ]


def test_only_the_preview_of_persisted_output_was_seen() -> None:
    (event,) = results(case("persisted_output"))
    assert [(s.path, s.lines, s.origin) for s in event.spans] == [
        ("/home/dev/pump/a.txt", ("one",), "shell")
    ]


def test_shell_prints_and_writes() -> None:
    prints, writes, refused = results(case("shell"))
    assert [(s.first_line, s.lines, s.numbered) for s in prints.spans] == [
        (3, ("three", "four"), False)
    ]
    assert prints.touches == (Touch("/home/dev/pump/a.txt", "read"),)
    assert writes.edits == (Edit("/home/dev/pump/a.txt", "unknown", evidence="shell"),)
    assert (refused.is_error, refused.edits) == (True, ())


def test_edits() -> None:
    edits = [event.edits for event in results(case("edits"))]
    here = "/home/dev/pump"
    assert edits == [
        (Edit(f"{here}/a.py", "hunks", (Hunk(3, 3, " -++ ", ("a", "b", "B", "C", "d")),)),),
        (Edit(f"{here}/new.py", "full"),),
        (),
        (Edit(f"{here}/b.py", "hunks", (Hunk(1, 1, "-", ("a",)), Hunk(9, 8, "+", ("z",)))),),
        (Edit(f"{here}/n.ipynb", "unknown"),),
        (Edit(f"{here}/c.py", "unknown"),),
        (Edit(f"{here}/d.py", "unknown", evidence="error"),),
        (),
        (Edit(f"{here}/sub.py", "full"),),
    ]


def test_excerpt_in_an_edit_result() -> None:
    spans = [span for event in results(case("edits")) for span in event.spans]
    assert [(s.path, s.first_line, s.lines, s.origin) for s in spans] == [
        ("/home/dev/pump/c.py", 7, ("b", "c"), "edit_echo")
    ]


def test_reminders_of_a_modified_file() -> None:
    result = case("modified_reminder")
    assert [e.edits for e in result.events if e.edits] == [
        (Edit("/home/dev/pump/a.py", "unknown", evidence="reminder"),),
        (Edit("/home/dev/pump/c.py", "unknown", evidence="reminder"),),
    ]


def test_who_said_a_user_line() -> None:
    assert kinds(case("who_said_it").events) == [
        "prompt",
        "injected",
        "injected",
        "injected",
        "injected",
        "injected",
        "interrupt",
    ]


def test_interrupted_call_has_no_result() -> None:
    assert kinds(case("interrupted_call").events) == ["prompt", "call", "interrupt"]


def test_refused_calls_are_errors_and_what_was_said_beside_is_a_prompt() -> None:
    result = case("refused_calls")
    assert [e.is_error for e in results(result)] == [True, True]
    assert kinds(result.events) == ["prompt", "call", "call", "result", "prompt", "result"]


def test_grep() -> None:
    many, one, names = results(case("grep"))
    assert [(s.path, s.first_line, s.lines) for s in many.spans] == [
        ("/home/dev/pump/src/a-1.py", 4, ("x = 1", "y")),
        ("/home/dev/pump/b.py", 9, ("x",)),
    ]
    assert many.touches == (Touch("/home/dev/pump", "search"),)
    assert [(s.path, s.first_line, s.prefix) for s in one.spans] == [
        ("/home/dev/pump/b.py", 9, Prefix(1, 1))
    ]
    assert names.spans == ()


def test_mcp_answers() -> None:
    tracker, codegraph = results(case("mcp"))
    assert (tracker.tool, tracker.tool_kind) == ("mcp__tracker__get_issue", "mcp")
    assert tracker.mentions == ("pump.py", "valve.rs")
    assert [(s.path, s.first_line, s.origin) for s in codegraph.spans] == [
        ("/home/dev/pump/a.py", 7, "mcp")
    ]
    assert codegraph.pointers == tuple[Pointer, ...]()


def test_dated_session_id_is_the_uuid() -> None:
    assert case(f"2026-02-03-{SESSION}").transcript.session_id == SESSION


def test_redacted_ids_join_nothing_by_being_equal() -> None:
    result = case("redacted_ids")
    assert [(e.touches[0].path, e.spans[0].lines) for e in results(result)] == [
        ("/home/dev/pump/f2.py", ("line of f2",)),
        ("/home/dev/pump/f1.py", ("line of f1",)),
    ]
    assert kinds(result.events) == ["prompt", "call", "call", "result", "result", "prompt"]
    assert [e.uid for e in result.events if e.kind == "prompt"] == [None, None]
    assert [u.uid for u in result.usage] == ["req1"]


def test_unknown_kinds_are_counted_by_name() -> None:
    assert set(case("unknown_kinds").unknown) == {
        UnknownKind("hologram", 2),
        UnknownKind("(NoneType)", 1),
        UnknownKind("system/weather", 1),
        UnknownKind("progress/juggling", 1),
        UnknownKind("block/smell", 1),
        UnknownKind("block/taste", 1),
    }


def test_attachments() -> None:
    result = case("attachments")
    assert kinds(result.events) == ["prompt", "injected", "prompt", "injected"]
    edit = Edit("/home/dev/pump/a.py", "unknown", evidence="reminder")
    assert result.events[1].edits == (edit,)


def test_forked_session_names_its_origin() -> None:
    transcript = case("forked_session").transcript
    assert transcript.session_id == SESSION
    assert transcript.parent_session_id == "99999999-2222-4333-8444-555555555555"


def test_output_is_judged_a_response() -> None:
    reliable = {u.uid: u.output_reliable for u in case("output_placeholders").usage}
    assert reliable == {"m1": False, "m2": True, "m3": False, "m4": False, "m5": True}


def test_lone_surrogate_is_noted() -> None:
    result = case("lone_surrogate")
    assert result.events[0].text_bytes == len("a\ufffdb".encode())
    assert [p.cause for p in result.problems] == ["lone surrogates, kept as they are"]


def test_segment_that_begins_with_a_result() -> None:
    (event, _) = case("orphan_segment").events
    assert (event.kind, event.call_id, event.tool, event.spans) == ("result", "gone", None, ())


def test_values_of_odd_types_do_not_stop_the_reader() -> None:
    result = case("odd_types")
    assert {problem.cause for problem in result.problems} == {"message of an unexpected shape"}
    told = [problem.line_number for problem in result.problems]
    assert told == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15]
    assert UnknownKind("(dict)", 1) in result.unknown


def test_uids_of_further_blocks_of_a_line() -> None:
    events = list(
        ClaudeSession("s").read(
            {
                "type": "assistant",
                "uuid": "u1",
                "message": {
                    "id": "m1",
                    "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
                },
            }
        )
    )
    assert [event.uid for event in events] == ["u1", "u1:1"]


def test_no_text_is_held_between_lines() -> None:
    session = ClaudeSession("s")
    text = "unmistakable"
    for n, kind in enumerate(("user", "assistant")):
        block = {"type": "text", "text": text}
        record = {"type": kind, "uuid": f"u{n}", "message": {"id": "m1", "content": [block]}}
        assert [event.text_bytes for event in session.read(record)] == [len(text)]
    held = json.dumps(session.__dict__, default=lambda v: getattr(v, "__dict__", repr(v)))
    assert text not in held


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.text(max_size=8)
    | st.sampled_from(["tool_use", "tool_result", "text", "u1", "u2", "Read", "a.py", "REDACTED"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "id", "tool_use_id", "name", "input", "content", "text", "file", "data"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)
records: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant", "system", "progress", "attachment"]) | values},
    optional={
        "uuid": st.sampled_from(["u1", "u2", "u3", "u4"]) | values,
        "parentUuid": st.sampled_from([None, "u1", "u2", "u3"]) | values,
        "isSidechain": values,
        "message": st.fixed_dictionaries({}, optional={"id": values, "content": values}) | values,
        "toolUseResult": values,
        "data": values,
        "subtype": st.sampled_from(["compact_boundary", "microcompact_boundary"]) | values,
        "attachment": values,
        "timestamp": values,
    },
)


@given(st.lists(records, max_size=12))
def test_any_records_are_read(given_records: list[dict[str, Any]]) -> None:
    session = ClaudeSession("s")
    events = [event for record in given_records for event in session.read(record)]
    closing = list(session.close("claude_code", 0, 0))
    threads = {item.thread for item in closing if isinstance(item, Thread)}
    assert {event.thread for event in events} <= threads
    uids = [event.uid for event in events if event.uid is not None]
    assert len(uids) == len(set(uids))


@pytest.mark.parametrize(
    ("record", "is_ours"),
    [
        ({"type": "summary", "summary": "s", "leafUuid": "u"}, True),
        ({"type": "user", "timestamp": "t", "message": {"content": "go"}}, True),
        ({"type": "user", "timestamp": "t", "message": {"parts": []}}, False),
        ({"type": "system", "sessionId": "s", "isSidechain": False}, True),
        ({"type": "system", "sessionId": "s", "subtype": "ui"}, False),
        ({"type": "queue-operation", "operation": "enqueue"}, True),
        ({"type": "session_meta", "payload": {}}, False),
        ({"type": ["user"]}, False),
        ({}, False),
    ],
)
def test_sniff(record: dict[str, Any], is_ours: bool) -> None:
    assert claude_code.sniff([{"x": 1}, record]) is is_ours


def test_words_of_the_user_and_of_the_model() -> None:
    result = case("words")
    assert [(e.kind, e.text) for e in result.events if e.text] == [
        ("prompt", "  Rename `fill` of the Pumpe\nto pump_up, please ")
    ]
    assert [(e.kind, e.names) for e in result.events if e.names] == [
        ("text", ("fill", "src/pump.py")),
        ("call", ("/home/dev/pump/src/pump.py",)),
        ("call", ("/home/dev/pump/src/pump.py", "fill", "pump_up")),
        ("call", ("Pump.pump_up", "pump_up", "tests/test_pump.py")),
    ]


def test_the_text_of_a_prompt_typed_meanwhile() -> None:
    assert [e.text for e in case("attachments").events if e.kind == "prompt"] == [
        "go",
        "also this",
    ]


def test_a_prompt_of_a_megabyte_is_kept_whole(tmp_path: Path) -> None:
    text = "<ide_file>\ud800 and </ide_files>" * 40_000
    record = {"type": "user", "timestamp": "", "message": {"role": "user", "content": text}}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(record))
    assert [event.text for event in read(path).events] == [text]
