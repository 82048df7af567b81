"""Sizes, JSON and values of texts as logs hold them: with lone surrogates, unknown to UTF-8.

They are kept, since two texts that differ in them alone are two texts. One counts as the three
bytes of U+FFFD, which the model was sent in its place.
"""

from __future__ import annotations

import json
from typing import Any

import orjson

__all__ = ["json_text", "json_value", "texts_in", "utf8_size"]


def utf8_size(text: str) -> int:
    """UTF-8 bytes of a text."""
    return len(text.encode("utf-8", "surrogatepass"))


def json_text(value: object) -> str | None:
    """Compact JSON; None for what is nested too deep to be written."""
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:  # lone surrogates, numbers beyond 64 bit, or depth
        try:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        except (RecursionError, ValueError):
            return None


def texts_in(value: object) -> str:
    """Give all texts and numbers of a value, a line each, in order; keys are none."""
    texts = []
    rest = [value]
    while rest:
        found = rest.pop()
        if isinstance(found, str):
            texts.append(found)
        elif isinstance(found, dict):
            rest.extend(reversed(found.values()))
        elif isinstance(found, list):
            rest.extend(reversed(found))
        elif isinstance(found, int | float) and not isinstance(found, bool):
            texts.append(str(found))
    return "\n".join(texts)


def json_value(text: str) -> Any:
    """Value of a JSON text.

    Raises
    ------
    ValueError
        It is no JSON, or nested too deep.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            return json.loads(text, strict=False)
        except RecursionError as error:
            raise ValueError("nested too deep") from error
