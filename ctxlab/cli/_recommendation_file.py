"""From a file that `tune` or `recommend` wrote back to parameters and what speaks for them."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import orjson

from ctxlab.cli._options import POLICIES
from ctxlab.errors import InputError, ParameterError
from ctxlab.params import ParamSet
from ctxlab.paths import user_path

__all__ = ["read_recommendation"]


def read_recommendation(source: str, record: str | None) -> tuple[ParamSet | None, dict[str, Any]]:
    """Give the parameters, None where none are recommended, and the certificate.

    Parameters
    ----------
    source
        Path as it was typed.
    record : {"shipped", "own"} or None
        Which of two recommendations; the one for the tool as shipped, or the only one, if None.

    Raises
    ------
    InputError
        The file cannot be read, or is none of ctxlab or of a newer one.
    ParameterError
        The file holds no recommendation for such a record.
    """
    whole = _read(source)
    content = _one(whole, source, record)
    policy, values = content.get("policy", "dedup"), content.pop("parameters", ...)
    if values is ...:
        raise _none(source, content, "it has no `parameters`")
    if not isinstance(policy, str) or policy not in POLICIES:
        raise _none(source, content, f"its policy is {policy!r}, known are {', '.join(POLICIES)}")
    if values is None:
        return None, content
    if not isinstance(values, dict):
        raise _none(source, content, f"its `parameters` are no object but {values!r:.40}")
    try:
        return POLICIES[policy].of(**values), content
    except ParameterError as error:
        raise _none(source, content, str(error)) from error


def _read(source: str) -> dict[str, Any]:
    path = user_path(source)
    try:
        whole = orjson.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise InputError(
            f"cannot read {source}: {error.strerror}; run `ctxlab tune` first, or name what it "
            "wrote with --from"
        ) from error
    except IsADirectoryError as error:
        raise InputError(
            f"cannot read {source}: it is a folder, name the recommendation.json in it"
        ) from error
    except OSError as error:
        raise InputError(f"cannot read {source}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise _none(source, {}, f"no JSON: {error}") from error
    if not isinstance(whole, dict):
        raise _none(source, {}, "it holds no object")
    return whole


def _one(whole: dict[str, Any], source: str, record: str | None) -> dict[str, Any]:
    """One of two recommendations: dedup's stand side by side, recall's `own` inside the other."""
    if record == "own" and "own" not in whole:
        raise ParameterError(
            f"--record own: {source} holds one recommendation, not two as `ctxlab tune` writes "
            "for dedup and recall; leave --record out"
        )
    found = whole.get(record or "shipped")
    if found is None:
        found = {name: value for name, value in whole.items() if name != "own"}
    if not isinstance(found, dict):
        raise _none(source, whole, f"its `{record or 'shipped'}` is no object")
    return dict(found)


def _none(source: str, content: dict[str, Any], why: str) -> InputError:
    """Say what is wrong with a file, and whether another version may have written it."""
    versions = content.get("versions")
    wrote = versions.get("ctxlab") if isinstance(versions, dict) else None
    own = version("ctxlab")
    other = f"; ctxlab {wrote} wrote it, this is {own}" if wrote not in (None, own) else ""
    return InputError(f"{source} is no recommendation of ctxlab that can be used: {why}{other}")
