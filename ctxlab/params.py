"""One declaration for each threshold: default, bounds, unit and meaning.

Slider, sweep grid, command-line option, README row and exported comment all derive from the
`Param` that `param(...)` attaches to a field; nothing else states a bound or a default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Self

from ctxlab.errors import ParameterError

__all__ = ["Param", "ParamSet", "param"]


@dataclass(frozen=True, slots=True)
class Param:
    """What is known of one parameter.

    `low` and `high` bound the values a user may give, both included; `choices` lists them when
    they are no numbers. `real` admits any number between the bounds, else whole ones only.
    `optional` admits None, whose meaning `doc` states. `sweep` holds the values a default sweep
    tries. `text` admits any text, `many` any tuple of texts, the empty one included; `verbatim`
    texts may hold commas, so that a list of them is not to be split there.
    """

    default: Any
    doc: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[Any, ...] = ()
    real: bool = False
    text: bool = False
    many: bool = False
    verbatim: bool = False
    optional: bool = False
    log: bool = False
    sweep: tuple[Any, ...] = ()
    name: str = ""

    def check(self, value: Any) -> None:
        """Raise `ParameterError` unless `value` is one this parameter admits."""
        if value is None and self.optional:
            return
        if self.choices:
            if not any(value is c or (type(value) is type(c) and value == c) for c in self.choices):
                known = ", ".join(repr(c) for c in self.choices)
                raise ParameterError(f"`{self.name}` must be one of {known}, got {value!r}")
            return
        if self.text or self.many:
            self._check_text(value)
            return
        bounds = f"[{self.low}, {self.high}]" + (f" {self.unit}" if self.unit else "")
        if self.optional:
            bounds += " or None"
        kind, number = ("number", (int, float)) if self.real else ("whole number", int)
        if isinstance(value, bool) or not isinstance(value, number) or value != value:
            raise ParameterError(f"`{self.name}` must be a {kind} in {bounds}, got {value!r}")
        if (self.low is not None and value < self.low) or (
            self.high is not None and value > self.high
        ):
            raise ParameterError(f"`{self.name}` must be in {bounds}, got {value}")

    def _check_text(self, value: Any) -> None:
        texts, kind = (value, "texts") if self.many else ((value,), "a text")
        if not isinstance(texts, tuple) or not all(isinstance(text, str) for text in texts):
            admitted = f"a tuple of {kind}" if self.many else kind
            if self.many and isinstance(value, str):
                admitted += f" such as {(value,)!r}"
            raise ParameterError(f"`{self.name}` must be {admitted}, got {value!r}")

    def several(self, given: Any) -> Iterable[Any]:
        """Give the values to sweep over: of one value itself, else those that `given` holds.

        A text is one value, and so is a tuple of texts where the parameter is one; a list always
        holds several values. Nothing is checked but what could be read in two ways.

        Raises
        ------
        ParameterError
            If `given` is a list of texts, but each value a tuple of texts.

        Examples
        --------
        >>> Param((), "Keys.", many=True).several(("id", "title"))
        (('id', 'title'),)
        >>> Param(0, "Rows.").several([0, 5])
        [0, 5]
        """
        if isinstance(given, str) or not isinstance(given, Iterable):
            return (given,)
        if not self.many:
            return given
        if isinstance(given, tuple) and all(isinstance(text, str) for text in given):
            return (given,)
        if isinstance(given, list) and any(isinstance(text, str) for text in given):
            raise ParameterError(
                f"`{self.name}` takes tuples of texts, a list is of several: write "
                f"{[tuple(given)]!r} for one or {[(text,) for text in given]!r} for one of each, "
                f"got {given!r}"
            )
        return (tuple(value) if isinstance(value, list) else value for value in given)


def param(
    default: Any,
    *,
    doc: str,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    choices: tuple[Any, ...] = (),
    real: bool = False,
    text: bool = False,
    many: bool = False,
    verbatim: bool = False,
    optional: bool = False,
    log: bool = False,
    sweep: tuple[Any, ...] = (),
) -> Any:
    """Declare a parameter as a dataclass field (typed Any, so that the field's own type rules)."""
    declared = Param(
        default,
        doc,
        unit,
        low,
        high,
        choices=choices,
        real=real,
        text=text,
        many=many,
        verbatim=verbatim,
        optional=optional,
        log=log,
        sweep=sweep,
    )
    return field(default=default, metadata={"param": declared})


class ParamSet:
    """Base of the frozen, keyword-only parameter sets of the policies."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __post_init__(self) -> None:
        """Check every field against its declaration; numbers of NumPy become Python's own."""
        for name, declared in self.params().items():
            value = getattr(self, name)
            if declared.many and isinstance(value, list):
                value = tuple(value)  # as JSON gives it
                object.__setattr__(self, name, value)
            elif hasattr(value, "item"):
                value = value.item()
                object.__setattr__(self, name, value)
            declared.check(value)

    @classmethod
    @cache
    def params(cls) -> Mapping[str, Param]:
        """Declarations by field name, in order."""
        return MappingProxyType(
            {
                f.name: replace(f.metadata["param"], name=f.name)
                for f in fields(cls)
                if "param" in f.metadata
            }
        )

    @classmethod
    def of(cls, **values: Any) -> Self:
        """Build a set from named values; an unknown name lists the known ones."""
        known = cls.params()
        for name in values:
            if name not in known:
                raise ParameterError(
                    f"{cls.__name__} has no parameter `{name}`; it has {', '.join(known)}"
                )
        return cls(**values)

    def as_dict(self) -> dict[str, Any]:
        """Values by field name, in order."""
        return {name: getattr(self, name) for name in self.params()}

    def changed(self) -> dict[str, Any]:
        """Values that are not the default, by field name, in order."""
        declared = self.params()
        return {n: value for n, value in self.as_dict().items() if value != declared[n].default}
