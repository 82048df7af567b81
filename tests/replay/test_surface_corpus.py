"""Answers of logs to facts, each family once; a bad cache costs time only."""

from __future__ import annotations

import errno
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from ctxlab.errors import InputError, ParameterError, StoreError
from ctxlab.log import ANSWER_FORMS, FamilyLog
from ctxlab.replay import answer_rows, surface_cache, surface_corpus_facts, surface_facts
from ctxlab.surface.facts import REQUERY_KINDS, SurfaceFacts
from ctxlab.surface.params import Surface
from tests.builders import answer, call, log_of, mark, prompt, quote, session

PLAIN, CUT = Surface(), Surface(max_items=3, max_output_bytes=900)
SELECTED = Surface(select=("id",))
GROUPS = ("answers", "quotes", "key_facts", "shapes")


class Held(NamedTuple):
    name: str
    content_hash: str


@dataclass
class Memory:
    """A store that holds logs as they were built, and keeps derived values in a folder."""

    logs: list[FamilyLog]
    folder: Path
    read: list[str] = field(default_factory=list)

    def families(self) -> list[Any]:
        return [Held(log.family, log.content_hash) for log in self.logs]

    def iter_logs(
        self, families: Collection[str] | None = None, *, answers: bool = False
    ) -> Iterator[FamilyLog]:
        for log in self.logs:
            if families is None or log.family in families:
                self.read.append(log.family)
                yield log if answers else replace(log, answers=None)

    def cache(self, key: str) -> Path:
        folder = self.folder / "cache" / key
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def parts(self) -> list[Path]:
        return sorted(self.folder.rglob("*.npz"))


def issues(at: int, n: int = 4) -> str:
    return json.dumps(
        {"items": [{"id": f"iss-{at:03}-{i}", "title": f"one of {n}"} for i in range(n)]}
    )


def family(at: int) -> FamilyLog:
    """A family of two transcripts: an answer, a quote of it, the same asked for more."""
    listed = answer(issues(at), "tracker list --limit 4 --json", tool="tracker list")
    more = answer(issues(at, 9), "tracker list --limit 9 --json", tool="tracker list")
    steps = [
        prompt("what is to be done?"),
        call("Bash", listed),
        call("Bash", quotes=[f"iss-{at:03}-1", quote(f"iss-{at:03}-2", shown_at=0)]),
        call("Bash", more),
        call("mcp__graph__find", answer(command="{}", tool="mcp__graph__find", form="text")),
        session("resumed", prompt("go on"), call("Bash", listed)),
    ]
    log = log_of(steps, f"family{at}")
    sources = tuple(f"family{at}/{source}" for source in log.sources)
    return replace(log, sources=sources, content_hash=f"hash{at}")


def silent(at: int) -> FamilyLog:
    log = log_of([prompt("hello"), call("Read")], f"family{at}")
    return replace(log, sources=(f"family{at}/source",), content_hash=f"hash{at}")


@pytest.fixture
def store(tmp_path: Path) -> Memory:
    return Memory([family(0), silent(1), family(2), family(3)], tmp_path)


def same(one: SurfaceFacts, other: SurfaceFacts) -> bool:
    names = ("families", "transcripts", "tools", "keys")
    columns = [(g, c.name) for g in GROUPS for c in fields(getattr(one, g))]
    return (
        all(getattr(one, name) == getattr(other, name) for name in names)
        and np.array_equal(one.family_of_transcript, other.family_of_transcript)
        and all(
            np.array_equal(getattr(getattr(one, g), c), getattr(getattr(other, g), c))
            and getattr(getattr(one, g), c).dtype == getattr(getattr(other, g), c).dtype
            for g, c in columns
        )
    )


# Rows ---------------------------------------------------------------------------------------------


