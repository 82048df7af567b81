"""Filter expressions: text to conditions, conditions to rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ctxlab.errors import ParameterError
from ctxlab.surface.canonical import Json
from ctxlab.surface.paths import look_up, scalar_text

__all__ = ["Condition", "parse_filters"]

_OPERATORS = ("!=", "==", "~", "=")
# White space of Unicode; str.strip() would take the separators U+001C to U+001F too.
_WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


@dataclass(frozen=True, slots=True)
class Condition:
    """What one filter asks of a row: `operator` is =, != or ~."""

    key: str
    operator: str
    wanted: str

    def holds(self, row: Json, synonyms: bool = False) -> bool:
        """Whether a row meets it; what has no scalar under the key meets != alone."""
        text = scalar_text(look_up(row, self.key, synonyms))
        if self.operator == "!=":
            return text != self.wanted
        if text is None:
            return False
        return self.wanted.lower() in text.lower() if self.operator == "~" else text == self.wanted


def parse_filters(expressions: Iterable[str]) -> tuple[Condition, ...]:
    """Read filters, all of which a row must meet.

    The operator that comes first in the text counts, the longer of two at one place; the key
    before it is trimmed, the value behind it is not.

    Raises
    ------
    ParameterError
        An expression has no operator, or no key before it.

    Examples
    --------
    >>> parse_filters([" kind != doc"])
    (Condition(key='kind', operator='!=', wanted=' doc'),)
    """
    return tuple(map(_parse, expressions))


def _parse(expression: str) -> Condition:
    places = [(expression.find(o), -len(o), o) for o in _OPERATORS if o in expression]
    if not places:
        raise ParameterError(
            f"invalid --filter expression '{expression}': "
            "expected key=value, key!=value or key~substring"
        )
    at, _, operator = min(places)
    key = expression[:at].strip(_WHITE)
    if not key:
        raise ParameterError(
            f"invalid --filter expression '{expression}': the key must not be empty"
        )
    return Condition(
        key, operator[:1] if operator == "==" else operator, expression[at + len(operator) :]
    )
