"""What a mushroomdb user can do with a recommendation: constants, the version, what it lacks.

The thresholds of its prompt hook are known to ctxlab by name and value, not by a settings file or
an environment switch. So one JSON file holds the constants for whoever builds the tool, and a list
of what no build of it can be told.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxlab.export._certificate import digest, why
from ctxlab.export._files import write_json
from ctxlab.export._policy import of_policy
from ctxlab.params import ParamSet
from ctxlab.recall.params import PROFILES, Recall

__all__ = ["CAVEATS", "export"]

CAVEATS = (
    "Revealed use is not usefulness: a pointer may have helped without being opened, edited or "
    "quoted, and what was opened may have been found anyway.",
    "A replay cannot know what the agent would have done with or without the pointers.",
    "A pointer whose path the prompt already names costs bytes and tells nothing; that its path "
    "is then opened counts as used all the same.",
    "No certificate of task quality: it bounds the share of used pointers that are lost.",
    "Scores grow with the logarithm of a repository's size: an absolute floor holds for "
    "repositories like those of the transcripts.",
)
"""What a reader of any recommendation for recall must know."""

_TOOL = "mushroomdb"
_BUILT_IN = (
    "min_hit_score",
    "max_hits",
    "max_output_bytes",
    "max_query_terms",
    "max_excerpt_bytes",
)
_LACKS: Mapping[str, str] = {
    "min_ceiling_share": "a floor relative to ln((N + 1) / 1.5): no known constant",
    "min_margin": "a floor on best over second score: no known constant",
    "min_unrelated_share": "a floor relative to unrelated prompts: no known constant",
    "suppress_repeats": "leaving out pointers printed before: no known constant",
}


def export(
    params: ParamSet | None, certificate: Mapping[str, Any], folder: Path
) -> tuple[Path, ...]:
    """Write `mushroomdb.json`; with nothing to recommend it says so and holds no constants.

    `constants` are those of the version whose gate the parameters have. `certificate_digest` is
    the BLAKE2b digest of the certificate in canonical form, to quote beside a changed constant.

    Raises
    ------
    ParameterError
        If the parameters are another policy's.
    """
    recall = of_policy(params, Recall, _TOOL, certificate)
    profile = _profile(recall)
    shipped = PROFILES[profile]
    constants, as_shipped = _constants(recall) if recall else None, _constants(shipped)
    changed = [name for name in as_shipped if constants and constants[name] != as_shipped[name]]
    lacking = [n for n in _LACKS if recall and getattr(recall, n) != getattr(shipped, n)]
    version = profile.removeprefix(f"{_TOOL} ")
    content = {
        "tool": _TOOL,
        "version": version,
        "to_do": _to_do(recall, changed, lacking, certificate),
        "constants": constants,
        "constants_as_shipped": as_shipped,
        "differ_from_shipped": changed,
        "not_settable": {
            "constants": f"built into {version} as far as ctxlab knows; a changed value needs a "
            "build of one's own",
            **_LACKS,
        },
        "needs_what_the_tool_lacks": lacking,
        "caveats": list(CAVEATS),
        "certificate_digest": digest(certificate),
        "certificate": dict(certificate),
    }
    return (write_json(folder / "mushroomdb.json", content),)


def _profile(params: Recall | None) -> str:
    """Name of the first profile that has the gate."""
    gate = params.gate if params else Recall().gate
    return next(name for name, known in PROFILES.items() if known.gate == gate)


def _constants(params: Recall) -> dict[str, Any]:
    """Constants by the tool's name; the coverage gate has no floor."""
    names = _BUILT_IN if params.gate == "identifier" else _BUILT_IN[1:]
    return {name.upper(): getattr(params, name) for name in names}


def _to_do(
    params: Recall | None, changed: list[str], lacking: list[str], certificate: Mapping[str, Any]
) -> str:
    """What the reader of the file should do, in one sentence."""
    if params is None:
        if (certificate.get("result") or {}).get("status") == "default":
            return f"Change nothing, the shipped constants stand{why(certificate)}."
        return f"Change nothing, no floor is recommended{why(certificate)}."
    if lacking:
        return (
            f"Change nothing: the recommendation needs what the tool lacks ({', '.join(lacking)})."
        )
    if changed:
        return f"Build the tool with its constants changed: {', '.join(changed)}."
    return "Change nothing: the shipped constants are the recommended ones."