def test_what_became_of_each_answer() -> None:
    first, more, text, resumed = answer_rows(family(0))
    assert (first.tool, first.form, first.transcript, first.family) == (
        "tracker list",
        "json",
        0,
        0,
    )
    assert (more.transcript, text.form, text.text, resumed.transcript) == (0, "text", "", 1)
    assert first.recorded_bytes == len(issues(0).encode())
    assert {token: (q.is_witness, q.after) for token, q in first.quotes.items()} == {
        "iss-000-1": (True, 1),
        "iss-000-2": (False, 1),
    }
    assert (first.requery, first.requery_after) == ("larger", 2)
    assert (resumed.requery, resumed.requery_after, resumed.quotes) == (None, 0, {})
    assert first.requests > more.requests > 0


def test_an_answer_is_carried_until_it_leaves_the_context() -> None:
    listed = answer(issues(0), "tracker list", tool="tracker list")
    kept = [call("Bash", listed), call("Read"), call("Read"), call("Read")]
    forgotten = [*kept[:2], mark("compaction"), *kept[2:]]
    named = [*kept[:2], mark("microcompaction", cleared=[0]), *kept[2:]]
    long, *shorter = (next(answer_rows(log_of(s))).requests for s in (kept, forgotten, named))
    assert long > max(shorter)


def test_sub_commands_of_the_profile_are_named() -> None:
    lines = ["sqlite-graphrag recall 'x' --json", "tracker recall", '{"q": "recall"}']
    steps = [call("Bash", answer(issues(0), line, tool="any")) for line in lines]
    assert [row.command for row in answer_rows(log_of(steps))] == ["recall", None, None]


def test_a_log_without_answers_says_how_to_read_it() -> None:
    log = replace(family(0), answers=None)
    for ask in (lambda: list(answer_rows(log)), lambda: surface_facts(log, PLAIN)):
        with pytest.raises(
            ParameterError, match=r"got family 'family0' without: read it with iter"
        ):
            ask()


def test_facts_of_one_family() -> None:
    found = surface_facts(family(0), CUT)
    assert same(found, surface_facts(family(0), PLAIN))
    assert found.families == ("family0",)
    assert len(found.transcripts) == 2
    assert found.tools == ("mcp__graph__find", "tracker list")
    forms = [ANSWER_FORMS[form] for form in found.answers.form]
    assert forms == ["json", "json", "text", "json"]
    assert REQUERY_KINDS[found.answers.requery[0]] == "larger"
    assert found.answers.transcript.tolist() == [0, 0, 0, 1]
    assert found.quotes.is_witness.tolist() == [True, False]


# The corpus ---------------------------------------------------------------------------------------


def test_families_stand_in_the_order_of_the_store_with_or_without_answers(store: Memory) -> None:
    told: list[int] = []
    found = surface_corpus_facts(store, [PLAIN, CUT, SELECTED], told.append)
    assert list(found) == [PLAIN, SELECTED]
    assert found[PLAIN].families == ("family0", "family1", "family2", "family3")
    assert len(found[PLAIN].transcripts) == 7
    assert sum(told) == 4
    assert np.unique(found[PLAIN].answers.family).tolist() == [0, 2, 3]


def test_the_second_time_no_log_is_read(store: Memory) -> None:
    first = surface_corpus_facts(store, [PLAIN, SELECTED])
    store.read.clear()
    again = surface_corpus_facts(store, [CUT, SELECTED])
    assert store.read == []
    assert all(same(first[s], again[s]) for s in first)
    surface_corpus_facts(store, [PLAIN, Surface(sort="id")])
    assert store.read == ["family0", "family1", "family2", "family3"]


def test_only_a_changed_family_is_derived_again(store: Memory) -> None:
    surface_corpus_facts(store, [PLAIN])
    store.read.clear()
    store.logs[2] = replace(family(2), content_hash="another")
    del store.logs[0]
    found = surface_corpus_facts(store, [PLAIN])[PLAIN]
    assert store.read == ["family2"]
    assert found.families == ("family1", "family2", "family3")
    assert same(found, surface_corpus_facts(Memory(store.logs, store.folder / "x"), [PLAIN])[PLAIN])
    store.logs = [replace(log, content_hash=f"new {log.family}") for log in store.logs]
    old = store.parts()
    surface_corpus_facts(store, [PLAIN])
    assert not {path for path in old if "x" not in path.parts} & set(store.parts())


