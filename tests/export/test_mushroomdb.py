from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab.export import mushroomdb
from ctxlab.recall.params import PROFILES, Recall


def exported(folder: Path, params: Recall | None, certificate: Any = None) -> dict[str, Any]:
    (path,) = mushroomdb.export(params, certificate or {}, folder)
    assert path.name == "mushroomdb.json"
    content: dict[str, Any] = json.loads(path.read_text())
    return content


def test_changed_constants_are_named(tmp_path: Path) -> None:
    content = exported(tmp_path, Recall(min_hit_score=4.5, max_hits=3))
    assert content["version"] == "0.6.12"
    assert content["constants"] == {
        "MIN_HIT_SCORE": 4.5,
        "MAX_HITS": 3,
        "MAX_OUTPUT_BYTES": 1200,
        "MAX_QUERY_TERMS": 24,
        "MAX_EXCERPT_BYTES": 160,
    }
    assert content["constants_as_shipped"]["MIN_HIT_SCORE"] == 0.05
    assert content["differ_from_shipped"] == ["MIN_HIT_SCORE", "MAX_HITS"]
    assert content["to_do"] == (
        "Build the tool with its constants changed: MIN_HIT_SCORE, MAX_HITS."
    )
    assert "a build of one's own" in content["not_settable"]["constants"]


def test_every_profile_is_exported_as_shipped(tmp_path: Path) -> None:
    for name, params in PROFILES.items():
        content = exported(tmp_path, params)
        assert f"mushroomdb {content['version']}" == name
        assert content["to_do"] == (
            "Change nothing: the shipped constants are the recommended ones."
        )
        assert content["differ_from_shipped"] == []
        assert ("MIN_HIT_SCORE" in content["constants"]) == (params.gate == "identifier")


def test_what_the_tool_lacks_is_said_and_nothing_is_changed(tmp_path: Path) -> None:
    params = Recall(min_hit_score=2.0, min_margin=1.5, suppress_repeats=True)
    content = exported(tmp_path, params)
    assert content["needs_what_the_tool_lacks"] == ["min_margin", "suppress_repeats"]
    assert content["to_do"] == (
        "Change nothing: the recommendation needs what the tool lacks "
        "(min_margin, suppress_repeats)."
    )
    assert set(content["needs_what_the_tool_lacks"]) <= set(content["not_settable"])


@pytest.mark.parametrize(
    ("certificate", "to_do"),
    [
        ({}, "Change nothing, no floor is recommended."),
        (
            {"result": {"status": "none", "reasons": ["no signal", "too few"]}},
            "Change nothing, no floor is recommended: no signal; too few.",
        ),
        (
            {"result": {"status": "default", "reasons": ["nothing prints less"]}},
            "Change nothing, the shipped constants stand: nothing prints less.",
        ),
    ],
)
def test_nothing_recommended_changes_nothing(
    tmp_path: Path, certificate: dict[str, Any], to_do: str
) -> None:
    content = exported(tmp_path, None, certificate)
    assert content["to_do"] == to_do
    assert content["constants"] is None
    assert content["differ_from_shipped"] == content["needs_what_the_tool_lacks"] == []
    assert content["certificate"] == certificate


def test_the_certificate_can_be_quoted_and_doubted(tmp_path: Path) -> None:
    one = exported(tmp_path, Recall(), {"a": 1, "b": [2]})
    same = exported(tmp_path, Recall(), {"b": [2], "a": 1})
    other = exported(tmp_path, Recall(), {"a": 2, "b": [2]})
    assert one["certificate_digest"] == same["certificate_digest"] != other["certificate_digest"]
    assert len(one["certificate_digest"]) == 32
    assert one["caveats"] == list(mushroomdb.CAVEATS)
    said = " ".join(one["caveats"])
    for caveat in ("Revealed use is not usefulness", "cannot know what the agent would have done"):
        assert caveat in said
