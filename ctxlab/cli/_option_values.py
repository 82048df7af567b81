"""From what was written behind an option to values of the parameter that it stands for."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from ctxlab.errors import ParameterError
from ctxlab.params import Param

__all__ = ["Given", "given_values"]

_RANGE = re.compile(r"(\d+)\s*(?:-|\.\.)\s*(\d+)")
_STEPS = re.compile(r"([\d.]+)\s*(?:-|\.\.)\s*([\d.]+)\s*:\s*([\d.]+)")
_MAX_STEPS = 10_000


class Given(NamedTuple):
    """What stood behind an option, each time it was given; `several` admits lists and ranges."""

    texts: tuple[str, ...]
    several: bool


def given_values(declared: Param, given: Given) -> list[Any]:
    """Give the values that were written for a parameter, in order.

    Numbers and choices are separated by commas, texts and sets of them by semicolons. Verbatim
    texts are never split: each time the option is given adds one to a single set.

    Raises
    ------
    ParameterError
        If one is no value that the parameter admits.
    """
    text = given.texts[-1]
    if declared.verbatim:
        return [_checked(declared, () if given.texts == ("none",) else given.texts)]
    if declared.text or declared.many:
        parse = _keys if declared.many else _text
        return [parse(declared, part) for part in (text.split(";") if given.several else [text])]
    if not given.several:
        return [_parse(declared, text)]
    return [value for part in text.split(",") for value in _range(declared, part)]


def _checked(declared: Param, value: Any) -> Any:
    declared.check(value)
    for text in value if isinstance(value, tuple) else (value or "",):
        # The system gives bytes that are no UTF-8 as lone surrogates: nothing could write them.
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise ParameterError(f"`{declared.name}` must be UTF-8 text, got {text!r}")
    return value


def _text(declared: Param, text: str) -> str | None:
    value = None if declared.optional and text.strip().lower() == "none" else text
    return _checked(declared, value)  # type: ignore[no-any-return]


def _keys(declared: Param, text: str) -> tuple[str, ...]:
    """Texts separated by commas; none of them may be empty."""
    if text.strip().lower() == "none":
        return ()
    keys = tuple(part.strip() for part in text.split(","))
    if not all(keys):
        raise ParameterError(
            f"`{declared.name}` must be keys as in id,title, or none, got {text!r}"
        )
    return _checked(declared, keys)  # type: ignore[no-any-return]


def _range(declared: Param, part: str) -> list[Any]:
    """Values of one part of a list."""
    steps = _STEPS.fullmatch(part.strip())
    ends = _RANGE.fullmatch(part.strip())
    if steps and declared.real:
        return list(_stepped(declared, *steps.groups()))
    if ends and declared.real:
        raise ParameterError(
            f"`{declared.name}` takes ranges with a step, such as 0-8:0.5, got {part}"
        )
    if ends and not declared.choices:
        first, last = (_parse(declared, end) for end in ends.groups())
        if last - first >= _MAX_STEPS:
            raise ParameterError(
                f"`{declared.name}` takes ranges of at most {_MAX_STEPS:,} values, got {part}"
            )
        return list(range(first, last + 1))
    return [_parse(declared, part)]


def _stepped(declared: Param, first: str, last: str, step: str) -> list[float]:
    """Numbers from `first` to `last`, both included; in decimals, so that none is missed."""
    try:
        low, high, by = Decimal(first), Decimal(last), Decimal(step)
    except InvalidOperation:
        raise ParameterError(
            f"`{declared.name}` takes ranges with a step, such as 0-8:0.5, got "
            f"{first}-{last}:{step}"
        ) from None
    for end in (low, high):
        declared.check(float(end))
    if by <= 0 or (high - low) / by > _MAX_STEPS:
        raise ParameterError(
            f"`{declared.name}`: the step of a range must be above 0 and make at most "
            f"{_MAX_STEPS:,} values, got {step}"
        )
    return [float(low + by * i) for i in range(int((high - low) / by) + 1)]


def _parse(declared: Param, text: str) -> Any:
    """Give the value that a word stands for; whether it is admitted, the declaration checks."""
    word = text.strip().lower()
    value: Any = text.strip()
    if declared.optional and word in ("all", "none"):
        value = None
    elif declared.choices:
        value = next((c for c in declared.choices if str(c).lower() == word), value)
    elif re.fullmatch(r"[+-]?\d+", word):
        value = int(word)
    elif declared.real and re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", word):
        value = float(word)
    declared.check(value)
    return value
