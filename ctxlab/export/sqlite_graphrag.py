"""What sqlite-graphrag takes of a recommendation: three stored numbers, the rest as arguments.

A shell script stores the numbers, and removes them again with the word `undo`; a JSON file holds
the same for programs, with the arguments, the choices for single tools and the certificate.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxlab.export._certificate import digest, why
from ctxlab.export._files import write_json, write_text
from ctxlab.export._policy import of_policy
from ctxlab.params import ParamSet
from ctxlab.surface.params import NUMERIC, PROFILES, Surface

__all__ = ["BY_TOOL", "CAVEATS", "KEY_ADVICE", "arguments", "export", "settings"]

BY_TOOL = "by_tool"
"""Key of a certificate that holds a choice for each tool: `parameters` by name, or null."""

KEY_ADVICE = "key_advice"
"""Key of a certificate that holds for each tool which `keys` to select, and a `status`."""

CAVEATS = (
    "Witnesses bound the harm from below: they are what the agent later wrote down of an answer, "
    "not all that it read there.",
    "The tool stores a number for the whole host, for all its commands and all who run them, "
    "although answers differ from tool to tool.",
    "The answers are those of the tools that the transcripts name; sqlite-graphrag is judged only "
    "where it is one of them.",
    "A replay cannot know what the agent would have done with a shorter answer.",
    "No certificate of task quality: it bounds how often something that was used is lost.",
)
"""What a reader of any recommendation for surface must know."""

_TOOL = "sqlite-graphrag"
_KEYS = {name: f"agent_surface.{name}" for name in NUMERIC}
_HOW_BY_TOOL = (
    f"What {_TOOL} stores holds for the whole host, so that a limit for one tool cannot be stored. "
    "Add the `arguments` of a tool to the command lines that call it; they are named as "
    f"{_TOOL} names them. Another tool needs options of its own for the same, or its output piped "
    "through `ctxlab shape` with these arguments. No arguments: leave its answers whole."
)
_HOW_SELECT = (
    "Arguments that keep of a tool's rows the keys that were quoted. They were judged by "
    "themselves, on whole answers: with a limit beside them nothing was tried. Tools not named "
    "here keep all keys."
)
_SWITCHES = ("refuses_unresolved", "overwrites_truncated", "has_synonyms")


def settings(params: Surface) -> dict[str, int]:
    """Numbers that the tool stores, by its key; those that are off are left out."""
    return {_KEYS[name]: value for name, value in _limits(params).items()}


def _limits(params: Surface) -> dict[str, int]:
    """The numbers that are set."""
    return {name: value for name in NUMERIC if (value := getattr(params, name))}


def arguments(params: Surface) -> list[str]:
    """Words to add to a command line of the tool: all that it does not store."""
    words = _option("--select", ",".join(params.select)) if params.select else []
    for expression in params.filters:
        words += _option("--filter", expression)
    for name, value in (("--sort", params.sort), ("--dedupe-by", params.dedupe_by)):
        words += [] if value is None else _option(name, value)
    return words + ["--count-only"] * params.count_only


def export(
    params: ParamSet | None, certificate: Mapping[str, Any], folder: Path
) -> tuple[Path, ...]:
    """Write `sqlite-graphrag.sh` and `sqlite-graphrag.json`.

    With nothing to recommend, or what no version of the tool can do, both say so and set nothing.
    The choices that the certificate holds for single tools (`BY_TOOL`) stand in the JSON file: a
    stored number cannot be one tool's.

    Raises
    ------
    ParameterError
        If the parameters are another policy's, or a choice for a tool is none of surface.
    """
    surface = of_policy(params, Surface, _TOOL, certificate)
    lacking = _lacking(surface) if surface else []
    ships = surface if surface and not lacking else None
    stored = settings(ships) if ships else {}
    words = arguments(ships) if ships else []
    to_do = _to_do(ships, lacking, certificate)
    content = {
        "tool": _TOOL,
        "version": _version(surface or Surface()),
        "to_do": to_do,
        "settings": stored,
        "arguments": words,
        "command_line": shlex.join([_TOOL, *words]) if words else None,
        "not_storable": "all but the three numbers: they are arguments of single commands",
        "needs_what_the_tool_lacks": lacking,
        "by_tool_how": _HOW_BY_TOOL,
        "by_tool": {
            tool: _choice(choice) for tool, choice in (certificate.get(BY_TOOL) or {}).items()
        },
        "select_how": _HOW_SELECT,
        "select_by_tool": {
            tool: arguments(Surface(select=tuple(advice["keys"])))
            for tool, advice in (certificate.get(KEY_ADVICE) or {}).items()
            if advice["status"] == "recommended" and not any("," in k for k in advice["keys"])
        },
        "caveats": list(CAVEATS),
        "certificate_digest": digest(certificate),
        "certificate": dict(certificate),
    }
    return (
        write_text(folder / f"{_TOOL}.sh", _script(stored, words, to_do, digest(certificate))),
        write_json(folder / f"{_TOOL}.json", content),
    )


def _option(name: str, value: str) -> list[str]:
    # Behind a space a dash would be taken for the next option.
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


def _version(params: Surface) -> str | None:
    """The first version that has these switches, None if none has."""
    switches = [getattr(params, name) for name in _SWITCHES]
    versions = (
        profile.removeprefix(f"{_TOOL} ")
        for profile, known in PROFILES.items()
        if [getattr(known, name) for name in _SWITCHES] == switches
    )
    return next(versions, None)


def _lacking(params: Surface) -> list[str]:
    """Parameters whose value cannot be given to the tool."""
    switches = [name for name in _SWITCHES if getattr(params, name)]
    lacking = switches if _version(params) is None else []
    # The tool splits the list at its commas.
    return lacking + ["select"] * any("," in key for key in params.select)


def _choice(choice: Mapping[str, Any]) -> dict[str, Any]:
    """Limits for one tool, and all that is chosen as arguments of one command line."""
    values = choice["parameters"]
    params = Surface.of(**values) if values is not None else Surface()
    limits = _limits(params)
    words = [
        word for name, n in limits.items() for word in (f"--{name.replace('_', '-')}", f"{n:d}")
    ]
    return {"parameters": values, "limits": limits, "arguments": words + arguments(params)}


def _to_do(params: Surface | None, lacking: list[str], certificate: Mapping[str, Any]) -> str:
    """What the reader of the files should do, in one sentence or two."""
    if lacking:
        return f"Set nothing: the recommendation needs what the tool lacks ({', '.join(lacking)})."
    if params is None:
        if (certificate.get("result") or {}).get("status") == "default":
            return f"Set nothing, whole answers stand{why(certificate)}."
        return f"Set nothing, no budget is recommended{why(certificate)}."
    parts = []
    if stored := settings(params):
        parts.append(f"Run `sh {_TOOL}.sh` to store {', '.join(stored)} for the whole host.")
        data = certificate.get("data") or {}
        if not data.get("is_of_all_tools", True):
            parts.append(f"They were judged on {', '.join(data.get('tools', ()))} alone.")
    if words := arguments(params):
        parts.append(f"Give the commands that print the answers: {shlex.join(words)}")
    return " ".join(parts) or "Set nothing: whole answers are the recommended ones."


def _script(stored: Mapping[str, int], words: list[str], to_do: str, certificate: str) -> str:
    """A POSIX script; what comes from outside stands in comments only, each on one line."""
    said = [to_do, f"Certificate {certificate}; all of it stands in {_TOOL}.json.", *CAVEATS]
    if words:
        said.append(f"Not storable, so to be given with each command: {shlex.join(words)}")
    said += _USE if stored else _USE_WITHOUT
    lines = ["#!/bin/sh", *map(_comment, said), "set -eu", 'case "${1:-set}" in', "set)"]
    lines += [f"    {_TOOL} config set {key} {value:d}" for key, value in stored.items()]
    if stored:  # what was judged had the others off
        lines += [f"    {_unset(key, _KEPT)}" for key in _KEYS.values() if key not in stored]
    lines += ["    ;;", "undo)", "    failed=0"]
    lines += [f"    {_unset(key, 'failed=1')}" for key in stored or _KEYS.values()]
    lines += ["    exit $failed"]
    lines += ["    ;;", "*)", '    echo "usage: sh $0 [set|undo]" >&2', "    exit 2", "    ;;"]
    return "".join(f"{line}\n" for line in [*lines, "esac"])


def _unset(key: str, otherwise: str) -> str:
    return f"{_TOOL} config unset {key} || {otherwise}"


_KEPT = 'echo "it was not stored, or could not be removed" >&2'
_USE = (
    "Without a word it stores the numbers and removes the others of the three, which were off",
    "when these were judged. With the word undo it removes them; it does not bring back",
    "numbers stored before, and fails if one could not be removed.",
)
_USE_WITHOUT = (
    "Without a word it does nothing. With the word undo it removes all three numbers, as",
    "an earlier recommendation may have stored them; it fails if one could not be removed.",
)


def _comment(text: str) -> str:
    shown = "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )
    return f"# {shown}"
