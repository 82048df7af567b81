"""Which rows an answer has, in which order, before any number cuts them: value → arrangement.

No knob of `NUMERIC`, and neither `select` nor `count_only`, changes what is arranged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ctxlab.errors import InputError
from ctxlab.surface.canonical import Json
from ctxlab.surface.filters import Condition, parse_filters
from ctxlab.surface.params import Surface
from ctxlab.surface.paths import MISSING, Missing, look_up, project, scalar_text
from ctxlab.surface.sorting import sort_rows

__all__ = [
    "ALIASES",
    "MISSING",
    "RESULT_KEYS",
    "Arranged",
    "Missing",
    "arrange",
    "is_passthrough",
    "look_up",
    "primary_key",
    "project",
]

RESULT_KEYS = (
    "results",
    "items",
    "nodes",
    "entities",
    "memories",
    "hits",
    "rows",
    "matches",
    "data",
)
"""Keys of an answer's main array: the first of these that holds one."""

ALIASES = {
    ("list", "items"): ("memories",),
    ("graph", "nodes"): ("entities",),
    ("recall", "results"): ("direct_matches", "graph_matches"),
    ("related", "results"): ("related_memories",),
}
"""Arrays that only restate the main one, by sub-command and main array."""


@dataclass(frozen=True, slots=True)
class Arranged:
    """An answer whose rows are chosen and in order, not yet limited or projected.

    `rows` are those of the main array, which stands under the key `primary`, or is the whole
    answer (`is_array`); None if there is none, or the answer passes untouched (`is_passthrough`).
    `others` are the members of an object beside it, without the `aliases_removed`. `value` is all
    of it put together. `input_count` counts the rows before filters; without rows it is 1.
    `sort_undefined`: above 20 rows of numbers and texts mixed the reference's order is unknown.
    """

    value: Json
    is_passthrough: bool
    primary: str | None = None
    is_array: bool = False
    rows: list[Json] | None = None
    input_count: int = 1
    aliases_removed: tuple[str, ...] = ()
    others: dict[str, Json] = field(default_factory=dict)
    sort_undefined: bool = False


def arrange(value: Json, params: Surface, command: str | None = None) -> Arranged:
    """Find an answer's rows; filter, sort and dedupe them; leave out what only restates them.

    Parameters
    ----------
    value
        What `parse` gives; it is not changed.
    params
        Its numeric knobs, `select` and `count_only` are not applied. A set without any knob is
        arranged all the same: that such a one changes nothing is `shape`'s to know.
    command
        Sub-command that printed the answer: the arrays that restate its rows depend on it.

    Raises
    ------
    ParameterError
        A filter is malformed, whatever the value.
    InputError
        `refuses_unresolved` is set, and a key is found in no row, or a knob has no effect.

    Examples
    --------
    >>> arrange([{"n": 2}, {"n": 1}], Surface(sort="n")).rows
    [{'n': 1}, {'n': 2}]
    """
    conditions = parse_filters(params.filters)
    if is_passthrough(value):
        return Arranged(value, True)
    primary = primary_key(value)
    found = value[primary] if isinstance(value, dict) and primary is not None else value
    if not isinstance(found, list):
        if params.refuses_unresolved:
            _refuse_without_rows(value, params)
        return Arranged(value, False, others=value if isinstance(value, dict) else {})
    if params.refuses_unresolved:
        _refuse(found, conditions, params)
    rows, undefined = _order(found, conditions, params)
    if not isinstance(value, dict) or primary is None:
        return Arranged(rows, False, None, True, rows, len(found), sort_undefined=undefined)
    removed = tuple(
        key for key in ALIASES.get((command or "", primary), ()) if isinstance(value.get(key), list)
    )
    others = {k: v for k, v in value.items() if k != primary and k not in removed}
    whole: Json = {**others, primary: rows}
    return Arranged(whole, False, primary, False, rows, len(found), removed, others, undefined)


def is_passthrough(value: Json) -> bool:
    """Whether an answer is a failure or a schema, which are never touched."""
    return isinstance(value, dict) and (
        "$schema" in value or value.get("error") is True or value.get("ok") is False
    )


def primary_key(value: Json) -> str | None:
    """Key of an object's main array: a well-known one, else the smallest that holds an array."""
    if not isinstance(value, dict):
        return None
    for key in RESULT_KEYS:
        if isinstance(value.get(key), list):
            return key
    return min((key for key, member in value.items() if isinstance(member, list)), default=None)


def _order(
    rows: list[Json], conditions: Sequence[Condition], params: Surface
) -> tuple[list[Json], bool]:
    """Filter, sort, dedupe."""
    synonyms, undefined = params.has_synonyms, False
    if conditions:
        rows = [row for row in rows if all(c.holds(row, synonyms) for c in conditions)]
    if params.sort is not None:
        rows, undefined = sort_rows(rows, params.sort, synonyms)
    if params.dedupe_by is not None:
        rows = list(_first_ones(rows, params.dedupe_by, synonyms))
    return rows, undefined


def _first_ones(rows: Iterable[Json], key: str, synonyms: bool) -> Iterable[Json]:
    seen: set[str] = set()
    for row in rows:
        text = scalar_text(look_up(row, key, synonyms))
        if text is None or text not in seen:
            yield row
        if text is not None:
            seen.add(text)


def _refuse(rows: Sequence[Json], conditions: Sequence[Condition], params: Surface) -> None:
    """Raise if a key is in no row; of no rows nothing can be said."""
    if params.count_only:
        for name in ("select", "sort"):
            if getattr(params, name):
                raise InputError(f"`{name}` has no effect on a count: leave it or `count_only` out")
    keys = [
        *(("filters", condition.key) for condition in conditions),
        *((name, getattr(params, name)) for name in ("sort", "dedupe_by")),
        *(("select", key) for key in params.select),
    ]
    for name, key in keys:
        if key is not None and rows and not _resolves(rows, key, params.has_synonyms):
            raise InputError(f"`{name}` names the key {key!r}, which no row of the answer has")


def _refuse_without_rows(value: Json, params: Surface) -> None:
    for name in ("filters", "sort", "dedupe_by"):
        if getattr(params, name):
            raise InputError(f"`{name}` has no effect on an answer without an array of rows")
    for key in params.select:
        if not _resolves([value], key, params.has_synonyms):
            raise InputError(f"`select` names the key {key!r}, which the answer does not have")


def _resolves(rows: Sequence[Json], key: str, synonyms: bool) -> bool:
    return any(not isinstance(look_up(row, key, synonyms), Missing) for row in rows)
