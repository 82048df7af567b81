"""What a person should know before she trusts a figure: versions, places, what may be missing."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ctxlab.cli._missing import unanswered_lines, wordless_lines
from ctxlab.cli._text import size
from ctxlab.errors import CtxlabError
from ctxlab.paths import user_path
from ctxlab.words import counted

__all__ = ["findings"]

_PLACES = {
    "Claude Code": Path("~/.claude/projects"),
    "Codex CLI": Path("~/.codex/sessions"),
}
_MOST_CAUSES = 12
_PACKAGES = ("duckdb", "pyarrow", "pandas", "numpy", "orjson", "matplotlib", "ipywidgets")


def findings(lab: Path) -> list[str]:
    """Lines to print: installation, transcripts found on this machine, the lab."""
    lines = [
        f"ctxlab {version('ctxlab')}, Python {platform.python_version()}, "
        + ", ".join(f"{name} {_version(name)}" for name in _PACKAGES)
    ]
    for agent, place in _PLACES.items():
        lines.append(f"{agent}: {_seen(place)}")
    lines.append(
        "Claude Code removes transcripts after 30 days unless `cleanupPeriodDays` in its "
        "settings says otherwise: what was removed before you ingest is missing from every figure."
    )
    try:
        lines += _lab(lab)
    except CtxlabError as error:
        lines.append(f"trouble: {error}")
    return lines


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing: install ctxlab again"


def _seen(place: Path) -> str:
    folder = user_path(place)
    if not folder.is_dir():
        return f"no transcripts in {place}"
    found = list(_sizes(folder))
    if not found:
        return f"no .jsonl files in {place}"
    oldest = datetime.fromtimestamp(min(mtime for _, mtime in found), UTC)
    return (
        f"{counted(len(found), 'file')}, {size(sum(n for n, _ in found))} in {place}, "
        f"the oldest of {oldest:%Y-%m-%d}"
    )


def _sizes(folder: Path) -> Iterator[tuple[int, float]]:
    for here, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".jsonl"):
                try:
                    stat = os.stat(os.path.join(here, name))
                except OSError:
                    continue  # removed while we looked
                yield stat.st_size, stat.st_mtime


def _lab(folder: Path) -> list[str]:
    if not (folder / "store.json").is_file():
        return [f"no lab in {folder}; `ctxlab ingest PATH…` makes one"]
    from ctxlab.lab import open_lab

    with open_lab(folder) as lab:
        [(n, n_bytes, n_problems)] = lab.sql(
            "select count(*), coalesce(sum(file_bytes), 0), coalesce(sum(n_problems), 0)"
            " from transcripts"
        ).fetchall()
        weeks = lab.sql(
            "select strftime(make_timestamp(started_ms * 1000), '%G-W%V') as week, count(*) as n"
            " from transcripts where started_ms is not null group by 1 order by 1"
        ).fetchall()
        causes = lab.sql(
            "select cause, count(*) as n from problems group by 1 order by 2 desc, 1"
        ).fetchall()
        unknown = lab.sql(
            "select name, sum(n) from unknown_kinds group by 1 order by 2 desc, 1"
        ).fetchall()
        missing = [*unanswered_lines(lab.store.unanswered()), *wordless_lines(lab)]
    lines = [
        f"lab {folder}: {counted(n, 'transcript')}, {size(n_bytes)} read, "
        f"{counted(n_problems, 'record')} rejected or read with a note"
    ]
    if weeks:
        lines.append(
            f"transcripts a week, {weeks[0][0]} to {weeks[-1][0]}: "
            + " ".join(str(k) for _, k in weeks[-26:])
            + " (a fall towards the past may mean that old ones were removed)"
        )
    lines += [f"{counted(k, 'time')}: {cause}" for cause, k in causes[:_MOST_CAUSES]]
    lines += _more(causes, "cause")
    if causes:
        lines.append(
            "file and line of each: ctxlab sql "
            '"select path, line_number, cause from problems join transcripts using (source_id)"'
        )
    kinds = unknown[:_MOST_CAUSES]
    lines += [f"unknown kind of record, {counted(k, 'time')}: {name}" for name, k in kinds]
    return lines + _more(unknown, "unknown kind") + missing


def _more(found: Sequence[tuple[str, int]], thing: str) -> list[str]:
    """Say how many are not named."""
    rest = found[_MOST_CAUSES:]
    times = sum(k for _, k in rest)
    return [f"{counted(times, 'time')}: {counted(len(rest), f'more {thing}')}"] if rest else []
