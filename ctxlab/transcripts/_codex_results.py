"""A tool output of Codex CLI → the text that the model saw, and what it shows of files.

Versions from 0.140 on print a header before the body; 0.40 to 0.42 give a JSON string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ctxlab.events import Edit
from ctxlab.transcripts import _codegraph
from ctxlab.transcripts._codex_calls import Call
from ctxlab.transcripts._diff import parse_hunks
from ctxlab.transcripts._mentions import file_mentions
from ctxlab.transcripts._outcome import Outcome
from ctxlab.transcripts._shell import interpret
from ctxlab.transcripts._source import resolve
from ctxlab.transcripts._texts import json_text, json_value, utf8_size

__all__ = ["Outcome", "item_text", "patch_edits", "read_result"]

_HEADER = re.compile(
    r"(?:Chunk ID: \S*\n)?(?:Exit code: (?P<exit>-?\d+)\n)?(?:Wall time: [^\n]*\n)?"
    r"(?:Process exited with code (?P<code>-?\d+)\n)?"
    r"(?:Process running with session ID (?P<session>\S+)\n)?"
    r"(?:Original token count: \d+\n)?(?:Total output lines: \d+\n)?\n?Output:\n"
)
_CUT_NOTE = re.compile(
    r"(?:Warning: truncated output \(original token count: \d+\)\n)?Total output lines: \d+\n\n"
)
_FAILED = re.compile(
    r"aborted by user|\w+ (?:verification )?failed|execution error|Failed to|unsupported call"
    r"|failed to parse|exec_command failed|Error"
)


@dataclass(frozen=True, slots=True)
class _Body:
    """An output without its header."""

    text: str
    exit_code: int | None = None
    shell_session: str | None = None


def item_text(value: object) -> str:
    """Text of a message's content or a tool's output: its text parts, images left out."""
    if isinstance(value, list):
        return "\n".join(text for part in value if (text := _part_text(part)))
    return _part_text(value)


def _part_text(part: object) -> str:
    """Text of one part; an object of no known shape counts as the JSON that it is."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    for inner in (part.get("text"), part.get("content")):
        if isinstance(inner, str):
            return inner
        if isinstance(inner, list):
            texts = [p.get("text") for p in inner if isinstance(p, dict)]
            return "\n".join(text for text in texts if isinstance(text, str))
    is_image = part.get("type") == "input_image" or "image_url" in part
    return "" if is_image else json_text(part) or ""


def read_result(call: Call | None, output: object, exact: tuple[Edit, ...] | None) -> Outcome:
    """Read one output.

    Parameters
    ----------
    call
        The call it answers; None if that is not in the file.
    output
        As logged: text, a list of parts, or an object.
    exact
        Edits with hunks that the log gives beside it; None if it gives none.
    """
    text = item_text(output)
    n_bytes = utf8_size(text)
    body = _body(text)
    is_error = body.exit_code not in {None, 0} or bool(
        body.exit_code is None and _FAILED.match(body.text)
    )
    outcome = Outcome(n_bytes, is_error, edits=exact or (), words=body.text)
    if call is None:
        return outcome
    if call.kind == "shell" and call.command is not None:
        reading = interpret(call.command, body.text, call.cwd, complete=body.shell_session is None)
        known = {edit.path for edit in exact or ()}
        edits = (*(exact or ()), *(e for e in reading.edits if e.path not in known))
        session = body.shell_session
        return replace(outcome, spans=reading.spans, edits=edits, shell_session=session)
    if call.kind == "edit":
        made = exact if exact is not None else () if is_error else tuple(_named_edits(call))
        return replace(outcome, edits=made)
    if call.kind == "mcp":
        serves = _codegraph.looks_like_answer(body.text)
        answer = _codegraph.parse(body.text if serves else "", call.cwd)
        names = file_mentions(body.text)
        spans, pointers = answer.spans, answer.pointers
        return replace(outcome, spans=spans, pointers=pointers, edits=(), mentions=names)
    return outcome


def _body(text: str) -> _Body:
    """Take the header of either form off."""
    if text.startswith('{"output"'):
        return _json_body(text)
    header = _HEADER.match(text)
    if header is None:
        return _Body(text)
    code = header["exit"] or header["code"]
    note = _CUT_NOTE.match(text, header.end())
    return _Body(
        text[note.end() if note else header.end() :],
        int(code) if code else None,
        header["session"],
    )


def _json_body(text: str) -> _Body:
    try:
        value = json_value(text)
    except ValueError:
        return _Body(text)
    if not isinstance(value, dict):
        return _Body(text)
    metadata = value.get("metadata")
    code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    output = value["output"] if isinstance(value["output"], str) else ""
    note = _CUT_NOTE.match(output)
    return _Body(output[note.end() if note else 0 :], code if isinstance(code, int) else None)


def _named_edits(call: Call) -> Iterator[Edit]:
    """Edits of a patch whose hunks the log does not give: an added file is known whole."""
    for file in call.patch:
        whole = file.action != "update"
        yield Edit(resolve(file.path, call.cwd), "full" if whole else "unknown")
        if file.moved_to:
            yield Edit(resolve(file.moved_to, call.cwd), "full")


def patch_edits(changes: Mapping[str, Any], cwd: str | None) -> tuple[Edit, ...]:
    """Edits that `patch_apply_end` tells: exact hunks of each updated file."""
    return tuple(_patch_edits(changes, cwd))


def _patch_edits(changes: Mapping[str, Any], cwd: str | None) -> Iterator[Edit]:
    for name, change in changes.items():
        path = resolve(name, cwd)
        body = change if isinstance(change, dict) else {}
        diff, moved_to = body.get("unified_diff"), body.get("move_path")
        if isinstance(moved_to, str):
            yield Edit(path, "full")
            yield Edit(resolve(moved_to, cwd), "full")
        elif isinstance(diff, str):
            hunks, complete = parse_hunks(diff.split("\n"))
            yield Edit(path, "hunks", hunks) if complete and hunks else Edit(path, "unknown")
        else:
            yield Edit(path, "full" if body.get("type") in {"add", "delete"} else "unknown")
