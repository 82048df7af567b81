"""A tool result of Claude Code → what the model saw of it, as sizes, spans, pointers and edits.

The text that counts is the result block's; the interface's own copy (`toolUseResult`) is asked
only for what the text does not tell: exact edit hunks and the length of the file.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ctxlab.events import Edit, EditEvidence, Span
from ctxlab.transcripts import _codegraph, _shell
from ctxlab.transcripts._claude_line import as_count, as_dict
from ctxlab.transcripts._claude_tools import Call
from ctxlab.transcripts._diff import structured_hunks
from ctxlab.transcripts._mentions import file_mentions
from ctxlab.transcripts._outcome import Outcome
from ctxlab.transcripts._source import find_numbered, grep_spans, read_numbered, resolve
from ctxlab.transcripts._texts import utf8_size

__all__ = ["Outcome", "block_text", "read_result", "reminded_edits"]

_REMINDER = re.compile(r"<system-reminder>(.*?)(?:</system-reminder>|$)", re.DOTALL)
_MODIFIED = re.compile(r"Note: (.+?) was modified, either by the user or by a linter")
_EXIT_CODE = re.compile(r"Exit code \d+(?:\n|$)")
_CREATED = "File created successfully at: "
_STALE = "has been modified since read"
_PREVIEW = re.compile(r"<persisted-output>.*?\nPreview \(first [^)]*\):\n", re.DOTALL)
_REMINDER_TAGS = ("<system-reminder>", "</system-reminder>")
_CWD_NOTE = re.compile(r"\n?Shell cwd was reset to [^\n]*+\n?\Z")
_PREVIEW_END = re.compile(r"\n(?:\.\.\.\n)?</persisted-output>")


def block_text(content: object) -> str:
    r"""Give the text of a message's or result's content: its text blocks joined by "\n"."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(
        block["text"]
        for block in content
        if isinstance(block, dict)
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
    )


def read_result(call: Call | None, block: dict[str, Any], shown: object) -> Outcome:
    """Read one result.

    Parameters
    ----------
    call
        The call it answers; None if that is not in the file.
    block
        The `tool_result` block.
    shown
        The interface's structured copy, None if it may belong to another block.
    """
    text = block_text(block.get("content"))
    is_error = block.get("is_error") is True or text.startswith("<tool_use_error>")
    exit_code = _EXIT_CODE.match(text) if call and call.kind == "shell" else None
    seen = _seen(text[exit_code.end() :] if exit_code else text)
    words = _bare(seen)
    outcome = Outcome(utf8_size(text), is_error, words=words, aside=seen[len(words) :])
    if call is None:
        return outcome
    if is_error and not exit_code:
        refused = call.kind == "edit" and call.path and _STALE in text
        edits = (_unknown(call.path, "error"),) if refused and call.path else ()
        return replace(outcome, edits=edits)
    if call.kind == "read":
        spans, tail = _read_spans(seen, call.path, shown)
        return replace(outcome, spans=spans, edits=reminded_edits(tail))
    if call.kind == "grep":
        return replace(outcome, spans=_grep_spans(seen, call, shown))
    if call.kind == "edit":
        return replace(outcome, spans=_echo(seen, call.path), edits=_edits(call, seen, shown))
    if call.kind == "shell" and call.command is not None:
        is_whole = not _PREVIEW.match(text)
        reading = _shell.interpret(call.command, seen, call.cwd, complete=is_whole, trimmed=True)
        return replace(outcome, spans=reading.spans, edits=reading.edits)
    if call.kind == "mcp":
        # A text that is no codegraph answer has no sections.
        answer = _codegraph.parse(seen if _codegraph.looks_like_answer(seen) else "", call.cwd)
        names = file_mentions(seen)
        return replace(outcome, spans=answer.spans, pointers=answer.pointers, mentions=names)
    return outcome


def reminded_edits(text: str) -> tuple[Edit, ...]:
    """Give the changes that system reminders in a text tell of."""
    if "<system-reminder>" not in text:
        return ()
    return tuple(
        _unknown(path, "reminder")
        for reminder in _REMINDER.findall(text)
        for path in _MODIFIED.findall(reminder)
    )


def _unknown(path: str, evidence: EditEvidence) -> Edit:
    """A change that leaves no line numbers to carry."""
    return Edit(path, "unknown", evidence=evidence)


def _seen(text: str) -> str:
    """Reduce an output that was too large and saved elsewhere to the preview that was shown."""
    head = _PREVIEW.match(text)
    if not head:
        return text
    end = _PREVIEW_END.search(text, head.end() - 1)
    return text[head.end() : end.start() if end else len(text)]


def _bare(text: str) -> str:
    """Take off what the harness put behind a result: reminders, a note on the working folder."""
    begin, close = _REMINDER_TAGS
    end = len(text)
    while True:
        stop = end
        while stop and text[stop - 1].isspace():
            stop -= 1
        start = text.rfind(begin, 0, stop) if text.endswith(close, 0, stop) else -1
        if start < 0:
            break
        end = start
    note = _CWD_NOTE.search(text, max(0, text.rfind("\nShell cwd was reset to ", 0, end)), end)
    return text[: note.start() if note else end]


def _read_spans(text: str, path: str | None, shown: object) -> tuple[tuple[Span, ...], str]:
    """Give the numbered source, and the text behind it."""
    found = read_numbered(text)
    if not found or not path:
        return (), text
    total = as_count(as_dict(as_dict(shown).get("file")).get("totalLines"))
    span = Span(
        path,
        found.first_line,
        found.lines,
        "read",
        found.prefix,
        total_lines=total,
    )
    return (span,), text[found.end :]


def _grep_spans(text: str, call: Call, shown: object) -> tuple[Span, ...]:
    """Give the numbered lines of a search that printed contents."""
    mode = as_dict(shown).get("mode")
    if mode not in (None, "content"):
        return ()
    return grep_spans(text, call.path, lambda path: resolve(path, call.cwd))


def _echo(text: str, path: str | None) -> tuple[Span, ...]:
    """Give the numbered excerpt that an edit tool shows of its work."""
    found = find_numbered(text) if path else None
    if not found or not path:
        return ()
    return (Span(path, found.first_line, found.lines, "edit_echo", found.prefix),)


def _edits(call: Call, text: str, shown: object) -> tuple[Edit, ...]:
    """Give what an edit tool did to its file.

    The patch is that of what was written, also where the user changed the edit before it was.
    """
    if call.path is None:
        return ()
    if not isinstance(shown, dict):
        created = text.startswith(_CREATED)
        return (Edit(call.path, "full") if created else _unknown(call.path, "tool"),)
    hunks = structured_hunks(shown.get("structuredPatch", []))
    if hunks:
        return (Edit(call.path, "hunks", hunks),)
    if "originalFile" in shown and "content" in shown and hunks is not None:
        if shown["originalFile"] is None:
            return (Edit(call.path, "full"),)
        if shown["originalFile"] == shown["content"]:
            return ()
    return (_unknown(call.path, "tool"),)
