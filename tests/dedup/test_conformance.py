"""The policy against the reference's recorded inputs and results.

`conformance_sample.jsonl` is a small part of the full set, which runs where it is present.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxlab import dedup
from ctxlab.dedup import Dedup, SessionRecord

SAMPLE = Path(__file__).with_name("conformance_sample.jsonl")
SYMBOLS = [(f"fn{k}", "function", 20 * k + 1, 20 * k + 18) for k in range(3)]
MOST_SHOWN = 3

FUNCTIONS = {
    "merge_ranges",
    "intersect_range",
    "subtract_range",
    "dedupe_range",
    "coalesce_ranges",
    "file_fingerprint",
    "served_ranges_for_file",
    "format_spans",
    "symbols_in_spans",
    "back_reference_length",
}


def test_every_function_gives_the_reference_results(shared: Path) -> None:
    rows = read_rows(shared / "conformance/dedup_functions.jsonl")
    assert Counter(row["fn"] for row in rows) == {
        fn: 800 if fn == "dedupe_range" else 400 for fn in FUNCTIONS
    }
    report(function_mismatches(rows))


def test_every_session_gives_the_reference_sections(shared: Path) -> None:
    scripts = read_rows(shared / "conformance/dedup_sessions.jsonl")
    assert len(scripts) == 150
    report(session_mismatches(scripts))


def test_the_sample_gives_the_reference_results() -> None:
    rows = read_rows(SAMPLE)
    functions = [row for row in rows if "fn" in row]
    assert {row["fn"] for row in functions} == FUNCTIONS
    report(function_mismatches(functions))
    report(session_mismatches([row for row in rows if "steps" in row]))


def held_runs_sent_again(script: dict[str, Any], expected: dict[str, Any]) -> bool:
    served = from_pairs(expected["served"])
    return any(dedup.intersect_range(run, served) for run in from_pairs(expected["emit"]))


RULES: dict[str, Callable[[dict[str, Any], dict[str, Any]], bool]] = {
    "sent whole": lambda _, e: not e["covered"],
    "partial pointer": lambda _, e: bool(e["covered"]) and e["body_chars"] > 0,
    "full pointer, nothing left": lambda _, e: bool(e["covered"]) and not e["emit"],
    "folded remainder": lambda _, e: e["folded"] and bool(e["emit"]),
    "no fold at threshold 0": lambda _, e: not e["emit"] and not e["folded"],
    "held run too short": held_runs_sent_again,
    "more runs than a pointer names": lambda _, e: len(e["covered"]) > 4,
}


def test_the_sample_meets_every_rule_of_a_section() -> None:
    met: set[str] = set()
    for script in (row for row in read_rows(SAMPLE) if "steps" in row):
        fingerprints: dict[str, str] = {}
        for _, unlimited, expected in play(script | {"view_calls": None}):
            met |= {rule for rule, holds in RULES.items() if holds(script, expected)}
            if unlimited["served"] != expected["served"]:
                met.add("beyond the horizon")
            if fingerprints.get(expected["path"]) not in (None, expected["fingerprint"]):
                met.add("the file was edited")
            fingerprints[expected["path"]] = expected["fingerprint"]
        if any(len(step.get("call", ())) > 1 for step in script["steps"]):
            met.add("several files in a call")
    assert met == {*RULES, "beyond the horizon", "the file was edited", "several files in a call"}


# --- rows to calls -------------------------------------------------------------------------


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def report(mismatches: Iterator[str]) -> None:
    found = list(mismatches)
    if found:
        shown = "\n".join(found[:MOST_SHOWN])
        pytest.fail(f"{len(found)} rows differ; the first:\n{shown}", pytrace=False)


def function_mismatches(rows: list[dict[str, Any]]) -> Iterator[str]:
    for number, row in enumerate(rows, 1):
        got = call_function(row["fn"], row["args"])
        if got != row["result"]:
            yield f"row {number} {row['fn']}{row['args']}: {got} instead of {row['result']}"


def call_function(fn: str, args: list[Any]) -> Any:
    values = [from_json(arg) for arg in args]
    if fn == "back_reference_length":
        path, spans, names, options = values
        return {"utf16_length": dedup.pointer_chars(path, spans, names, **options)}
    if fn == "symbols_in_spans":
        nodes = [(n["name"], n["kind"], n["startLine"], n["endLine"]) for n in values[0]]
        return list(dedup.symbols_in_spans(nodes, values[1]))
    result = getattr(dedup, fn)(*values)
    if fn in ("dedupe_range", "coalesce_ranges"):
        return {k: to_json(v) for k, v in result._asdict().items()}
    return to_json(result)


def from_json(value: Any) -> Any:
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if isinstance(value, dict) and set(value) == {"start", "end"}:
        return value["start"], value["end"]
    return value


def from_pairs(pairs: list[list[int]]) -> list[tuple[int, int]]:
    return [(start, end) for start, end in pairs]


def to_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [{"start": start, "end": end} for start, end in value]
    return value


def session_mismatches(scripts: list[dict[str, Any]]) -> Iterator[str]:
    for number, script in enumerate(scripts, 1):
        for step, got, expected in play(script):
            for name, value in expected.items():
                if got[name] != value:
                    where = f"script {number} step {step} {expected['path']}"
                    yield f"{where}: {name} is {got[name]} instead of {value}"


def play(script: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    """Run a script, giving each section beside the expected one (both before the guard)."""
    params = Dedup(**{k: script[k] for k in ("min_covered_lines", "min_delta_chars", "view_calls")})
    record, files = SessionRecord(params), dict(script["files"])
    for number, step in enumerate(script["steps"], 1):
        if edit := step.get("edit"):
            lines = files[edit["path"]].split("\n")
            lines[edit["line"] - 1] = edit["text"]
            files[edit["path"]] = "\n".join(lines)
            continue
        sections = [
            dedup.serve(
                record,
                wanted["path"],
                files[wanted["path"]],
                from_pairs(wanted["spans"]),
                params,
                SYMBOLS,
            )
            for wanted in step["call"]
        ]
        record.record(sections)
        for section, expected in zip(sections, step["expect"], strict=True):
            yield number, section_json(section), expected


def section_json(section: dedup.Section) -> dict[str, Any]:
    values = {name: getattr(section, name) for name in dedup.Section.__slots__}
    for name in ("served", "emit", "covered", "recorded_spans"):
        values[name] = [list(line_range) for line_range in values[name]]
    values["recorded"] = {
        "spans": values.pop("recorded_spans"),
        "bytes": values.pop("recorded_bytes"),
    }
    return values
