"""Paths ↔ pieces without their names: sizes, separators, and which pieces are the same.

A path is cut before its base name and wherever what follows is another path of the family, so that
the suffixes and base names that paths share are the same pieces at their ends. A piece is known by
its shape (UTF-16 units, UTF-8 bytes) and its number among the family's pieces of that shape.
Separators, a lone "." and the colon of a drive stand as they are. Directories between two cuts are
one piece: how deep a path goes is not told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from ctxlab.transcripts._contentfree_checks import ints, known, listed, refuse

__all__ = ["Part", "base_name", "encode_paths", "read_paths"]

Part = str | tuple[int, ...]
"""A literal, or a piece as (units, number) or (units, number, bytes beyond one a unit)."""

_LITERALS = ("/", "\\", ".", ":")

_MAX_UNITS = 2**22
_DRIVE = re.compile(r"[^/\\.:]:[/\\]")
_ASCII = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-+=~@#%&!$^,;()[]{}"
_TWO_BYTES = "".join(map(chr, range(0x100, 0x200)))
_THREE_BYTES = "".join(map(chr, range(0x4E00, 0x5E00)))


def encode_paths(paths: Sequence[str]) -> list[list[Part]]:
    """Turn the paths of a family, in order of first appearance, into parts."""
    slashed = [path.replace("\\", "/") for path in paths]
    wholes = {tail for path in slashed for tail in (path, path.removeprefix("./"))}
    numbers: dict[str, int] = {}
    counts: dict[tuple[int, int], int] = {}

    def piece(text: str) -> Part:
        units = len(text.encode("utf-16-le", "surrogatepass")) // 2
        extra = len(text.encode("utf-8", "surrogatepass")) - units
        name = text.replace("\\", "/")
        if name not in numbers:
            numbers[name] = counts.get((units, extra), 0)
            counts[units, extra] = numbers[name] + 1
        return (units, numbers[name], extra) if extra else (units, numbers[name])

    return [
        [part if part in _LITERALS else piece(part) for part in _parts(path, wholes)]
        for path in paths
    ]


def _parts(path: str, wholes: set[str]) -> Iterator[str]:
    """Cut a path; pieces have no separator at their ends."""
    slashed = path.replace("\\", "/")
    base = slashed.rstrip("/").rfind("/") + 1
    cuts = {base} | {
        at for at in (found.end() for found in re.finditer("/", slashed)) if slashed[at:] in wholes
    }
    if _DRIVE.match(path):
        cuts |= {1, 2}
    if slashed.startswith("./"):
        cuts.add(2)
    bounds = sorted({0, len(path)} | cuts)
    for start, end in pairwise(bounds):
        text = path[start:end]
        inner = text.strip("/\\")
        lead = text.find(inner) if inner else len(text)
        yield from text[:lead]
        if inner:
            yield inner
        yield from text[lead + len(inner) :]


def read_paths(paths: Sequence[Any]) -> list[str]:
    """Check the parts of paths and make up the paths: the same parts always give the same text.

    Raises
    ------
    ValueError
        A part is none, has a shape that no text has, or a number beyond all texts of its shape.
    """
    checked = [[_checked(part) for part in listed(parts, at_least=1)] for parts in paths]
    units = sum(1 if isinstance(part, str) else part[0] for parts in checked for part in parts)
    if units > _MAX_UNITS:
        refuse(f"paths of more than {_MAX_UNITS} UTF-16 units")
    return [
        "".join(part if isinstance(part, str) else _invent_piece(*part) for part in parts)
        for parts in checked
    ]


def _checked(part: Any) -> Part:
    """Check a part."""
    if isinstance(part, str):
        return known(part, _LITERALS)
    piece = ints(part, 0, _MAX_UNITS, at_least=2)
    return tuple(piece[:3])


def _invent_piece(units: int, number: int, extra: int = 0) -> str:
    """Write a number in letters of one, two and three bytes so that both sizes come out."""
    three, two = divmod(extra, 2)
    alphabets = [_THREE_BYTES] * three + [_TWO_BYTES] * two
    if not 0 < units >= len(alphabets):
        refuse(f"no piece of a path has {units} UTF-16 units and {extra} bytes more")
    alphabets += [_ASCII] * (units - len(alphabets))
    letters = []
    for alphabet in reversed(alphabets):
        number, digit = divmod(number, len(alphabet))
        letters.append(alphabet[digit])
    if number:
        refuse(f"more pieces of {units} UTF-16 units than there are texts")
    return "".join(reversed(letters))


def base_name(path: str) -> str:
    """Give the last part of a path of any system."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]
