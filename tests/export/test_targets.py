from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ctxlab.dedup.params import Dedup
from ctxlab.errors import CtxlabError, ParameterError
from ctxlab.export import TARGETS, TOOLS, codegraph
from ctxlab.export import json as as_json
from ctxlab.params import ParamSet
from ctxlab.recall.params import Recall
from ctxlab.surface.params import Surface

PARAMS = (
    Dedup(),
    Dedup(view_calls=None, record_scope="thread"),
    Recall(),
    Recall(min_margin=1.5),
    Surface(),
    Surface(max_items=20, select=("id", "meta.title")),
)
TAKES = [
    (target, params)
    for target in TARGETS
    for params in (None, *PARAMS)
    if params is None or target in ("json", TOOLS[type(params)])
]

HOLDS = {codegraph.AS_SHIPPED: {"status": "recommended", "reasons": [], "judged_on": {}}}
FAILS = {
    codegraph.AS_SHIPPED: {
        "status": "none",
        "reasons": ["7 pointers are harmful", "and"],
        "judged_on": {},
    }
}
UNTOLD = {codegraph.AS_SHIPPED: {"status": "none", "reasons": ["too few"], "judged_on": None}}


@pytest.mark.parametrize(("target", "params"), TAKES)
def test_every_target_writes_files_that_can_be_read_again(
    tmp_path: Path, target: str, params: ParamSet | None
) -> None:
    certificate = {"result": {"value": np.float64(0.5)}, "note": "\udcff é"}
    if target == "codegraph":
        certificate["note"] = "é"
    written = TARGETS[target](params, {**certificate, "note": "é"}, tmp_path / "new" / "folder")
    assert written
    for path in written:
        assert path.is_file()
        text = path.read_text(encoding="utf-8")
        assert text.endswith("\n")
        if path.suffix == ".json":
            assert json.loads(text)
    assert {path.name for path in (tmp_path / "new/folder").iterdir()} == {p.name for p in written}
    again = TARGETS[target](params, {**certificate, "note": "é"}, tmp_path / "new" / "folder")
    assert again == written


@pytest.mark.parametrize(("policy", "target"), TOOLS.items())
def test_a_tool_refuses_the_parameters_of_another_policy(
    tmp_path: Path, policy: type[ParamSet], target: str
) -> None:
    for other in TOOLS.keys() - {policy}:
        message = rf"`target` {target} takes parameters of {policy.__name__}, got {other.__name__}"
        with pytest.raises(ParameterError, match=message):
            TARGETS[target](other(), {}, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_json_gives_the_parameters_back(tmp_path: Path) -> None:
    params = Dedup(min_covered_lines=12, view_calls=None)
    (path,) = as_json.export(params, {"data": {"hash": "x"}}, tmp_path)
    content = json.loads(path.read_text())
    assert Dedup.of(**content["parameters"]) == params
    recall = Recall(min_hit_score=3.5, suppress_repeats=True)
    content["recall"] = json.loads(as_json.export(recall, {}, tmp_path)[0].read_text())
    assert Recall.of(**content["recall"]["parameters"]) == recall
    surface = Surface(max_items=20, select=("id", "meta.title"), sort="score")
    content["surface"] = json.loads(as_json.export(surface, {}, tmp_path)[0].read_text())
    assert Surface.of(**content["surface"]["parameters"]) == surface
    assert content["data"] == {"hash": "x"}
    assert json.loads(as_json.export(None, {}, tmp_path)[0].read_text()) == {"parameters": None}
    named = as_json.write(params, {}, tmp_path / "named.txt")
    assert (named, json.loads(named.read_text())["parameters"]["min_covered_lines"]) == (
        tmp_path / "named.txt",
        12,
    )


def exported(folder: Path, params: Dedup | None, certificate: Any) -> tuple[str, dict[str, Any]]:
    env, content = codegraph.export(params, certificate, folder)
    return env.read_text(), json.loads(content.read_text())


@pytest.mark.parametrize(
    ("params", "certificate", "on", "why"),
    [
        (Dedup(), {}, 1, "The shipped constants are the recommended ones."),
        (Dedup(min_covered_lines=12), {}, None, "The shipped constants were not judged."),
        (Dedup(min_covered_lines=12), HOLDS, 1, "The shipped constants hold on the later transc"),
        (Dedup(min_covered_lines=12), FAILS, 0, "With the shipped constants 7 pointers are harmfu"),
        (None, UNTOLD, None, "The shipped constants could not be judged: too few."),
        (Dedup(record_scope="thread"), {}, None, "The shipped constants were not judged."),
        (None, {}, None, "The shipped constants were not judged."),
        (None, HOLDS, 1, "The shipped constants hold on the later transcripts."),
    ],
)
def test_the_switch_is_on_only_where_the_shipped_constants_hold(
    tmp_path: Path, params: Dedup | None, certificate: Any, on: int | None, why: str
) -> None:
    env, content = exported(tmp_path, params, certificate)
    assert env.splitlines()[1:] == ([] if on is None else [f"{codegraph.SWITCH}={on}"])
    assert why in env
    assert content["switch"]["value"] == on


def test_what_the_tool_cannot_be_told_is_said(tmp_path: Path) -> None:
    params = Dedup(min_covered_lines=12, view_calls=None, record_scope="thread")
    _, content = exported(tmp_path, params, {})
    assert content["version"] == "1.6.1"
    assert content["constants"]["MIN_COVERED_LINES"] == 12
    assert content["constants"]["VIEW_CALLS"] is None
    assert content["constants_as_shipped"]["MIN_COVERED_LINES"] == 8
    assert content["differ_from_shipped"] == ["MIN_COVERED_LINES", "VIEW_CALLS"]
    assert content["needs_what_the_tool_lacks"] == ["record_scope"]
    assert set(content["not_settable"]) == {"constants", "record_scope", "reset_on_compaction"}
    assert exported(tmp_path, None, {})[1]["constants"] is None


def test_a_reason_sets_no_variable(tmp_path: Path) -> None:
    reasons = ["x\nPATH=/evil\r\nY=1"]
    evil = {codegraph.AS_SHIPPED: {"status": "none", "reasons": reasons, "judged_on": {}}}
    env, _ = exported(tmp_path, None, evil)
    assert [line.split("=")[0] for line in env.splitlines() if not line.startswith("#")] == [
        codegraph.SWITCH
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_a_full_disk_leaves_the_old_file(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    params = next(known for known in PARAMS if (target, known) in TAKES)
    old = {path: path.read_bytes() for path in TARGETS[target](params, {}, tmp_path)}

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(CtxlabError, match=r"cannot write .*: No space left on device"):
        TARGETS[target](None, {}, tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == old


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CtxlabError, match=r"cannot write .*recommendation.json: "):
        as_json.export(None, {}, tmp_path / "file")
