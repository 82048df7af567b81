"""From what was written behind an option to values of the parameter that it stands for."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from ctxlab.errors import ParameterError
from ctxlab.params import Param

__all__ = ["Given", "given_values", "option_name", "written"]

_DIGITS = "[0-9]{1,30}"  # Python refuses to read thousands of them
_WHOLE = re.compile(rf"({_DIGITS})\s*(?:-|\.\.)\s*({_DIGITS})(?:\s*:\s*({_DIGITS}))?")
_REAL = re.compile(_WHOLE.pattern.replace("[0-9]", "[0-9.]"))
_MAX_STEPS = 10_000


class Given(NamedTuple):
    """What stood behind an option, each time it was given; `several` admits lists and ranges."""

    texts: tuple[str, ...]
    several: bool


def option_name(declared: Param) -> str:
    """How a parameter is called on the command line; in the singular if given once for each."""
    name = declared.name.removesuffix("s") if declared.verbatim else declared.name
    return f"--{name.replace('_', '-')}"


def written(declared: Param, value: Any) -> str:
    """Write a value as the option takes it."""
    if value is None:
        return "none" if declared.text else "all"
    if declared.many:
        return ",".join(value) or "none"
    return value if declared.text else str(value).lower()


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
        return [_conditions(declared, given.texts)]
    if declared.text or declared.many:
        if ";" in text and not given.several:
            raise ParameterError(_one_set(declared, text))
        parts = text.split(";")
        if len(parts) > 1 and not all(part.strip() for part in parts):
            raise ParameterError(
                f"`{declared.name}` must have something beside each semicolon, got {text!r}"
            )
        return [(_keys if declared.many else _text)(declared, part) for part in parts]
    if not given.several:
        return [_parse(declared, text, _one_number(text))]
    return [value for part in text.split(",") for value in _range(declared, part)]


def _checked(declared: Param, value: Any) -> Any:
    declared.check(value)
    for text in value if isinstance(value, tuple) else (value or "",):
        # The system gives bytes that are no UTF-8 as lone surrogates: nothing could write them.
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise ParameterError(f"`{declared.name}` must be UTF-8 text, got {text!r}")
    return value


def _conditions(declared: Param, texts: tuple[str, ...]) -> tuple[str, ...]:
    if "none" not in texts:
        return _checked(declared, texts)  # type: ignore[no-any-return]
    if set(texts) != {"none"}:
        other = next(text for text in texts if text != "none")
        raise ParameterError(
            f"`{declared.name}` takes none by itself, for no condition: leave it out, or {other!r}"
        )
    return ()


def _one_set(declared: Param, text: str) -> str:
    one = "one set of keys here" if declared.many else "one key here"
    joined = ",".join(part.strip() for part in text.split(";") if part.strip())
    how = f": write {joined} for all of them;" if declared.many else ";"
    return (
        f"`{declared.name}` takes {one}{how} `ctxlab sweep` takes several behind semicolons, "
        f"got {text!r}"
    )


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
    found = (_REAL if declared.real else _WHOLE).fullmatch(part.strip())
    if found is None or declared.choices:
        how = "0.5,2 or a range with a step as in 0-8:0.5" if declared.real else _SEVERAL
        return [_parse(declared, part, f"write digits, a list as in {how}")]
    if declared.real and not found[3]:
        raise ParameterError(
            f"`{declared.name}` takes ranges with a step, such as 0-8:0.5, got {part}"
        )
    return _stepped(declared, part, *found.groups(default="1"))


_SEVERAL = "4,8 or a range as in 1-64 or 0-100:5"


def _stepped(declared: Param, part: str, first: str, last: str, step: str) -> list[Any]:
    """Numbers from `first` to `last`, both included; in decimals, so that none is missed."""
    try:
        low, high, by = Decimal(first), Decimal(last), Decimal(step)
    except InvalidOperation:
        raise ParameterError(
            f"`{declared.name}` takes ranges with a step, such as 0-8:0.5, got {part}"
        ) from None
    kind = float if declared.real else int
    for end in (low, high):
        declared.check(kind(end))
    if low > high:
        raise ParameterError(
            f"`{declared.name}` takes ranges from the smaller number to the larger: write "
            f"{last}-{first}{part[part.find(':') :] if ':' in part else ''}, got {part}"
        )
    if by <= 0 or (high - low) / by >= _MAX_STEPS:
        raise ParameterError(
            f"`{declared.name}` takes ranges of at most {_MAX_STEPS:,} values with a step above 0, "
            f"got {part}"
        )
    return [kind(low + by * i) for i in range(int((high - low) / by) + 1)]


def _one_number(text: str) -> str:
    is_several = "," in text or _REAL.fullmatch(text.strip())
    if not is_several:
        return "write digits"
    return "one value in plain digits is taken here, `ctxlab sweep` takes several"


def _parse(declared: Param, text: str, how: str) -> Any:
    """Give the value that a word stands for; `how` says how to write what cannot be read.

    Whether it is admitted, the declaration checks.
    """
    word = text.strip().lower()
    value: Any = text.strip()
    if declared.optional and word in ("all", "none"):
        value = None
    elif declared.choices:
        found = [choice for choice in declared.choices if str(choice).lower() == word]
        if not found:
            known = ", ".join(written(declared, choice) for choice in declared.choices)
            raise ParameterError(f"`{declared.name}` must be one of {known}, got {value!r}")
        [value] = found
    elif re.fullmatch(rf"[+-]?{_DIGITS}", word):
        value = int(word)
    elif declared.real and re.fullmatch(
        r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,3})?", word
    ):
        value = float(word)
    try:
        declared.check(value)
    except ParameterError as error:
        if not isinstance(value, str):
            raise
        raise ParameterError(f"{error}; {how}") from None
    return value
