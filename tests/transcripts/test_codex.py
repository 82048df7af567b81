"""Codex rollouts to items: one small invented file a quirk, and the real ones where present."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import InputError
from ctxlab.events import (
    Edit,
    Event,
    Hunk,
    Item,
    Problem,
    Span,
    Thread,
    Touch,
    Transcript,
    UnknownKind,
    Usage,
)
from ctxlab.transcripts import codex, detect

FIXTURES = Path(__file__).parent / "fixtures" / "codex"


def items(name: str) -> list[Item]:
    return list(codex.stream(FIXTURES / f"{name}.jsonl"))


def events(name: str, *kinds: str) -> list[Event]:
    return [i for i in items(name) if isinstance(i, Event) and (not kinds or i.kind in kinds)]


def usages(name: str) -> list[Usage]:
    return [i for i in items(name) if isinstance(i, Usage)]


def transcript(name: str) -> Transcript:
    last = items(name)[-1]
    assert isinstance(last, Transcript)
    return last


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.jsonl")), ids=lambda p: p.stem)
def test_contract(path: Path) -> None:
    """What holds of every rollout, whatever is in it."""
    assert detect(path) == "codex"
    read = list(codex.stream(path))
    assert read[0] == Thread("main")
    assert isinstance(read[-1], Transcript)
    assert read[-1].n_bytes == path.stat().st_size
    found = [item for item in read if isinstance(item, Event)]
    uids = Counter(event.uid for event in found if event.uid is not None)
    assert not [uid for uid, count in uids.items() if count > 1]
    calls = {event.call_id: event for event in found if event.kind == "call"}
    for event in found:
        if event.kind == "result" and event.call_id in calls:
            call = calls[event.call_id]
            assert (event.tool, event.tool_kind, event.request, event.touches) == (
                call.tool,
                call.tool_kind,
                call.request,
                call.touches,
            )


def test_transcript() -> None:
    found = transcript("resumed")
    assert found == Transcript(
        agent="codex",
        agent_version="0.140.0",
        session_id="s-1",
        started_ms=1767225601000,
        ended_ms=1767225608000,
        cwd="/repo",
        models=("model-a", "model-b"),
        n_lines=8,
        n_bytes=found.n_bytes,
    )


def test_prompts_and_what_the_harness_injects() -> None:
    kinds = [event.kind for event in events("parallel_calls")]
    assert kinds == [
        *("injected", "prompt", "thinking", "text"),
        *("call", "call", "result", "result", "text"),
    ]
    (prompt,) = events("parallel_calls", "prompt")
    assert prompt.text_bytes == len("Count the pears")


def test_parallel_calls_share_a_request() -> None:
    assert [event.request for event in events("parallel_calls")[2:]] == [0, 0, 0, 0, 0, 0, 1]


def test_repeated_and_empty_token_counts_are_not_counted() -> None:
    first, second = usages("parallel_calls")
    assert (first.request, first.model, first.uid) == (0, "model-a", "t-1:usage:110")
    assert (first.uncached_input_tokens, first.cache_read_tokens) == (60, 40)
    assert (first.output_tokens, first.reasoning_tokens) == (10, 3)
    assert first.cache_write_tokens is None
    assert (second.request, second.uncached_input_tokens) == (1, 50)


def test_spans_of_shell_results() -> None:
    sed, rg = events("parallel_calls", "result")
    assert [(s.path, s.first_line, s.lines) for s in sed.spans] == [
        ("/repo/pear.py", 1, ("one", "two"))
    ]
    assert sed.touches == (Touch("/repo/pear.py", "read"),)
    assert [(s.path, s.first_line, s.numbered) for s in rg.spans] == [("/repo/src/a.py", 7, True)]
    assert (rg.tool, rg.tool_kind, rg.is_error) == ("exec_command", "shell", False)


def test_output_as_json() -> None:
    ok, failed = events("output_as_json", "result")
    assert [(s.path, s.first_line, s.lines) for s in ok.spans] == [
        ("/repo/sub/a.py", 3, ("three", "four"))
    ]
    assert (ok.is_error, failed.is_error) == (False, True)
    assert ok.text_bytes > len("three\nfour\n")  # the model saw the JSON text


def test_count_that_stands_before_its_response() -> None:
    assert [event.request for event in events("output_as_json")] == [None, 0, 0, 0, 0, 1]
    assert [usage.request for usage in usages("output_as_json")] == [0, 1]


def test_powershell_lines_end_in_one_newline() -> None:
    (result,) = events("powershell", "result")
    assert [(s.path, s.lines) for s in result.spans] == [("C:\\repo\\a.py", ("one", "two"))]


def test_patch_with_hunks() -> None:
    (call,) = events("patch_with_hunks", "call")
    assert call.touches == (Touch("/repo/a.py", "edit"), Touch("/repo/b.py", "edit"))
    (result,) = events("patch_with_hunks", "result")
    assert result.edits == (
        Edit("/repo/a.py", "hunks", (Hunk(1, 1, " -+ ", ("one", "two", "zwei", "three")),)),
        Edit("/repo/b.py", "full"),
    )
    assert result.is_error is False


def test_patch_refused_changes_nothing() -> None:
    (result,) = events("patch_refused", "result")
    assert (result.is_error, result.edits) == (True, ())


def test_patch_without_hunks() -> None:
    (result,) = events("patch_without_hunks", "result")
    assert result.edits == (Edit("/repo/a.py", "unknown"), Edit("/repo/b.py", "full"))


def test_patch_told_after_its_result() -> None:
    late = events("patch_told_late")[-1]
    assert (late.kind, late.uid, late.text_bytes) == ("injected", "c-1:patch", 0)
    assert late.edits == (Edit("/repo/a.py", "full"), Edit("/repo/z.py", "full"))


def test_repeated_meta_is_a_resume() -> None:
    assert [event.kind for event in events("resumed")] == [
        *("prompt", "text", "resume", "prompt", "text"),
    ]


def test_fork_names_its_parent() -> None:
    found = transcript("forked")
    assert (found.session_id, found.parent_session_id) == ("child", "parent")
    assert [event.kind for event in events("forked")] == ["prompt", "text", "prompt"]
    assert transcript("sub_agent").parent_session_id == "parent"


def test_pair_of_compaction_records_is_one_compaction() -> None:
    kinds = [event.kind for event in events("compacted")]
    assert kinds == [
        *("prompt", "text", "compaction", "injected", "text", "compaction", "text"),
    ]
    first, second = events("compacted", "compaction")
    assert (first.text_bytes, second.text_bytes) == (len("Work"), 0)


def test_aborted_call_has_no_result() -> None:
    found = events("aborted")
    assert [event.kind for event in found] == [
        *("prompt", "text", "prompt", "call", "interrupt", "injected", "prompt", "text"),
    ]
    assert [event.request for event in found] == [None, 0, None, 1, None, None, None, 2]


def test_uncounted_request_is_unmeasured() -> None:
    _, aborted, counted = usages("aborted")
    assert (aborted.request, aborted.uncached_input_tokens, aborted.output_tokens) == (
        1,
        None,
        None,
    )
    assert (counted.request, counted.uncached_input_tokens, counted.output_tokens) == (2, 50, 2)
    assert aborted.uid is None
    assert [u.uncached_input_tokens for u in usages("no_token_counts")] == [None, None, None]


def test_polled_output() -> None:
    first, rest = events("polled", "result")
    assert [(s.path, s.lines) for s in first.spans] == [("/repo/a.py", ("one", "two"))]
    assert rest.tool == "write_stdin"
    assert rest.spans == ()  # its lines follow on lines that are not in this output
    assert rest.touches == (Touch("/repo/a.py", "read"),)


def test_cut_in_mid_line() -> None:
    (result,) = events("cut_in_mid_line", "result")
    assert [(s.first_line, s.lines) for s in result.spans] == [(1, ("one", "two"))]


def test_images_are_no_text() -> None:
    (result,) = events("image_output", "result")
    assert (result.text_bytes, result.tool_kind) == (len("seen"), "other")
    assert result.touches == (Touch("/repo/shot.png", "read"),)


def test_searches() -> None:
    calls = events("searches", "call")
    assert [(c.tool, c.tool_kind, c.call_id) for c in calls] == [
        ("web_search", "web", None),
        ("tool_search", "bookkeeping", "c-1"),
        ("update_plan", "bookkeeping", "c-2"),
    ]
    assert len(events("searches", "result")) == 2


def test_mcp_answer() -> None:
    named, old = events("mcp", "call")
    assert (named.tool, named.tool_kind) == ("mcp__graph__ask", "mcp")
    assert (old.tool, old.tool_kind) == ("graph__ask", "mcp")
    (result,) = events("mcp", "result")
    assert result.mentions == ("a.py",)
    (span,) = result.spans
    assert isinstance(span, Span)
    assert (span.path, span.first_line, span.lines) == ("/repo/src/a.py", 3, ("x = 1", "y = 2"))


def test_unknown_kinds_and_bad_lines_are_reported() -> None:
    found = items("unknown_kinds")
    assert [item for item in found if isinstance(item, UnknownKind)] == [
        UnknownKind("event_msg sneeze", 2),
        UnknownKind("no type", 1),
        UnknownKind("response_item telepathy", 1),
        UnknownKind("world_state", 1),
    ]
    (problem,) = [item for item in found if isinstance(item, Problem)]
    assert problem.line_number == 9


def test_roll_back() -> None:
    found = events("rolled_back")
    (rewind,) = [event for event in found if event.kind == "rewind"]
    assert rewind.rewind_to == found[1].uid
    assert found[1].kind == "text"


def test_without_token_counts_an_output_ends_a_request() -> None:
    assert [event.request for event in events("no_token_counts")] == [None, 0, 0, 1, 1, 2]


def test_calls_logged_between_outputs_share_a_request() -> None:
    assert [e.request for e in events("calls_between_outputs")] == [None, 0, None, 1, 1, 1, 1]


def test_output_without_call() -> None:
    (result,) = events("output_without_call", "result")
    assert (result.tool, result.request, result.call_id) == (None, None, "c-9")


def test_missing_file() -> None:
    with pytest.raises(InputError, match="no such file; check the path"):
        list(codex.stream(FIXTURES / "none.jsonl"))


def test_other_json_lines_are_no_rollout() -> None:
    assert not codex.sniff([{"session_id": "s", "ts": 1, "text": "a"}])
    assert not codex.sniff([{"type": "turn.started"}, {"type": "user", "message": {}}])
    assert not codex.sniff([])


KEYS = (
    *("type", "role", "content", "name", "namespace", "arguments", "input", "call_id", "output"),
    *("id", "cwd", "model", "turn_id", "info", "changes", "success", "action", "tools", "source"),
    *("replacement_history", "message", "num_turns", "summary", "timestamp", "payload"),
)
TYPES = (
    *("session_meta", "turn_context", "response_item", "event_msg", "compacted", "message"),
    *("reasoning", "function_call", "custom_tool_call", "local_shell_call", "web_search_call"),
    *("function_call_output", "custom_tool_call_output", "tool_search_output", "token_count"),
    *("patch_apply_end", "turn_aborted", "context_compacted", "thread_rolled_back"),
)
TEXTS = (
    *("user", "assistant", "exec_command", "apply_patch", "write_stdin", "c-1", "", "2026-01-01"),
    *('{"cmd": "cat a"}', '{"output": 1}', '{"output"', "Output:\nx", "*** Update File: a\n@@"),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2**70) | st.sampled_from((*TYPES, *TEXTS)),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=12,
)
records = st.builds(
    lambda kind, payload, item: {
        "timestamp": "2026-01-01T00:00:00Z",
        "type": kind,
        "payload": {**payload, "type": item} if isinstance(payload, dict) else payload,
    },
    st.sampled_from(TYPES) | values,
    st.dictionaries(st.sampled_from(KEYS), values, max_size=6) | values,
    st.sampled_from(TYPES) | values,
)


@given(st.lists(records | values, max_size=8))
def test_any_records_are_read(tmp_path_factory: pytest.TempPathFactory, rows: list[object]) -> None:
    path = tmp_path_factory.mktemp("any") / "rollout.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    codex.sniff([row for row in rows if isinstance(row, dict)])
    assert isinstance(list(codex.stream(path))[-1], Transcript)


def counted(path: Path) -> Counter[str]:
    """Tokens of a file: those of each request, where the running total changed."""
    rows = [json.loads(line)["payload"] for line in path.read_bytes().splitlines()]
    counts = [row["info"] for row in rows if row.get("type") == "token_count" and row["info"]]
    totals = [count["total_token_usage"] for count in counts]
    taken: Counter[str] = Counter()
    for count, before in zip(counts, [None, *totals], strict=False):
        if count["total_token_usage"] != before:
            taken.update(count["last_token_usage"])
    return taken


def test_real_rollouts(shared: Path) -> None:
    """Every record is known, and usage adds up to what the log says of each request."""
    files = sorted((shared / "data/transcripts/codex_cli").glob("*/*.jsonl"))
    assert len(files) == 8
    n_requests = n_usages = n_spans = n_unmeasured = 0
    for path in files:
        read = list(codex.stream(path))
        assert not [item for item in read if isinstance(item, Problem | UnknownKind)]
        requests = {e.request for e in read if isinstance(e, Event) and e.request is not None}
        usage = [item for item in read if isinstance(item, Usage)]
        told = {one.request for one in usage}
        assert told == requests
        taken = sum(
            (one.uncached_input_tokens or 0) + (one.cache_read_tokens or 0) for one in usage
        )
        assert taken == counted(path)["input_tokens"]
        assert sum(one.output_tokens or 0 for one in usage) == counted(path)["output_tokens"]
        n_requests += len(requests)
        n_usages += len(told)
        n_unmeasured += sum(one.output_tokens is None for one in usage)
        n_spans += sum(len(e.spans) for e in read if isinstance(e, Event))
    assert (n_requests, n_usages, n_unmeasured) == (1099, 1099, 4)
    assert n_spans > 5000


def test_foreign_samples_do_not_stop_the_reader(shared: Path) -> None:
    for path in sorted((shared / "data/transcripts/fixtures_multi").rglob("*.jsonl")):
        assert isinstance(list(codex.stream(path))[-1], Transcript)


def test_words_of_the_user_and_of_the_model() -> None:
    assert [(e.kind, e.text) for e in events("words") if e.text] == [
        ("prompt", " Rename fill\nto pump_up ")
    ]
    assert [(e.kind, e.names) for e in events("words") if e.names] == [
        ("text", ("fill", "src/pump.py")),
        ("call", ("src/pump.py", "/repo")),
        ("call", ("src/pump.py", "fill", "pump_up")),
        ("call", ("docs/how_to.md",)),
    ]
