"""Recorded MCP traffic: invented exchanges, one case each, and the recorded connections."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import InputError
from ctxlab.events import Event, Item, Problem, Thread, Transcript, UnknownKind
from ctxlab.transcripts import detect
from ctxlab.transcripts.mcp_traffic import sniff, stream

Message = dict[str, Any]


def sent(side: str, **message: Any) -> Message:
    return {"from": side, "message": {"jsonrpc": "2.0", **message}}


def bare(**message: Any) -> Message:
    return {"jsonrpc": "2.0", **message}


def greeting(name: str = "toolbox", version: str = "3.1") -> list[Message]:
    info = {"serverInfo": {"name": name, "version": version}}
    return [
        sent("client", id=0, method="initialize", params={"protocolVersion": "2025-06-18"}),
        sent("server", id=0, result={"protocolVersion": "2025-06-18", **info}),
        sent("client", method="notifications/initialized"),
    ]


def call(message_id: Any, tool: str = "look") -> Message:
    params = {"name": tool, "arguments": {"q": "ü"}}
    return sent("client", id=message_id, method="tools/call", params=params)


def text_result(message_id: Any, *texts: str, **extra: Any) -> Message:
    content = [{"type": "text", "text": text} for text in texts]
    return sent("server", id=message_id, result={"content": content, **extra})


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def write_and_read(*messages: Any) -> list[Item]:
        file = tmp_path / "traffic.jsonl"
        file.write_text("".join(json.dumps(m) + "\n" for m in messages), encoding="utf-8")
        return list(stream(file))

    return write_and_read


def events(items: list[Item]) -> list[Event]:
    return [item for item in items if isinstance(item, Event)]


def causes(items: list[Item]) -> list[str]:
    return [item.cause for item in items if isinstance(item, Problem)]


def test_a_call_and_its_result(read: Any) -> None:
    items = read(*greeting(), call(1), text_result(1, "see a/pump.py", "ü", isError=False))
    asked, got = events(items)
    assert (asked.kind, asked.tool_kind, asked.tool) == ("call", "mcp", "mcp__toolbox__look")
    assert (asked.request, asked.call_id, asked.is_error) == (0, "1:1", None)
    assert asked.text_bytes == len('{"q":"ü"}'.encode())
    assert (got.kind, got.tool, got.call_id, got.request) == ("result", asked.tool, "1:1", 0)
    assert (got.is_error, got.text_bytes) == (False, len("see a/pump.py\nü".encode()))
    assert got.mentions == ("pump.py",)
    assert (got.spans, got.pointers) == ((), ())
    assert causes(items) == []


def test_the_transcript_is_the_servers(read: Any, tmp_path: Path) -> None:
    items = read(*greeting(), call(1))
    assert items[0] == Thread("main")
    file = tmp_path / "traffic.jsonl"
    assert items[-1] == Transcript(
        "mcp", "3.1", str(file.resolve()), n_lines=4, n_bytes=file.stat().st_size
    )


def test_an_answer_of_codegraph_gives_spans_and_pointers(read: Any) -> None:
    phrase = "> **Already sent earlier in this conversation:** `b.py` L1-9 (f) — unchanged"
    text = f"**`a.py`** — f(function)\n\n```python\n7\tdef f():\n```\n\n**`b.py`** — g\n\n{phrase}"
    (_, got) = events(read(*greeting("codegraph"), call(1), text_result(1, text)))
    assert [(s.path, s.first_line, s.origin) for s in got.spans] == [("a.py", 7, "mcp")]
    assert [(p.path, p.ranges) for p in got.pointers] == [("b.py", ((1, 9),))]
    assert got.mentions == ("a.py", "b.py")


def test_calls_in_flight_together_share_a_request(read: Any) -> None:
    one_by_one = [call(1), text_result(1, ""), call(2), text_result(2, "")]
    together = [call(3), call(4), text_result(4, ""), call(5), text_result(3, ""), text_result(5)]
    items = read(*greeting(), *one_by_one, *together, call(6))
    requests = {e.call_id: e.request for e in events(items) if e.kind == "call"}
    assert requests == {"1:1": 0, "2:2": 1, "3:3": 2, "4:4": 2, "5:5": 2, "6:6": 3}
    assert all(e.request == requests[e.call_id] for e in events(items))


def test_a_cancelled_call_is_waited_for_no_more(read: Any) -> None:
    cancel = sent("client", method="notifications/cancelled", params={"requestId": 1})
    items = read(*greeting(), call(1), cancel, call(2), text_result(1, "late"))
    assert [(e.kind, e.request) for e in events(items)] == [("call", 0), ("call", 1)]
    assert causes(items) == []


def test_errors_of_the_tool_and_of_the_protocol(read: Any) -> None:
    items = read(
        *greeting(),
        call(1),
        text_result(1, "no such pump", isError=True),
        call(2),
        sent("server", id=2, error={"code": -32602, "message": "bad"}),
    )
    results = [e for e in events(items) if e.kind == "result"]
    assert [(e.is_error, e.text_bytes) for e in results] == [(True, 12), (True, 3)]


def test_embedded_text_counts_and_images_do_not(read: Any) -> None:
    content = [
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "four"}},
        {"type": "text", "text": 5},
        "no block",
    ]
    items = read(*greeting(), call(1), sent("server", id=1, result={"content": content}))
    assert events(items)[-1].text_bytes == 4


def test_a_second_initialize_is_a_new_connection(read: Any) -> None:
    items = read(*greeting(), call(1), *greeting("other", "4"), call(1), text_result(1, "x"))
    assert [(e.kind, e.call_id, e.tool) for e in events(items)] == [
        ("call", "1:1", "mcp__toolbox__look"),
        ("resume", None, None),
        ("call", "2:1", "mcp__other__look"),
        ("result", "2:1", "mcp__other__look"),
    ]
    assert items[-1].agent_version == "4"


def test_both_sides_number_their_requests_alone(read: Any) -> None:
    items = read(
        *greeting(),
        call(1),
        sent("server", id=1, method="roots/list"),
        sent("client", id=1, result={"roots": []}),
        text_result(1, "found"),
    )
    assert [(e.kind, e.text_bytes) for e in events(items)] == [("call", 10), ("result", 5)]
    assert causes(items) == []


def test_bare_messages_are_read(read: Any) -> None:
    items = read(*(m["message"] for m in [*greeting(), call("a"), text_result("a", "x")]))
    assert [(e.kind, e.call_id) for e in events(items)] == [("call", "1:a"), ("result", "1:a")]
    assert causes(items) == []


def test_a_bare_response_that_both_sides_wait_for_is_a_problem(read: Any) -> None:
    asked = [bare(id=1, method="roots/list"), call(1)["message"]]
    items = read(*asked, bare(id=1, result={"roots": []}))
    assert causes(items) == ["a response to an id that both sides wait for"]


def test_messages_of_a_batch_are_read_in_order(read: Any) -> None:
    batch = {"from": "client", "message": [call(1)["message"], call(2)["message"], 7]}
    items = read(*greeting(), batch)
    assert [e.call_id for e in events(items)] == ["1:1", "2:2"]
    assert causes(items) == ["a JSON-RPC message that is no object"]


def test_unknown_methods_are_counted_by_name(read: Any) -> None:
    items = read(
        *greeting(),
        sent("client", id=1, method="tools/list"),
        sent("server", id=1, result={"tools": []}),
        sent("server", method="notifications/progress", params={}),
        sent("server", method="notifications/sparkle"),
        sent("client", id=2, method="x/y"),
        sent("server", id=2, error={"code": -32601, "message": "no"}),
        sent("server", method="notifications/sparkle"),
    )
    unknown = [item for item in items if isinstance(item, UnknownKind)]
    assert unknown == [UnknownKind("notifications/sparkle", 2), UnknownKind("x/y", 1)]
    assert causes(items) == []


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        (text_result(9, "x"), "a response to an id that was not asked"),
        (sent("server", id=None, error={}), "a response to an id that was not asked"),
        (sent("client", id=1), "no JSON-RPC message"),
        ({"hello": 1}, "no JSON-RPC message"),
        (sent("client", id=[1], method="ping"), "ping whose id is neither text nor number"),
        (
            sent("client", id=1, method="tools/call", params={"arguments": {}}),
            "tools/call without the name of a tool",
        ),
    ],
)
def test_what_cannot_be_placed_is_a_problem(read: Any, message: Message, cause: str) -> None:
    items = read(*greeting(), message)
    assert causes(items) == [cause]
    (problem,) = [item for item in items if isinstance(item, Problem)]
    assert (problem.line_number, problem.n_bytes) == (4, 0)


def test_notes_keep_the_event(read: Any) -> None:
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    deep_call = sent("client", id=1, method="tools/call", params={"name": "t", "arguments": deep})
    items = read(*greeting(), deep_call, call(1), sent("server", id=1, result=None))
    assert causes(items) == [
        "tools/call with the id of a request that is still unanswered",
        "tool result without content",
    ]
    assert [e.kind for e in events(items)] == ["call", "call", "result"]


def test_a_server_that_does_not_say_its_name(read: Any) -> None:
    items = read(
        sent("client", id=0, method="initialize", params={}),
        sent("server", id=0, result={"serverInfo": {}}),
        call(1),
    )
    assert causes(items) == ["initialize result without the server's name"]
    assert events(items)[0].tool == "mcp__unknown__look"
    assert items[-1].agent_version is None


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        list(stream(tmp_path / "absent.jsonl"))


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (greeting()[0], True),
        (greeting()[1], True),
        (greeting()[0]["message"], True),
        (call(1)["message"], True),
        (bare(id=0, method="initialize", params={"processId": 1}), False),
        (bare(method="textDocument/didOpen"), False),
        ({"from": "client", "message": "hi"}, False),
        ({"type": "user", "message": {"role": "user"}}, False),
    ],
)
def test_what_is_taken_for_mcp(record: Message, expected: bool) -> None:
    assert sniff([record]) is expected


IDS = st.sampled_from([0, 1, "1", None, 1.5, True, [1]])
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3), st.lists)
NAMES = st.sampled_from(["initialize", "tools/call", "roots/list", "notifications/cancelled", "x"])
PARAMS = JSON | st.fixed_dictionaries(
    {}, optional={"name": JSON, "arguments": JSON, "requestId": IDS}
)
RESULTS = JSON | st.fixed_dictionaries(
    {}, optional={"content": JSON, "isError": JSON, "serverInfo": JSON}
)
MESSAGES = st.fixed_dictionaries(
    {}, optional={"id": IDS, "method": NAMES, "params": PARAMS, "result": RESULTS, "error": JSON}
)
RECORDS = MESSAGES | st.fixed_dictionaries(
    {"from": st.sampled_from(["client", "server", 3]), "message": MESSAGES | JSON}
)


@given(records=st.lists(RECORDS, max_size=8))
def test_no_message_makes_it_raise(
    tmp_path_factory: pytest.TempPathFactory, records: list[Message]
) -> None:
    file = tmp_path_factory.mktemp("traffic") / "any.jsonl"
    file.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    items = list(stream(file))
    seen = events(items)
    calls = {e.call_id for e in seen if e.kind == "call"}
    assert all(e.call_id in calls for e in seen if e.kind == "result")
    assert isinstance(items[-1], Transcript)


def test_the_recorded_connections(shared: Path) -> None:
    folder = shared / "data" / "codegraph"
    if not folder.is_dir():
        pytest.skip("the recorded answers are not beside this clone")
    n = Counter[str]()
    for file in sorted(folder.glob("*.mcp.jsonl")):
        assert detect(file) == "mcp"
        items = list(stream(file))
        assert isinstance(items[-1], Transcript)
        assert items[-1].agent_version == "1.6.1"
        assert items[-1].n_bytes == file.stat().st_size
        n.update(type(item).__name__ for item in items)
        n.update(event.kind for event in events(items))
        calls = [e for e in events(items) if e.kind == "call"]
        assert [e.request for e in calls] == list(range(len(calls)))
        assert {e.tool for e in calls} == {"mcp__codegraph__codegraph_explore"}
        n["pointers"] += sum(len(e.pointers) for e in events(items))
        n["paths"] += sum(len({s.path for s in e.spans}) for e in events(items))
    assert n["Transcript"] == 24
    assert n["call"] == n["result"] == 196
    assert n["Problem"] == n["UnknownKind"] == n["resume"] == 0
    assert n["pointers"] == 112
    assert n["paths"] == 638 - 19
