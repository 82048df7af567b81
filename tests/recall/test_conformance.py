"""The policy against the reference's recorded results.

`conformance_sample.jsonl` is a small part of the full set, which runs where it is present.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxlab.recall import GraphIndex, Recall

SAMPLE = Path(__file__).with_name("conformance_sample.jsonl")
MOST_SHOWN = 3

Case = dict[str, Any]


def test_every_prompt_gives_the_reference_digest(shared: Path) -> None:
    corpora = read_rows(shared / "conformance/recall.jsonl")
    assert [len(corpus["cases"]) for corpus in corpora] == [40] * 8
    report(mismatches(corpora))


def test_the_sample_gives_the_reference_digests() -> None:
    report(mismatches(read_rows(SAMPLE)))


def test_the_sample_is_part_of_the_full_set(shared: Path) -> None:
    full = {
        json.dumps(row["corpus"]): row for row in read_rows(shared / "conformance/recall.jsonl")
    }
    for row in read_rows(SAMPLE):
        whole = full[json.dumps(row["corpus"])]
        assert row["store_label"] == whole["store_label"]
        assert all(case in whole["cases"] for case in row["cases"])


RULES: dict[str, Callable[[Case], bool]] = {
    "no identifier": lambda c: not c["terms"],
    "nothing matched": lambda c: bool(c["terms"]) and c["best_phrase_score"] is None,
    "no line fits": lambda c: c["best_phrase_score"] is not None and not c["fires"],
    "lines left out for the budget": lambda c: c["truncated"],
    "several lines": lambda c: len(c["pointer_lines"]) > 1,
    "as many lines as allowed": lambda c: len(c["pointer_lines"]) == 6,
    "a term named twice": lambda c: any(c["prompt"].count(t) > 1 for t in c["terms"]),
    "a possessive": lambda c: "'s" in c["prompt"],
    "documentation cut": lambda c: any(line.endswith("…") for line in c["pointer_lines"]),
    "more bytes than characters": lambda c: not "".join(c["pointer_lines"]).isascii(),
    "a commit": lambda c: any(re.fullmatch("  [0-9a-f]{40}", s) for s in c["pointer_lines"]),
    "a file's role": lambda c: any(re.match(r"  [^ :]+ — ", s) for s in c["pointer_lines"]),
}


def test_the_sample_meets_every_rule_of_a_digest() -> None:
    rows = read_rows(SAMPLE)
    cases = [case for row in rows for case in row["cases"]]
    assert {rule for rule, holds in RULES.items() if any(map(holds, cases))} == set(RULES)
    fields = {name for row in rows for node in row["corpus"]["nodes"] for name in node["props"]}
    assert fields >= {"path", "body", "headings", "role", "name", "doc", "message", "text"}
    assert SAMPLE.stat().st_size < 60_000


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def report(found: Iterator[str]) -> None:
    shown = list(found)
    if shown:
        first = "\n".join(shown[:MOST_SHOWN])
        pytest.fail(f"{len(shown)} values differ; the first:\n{first}", pytrace=False)


def mismatches(corpora: list[dict[str, Any]]) -> Iterator[str]:
    for number, row in enumerate(corpora, 1):
        index = GraphIndex(row["corpus"]["nodes"], row["corpus"]["fulltext"])
        for case in row["cases"]:
            params = Recall(max_output_bytes=case["max_bytes"])
            digest = index.digest(case["prompt"], params, row["store_label"])
            got = {
                "terms": list(digest.terms),
                "best_phrase_score": digest.best_phrase_score,
                "fires": digest.fires,
                "pointer_lines": list(digest.pointer_lines),
                "truncated": digest.truncated,
                "digest_bytes": digest.n_bytes,
            }
            for name, value in got.items():
                expected = case[name]
                if name == "best_phrase_score" and expected is not None:
                    expected = pytest.approx(expected, abs=1e-9)
                if value != expected:
                    yield f"corpus {number} {case['prompt']!r}: {name} {value} is not {expected}"
            if len(digest.text.encode()) != digest.n_bytes:
                yield f"corpus {number} {case['prompt']!r}: the text is not as long as it says"
