"""Whether a text is JSON that was cut short, by the harness or a filter, or JSON against a rule."""

from __future__ import annotations

import json
import re

__all__ = ["is_cut_in_line", "is_cut_json", "is_loose_json"]

_decode = json.JSONDecoder().raw_decode
_BEGINS = re.compile(r'\s*+(?:\{\s*+"|\[\s*+["\[{])')
_BEGINS_PLAIN = re.compile(r"\s*+\[\s*+(?:[\d-]|true|false|null)")
_SPACE = re.compile(r"\s*+")
_MARK_IN_LINE = re.compile(r"…\d+ (?:tokens|chars) truncated…")
_MARK = re.compile(
    r"\[\d+ (?:lines|characters) truncated\]|\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]"
    r"|\[Output truncated"
)
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?+', re.DOTALL)
_REST = {
    "Unterminated string": re.compile(r".*+", re.DOTALL),
    "Invalid \\u": re.compile(r"\\?u?[0-9a-fA-F]{0,4}"),
    "Expecting value": re.compile(r"(?:tr?u?|fa?l?s?|nu?l?|-)?"),
    "Expecting ',' delimiter": re.compile(r"(?:\.|[eE][+-]?)?"),
    "Expecting ": re.compile(""),
}
"""What may stand behind the place of a fault if the text only ends too early, by its message."""


def is_cut_in_line(text: str) -> bool:
    """Tell whether a harness left out a part within a line.

    What is left may be JSON all the same: a string that begins in one member and ends in another.
    """
    return _MARK_IN_LINE.search(text) is not None


def is_loose_json(text: str) -> bool:
    """Tell whether a text is objects and arrays as less strict readers take them.

    They take NaN, half of a surrogate pair, numbers beyond any, and more levels.
    """
    text, at = text.strip(), 0
    while at < len(text):
        try:
            value, at = _decode(text, at)
        except json.JSONDecodeError:
            return False
        except RecursionError:
            return True
        if not isinstance(value, dict | list):
            return False
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
    return at > 0


def is_cut_json(text: str) -> bool:
    """Tell whether a text begins as JSON, an object or array, and does not end.

    It is JSON up to its last character with one member at least that is whole, perhaps behind
    whole values; or it holds the mark of a harness that left out a part.
    """
    begins = _BEGINS.match(text)
    if begins and (is_cut_in_line(text) or _MARK.search(text)):
        return True
    if not begins and not _BEGINS_PLAIN.match(text):
        return False
    text = text.rstrip()
    at = 0
    while (at := _SPACE.match(text, at).end()) < len(text):  # type: ignore[union-attr]
        try:
            value, at = _decode(text, at)
        except json.JSONDecodeError as error:
            return _runs_out(text, error) and _has_whole_member(text[at : error.pos])
        except RecursionError:
            return False
        if not isinstance(value, dict | list):
            return False
    return False


def _runs_out(text: str, error: json.JSONDecodeError) -> bool:
    """Tell whether the only fault of a text is that it ends."""
    rest = next((rest for told, rest in _REST.items() if error.msg.startswith(told)), None)
    return rest is not None and rest.fullmatch(text, error.pos) is not None


def _has_whole_member(text: str) -> bool:
    """Tell whether an unfinished value holds a comma that parts members."""
    return text[:1] in {"{", "["} and "," in _STRING.sub("", text)
