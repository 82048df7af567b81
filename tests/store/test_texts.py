from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ctxlab import log
from ctxlab.errors import StoreError
from ctxlab.events import Event, Item, Thread, Transcript
from ctxlab.store import Store
from tests.store.samples import shown

Put = Callable[..., Store]


def asked(uid: str | None, text: str, ts: int | None = None, thread: str = "main") -> Event:
    return Event(thread, "prompt", uid=uid, ts_ms=ts, text=text)


def end(session: str, parent: str | None = None, cwd: str | None = None) -> Transcript:
    return Transcript("claude_code", "1", session, parent_session_id=parent, cwd=cwd)


def wrote(uid: str | None, *names: str, ts: int | None = None) -> Event:
    return Event("main", "text", uid=uid, ts_ms=ts, names=names)


def read(uid: str, path: str, ts: int | None = None) -> list[Event]:
    call = Event("main", "call", uid=f"{uid}-call", ts_ms=ts, call_id=uid)
    return [call, replace(shown(path=path), uid=f"{uid}-result", ts_ms=ts, call_id=uid)]


def words(store: Store) -> tuple[log.FamilyLog, log.Texts]:
    (found,) = store.iter_logs(texts=True)
    assert found.texts is not None
    return found, found.texts


def test_a_single_transcript(put: Put) -> None:
    items = [
        Thread("main"),
        asked("p", "Fill it", 5),
        wrote("t", "a_b", "src/a.py", ts=4),
        *read("r", "/a.py", 9),
        asked("q", "Now", thread="agent"),
        end("s", cwd="/project"),
    ]
    found, texts = words(put({"/a": items}))
    assert texts.event_ms.tolist() == [5, 5, 9, 9, 9]
    assert texts.source_cwd == ("/project",)
    assert (texts.prompt_at.tolist(), texts.prompt_text) == ([0, 4], ("Fill it", "Now"))
    assert [found.threads[t] for t in texts.prompt_thread] == ["main", "agent"]
    assert texts.prompt_source.tolist() == [0, 0]
    assert (texts.name_at.tolist(), texts.names) == ([1], (("a_b", "src/a.py"),))
    assert texts.symbol_at.tolist() == [3, 3]
    assert [found.paths[p] for p in texts.symbol_path] == ["/a.py", "/a.py"]
    assert texts.symbol_line.tolist() == [1, 3]
    assert texts.symbol_name == ("Pump", "Pump.fill")
    assert texts.symbol_doc == ("", "Fills it.")


def test_types_are_those_declared(put: Put) -> None:
    for items in ([*read("r", "/a.py"), asked("p", "x"), end("s")], [end("s")]):
        _, texts = words(put({"/a": items}))
        for name, kind in log.Texts.__annotations__.items():
            if kind in ("Ints", "Bigs"):
                wanted = np.dtype("i4" if kind == "Ints" else "i8")
                assert getattr(texts, name).dtype == wanted, name


def test_no_date_is_no_time(put: Put) -> None:
    _, texts = words(put({"/a": [asked("p", "x"), wrote("t", "a_b"), end("s")]}))
    assert texts.event_ms.tolist() == [-1, -1]


def test_words_of_copies_stand_once_in_order(put: Put) -> None:
    first = [asked("p", "one", 1), wrote("t", "a_b", ts=2), *read("r", "/a.py", 3)]
    resumed: list[Item] = [*first, asked("q", "two", 7), wrote("u", "c_d", ts=8)]
    late = [asked("z", "between", 5), end("side", parent="s")]
    store = put(
        {"/a": [*first, end("s", cwd="/x")], "/b": [*resumed, end("t", "s", cwd="/y")]},
        {"/c": late},
    )
    found, texts = words(store)
    assert texts.prompt_text == ("one", "between", "two")
    assert texts.prompt_at.tolist() == [0, 4, 5]
    assert [found.sources[s] for s in texts.prompt_source] == [
        found.sources[i] for i in _sources(store, "/a", "/c", "/b")
    ]
    assert texts.names == (("a_b",), ("c_d",))
    assert texts.symbol_name == ("Pump", "Pump.fill")
    cwds = [texts.source_cwd[i] for i in _sources(store, "/a", "/b", "/c")]
    assert cwds == ["/x", "/y", None]
    assert texts.event_ms.tolist() == [1, 2, 3, 3, 5, 7, 8]


def _sources(store: Store, *paths: str) -> list[int]:
    (family,) = store.families()
    place = {member.path: i for i, member in enumerate(family.members)}
    return [place[path] for path in paths]


def test_files_of_equal_bytes_give_their_words_once(put: Put) -> None:
    items = [asked(None, "one"), wrote(None, "a_b"), end("s", cwd="/x")]
    _, texts = words(put({"/a": items, "/b": items}))
    assert (texts.prompt_text, texts.names) == (("one",), (("a_b",),))
    assert texts.source_cwd == ("/x", "/x")


def test_without_texts_all_is_as_it_was(put: Put, plain: Callable[[Any], Any]) -> None:
    lone = Event("main", "injected", uid="e", spans=shown(path="/0.py").spans)
    store = put({"/a": [asked("p", "x"), *read("r", "/b.py"), lone, end("s")]})
    (without,) = store.iter_logs()
    found, texts = words(store)
    assert without.texts is None
    assert without.paths == ("/b.py",)
    assert found.paths == ("/b.py", "/0.py")
    assert [found.paths[p] for p in texts.symbol_path] == ["/b.py", "/b.py", "/0.py", "/0.py"]
    same = replace(found, texts=None, paths=without.paths, path_name_ids=found.path_name_ids[:1])
    assert plain(same) == plain(without)


def test_without_texts_their_tables_are_not_opened(put: Put) -> None:
    store = put({"/a": [asked("p", "x"), end("s")]})
    for table in ("prompts", "names", "symbols"):
        (path,) = store.folder.glob(f"shards/*/{table}.parquet")
        path.unlink()
    assert len(list(store.iter_logs())) == 1
    with pytest.raises(StoreError, match=r"prompts\.parquet cannot be read"):
        list(store.iter_logs(texts=True))


def test_batches_of_families_keep_their_own_words(put: Put) -> None:
    store = put({f"/{n}": [asked("p", f"say {n}"), end(f"s{n}", cwd=f"/{n}")] for n in range(5)})
    for batch_bytes in (1, 1 << 20):
        found = list(store.iter_logs(batch_bytes=batch_bytes, texts=True))
        assert [one.texts and one.texts.prompt_text for one in found] == [
            (f"say {n}",) for n in range(5)
        ]
        assert [one.texts and one.texts.source_cwd for one in found] == [
            (f"/{n}",) for n in range(5)
        ]


def test_from_the_file_to_the_log(store: Store, session: Any, tmp_path: Path) -> None:
    said = "\ud800 " + "word " * 200_000
    log_file = (
        session()
        .prompt(said)
        .say("I look at `fill` in src/a.py")
        .read("/project/src/a.py", 3, ["# Fills it.", "def fill():"])
    )
    store.ingest(log_file.write(tmp_path / "logs" / "a.jsonl"), workers=1)
    _, texts = words(store)
    assert texts.prompt_text == (said.replace("\ud800", "%uD800"),)
    assert texts.names == (("fill", "src/a.py"), ("/project/src/a.py",))
    assert (texts.symbol_name, texts.symbol_line.tolist()) == (("fill",), [4])
    assert texts.source_cwd == ("/project",)
    copy = store.to_duckdb(tmp_path / "all.duckdb")
    assert copy.stat().st_mode & 0o777 == 0o600
