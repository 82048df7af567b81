"""Answers in JSON and what later calls quoted of them: from events to the log of a family."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab import log
from ctxlab.errors import StoreError
from ctxlab.events import Event, EventKind, Item, Thread, ToolKind, Transcript
from ctxlab.store import Store, _answers
from ctxlab.store._cut_json import is_cut_json
from ctxlab.transcripts import contentfree

Put = Callable[..., Store]
ROWS = '[{"id":"AB-12","state":"open"},{"id":"AB-13","state":"closed"}]'


class Talk:
    """Events of one source, a second apart."""

    def __init__(self, name: str = "t") -> None:
        self.name, self.items, self.made = name, [Thread("main")], 0  # type: ignore[var-annotated]

    def _add(self, kind: EventKind, thread: str, **fields: Any) -> Talk:
        self.made += 1
        uid = f"{self.name}-{self.made}"
        self.items.append(Event(thread, kind, uid=uid, ts_ms=self.made * 1000, **fields))
        return self

    def call(
        self,
        command: str,
        result: str | None = None,
        kind: ToolKind = "shell",
        tool: str = "Bash",
        thread: str = "main",
        words: str | None = None,
    ) -> Talk:
        named = {"call_id": f"{self.name}-c{self.made}", "tool": tool, "tool_kind": kind}
        written = command if words is None else words
        self._add("call", thread, words=written, command=command, **named)
        if result is not None:
            self._add("result", thread, words=result, is_error=False, **named)
        return self

    def write(self, path: str, words: str, thread: str = "main") -> Talk:
        return self.call("", "written", "edit", "Write", thread, words=f"{path}\n{words}")

    def say(self, kind: EventKind, words: str, thread: str = "main") -> Talk:
        return self._add(kind, thread, words=words)

    def end(self, session: str = "s", parent: str | None = None) -> list[Item]:
        return [*self.items, Transcript("claude_code", "1", session, parent_session_id=parent)]


def answers(store: Store) -> log.Answers:
    (found,) = store.iter_logs(answers=True)
    assert found.answers is not None
    return found.answers


def forms(found: log.Answers) -> list[tuple[str, str]]:
    return [(t, log.ANSWER_FORMS[f]) for t, f in zip(found.tool, found.form.tolist(), strict=True)]


def quotes(found: log.Answers) -> list[tuple[int, str, int, int]]:
    columns = (found.quote_call, found.quote_written_at, found.quote_shown_at)
    calls, written, shown = (column.tolist() for column in columns)
    return list(zip(calls, found.quote_token, written, shown, strict=True))


def test_answers_in_order_with_their_commands(put: Put) -> None:
    talk = Talk().call("bd list --json", ROWS).call('{"q":1}', "{}\n[]", "mcp", "mcp__pumps__find")
    found = answers(put({"/a": talk.end()}))
    assert found.call.tolist() == [0, 1]
    assert forms(found) == [("bd list", "json"), ("mcp__pumps__find", "json")]
    assert found.command == ("bd list --json", '{"q":1}')
    assert found.text == (ROWS, "{}\n[]")
    assert found.answer_bytes.tolist() == [len(ROWS), 5]


def test_what_a_tool_answers_before_it_has_answered_in_json_is_not_kept(put: Put) -> None:
    talk = Talk().call("bd list", "none").call("bd list --json", ROWS)
    talk.call("bd list | wc -l", "2").call("bd show x", "no such id").call("bd list", "")
    found = answers(put({"/a": talk.end()}))
    assert forms(found) == [("bd list", "json"), ("bd list | wc", "text"), ("bd list", "text")]
    assert found.text == (ROWS, "", "")
    assert found.answer_bytes.tolist() == [len(ROWS), 1, 0]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "12",
            '"AB-12"',
            "null",
            "",
            "[main 1a2b3c] Start the pump",
            "[1/2] building",
            '[{"a":1}] x',
        ),
        *(
            "{ font: 1 }",
            "[12:30:01] started, ok",
        ),
    ],
)
def test_what_is_no_json_answer(put: Put, text: str) -> None:
    assert len(answers(put({"/a": Talk().call("bd list", text).end()}))) == 0


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"a":NaN}', "NaN is no JSON number"),
        ('[{"a":-Infinity}]', ""),
        ('{"a":1e400}', ""),
        ('{"a":"\ud800"}', "a lone surrogate is no character"),
        ('{"a":"\\ud800"}', ""),
        ('{"a":1}\n{"a":NaN}', "NaN is no JSON number"),
        ("[" * 128 + "]" * 128, "more than 127 levels of arrays and objects"),
        ("[" * 100_000 + "]" * 100_000, "more than 127 levels of arrays and objects"),
    ],
)
def test_json_against_a_rule_counts_for_the_tool_and_is_a_problem(
    put: Put, text: str, rule: str
) -> None:
    store = put({"/a": Talk().call("bd list", text).call("bd list", "none").end()})
    assert forms(answers(store)) == [("bd list", "invalid"), ("bd list", "text")]
    [(cause,)] = store.sql("select cause from problems").fetchall()
    assert cause.startswith("an answer in JSON that breaks its rules, left out: " + rule)
    assert store.sql("select n_problems from transcripts").fetchall() == [(1,)]


@pytest.mark.parametrize("kind", ["read", "grep", "glob", "edit", "agent", "bookkeeping"])
def test_tools_that_answer_with_files_or_prose_have_no_answers(put: Put, kind: ToolKind) -> None:
    assert len(answers(put({"/a": Talk().call("", ROWS, kind, "Tool").end()}))) == 0


def test_a_result_whose_call_is_not_in_the_file_is_of_an_unnamed_program(put: Put) -> None:
    talk = Talk().call("bd list", ROWS)
    del talk.items[1]
    found = answers(put({"/a": talk.end()}))
    assert forms(found) == [("shell", "json")]
    assert found.command == ("",)


CUT = '{"items": [{"id": "AB-12", "n": [1, 2.5e3, true, "a\\u00e9"]}, {"id": "AB-13", "t": "so'


@pytest.mark.parametrize("end", range(len('{"items": [{"id": "AB-12", "'), len(CUT) + 1))
def test_json_that_ends_anywhere_is_cut(end: int) -> None:
    assert is_cut_json(CUT[:end])
    assert is_cut_json('{"whole": 1}\n' + CUT[:end])
    assert is_cut_json(CUT[:end] + "  \n")


@pytest.mark.parametrize(
    "mark", ["…12 tokens truncated…", "\n... [5 lines truncated] ...\n", "[Output truncated]"]
)
def test_json_with_the_mark_of_a_harness_is_cut(mark: str) -> None:
    assert is_cut_json(CUT + mark + '"}]}')
    assert not is_cut_json(f"[main 1a2b] {mark}")


@pytest.mark.parametrize(
    "text",
    [
        *("", "[", "{", '{"a"', '{"a": 1', "[main 1a2b3c] Start, then stop", "[1/2] a, b"),
        *('{"a": 1, "b": 2}', '{"a": 1, b', '{"a": 1, "b"\n: 2} and, then', '{"a,b,c', "[" * 5000),
        *('["a, b, c"', '{"a": 1,\n"b": "c\nd'),
    ],
)
def test_what_is_no_cut_json(text: str) -> None:
    assert not is_cut_json(text)


@given(st.text('{}[]",:1ae\\u\n tru-.…', max_size=40))
def test_any_text_can_be_judged(text: str) -> None:
    is_cut_json(text)


def test_cut_answers_stand_for_the_tool_and_count_as_shown(put: Put) -> None:
    talk = Talk().call("bd list", CUT).call("bd list", ROWS).call("bd show AB-12")
    found = answers(put({"/a": talk.end()}))
    assert forms(found) == [("bd list", "cut"), ("bd list", "json")]
    assert found.text == ("", ROWS)
    assert quotes(found) == [(2, "AB-12", 4, 1)]


def test_json_that_a_harness_cut_within_a_string_is_cut(put: Put) -> None:
    text = '[{"id":"AB-12","t":"begins…200 tokens truncated…ends","id":"AB-13"}]'
    found = answers(put({"/a": Talk().call("bd list", text).call("bd close AB-12").end()}))
    assert forms(found) == [("bd list", "cut")]
    assert quotes(found) == []


def test_quotes_of_a_thread(put: Put) -> None:
    talk = Talk().say("prompt", "close AB-13").call("bd list --json", ROWS)
    talk.say("text", "I close AB-12").call("bd close AB-12 AB-13 AB-99").write(
        "a.md", "see (AB-12)"
    )
    found = answers(put({"/a": talk.end()}))
    assert quotes(found) == [(1, "AB-12", 3, -1), (1, "AB-13", 4, 0), (2, "AB-12", 3, -1)]


@pytest.mark.parametrize("kind", ["prompt", "injected", "compaction"])
def test_what_shows_a_token_otherwise(put: Put, kind: EventKind) -> None:
    talk = Talk().call("bd list", ROWS).say(kind, "AB-12").call("bd close AB-12")
    assert quotes(answers(put({"/a": talk.end()}))) == [(1, "AB-12", 3, 2)]


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("src/pump.py", "diff --git a/src/pump.py b/src/pump.py"),
        ("src/pump.py", "/project/src/pump.py:12"),
        ("src/pump.py", ".../pump.py | 4 ++--"),
        ("src/pump.py", "[pump](https://forge.example/blob/main/src/pump.py#L4)"),
        ("pumpHouse", "x.pumpHouse.start()"),
        ("AB-12", "ab-12 is open"),
    ],
)
def test_what_names_a_token_in_any_way_shows_it(put: Put, token: str, shown: str) -> None:
    rows = json.dumps([{"key": token}])
    talk = Talk().say("prompt", shown).call("bd list", rows).call(f"bd show {token}")
    assert quotes(answers(put({"/a": talk.end()}))) == [(1, token, 3, 0)]


def test_what_stands_behind_a_result_shows_it(put: Put) -> None:
    talk = Talk().call("ls", "a b")
    talk.items[-1] = replace(talk.items[-1], aside="<system-reminder>AB-12</system-reminder>")
    talk.call("bd list", ROWS).call("bd close AB-12")
    assert quotes(answers(put({"/a": talk.end()}))) == [(2, "AB-12", 4, 1)]


def test_what_the_model_thought_it_wrote(put: Put) -> None:
    talk = Talk().say("thinking", "perhaps AB-12").call("bd list", ROWS).call("bd close AB-12")
    assert quotes(answers(put({"/a": talk.end()}))) == [(1, "AB-12", 0, -1)]


def test_an_absolute_path_quotes_the_relative_one_that_it_ends_with(put: Put) -> None:
    rows = json.dumps([{"path": "src/pump.py"}, {"path": "t/src/pump.py"}, {"path": "c/pump.py"}])
    talk = Talk().call("bd list", rows).call("cat /project/src/pump.py")
    assert quotes(answers(put({"/a": talk.end()}))) == [(1, "src/pump.py", 2, -1)]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (203140, "gh api repos/house/pumps/pulls/comments/203140/replies -f body=done"),
        (1533, "curl https://forge.example/api/pulls/1533/files?full=1"),
        ("AB-12", "cat runs/AB-12/log"),
        ("pump.py", "cat /project/src/pump.py"),
        ("startPump", "rg startPump/stopPump"),
    ],
)
def test_a_path_quotes_its_parts(put: Put, value: str | int, written: str) -> None:
    talk = Talk().call("bd list", json.dumps([{"key": value}, {"key": "other/place.py"}]))
    found = quotes(answers(put({"/a": talk.call(written).end()})))
    assert found == [(1, str(value), 2, -1)]


def test_a_part_that_was_named_before_is_told_as_such(put: Put) -> None:
    talk = (
        Talk().say("prompt", "pull 1533").call("bd list", '{"n":1533}').call("api pulls/1533/files")
    )
    assert quotes(answers(put({"/a": talk.end()}))) == [(1, "1533", 3, 0)]


def test_names_of_tools_and_of_what_they_take_are_known_from_the_start(put: Put) -> None:
    rows = '["old_string", "MultiEdit", "new_string", "file_path"]'
    talk = Talk().say("prompt", "go").call("bd list", rows)
    talk.call("", "done", "edit", "MultiEdit", words="a.md\nold_string new_string MultiEdit")
    talk.items[-2] = replace(talk.items[-2], aside="file_path\nold_string")
    found = quotes(answers(put({"/a": talk.end()})))
    assert found == [(1, "old_string", 3, 0), (1, "new_string", 3, -1), (1, "MultiEdit", 3, 0)]


def test_what_shows_a_token_later_does_not_count(put: Put) -> None:
    talk = Talk().call("bd list", ROWS).call("bd close AB-12", "closed AB-12").call("bd show AB-12")
    talk.say("prompt", "AB-13")
    found = quotes(answers(put({"/a": talk.end()})))
    assert found == [(1, "AB-12", 2, -1), (2, "AB-12", 2, 3)]


def test_a_thread_quotes_only_what_it_was_shown_itself(put: Put) -> None:
    talk = Talk().call("bd list", ROWS, thread="agent").call("bd close AB-12")
    assert quotes(answers(put({"/a": talk.end()}))) == []


def test_an_answer_does_not_show_what_its_own_call_wrote(put: Put) -> None:
    assert quotes(answers(put({"/a": Talk().call("bd show AB-12", '{"id":"AB-12"}').end()}))) == []


def test_numbers_and_keys(put: Put) -> None:
    talk = Talk().call("bd list", '[{"number":1533,"share":0.421,"key_name":12}]')
    talk.call("", "x", "mcp", "mcp__t", words="1533\n0.421\nkey_name\n12")
    assert [token for _, token, _, _ in quotes(answers(put({"/a": talk.end()})))] == [
        "1533",
        "0.421",
    ]


def test_behind_what_is_held_everything_counts_as_shown(
    put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_answers, "MAX_SHOWN_CHARS", 10)
    talk = Talk().call("bd list", ROWS).call("bd close AB-12").say("prompt", "x" * 11)
    talk.call("bd show AB-12").call("bd show AB-13")
    found = quotes(answers(put({"/a": talk.end()})))
    assert found == [(1, "AB-12", 2, -1), (2, "AB-12", 2, 3), (3, "AB-13", 5, 3)]


def test_behind_what_is_held_calls_quote_nothing(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_answers, "MAX_WRITTEN_CHARS", 30)
    talk = Talk().call("bd list", ROWS).call("bd close AB-12").call("bd show AB-13 " + "x" * 30)
    assert quotes(answers(put({"/a": talk.end()}))) == [(1, "AB-12", 2, -1)]


def test_copies_stand_once_at_positions_of_the_family(put: Put) -> None:
    talk = Talk().say("prompt", "go").call("bd list", ROWS).call("bd close AB-12")
    first = talk.end()
    resumed = talk.call("bd close AB-13", '{"done":true}').end("t", "s")
    late: list[Item] = [
        Event("main", "prompt", uid="z", ts_ms=2500, words="x"),
        Transcript("claude_code", "1", "u", parent_session_id="s"),
    ]
    found = answers(put({"/a": first, "/b": resumed}, {"/c": late}))
    assert found.text == (ROWS, '{"done":true}')
    assert found.call.tolist() == [0, 2]
    assert quotes(found) == [(1, "AB-12", 4, -1), (2, "AB-13", 5, -1)]


def test_types_are_those_declared(put: Put) -> None:
    for talk in (Talk(), Talk().call("bd list", ROWS).call("bd close AB-12")):
        found = answers(put({"/a": talk.end()}))
        for name, kind in log.Answers.__annotations__.items():
            if kind in ("Ints", "Bigs", "Codes"):
                wanted = np.dtype({"Ints": "i4", "Bigs": "i8", "Codes": "i1"}[kind])
                assert getattr(found, name).dtype == wanted, name


def test_lone_surrogates_are_spelled_out(put: Put) -> None:
    talk = Talk().call("bd list '\ud800'", ROWS).call("bd list '\ud800'", "no \ud800")
    found = answers(put({"/a": talk.call("bd close AB-12 '\ud800'").end()}))
    assert found.command == ("bd list '%uD800'",) * 2
    assert found.answer_bytes.tolist() == [len(ROWS), 6]
    assert [token for _, token, _, _ in quotes(found)] == ["AB-12"]


def test_without_answers_their_tables_are_not_opened(put: Put) -> None:
    store = put({"/a": Talk().call("bd list", ROWS).end()})
    for table in ("answers", "quotes"):
        (path,) = store.folder.glob(f"shards/*/{table}.parquet")
        path.unlink()
    (found,) = store.iter_logs(texts=True)
    assert found.answers is None
    with pytest.raises(StoreError, match=r"answers\.parquet cannot be read"):
        list(store.iter_logs(answers=True))


def test_every_text_is_looked_at_once(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0
    find = _answers.find_tokens

    def counted(text: str) -> Iterator[Any]:
        nonlocal looked_at
        looked_at += len(text)
        return find(text)

    monkeypatch.setattr(_answers, "find_tokens", counted)
    talk, held = Talk().say("prompt", "never AB-0"), 0
    for n in range(1000):
        rows = json.dumps([{"id": f"AB-{n}-{i}"} for i in range(50)])
        talk.call(f"bd list {n}", rows).call(f"bd close AB-{n}-7 AB-0", "closed")
    for event in talk.items:
        held += len(event.words) if isinstance(event, Event) else 0
    found = answers(put({"/a": talk.end()}))
    assert (len(found), len(found.quote_call)) == (1000, 1000)
    assert looked_at <= held


def test_nothing_of_it_reaches_a_set_to_share(put: Put, tmp_path: Path) -> None:
    talk = Talk().call("secret_tool list --json", '{"id":"secret-77"}')
    talk.call("secret_tool close secret-77", "secret: done").say("text", "secret-77")
    store = put({"/a": talk.end()})
    assert quotes(answers(store))
    contentfree.write(store.iter_logs(answers=True, texts=True), tmp_path / "set")
    shared = [path.read_bytes() for path in (tmp_path / "set").rglob("*") if path.is_file()]
    assert shared
    assert not any(b"secret" in data for data in shared)
