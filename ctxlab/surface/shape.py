"""An answer reshaped whole: arrange, limit, project, count, cut, record, fit under the ceiling."""

from __future__ import annotations

from typing import Any

from ctxlab.errors import ParameterError
from ctxlab.surface.arrange import Arranged, arrange, project
from ctxlab.surface.budget import fit
from ctxlab.surface.canonical import Json, dumps, parse, parse_values, plain
from ctxlab.surface.params import NUMERIC, Surface
from ctxlab.surface.record import RECORD, mark_truncated, record, record_dropped

__all__ = ["cut_texts", "has_knob", "reshape", "shape", "shape_text", "shape_values"]

_KNOBS = (*NUMERIC, "select", "filters", "sort", "dedupe_by", "count_only")


def shape(value: Any, params: Surface, command: str | None = None) -> Json:
    """Reshape a value as the tool would before it prints it.

    Parameters
    ----------
    value
        Anything that JSON can hold; it is not changed.
    params
        The knobs; where none is set the value is returned as it is.
    command
        Sub-command that printed it: arrays that only restate its rows depend on that.

    Returns
    -------
    Json
        The reshaped value; `dumps` prints it byte for byte as the tool does.

    Raises
    ------
    ParameterError
        A filter is malformed, or the parameters are another policy's.
    InputError
        The value is none of JSON, or `refuses_unresolved` is set and a key is found in no row.

    Examples
    --------
    >>> shape({"results": [{"id": 1}, {"id": 2}]}, Surface(max_items=1))["results"]
    [{'id': 1}]
    """
    if not isinstance(params, Surface):
        raise ParameterError(f"`params` must be a Surface, such as Surface(), got {params!r}")
    return reshape(plain(value), params, command)


def shape_text(text: str | bytes, params: Surface, command: str | None = None) -> str:
    """Reshape a JSON text; the result is canonical, without a newline.

    Raises
    ------
    ParameterError, InputError
        As `shape`, and what `parse` raises.

    Examples
    --------
    >>> shape_text('[{"n": 2}, {"n": 1}]', Surface(sort="n", select=("n",)))
    '[{"n":1},{"n":2}]'
    """
    return dumps(reshape(parse(text), params, command))


def shape_values(text: str | bytes, params: Surface, command: str | None = None) -> str:
    r"""Reshape every value of a text by itself; a newline stands between two.

    Raises
    ------
    ParameterError, InputError
        As `shape`, and what `parse_values` raises.

    Examples
    --------
    >>> shape_values('[1, 2]\n[3, 4]', Surface(max_items=1))
    '[1]\n[3]'
    """
    return "\n".join(dumps(reshape(value, params, command)) for value in parse_values(text))


def has_knob(params: Surface) -> bool:
    """Whether anything is set that reshapes; the switches of later versions alone do not."""
    declared = Surface.params()
    return any(getattr(params, name) != declared[name].default for name in _KNOBS)


def reshape(value: Json, params: Surface, command: str | None = None) -> Json:
    """Do what `shape` does to a value that `parse` gave."""
    if not has_knob(params):
        return value
    arranged = arrange(value, params, command)
    if arranged.is_passthrough:
        return value
    payload, output_count, capped = _limit(arranged, params)
    is_cut = False
    if params.truncate_content:
        whole, payload = payload, cut_texts(payload, params.truncate_content)
        is_cut = payload != whole
    if isinstance(payload, dict):
        if is_cut:
            payload = mark_truncated(payload, params.overwrites_truncated)
        payload = {**payload, RECORD: record(arranged, params, output_count, capped, is_cut)}
    return _under_ceiling(payload, arranged, params) if params.max_output_bytes else payload


def _limit(arranged: Arranged, params: Surface) -> tuple[Json, int, list[str]]:
    """Limit and project: the payload, how many rows it has, which other arrays were shortened."""
    most, rows = params.max_items, arranged.rows
    if rows is None:
        if params.count_only:
            return {"count": 1}, 1, []
        value = arranged.value
        return _projected([value], params)[0] if params.select else value, 1, []
    rows = _projected(rows[:most] if most else rows, params)
    if params.count_only:
        return {"count": len(rows)}, len(rows), []
    if arranged.primary is None:
        return rows, len(rows), []
    others = dict(arranged.others)
    capped = []
    for key, member in sorted(others.items()):
        if most and isinstance(member, list) and len(member) > most:
            others[key] = member[:most]
            capped.append(key)
    return {**others, arranged.primary: rows}, len(rows), capped


def _projected(rows: list[Json], params: Surface) -> list[Json]:
    if not params.select:
        return rows
    return [project(row, params.select, params.has_synonyms) for row in rows]


def cut_texts(value: Json, most: int) -> Json:
    """Cut every text inside a value to its first `most` characters; keys stay.

    Examples
    --------
    >>> cut_texts({"name": ["abc", 1234]}, 2)
    {'name': ['ab', 1234]}
    """
    if isinstance(value, str):
        return value[:most]
    if isinstance(value, list):
        return [cut_texts(child, most) for child in value]
    if isinstance(value, dict):
        return {key: cut_texts(child, most) for key, child in value.items()}
    return value


def _under_ceiling(payload: Json, arranged: Arranged, params: Surface) -> Json:
    primary = None if params.count_only else arranged.primary
    most = params.max_output_bytes
    fitted = fit(payload, primary, most, arranged.input_count)
    if fitted.is_stub or not fitted.dropped or not isinstance(fitted.value, dict):
        return fitted.value
    written = fitted.value[RECORD]
    assert isinstance(written, dict)
    told = record_dropped(written, fitted.kept, fitted.dropped, most)
    return {**mark_truncated(fitted.value, params.overwrites_truncated), RECORD: told}
