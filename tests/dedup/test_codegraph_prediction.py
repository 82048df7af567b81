"""The policy against the real tool: the same queries recorded with its dedup on and off.

With the lines that each answer really asked for, the policy withholds what the tool withheld,
range for range. From the recordings without dedup it can only predict: the real tool spends the
characters it frees on other lines, and from then on the two conversations hold different ones.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ctxlab.dedup import (
    Range,
    Section,
    SessionRecord,
    Wanted,
    answer,
    intersect_range,
    merge_ranges,
    pointer_chars,
    serve,
    subtract_range,
)
from ctxlab.transcripts import _codegraph

REPOSITORIES = ("arviz-stats", "fairlearn", "llm", "scikit-lego", "sqlite-utils", "zr-obp")
CONNECTIONS = [(repository, n) for repository in REPOSITORIES for n in (1, 2)]
NAMED_GAP = re.compile(r"^\.\.\. \(gap: .*\) \.\.\.$", re.MULTILINE)
BARE_GAP = "... (gap) ..."

Ranges = tuple[Range, ...]


@dataclass(frozen=True)
class File:
    """What one answer asked for in one file, what the tool withheld, and how it said so."""

    path: str
    asked: Ranges
    covered: Ranges
    body_chars: int
    section: _codegraph.Section


@dataclass(frozen=True)
class Call:
    query: str
    text: str
    response_chars: int
    files: tuple[File, ...]

    @property
    def asked(self) -> dict[str, Ranges]:
        return {file.path: file.asked for file in self.files}

    @property
    def covered(self) -> dict[str, Ranges]:
        return {file.path: file.covered for file in self.files if file.covered}


@dataclass(frozen=True)
class Recordings:
    calls: dict[tuple[str, str, int], tuple[Call, ...]]
    contents: dict[tuple[str, str], str]

    def both(self, repository: str, n: int) -> Iterator[tuple[Call, Call]]:
        """The calls with dedup on, each beside the same one with dedup off."""
        on, off = (self.calls[repository, switch, n] for switch in ("on", "off"))
        return zip(on, off, strict=True)

    def wanted(self, repository: str, call: Call) -> list[Wanted]:
        return [
            Wanted(file.path, self.contents[repository, file.path], file.asked)
            for file in call.files
        ]

    def replay(self, repository: str, calls: Sequence[Call]) -> list[tuple[Section, ...]]:
        record = SessionRecord()
        return [answer(record, self.wanted(repository, call)) for call in calls]


def read_calls(folder: Path, name: str) -> tuple[tuple[Call, ...], dict[str, set[str]]]:
    """The calls of a connection, and the fingerprints of each file."""
    lines = (folder / "expected" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    truths: dict[int, Any] = {truth["id"]: truth for truth in map(json.loads, lines)}
    calls, fingerprints = [], defaultdict[str, set[str]](set)
    for line in (folder / f"{name}.mcp.jsonl").read_text(encoding="utf-8").splitlines():
        message = json.loads(line)["message"]
        if content := message.get("result", {}).get("content"):
            text, truth = content[0]["text"], truths[message["id"]]
            sections = _codegraph.parse(text).sections
            files = tuple(
                File(f["path"], ranges(f["recorded"]), ranges(f["covered"]), f["body_bytes"], s)
                for f, s in zip(truth["files"], sections, strict=True)
            )
            calls.append(Call(truth["query"], text, truth["response_chars"], files))
            for f in truth["files"]:
                fingerprints[f["path"]].add(f["fingerprint"])
    return tuple(calls), fingerprints


def ranges(pairs: list[list[int]]) -> Ranges:
    return tuple((start, end) for start, end in pairs)


def content_of(lines: dict[int, str]) -> str:
    """A file as far as any answer showed it; lines that none showed are empty."""
    return "\n".join(lines.get(n, "") for n in range(1, max(lines) + 1))


@pytest.fixture(scope="module")
def recordings(shared: Path) -> Recordings:
    folder = shared / "data" / "codegraph"
    if not folder.is_dir():
        pytest.skip("the recorded answers are not beside this clone")
    calls: dict[tuple[str, str, int], tuple[Call, ...]] = {}
    shown = defaultdict[tuple[str, str], dict[int, str]](dict)
    identities = defaultdict[tuple[str, str], set[str]](set)
    for repository, n in CONNECTIONS:
        for switch in ("on", "off"):
            name = f"{repository}.dedup-{switch}.{n}"
            calls[repository, switch, n], fingerprints = read_calls(folder, name)
            for path, of_path in fingerprints.items():
                identities[repository, path] |= of_path
            for call in calls[repository, switch, n]:
                for span in (span for file in call.files for span in file.section.spans):
                    assert isinstance(span.lines, tuple)
                    for number, line in enumerate(span.lines, span.first_line):
                        assert shown[repository, span.path].setdefault(number, line) == line
    # No file changed while it was recorded: what was shown of it stands for its identity.
    assert all(len(of_path) == 1 for of_path in identities.values())
    return Recordings(calls, {key: content_of(lines) for key, lines in shown.items()})


def n_lines(of_path: dict[str, Ranges]) -> int:
    return sum(end - start + 1 for path in of_path.values() for start, end in path)


def common(a: dict[str, Ranges], b: dict[str, Ranges]) -> dict[str, Ranges]:
    """Lines in both, by path."""
    return {
        path: merge_ranges(run for part in a[path] for run in intersect_range(part, b[path]))
        for path in a.keys() & b.keys()
    }


def without(a: dict[str, Ranges], b: dict[str, Ranges]) -> dict[str, Ranges]:
    """Lines in `a` and not in `b`, by path."""
    return {
        path: tuple(run for part in a[path] for run in subtract_range(part, b.get(path, ())))
        for path in a
    }


def covered(sections: tuple[Section, ...]) -> dict[str, Ranges]:
    return {section.path: section.covered for section in sections if section.covered}


# -- exact: the tool's own choice of lines, the policy's decision ----------------------------------


def test_what_the_tool_withheld_is_reproduced_from_what_it_asked_for(
    recordings: Recordings,
) -> None:
    n = Counter[str]()
    for repository, connection in CONNECTIONS:
        calls = recordings.calls[repository, "on", connection]
        for call, sections in zip(calls, recordings.replay(repository, calls), strict=True):
            for file, got in zip(call.files, sections, strict=True):
                assert got.covered == file.covered, (repository, connection, file.path)
                n.update(sections=1, pointers=bool(got.covered), full=not got.body_chars)
    assert n == {"sections": 319, "pointers": 112, "full": 19}


def test_body_lengths_differ_by_what_gap_markers_name(recordings: Recordings) -> None:
    """The policy prices every gap as a bare one; the tool names symbols in some."""
    longer = 0
    for repository, connection in CONNECTIONS:
        calls = recordings.calls[repository, "on", connection]
        for call, sections in zip(calls, recordings.replay(repository, calls), strict=True):
            named = [len(marker) - len(BARE_GAP) for marker in NAMED_GAP.findall(call.text)]
            extra = [
                file.body_chars - got.body_chars
                for file, got in zip(call.files, sections, strict=True)
            ]
            assert sum(extra) == sum(named)
            for file, chars in zip(call.files, extra, strict=True):
                assert (chars > 0) is any(gap.symbols for gap in file.section.gaps)
                longer += chars > 0
    assert longer == 80


def test_pointer_lengths_are_those_of_the_formula(recordings: Recordings) -> None:
    lengths = []
    for repository, connection in CONNECTIONS:
        for call in recordings.calls[repository, "on", connection]:
            lines = [x for x in call.text.split("\n") if x.startswith("> **Already sent")]
            pointed = [file for file in call.files if file.section.pointer]
            for file, line in zip(pointed, lines, strict=True):
                section = file.section
                names = [*section.pointer_symbols, *["…"] * section.n_more_symbols]
                partial = bool(section.spans)
                assert pointer_chars(file.path, file.covered, names, partial=partial) == len(line)
                lengths.append(len(line))
    assert (len(lengths), min(lengths), max(lengths), sum(lengths)) == (112, 228, 420, 34_342)


# -- predicted from the recordings without dedup ---------------------------------------------------


@pytest.mark.parametrize(
    ("repository", "connection", "n_calls", "n_exact", "predicted", "real", "both"),
    [
        # calls that ask for the same lines before the first that does not; withheld lines
        ("arviz-stats", 1, 13, 1, 752, 878, 576),
        ("arviz-stats", 2, 3, 1, 149, 274, 138),
        ("fairlearn", 1, 13, 1, 1396, 3107, 1372),
        ("fairlearn", 2, 3, 2, 425, 425, 425),
        ("llm", 1, 13, 1, 647, 763, 542),
        ("llm", 2, 3, 2, 305, 246, 246),
        ("scikit-lego", 1, 13, 2, 1088, 1532, 1088),
        ("scikit-lego", 2, 3, 2, 419, 419, 419),
        ("sqlite-utils", 1, 15, 1, 748, 962, 695),
        ("sqlite-utils", 2, 3, 2, 303, 303, 303),
        ("zr-obp", 1, 13, 2, 542, 598, 542),
        ("zr-obp", 2, 3, 2, 256, 256, 256),
    ],
)
def test_prediction_by_connection(
    recordings: Recordings,
    repository: str,
    connection: int,
    n_calls: int,
    n_exact: int,
    predicted: int,
    real: int,
    both: int,
) -> None:
    pairs = list(recordings.both(repository, connection))
    replayed = recordings.replay(repository, [off for _, off in pairs])
    assert len(pairs) == n_calls
    assert all(on.query == off.query for on, off in pairs)
    same = [on.asked == off.asked for on, off in pairs]
    assert same.index(False) == n_exact
    for (on, _), sections in list(zip(pairs, replayed, strict=True))[:n_exact]:
        assert covered(sections) == on.covered
    ours = [covered(sections) for sections in replayed]
    theirs = [on.covered for on, _ in pairs]
    assert sum(map(n_lines, ours)) == predicted
    assert sum(map(n_lines, theirs)) == real
    assert sum(map(n_lines, map(common, ours, theirs))) == both


def test_answers_differ_only_where_characters_were_freed(recordings: Recordings) -> None:
    """Given the tool's own record, asked lines change exactly where some could be withheld."""
    n = Counter[tuple[str, str]]()
    for repository, connection in CONNECTIONS:
        record = SessionRecord()
        for on, off in recordings.both(repository, connection):
            would = [serve(record, *w[:3]) for w in recordings.wanted(repository, off)]
            answer(record, recordings.wanted(repository, on))
            freed = "characters freed" if any(s.covered for s in would) else "nothing to withhold"
            n[freed, "same lines" if on.asked == off.asked else "other lines"] += 1
            n[freed, "withheld"] += bool(on.covered)
    assert n == {
        ("nothing to withhold", "same lines"): 37,
        ("nothing to withhold", "withheld"): 0,
        ("characters freed", "same lines"): 7,
        ("characters freed", "other lines"): 54,
        # In the other five the new choice shows none of the held lines: no pointer is needed.
        ("characters freed", "withheld"): 56,
    }


