"""The policy byte for byte: our own cases, and the reference's where they are present."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.surface import Surface, dumps, shape, shape_text

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8").split("\n")
    if line
]
MOST_SHOWN = 3


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_our_own_cases(case: dict[str, Any]) -> None:
    params = Surface.of(**case["surface"])
    assert shape_text(case["text"], params, case["command"]) == case["expect"]
    value = json.loads(case["text"], parse_int=lambda t: -0.0 if t == "-0" else int(t))
    assert dumps(shape(value, params, case["command"])) == case["expect"]


@pytest.mark.parametrize(("name", "count"), [("cases", 112), ("fuzz", 2000), ("sorts", 250)])
def test_the_reference_prints_the_same(shared: Path, name: str, count: int) -> None:
    text = (shared / "conformance" / f"surface_{name}.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.split("\n") if line]
    assert len(rows) == count
    wrong = [
        (row["request"], output, row["expect"])
        for row in rows
        if (output := printed(row["request"])) != row["expect"]
        or len(output.encode()) != row["expect_len"]
    ]
    assert not wrong, f"{len(wrong)} of {count} differ, the first: {wrong[:MOST_SHOWN]}"


def printed(request: dict[str, Any]) -> str:
    knobs = dict(request["surface"])
    command = knobs.pop("command", None)
    text = request["value_text"] if "value_text" in request else json.dumps(request["value"])
    try:
        return shape_text(text, Surface.of(**knobs), command)
    except CtxlabError as error:
        return dumps({"reference_error": str(error)})
