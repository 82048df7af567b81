"""Every table of the store, once, and every view over them: column, type, unit, one sentence.

DDL, Arrow schemas, the documentation of `lab.sql` and the checks of the tests derive from here.
A column ends in its unit. Types are DuckDB's; `[]` is a list.

Stores hold transcripts whose files are gone, so what older versions wrote stays readable. A new
table, or a new nullable column, is added with `since`: older rows lack it, and every reader whose
files would fill it gets a higher version, so that stores read those again.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OLDEST_READABLE", "SCHEMA_VERSION", "TABLES", "VIEWS", "Column", "Table"]

SCHEMA_VERSION = 3
"""Raised with every change of the stored tables."""

OLDEST_READABLE = 1
"""Raised to `SCHEMA_VERSION` when a stored column changes its meaning or goes: what older versions
wrote then answers nothing until its files are read again. `source_id` and `path` of `transcripts`
stay, to name what that is."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `nullable` columns are null where the log does not tell.

    One that came later than its table has the version `since` which it is there, and is nullable.
    """

    name: str
    type: str
    doc: str
    nullable: bool = False
    since: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """One table or view: what a row is, its columns, and the version `since` which it is there."""

    name: str
    doc: str
    columns: tuple[Column, ...]
    since: int = 1

    def columns_at(self, version: int) -> tuple[Column, ...]:
        """Give the columns that `version` of the tables holds: none if the table came later."""
        if version < self.since:
            return ()
        return tuple(column for column in self.columns if column.since <= version)

    def ddl(self) -> str:
        """Give the CREATE TABLE statement, for a portable database file."""
        cols = ", ".join(
            f'"{c.name}" {c.type}{"" if c.nullable else " NOT NULL"}' for c in self.columns
        )
        return f'CREATE TABLE "{self.name}" ({cols})'


def _table(
    name: str, doc: str, *rows: tuple[str, str, str] | tuple[str, str, str, int], since: int = 1
) -> Table:
    """Build a table; a row may end in the version since which it is there."""
    return Table(name, doc, tuple(_column(*row) for row in rows), since)


def _column(name: str, kind: str, doc: str, since: int = 1) -> Column:
    """Build a column; a type that ends in "?" is nullable."""
    return Column(name, kind.rstrip("?"), doc, nullable=kind.endswith("?"), since=since)


_SOURCE = ("source_id", "VARCHAR", "transcript file this row was read from")
_SEQ = ("seq", "INTEGER", "position of the event in its file, from 0")
_THREAD = ("thread", "VARCHAR", 'context window: "main" or a sub-agent\'s id')

_TABLES = (
    _table(
        "transcripts",
        "One recorded conversation: one file.",
        _SOURCE,
        ("path", "VARCHAR", "file as it was named at ingest, absolute"),
        ("agent", "VARCHAR", "reader that understood it, such as claude_code or codex"),
        ("agent_version", "VARCHAR?", "version the agent wrote"),
        ("session_id", "VARCHAR", "session the agent named; files that share one are a family"),
        ("parent_session_id", "VARCHAR?", "session this one was resumed or forked from"),
        ("cwd", "VARCHAR?", "directory the agent was started in", 2),
        ("models", "VARCHAR[]", "models that answered, in order of appearance"),
        ("started_ms", "BIGINT?", "first time stamp, Unix milliseconds"),
        ("ended_ms", "BIGINT?", "last time stamp, Unix milliseconds"),
        ("file_bytes", "BIGINT", "size of the file when it was read"),
        ("mtime_ns", "BIGINT", "modification time of the file when it was read"),
        ("content_hash", "VARCHAR", "BLAKE2b-128 of the file's bytes"),
        ("n_lines", "BIGINT", "records in the file"),
        ("n_problems", "BIGINT", "records or pieces that could not be read"),
        ("reader_version", "INTEGER", "version of the reader; a newer one reads again"),
    ),
    _table(
        "threads",
        "One context window of a transcript.",
        _SOURCE,
        _THREAD,
        ("parent_thread", "VARCHAR?", "thread that started it"),
        ("parent_call", "VARCHAR?", "call that started it"),
    ),
    _table(
        "events",
        "One thing that happened, in file order.",
        _SOURCE,
        _SEQ,
        ("uid", "UBIGINT?", "identity of the event across copies of the same history"),
        _THREAD,
        ("ts_ms", "BIGINT?", "time stamp, Unix milliseconds"),
        (
            "kind",
            "VARCHAR",
            "prompt, injected, text, thinking, call, result, compaction, clear, "
            "microcompaction, rewind, resume or interrupt",
        ),
        ("request", "INTEGER?", "model response this belongs to or answers, numbered in the file"),
        ("call_id", "VARCHAR?", "joins a call with its result"),
        ("tool", "VARCHAR?", "tool name as the agent wrote it"),
        (
            "tool_kind",
            "VARCHAR?",
            "read, grep, glob, shell, edit, mcp, agent, bookkeeping, web, other",
        ),
        ("is_error", "BOOLEAN?", "whether the tool result was an error"),
        ("text_bytes", "BIGINT", "UTF-8 bytes of text that entered the context"),
        ("touch_paths", "VARCHAR[]", "paths the call works on"),
        ("touch_kinds", "VARCHAR[]", "how, beside each path: read, search, list, edit, other"),
        ("mention_ids", "UBIGINT[]", "base names of files named in an MCP answer, hashed"),
        ("cleared_calls", "VARCHAR[]", "calls whose results a microcompaction removed"),
        ("rewind_to", "UBIGINT?", "uid of the event that the thread goes on from"),
    ),
    _table(
        "spans",
        "Consecutive lines of one file as one tool result delivered them.",
        _SOURCE,
        _SEQ,
        ("path", "VARCHAR", "file the lines belong to"),
        ("first_line", "INTEGER", "number of the first line, from 1"),
        ("origin", "VARCHAR", "read, grep, shell, edit_echo, mcp or diff"),
        ("numbered", "BOOLEAN", "whether line numbers were printed"),
        ("total_lines", "INTEGER?", "lines of the whole file, where the result tells"),
        ("line_ids", "UBIGINT[]", "identity of each line's text"),
        ("text_bytes", "UINTEGER[]", "UTF-8 bytes of each line's text"),
        ("text_chars", "UINTEGER[]", "UTF-16 code units of each line's text"),
        (
            "delivered_bytes",
            "UINTEGER[]",
            "UTF-8 bytes of each line as delivered, with its printed prefix and one newline",
        ),
    ),
    _table(
        "pointers",
        "A back-reference that a tool delivered in place of source.",
        _SOURCE,
        _SEQ,
        ("path", "VARCHAR", "file pointed at"),
        ("first_lines", "INTEGER[]", "first line of each withheld range"),
        ("last_lines", "INTEGER[]", "last line of each withheld range"),
        ("pointer_bytes", "BIGINT", "UTF-8 bytes of the pointer"),
    ),
    _table(
        "edits",
        "A change of a file, one row a hunk; one row without a hunk for other changes.",
        _SOURCE,
        _SEQ,
        ("path", "VARCHAR", "file changed"),
        ("kind", "VARCHAR", "hunks, full or unknown"),
        ("evidence", "VARCHAR", "tool, shell, reminder or error"),
        ("old_start", "INTEGER?", "first old line of the hunk"),
        ("new_start", "INTEGER?", "first new line of the hunk"),
        ("ops", "VARCHAR?", "one character a line: space kept, - removed, + added"),
        ("line_ids", "UBIGINT[]", "identity of each line's text, beside ops"),
    ),
    _table(
        "prompts",
        "What the user typed, word for word: private, like the transcripts it is from.",
        _SOURCE,
        _SEQ,
        ("text", "VARCHAR", "the whole prompt, without what an editor or the agent added to it"),
        since=2,
    ),
    _table(
        "names",
        "Names that the model wrote in one event, a text for the user or the input of a call. They "
        "are words of the transcripts: private, like them.",
        _SOURCE,
        _SEQ,
        ("names", "VARCHAR[]", "paths and code-shaped names, once each, in order of appearance"),
        since=2,
    ),
    _table(
        "symbols",
        "Definitions in source that a result delivered or an edit wrote, each state once a file. "
        "They are words of the user's source: private, like it.",
        _SOURCE,
        _SEQ,
        ("path", "VARCHAR", "file that holds the definition"),
        ("line", "INTEGER?", "its line in the file, from 1"),
        ("name", "VARCHAR", "name, qualified by what it stands in as far as that was seen"),
        ("doc", "VARCHAR", "first line of its comment or docstring, empty without"),
        since=2,
    ),
    _table(
        "answers",
        "A result of a tool that answers in JSON: one that held JSON objects or arrays, or began "
        "to, and every later one of the same program in the file. What the harness's own tools "
        "answer, those for files, to-do lists or stopping a shell, is none. JSON is kept word for "
        "word: private, like the transcripts.",
        _SOURCE,
        _SEQ,
        ("tool", "VARCHAR", "tool by name, or program and sub-command of a shell command"),
        ("command", "VARCHAR", "command line of a shell call, else the call's input as JSON"),
        (
            "form",
            "VARCHAR",
            "json, cut (it begins as JSON and does not end), text, or invalid (NaN and the like)",
        ),
        ("text", "VARCHAR?", "JSON values as the model saw them; null unless form is json"),
        ("answer_bytes", "BIGINT", "UTF-8 bytes of what the tool printed, as far as it was shown"),
        since=3,
    ),
    _table(
        "quotes",
        "Ids, paths, numbers and names in the input of a call, by themselves or as parts of a "
        "path, that a JSON answer of its thread had shown before. They are words of the "
        "transcripts: private, like them.",
        _SOURCE,
        _SEQ,
        ("tokens", "VARCHAR[]", "what was quoted, once each"),
        ("written_seqs", "INTEGER[]", "first event of the thread in which the model wrote it"),
        (
            "shown_seqs",
            "INTEGER[]",
            "first event of the thread that showed it otherwise: a prompt, an injected text or a "
            "result that is no JSON; the first of all for names of tools and of what they take; -1 "
            "for none before the call",
        ),
        since=3,
    ),
    _table(
        "requests",
        "One model request with its token usage.",
        _SOURCE,
        ("request", "INTEGER", "number of the model response in its file"),
        _THREAD,
        ("uid", "UBIGINT?", "identity of the response across copies of the same history"),
        ("model", "VARCHAR?", "model that answered"),
        ("ts_ms", "BIGINT?", "time stamp, Unix milliseconds"),
        ("uncached_input_tokens", "BIGINT?", "input neither read from nor written to the cache"),
        ("cache_read_tokens", "BIGINT?", "input read from the prompt cache"),
        ("cache_write_tokens", "BIGINT?", "input written to the prompt cache"),
        ("output_tokens", "BIGINT?", "output, reasoning included"),
        ("reasoning_tokens", "BIGINT?", "reasoning part of the output"),
        ("output_reliable", "BOOLEAN", "false where the log holds a placeholder for the output"),
    ),
    _table(
        "problems",
        "Something in a file that could not be read, where, and why.",
        _SOURCE,
        ("line_number", "BIGINT", "record in the file, from 1"),
        ("byte_offset", "BIGINT", "first byte of the record"),
        ("n_bytes", "BIGINT", "size of the record or piece; 0 for a note on one that was read"),
        ("cause", "VARCHAR", "why"),
    ),
    _table(
        "unknown_kinds",
        "Kinds of records that the reader does not know.",
        _SOURCE,
        ("name", "VARCHAR", "kind as the file names it"),
        ("n", "BIGINT", "how often"),
    ),
)

TABLES: dict[str, Table] = {table.name: table for table in _TABLES}
"""All stored tables by name."""

_FAMILY = ("family", "VARCHAR", "family of transcripts the file belongs to")

_VIEWS = (
    _table(
        "families",
        "Which family a transcript belongs to: its parent, sub-agents, resumed and forked copies.",
        _SOURCE,
        _FAMILY,
        ("place", "INTEGER", "order of the file in its family, by start, from 0"),
        ("is_copy", "BOOLEAN", "whether an earlier file of the family has the same bytes"),
    ),
    _table(
        "calls",
        "One tool call joined with its result.",
        _SOURCE,
        _FAMILY,
        _THREAD,
        ("seq", "INTEGER", "position of the call in its file, from 0"),
        ("result_seq", "INTEGER?", "position of its result; null where it has none"),
        ("ts_ms", "BIGINT?", "time stamp of the call, Unix milliseconds"),
        ("request", "INTEGER?", "model response the call belongs to, numbered in the file"),
        ("call_id", "VARCHAR?", "joins the call with its result"),
        ("tool", "VARCHAR?", "tool name as the agent wrote it"),
        ("tool_kind", "VARCHAR?", "kind of tool, as in events"),
        ("is_error", "BOOLEAN?", "whether the result was an error"),
        ("result_bytes", "BIGINT?", "UTF-8 bytes of the result that entered the context"),
        ("touch_paths", "VARCHAR[]", "paths the call works on"),
        ("touch_kinds", "VARCHAR[]", "how, beside each path: read, search, list, edit, other"),
        ("is_copy", "BOOLEAN", "whether the call stands in another file of the family too"),
    ),
    _table(
        "tools",
        "One tool: its calls in all families, copies left out.",
        ("tool", "VARCHAR?", "tool name as the agent wrote it"),
        ("tool_kind", "VARCHAR?", "kind of tool, as in events"),
        ("n_calls", "BIGINT", "calls"),
        ("n_results", "BIGINT", "calls that have a result"),
        ("n_errors", "BIGINT", "results that were errors"),
        ("result_bytes", "BIGINT?", "UTF-8 bytes of all results"),
    ),
    Table(
        "usage",
        "One model request with its token usage, once a family, copies left out.",
        (Column(*_FAMILY), *TABLES["requests"].columns),
    ),
)

VIEWS: dict[str, Table] = {view.name: view for view in _VIEWS}
"""What derives from the stored tables, by name; computed at each question, never stored."""
