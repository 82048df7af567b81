r"""The text of a `codegraph_explore` answer → the source it serves and the pointers it holds.

An answer is Markdown. A line that opens with a bold, backticked path starts the section of that
file; a quoted line with the phrase of a delivered pointer says what was withheld; a fence holds
the body: `<n>\t<text>` lines, whose pieces are parted by gap markers. Within a fence every source
line starts with its number, so no source text can close the fence or look like a marker.

Nothing here knows the recording that the text came from, and no text makes it raise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ctxlab.events import Pointer, Prefix, Span
from ctxlab.transcripts._source import resolve
from ctxlab.transcripts._texts import utf8_size

__all__ = ["Answer", "Gap", "GapSymbol", "Section", "looks_like_answer", "parse"]

POINTER_PHRASE = "Already sent earlier in this conversation"

_HEADER = re.compile(r"\*\*`(.+?)`\*\*(?: — |$)")
_FENCE = re.compile(r"(`{3,}|~{3,})[^`]*$")
_SOURCE = re.compile(r"([1-9][0-9]{0,8})\t")
_GAP = re.compile(r"\.\.\. \(gap(?:: (.*))?\) \.\.\.\r?$")
_NUMBER = re.compile(r"[0-9]{1,9}")
_MORE = re.compile(r"\+([0-9]{1,9}) more")
_RANGE = r"L[0-9]{1,9}(?:-[0-9]{1,9})?"
_POINTER = re.compile(
    rf"> *[*\"]*{POINTER_PHRASE}[*\":]* *`(?P<path>.+?)` (?P<ranges>{_RANGE}(?:, {_RANGE})*)"
    r"(?:, \+(?P<more>[0-9]{1,9}) more spans?)?(?: \((?P<symbols>.*?)\))?(?= — |$)"
)


@dataclass(frozen=True, slots=True)
class GapSymbol:
    """A symbol that a gap marker names: where its source starts."""

    name: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Gap:
    """A place in a body where lines were left out.

    `after_line` is the last line shown before it, None at the body's start. `symbols` are those
    the marker names, none for a bare marker; `n_more_symbols` counts those it only counts.
    """

    after_line: int | None
    symbols: tuple[GapSymbol, ...] = ()
    n_more_symbols: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    """One file of an answer.

    `body_chars` is the length of the body in UTF-16 code units, number prefixes and gap markers
    counted, fence lines not: what the tool itself records as the size it delivered.
    A pointer names its first few ranges and symbols and counts the rest (`n_more_ranges`,
    `n_more_symbols`): ranges that are only counted cannot be known from the answer.
    """

    path: str
    spans: tuple[Span, ...] = ()
    body_chars: int = 0
    gaps: tuple[Gap, ...] = ()
    pointer: Pointer | None = None
    pointer_symbols: tuple[str, ...] = ()
    n_more_ranges: int = 0
    n_more_symbols: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """A parsed answer: its sections in order, one for each file or pointer that stands alone."""

    sections: tuple[Section, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """All spans, in order of appearance."""
        return tuple(span for section in self.sections for span in section.spans)

    @property
    def pointers(self) -> tuple[Pointer, ...]:
        """All pointers, in order of appearance."""
        return tuple(s.pointer for s in self.sections if s.pointer is not None)


def parse(text: str, cwd: str | None = None) -> Answer:
    r"""Recover sections, spans, pointers and gaps from the text of one answer.

    Parameters
    ----------
    text
        The answer as the model saw it. Any text is taken; what is no section is passed over.
    cwd
        Folder that relative paths are joined to; they stay as they are printed without it.

    Returns
    -------
    Answer
        Without sections when `text` is no answer.

    Examples
    --------
    >>> answer = parse("**`a.py`** — f(function)\n\n```python\n7\tdef f():\n8\t    ...\n```")
    >>> [(s.path, s.first_line, s.lines) for s in answer.spans]
    [('a.py', 7, ('def f():', '    ...'))]
    """
    sections: list[Section] = []
    here: int | None = None  # the section that bodies and pointers go to
    lines = iter(text.split("\n"))
    for line in lines:
        if header := _HEADER.match(line):
            here = len(sections)
            sections.append(Section(resolve(header[1], cwd)))
        elif line.startswith("**"):
            here = None  # another heading: what follows is no file's
        elif line.startswith(">") and (printed := _POINTER.match(line)):
            pointed = _pointed(line, printed, cwd)
            if pointed is None:
                continue
            if here is not None and _admits(sections[here], pointed):
                sections[here] = pointed
            else:
                sections.append(pointed)
        elif fence := _FENCE.match(line):
            body = list(_until_fence_end(lines, fence[1]))
            if here is not None:
                sections[here] = _with_body(sections[here], body)
    return Answer(tuple(sections))


def looks_like_answer(text: str) -> bool:
    """Tell whether `text` serves source, or points at some, the way codegraph does."""
    if "**`" not in text and POINTER_PHRASE not in text:
        return False
    return any(s.spans or s.pointer for s in parse(text).sections)


def _until_fence_end(lines: Iterator[str], opened: str) -> Iterator[str]:
    """Lines up to the closing fence, or to the end of a text that was cut short."""
    for line in lines:
        bare = line.rstrip()
        if len(bare) >= len(opened) and bare == opened[0] * len(bare):
            return
        yield line


def _with_body(section: Section, body: list[str]) -> Section:
    """Add the lines between two fence lines, unless they are printed without numbers."""
    head = next(filter(None, body), "")
    if not (_SOURCE.match(head) or _GAP.match(head)):
        return section
    spans, gaps, last = list(section.spans), list(section.gaps), None
    texts: list[str] = []
    for line in [*body, ""]:
        source = _SOURCE.match(line)
        number = int(source[1]) if source else None
        if texts and last is not None and number != last + 1:
            spans.append(_span(section.path, last, texts))
            texts = []
        if source and number is not None:
            texts.append(line[source.end() :])
            last = number
        elif gap := _GAP.match(line):
            gaps.append(_gap(last, gap[1] or ""))
    return replace(
        section,
        spans=tuple(spans),
        gaps=tuple(gaps),
        body_chars=section.body_chars + _utf16_length("\n".join(body)),
    )


def _span(path: str, last: int, texts: list[str]) -> Span:
    """A run of consecutive numbered lines; each was printed as number, tab, text."""
    return Span(path, last - len(texts) + 1, tuple(texts), "mcp", Prefix(width=1, rest_bytes=1))


def _gap(after_line: int | None, named: str) -> Gap:
    """Read what a gap marker names: `name (path:line), …, +N more`."""
    symbols, n_more = [], 0
    for item in named.split("), "):
        name, _, place = item.partition(" (")
        path, _, line = place.removesuffix(")").rpartition(":")
        if path and _NUMBER.fullmatch(line):
            symbols.append(GapSymbol(name, path, int(line)))
        elif more := _MORE.fullmatch(item):
            n_more = int(more[1])
    return Gap(after_line, tuple(symbols), n_more)


def _pointed(line: str, printed: re.Match[str], cwd: str | None) -> Section | None:
    """The section that a pointer makes by itself; None if it points at no line."""
    path = resolve(printed["path"], cwd)
    ranges = tuple(_ranges(printed["ranges"]))
    if not ranges:
        return None
    names = printed["symbols"].split(", ") if printed["symbols"] else []
    more = _MORE.fullmatch(names[-1]) if names else None
    return Section(
        path,
        pointer=Pointer(path, ranges, utf8_size(line)),
        pointer_symbols=tuple(names[:-1] if more else names),
        n_more_ranges=int(printed["more"] or 0),
        n_more_symbols=int(more[1]) if more else 0,
    )


def _admits(section: Section, pointed: Section) -> bool:
    """Whether a pointer belongs to the section it stands in: same file, before any body."""
    return section == Section(pointed.path)


def _ranges(printed: str) -> Iterator[tuple[int, int]]:
    """`L12, L20-40` → pairs; a range that is none is passed over."""
    for part in printed.split(", "):
        first, _, last = part.removeprefix("L").partition("-")
        start, end = int(first), int(last or first)
        if 1 <= start <= end:
            yield start, end


def _utf16_length(text: str) -> int:
    """Length in UTF-16 code units, lone surrogates included."""
    return len(text) + sum(c > "\uffff" for c in text)
