"""What codegraph 1.6.1 reads: one environment switch. Its thresholds are constants of its build.

So the switch goes into an environment file, and the constants into a JSON file for whoever builds
the tool, with the version they apply to and a list of what cannot be set at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxlab.dedup.params import Dedup
from ctxlab.export._files import write_json, write_text
from ctxlab.export._policy import of_policy
from ctxlab.params import ParamSet

__all__ = ["AS_SHIPPED", "SWITCH", "VERSION", "export"]

VERSION = "1.6.1"
SWITCH = "CODEGRAPH_EXPLORE_DEDUP"
AS_SHIPPED = "as_shipped_constants"
"""Key of a certificate that holds the judgement of the shipped constants."""

_BUILT_IN = (
    "min_covered_lines",
    "view_calls",
    "min_delta_chars",
    "max_spans_in_pointer",
    "max_symbols_in_pointer",
    "files_per_call",
    "ranges_per_file",
)
_CANNOT = ("record_scope", "reset_on_compaction")


def export(
    params: ParamSet | None, certificate: Mapping[str, Any], folder: Path
) -> tuple[Path, ...]:
    """Write `codegraph.env` and `codegraph.json`.

    The switch turns on the constants that the build has, so it is on only if those hold: they are
    the recommended ones, or the certificate says of them (`AS_SHIPPED`) that they do. Where they
    were not judged the file sets nothing.

    Raises
    ------
    ParameterError
        If the parameters are another policy's.
    """
    dedup, shipped = of_policy(params, Dedup, "codegraph", certificate), Dedup()
    constants = {name: getattr(dedup, name) for name in _BUILT_IN} if dedup else None
    as_built = {name: getattr(shipped, name) for name in _BUILT_IN}
    beyond = [n for n in _CANNOT if dedup and getattr(dedup, n) != getattr(shipped, n)]
    on, why = _switch(constants == as_built and not beyond, certificate.get(AS_SHIPPED))
    why = " ".join(why.split())  # one line: it stands in a comment, and may come from a file
    state = "left as it is" if on is None else "on" if on else "off"
    line = "" if on is None else f"{SWITCH}={int(on)}\n"
    env = f"# codegraph {VERSION}: cross-call dedup {state}. {why}\n{line}"
    content = {
        "tool": "codegraph",
        "version": VERSION,
        "switch": {"name": SWITCH, "value": None if on is None else int(on), "why": why},
        "constants": {name.upper(): value for name, value in constants.items()}
        if constants
        else None,
        "constants_as_shipped": {name.upper(): value for name, value in as_built.items()},
        "differ_from_shipped": sorted(
            name.upper() for name in _BUILT_IN if constants and constants[name] != as_built[name]
        ),
        "not_settable": {
            "constants": f"built into {VERSION}; a changed value needs a build of one's own",
            "record_scope": "the record belongs to the connection, sub-agents share it",
            "reset_on_compaction": "the tool does not learn of a compaction",
        },
        "needs_what_the_tool_lacks": beyond,
        "certificate": dict(certificate),
    }
    return (
        write_text(folder / "codegraph.env", env),
        write_json(folder / "codegraph.json", content),
    )


def _switch(
    recommended_as_built: bool, as_shipped: Mapping[str, Any] | None
) -> tuple[bool | None, str]:
    """Whether to turn the tool's dedup on as it is built, None if nothing tells; and the reason."""
    if recommended_as_built:
        return True, "The shipped constants are the recommended ones."
    if as_shipped is None:
        return None, "The shipped constants were not judged."
    if as_shipped["status"] == "recommended":
        return True, "The shipped constants hold on the later transcripts."
    reasons = "; ".join(as_shipped["reasons"])
    if as_shipped["judged_on"] is None:
        return None, f"The shipped constants could not be judged: {reasons}."
    return False, f"With the shipped constants {reasons}."