def test_where_prediction_and_tool_differ(recordings: Recordings) -> None:
    n = Counter[str]()
    for repository, connection in CONNECTIONS:
        pairs = list(recordings.both(repository, connection))
        replayed = recordings.replay(repository, [off for _, off in pairs])
        for (on, off), sections in zip(pairs, replayed, strict=True):
            ours, theirs = covered(sections), on.covered
            n["predicted sections"] += len(ours)
            n["real sections"] += len(theirs)
            n["sections of both"] += len(ours.keys() & theirs.keys())
            n["predicted"] += n_lines(ours)
            n["real"] += n_lines(theirs)
            n["both"] += n_lines(common(ours, theirs))
            missed, extra = without(theirs, ours), without(ours, theirs)
            n["missed: asked for only with dedup"] += n_lines(without(missed, off.asked))
            n["missed: held only with dedup"] += n_lines(common(missed, off.asked))
            n["extra: asked for only without dedup"] += n_lines(without(extra, on.asked))
            n["extra: held only without dedup"] += n_lines(common(extra, on.asked))
    assert n == {
        "predicted sections": 108,
        "real sections": 112,
        "sections of both": 101,
        "predicted": 7_030,
        "real": 9_763,
        "both": 6_602,
        "missed: asked for only with dedup": 2_075,
        "missed: held only with dedup": 1_086,
        "extra: asked for only without dedup": 427,
        "extra: held only without dedup": 1,
    }


def test_freed_characters_are_spent_again(recordings: Recordings) -> None:
    """What a replay counts as banked is an upper bound: real answers nearly keep their size."""
    banked = saved = whole = 0
    for repository, connection in CONNECTIONS:
        pairs = list(recordings.both(repository, connection))
        for sections in recordings.replay(repository, [off for _, off in pairs]):
            banked += sum(s.full_body_chars - s.body_chars - s.pointer_chars for s in sections)
        saved += sum(off.response_chars - on.response_chars for on, off in pairs)
        whole += sum(off.response_chars for _, off in pairs)
    assert (whole, banked, saved) == (1_630_279, 266_181, 45_040)
