"""Markdown → its headings, as CommonMark has them: `#` lines and underlined ones, not in code."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

__all__ = ["headings", "is_markdown"]

_EXTENSIONS = (".md", ".markdown", ".mdx")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)")
_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*))?$")
_CLOSING = re.compile(r"(^|[ \t]+)#+[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_MAX_HEADING = 500
_NO_PARAGRAPH = re.compile(r"\s*$| {4}|\t| {0,3}(>|[-*+][ \t]|\d{1,9}[.)][ \t]|<)")


def is_markdown(path: str) -> bool:
    """Tell whether a path is, by its ending, a Markdown file."""
    return PurePosixPath(path).suffix.lower() in _EXTENSIONS


def headings(text: str) -> list[str]:
    r"""Give the texts of a document's headings, in order; front matter has none.

    Examples
    --------
    >>> headings("# One\n\ntext\n\nTwo\n---\n")
    ['One', 'Two']
    """
    found: list[str] = []
    lines = text.splitlines()
    paragraph = fence = ""
    for line in lines[_front_matter(lines) :]:
        if fence:
            closing = _FENCE.match(line)
            if closing and closing[1].startswith(fence) and not closing[2].strip():
                fence = ""
        elif opening := _FENCE.match(line):
            fence, paragraph = opening[1], ""
        elif atx := _ATX.match(line):
            found.append(_CLOSING.sub("", atx[1] or "").strip())
            paragraph = ""
        elif paragraph and _UNDERLINE.match(line):
            found.append(paragraph)
            paragraph = ""
        else:
            paragraph = (
                ""
                if _NO_PARAGRAPH.match(line)
                else f"{paragraph} {line.strip()}".strip()[:_MAX_HEADING]
            )
    return [heading for heading in found if heading]


def _front_matter(lines: list[str]) -> int:
    """How many lines of settings stand on top."""
    if lines and lines[0].rstrip() == "---":
        for n, line in enumerate(lines[1:], 2):
            if line.rstrip() in ("---", "..."):
                return n
    return 0
