from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.dedup import Dedup
from ctxlab.dedup.decide import decide
from ctxlab.dedup.walk import dedup_facts
from ctxlab.errors import InputError
from ctxlab.events import Event, LineIds, Problem, Transcript
from ctxlab.log import TOOL_KINDS, TOUCH_KINDS, FamilyLog, Pointers, Touches, UsageRows
from ctxlab.replay.scores import METRICS, score
from ctxlab.store import open_store
from ctxlab.transcripts import contentfree, detect, stream
from ctxlab.transcripts._contentfree_lines import LineReader, LineWriter, decode_ops, encode_ops
from ctxlab.transcripts._contentfree_paths import base_name, encode_paths, read_paths
from ctxlab.transcripts._contentfree_words import SafeNames, safe_version
from tests.allowed_words import is_allowed
from tests.dedup.worlds import log_of, world
from tests.transcripts.equal_logs import ANY_SOURCE, assert_same_log, assert_same_results

FIXTURES = Path(__file__).parent / "fixtures"
PATHS = (
    *("/r/src/a.py", "src/a.py", "./src/a.py", "a.py", "C:\\r\\src\\a.py", "/q/ü/日.py", "日.py"),
    *("/r/src/", "/r/src", "b.py", "/r/lib/b.py", "x/a.py"),
)


def read_again(logs: Iterable[FamilyLog], folder: Path) -> list[FamilyLog]:
    """Logs written as a set and read from it, in the order in which they were written."""
    contentfree.write(logs, folder)
    with open_store(folder / "store") as store:
        store.ingest(folder, workers=1)
        return sorted(store.iter_logs(), key=lambda log: int(log.family.partition("-")[0]))


def richer(log: FamilyLog, random: Random) -> FamilyLog:
    """A random log with several sources and sessions, gaps, other tools, pointers and tokens."""
    n_calls, n_threads, n_old = len(log.calls), len(log.threads), len(log.paths)
    moved = np.array(
        [*sorted(random.sample(range(2 * log.n_events), log.n_events)), -1], dtype=np.int32
    )
    n_sources = random.randint(1, 3)
    session_of_source = [0] + [random.randint(0, 1) for _ in range(n_sources - 1)]
    session_of_source = [min(s, max(session_of_source[:i], default=-1) + 1)
                         for i, s in enumerate(session_of_source)]  # fmt: skip
    session = np.array([random.choice(session_of_source) for _ in range(n_threads)], np.int32)

    def source_of(thread: int) -> int:
        return random.choice([i for i, s in enumerate(session_of_source) if s == session[thread]])

    paths = tuple(random.sample(PATHS, n_old + random.randint(0, len(PATHS) - n_old)))
    names = [abs(hash(base_name(path))) for path in paths]
    parents = log.thread_parent.copy()
    parents[session != session[0]] = -1
    tool = np.array([random.randint(0, 2) for _ in range(n_calls)], np.int32)
    kind_of = [TOOL_KINDS.index(kind) for kind in ("read", "mcp", "shell")]
    calls = replace(
        log.calls,
        source=np.array([source_of(t) for t in log.calls.thread], np.int32),
        call_at=moved[log.calls.call_at],
        result_at=moved[log.calls.result_at],
        tool=tool,
        kind=np.array([kind_of[t] for t in tool], np.int8),
        is_error=np.array([random.random() < 0.2 for _ in range(n_calls)], np.bool_),
        result_bytes=np.array([random.randint(0, 9999) for _ in range(n_calls)], np.int64),
        mentions=tuple(tuple(random.sample([7, *names], 2)) for _ in range(n_calls)),
    )
    marks = replace(
        log.marks, at=moved[log.marks.at], rewind_to=moved[log.marks.rewind_to]
    )  # fmt: skip
    first_call = {int(r): i for i, r in reversed(list(enumerate(calls.request)))}
    requests = np.array(sorted(first_call), np.int32)
    tokens = [
        np.array([random.randint(-1, 10**6) for _ in requests], np.int64) for _ in range(4)
    ]  # fmt: skip
    return replace(
        log,
        sources=tuple(f"source{i}" for i in range(n_sources)),
        versions=(*random.choices(["2.1.7", "2.1.7-acme", None], k=n_sources),),
        models=("claude-opus-4-6", "in-house"),
        thread_source=np.array([source_of(t) for t in range(n_threads)], np.int32),
        thread_session=session,
        thread_parent=parents,
        tools=("Read", "mcp__acme__find", "Task"),
        paths=paths,
        path_name_ids=np.array(names, np.uint64),
        n_events=2 * log.n_events,
        calls=calls,
        edits=replace(log.edits, at=moved[log.edits.at]),
        marks=marks,
        pointers=_pointers(random, n_calls, len(paths)),
        touches=Touches(
            np.zeros(len(paths) + 1, np.int32),
            np.arange(-1, len(paths), dtype=np.int32),
            np.array(random.choices(range(len(TOUCH_KINDS)), k=len(paths) + 1), np.int8),
        ),
        usage=UsageRows(
            requests,
            np.array([calls.source[calls.request == r].min(initial=9) for r in requests], np.int32),
            np.array([calls.thread[first_call[int(r)]] for r in requests], np.int32),
            np.array([random.randint(-1, 1) for _ in requests], np.int32),
            *tokens,
            np.array([random.random() < 0.5 for _ in requests], np.bool_),
        ),
    )


