"""Two things asked of one tool → how the later one asks the same again, if it does."""

from __future__ import annotations

import math
import re

from ctxlab.fallback._asking import Asking

__all__ = ["asked_again"]

_LIMITS = frozenset(("limit", "max", "maximum", "first", "top", "depth", "count"))
_WHOLE_LIMITS = frozenset(("n", "l", "perpage", "pagesize", "numresults"))
_PLACES = frozenset((
    *("page", "pagenumber", "pagetoken", "pagecursor", "offset", "cursor", "nextcursor", "skip"),
    *("after", "endcursor", "start", "startat", "nexttoken", "startingtoken"),
))  # fmt: skip
_FIELDS = frozenset((
    *("json", "field", "fields", "select", "columns", "attributes", "properties", "include"),
    *("expand", "output", "format", "template"),
))  # fmt: skip
_WHOLE = frozenset(("all", "paginate"))
_CUTS = frozenset(("|head", "|tail", "|sed"))
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SELECTS = re.compile(r"\bselect\(|\.\[\s*-?\d*\s*:|\.\[\s*-?\d+\s*\]")
_NUMBER = re.compile(r"[0-9]{1,18}")

_OTHERWISE = "otherwise"
_ORDER = (_OTHERWISE, "next_page", "larger", "other_fields", "narrower")

_Values = tuple[str, ...] | None


def asked_again(before: Asking, after: Asking) -> str | None:
    """Tell how the same is asked again, one of `REQUERY_KINDS`; None where something else is.

    The same is asked if the words are, or begin, those of the later call (the first names what is
    asked for: both must have it), and all that differs is how much of the answer is shown: a limit,
    a place to begin at, fields, a filter that came to it. Of several differences the first counts
    in the order next_page, larger, other_fields, narrower. A limit where there was none is larger,
    for tools that know limits have one by themselves; what a pipeline cuts off is narrower.
    Anything else that changed or fell away is another question, and so is all that writes.
    """
    moved = before.directory and after.directory and before.directory != after.directory
    if moved or before.writes or after.writes:
        return None
    earlier, later = _apart(before.words), _apart(after.words)
    is_longer = bool(earlier) and later[: len(earlier)] == earlier != later
    if not is_longer and later != earlier:
        return None
    changed = {
        name: (before.options.get(name), after.options.get(name))
        for name in before.options.keys() | after.options.keys()
        if before.options.get(name) != after.options.get(name)
    }
    if any(name.startswith("|") and name not in _CUTS for name in changed):
        # How much of another print is cut off tells nothing.
        changed = {name: values for name, values in changed.items() if name not in _CUTS}
    kinds = {_change(name, *values) for name, values in changed.items()}
    if is_longer:
        kinds.add("narrower")
    if not kinds:
        return "again"
    kind = min(kinds, key=_ORDER.index)
    return None if kind == _OTHERWISE else kind


def _apart(words: tuple[str, ...]) -> list[str]:
    return [part for word in words for part in word.split()]


def _change(name: str, before: _Values, after: _Values) -> str:
    """Tell what it means that an option came, went or changed."""
    if name in _CUTS:
        return _changed_cut(before, after)
    if name.startswith("|"):
        return _changed_look(name, before, after)
    parts = [part.lower() for part in _WORDS.findall(name.rpartition(".")[2])]
    joined = "".join(parts)
    if joined in _PLACES:
        return "next_page"
    if joined in _WHOLE:
        return "larger" if before is None else "narrower"
    if joined in _FIELDS:
        return "other_fields"
    is_limit = joined in _WHOLE_LIMITS or not _LIMITS.isdisjoint(parts)
    if is_limit and (changed := _changed_limit(before, after)):
        return changed
    return "narrower" if before is None else _OTHERWISE


def _changed_limit(before: _Values, after: _Values) -> str | None:
    """Tell which of two limits is larger; None where one is no number."""
    sizes = [_size(values) for values in (before, after) if values is not None]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        return None
    return "narrower" if known[-1] < known[0] else "larger"


def _changed_cut(before: _Values, after: _Values) -> str:
    """Tell what another piece of the printed answer means."""
    if before is None or after is None:
        return "narrower" if before is None else "larger"
    return _changed_limit(before, after) or "next_page"


def _changed_look(name: str, before: _Values, after: _Values) -> str:
    """Tell what another program behind the answer means: one that picks rows narrows it."""
    if after is None:
        return "other_fields"
    picks = name in ("|grep", "|rg") or _SELECTS.search(" ".join(after))
    return "narrower" if before is None or picks else "other_fields"


def _size(values: tuple[str, ...]) -> float | None:
    """Read a limit; 0 is none."""
    if len(values) != 1 or not _NUMBER.fullmatch(values[0]):
        return None
    return int(values[0]) or math.inf
