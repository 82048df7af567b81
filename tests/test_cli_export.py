"""`ctxlab export`: settings of a tool from a recommendation, or one line of what is wrong."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxlab.export import TARGETS, TOOLS
from ctxlab.params import ParamSet
from tests.commands import Run

RESULT = {"status": "none", "reasons": ["too few families"], "judged_on": None}
OTHERS = (None, 3, -1.5, "x", True, [], [1], {}, {"x": 1})


def recommendation(policy: type[ParamSet]) -> dict[str, Any]:
    """What a file may hold that some target reads."""
    one = {"parameters": policy().as_dict(), "result": RESULT}
    return {
        **copy.deepcopy(one),
        "policy": policy.__name__.lower(),
        "as_shipped_constants": copy.deepcopy(RESULT),
        "by_tool": {"gh api": copy.deepcopy(one)},
        "data": {"tools": ["gh api"], "is_of_all_tools": False},
        "versions": {"ctxlab": "999"},
    }


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container inside a value, and each of its keys."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in list(members):
        yield value, key
        if isinstance(member, (dict, list)):
            yield from places(member)


def spoilt(content: dict[str, Any]) -> Iterator[str]:
    """The content as JSON with each part left out, or another in its place."""
    for container, key in places(content):
        kept = container[key]
        for other in OTHERS:
            container[key] = other
            yield json.dumps(content)
        if isinstance(container, dict):
            del container[key]
            yield json.dumps(content)
        container[key] = kept
    assert "gh api" in json.dumps(content)


@pytest.mark.parametrize(("policy", "target"), [*TOOLS.items(), *((p, "json") for p in TOOLS)])
def test_a_spoilt_recommendation_is_exported_or_refused_in_one_line(
    run: Run, tmp_path: Path, policy: type[ParamSet], target: str
) -> None:
    codes = set()
    for text in spoilt(recommendation(policy)):
        (tmp_path / "r.json").write_text(text)
        done = run("export", target, "--from", "r.json", "--out", "out")
        codes.add(done.code)
        if done.code:
            assert done.code == 2, text
            assert done.err.startswith("ctxlab: "), text
            assert done.err.count("\n") == 1, text
    assert codes == {0, 2}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "r.json is no recommendation of ctxlab that can be used: no JSON: "),
        (b"{", "that can be used: no JSON: "),
        (b"\xff\xfe", "that can be used: no JSON: "),
        (b"[]", "that can be used: it holds no object"),
        (b"{}", "that can be used: it has no `parameters`"),
        (b'{"parameters": []}', "that can be used: its `parameters` are no object but []"),
        (b'{"parameters": {}, "policy": "luck"}', "its policy is 'luck', known are dedup, recall"),
        (b'{"parameters": {}, "policy": []}', "its policy is [], known are dedup, recall, surface"),
        (b'{"shipped": 3}', "that can be used: its `shipped` is no object"),
        (
            b'{"parameters": {"luck": 1}, "policy": "surface", "versions": {"ctxlab": "999"}}',
            "overwrites_truncated, has_synonyms; ctxlab 999 wrote it, this is ",
        ),
    ],
)
def test_files_that_are_no_recommendation(
    run: Run, tmp_path: Path, target: str, content: bytes, message: str
) -> None:
    (tmp_path / "r.json").write_bytes(content)
    done = run("export", target, "--from", "r.json")
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]


def test_places_that_hold_no_file(run: Run, tmp_path: Path) -> None:
    done = run("export", "json", "--from", ".")
    assert done.code == 2
    assert done.err == "ctxlab: cannot read .: it is a folder, name the recommendation.json in it\n"
    done = run("export", "json")
    assert done.code == 2
    assert "No such file or directory; run `ctxlab tune` first, or name what it wr" in done.err
    done = run("export", "json", "--out", "")
    assert (done.code, done.err) == (2, "ctxlab: cannot write into '': name a folder\n")
    (tmp_path / "file").write_text("")
    for out in ("file", "file/new"):
        done = run("export", "json", "--out", out)
        assert done.code == 2
        assert f"cannot write into {out}: " in done.err
        assert "file is a file, name a folder" in done.err


@pytest.mark.parametrize(("policy", "target"), TOOLS.items())
def test_one_of_two_where_there_is_one(
    run: Run, tmp_path: Path, policy: type[ParamSet], target: str
) -> None:
    one = recommendation(policy)
    (tmp_path / "one.json").write_text(json.dumps(one))
    done = run("export", target, "--from", "one.json", "--record", "own")
    assert done.code == 2
    assert done.err == (
        "ctxlab: --record own: one.json holds one recommendation, not two as `ctxlab tune` writes "
        "for dedup and recall; leave --record out\n"
    )
    assert run("export", target, "--from", "one.json", "--record", "shipped").code == 0
    for two in ({"shipped": one, "own": one}, {**one, "own": one}):
        (tmp_path / "two.json").write_text(json.dumps(two))
        assert run("export", target, "--from", "two.json", "--record", "own").code == 0
        assert run("export", target, "--from", "two.json").code == 0


@pytest.mark.parametrize(("policy", "target"), TOOLS.items())
def test_a_file_of_another_policy(
    run: Run, tmp_path: Path, policy: type[ParamSet], target: str
) -> None:
    for other in TOOLS.keys() - {policy}:
        (tmp_path / "r.json").write_text(json.dumps(recommendation(other)))
        done = run("export", target, "--from", "r.json")
        assert done.code == 2
        assert done.err == (
            f"ctxlab: TARGET {target} takes parameters of {policy.__name__}, got "
            f"{other.__name__}; `json` takes those of every policy\n"
        )