def _pointers(random: Random, n_calls: int, n_paths: int) -> Pointers:
    rows = []
    for number, call in enumerate(sorted(random.sample(range(n_calls), min(2, n_calls)))):
        path, n_bytes, first = random.randrange(n_paths), random.randint(1, 400), 1
        for _ in range(random.randint(1, 3)):
            last = first + random.randint(0, 20)
            rows.append((number, call, path, first, last, n_bytes))
            first = last + 2
    columns = [np.array(column, np.int32) for column in zip(*rows, strict=True)]
    return Pointers(*columns[:5], columns[5].astype(np.int64))


@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_random_families_give_the_same_log_and_results(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    random = Random(seed)
    logs = [_named(log_of(world(random))), richer(log_of(_with_calls(random)), random)]
    again = read_again(logs, tmp_path_factory.mktemp("set"))
    for one, two in zip(logs, again, strict=True):
        assert_same_log(one, two)
        assert_same_results(one, two)


def _named(log: FamilyLog) -> FamilyLog:
    """A random log with base names, which the worlds leave out, and one session for its file."""
    return replace(
        log,
        path_name_ids=np.arange(len(log.paths), dtype=np.uint64),
        thread_session=np.zeros(len(log.threads), np.int32),
    )


def _with_calls(random: Random) -> Any:
    while not (found := world(random)).calls():
        pass
    return found


@pytest.fixture(scope="module")
def fixture_logs(tmp_path_factory: pytest.TempPathFactory) -> list[FamilyLog]:
    with open_store(tmp_path_factory.mktemp("store")) as store:
        store.ingest(FIXTURES, workers=1)
        return list(store.iter_logs())


def test_every_quirk_of_every_agent_survives(fixture_logs: list[FamilyLog], tmp_path: Path) -> None:
    again = read_again(fixture_logs, tmp_path)
    for one, two in zip(fixture_logs, again, strict=True):
        assert_same_log(one, two)
        assert_same_results(one, two)


def test_a_set_of_a_set_is_the_same_set(fixture_logs: list[FamilyLog], tmp_path: Path) -> None:
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    # Requests that made no call are numbered anew the first time, and not again.
    contentfree.write(read_again(read_again(fixture_logs, first), second), third)
    sets = [[_lines(p) for p in sorted(folder.glob("*.jsonl"))] for folder in (second, third)]
    assert sets[0] == sets[1]


def _lines(path: Path) -> list[Any]:
    header, *records = map(json.loads, path.read_text().splitlines())
    return [{**header, "family": header["family"][0]}, *records]


def test_dates_become_ranks(fixture_logs: list[FamilyLog], tmp_path: Path) -> None:
    again = read_again(fixture_logs, tmp_path)
    dated = [log.started_ms for log in fixture_logs if log.started_ms is not None]
    for one, two in zip(fixture_logs, again, strict=True):
        rank = None if one.started_ms is None else sorted(set(dated)).index(one.started_ms)
        assert two.started_ms == (None if rank is None else rank * 86_400_000)


def test_equal_sets_are_one_family_and_others_are_not(
    fixture_logs: list[FamilyLog], tmp_path: Path
) -> None:
    for name, logs in {
        "a": fixture_logs[:1],
        "b": fixture_logs[:1],
        "c": fixture_logs[1:2],
    }.items():
        contentfree.write(logs, tmp_path / name)
    with open_store(tmp_path / "store") as store:
        store.ingest(tmp_path, workers=1)
        assert sorted(len(family.members) for family in store.families()) == [1, 2]


def test_no_text_of_the_originals_is_left(fixture_logs: list[FamilyLog], tmp_path: Path) -> None:
    for path in contentfree.write(fixture_logs, tmp_path):
        header = json.loads(path.read_text().partition("\n")[0])
        assert all(is_allowed(word) for word in header["words"])
        assert re.fullmatch(r"(claude_code|codex|mcp)?( ?[\d.]+)?", header["agent"])


def test_no_words_leave(tmp_path: Path) -> None:
    words = {"Rename", "pump_up", "Pumpe", "Fills", "/home/dev", "src/pump.py"}
    folder = tmp_path / "logs"
    folder.mkdir()
    fixture = FIXTURES / "claude_code" / "words.jsonl"
    assert all(word in fixture.read_text() for word in words)
    (folder / "a.jsonl").write_bytes(fixture.read_bytes())
    with open_store(tmp_path / "first") as store:
        store.ingest(folder, workers=1)
        logs = list(store.iter_logs(texts=True))
    assert logs[0].texts is not None
    assert all(
        map(len, (logs[0].texts.prompt_text, logs[0].texts.symbol_name, logs[0].texts.names))
    )
    written = contentfree.write(logs, tmp_path / "set")
    content = "".join(path.read_text() for path in written)
    assert not [word for word in words if word in content]
    with open_store(tmp_path / "second") as store:
        store.ingest(tmp_path / "set", workers=1)
        for table in ("prompts", "names", "symbols"):
            assert store.sql(f"select * from {table}").fetchall() == []
        assert store.sql("select cwd from transcripts").fetchall() == [(None,)]
        (log,) = store.iter_logs(texts=True)
    assert log.texts is not None
    assert log.texts.prompt_text == log.texts.names == log.texts.symbol_name == ()


def test_real_transcripts_give_the_same_numbers(shared: Path, tmp_path: Path) -> None:
    cells: tuple[dict[str, Any], ...] = (
        {"tools": ("read",), "proof": "line_text", "record_scope": "connection"},
        {"tools": ANY_SOURCE, "proof": "hunks", "record_scope": "thread"},
    )
    with open_store(tmp_path / "store") as store:
        store.ingest(shared / "data" / "transcripts" / "claude_code", workers=1)
        logs = list(store.iter_logs())
    again = read_again(logs, tmp_path / "set")
    assert sum(len(log.sources) for log in again) == sum(len(log.sources) for log in logs)
    for one, two in zip(logs, again, strict=True):
        assert_same_log(one, two)
        assert_same_results(one, two, cells)
        for cell in cells:
            a, b = (dedup_facts(log, **cell) for log in (one, two))
            for params in (Dedup(), Dedup(min_covered_lines=4, view_calls=None, guard=False)):
                scored = [score(facts, decide(facts, params)) for facts in (a, b)]
                for metric in METRICS:
                    values = [scores.values[metric].tolist() for scores in scored]
                    assert values[0] == values[1], metric


@given(st.lists(st.lists(st.integers(0, 30), max_size=20), max_size=10))
def test_lines_come_back(spans: list[list[int]]) -> None:
    writer = LineWriter()
    written = []
    for ids in spans:
        sizes = [3 * line for line in ids]
        written.append(
            (writer.sequence(ids), writer.sizes(ids, sizes, [2 * n // 3 for n in sizes]))
        )
    reader = LineReader(writer.family_runs())
    for ids, (sequence, sizes) in zip(spans, written, strict=True):
        lines = LineIds(tuple(ids), tuple(3 * n for n in ids), tuple(2 * n for n in ids))
        assert reader.span(sequence, sizes) == lines


def test_a_span_of_new_lines_is_one_number() -> None:
    writer = LineWriter()
    assert writer.sequence([0, 1, 2, 3]) == [4]
    assert writer.sequence([1, 4, 0, 1, 2]) == [-2, 1, 0, 0, 3]
    assert writer.sizes([0, 1, 0], [5, 7, 5], [5, 6, 5]) == [5, -8, 6]
    assert writer.family_runs() == [0, 5]


@given(st.text(" -+", max_size=30))
def test_operations_come_back(ops: str) -> None:
    assert decode_ops(encode_ops(ops)) == ops


PIECES = st.text("ab.ü日𝒳", min_size=1, max_size=3)


STARTS = st.sampled_from(["", "/", "./", "C:/"])


@given(st.lists(st.tuples(STARTS, st.lists(PIECES, min_size=1, max_size=4)), max_size=8))
def test_paths_keep_sizes_suffixes_and_base_names(drawn: list[tuple[str, list[str]]]) -> None:
    paths = list(dict.fromkeys(start + "/".join(pieces) for start, pieces in drawn))
    made = read_paths(json.loads(json.dumps(encode_paths(paths))))
    assert [len(p.encode()) for p in made] == [len(p.encode()) for p in paths]
    assert [len(p.encode("utf-16-le")) for p in made] == [len(p.encode("utf-16-le")) for p in paths]
    for a, b in zip(paths, made, strict=True):
        assert a.startswith("/") == b.startswith("/")
        for c, d in zip(paths, made, strict=True):
            assert (a == c) == (b == d)
            assert a.endswith("/" + c) == b.endswith("/" + d)
            assert (base_name(a) == base_name(c)) == (base_name(b) == base_name(d))


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("claude-opus-4-5-20251101", True),
        ("gpt-5.2-codex", True),
        ("gpt-4o-mini", True),
        ("ft:gpt-4o:acme::1", False),
        ("claude-acme", False),
        ("mcp_3", True),
        ("acme_3", False),
        ("Read", True),
        ("mcp__acme__find", False),
    ],
)
def test_only_well_known_words_are_allowed(name: str, allowed: bool) -> None:
    assert is_allowed(name) == allowed


def test_other_names_are_numbered_over_the_whole_set() -> None:
    names = SafeNames()
    told = [names.tool(name, "mcp") for name in ("mcp__a__x", "mcp__b__x", "mcp__a__x")]
    assert told == ["mcp_1", "mcp_2", "mcp_1"]
    assert names.model("acme-large") == "model_1"
    assert safe_version("claude_code", None) == "claude_code"
    assert safe_version("acme", "acme") == ""


# Bad files -----------------------------------------------------------------------------------

Change = Callable[[list[dict[str, Any]]], object]


def damaged(tmp_path: Path, change: Change) -> Path:
    """A file whose records are a header, a prompt, a call and its result, after a change."""
    text = (FIXTURES / "content_free" / "grep.jsonl").read_text()
    records = [json.loads(line) for line in text.splitlines()]
    change(records)
    path = tmp_path / "damaged.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def _span(records: list[dict[str, Any]]) -> list[Any]:
    return next(record["s"][0] for record in records if "s" in record)


def _set(place: Any, key: Any, value: Any) -> None:
    place[key] = value


BAD_HEADERS: dict[str, tuple[Change, str]] = {
    "version": (lambda r: r[0].update(version=2), "is content-free version 2, this ctxlab reads"),
    "no family": (lambda r: r[0].pop("family"), "its header is damaged"),
    "negative source": (lambda r: r[0].update(source=-1), "a number outside"),
    "words": (lambda r: r[0].update(words=[1]), "no text where one must stand"),
    "a name for a path": (lambda r: r[0].update(paths=[["acme"]]), "a kind that this version"),
    "path of 10^12": (lambda r: r[0].update(paths=[["/", [10**12, 0]]]), "a number outside"),
    "many long paths": (lambda r: r[0].update(paths=[[[2**20, 0]]] * 5), "paths of more than"),
    "shape of no path": (lambda r: r[0].update(paths=[[[1, 0, 9]]]), "no piece of a path has"),
    "piece of no text": (lambda r: r[0].update(paths=[[[1, 999]]]), "more pieces of"),
    "odd runs": (lambda r: r[0].update(lines=[1]), "no pairs of numbers"),
}


@pytest.mark.parametrize("case", BAD_HEADERS)
def test_bad_header(tmp_path: Path, case: str) -> None:
    change, message = BAD_HEADERS[case]
    with pytest.raises(InputError, match=re.escape(message)):
        list(contentfree.stream(damaged(tmp_path, change)))


BAD_RECORDS: dict[str, tuple[Change, str]] = {
    "kind": (lambda r: r[1].update(k="acme"), "a kind that this version does not know"),
    "no kind": (lambda r: r[1].pop("k"), "a kind that this version does not know"),
    "thread": (lambda r: r[1].update(h=99), "a number outside"),
    "backwards": (lambda r: r[1].update(d=-5), "a number outside"),
    "10^12 events": (lambda r: r[1].update(k="other", n=10**12), "a number outside"),
    "far position": (lambda r: r[1].update(d=2**31 - 1), "more than 1048576 events"),
    "many events": (lambda r: r.insert(2, {"k": "other", "n": 2**20}), "more than 1048576 events"),
    "result of no call": (lambda r: r[3].update(c=77), "a call that was not made"),
    "word": (lambda r: r[2].update(y=99), "a number outside"),
    "touches": (lambda r: r[2].update(w=[0]), "touches are no pairs"),
    "negative bytes": (lambda r: r[3].update(b=-1), "a number outside"),
    "fraction": (lambda r: r[3].update(b=1.5), "a number outside"),
    "path": (lambda r: _set(_span(r), 0, 99), "a number outside"),
    "no span": (lambda r: _set(r[3], "s", [[1]]), "a list of another length"),
    "10^12 lines": (lambda r: _set(_span(r), 7, [10**12]), "more than 16777216 lines"),
    "10^12 again": (lambda r: _set(_span(r), 7, [1, 0, 0, 10**12]), "more than 16777216 lines"),
    "unseen line": (lambda r: _set(_span(r), 7, [-99]), "a line that was not yet seen"),
    "cut run": (lambda r: _set(_span(r), 7, [0, 0]), "a line that was not yet seen"),
    "more lines": (lambda r: _set(_span(r), 7, [500]), "more lines than the first record names"),
    "no sizes": (lambda r: _set(_span(r), 8, []), "fewer sizes than new lines"),
    "more sizes": (lambda r: _span(r)[8].append(1), "more sizes than new lines"),
    "size": (lambda r: _set(_span(r)[8], 0, 2**40), "a size that no line has"),
    "first line": (lambda r: _set(_span(r), 1, -1), "numbers that no file has"),
    "pointer": (lambda r: r[3].update(p=[[0, 9, 5, 4]]), "a pointer at ranges"),
    "hunk": (
        lambda r: r[3].update(x=[[0, 0, 0, [1, 1, [10**9], [1]]]]),
        "a kind that this version does not know",
    ),
    "tokens": (lambda r: r[-1].update(u=[0]), "a list of another length"),
    "deep": (lambda r: r[1].update(k=[[[]]]), "a kind that this version does not know"),
}


@pytest.mark.parametrize("case", BAD_RECORDS)
def test_bad_record_ends_the_reading(tmp_path: Path, case: str) -> None:
    change, message = BAD_RECORDS[case]
    items = list(contentfree.stream(damaged(tmp_path, change)))
    problems = [item for item in items if isinstance(item, Problem)]
    assert message in problems[0].cause
    assert len(problems) == 1 or "counts on the damaged record" in problems[1].cause
    assert sum(problem.n_bytes for problem in problems) > 0
    assert isinstance(items[-1], Transcript)


def test_a_hunk_of_10_to_the_9_lines_is_not_made(tmp_path: Path) -> None:
    def change(records: list[dict[str, Any]]) -> None:
        records[0]["words"] += ["hunks", "tool"]
        n = len(records[0]["words"])
        records[3]["x"] = [[0, n - 2, n - 1, [1, 1, [10**9], [1]]]]

    items = list(contentfree.stream(damaged(tmp_path, change)))
    assert any("more than 16777216 lines" in i.cause for i in items if isinstance(i, Problem))


def test_cut_file_keeps_what_came_before(tmp_path: Path) -> None:
    whole = (FIXTURES / "content_free" / "grep.jsonl").read_bytes()
    path = tmp_path / "cut.jsonl"
    path.write_bytes(whole[:-10])
    items, all_items = list(stream(path)), list(stream(FIXTURES / "content_free" / "grep.jsonl"))
    assert [i.cause for i in items if isinstance(i, Problem)] == [
        "cut short at the end of the file"
    ]
    assert [i for i in items if isinstance(i, Event)] == [
        i for i in all_items if isinstance(i, Event)
    ]


def test_other_json_is_no_content_free_file(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"ctxlab": "content"}\n')
    with pytest.raises(InputError, match="does not begin with the header"):
        list(contentfree.stream(path))
    with pytest.raises(InputError, match="not a transcript ctxlab knows"):
        detect(path)


def test_writing_beside_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "old.jsonl").write_text("")
    with pytest.raises(InputError, match=r"holds \.jsonl files already; name an empty folder"):
        contentfree.write([], tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        contentfree.write([], tmp_path / "file")