def test_parts_hold_few_families_each(store: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = surface_corpus_facts(Memory(store.logs, store.folder / "whole"), [PLAIN])[PLAIN]
    monkeypatch.setattr("ctxlab.replay._families.PART_FAMILIES", 3)
    store.folder /= "parts"
    for _ in range(2):
        assert same(whole, surface_corpus_facts(store, [PLAIN])[PLAIN])
    assert len(store.parts()) == 2


@pytest.mark.parametrize("what", ["empty", "cut", "words", "bits"])
def test_a_broken_part_is_made_anew(store: Memory, what: str) -> None:
    first = surface_corpus_facts(store, [PLAIN])[PLAIN]
    (path,) = store.parts()
    content = path.read_bytes()
    path.write_bytes(
        {"empty": b"", "cut": content[: len(content) // 2], "words": b"no zip file"}.get(
            what, bytes(b ^ (i % 7 == 3) for i, b in enumerate(content))
        )
    )
    store.read.clear()
    assert same(first, surface_corpus_facts(store, [PLAIN])[PLAIN])
    assert len(store.read) == 4
    surface_corpus_facts(store, [PLAIN])
    assert len(store.read) == 4


def test_no_single_changed_byte_changes_a_fact(store: Memory) -> None:
    first = surface_corpus_facts(store, [PLAIN])[PLAIN]
    (path,) = store.parts()
    content, random = path.read_bytes(), Random(1)
    for _ in range(40):
        at = random.randrange(len(content))
        path.write_bytes(
            content[:at] + bytes([content[at] ^ 1 << random.randrange(8)]) + content[at + 1 :]
        )
        assert same(first, surface_corpus_facts(store, [PLAIN])[PLAIN])


def test_another_version_is_another_cache(store: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    surface_corpus_facts(store, [PLAIN])
    monkeypatch.setattr(surface_cache, "SURFACE_FACTS_VERSION", 999)
    store.read.clear()
    surface_corpus_facts(store, [PLAIN])
    assert len(store.read) == 4


def test_the_oldest_arrangements_are_forgotten_and_never_those_asked_for(
    store: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surface_cache, "_KEPT", 2)

    def selecting(*keys: str) -> Surface:
        return Surface(select=keys)

    for key in "abc":
        surface_corpus_facts(store, [selecting(key)])
    assert len(store.parts()) == 2
    store.read.clear()
    many = [selecting(key) for key in "bcde"]
    surface_corpus_facts(store, many)
    assert len(store.parts()) == 4
    store.read.clear()
    surface_corpus_facts(store, many)
    assert store.read == []


def test_names_of_any_characters_come_back(store: Memory) -> None:
    odd = {"k\x00": 1, "": {}, "ключ": {"a": None}, "x" * 1000: "\x00"}
    made = answer(json.dumps(odd), "tracker show", tool="tracker show")
    log = log_of([prompt("?"), call("Bash", made)], "family\u00e9")
    store.logs = [replace(log, content_hash="odd")]
    first = surface_corpus_facts(store, [PLAIN])[PLAIN]
    assert same(first, surface_corpus_facts(store, [PLAIN])[PLAIN])
    assert set(first.keys) == set(odd)


def test_an_empty_store(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is empty: ingest transcripts first"):
        surface_corpus_facts(Memory([], tmp_path), [PLAIN])


def test_a_full_disk(store: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("ctxlab.replay._cache.os.replace", full)
        with pytest.raises(StoreError, match=r"cannot write derived values .*: No space left"):
            surface_corpus_facts(store, [PLAIN])
    assert store.parts() == []
