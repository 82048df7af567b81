"""HTML that cannot be broken by what stands in it: text is escaped unless it is `Html`."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ctxlab.plots.labels import visible

__all__ = ["Html", "element", "join", "sentence", "untrusted"]

_VOID = ("meta", "img", "br")
_SHOWN_CHARS = 160


class Html(str):
    """Markup that is finished. Only this module makes it of plain text."""

    __slots__ = ()


def element(tag: str, *children: str, **attributes: str) -> Html:
    """Build an element. Children that are no `Html`, and all attributes, are escaped.

    `class_` and `http_equiv` stand for `class` and `http-equiv`.
    """
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(visible(value), quote=True)}"'
        for name, value in attributes.items()
    )
    if tag in _VOID:
        return Html(f"<{tag}{given}>")
    return Html(f"<{tag}{given}>{join(children)}</{tag}>")


def join(parts: Iterable[str]) -> Html:
    """Put parts one after the other; those that are no `Html` are escaped."""
    return Html(
        "".join(p if isinstance(p, Html) else escape(visible(p), quote=True) for p in parts)
    )


def untrusted(text: str, most: int = _SHOWN_CHARS) -> Html:
    """Text from a transcript: escaped, kept from turning its neighbours round, cut when long.

    Beginning and end of a text with more than `most` characters are kept, with the number of
    characters left out.
    """
    if len(text) > most:
        half = most // 2
        left_out = f" […{len(text) - 2 * half:,} characters left out…] "
        return element("bdi", text[:half], element("i", left_out), text[-half:])
    return element("bdi", text)


def sentence(text: str) -> Html:
    """A sentence of ours that may quote a transcript: escaped and isolated, never cut."""
    return element("bdi", text)
