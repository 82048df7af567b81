"""Texts with lone surrogates: every reader takes them, and texts that differ stay different."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.store import Store, open_store
from ctxlab.transcripts import contentfree
from ctxlab.transcripts._mentions import file_mentions
from ctxlab.transcripts._texts import json_text, json_value, utf8_size

ODD = "\ud800"
STAMP = "2026-01-02T03:04:05Z"
N_LINES = 10


def claude(text: str) -> list[dict[str, Any]]:
    """One session that holds `text` wherever a log may hold text, read from a Read result."""
    source = "\n".join(f"{n}\t{text}" for n in range(1, N_LINES + 1))
    calls = [
        ("Read", {"file_path": f"/{text}.py"}, source),
        ("Bash", {"command": f"cat {text}.txt # {text}"}, text),
        ("Grep", {"pattern": text, "path": "/"}, f"/{text}.py:3:{text}"),
        (f"mcp__{text}", {text: text}, f"see {text}.py"),
        ("Task", {"prompt": text}, text),
    ]
    records: list[dict[str, Any]] = []
    for n, (tool, asked, result) in enumerate(calls):
        block = {"type": "tool_use", "id": f"t{n}{text}", "name": tool, "input": asked}
        answer = {"type": "tool_result", "tool_use_id": f"t{n}{text}", "content": result}
        said = [{"type": kind, kind: text} for kind in ("text", "thinking")]
        records += [
            {"type": "assistant", "message": {"id": f"m{n}", "model": text, "content": [*said, b]}}
            for b in [block]
        ]
        records.append({"type": "user", "message": {"content": [answer]}})
        records.append({"type": "user", "message": {"content": text}})
    attachment = {"type": "edited_text_file", "filename": f"/{text}.py", "content": text}
    records.append({"type": "attachment", "attachment": attachment})
    return [
        {"uuid": f"{n}{text}", "sessionId": f"s{text}", "timestamp": STAMP, "cwd": f"/{text}", **r}
        for n, r in enumerate(records)
    ]


def codex(text: str) -> list[dict[str, Any]]:
    """The same as a rollout."""
    source = "\n".join([text] * N_LINES)
    arguments = json.dumps({"cmd": f"cat /{text}.py", "note": text})
    patch = f"*** Begin Patch\n*** Add File: /{text}.py\n+{text}\n*** End Patch"
    items = [
        {"type": "message", "role": "user", "content": text},
        {"type": "reasoning", "summary": text},
        {"type": "message", "role": "assistant", "content": [{"text": text}, {text: text}]},
        {"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": "a"},
        {"type": "function_call_output", "call_id": "a", "output": f"Output:\n{source}"},
        {"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": "b"},
        {"type": "custom_tool_call_output", "call_id": "b", "output": {text: text}},
        {"type": "web_search_call", "action": {text: text}, "id": f"c{text}"},
        {"type": text},
    ]
    return [
        {"timestamp": STAMP, "type": kind, "payload": payload}
        for kind, payload in [
            ("session_meta", {"id": f"s{text}", "cwd": f"/{text}", "cli_version": text}),
            ("turn_context", {"turn_id": text, "model": text}),
            *(("response_item", item) for item in items),
            ("compacted", {"message": text}),
        ]
    ]


def mcp(text: str) -> list[dict[str, Any]]:
    """The same as recorded traffic."""
    params = {"name": text, "arguments": {text: text}}
    content = [{"type": "text", "text": f"{text} {text}.py"}]
    return [
        {"jsonrpc": "2.0", "id": text, "method": "tools/call", "params": params},
        {"jsonrpc": "2.0", "id": text, "result": {"content": content}},
    ]


@pytest.fixture
def ingested(tmp_path: Path) -> Callable[..., Store]:
    def ingest(*logs: list[dict[str, Any]]) -> Store:
        for n, log in enumerate(logs):
            file = tmp_path / "logs" / f"{n}.jsonl"
            file.parent.mkdir(exist_ok=True)
            file.write_text("".join(json.dumps(record) + "\n" for record in log))
        store = open_store(tmp_path / "store")
        report = store.ingest(tmp_path / "logs")
        assert (report.read, report.unreadable) == (len(logs), ())
        return store

    return ingest


SIZES = {
    "events": "text_bytes",
    "spans": "text_bytes, text_chars, delivered_bytes",
    "requests": "output_tokens",
}


@pytest.mark.parametrize("make", [claude, codex, mcp])
def test_every_reader_takes_them_as_texts_of_the_size_of_the_replacement_character(
    ingested: Callable[..., Store], tmp_path: Path, make: Callable[[str], list[dict[str, Any]]]
) -> None:
    odd = ingested(make(ODD))
    told = {
        n: odd.sql(f"select {c} from {n} order by seq").fetchall()
        for n, c in list(SIZES.items())[:2]
    }
    paths = odd.sql("select path from spans union all select path from edits").fetchall()
    assert all("%uD800" in path for (path,) in paths if make is not mcp)
    plain = open_store(tmp_path / "plain")
    file = tmp_path / "plain.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in make("\ufffd")))
    plain.ingest(file)
    for name, rows in told.items():
        column = SIZES[name]
        assert rows == plain.sql(f"select {column} from {name} order by seq").fetchall()
        assert rows or make is mcp
    (log,) = odd.iter_logs()
    assert len(log.calls) > 0
    assert contentfree.write([log], tmp_path / "free")


@pytest.mark.parametrize("make", [claude, codex])
def test_lines_that_differ_in_them_alone_are_other_lines(
    ingested: Callable[..., Store], make: Callable[[str], list[dict[str, Any]]]
) -> None:
    odd = ("\ud800", "\ud801", "\ufffd", "\udcff")
    store = ingested(*map(make, odd))
    lists = store.sql("select line_ids from spans where len(line_ids) = 10").fetchall()
    assert len(lists) == len(odd)
    assert [len(set(ids)) for (ids,) in lists] == [1] * len(odd)
    assert len({ids[0] for (ids,) in lists}) == len(odd)
    assert len({path for log in store.iter_logs() for path in log.paths}) >= len(odd)


def test_mentions_of_files_whose_names_hold_them(ingested: Callable[..., Store]) -> None:
    assert file_mentions("see a\ud800b.py, b.py") == ("a\ud800b.py", "b.py")
    (log,) = ingested(claude(ODD)).iter_logs()
    names = dict(zip(log.path_name_ids.tolist(), log.paths, strict=True))
    (mentioned,) = [ids for ids in log.calls.mentions if len(ids)]
    assert [names[i] for i in np.asarray(mentioned).tolist()] == ["/%uD800.py"]


@given(st.text(st.sampled_from('a"\\é\ud800\udfff\ufffd'), max_size=8))
def test_json_of_any_text(text: str) -> None:
    written = json_text({"a": text})
    assert written is not None
    assert json_value(written) == {"a": text}
    assert json_value(json.dumps({"a": text})) == {
        "a": text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    }
    assert utf8_size(text) == sum(len(c.encode("utf-8", "surrogatepass")) for c in text)


def test_json_that_is_none() -> None:
    for text in ("{", "[" * 100_000, "", "\ud800"):
        with pytest.raises(ValueError, match=r"Expecting|nested too deep"):
            json_value(text)
    assert json_text({"a": 2**70}) == '{"a":1180591620717411303424}'
